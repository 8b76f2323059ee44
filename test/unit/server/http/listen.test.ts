import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isLoopback } from '../../../../src/config/loopback.ts'
import { silentLogger } from '../../../../src/observe/log.ts'
import { LIMIT_DEFAULTS } from '../../../../src/protocol/limits.ts'
import type { Authenticator, ModernService } from '../../../../src/server/backend.ts'
import { createGuard, type HttpOptions } from '../../../../src/server/http/listen.ts'
import { createModernEndpoint } from '../../../../src/server/http/modern.ts'
import type { Outlet } from '../../../../src/server/http/outlet.ts'
import { requestUrl } from '../../../../src/server/http/request.ts'
import { serveSse } from '../../../../src/server/http/sse.ts'
import { serveHttp } from '../../../../src/server/http/streamable.ts'
import { deferred } from '../../../support/deferred.ts'
import { ACCEPT_BOTH, allOf, eventsOf, messageOf, served } from './support.ts'

function allows(bound: string, headers: Record<string, string>): boolean {
  const response = { writeHead: () => {}, end: () => {} } as unknown as ServerResponse
  return createGuard(bound)({ headers } as unknown as IncomingMessage, response)
}

describe('guard', () => {
  test.each([
    ['127.0.0.1', 'localhost:8000'],
    ['::1', '[::1]:8000'],
    ['fe80::1', '[fe80::1]:8000'],
    ['[FE80:0:0::1]', '[fe80::1]:8000'],
    ['MyHost.local', 'myhost.local:8000'],
    ['::', 'any.name:8000'],
    ['[::]', 'any.name:8000'],
    ['0.0.0.0', 'any.name:8000'],
  ])('bound to %s it serves %s', (bound, host) => {
    expect(allows(bound, { host })).toBe(true)
  })

  test.each([
    ['127.0.0.1', { host: 'evil.example' }],
    ['fe80::1', { host: 'evil.example' }],
    ['::', { host: 'evil.example', origin: 'http://evil.example' }],
    ['127.0.0.1', { host: 'localhost', origin: 'null' }],
    ['127.0.0.1', {}],
  ])('bound to %s it refuses %o', (bound, headers) => {
    expect(allows(bound, headers as Record<string, string>)).toBe(false)
  })

  test('knows addresses of this machine in every spelling', () => {
    for (const host of ['localhost', 'LOCALHOST', '127.0.0.1', '127.1', '::1', '[::1]', '0:0:0:0:0:0:0:1'])
      expect(isLoopback(host), host).toBe(true)
    for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example.com'])
      expect(isLoopback(host), host).toBe(false)
  })
})

test('treats a malformed request target as the root path', () => {
  for (const url of ['//', 'http://[', undefined])
    expect(requestUrl({ url } as IncomingMessage).pathname).toBe('/')
  expect(requestUrl({ url: '/messages?sessionId=1' } as IncomingMessage).searchParams.get('sessionId')).toBe(
    '1',
  )
})

describe('requests that are sent ahead on one connection', () => {
  /** Sends so many calls in one write. */
  async function ahead(count: number, url: string, session: Record<string, string>) {
    const { host, hostname, port } = new URL(url)
    const calls = Array.from({ length: count }, (_, id) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: `t${id}` } })
      const headers = { host, 'content-type': 'application/json', accept: ACCEPT_BOTH, ...session }
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
      return `POST /mcp HTTP/1.1\r\n${lines.join('')}content-length: ${body.length}\r\n\r\n${body}`
    })
    const socket = connect(Number(port), hostname, () => socket.write(calls.join('')))
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    return socket
  }

  test('begin when the one before is answered', async () => {
    const begun: unknown[] = []
    const ends: (() => void)[] = []
    const { url, open } = await served({
      handler: ({ params }) => {
        begun.push(params.name)
        return new Promise((resolve) => ends.push(() => resolve({})))
      },
    })
    const socket = await ahead(3, url, await open())
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    for (const id of [0, 1, 2]) {
      await expect.poll(() => ends.length).toBe(id + 1)
      expect(begun).toEqual(['t0', 't1', 't2'].slice(0, id + 1))
      ends[id]?.()
      await expect.poll(() => text).toContain(`"id":${id}`)
    }
  })

  test('are hung up on when they are very many', async () => {
    const { url, open } = await served({ handler: () => new Promise(() => {}) })
    const socket = await ahead(200, url, await open())
    await once(socket, 'close')
  })
})

