import { describe, expect, test } from 'vitest'
import { LargeResult } from '../../../../src/protocol/content.ts'
import { RpcError } from '../../../../src/protocol/errors.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import type { Request } from '../../../../src/protocol/message.ts'
import type { ModernService, Requester } from '../../../../src/server/backend.ts'
import { deferred } from '../../../support/deferred.ts'
import { allOf, eventsOf, type Message, messageOf, served } from './support.ts'

const VERSION = '2026-07-28'
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
}

const SCHEMA: JsonObject = {
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
}

function service(serve: ModernService['serve']): ModernService & { seen: Requester[] } {
  const seen: Requester[] = []
  return {
    seen,
    serve: (request, requester) => {
      seen.push(requester)
      return serve(request, requester)
    },
    toolSchema: async (name) => (name === 'regional' ? SCHEMA : undefined),
    close: async () => {},
  }
}

async function modern(serve: ModernService['serve'] = async () => ({ resultType: 'complete' })) {
  const fake = service(serve)
  const world = await served({ modern: fake })
  const call = (message: Message, headers: Record<string, string> = {}): Promise<Response> => {
    const full = { id: 1, ...message, params: { _meta: META, ...message.params } }
    const name = message.params?.name
    return world.post(full, {
      'mcp-protocol-version': VERSION,
      'mcp-method': full.method ?? '',
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...headers,
    })
  }
  return { ...world, call, seen: fake.seen }
}

const LIST: Message = { method: 'tools/list' }
const errorOf = async (response: Response): Promise<unknown[]> => {
  const { id, error } = (await response.json()) as Message
  return [response.status, id, error?.code]
}

describe('a modern request', () => {
  test('gets one JSON body, and belongs to an anonymous agent', async () => {
    const { call, seen } = await modern(async ({ method, params }) => ({ method, params: params ?? {} }))
    const response = await call({ id: 'ä', method: 'tools/list', params: { cursor: 'c' } })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: 'ä',
      result: { method: 'tools/list', params: { _meta: META, cursor: 'c' } },
    })
    expect(response.headers.get('mcp-session-id')).toBeNull()
    expect(seen[0]?.agent).toEqual({ id: 'anonymous', kind: 'anonymous' })
  })

  test('gets a stream when something goes before the answer, without ids: it cannot be resumed', async () => {
    const { call } = await modern(async (_, requester) => {
      const { notify } = requester
      notify({ method: 'notifications/progress', params: { progress: 1 } })
      await new Promise((resolve) => setImmediate(resolve))
      notify({ method: 'notifications/progress', params: { progress: 2 } })
      return { done: true }
    })
    const response = await call(LIST)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const events = await allOf(response)
    expect(events.map((event) => messageOf(event).params?.progress ?? messageOf(event).result)).toEqual([
      1,
      2,
      { done: true },
    ])
    expect(events.every(({ id }) => id === undefined)).toBe(true)
  })

  test('ignores a session id', async () => {
    const { call } = await modern()
    expect((await call(LIST, { 'mcp-session-id': 'nobody' })).status).toBe(200)
  })

  test.each([
    [404, -32_601],
    [400, -32_020],
    [400, -32_021],
    [400, -32_022],
    [200, -32_602],
    [200, -32_603],
    [200, -32_000],
  ])('that fails has the status %i for %i', async (status, code) => {
    const { call } = await modern(async () => {
      throw new RpcError(code, 'no', { why: 'because' })
    })
    const response = await call(LIST)
    expect(response.status).toBe(status)
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code, message: 'no', data: { why: 'because' } },
    })
  })

  test('is aborted when its client closes the stream', async () => {
    const aborted = deferred()
    const { call } = await modern((_, { signal, notify }) => {
      signal.addEventListener('abort', () => aborted.resolve())
      notify({ method: 'notifications/subscriptions/acknowledged' })
      return new Promise(() => {})
    })
    const stream = eventsOf(await call({ method: 'subscriptions/listen' }))
    expect(messageOf((await stream.next()).value as never).method).toBe(
      'notifications/subscriptions/acknowledged',
    )
    await stream.return(undefined)
    await aborted.promise
  })

  test('is aborted when its client disconnects before the answer begins', async () => {
    const requester = deferred<Requester>()
    const { url, seen } = await modern((_: Request, which) => {
      requester.resolve(which)
      return new Promise(() => {})
    })
    const controller = new AbortController()
    const sent = fetch(url, {
      method: 'POST',
      signal: controller.signal,
      headers: { 'content-type': 'application/json', 'mcp-protocol-version': VERSION, 'mcp-method': 'x' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x', params: { _meta: META } }),
    })
    const { signal } = await requester.promise
    expect(signal.aborted).toBe(false)
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve))
    controller.abort()
    await Promise.allSettled([sent])
    await aborted
    expect(seen[0]?.signal.aborted).toBe(true)
  })

  test.each([false, true])('has a large answer byte for byte (in a stream: %s)', async (streamed) => {
    const text = `{"a":[\n${'"line",\r\n'.repeat(100_000)}1]}`
    const bytes = new Uint8Array(new SharedArrayBuffer(text.length))
    bytes.set(Buffer.from(text))
    const { call } = await modern(async (_, { notify }) => {
      if (streamed) notify({ method: 'notifications/message' })
      return new LargeResult(bytes)
    })
    const response = await call(LIST)
    const body = streamed ? (await allOf(response))[1]?.data : await response.text()
    const expected = streamed ? text.replaceAll(/[\r\n]/g, ' ') : text
    expect(body === `{"jsonrpc":"2.0","id":1,"result":${expected}}`).toBe(true)
    expect(Buffer.from(bytes).toString() === text).toBe(true)
  })
})

