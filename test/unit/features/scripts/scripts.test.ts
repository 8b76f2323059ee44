import { describe, expect, onTestFinished, test } from 'vitest'
import { BridgeError, type BridgeOptions, createBridge } from '../../../../src/features/scripts/scripts.ts'
import { LargeResult, type Result } from '../../../../src/protocol/content.ts'
import { ProxyError, RPC, RpcError } from '../../../../src/protocol/errors.ts'
import type { Agent, Exchange } from '../../../../src/protocol/exchange.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { withOrigin } from '../../../../src/protocol/origin.ts'
import { compose } from '../../../../src/proxy/layers.ts'
import { createMemoryStore } from '../../../../src/store/memory.ts'
import { createResultStore } from '../../../../src/store/result-store.ts'
import { RESULT_STORE_DEFAULTS } from '../../../support/defaults.ts'
import { client } from '../../../support/upstream.ts'
import { verifies } from '../../../support/verifies.ts'

const tool = (server: string, name: string, more: JsonObject = {}): JsonObject =>
  withOrigin({ name: `${server}_${name}`, inputSchema: { type: 'object' }, ...more }, { server, name })

const TOOLS = [
  tool('files', 'read', { description: 'Reads a file.', annotations: { readOnlyHint: true } }),
  tool('files', 'write', { description: 'Writes a file.' }),
  tool('notes', 'read', { description: 'Reads a note.', annotations: { readOnlyHint: true } }),
  tool('notes', 'clock', { description: 'What time it is.', annotations: { readOnlyHint: true } }),
  { name: 'proxy_filter', annotations: { readOnlyHint: true } },
]

const answer = new AbortController().signal
const text = (value: string): JsonObject => ({ content: [{ type: 'text', text: value }] })