test('a request without a Host is refused, and thousands that came in one read are hung up on', async () => {
  const { url } = await served()
  const { hostname, port } = new URL(url)
  const answerTo = async (bytes: string): Promise<string> => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    let text = ''
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      text += chunk
    })
    await once(socket, 'close')
    return text
  }
  expect(await answerTo('GET / HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 .*there is no Host/s)
  const { stackTraceLimit } = Error
  await answerTo('GET / HTTP/1.1\r\n\r\n'.repeat(3000))
  expect(Error.stackTraceLimit).toBe(stackTraceLimit)
})

test('a connection beyond the limit is closed, and one that ends makes room', async () => {
  const { url } = await served({ limits: { ...LIMIT_DEFAULTS, connections: 1 } })
  const { hostname, port } = new URL(url)
  const first = connect(Number(port), hostname)
  await once(first, 'connect')
  const second = connect(Number(port), hostname)
  second.on('error', () => {})
  await once(second, 'close')
  first.destroy()
  await expect
    .poll(() =>
      fetch(new URL('/healthz', url)).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200)
})

// Which clients may connect, and which session is theirs.

/** Knows everybody who gives a name. */
const byName: Authenticator = {
  async authenticate(request, response) {
    const id = request.headers.authorization
    if (id !== undefined) return { id }
    response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
    return undefined
  },
  serve(_request, response, url) {
    if (!url.pathname.startsWith('/.well-known/')) return false
    response.end('public')
    return true
  },
}

const anna = { authorization: 'anna' }
const ben = { authorization: 'ben' }
const PING = { id: 1, method: 'ping' }

describe('with an authenticator', () => {
  test('answers 401 to unauthenticated requests, except for public paths', async () => {
    const { post, url } = await served({ authenticator: byName })
    expect((await post({ id: 1, method: 'initialize' })).status).toBe(401)
    expect(await (await fetch(new URL('/.well-known/x', url))).text()).toBe('public')
    expect((await fetch(new URL('/healthz', url))).status).toBe(200)
    const foreign = await fetch(new URL('/.well-known/x', url), {
      headers: { origin: 'http://evil.example' },
    })
    expect(foreign.status).toBe(403)
  })

  test('answers 404 for a session of another principal', async () => {
    const { post, open, send, clients } = await served({ authenticator: byName })
    const session = await open('2025-11-25', anna)
    expect(clients[0]?.agent).toEqual({ id: 'anna', kind: 'principal' })
    expect((await post(PING, session)).status).toBe(200)
    const stolen = { ...session, ...ben }
    expect((await post(PING, stolen)).status).toBe(404)
    expect((await send('GET', { ...stolen, accept: 'text/event-stream' })).status).toBe(404)
    expect((await send('DELETE', stolen)).status).toBe(404)
    expect((await post(PING, session)).status).toBe(200)
  })

  test('cleans up when the client disconnects during authentication', async () => {
    const asked = deferred<void>()
    const known = deferred<void>()
    const slow: Authenticator = {
      ...byName,
      async authenticate(request, response) {
        if (request.headers['x-slow'] !== undefined) {
          response.once('close', known.resolve)
          asked.resolve()
          await known.promise
        }
        return byName.authenticate(request, response)
      },
    }
    const { open, send, url } = await served({ authenticator: slow })
    const stream = { ...(await open('2025-11-25', anna)), accept: 'text/event-stream' }
    const leaving = new AbortController()
    const left = fetch(url, { headers: { ...stream, 'x-slow': 'yes' }, signal: leaving.signal })
    await asked.promise
    leaving.abort()
    await expect(left).rejects.toThrow()
    await known.promise
    // Its stream would stand in the way of this one.
    const response = await send('GET', stream)
    expect(response.status).toBe(200)
    await response.body?.cancel()
  })

  test('a modern call that outlives its permission gets its answer; a subscription ends', async () => {
    const ends: Record<string, () => void> = {}
    const serve: ModernService['serve'] = ({ method }, { notify }) =>
      new Promise((resolve) => {
        notify({ method: 'notifications/progress', params: { progress: 1 } })
        ends[method] = () => resolve({ done: true })
      })
    const outlets = new Set<Outlet>()
    const heartbeat = {
      add: (outlet: Outlet) => void outlets.add(outlet),
      remove: (outlet: Outlet) => void outlets.delete(outlet),
      close: () => {},
    }
    const service = { serve, toolSchema: async () => undefined, close: async () => {} }
    const endpoint = createModernEndpoint({ modern: service, now: () => 2000 }, heartbeat)
    const version = '2026-07-28'
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const server = createServer((request, response) => {
      const method = String(request.headers['mcp-method'])
      const message = { jsonrpc: '2.0', id: 1, method, params: { _meta } } as const
      void endpoint.post(request, response, message, {
        principal: { id: 'anna', expiresAt: 1 },
        profile: undefined,
      })
    })
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const ask = (method: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
        headers: { 'mcp-protocol-version': version, 'mcp-method': method },
      })
    const [call, subscription] = await Promise.all([ask('tools/list'), ask('subscriptions/listen')])
    for (const outlet of [...outlets]) outlet.beat()
    expect(await allOf(subscription)).toHaveLength(1)
    ends['tools/list']?.()
    expect((await allOf(call)).map((event) => messageOf(event).result)).toEqual([undefined, { done: true }])
  })

  test('the same principal has one name in the modern era', async () => {
    const agents: unknown[] = []
    const modern = {
      serve: async (_: unknown, { agent }: { agent: unknown }) => {
        agents.push(agent)
        return {}
      },
      toolSchema: async () => undefined,
      close: async () => {},
    }
    const { post } = await served({ authenticator: byName, modern })
    const version = '2026-07-28'
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const headers = { 'mcp-protocol-version': version, 'mcp-method': 'tools/list', ...anna }
    expect((await post({ id: 1, method: 'tools/list', params: { _meta } }, headers)).status).toBe(200)
    expect(agents).toEqual([{ id: 'anna', kind: 'principal' }])
  })

  test('over HTTP+SSE a session is its principal’s as well', async () => {
    const { listener, clients } = await sse()
    const stream = await fetch(listener.url, { headers: { accept: 'text/event-stream', ...anna } })
    const events = eventsOf(stream)
    const place = new URL(((await events.next()).value as { data: string }).data, listener.url)
    const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }
    const post = (who: Record<string, string>): Promise<Response> =>
      fetch(place, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...who },
        body: JSON.stringify(initialize),
      })
    expect((await post(ben)).status).toBe(404)
    expect((await post(anna)).status).toBe(202)
    expect(messageOf((await events.next()).value as never).id).toBe(1)
    expect(clients).toEqual(['anna'])
    await events.return(undefined)
    await listener.close()
  })
})

