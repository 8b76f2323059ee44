import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import {
  createBridgeEndpoint,
  createTokenGate,
  type EndpointOptions,
} from '../../../../src/features/scripts/endpoint.ts'
import { type Bridge, BridgeError } from '../../../../src/features/scripts/scripts.ts'
import { silentLogger } from '../../../../src/observe/log.ts'
import type { Signal } from '../../../../src/protocol/message.ts'
import { type ListenOptions, listen } from '../../../../src/server/http/listen.ts'
import { deferred } from '../../../support/deferred.ts'
import { verifies } from '../../../support/verifies.ts'

const TOKEN = 'mrp_0123456789abcdefghijklmnopqrstuvwxyz'
const JSON_BODY = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }

interface WorldOptions {
  bridge?: Partial<Bridge>
  endpoint?: Partial<EndpointOptions>
  listening?: Partial<ListenOptions>
}

async function world({ bridge = {}, endpoint = {}, listening = {} }: WorldOptions = {}) {
  const logged: string[] = []
  const log = (fields: object, message: string): void => {
    logged.push(`${JSON.stringify(fields)} ${message}`)
  }
  const logger = { ...silentLogger, info: log, warn: log, error: log, debug: log }
  const listener = await listen(
    {
      host: '127.0.0.1',
      port: 0,
      backend: { logger },
      endpoints: [
        createBridgeEndpoint({
          bridge: {
            answer: async (action, params) => ({ action, params }),
            result: async (id) => {
              if (id !== 'known') throw new BridgeError('not_found', 'no such result')
              return { type: 'text/plain; charset=utf-8', bytes: Buffer.from('whole') }
            },
            ...bridge,
          },
          gate: createTokenGate({ token: TOKEN, now: () => 0, logger }),
          logger,
          ...endpoint,
        }),
      ],
      ...listening,
    },
    {
      path: '/mcp',
      handle: async (_, response) => void response.writeHead(418).end(),
      closeSessions: async () => {},
    },
  )
  onTestFinished(() => listener.close())
  const { origin, port } = new URL(listener.url)
  const send = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(origin + path, { method: 'POST', headers: JSON_BODY, body: '{}', ...init })
  /** With a path and headers that `fetch` would put right. */
  const raw = async (path: string, headers: object = {}, method = 'POST'): Promise<number> => {
    const all = { ...JSON_BODY, 'content-length': '0', ...headers }
    const asking = httpRequest({ host: '127.0.0.1', port, path, method, headers: all as never })
    asking.end()
    const [response] = (await once(asking, 'response')) as [IncomingMessage]
    response.resume()
    return response.statusCode ?? 0
  }
  return { send, raw, logged, origin, port: Number(port) }
}

verifies('S4.54', 'serves actions over POST and kept results over GET', async () => {
  const { send } = await world()
  for (const action of ['list', 'search', 'call', 'batch']) {
    const answered = await send(`/bridge/${action}`, { body: '{"a":{"__proto__":1}}' })
    expect(answered.status).toBe(200)
    expect(await answered.text()).toBe(`{"action":"${action}","params":{"a":{"__proto__":1}}}`)
  }
  const nothing = await send('/bridge/list', {
    body: null,
    headers: { authorization: JSON_BODY.authorization },
  })
  expect(await nothing.json()).toEqual({ action: 'list', params: {} })
  const whole = await send('/bridge/result/known', { method: 'GET', body: null })
  expect([whole.headers.get('content-type'), await whole.text()]).toEqual([
    'text/plain; charset=utf-8',
    'whole',
  ])
  expect(whole.headers.get('cache-control')).toBe('no-store')
})

test('passes the parameters of a result request on', async () => {
  const parts: unknown[] = []
  const { send } = await world({
    bridge: {
      result: async (id, part) => {
        parts.push([id, part])
        return { type: 'text/plain', bytes: Buffer.from('') }
      },
    },
  })
  for (const query of ['', '?path=%24.a%5B0%5D', '?payload']) {
    await send(`/bridge/result/abc${query}`, { method: 'GET', body: null })
  }
  expect(parts).toEqual([
    ['abc', { path: undefined, payload: false }],
    ['abc', { path: '$.a[0]', payload: false }],
    ['abc', { path: undefined, payload: true }],
  ])
})

