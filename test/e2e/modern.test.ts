/** The modern era over standard input and output: a client of the SDK, and one that shows every message. */
import type { McpSubscription } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { stdioServer } from '../support/upstream.ts'
import { startLineClient } from './support/line-client.ts'
import { fixture, handleOf, type RunningProxy, startProxy, type ToolResult, textOf } from './support/world.ts'

const MODES = [{ pin: '2026-07-28' }, 'auto'] as const
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'lines', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const SERVER = 'io.modelcontextprotocol/serverInfo'
const legacy = (capabilities: object = { tools: { listChanged: true }, resources: { subscribe: true } }) =>
  stdioServer({ capabilities } as never)

function modernProxy(servers: Record<string, object>, mode: (typeof MODES)[number] = MODES[0]) {
  return startProxy({ servers, client: { versionNegotiation: { mode } } })
}

describe('a client of the modern era', () => {
  test.each(MODES)(
    'that negotiates %j has all tools, shaped results and questions about them',
    async (mode) => {
      const { client, call, text } = await modernProxy({ one: fixture('one'), two: fixture('two') }, mode)
      expect(client.getServerVersion()).toMatchObject({ name: 'mcp-rlm-proxy' })
      const names = (await client.listTools()).tools.map(({ name }) => name)
      expect(names).toEqual(expect.arrayContaining(['proxy_filter', 'one_text', 'two_text']))
      expect(await text('two_text', { size: 5 })).toBe('aaaaa')
      const shaped = await call('one_records', { count: 500 })
      const question = { cache_id: handleOf(shaped), where: ['id < 2'], fields: ['id'] }
      expect(await text('proxy_filter', question)).toContain('2 of 500 records')
      await expect(call('one_nothing')).rejects.toMatchObject({ code: -32602 })
    },
  )

  test('hears of progress', async () => {
    const { client, call } = await modernProxy({ one: fixture('one') })
    const steps: number[] = []
    const onprogress = ({ progress }: { progress: number }): void => void steps.push(progress)
    const slow = client.callTool({ name: 'one_slow', arguments: { ms: 40, held: true } }, { onprogress })
    await expect.poll(() => steps).toEqual([1, 2, 3, 4])
    await call('one_calls')
    await slow
  })

  test('hears of the changes it listens for, until the proxy ends', async () => {
    const proxy = await modernProxy({ one: legacy() })
    const changes = recorded(proxy)
    await proxy.client.listTools()
    const { honoredFilter, closed } = await listen(proxy)
    expect(honoredFilter).toEqual({ toolsListChanged: true, resourceSubscriptions: ['file:///a'] })
    await proxy.call('one_grow', { name: 'later' })
    await expect.poll(() => changes).toEqual(['tools'])
    expect((await proxy.client.listTools()).tools.map(({ name }) => name)).toContain('one_later')
    for (const uri of ['file:///other', 'file:///a'])
      await proxy.call('one_note', { method: 'notifications/resources/updated', params: { uri } })
    await expect.poll(() => changes).toEqual(['tools', 'file:///a'])
    process.kill(proxy.transport.pid ?? 0, 'SIGTERM')
    expect(await closed).toBe('graceful')
  })

  test('gets no notifications after it unsubscribes', async () => {
    const proxy = await modernProxy({ one: legacy() })
    const changes = recorded(proxy)
    await proxy.client.listTools()
    const first = await listen(proxy)
    await first.close()
    expect(await first.closed).toBe('local')
    await proxy.call('one_grow', { name: 'unheard' })
    expect((await proxy.client.listTools()).tools.map(({ name }) => name)).toContain('one_unheard')
    await listen(proxy)
    await proxy.call('one_grow', { name: 'heard' })
    await expect.poll(() => changes).toEqual(['tools'])
  })
})

