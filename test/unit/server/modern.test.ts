import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { LargeResult } from '../../../src/protocol/content.ts'
import { ProxyError, RpcError } from '../../../src/protocol/errors.ts'
import type { Client } from '../../../src/protocol/exchange.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import type { Envelope } from '../../../src/server/envelope.ts'
import {
  createModernClients,
  findMember,
  toModernError,
  toModernResult,
  withMembers,
} from '../../../src/server/modern.ts'
import { soundKeys } from '../../support/keys.ts'
import { envelope, LOCAL, OURS, world } from './support.ts'

const SERVER = 'io.modelcontextprotocol/serverInfo'
const LEVEL = 'io.modelcontextprotocol/logLevel'

describe('requests of the modern era', () => {
  test('go into the onion as they came, and come back complete', async () => {
    const { ask, exchanges, opened } = world(() => ({ content: [] }))
    const params = { name: 'x', inputResponses: { a: { action: 'accept' } }, requestState: 'opaque' }
    expect(await ask('tools/call', params, { meta: { progressToken: 'mine' } }).result).toEqual({
      content: [],
      resultType: 'complete',
      _meta: { [SERVER]: OURS },
    })
    const [exchange] = exchanges
    expect(exchange?.params).toEqual({ ...params, _meta: envelope({ progressToken: 'mine' }) })
    expect(exchange?.agent).toBe(LOCAL)
    expect(exchange?.client).toBe(opened[0])
    expect(exchange).not.toHaveProperty('ask')
  })

  test('without an envelope, or of another revision, are refused before the onion', async () => {
    const { service, exchanges } = world()
    const requester = { agent: LOCAL, id: 1, signal: new AbortController().signal, notify: () => {} }
    await expect(service.serve({ method: 'tools/list' }, requester)).rejects.toMatchObject({ code: -32602 })
    const _meta = envelope({ 'io.modelcontextprotocol/protocolVersion': '2027-01-01' })
    await expect(service.serve({ method: 'initialize', params: { _meta } }, requester)).rejects.toMatchObject(
      { code: -32022, data: { supported: ['2026-07-28'], requested: '2027-01-01' } },
    )
    await expect(service.toolSchema('x', { method: 'tools/call' }, requester)).rejects.toMatchObject({
      code: -32602,
    })
    expect(exchanges).toEqual([])
  })

  test.each([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'tasks/get',
    'tasks/list',
    'tasks/result',
    'tasks/cancel',
    'sampling/createMessage',
  ])('%s is no method of it', async (method) => {
    const { ask, exchanges } = world()
    await expect(ask(method).result).rejects.toMatchObject({ code: -32601 })
    expect(exchanges).toEqual([])
  })

  test.each(['prompts/get', 'completion/complete', 'acme/extension', 'tasks/update'])(
    '%s is for the router to answer',
    async (method) => {
      const { ask, exchanges } = world()
      await ask(method).result
      expect(exchanges.map((exchange) => exchange.method)).toEqual([method])
    },
  )

  test('of an extension that took an old name over pass for clients that have it', async () => {
    const { ask } = world(() => ({ status: 'working' }))
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
    const meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities }
    expect(await ask('tasks/get', {}, { meta }).result).toMatchObject({ status: 'working' })
    await expect(ask('tasks/result', {}, { meta }).result).rejects.toMatchObject({ code: -32601 })
  })

  test('fail with errors of the wire and nothing else', async () => {
    const errors: Error[] = [
      new RpcError(-32002, 'no such resource'),
      new ProxyError('UPSTREAM_TIMEOUT', 'slow', 'wait'),
      new TypeError('a mistake'),
    ]
    const { ask } = world(() => Promise.reject(errors.shift() ?? new Error('none left')))
    const read = (): Promise<unknown> => ask('resources/read', { uri: 'a:b' }).result
    await expect(read()).rejects.toMatchObject({ code: -32602, data: { uri: 'a:b' } })
    await expect(read()).rejects.toMatchObject({ code: -32001 })
    await expect(read()).rejects.toBeInstanceOf(RpcError)
  })
})

