import { describe, expect, test } from 'vitest'
import {
  events,
  json,
  legacyServer,
  loopback,
  request,
  resultFor,
  shakeHands,
  transport,
} from '../../../support/loopback.ts'

const modern = { era: 'modern' as const }
const headers = { Authorization: 'Bearer secret' }

describe('redirects of a message', () => {
  test.each([307, 308])('HTTP %i within the origin is followed with the same message', async (status) => {
    const server = await loopback((seen, response) => {
      if (seen.url === '/mcp') response.writeHead(status, { location: '/mcp/?a=1' }).end('moved')
      else json(response, resultFor(seen))
    })
    const it = await transport(`${server.url}/mcp`, { ...modern, headers })
    await it.send(request(1))
    await it.send(request(2))
    expect(it.received.map(({ message }) => 'id' in message && message.id)).toEqual([1, 2])
    expect(server.seen.map(({ url }) => url)).toEqual(
      status === 307 ? ['/mcp', '/mcp/?a=1', '/mcp', '/mcp/?a=1'] : ['/mcp', '/mcp/?a=1', '/mcp/?a=1'],
    )
    expect(server.seen[1]).toMatchObject({
      method: 'POST',
      body: { id: 1 },
      headers: { authorization: 'Bearer secret' },
    })
  })

  test.each([301, 302, 303])('HTTP %i would lose the message and is refused', async (status) => {
    const server = await loopback(
      (_, response) => void response.writeHead(status, { location: '/other' }).end(),
    )
    const it = await transport(server.url, modern)
    await expect(it.send(request(1))).rejects.toThrow(
      `HTTP ${status}: redirects to ${server.url}/other in a way that would lose the message`,
    )
    expect(server.seen).toHaveLength(1)
  })

  test('sends neither message nor credentials to another origin', async () => {
    const other = await loopback((seen, response) => json(response, resultFor(seen)))
    const server = await loopback(
      (_, response) =>
        void response.writeHead(307, { location: `${other.url}/mcp` }).end('x'.repeat(100_000)),
    )
    const it = await transport(server.url, { ...modern, headers })
    await expect(it.send(request(1))).rejects.toThrow(
      `HTTP 307: redirects from ${server.url} to ${other.url}, where credentials are not sent`,
    )
    expect(other.seen).toEqual([])
  })

  test.each([
    ['nowhere', undefined],
    ['nonsense', 'http://['],
  ])('to %s are refused', async (_, location) => {
    const server = await loopback(
      (_seen, response) => void response.writeHead(307, location ? { location } : {}).end(),
    )
    const it = await transport(server.url, modern)
    await expect(it.send(request(1))).rejects.toThrow('HTTP 307: redirects to nowhere')
  })

  test('end after five', async () => {
    const server = await loopback((_, response) => void response.writeHead(307, { location: '/' }).end())
    const it = await transport(server.url, modern)
    await expect(it.send(request(1))).rejects.toThrow('HTTP 307: too many redirects')
    expect(server.seen).toHaveLength(6)
  })

  test('need not end themselves', async () => {
    const server = await loopback((seen, response) => {
      if (seen.url === '/there') return json(response, resultFor(seen))
      response.writeHead(307, { location: '/there' })
      response.write('x'.repeat(200_000))
    })
    const it = await transport(server.url, modern)
    await it.send(request(1))
    expect(it.received).toHaveLength(1)
  })
})

test('the stream of the server follows any redirect within the origin', async () => {
  const server = await legacyServer((seen, response) => {
    if (seen.url === '/') response.writeHead(303, { location: '/stream' }).end()
    else events(response, 'data: {"jsonrpc":"2.0","method":"x"}\n\n')
  })
  const it = await transport(server.url)
  await shakeHands(it)
  await expect.poll(() => it.received.at(-1)?.message).toMatchObject({ method: 'x' })
  expect(server.seen.at(-1)).toMatchObject({ method: 'GET', url: '/stream' })
})
