import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { environmentFetch } from '../../../../src/upstream/oauth/fetch.ts'

test('requests to authorization servers take the proxy of the environment', async () => {
  const seen: unknown[] = []
  const proxy = createServer()
  proxy.on('connect', (request, socket) => {
    seen.push(request.url)
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  proxy.listen(0, '127.0.0.1')
  await new Promise((resolve) => proxy.once('listening', resolve))
  onTestFinished(() => void proxy.close())
  const { port } = proxy.address() as AddressInfo
  const through = environmentFetch({ HTTPS_PROXY: `http://127.0.0.1:${port}` })
  await expect(through('https://as.example/token')).rejects.toThrow('fetch failed')
  expect(seen).toEqual(['as.example:443'])
})

test('no request goes over the connection of an earlier one, which the server may be about to close', async () => {
  const sockets = new Set<object>()
  const server = createServer((request, response) => {
    sockets.add(request.socket)
    response.end('{}')
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  for (let n = 0; n < 3; n++) await (await environmentFetch({})(url)).text()
  expect(sockets.size).toBe(3)
})

test('method, headers, form and signal arrive', async () => {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    response.end(JSON.stringify([request.method, request.headers['content-type'], body]))
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const headers = new Headers({ 'Content-Type': 'application/x-www-form-urlencoded' })
  const init = { method: 'POST', headers, body: new URLSearchParams({ a: 'b c' }) }
  const answer = await environmentFetch({})(url, init)
  expect(await answer.json()).toEqual(['POST', 'application/x-www-form-urlencoded', 'a=b+c'])
  const signal = AbortSignal.abort(new Error('over'))
  await expect(environmentFetch({})(url, { signal })).rejects.toThrow('over')
})