describe('messages during a request', () => {
  const SAID = [
    { method: 'notifications/progress', params: { progressToken: 'mine', progress: 1 } },
    { method: 'notifications/message', params: { level: 'info', data: 'i' } },
    { method: 'notifications/message', params: { level: 'warning', data: 'w' } },
    { method: 'notifications/message', params: { level: 'critical', data: 'c' } },
    { method: 'notifications/message', params: { level: 'acme', data: 'a' } },
    { method: 'notifications/tools/list_changed' },
    { method: 'notifications/acme', params: {} },
  ]

  async function heard(meta: JsonObject): Promise<unknown[]> {
    const { ask } = world((exchange) => {
      for (const notification of SAID) exchange.notify(notification)
      return {}
    })
    const asking = ask('tools/call', {}, { meta })
    await asking.result
    return asking.told.map(({ method, params }) => params?.data ?? method)
  }

  test('contain progress, but no log messages unless requested', async () => {
    expect(await heard({})).toEqual(['notifications/progress', 'notifications/acme'])
  })

  test('contain log messages from the requested level', async () => {
    expect(await heard({ [LEVEL]: 'warning' })).toEqual([
      'notifications/progress',
      'w',
      'c',
      'a',
      'notifications/acme',
    ])
  })
})

describe('server/discover', () => {
  test('gives versions and capabilities without reaching the onion', async () => {
    const { ask, opened } = world(undefined, { tools: { listChanged: true }, logging: {} })
    expect(await ask('server/discover').result).toEqual({
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: { listChanged: true }, logging: {} },
      instructions: 'how to',
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { [SERVER]: OURS },
    })
    expect(opened).toEqual([])
  })
})

describe('schemas of tools', () => {
  const schema = { type: 'object', properties: { x: { type: 'string' } } }

  function tooled() {
    const its = world(() => ({ tools: [{ name: 'a', inputSchema: schema }, 7, { name: 'bare' }] }))
    const requester = { agent: LOCAL, id: 1, signal: new AbortController().signal, notify: () => {} }
    const schemaOf = (name: string): Promise<JsonObject | undefined> =>
      its.service.toolSchema(name, { method: 'tools/call', params: { name, _meta: envelope() } }, requester)
    return { ...its, schemaOf }
  }

  test('come from the list, which is fetched once', async () => {
    const { schemaOf, exchanges } = tooled()
    expect(await schemaOf('a')).toEqual(schema)
    expect(await schemaOf('bare')).toEqual({})
    expect(await schemaOf('none')).toBeUndefined()
    expect(await schemaOf('constructor')).toBeUndefined()
    expect(exchanges.map(({ method }) => method)).toEqual(['tools/list'])
  })

  test('are known from the list the client was given, until it changes', async () => {
    const { ask, schemaOf, exchanges, audience } = tooled()
    await ask('tools/list').result
    expect(await schemaOf('a')).toEqual(schema)
    expect(exchanges).toHaveLength(1)
    audience.announce('prompts', () => true)
    await schemaOf('a')
    expect(exchanges).toHaveLength(1)
    audience.announce('tools', () => true)
    await schemaOf('a')
    expect(exchanges).toHaveLength(2)
  })
})

const MINUTE = 60_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function known() {
  const opened: Client[] = []
  const closed: Client[] = []
  const clients = createModernClients({
    now: Date.now,
    notify: () => {},
    opened: (client) => opened.push(client),
    closed: (client) => closed.push(client),
  })
  onTestFinished(() => clients.close())
  const saying = (name: string, capabilities = {}): Envelope => ({
    protocolVersion: '2026-07-28',
    info: { name },
    capabilities,
    logLevel: undefined,
    via: [],
  })
  return { clients, opened, closed, saying }
}