describe('on the wire', () => {
  const ask = (method: string, params: object = {}, meta: object = {}) =>
    [method, { ...params, _meta: { ...ENVELOPE, ...meta } }] as const

  test('every result has its type, its lifetime and its cache scope', async () => {
    const client = startLineClient({ servers: { one: fixture('one') } })
    const serverInfo = { name: 'mcp-rlm-proxy', title: 'MCP RLM Proxy', version: expect.any(String) }
    const complete = { resultType: 'complete', _meta: { [SERVER]: serverInfo } }
    const kept = {
      ...complete,
      ttlMs: expect.any(Number),
      cacheScope: expect.stringMatching(/^(public|private)$/),
    }
    expect(await client.request(...ask('server/discover'))).toMatchObject({
      ...kept,
      supportedVersions: ['2026-07-28'],
      instructions: expect.stringContaining('proxy_filter'),
    })
    expect(await client.request(...ask('tools/list'))).toMatchObject({ ...kept, tools: expect.any(Array) })
    for (const list of ['prompts/list', 'resources/list', 'resources/templates/list'])
      expect(await client.request(...ask(list)), list).toMatchObject(kept)
    const call = { name: 'one_text', arguments: { size: 1 } }
    expect(await client.request(...ask('tools/call', call))).toMatchObject({
      ...complete,
      content: [{ type: 'text', text: 'a' }],
    })
    expect(client.strays).toEqual([])
  })

  test('a large result that is passed on whole is complete as well', async () => {
    const settings = { enableAutoTruncation: false }
    const client = startLineClient({ servers: { one: fixture('one') }, settings })
    const call = { name: 'one_big', arguments: { bytes: 2_000_000 } }
    const result = await client.request(...ask('tools/call', call))
    expect(result).toMatchObject({ resultType: 'complete', _meta: { [SERVER]: { name: 'mcp-rlm-proxy' } } })
    expect(textOf(result as unknown as ToolResult)).toHaveLength(2_000_000)
  })

  test('log messages reach only the client that requested them', async () => {
    const client = startLineClient({ servers: { one: stdioServer() } })
    const call = { name: 'one_log', arguments: { data: 'hello' } }
    await client.request(...ask('tools/call', call))
    expect(client.notifications).toEqual([])
    await client.request(...ask('tools/call', call, { 'io.modelcontextprotocol/logLevel': 'info' }))
    expect(client.notifications).toEqual(['notifications/message'])
  })

  test('a connection is of one era', async () => {
    const client = startLineClient({ servers: { one: fixture('one') } })
    await client.request(...ask('server/discover'))
    await client.request(...ask('tools/list'))
    await expect(client.open()).rejects.toMatchObject({ code: -32022 })
    await expect(client.request('tools/list')).rejects.toMatchObject({ code: -32602 })
    await expect(client.request(...ask('ping'))).rejects.toMatchObject({ code: -32601 })
    const unspoken = { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }
    await expect(client.request(...ask('tools/list', {}, unspoken))).rejects.toMatchObject({ code: -32022 })
  })

  test('a client may still send initialize after server/discover', async () => {
    const client = startLineClient({ servers: { one: fixture('one') } })
    await client.request(...ask('server/discover'))
    expect(await client.open()).toMatchObject({ protocolVersion: '2025-11-25' })
    expect(await client.request('ping')).toEqual({})
    expect(await client.request('tools/list')).not.toHaveProperty('resultType')
  })

  test('server/discover connects to no server', async () => {
    const client = startLineClient({ servers: { one: fixture('one') }, args: ['--log-level', 'debug'] })
    await client.request(...ask('server/discover'))
    await client.request(...ask('server/discover'))
    expect(client.stderr()).not.toContain('client connected')
    await client.request(...ask('tools/list'))
    await expect.poll(() => client.stderr()).toContain('client connected')
  })
})

function listen({ client }: RunningProxy): Promise<McpSubscription> {
  return client.listen({ toolsListChanged: true, resourceSubscriptions: ['file:///a'] })
}

/** The changes that the client hears of: `tools`, or the URI of a resource. */
function recorded({ client }: RunningProxy): string[] {
  const changes: string[] = []
  client.setNotificationHandler('notifications/tools/list_changed', () => void changes.push('tools'))
  client.setNotificationHandler(
    'notifications/resources/updated',
    ({ params }) => void changes.push(params.uri),
  )
  return changes
}
