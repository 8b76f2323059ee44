/** One tool for all servers, from a client's side, with servers that are parts of this process. */

import { describe, expect, test } from 'vitest'
import { parseConfig } from '../../../../src/config/load-program.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { deferred } from '../../../support/deferred.ts'
import {
  type Embedded,
  type EmbeddedOptions,
  embedded,
  type ToolOf,
  toolServer,
} from '../../../support/embedded.ts'
import { stdioServer, temporaryFolder } from '../../../support/upstream.ts'
import { verifies } from '../../../support/verifies.ts'

const string = { type: 'string' }
const reading: ToolOf = { description: 'Look at it', annotations: { readOnlyHint: true } }
const adding: ToolOf = { description: 'Add to it', annotations: { destructiveHint: false } }
const destroying: ToolOf = { description: 'Take it away' }

const rowsOf = (json: unknown): JsonObject[] => json as JsonObject[]
const connectionsIn = ({ connections }: JsonObject): JsonObject[] => rowsOf(connections)

function pair() {
  const files = toolServer({ look: reading, add: adding, remove: destroying })
  const time = toolServer({ now: { description: 'The time', run: () => '12:00' }, look: reading })
  return { files, time }
}

async function world(options: EmbeddedOptions = {}) {
  const { files, time } = pair()
  const all = await embedded({ servers: { files: files.serve, time: time.serve }, ...options })
  return { ...all, files, time }
}

const textOf = async ({ ask }: Embedded, args: JsonObject, name?: string): Promise<string> =>
  (await ask(args, name)).content[0]?.text ?? ''

verifies(
  'S4.1 S4.4 S4.5 S4.33',
  'a client sees one tool, and reaches servers of the embedder by it',
  async () => {
    const one = await world()
    const { files, time } = one
    // Without mcplazy, all are connected at the start.
    await expect.poll(() => [files.connections, time.connections]).toEqual([1, 1])
    expect(await one.names()).toEqual(['proxy-dispatch'])
    expect(await textOf(one, { action: 'call', tool: 'now' })).toBe('12:00')
    expect(await textOf(one, { action: 'call', tool: 'add', arguments: { a: 1 } })).toBe('{"a":1}')
    expect(files.calls[0]?.arguments).toEqual({ a: 1 })
    await one.ask({ action: 'list' })
    await one.ask({ action: 'search', query: 'the time' })
    // The ledger names the inner tool, and what the dispatcher says itself is its own cost.
    const { tools, totals } = await one.gateway.savings()
    expect(tools.find(({ tool }) => tool === 'now')).toMatchObject({ kind: 'call', calls: 1 })
    expect(tools.find(({ tool }) => tool === 'proxy-dispatch')).toMatchObject({
      kind: 'proxy-tool',
      calls: 2,
    })
    expect(totals).toMatchObject({ calls: 2, proxyToolCalls: 2 })
  },
)

describe('which tools may be used', () => {
  const exposures = ['passthrough', 'retrieve', 'dispatch'] as const

  for (const exposure of exposures)
    verifies('S4.49 S4.47', `a denied tool is neither listed, found nor called: ${exposure}`, async () => {
      const dispatch = { deny: ['files/remove', 'n?w'] }
      const one = await world({ settings: { exposure, dispatch, naming: { prefix: 'never' } } })
      const { client, files, time } = one
      const call = (name: string, args: JsonObject): Promise<JsonObject> =>
        one.ask(args, name).catch((error: Error) => ({ isError: true, message: error.message }))
      const refused = async (name: string, args: JsonObject): Promise<void> =>
        expect(await call(name, args)).toMatchObject({ isError: true })
      const seen = async (): Promise<string> => {
        if (exposure === 'passthrough') return JSON.stringify(await client.listTools())
        if (exposure === 'retrieve')
          return JSON.stringify(
            await call('retrieve_tools', { query: 'take it away, look at it, the time', top_k: 20 }),
          )
        return JSON.stringify([
          await call('proxy-dispatch', { action: 'list', format: 'detail' }),
          await call('proxy-dispatch', { action: 'search', query: 'take it away, look at it, the time' }),
        ])
      }
      await expect.poll(seen).toContain('Look at it')
      expect(await seen()).not.toMatch(/Take it away|The time/)
      await refused('remove', {})
      await refused('files_remove', {})
      await refused('call_tool', { name: 'remove', arguments: {} })
      await refused('proxy_filter', { tool: 'remove', arguments: {}, limit: 1 })
      await refused('proxy-dispatch', { action: 'call', tool: 'remove' })
      await refused('proxy-dispatch', { action: 'call', tool: 'now', connection: 'time' })
      await refused('proxy-dispatch', { action: 'filter', tool: 'remove', limit: 1 })
      expect([...files.calls, ...time.calls]).toEqual([])
      if (exposure === 'dispatch')
        expect(await one.data({ action: 'status' })).toMatchObject({ toolFilter: dispatch, totalTools: 3 })
    })

  verifies('S4.49', 'other lists hold as soon as the configuration has them', async () => {
    const one = await world({ settings: { naming: { prefix: 'never' }, exposure: 'passthrough' } })
    expect(await one.names()).toContain('remove')
    const { gateway } = one
    const proxySettings = { dispatch: { deny: ['remove'] }, exposure: 'passthrough' }
    await gateway.reconfigure(parseConfig({ mcpServers: {}, proxySettings }))
    expect(await one.names()).not.toContain('remove')
    // The client knows its name of before.
    await expect(one.ask({}, 'remove')).rejects.toThrow('Unknown tool: remove')
    expect(one.files.calls).toEqual([])
  })
})

