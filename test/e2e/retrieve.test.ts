/** Tools that are found instead of listed, over real servers and with clients of the SDK. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { reply } from './support/catalogue.ts'
import { type Command, connectClient } from './support/clients.ts'
import {
  bringSqlite,
  everything,
  filesystem,
  makeDatabase,
  makeFolder,
  memory,
  sqlite,
} from './support/real-servers.ts'
import {
  fixture,
  handleOf,
  type RunningProxy,
  startProxy,
  type ToolResult,
  temporaryDirectory,
  textOf,
} from './support/world.ts'

interface Place {
  directory: string
  folder: string
  servers: Record<string, Command>
  /** The answers of the servers themselves to the calls of `callsOf`. */
  direct: readonly [name: string, args: Record<string, unknown>, result: ToolResult][]
}

/** Four servers that people use, and what they work on, which no test here changes but for the memory. */
let shared: Omit<Place, 'direct'>
let answers: Promise<Place['direct']> | undefined

beforeAll(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'mcp-rlm-proxy-test-'))
  const folder = makeFolder(directory)
  const database = join(directory, 'orders.db')
  await Promise.all([bringSqlite(), makeDatabase(database, 100)])
  const servers = { filesystem: filesystem(folder), everything, sql: sqlite(database) }
  shared = { directory, folder, servers }
})

afterAll(() => rmSync(shared.directory, { recursive: true, force: true, maxRetries: 5 }))

/** With a memory of its own. */
async function place(): Promise<Place> {
  const ofItsOwn = () => memory(join(temporaryDirectory(), 'memory.json'))
  answers ??= directAnswers(shared.folder, { ...shared.servers, memory: ofItsOwn() })
  return { ...shared, servers: { ...shared.servers, memory: ofItsOwn() }, direct: await answers }
}

interface World extends RunningProxy {
  changes(): number
}

/** All servers have answered: what is asked then does not depend on how fast they are. */
async function world(
  { servers }: Pick<Place, 'servers'>,
  retrieve: object = {},
  env: Record<string, string> = {},
): Promise<World> {
  let changes = 0
  const proxy = await startProxy({
    servers,
    settings: { exposure: 'retrieve', retrieve, structured: 'keep' },
    env,
  })
  proxy.client.setNotificationHandler('notifications/tools/list_changed', () => void changes++)
  const some = Object.entries(ONE_OF_EACH).flatMap(([server, tool]) => (server in servers ? [tool] : []))
  const missing = async (): Promise<string[]> => {
    const described = textOf(await proxy.call('describe_tool', { names: some }))
    return some.filter((name) => described.includes(`{"name":"${name}","error"`))
  }
  await expect.poll(missing, { timeout: 170_000, interval: 100 }).toEqual([])
  return { ...proxy, changes: () => changes }
}

const ONE_OF_EACH = {
  filesystem: 'filesystem_read_text_file',
  memory: 'memory_read_graph',
  everything: 'everything_echo',
  sql: 'sql_execute_sql',
}

const OWN = ['proxy_filter', 'proxy_search', 'proxy_explore', 'proxy_code']

const names = async ({ client }: RunningProxy): Promise<string[]> =>
  (await client.listTools()).tools.map(({ name }) => name)

const retrieve = async (proxy: RunningProxy, args: Record<string, unknown>) =>
  reply.parse(JSON.parse(await proxy.text('retrieve_tools', args)))