verifies('S4.54', 'without the token nothing is answered and nothing is read', async () => {
  let asked = 0
  const { send, logged } = await world({
    bridge: {
      answer: async () => {
        asked++
        return {}
      },
    },
  })
  const bearer = (authorization: string) => ({ 'content-type': 'application/json', authorization })
  const wrong = 'mrp_wrong0123456789abcdefghijklmnopqrst'
  for (const headers of [
    { 'content-type': 'application/json' },
    bearer(`Bearer ${wrong}`),
    bearer(`Bearer ${TOKEN}x`),
    bearer(`Basic ${TOKEN}`),
    bearer(TOKEN),
    bearer('Bearer '),
    bearer(`Bearer ${TOKEN}, Bearer ${TOKEN}`),
  ]) {
    const refused = await send('/bridge/list', { headers })
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toBe('Bearer')
    expect(await refused.json()).toMatchObject({ error: { code: 'unauthorized' } })
  }
  expect((await send(`/bridge/list?access_token=${TOKEN}`)).status).toBe(401)
  expect((await send('/bridge/none', { headers: bearer(`Bearer ${wrong}`) })).status).toBe(401)
  expect(asked).toBe(0)
  const told = logged.join('\n')
  expect(told).toContain('a script was refused')
  for (const secret of [TOKEN, wrong]) expect(told).not.toContain(secret)
})

test('answers 429 to a client that guesses tokens, not to one with the token', async () => {
  const { send } = await world()
  const statuses: number[] = []
  for (let n = 0; n < 22; n++)
    statuses.push((await send('/bridge/list', { headers: { authorization: 'Bearer guess' } })).status)
  expect(statuses.slice(0, 20)).toEqual(Array(20).fill(401))
  expect(statuses.slice(20)).toEqual([429, 429])
  expect((await send('/bridge/list')).status).toBe(200)
})

verifies('S4.54', 'refuses requests of web pages and through HTTP proxies, even with the token', async () => {
  const { raw } = await world()
  for (const headers of [
    { host: 'evil.example' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'x-forwarded-for': '10.0.0.1' },
    { forwarded: 'for=10.0.0.1' },
    { via: '1.1 front' },
    { 'x-real-ip': '10.0.0.1' },
  ])
    expect(await raw('/bridge/list', headers), JSON.stringify(headers)).toBe(403)
  expect(await raw('/bridge/list', { host: 'localhost:1' })).toBe(200)
})

test.each([
  ['POST', '/bridge', 404],
  ['POST', '/bridge/', 404],
  ['POST', '/bridge/nothing', 404],
  ['POST', '/bridge/list/', 404],
  ['POST', '/bridge/list/x', 404],
  ['POST', '/bridge/List', 404],
  ['POST', '/bridge/constructor', 404],
  ['POST', '/bridge//list', 404],
  ['POST', '/bridge/%6cist', 404],
  ['POST', '/x/../bridge/list', 200],
  ['POST', '//elsewhere/bridge/list', 200],
  ['GET', '/bridge/list', 405],
  ['PUT', '/bridge/call', 405],
  ['POST', '/bridge/result/known', 405],
  ['GET', '/bridge/result', 404],
  ['GET', '/bridge/result/', 404],
  ['GET', '/bridge/result/known/x', 404],
  ['GET', '/bridge/result/..%2F..%2Fetc%2Fpasswd', 404],
  ['GET', '/bridge/result/%00', 404],
  ['GET', '/bridge/result/known%20', 404],
  ['GET', '/bridge/result/known', 200],
  ['GET', '/bridgehead/list', 418],
  ['GET', '/bridge/../secret', 418],
])('%s %s is %i', async (method, path, status) => {
  const { raw } = await world()
  expect(await raw(path, {}, method)).toBe(status)
})