function world(changes: Partial<BridgeOptions> & { call?: (exchange: Exchange) => Result } = {}) {
  const { call = ({ params }) => text(JSON.stringify(params.arguments)), ...rest } = changes
  let time = 1_000
  const resultStore = createResultStore({
    ...RESULT_STORE_DEFAULTS,
    memory: createMemoryStore(),
    now: () => time,
    onDrop() {},
    onError() {},
  })
  onTestFinished(() => resultStore.close())
  const asked: Exchange[] = []
  const agent: Agent = { id: 'scripts', kind: 'principal' }
  const bridge = createBridge({
    ...compose([], async (exchange) => {
      if (exchange.method === 'tools/list') return { tools: TOOLS }
      asked.push(exchange)
      return call(exchange)
    }),
    agent,
    as: (run) => run({ ...client(), agent }),
    left() {},
    connections: () => [
      { server: 'files', id: '1', descriptor: () => ({}) },
      { server: 'notes', id: '2', descriptor: () => ({}), lastError: 'it was away' },
    ],
    ownTools: new Set(['proxy_filter']),
    engine: {
      export: async (content: Uint8Array) => ({
        content,
        format: 'text',
        tokens: 1,
        preview: '',
      }),
      fill: async (_: unknown, { found }: { found: { wanted: { path: string } }[] }) =>
        found[0]?.wanted.path === '$.a'
          ? { args: { part: [1] }, written: [] }
          : { error: `nothing at ${found[0]?.wanted.path}` },
    } as unknown as BridgeOptions['engine'],
    resultStore,
    tools: [],
    inlineBytes: 100,
    ttl: 600_000,
    now: () => time,
    ...rest,
  })
  const ask = (action: Parameters<typeof bridge.answer>[0], params: JsonObject = {}) =>
    bridge.answer(action, params, answer)
  const code = async (asking: Promise<unknown>): Promise<string> => {
    const error = await asking.then(
      () => expect.unreachable('it was answered'),
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(BridgeError)
    return `${(error as BridgeError).status} ${(error as BridgeError).message}`
  }
  const fetched = async (id: unknown, path?: string, payload = false): Promise<string> => {
    const { bytes } = await bridge.result(String(id), { path, payload }, answer)
    return Buffer.from(bytes).toString()
  }
  return {
    ask,
    code,
    fetched,
    asked,
    resultStore,
    wait(ms: number) {
      time += ms
    },
  }
}

const namesIn = (told: JsonObject): unknown[] =>
  (told.connections as JsonObject[]).map(({ name, tools }) => [
    name,
    (tools as JsonObject[])?.map((one) => one.name),
  ])

describe('which tools there are', () => {
  verifies('S4.54', 'permits read-only tools when no list is configured', async () => {
    const { ask, code } = world()
    expect(namesIn(await ask('list'))).toEqual([
      ['files', ['read']],
      ['notes', ['read', 'clock']],
    ])
    expect(await code(ask('call', { tool: 'write' }))).toMatch(/^403 files_write is not for scripts/)
    expect(await code(ask('call', { tool: 'files_write' }))).toMatch(/^403 /)
    expect((await ask('search', { query: 'write a file' })).tools).not.toContainEqual(
      expect.objectContaining({ name: 'write' }),
    )
  })

  verifies('S4.54', 'an allow list: names as clients see them, or of a server; nothing else', async () => {
    const { ask, code } = world({ tools: ['files_*', 'notes/clock'] })
    expect(namesIn(await ask('list'))).toEqual([
      ['files', ['read', 'write']],
      ['notes', ['clock']],
    ])
    expect(await ask('call', { tool: 'write', arguments: { a: 1 } })).toMatchObject({ tool: 'write' })
    expect(await code(ask('call', { tool: 'read', connection: 'notes' }))).toMatch(/^403 /)
  })

  test('excludes the proxy’s own tools', async () => {
    const { ask, code } = world({ tools: ['*'] })
    expect(JSON.stringify(await ask('list'))).not.toContain('proxy_filter')
    expect(await code(ask('call', { tool: 'proxy_filter' }))).toMatch(/^404 /)
  })

  test('list and search say what is asked for', async () => {
    const { ask, code } = world()
    const { connections } = await ask('list', { connection: 'c2', includeTools: false })
    expect(connections).toEqual([{ alias: 'c2', name: 'notes', toolCount: 2, lastError: 'it was away' }])
    const detailed = await ask('list', { connection: 'files', includeInputSchema: true })
    expect(detailed).toMatchObject({
      connections: [{ tools: [{ exposedAs: 'files_read', inputSchema: { type: 'object' } }] }],
    })
    const found = await ask('search', { query: 'time', limit: 1 })
    expect(found).toMatchObject({ totalMatches: 1, tools: [{ connection: 'notes', name: 'clock' }] })
    expect(await ask('search', { query: 'time', connection: 'files' })).toMatchObject({ tools: [] })
    expect(await code(ask('list', { connection: 'file' }))).toMatch(/^404 .*Did you mean files/)
    expect(await code(ask('search', {}))).toMatch(/^400 .*query/s)
    expect(await code(ask('search', { query: ' ' }))).toMatch(/^400 /)
  })
})

describe('calls', () => {
  verifies(
    'S4.54',
    'finds a tool by server name, client name or connection, and refuses ambiguous names',
    async () => {
      const { ask, code, asked } = world()
      await ask('call', { tool: 'clock' })
      await ask('call', { tool: 'notes_read' })
      await ask('call', { tool: 'read', connection: 'c1', arguments: { path: 'x' } })
      expect(asked.map(({ params }) => params)).toEqual([
        { name: 'notes_clock', arguments: {} },
        { name: 'notes_read', arguments: {} },
        { name: 'files_read', arguments: { path: 'x' } },
      ])
      expect(await code(ask('call', { tool: 'read' }))).toMatch(/^400 Several connections .*files, notes/)
      expect(await code(ask('call', { tool: 'clok' }))).toMatch(/^404 .*Did you mean clock/)
      expect(await code(ask('call', { tool: 'x', connection: 'notes' }))).toMatch(/it was away/)
      expect(await code(ask('call', { tool: 'clock', arguments: [] as never }))).toMatch(/^400 .*object/s)
      expect(await code(ask('call', { tool: 'clock', path: 'x' }))).toMatch(/^400 .*no such parameter/s)
      expect(asked).toHaveLength(3)
    },
  )

  verifies(
    'S4.54',
    'a result of at most 4,096 bytes is in the answer, a longer one under its id',
    async () => {
      const padding = JSON.stringify(text('')).length
      for (const [bytes, kept] of [
        [4096, false],
        [4097, true],
      ] as const) {
        const { ask, fetched } = world({ inlineBytes: 4096, call: () => text('x'.repeat(bytes - padding)) })
        const told = await ask('call', { tool: 'clock' })
        expect(told).toMatchObject({ tool: 'clock', connection: 'notes', bytes })
        expect('result' in told).toBe(!kept)
        if (!kept) continue
        expect(told).toMatchObject({ url: `/bridge/result/${told.cache_id}`, expiresInSeconds: 600 })
        expect(await fetched(told.cache_id)).toBe(JSON.stringify(text('x'.repeat(bytes - padding))))
      }
    },
  )

  test('a large result is kept as it came, and one that is an error says so', async () => {
    const json = '{ "content": [ ],  "isError": true, "n": 12345678901234567890 }'
    const bytes = new Uint8Array(new SharedArrayBuffer(json.length))
    bytes.set(Buffer.from(json))
    const { ask, fetched } = world({ inlineBytes: 10, call: () => new LargeResult(bytes) })
    const told = await ask('call', { tool: 'clock' })
    expect(told.isError).toBe(true)
    expect(await fetched(told.cache_id)).toBe(json)
  })

  verifies('S4.54', 'a kept result can be fetched for its time, whole or in part, by its agent', async () => {
    const { ask, code, fetched, resultStore, wait } = world({ call: () => text('y'.repeat(200)) })
    const { cache_id: id } = await ask('call', { tool: 'clock' })
    expect(await fetched(id, '$.a')).toBe('[1]')
    expect(await code(fetched(id, '$.b'))).toBe('400 nothing at $.b')
    expect(await fetched(id, undefined, true)).toContain('yyy')
    wait(599_999)
    expect(await fetched(id)).toContain('yyy')
    wait(1)
    const gone = await code(fetched(id))
    expect(gone).toMatch(/^404 /)
    expect(resultStore.size).toBe(0)

    const content = Buffer.from(JSON.stringify(text('z')))
    const origin = { tool: 't', arguments: {} }
    const others = await resultStore.keep({ id: 'somebody' }, { content, hash: 'h1', origin })
    const unasked = await resultStore.keep({ id: 'scripts' }, { content, hash: 'h2', origin })
    for (const strange of [others.handle, unasked.handle, '', '..', '__proto__', 'x'.repeat(9_999)])
      expect(await code(fetched(strange)), strange).toBe(gone)
  })

  verifies('S4.54', 'a batch of ten at most, each answered as if it were alone', async () => {
    const { ask, code, asked } = world({
      call({ params }) {
        if (params.name === 'files_read') throw new ProxyError('UPSTREAM_TIMEOUT', 'too slow', '')
        return text(JSON.stringify(params.arguments))
      },
    })
    const long = { tool: 'clock', arguments: { long: 'x'.repeat(200) } }
    const { results } = await ask('batch', {
      calls: [{ tool: 'clock' }, { tool: 'files_read' }, { tool: 'none' }, { tool: 'write' }, {}, long],
    })
    expect((results as JsonObject[]).map(({ status }) => status)).toEqual([200, 504, 404, 403, 400, 200])
    expect((results as JsonObject[])[5]).toMatchObject({ cache_id: expect.any(String) })
    const many = (count: number) => ({ calls: Array.from({ length: count }, () => ({ tool: 'clock' })) })
    expect((await ask('batch', many(10))).results).toHaveLength(10)
    const before = asked.length
    expect(await code(ask('batch', many(11)))).toMatch(/^400 .*at most 10/s)
    expect(await code(ask('batch', { calls: [] }))).toMatch(/^400 /)
    expect(await code(ask('batch', { calls: [1] as never }))).toMatch(/^400 /)
    expect(asked).toHaveLength(before)
  })

  test.each([
    [new ProxyError('UPSTREAM_CONNECT', 'away', ''), '502 away'],
    [new ProxyError('UPSTREAM_CLOSED', 'ended', ''), '502 ended'],
    [new ProxyError('UPSTREAM_TIMEOUT', 'slow', ''), '504 slow'],
    [new RpcError(RPC.internalError, 'no'), '502 The server refused: no (-32603)'],
    [new RpcError(RPC.invalidParams, 'no'), '400 The server refused: no (-32602)'],
    [new Error('sk-secret in words'), '500 Internal error'],
  ])('%s is told as %s', async (error, wanted) => {
    const { ask, code } = world({
      call() {
        throw error
      },
    })
    expect(await code(ask('call', { tool: 'clock' }))).toBe(wanted)
  })

  test('a server that asks for input is refused; one that sends no JSON, too', async () => {
    const asking = world({ call: () => ({ resultType: 'input_required', inputRequests: {} }) })
    expect(await asking.code(asking.ask('call', { tool: 'clock' }))).toMatch(/^502 .*asks for input/)
    const bytes = new Uint8Array(new SharedArrayBuffer(5))
    const broken = world({ call: () => new LargeResult(bytes) })
    expect(await broken.code(broken.ask('call', { tool: 'clock' }))).toMatch(/^502 .*JSON/)
  })

  test('failures are thrown to it, and nothing is shaped', async () => {
    const { ask, asked } = world()
    await ask('call', { tool: 'clock' })
    expect(asked[0]).toMatchObject({ failing: 'throws', agent: { id: 'scripts' } })
    expect(asked[0]?.keep).toBe(undefined)
  })
})
