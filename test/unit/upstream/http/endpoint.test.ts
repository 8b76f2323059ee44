import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { networkFailure } from '../../../../src/upstream/http/body.ts'
import { isLoopback } from '../../../../src/upstream/http/endpoint.ts'
import { json, loopback, request, resultFor, transport } from '../../../support/loopback.ts'

const modern = { era: 'modern' as const }

/** A server of bare TCP for the time of a test; gives `127.0.0.1:port`. */
async function tcpServer(connected: (socket: Socket) => void): Promise<string> {
  const server = createServer(connected)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('failures name host, port and cause', () => {
  test('refused', async () => {
    const server = await loopback(() => {})
    await server.stop()
    const it = await transport(server.url, modern)
    const where = new URL(server.url).host
    await expect(it.send(request(1))).rejects.toThrow(
      `could not connect to ${where}: connection refused (ECONNREFUSED)`,
    )
  })

  test('broken before the answer', async () => {
    const server = await loopback((_, response) => void response.destroy())
    const it = await transport(server.url, modern)
    const where = new URL(server.url).host
    await expect(it.send(request(1))).rejects.toThrow(
      `the connection to ${where} broke: closed by the other side (UND_ERR_SOCKET)`,
    )
  })

  test('broken in the middle of it; the next call connects again', async () => {
    const server = await loopback((seen, response) => {
      if (seen.body.id === 2) return json(response, resultFor(seen))
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
      response.write('{"jsonrpc"', () => response.destroy())
    })
    const it = await transport(server.url, modern)
    await expect(it.send(request(1))).rejects.toThrow(/^the connection to 127\.0\.0\.1:\d+ broke: /)
    await it.send(request(2))
    expect(it.received).toHaveLength(1)
  })

  test('something that does not speak HTTP', async () => {
    const where = await tcpServer((socket) => socket.once('data', () => socket.end('SSH-2.0-OpenSSH\r\n')))
    const it = await transport(`http://${where}`, modern)
    await expect(it.send(request(1))).rejects.toThrow(`the connection to ${where} broke: `)
  })

  test.each<[string, Error]>([
    [
      'could not connect to localhost:80: connection refused (ECONNREFUSED)',
      new AggregateError([
        Object.assign(new Error('connect ::1'), { code: 'ECONNREFUSED' }),
        new Error('other'),
      ]),
    ],
    [
      'could not connect to localhost:80: self-signed certificate (DEPTH_ZERO)',
      Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO' }),
    ],
    ['could not connect to localhost:80: key *** is bad', new Error('key s3cret\nis bad')],
  ])('%s', (words, error) => {
    const conceal = (text: string): string => text.replaceAll('s3cret', '***')
    expect(networkFailure(error, new URL('http://localhost/mcp'), false, conceal).message).toBe(words)
  })
})

describe('configured headers', () => {
  test.each([
    [{ 'X-Key': 'a\nb' }, 'invalid header value: `X-Key`'],
    [{ 'X-Key': 'schlüssel 鍵' }, 'invalid header value: `X-Key`'],
    [{ 'X Key': 'a' }, 'invalid header name'],
  ])('%j cannot be sent, and that is told without the value', async (headers, words) => {
    const failed = transport('http://127.0.0.1:9', { ...modern, headers })
    await expect(failed).rejects.toThrow(words)
    await expect(failed).rejects.not.toThrow(/schl|鍵|a\nb/)
  })
})

describe('proxies of the environment', () => {
  /** Opens tunnels to this server, whatever it is asked for. */
  async function proxyTo(url: string): Promise<{ url: string; asked: (string | undefined)[] }> {
    const asked: (string | undefined)[] = []
    const proxy = createHttpServer().on('connect', (message, socket: Socket) => {
      asked.push(message.url)
      const there = connect(Number(new URL(url).port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
        there.pipe(socket).pipe(there)
      })
      for (const end of [there, socket]) end.on('error', () => {})
      onTestFinished(() => void there.destroy())
    })
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    onTestFinished(() => {
      proxy.close()
      proxy.closeAllConnections()
    })
    return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked }
  }

  test.each(['HTTP_PROXY', 'http_proxy'])('%s is used, and compression asked for', async (name) => {
    const server = await loopback((seen, response) => json(response, resultFor(seen)))
    const proxy = await proxyTo(server.url)
    const it = await transport('http://mcp.example/mcp', { ...modern, environment: { [name]: proxy.url } })
    await it.send(request(1))
    expect(it.received).toHaveLength(1)
    expect(proxy.asked).toEqual(['mcp.example:80'])
    expect(server.seen[0]?.headers).toMatchObject({ host: 'mcp.example', 'accept-encoding': 'gzip' })
  })

  test('this machine is never behind one', async () => {
    const server = await loopback((seen, response) => json(response, resultFor(seen)))
    const proxy = await proxyTo(server.url)
    const it = await transport(server.url, { ...modern, environment: { HTTP_PROXY: proxy.url } })
    await it.send(request(1))
    expect(proxy.asked).toEqual([])
  })

  test('NO_PROXY is heeded', async () => {
    const server = await loopback((seen, response) => json(response, resultFor(seen)))
    const proxy = await proxyTo(server.url)
    const environment = { HTTP_PROXY: proxy.url, NO_PROXY: 'other.example, mcp.invalid' }
    const it = await transport('http://mcp.invalid/mcp', { ...modern, environment })
    await expect(it.send(request(1))).rejects.toThrow('could not connect to mcp.invalid:80')
    expect(proxy.asked).toEqual([])
  })

  test.each([
    ['http://localhost:1/', true],
    ['http://a.localhost/', true],
    ['https://127.1.2.3/', true],
    ['http://[::1]:8000/', true],
    ['http://127.0.0.1.example/', false],
    ['http://localhost.example/', false],
    ['http://10.0.0.1/', false],
  ])('%s is this machine: %s', (url, expected) => expect(isLoopback(new URL(url))).toBe(expected))
})