test.each([
  ['no JSON', '{', 400],
  ['a list', '[]', 400],
  ['null', 'null', 400],
  ['a text', '"list"', 400],
  ['two values', '{}{}', 400],
  ['no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 400],
  ['deep nesting', `{"a":${'['.repeat(100_000)}`, 400],
  ['too long', `{"a":"${'x'.repeat(2_000)}"}`, 413],
])('a body that is %s', async (_, body, status) => {
  const { send } = await world({
    endpoint: { maxBodyBytes: typeof body === 'string' && body.length > 9_999 ? 1e6 : 1_000 },
  })
  const refused = await send('/bridge/call', { body: body as never })
  expect(refused.status).toBe(status)
  expect(await refused.json()).toMatchObject({ error: { message: expect.any(String) } })
})

test('a body of another kind is not read as JSON', async () => {
  const { send } = await world()
  for (const more of [{ 'content-type': 'text/plain' }, { 'content-encoding': 'gzip' }])
    expect((await send('/bridge/call', { headers: { ...JSON_BODY, ...more } })).status).toBe(415)
})

verifies('S4.54', 'closes the connection when a body does not arrive', async () => {
  const { port } = await world({ endpoint: { bodyMs: 20 } })
  const socket = connect(port, '127.0.0.1')
  const headers = `Host: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n`
  socket.write(`POST /bridge/call HTTP/1.1\r\n${headers}\r\n{"tool"`)
  let said = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    said += chunk
  })
  socket.on('error', () => {})
  await new Promise((resolve) => socket.once('close', resolve))
  expect(said).toMatch(/^HTTP\/1\.1 408 /)
  expect(said.toLowerCase()).toContain('connection: close')
})

test('answers 429 beyond the limit of concurrent requests', async () => {
  const gate = deferred()
  let begun = 0
  const { send } = await world({
    endpoint: { maxUnderway: 2 },
    bridge: {
      answer: async () => {
        begun++
        await gate.promise
        return {}
      },
    },
  })
  const working = [send('/bridge/call'), send('/bridge/call')]
  await expect.poll(() => begun).toBe(2)
  const refused = await send('/bridge/call')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
  gate.resolve()
  expect((await Promise.all(working)).map(({ status }) => status)).toEqual([200, 200])
  expect((await send('/bridge/call')).status).toBe(200)
})

test('ends the call of a script that disconnects', async () => {
  const begun = deferred<Signal>()
  const { send } = await world({
    bridge: {
      answer: (_, _params, signal) => {
        begun.resolve(signal)
        return new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new Error('left'))),
        )
      },
    },
  })
  const leaving = new AbortController()
  const asking = send('/bridge/call', { signal: leaving.signal })
  const signal = await begun.promise
  leaving.abort()
  await expect(asking).rejects.toThrow()
  await expect.poll(() => signal.aborted).toBe(true)
})

test('writes an internal error to the log, not into the answer', async () => {
  const { send, logged } = await world({
    bridge: {
      answer: async () => {
        throw new Error('a private matter')
      },
    },
  })
  const failed = await send('/bridge/list')
  expect([failed.status, await failed.json()]).toEqual([
    500,
    { error: { code: 'internal_error', message: 'Internal error' } },
  ])
  expect(logged.join()).toContain('could not be answered')
})

verifies('S4.39', 'serves /healthz to all, /metrics to this machine or authenticated clients', async () => {
  const metrics = async (): Promise<string> => 'mcp_rlm_proxy_tool_calls_total 3\n'
  const open = await world({ listening: { metrics } })
  const told = await fetch(`${open.origin}/metrics`)
  expect([told.status, await told.text()]).toEqual([200, await metrics()])
  expect(told.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect((await fetch(`${open.origin}/metrics`, { method: 'POST' })).status).toBe(405)
  expect(await open.raw('/metrics', { host: 'evil.example' }, 'GET')).toBe(403)
  expect(await (await fetch(`${open.origin}/healthz`)).text()).toBe('ok\n')
  expect((await fetch(`${(await world()).origin}/metrics`)).status).toBe(404)

  const authenticator: NonNullable<ListenOptions['authenticator']> = {
    authenticate: async ({ headers }, response) => {
      if (headers.authorization === 'Bearer good') return { id: 'somebody' }
      response.writeHead(401).end()
      return undefined
    },
    serve: () => false,
  }
  const closed = await world({ listening: { metrics, authenticator } })
  expect((await fetch(`${closed.origin}/metrics`)).status).toBe(401)
  const headers = { authorization: 'Bearer good' }
  expect((await fetch(`${closed.origin}/metrics`, { headers })).status).toBe(200)
  // The bridge has a token of its own, and its token opens nothing else.
  expect((await fetch(`${closed.origin}/bridge/list`, { headers, method: 'POST' })).status).toBe(401)
  expect((await fetch(`${closed.origin}/metrics`, { headers: JSON_BODY })).status).toBe(401)

  const wide = await world({ listening: { metrics, host: '0.0.0.0', allowUnauthenticated: true } })
  expect((await fetch(`http://127.0.0.1:${wide.port}/metrics`)).status).toBe(403)
})