/** Tools and arguments by server, in an order in which they can be called. */
const callsOf = (folder: string): Record<string, [tool: string, args: Record<string, unknown>][]> => ({
  filesystem: [
    ['read_text_file', { path: join(folder, 'small.txt') }],
    ['list_directory', { path: folder }],
    ['read_text_file', { path: join(folder, 'missing.txt') }],
  ],
  memory: [
    ['create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['counts'] }] }],
    ['read_graph', {}],
  ],
  everything: [
    ['echo', { message: 'ü' }],
    ['get-structured-content', { location: 'Chicago' }],
    ['get-tiny-image', {}],
    ['get-annotated-message', { messageType: 'error', includeImage: true }],
  ],
  sql: [
    ['execute_sql', { sql: 'SELECT count(*) AS n FROM orders' }],
    ['execute_sql', { sql: 'SELECT no_such_column FROM orders' }],
  ],
})

async function directAnswers(folder: string, servers: Record<string, Command>): Promise<Place['direct']> {
  const made = Object.entries(callsOf(folder)).map(async ([server, calls]) => {
    const direct = await connectClient('2.x', servers[server] as Command)
    const results: [string, Record<string, unknown>, ToolResult][] = []
    for (const [tool, args] of calls)
      results.push([`${server}_${tool}`, args, await direct.callTool({ name: tool, arguments: args })])
    await direct.close()
    return results
  })
  return (await Promise.all(made)).flat()
}

verifies(
  'S1.1 S1.9 S1.12 S1.18 S1.57 S1.62',
  'routing call: finds and runs tools of four servers with their own answers, and explains failures',
  async () => {
    const its = await place()
    const proxy = await world(its)
    expect(proxy.client.getInstructions()).toContain('First call retrieve_tools with what you want to do')
    const listed = ['retrieve_tools', 'call_tool', 'describe_tool', ...OWN]
    expect(await names(proxy)).toEqual(listed)
    const found = await retrieve(proxy, { query: 'read the text of a file' })
    expect(found.tools.map(({ name }) => name)).toContain('filesystem_read_text_file')
    expect(found.tools.length).toBeLessThanOrEqual(5)
    for (const [name, args, expected] of its.direct) {
      const [server = '', tool = ''] = name.split(/_(.*)/)
      const hits = await retrieve(proxy, { query: `${server} ${tool}`, top_k: 10 })
      expect(hits.tools.map((one) => one.name)).toContain(name)
      expect(await proxy.call('call_tool', { name, arguments: args }), name).toEqual(expected)
    }
    const [described] = JSON.parse(await proxy.text('describe_tool', { names: ['memory_create_entities'] }))
    expect(described.inputSchema.properties.entities.type).toBe('array')
    // A large result is shaped and explored as it is without.
    const tree = { name: 'filesystem_directory_tree', arguments: { path: join(its.folder, 'tree') } }
    const count = await proxy.text('proxy_filter', {
      cache_id: handleOf(await proxy.call('call_tool', tree)),
      path: '$..children[*]',
      where: ['type = file'],
      aggregate: 'count',
    })
    expect(count).toContain('1000')

    const wrong: [Record<string, unknown>, string][] = [
      [{ name: 'filesystem_read_txt_file', arguments: {} }, 'Did you mean filesystem_read_text_file'],
      [{ name: 'sql_execute_sql', arguments: { query: 'SELECT 1' } }, 'sql_execute_sql(sql: string'],
      [{ name: 'x'.repeat(100), arguments: {} }, 'Use retrieve_tools first'],
      [{ arguments: {} }, 'needs name'],
    ]
    for (const [args, words] of wrong) {
      const result = await proxy.call('call_tool', args)
      expect(result.isError).toBe(true)
      expect(textOf(result)).toContain(words)
    }
    expect((await retrieve(proxy, { query: 'qwzx vbnm plugh' })).tools).toEqual([])
    expect(
      await proxy.text('call_tool', { name: 'everything_echo', arguments: { message: 'on' } }),
    ).toContain('on')
    expect(await names(proxy)).toEqual(listed)
    expect(proxy.changes()).toBe(0)
  },
)

verifies(
  'S1.6 S1.7 S1.8 S1.31 S1.35 S1.69',
  'routing dynamic: lists found tools as their server does, notifies once, and passes their answers on',
  async () => {
    const its = await place()
    const proxy = await world(its, {}, { MCPPROXY_ROUTING_TYPE: 'DYNAMIC', MCPPROXY_TOOLS_LIMIT: '3' })
    expect(await names(proxy)).toEqual(['retrieve_tools', ...OWN])
    // Several questions are one call, and are told once.
    const both = ['filesystem_read_text_file', 'everything_echo']
    const found = await retrieve(proxy, { queries: ['read a text file', 'everything echo'], top_k: 1 })
    expect(found.tools.map(({ name }) => name).sort()).toEqual([...both].sort())
    await expect.poll(proxy.changes).toBe(1)
    const listed = (await proxy.client.listTools()).tools.find(({ name }) => name === 'everything_echo')
    expect(listed?.inputSchema).toMatchObject({ properties: { message: { type: 'string' } } })
    // The second thing that changes is the second that is told.
    await retrieve(proxy, { query: 'sql execute sql', top_k: 1 })
    await expect.poll(proxy.changes).toBe(2)

    for (const [name, args, expected] of its.direct) {
      const [server = '', tool = ''] = name.split(/_(.*)/)
      const hits = await retrieve(proxy, { query: `${server} ${tool}`, top_k: 1 })
      expect(hits.tools.map((one) => one.name)).toEqual([name])
      expect(await names(proxy)).toContain(name)
      expect(await proxy.call(name, args), name).toEqual(expected)
    }
    await retrieve(proxy, { query: 'read a file', top_k: 5 })
    expect((await names(proxy)).length).toBe(1 + OWN.length + 3)
  },
)

test('reading, writing and destructive calls can be approved separately', async () => {
  const { folder } = shared
  const servers = { filesystem: filesystem(folder) }
  const proxy = await world({ servers }, { variants: 'readWriteDestructive' })
  const { tools } = await proxy.client.listTools()
  const hints = tools
    .filter(({ name }) => name.startsWith('call_tool'))
    .map(({ name, annotations }) => [name, annotations?.readOnlyHint, annotations?.destructiveHint])
  expect(hints).toEqual([
    ['call_tool_read', true, false],
    ['call_tool_write', false, false],
    ['call_tool_destructive', false, true],
  ])
  const read = { name: 'filesystem_read_text_file', arguments: { path: join(folder, 'small.txt') } }
  expect(await proxy.text('call_tool_read', read)).toBe('a small file\n')
  const path = join(folder, 'written.txt')
  const write = { name: 'filesystem_write_file', arguments: { path, content: 'new' } }
  const refused = await proxy.call('call_tool_read', write)
  expect(refused.isError).toBe(true)
  expect(textOf(refused)).toContain('run it with call_tool_')
  expect(existsSync(path)).toBe(false)
  expect((await proxy.call('call_tool_destructive', write)).isError).not.toBe(true)
  expect(readFileSync(path, 'utf8')).toBe('new')
})

test('all tools are listed as they are while they cost no more tokens than is allowed', async () => {
  const proxy = await startProxy({
    servers: { fixture: fixture('fixture') },
    settings: { exposure: 'retrieve', retrieve: { listWithinTokens: 1_000_000 } },
  })
  await expect.poll(() => names(proxy)).toContain('fixture_text')
  expect(await names(proxy)).not.toContain('retrieve_tools')
  expect(await proxy.text('fixture_text', { size: 3 })).toBe('aaa')
})