describe('clients without a session', () => {
  test('are one when they say the same of themselves', async () => {
    const { clients, opened, saying } = known()
    const one = clients.use(LOCAL, saying('a'))
    const { client } = clients.use(LOCAL, { ...saying('a'), logLevel: 'debug' })
    expect(client).toBe(one.client)
    expect(opened).toEqual([client])
    expect(client).toMatchObject({
      era: 'modern',
      agent: LOCAL,
      info: { name: 'a' },
      protocolVersion: '2026-07-28',
    })
    await expect(client.ask({ method: 'roots/list' })).rejects.toMatchObject({ code: -32601 })
  })

  test('listen while they have a request or a subscription under way', () => {
    const { clients, saying } = known()
    const principal = { id: 'somebody', kind: 'principal' } as const
    const lease = clients.use(principal, saying('a'))
    clients.use(principal, saying('a'))
    clients.rest(lease)
    expect(lease.client.isListening?.()).toBe(true)
    clients.rest(lease)
    expect(lease.client.isListening?.()).toBe(false)
    // The end of its input tells when the local client leaves.
    expect(clients.use(LOCAL, saying('a')).client.isListening).toBeUndefined()
  })

  test('are others when anything differs', () => {
    const { clients, opened, saying } = known()
    clients.use(LOCAL, saying('a'))
    clients.use(LOCAL, saying('b'))
    clients.use(LOCAL, saying('a', { sampling: {} }))
    clients.use({ id: 'somebody', kind: 'principal' }, saying('a'))
    clients.use({ id: 'local', kind: 'principal' }, saying('a'))
    expect(new Set(opened.map(({ id }) => id)).size).toBe(5)
    expect(opened.every(({ id }) => /^modern:[0-9a-f]{32}$/.test(id))).toBe(true)
  })

  test('are given up after half an hour of silence, and met again as new', () => {
    const { clients, opened, closed, saying } = known()
    const silent = clients.use(LOCAL, saying('a'))
    clients.rest(silent)
    vi.advanceTimersByTime(29 * MINUTE)
    clients.rest(clients.use(LOCAL, saying('a')))
    vi.advanceTimersByTime(29 * MINUTE)
    expect(closed).toEqual([])
    vi.advanceTimersByTime(2 * MINUTE)
    expect(closed).toEqual([silent.client])
    const again = clients.use(LOCAL, saying('a'))
    expect(opened).toEqual([silent.client, again.client])
    expect(again.client.id).toBe(silent.client.id)
  })

  test('stay while something of theirs is under way', () => {
    const { clients, closed, saying } = known()
    const lease = clients.use(LOCAL, saying('a'))
    vi.advanceTimersByTime(60 * MINUTE)
    expect(closed).toEqual([])
    clients.rest(lease)
    vi.advanceTimersByTime(31 * MINUTE)
    expect(closed).toHaveLength(1)
  })

  test('are bounded: the longest idle is dropped, never one with a running request', () => {
    const { clients, closed, saying } = known()
    clients.use(LOCAL, saying('waits'))
    for (let n = 0; n < 1000; n++) {
      clients.rest(clients.use(LOCAL, saying(`idle ${n}`)))
      clients.rest(clients.use(LOCAL, saying('idle 0')))
    }
    expect(closed.map(({ info }) => info.name)).toEqual(['idle 1'])
  })

  test('cannot fill memory with long names and capabilities', () => {
    const { clients, closed, saying } = known()
    for (let n = 0; n < 20; n++)
      clients.rest(clients.use(LOCAL, saying(`${n}`, { x: 'x'.repeat(1024 * 1024) })))
    expect(closed.length).toBeGreaterThan(0)
    expect(closed.length).toBeLessThan(10)
  })

  test('all leave when it closes', () => {
    const { clients, closed, saying } = known()
    clients.use(LOCAL, saying('a'))
    clients.close()
    expect(closed).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })
})

const NAME = 'resultType'

describe('members of bytes', () => {
  test('are found at the top, and nowhere else', () => {
    const top = Buffer.from('{"a":["resultType",{"resultType":1}],"b":"x\\"resultType","resultType" : "x"}')
    expect(top.subarray(findMember(top, NAME)).toString()).toBe('"x"}')
    for (const json of [
      '{"a":{"resultType":1}}',
      '{"a":"\\"resultType\\":1"}',
      '{"a":"b\\\\\\"resultType","c":"resultType"}',
      '{"a":["resultType"]}',
      '{}',
      '{"a":"resultType',
    ])
      expect(findMember(Buffer.from(json), NAME), json).toBeUndefined()
  })

  test('finds the same members as JSON.parse, for any object', () => {
    const key = fc.oneof(fc.constant(NAME), fc.constant(`"${NAME}":`), fc.string())
    const value = soundKeys(fc.jsonValue({ maxDepth: 3 }))
    const object = soundKeys(
      fc.dictionary(key, fc.oneof(value, key, fc.dictionary(key, value)), {
        noNullPrototype: true,
      }),
    )
    fc.assert(
      fc.property(object, fc.constantFrom(undefined, 1, '\t'), (holder, indent) => {
        const json = Buffer.from(JSON.stringify(holder, undefined, indent))
        const at = findMember(json, NAME)
        expect(at !== undefined).toBe(Object.hasOwn(holder, NAME))
        if (at === undefined) return
        const value = JSON.stringify(holder[NAME], undefined, indent)
        // Further lines of a value are indented deeper inside of the object.
        expect(
          json
            .subarray(at)
            .toString()
            .startsWith(value.split('\n')[0] ?? ''),
        ).toBe(true)
      }),
    )
  })

  test('put in front, nothing else changes', () => {
    const object = soundKeys(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }))
    fc.assert(
      fc.property(object, fc.constantFrom(undefined, 2), (holder, indent) => {
        const json = JSON.stringify(holder, undefined, indent)
        const bytes = withMembers(Buffer.from(json), ['"added":1', '"more":{}'])
        const text = Buffer.from(bytes).toString()
        expect(text.endsWith(json.slice(1))).toBe(true)
        expect(JSON.parse(text)).toEqual({ added: 1, more: {}, ...JSON.parse(json) })
      }),
    )
  })
})

