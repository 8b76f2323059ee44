import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { fetchJson } from '../../../../src/server/auth/grant.ts'

async function serving(
  answer: (response: ServerResponse, path: string) => void,
): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    answer(response, request.url ?? '')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(() => resolve()))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked }
}

test('gives the object', async () => {
  const { url } = await serving((response) => response.end('{"a":"ä"}'))
  expect(await fetchJson(url, { fetch })).toEqual({ a: 'ä' })
})

test('reads no more than it takes', async () => {
  const chunk = 'x'.repeat(64 * 1024)
  let written = 0
  const { url } = await serving((response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(chunk)) written++
    }
    response.on('drain', more)
    more()
  })
  await expect(fetchJson(url, { fetch })).rejects.toThrow('more than 524288 bytes')
  expect(written).toBeLessThan(1000)
})

test('does not follow redirects', async () => {
  const { url, asked } = await serving((response, path) => {
    if (path === '/') response.writeHead(302, { location: '/secret' })
    response.end('{}')
  })
  await expect(fetchJson(url, { fetch })).rejects.toThrow()
  expect(asked).toEqual(['/'])
})

test.each([
  ['an error', 500, '{}'],
  ['a list', 200, '[]'],
  ['no JSON', 200, '<html>'],
  ['nothing', 200, ''],
])('refuses %s', async (_, status, body) => {
  const { url } = await serving((response) => response.writeHead(status).end(body))
  await expect(fetchJson(url, { fetch })).rejects.toThrow()
})