describe('headers of a modern request', () => {
  const call = (params: Record<string, unknown> = {}): Message => ({
    method: 'tools/call',
    params: { name: 'tool', ...params },
  })

  test.each<[string, Message, Record<string, string>]>([
    ['another version', LIST, { 'mcp-protocol-version': '2026-07-29' }],
    ['another method', LIST, { 'mcp-method': 'prompts/list' }],
    ['the method in capitals', LIST, { 'mcp-method': 'TOOLS/LIST' }],
    ['another name', call(), { 'mcp-name': 'other' }],
    ['a name that is no Base64', call(), { 'mcp-name': '=?base64?SGVsbG8?=' }],
    ['no parameter', call({ name: 'regional', arguments: { region: 'eu' } }), {}],
    [
      'another parameter',
      call({ name: 'regional', arguments: { region: 'eu' } }),
      { 'mcp-param-region': 'us' },
    ],
  ])('that say %s are refused', async (_, message, headers) => {
    const { call, seen } = await modern()
    expect(await errorOf(await call(message, headers))).toEqual([400, 1, -32_020])
    expect(seen).toEqual([])
  })

  test.each(['mcp-protocol-version', 'mcp-method', 'mcp-name'])('must have %s', async (missing) => {
    const { post, seen } = await modern()
    const headers: Record<string, string> = {
      'mcp-protocol-version': VERSION,
      'mcp-method': 'tools/call',
      'mcp-name': 'tool',
    }
    delete headers[missing]
    const response = await post({ id: 1, ...call({ _meta: META }) }, headers)
    expect(await errorOf(response)).toEqual([400, 1, -32_020])
    expect(seen).toEqual([])
  })

  test.each<[Message, Record<string, string>]>([
    [call(), { 'mcp-name': '  tool\t' }],
    [call(), { 'mcp-name': '=?base64?dG9vbA==?=' }],
    [call({ name: 'grün' }), { 'mcp-name': '=?base64?Z3LDvG4=?=' }],
    [call({ name: 'regional', arguments: { region: 'eu' } }), { 'MCP-PARAM-REGION': 'eu' }],
    [call({ name: 'regional', arguments: {} }), {}],
  ])('may be spelled in other ways (%#)', async (message, headers) => {
    const { call } = await modern()
    expect((await call(message, { 'mcp-name': String(message.params?.name), ...headers })).status).toBe(200)
  })

  test.each<[unknown, number, string]>([
    [undefined, -32_602, VERSION],
    [{ 'io.modelcontextprotocol/clientCapabilities': {} }, -32_602, VERSION],
    [{ 'io.modelcontextprotocol/protocolVersion': VERSION }, -32_602, VERSION],
    [{ ...META, 'io.modelcontextprotocol/protocolVersion': 7 }, -32_602, VERSION],
    [{ ...META, 'io.modelcontextprotocol/protocolVersion': 'v999' }, -32_022, 'v999'],
    [{ ...META, 'io.modelcontextprotocol/protocolVersion': 'v999' }, -32_020, VERSION],
    [{ ...META, 'io.modelcontextprotocol/protocolVersion': '2025-11-25' }, -32_022, '2025-11-25'],
  ])('and the envelope %j gives %i', async (meta, code, version) => {
    const { post } = await modern()
    const headers = { 'mcp-protocol-version': version, 'mcp-method': 'tools/list' }
    const response = await post({ id: 'x', method: 'tools/list', params: { _meta: meta } }, headers)
    expect(await errorOf(response)).toEqual([400, 'x', code])
  })
})

describe('at one address with the legacy era', () => {
  test('GET and DELETE are not for modern clients', async () => {
    const { send } = await modern()
    for (const method of ['GET', 'DELETE']) {
      const response = await send(method, { 'mcp-protocol-version': VERSION })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
    }
  })

  test('a modern notification is taken, an answer belongs to no session', async () => {
    const { post } = await modern()
    const header = { 'mcp-protocol-version': VERSION }
    expect((await post({ method: 'notifications/x', params: { _meta: META } })).status).toBe(202)
    expect((await post({ method: 'notifications/x' }, header)).status).toBe(202)
    expect((await post({ method: 'notifications/x' }, { ...header, 'mcp-method': 'y' })).status).toBe(400)
    expect((await post({ id: 1, result: {} }, header)).status).toBe(400)
  })

  test('initialize is the legacy handshake, unless its body claims a modern revision', async () => {
    const { post, open, call, seen } = await modern()
    const session = await open()
    expect((await post({ id: 1, method: 'ping' }, session)).status).toBe(200)
    expect(seen).toEqual([])
    const initialize = { id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } }
    expect(await errorOf(await post(initialize, { 'mcp-protocol-version': VERSION }))).toEqual([
      400, 1, -32_020,
    ])
    await call({ method: 'initialize' })
    expect(seen).toHaveLength(1)
  })

  test('answers with the supported versions when the modern era is off', async () => {
    const { post } = await served()
    const response = await post({ id: 1, method: 'tools/list', params: { _meta: META } })
    expect(response.status).toBe(400)
    expect(((await response.json()) as Message).error).toMatchObject({
      code: -32_022,
      data: { requested: VERSION, supported: expect.arrayContaining(['2025-11-25']) },
    })
  })
})
