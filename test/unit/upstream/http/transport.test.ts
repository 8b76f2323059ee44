import { describe, expect, test } from 'vitest'
import { plain, type Result } from '../../../../src/protocol/content.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { ownPort } from '../../../support/own-port.ts'
import { client, exchange, httpServer, textOf, toolCall, upstreams } from '../../../support/upstream.ts'
import { verifies } from '../../../support/verifies.ts'

const failure = (promise: Promise<Result>): Promise<unknown> => promise.then(plain, (error: unknown) => error)
const echo = toolCall('echo', { a: 1 })

interface Seen {
  method: string
  headers: Record<string, string>
}

describe('streamable HTTP', () => {
  test('sends the configured headers and, after the handshake, the revision', async () => {
    const server = await httpServer()
    const pool = upstreams({ servers: { s: { url: `${server.url}/mcp`, headers: { 'X-Key': 'secret' } } } })
    await pool.request('s', echo, exchange())
    const seen = JSON.parse(await server.get('/control/seen')) as Seen[]
    expect(seen.map(({ method }) => method)).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/call',
    ])
    expect(seen.map(({ headers }) => headers['x-key'])).toEqual(['secret', 'secret', 'secret'])
    expect(seen.map(({ headers }) => headers['mcp-protocol-version'])).toEqual([
      undefined,
      '2025-11-25',
      '2025-11-25',
    ])
  })

  test('sends the name and password of an address as a header, unless there is one', async () => {
    const server = await httpServer()
    const url = `${server.url}/mcp`.replace('//', '//me:p%40ss@')
    const headers = { authorization: 'Bearer other' }
    const pool = upstreams({ servers: { s: { url }, t: { url, headers } } })
    await pool.request('s', echo, exchange())
    await pool.request('t', echo, exchange())
    const seen = JSON.parse(await server.get('/control/seen')) as Seen[]
    const basic = `Basic ${Buffer.from('me:p@ss').toString('base64')}`
    expect([...new Set(seen.map(({ headers }) => headers.authorization))]).toEqual([basic, 'Bearer other'])
  })

  verifies('S3.38', 'errors do not tell clients the secrets of a server', async () => {
    const headers = { Authorization: 'Bearer first\nsecond' }
    const pool = upstreams({ servers: { s: { url: 'http://127.0.0.1:9/mcp', headers } } })
    const error = (await failure(pool.request('s', echo, exchange()))) as Error
    expect(error.message).toContain('invalid header value')
    expect(error.message).not.toMatch(/first|second/)
  })

  test('works with answers as plain JSON', async () => {
    const server = await httpServer({ answer: 'json' })
    const pool = upstreams({ servers: { s: { url: `${server.url}/mcp` } } })
    expect(textOf(await pool.request('s', echo, exchange()))).toBe('{"a":1}')
  })

  test('answers may be plain JSON while the server asks on a stream of its own', async () => {
    const server = await httpServer({ answer: 'json', listen: true })
    const pool = upstreams({ servers: { s: { url: `${server.url}/mcp` } } })
    const me = client({ sampling: {} }, { model: 'test' })
    const ask = toolCall('ask', { method: 'sampling/createMessage', params: { messages: [] } })
    expect(textOf(await pool.request('s', ask, exchange(me)))).toBe('{"model":"test"}')
  })

  verifies(
    'S3.34',
    'begins a new session when the server forgot the old one, and loses no call',
    async () => {
      const server = await httpServer()
      const pool = upstreams({ servers: { s: { url: `${server.url}/mcp` } } })
      const me = client()
      await pool.request('s', echo, exchange(me))
      await server.get('/control/forget')
      const calls = [1, 2, 3].map((n) => pool.request('s', toolCall('echo', { n }), exchange(me)))
      expect((await Promise.all(calls)).map(textOf)).toEqual(['{"n":1}', '{"n":2}', '{"n":3}'])
      const seen = JSON.parse(await server.get('/control/seen')) as Seen[]
      expect(seen.filter(({ method }) => method === 'initialize')).toHaveLength(2)
    },
  )

  test('a stream that ends without the answer fails its call', async () => {
    const server = await httpServer()
    const pool = upstreams({ servers: { s: { url: `${server.url}/mcp` } } })
    const me = client()
    expect(await failure(pool.request('s', toolCall('cut'), exchange(me)))).toMatchObject({
      code: 'UPSTREAM_CLOSED',
      message: 'server `s`: tool `cut`: the server closed the stream before the answer',
    })
    expect(textOf(await pool.request('s', echo, exchange(me)))).toBe('{"a":1}')
  })

  test('a server that is not there is named', async () => {
    const server = await httpServer()
    await server.stop()
    const pool = upstreams({ servers: { s: { url: `${server.url}/mcp` } } })
    expect(await failure(pool.request('s', echo, exchange()))).toMatchObject({
      code: 'UPSTREAM_CONNECT',
      message: `server \`s\`: could not connect to ${new URL(server.url).host}: connection refused (ECONNREFUSED)`,
    })
  })

  test('names an invalid address in the error, every time', async () => {
    const pool = upstreams({ servers: { s: { url: 'not a url' } } })
    for (let i = 0; i < 2; i++) {
      expect(await failure(pool.request('s', echo, exchange()))).toMatchObject({
        code: 'UPSTREAM_CONNECT',
        message: 'server `s`: Invalid URL',
      })
    }
  })

  test('a refusal shows its status', async () => {
    const server = await httpServer()
    const pool = upstreams({ servers: { s: { url: `${server.url}/nowhere` } } })
    expect(await failure(pool.request('s', echo, exchange()))).toMatchObject({
      code: 'UPSTREAM_CONNECT',
      message: 'server `s`: HTTP 404: nothing here',
    })
  })

  verifies('S3.34', 'a server that restarted is reached by the next call', async () => {
    const port = await ownPort()
    const first = await httpServer({ port })
    const pool = upstreams({ servers: { s: { url: `${first.url}/mcp` } } })
    const me = client()
    await pool.request('s', echo, exchange(me))
    await first.stop()
    expect(await failure(pool.request('s', echo, exchange(me)))).toMatchObject({ code: 'UPSTREAM_CLOSED' })
    await httpServer({ port })
    expect(textOf(await pool.request('s', echo, exchange(me)))).toBe('{"a":1}')
  })

  test('ends its session when closed', async () => {
    const server = await httpServer()
    const pool = upstreams({ servers: { s: { url: `${server.url}/mcp` } } })
    await pool.request('s', echo, exchange())
    expect(await server.get('/control/sessions')).toBe('1')
    await pool.close()
    expect(await server.get('/control/sessions')).toBe('0')
  })
})