test('over HTTP+SSE a message keeps to the limits on requests, and a refusal says how to raise them', async () => {
  const listener = await serveSse({
    ...bare,
    host: '127.0.0.1',
    limits: { ...LIMIT_DEFAULTS, requestBytes: 100_000 },
  })
  onTestFinished(() => listener.close())
  const stream = await fetch(listener.url, { headers: { accept: 'text/event-stream' } })
  const events = eventsOf(stream)
  const place = new URL(((await events.next()).value as { data: string }).data, listener.url)
  const post = async (body: string): Promise<[number, string]> => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(place, { method: 'POST', headers, body })
    return [response.status, await response.text()]
  }
  const deep = `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":${'['.repeat(2000)}${']'.repeat(2000)}}}`
  expect(await post(deep)).toEqual([400, expect.stringContaining('`limits.requestDepth`')])
  expect(await post('x'.repeat(100_001))).toEqual([413, expect.stringContaining('`limits.requestBytes`')])
  expect((await post('{'))[0]).toBe(400)
  expect((await post('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}'))[0]).toBe(202)
  expect(messageOf((await events.next()).value as never).id).toBe(1)
  await events.return(undefined)
})

async function sse() {
  const clients: string[] = []
  const listener = await serveSse({
    ...bare,
    host: '127.0.0.1',
    authenticator: byName,
    backend: {
      ...bare.backend,
      opened: ({ agent }) => void clients.push(agent.id),
    },
  })
  return { listener, clients }
}

const bare = {
  port: 0,
  maxSessions: 10,
  sessionIdleMs: 1e6,
  now: Date.now,
  backend: {
    identity: 'proxy',
    handler: async () => ({}),
    describe: () => ({ capabilities: {}, serverInfo: {}, instructions: '' }),
    opened: () => {},
    closed: () => {},
    notified: () => {},
    logger: silentLogger,
  },
}

describe('other machines', () => {
  test.each(['0.0.0.0', '::', '192.0.2.1'])(
    'on %s are not served unless somebody asks who they are',
    async (host) => {
      await expect(serveHttp({ ...bare, host })).rejects.toMatchObject({
        code: 'LISTEN_FAILED',
        next: expect.stringContaining('allowUnauthenticated'),
      })
      await expect(serveSse({ ...bare, host })).rejects.toMatchObject({ code: 'LISTEN_FAILED' })
    },
  )

  test('are served when that is wanted', async () => {
    const ways: Partial<HttpOptions>[] = [{ allowUnauthenticated: true }, { authenticator: byName }]
    for (const how of ways) {
      const listener = await serveHttp({ ...bare, host: '0.0.0.0', ...how })
      const { port } = new URL(listener.url)
      expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
      await listener.close()
    }
  })
})