describe('connections', () => {
  verifies(
    'S4.5',
    'with mcplazy nothing is connected before a call, and the list is of the last run',
    async () => {
      const dataDir = temporaryFolder()
      const settings = { mcplazy: true }
      const first = await world({ dataDir, settings })
      // Nothing is known yet: the first list asks.
      expect(await first.data({ action: 'list' })).toMatchObject({ totalConnections: 2 })
      first.files.tools = { ...first.files.tools, more: reading }
      await first.data({ action: 'list', refresh: true })
      await first.gateway.close()
      const gate = deferred()
      const { files, time } = pair()
      const slow = toolServer(time.tools, gate.promise)
      const second = await embedded({ dataDir, settings, servers: { files: files.serve, time: slow.serve } })
      const [c1, c2] = connectionsIn(await second.data({ action: 'list' }))
      expect([c1?.toolCount, c2?.toolCount]).toEqual([4, 2])
      expect([files.connections, slow.connections]).toEqual([0, 0])
      const calls = [1, 2, 3].map(() => textOf(second, { action: 'call', tool: 'now' }))
      await expect.poll(() => slow.connections).toBe(1)
      gate.resolve()
      expect(await Promise.all(calls)).toEqual(['12:00', '12:00', '12:00'])
      expect([files.connections, slow.connections]).toEqual([0, 1])
      // A request for a new list connects.
      await second.data({ action: 'list', connection: 'files', refresh: true })
      expect([files.connections, files.lists]).toEqual([1, 1])
    },
  )

  verifies('S4.31', 'ids and aliases are the same in every run, and each finds its connection', async () => {
    const seen: unknown[] = []
    for (let run = 0; run < 2; run++) {
      const one = await world()
      const connections = connectionsIn(
        await one.data({ action: 'list', format: 'detail', includeTools: false }),
      )
      seen.push(connections.map(({ id, alias, name }) => ({ id, alias, name })))
      const [first, second] = connections
      expect(first?.id).toMatch(/^[0-9a-f]{32}$/)
      for (const connection of ['c2', 'C2', 'time', String(second?.id)])
        expect(connectionsIn(await one.data({ action: 'list', connection }))).toMatchObject([
          { name: 'time' },
        ])
      for (const connection of ['default', 'primary', 'c1'])
        expect(connectionsIn(await one.data({ action: 'list', connection }))).toMatchObject([
          { name: 'files' },
        ])
    }
    expect(seen[0]).toEqual(seen[1])
    expect(seen[0]).toMatchObject([
      { alias: 'c1', name: 'files' },
      { alias: 'c2', name: 'time' },
    ])
  })

  verifies('S4.36 S4.9', 'one that fails says why, and the others work', async () => {
    const serve = (): never => {
      throw new Error('no database')
    }
    const { files } = pair()
    const one = await embedded({ servers: { broken: serve, files: files.serve } })
    expect(await textOf(one, { action: 'call', tool: 'look', arguments: { a: 1 } })).toBe('{"a":1}')
    const status = await one.data({ action: 'status' })
    expect(connectionsIn(status)).toMatchObject([
      { alias: 'c1', name: 'broken', toolCount: 0, lastError: expect.stringContaining('no database') },
      { alias: 'c2', name: 'files', toolCount: 3 },
    ])
    expect(connectionsIn(status)[1]).not.toHaveProperty('lastError')
    const failed = await one.ask({ action: 'call', tool: 'anything', connection: 'broken' })
    expect(failed).toMatchObject({ isError: true })
    expect(failed.content[0]?.text).toContain('no database')
  })

  verifies(
    'S4.46 S4.47 S4.32',
    'refresh lists again, and the hash tells that something changed',
    async () => {
      const one = await world()
      const { files, time } = one
      const before = await one.data({ action: 'status' })
      expect(before).not.toHaveProperty('toolFilter')
      expect(before).toMatchObject({
        totalConnections: 2,
        totalTools: 5,
        catalogHash: expect.stringMatching(/^[0-9a-f]{16}$/),
        lastUpdated: expect.stringMatching(/^\d{4}-/),
      })
      expect(connectionsIn(before)[0]).toMatchObject({
        serverInfo: { name: 'tool-server', version: '7' },
        lastRefreshed: expect.any(String),
      })
      expect(await one.data({ action: 'status' })).toMatchObject({ catalogHash: before.catalogHash })
      // A parameter more is a change as well.
      files.tools = {
        ...files.tools,
        look: { ...reading, inputSchema: { type: 'object', properties: { x: string } } },
      }
      time.tools = { ...time.tools, later: destroying }
      expect(await one.data({ action: 'status' })).toMatchObject({
        catalogHash: before.catalogHash,
        totalTools: 5,
      })
      const listed = { files: files.lists, time: time.lists }
      await one.data({ action: 'list', connection: 'files', refresh: true })
      expect([files.lists, time.lists]).toEqual([listed.files + 1, listed.time])
      const after = await one.data({ action: 'status' })
      expect(after.catalogHash).not.toBe(before.catalogHash)
      expect(after.totalTools).toBe(5)
      const found = await one.data({ action: 'search', query: 'later', refresh: true })
      expect(rowsOf(found.tools)).toMatchObject([{ name: 'later', connection: 'c2' }])
    },
  )

  verifies('S4.44 S2.5', 'two proxies in one process know nothing of each other', async () => {
    const [one, other] = await Promise.all([world(), world({ settings: { dispatch: { deny: ['now'] } } })])
    expect(await textOf(one, { action: 'call', tool: 'now' })).toBe('12:00')
    expect(await other.ask({ action: 'call', tool: 'now' })).toMatchObject({ isError: true })
    await one.gateway.close()
    expect(await textOf(other, { action: 'call', tool: 'add', arguments: { b: 2 } })).toBe('{"b":2}')
    expect([one.time.calls.length, other.time.calls.length]).toEqual([1, 0])
  })
})