describe('HTTP+SSE', () => {
  verifies('S1.2', 'is found by trying, when the address does not tell', async () => {
    const server = await httpServer()
    const pool = upstreams({ servers: { s: { url: `${server.url}/old` } } })
    expect(textOf(await pool.request('s', echo, exchange()))).toBe('{"a":1}')
    expect(pool.status()[0]?.transport).toBe('sse')
  })

  test('is chosen by the configuration', async () => {
    const server = await httpServer()
    const pool = upstreams({ servers: { s: { url: `${server.url}/old`, type: 'sse' } } })
    await pool.request('s', echo, exchange())
    expect(pool.status()[0]?.transport).toBe('sse')
  })

  verifies('S3.34', 'a lost stream fails its calls at once; the next call connects again', async () => {
    const server = await httpServer()
    const pool = upstreams({ servers: { s: { url: `${server.url}/sse` } } })
    const me = client()
    await pool.request('s', echo, exchange(me))
    const pending = failure(pool.request('s', toolCall('never'), exchange(me)))
    await server.get('/control/drop')
    expect(await pending).toMatchObject({
      code: 'UPSTREAM_CLOSED',
      message: expect.stringContaining('tool `never` got no answer: the server closed the event stream'),
    })
    expect(textOf(await pool.request('s', echo, exchange(me)))).toBe('{"a":1}')
  })

  test('a server that is not there is named', async () => {
    const server = await httpServer()
    await server.stop()
    const pool = upstreams({ servers: { s: { url: `${server.url}/sse` } } })
    const error = (await failure(pool.request('s', echo, exchange()))) as JsonObject
    expect(error).toMatchObject({
      code: 'UPSTREAM_CONNECT',
      message: expect.stringMatching(/^server `s`: could not be reached: .*ECONNREFUSED/),
    })
  })
})
