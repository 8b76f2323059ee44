import { describe, expect, test } from 'vitest'
import { ProxyError, RpcError } from '../../../src/protocol/errors.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { envelope, LOCAL, OURS, world } from '../downstream/modern/support.ts'

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

  test('without an envelope, or of another revision, reach nobody', async () => {
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

describe('what is said while a request runs', () => {
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

  test('is progress, and no log messages that nobody asked for', async () => {
    expect(await heard({})).toEqual(['notifications/progress', 'notifications/acme'])
  })

  test('is log messages from the level on that was asked for', async () => {
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
  test('says what is spoken and what there is, and meets nobody', async () => {
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

  test('are those of the list, asked for once', async () => {
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