for (const exposure of ['dispatch', 'retrieve'] as const)
  test(`a server may be listed beside what the others are behind: ${exposure}`, async () => {
    const { command, args = [] } = stdioServer({ tools: ['echo'] })
    const { files } = pair()
    const docs = { command, args: [...args], exposure: 'passthrough' }
    const one = await embedded({
      mcpServers: { docs },
      servers: { files: files.serve },
      settings: { exposure },
    })
    const names = await one.names()
    expect(names).toContain('docs_echo')
    expect(names.filter((name) => name.startsWith('files_'))).toEqual([])
    expect(names).toContain(exposure === 'dispatch' ? 'proxy-dispatch' : 'retrieve_tools')
    expect(new Set(names).size).toBe(names.length)
    expect((await one.ask({ a: 1 }, 'docs_echo')).content[0]?.text).toBe('{"a":1}')
  })

describe('effects that a call may have', () => {
  const variants = { dispatch: { variants: 'readWriteDestructive' } }

  verifies('S4.34', 'the annotations of the inner tool decide which tool may call it', async () => {
    const one = await world({ settings: variants })
    const { tools } = await one.client.listTools()
    expect(
      tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint, annotations?.destructiveHint]),
    ).toEqual([
      ['proxy-dispatch', true, false],
      ['proxy-dispatch-read', true, false],
      ['proxy-dispatch-write', false, false],
      ['proxy-dispatch-destructive', false, true],
    ])
    const allowed = async (name: string, tool: string): Promise<boolean> =>
      (await one.ask({ tool, connection: 'files' }, name)).isError !== true
    for (const [name, expected] of [
      ['proxy-dispatch-read', [true, false, false]],
      ['proxy-dispatch-write', [true, true, false]],
      ['proxy-dispatch-destructive', [true, true, true]],
      ['proxy-dispatch', [false, false, false]],
    ] as const)
      expect([
        name,
        await allowed(name, 'look'),
        await allowed(name, 'add'),
        await allowed(name, 'remove'),
      ]).toEqual([name, ...expected])
    expect(one.files.calls.map(({ name }) => name)).toEqual(['look', 'look', 'add', 'look', 'add', 'remove'])
    // Nor by a question that calls first, nor under another action.
    for (const action of ['filter', 'search_result', 'explore'])
      expect(
        await textOf(one, { action, tool: 'remove', ...(action === 'search_result' && { pattern: 'x' }) }),
      ).toContain('only reads')
    expect(await one.ask({ action: 'call', tool: 'remove' })).toMatchObject({ isError: true })
    expect(await one.ask({ action: 'list', tool: 'remove' }, 'proxy-dispatch-read')).toMatchObject({
      isError: true,
    })
    expect(one.files.calls.length).toBe(6)
    const refusal = await textOf(one, { tool: 'remove' }, 'proxy-dispatch-read')
    expect(refusal).toContain('proxy-dispatch-destructive')
  })

  test('the quota of a server counts calls through the dispatcher', async () => {
    const { command, args = [] } = stdioServer()
    const slow = { command, args: [...args], quota: { rps: 0.001, burst: 1 } }
    const one = await embedded({ mcpServers: { slow } })
    expect(await textOf(one, { action: 'call', tool: 'echo', arguments: { a: 1 } })).toBe('{"a":1}')
    const refused = await one.ask({ action: 'call', tool: 'echo', arguments: { a: 1 } })
    expect(refused.isError).toBe(true)
    expect(refused.content[0]?.text).toContain('Server `slow` has had as many calls')
  })
})