function large(json: string): LargeResult {
  const bytes = new Uint8Array(new SharedArrayBuffer(Buffer.byteLength(json)))
  bytes.set(Buffer.from(json))
  return new LargeResult(bytes)
}

const written = (method: string, json: string): string =>
  Buffer.from((toModernResult(method, large(json), OURS) as LargeResult).bytes).toString()

describe('results of the modern era', () => {
  test('get the required members that are missing', () => {
    expect(toModernResult('tools/call', { content: [], _meta: { mine: 1 } }, OURS)).toEqual({
      content: [],
      resultType: 'complete',
      _meta: { mine: 1, [SERVER]: OURS },
    })
  })

  test.each(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'resources/read'])(
    '%s says how long it may be kept',
    (method) => {
      expect(toModernResult(method, {}, OURS)).toMatchObject({ ttlMs: 0, cacheScope: 'private' })
      const kept = { ttlMs: 60_000, cacheScope: 'public' }
      expect(toModernResult(method, kept, OURS)).toMatchObject(kept)
      for (const ttlMs of [-1, 1.5, '5', null, 2 ** 60])
        expect(toModernResult(method, { ttlMs, cacheScope: 'everybody' }, OURS)).toMatchObject({
          ttlMs: 0,
          cacheScope: 'private',
        })
    },
  )

  test('of other methods do not', () => {
    expect(toModernResult('tools/call', {}, OURS)).not.toHaveProperty('ttlMs')
    expect(toModernResult('prompts/get', {}, OURS)).not.toHaveProperty('cacheScope')
  })

  test('that say it all pass as they are', () => {
    const complete = { resultType: 'complete', _meta: { [SERVER]: { name: 'theirs', version: '2' } } }
    expect(toModernResult('tools/call', complete, OURS)).toBe(complete)
    for (const resultType of ['input_required', 'task']) {
      const open = { resultType, requestState: 'x' }
      expect(toModernResult('resources/read', open, OURS)).toBe(open)
    }
  })

  test('a `_meta` that is no object is left alone', () => {
    expect(toModernResult('tools/call', { _meta: 'odd' }, OURS)).toEqual({
      _meta: 'odd',
      resultType: 'complete',
    })
  })

  test('names of members are data', () => {
    const result = toModernResult(
      'x',
      JSON.parse('{"__proto__":{"resultType":"complete"}}'),
      OURS,
    ) as JsonObject
    expect(Object.keys(result)).toEqual(['__proto__', 'resultType', '_meta'])
  })
})

describe('large results', () => {
  const body = '{"contents" : [ {"uri":"a:b","text":"\\"resultType\\": 12345678901234567890"} ]}'

  test('get it without being parsed: every byte of theirs stays', () => {
    const text = written('resources/read', body)
    expect(text.endsWith(body.slice(1))).toBe(true)
    const { contents: _, ...added } = JSON.parse(text)
    expect(added).toEqual({
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { [SERVER]: OURS },
    })
  })

  test('are not told twice', () => {
    const whole = '{"resultType":"complete","content":[],"_meta":{}}'
    expect(written('tools/call', whole)).toBe(whole)
    const hinted = JSON.parse(written('resources/read', '{"contents":[],"ttlMs":7,"_meta":{"a":1}}'))
    expect(hinted).toEqual({
      contents: [],
      resultType: 'complete',
      ttlMs: 7,
      cacheScope: 'private',
      _meta: { a: 1 },
    })
  })

  test('that ask for input pass as they are', () => {
    const asking = large('{"inputRequests":{},"resultType": "input_required"}')
    expect(toModernResult('tools/call', asking, OURS)).toBe(asking)
  })
})

describe('a resource that is not there', () => {
  test('has the code of this era, and names the URI', () => {
    const error = toModernError('resources/read', { uri: 'a:b' }, new RpcError(-32002, 'gone'))
    expect(error.toJSON()).toEqual({ code: -32602, message: 'gone', data: { uri: 'a:b' } })
  })

  test('keeps the message and data of the server', () => {
    const data = { uri: 'theirs:b', reason: 'moved' }
    expect(toModernError('resources/read', { uri: 'a:b' }, new RpcError(-32002, 'gone', data)).data).toEqual(
      data,
    )
    expect(toModernError('resources/read', {}, new RpcError(-32002, 'gone', 'why')).data).toBe('why')
  })

  test('is nothing else', () => {
    for (const [method, code] of [
      ['tools/call', -32002],
      ['resources/read', -32601],
    ] as const) {
      const error = new RpcError(code, 'x')
      expect(toModernError(method, {}, error)).toBe(error)
    }
  })
})
