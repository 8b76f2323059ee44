/** Servers that people use, behind one proxy over stdio, with a client of each generation of the SDK. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { type AnyClient, type Command, connectClient, GENERATIONS } from './support/clients.ts'
import { bringSqlite, everything, filesystem, makeFolder, memory, realWorld } from './support/real-servers.ts'
import { handleOf, MAIN, temporaryDirectory, textOf } from './support/world.ts'

/** Characters of a reply. */
const LIMIT = 8000

beforeAll(bringSqlite)

/** Tools and arguments with small answers, in an order in which they can be called. */
const small = (files: string): [server: string, tool: string, args: Record<string, unknown>][] => [
  ['files', 'read_text_file', { path: join(files, 'small.txt') }],
  ['files', 'list_directory', { path: files }],
  ['files', 'read_media_file', { path: join(files, 'picture.png') }],
  ['files', 'read_text_file', { path: join(files, 'missing.txt') }],
  [
    'memory',
    'create_entities',
    { entities: [{ name: 'Ada', entityType: 'person', observations: ['counts'] }] },
  ],
  ['memory', 'read_graph', {}],
  ['everything', 'echo', { message: 'ü' }],
  ['everything', 'get-structured-content', { location: 'Chicago' }],
  ['everything', 'get-tiny-image', {}],
  ['everything', 'get-resource-links', { count: 3 }],
  ['web', 'get-annotated-message', { messageType: 'error', includeImage: true }],
  ['events', 'get-annotated-message', { messageType: 'error', includeImage: true }],
  ['sql', 'execute_sql', { sql: 'SELECT count(*) AS n FROM orders' }],
]

for (const generation of GENERATIONS) {
  verifies(
    'S3.1 S1.1 S1.2',
    `six unchanged servers over one stdio connection, client ${generation}: small calls equal direct ones`,
    async () => {
      const { client, servers, files, directory, call } = await realWorld(generation, true, {
        structured: 'keep',
      })
      const { tools } = await client.listTools()
      const counts = (name: string): number => tools.filter((tool) => tool.name.startsWith(`${name}_`)).length
      expect(counts('proxy')).toBe(4)
      expect(tools.length).toBe(4 + Object.keys(servers).reduce((sum, name) => sum + counts(name), 0))

      const stdio = {
        ...servers,
        memory: memory(join(directory, 'other.jsonl')),
        web: everything,
        events: everything,
      }
      for (const name of Object.keys(servers)) {
        const direct = await connectClient(generation, stdio[name as keyof typeof stdio] as Command)
        expect(counts(name), name).toBe((await direct.listTools()).tools.length)
        for (const [, tool, args] of small(files).filter(([server]) => server === name)) {
          const expected = await direct.callTool({ name: tool, arguments: args })
          expect(await call(`${name}_${tool}`, args), `${name}_${tool}`).toEqual(expected)
        }
        await direct.close()
      }
    },
  )
}

verifies(
  'S3.7 S3.25',
  'a large log of the file server: previewed, explored, filtered and searched',
  async () => {
    const { files, call } = await realWorld('2.x', false)
    const reply = await call('files_read_text_file', { path: join(files, 'app.log') })
    const handle = handleOf(reply)
    expect(JSON.stringify(reply).length).toBeLessThanOrEqual(LIMIT)
    expect(textOf(reply)).toContain('20,000')
    const errors = await call('proxy_filter', {
      cache_id: handle,
      where: ['level = ERROR'],
      aggregate: 'count',
    })
    expect(textOf(errors)).toMatch(/\b200\b/)
    const groups = await call('proxy_filter', { cache_id: handle, group_by: 'level', aggregate: 'count' })
    expect(textOf(groups)).toMatch(/19,?800/)
    const hit = await call('proxy_search', {
      cache_id: handle,
      pattern: 'request 12345 took',
      context_lines: 1,
    })
    expect(textOf(hit)).toContain('request 12344')
    const shape = await call('proxy_explore', { cache_id: handle })
    expect(textOf(shape)).toContain('level')
  },
)

verifies('S3.7 S3.19', 'a large directory tree: fields at any depth, and the one file', async () => {
  const { files, call } = await realWorld('1.x', false)
  const handle = handleOf(await call('files_directory_tree', { path: files }))
  const leaves = await call('proxy_filter', {
    cache_id: handle,
    path: '$[*].children[*].children[*]',
    aggregate: 'count',
  })
  expect(textOf(leaves)).toMatch(/1,?000/)
  const names = await call('proxy_filter', {
    cache_id: handle,
    path: '$..children[*]',
    where: ['name ~ leaf-39-'],
    fields: ['name'],
  })
  expect(textOf(names)).toContain('leaf-39-24.md')
  expect(textOf(names)).toMatch(/\b25\b/)
  const found = await call('proxy_search', { cache_id: handle, pattern: 'laef-17-3.md', mode: 'fuzzy' })
  expect(textOf(found)).toContain('leaf-17-3.md')
  expect(textOf(await call('proxy_explore', { cache_id: handle }))).toContain('children')
})

verifies(
  'S3.7 S3.26',
  'a large knowledge graph: entities by type, relations counted, one found by words',
  async () => {
    const { call } = await realWorld('2.x', false)
    const entities = Array.from({ length: 400 }, (_, n) => ({
      name: `entity ${n}`,
      entityType: n % 4 === 0 ? 'place' : 'person',
      observations: [n === 250 ? 'keeps bees on the roof' : `likes number ${n}`],
    }))
    await call('memory_create_entities', { entities })
    const handle = handleOf(await call('memory_read_graph'))
    const types = await call('proxy_filter', {
      cache_id: handle,
      path: '$.entities',
      group_by: 'entityType',
      aggregate: 'count',
    })
    expect(textOf(types)).toMatch(/\b300\b/)
    expect(textOf(types)).toMatch(/\b100\b/)
    const bees = await call('proxy_search', {
      cache_id: handle,
      pattern: 'bees on a roof',
      mode: 'bm25',
      top_k: 1,
    })
    expect(textOf(bees)).toContain('entity 250')
  },
)

verifies(
  'S3.7 S3.26 S3.35',
  'many rows of a SQLite server behind npx: filtered, summed and searched',
  async () => {
    const { call } = await realWorld('2.x', true)
    const reply = await call('sql_execute_sql', { sql: 'SELECT * FROM orders' })
    const handle = handleOf(reply)
    expect(JSON.stringify(reply).length).toBeLessThanOrEqual(LIMIT)
    const rows = { cache_id: handle, path: '$.data.statements[0].rows' }
    expect(textOf(await call('proxy_filter', { ...rows, aggregate: 'count' }))).toMatch(/20,?000/)
    const states = await call('proxy_filter', { ...rows, group_by: 'state', aggregate: 'count' })
    expect(textOf(states)).toMatch(/6,?667/)
    const top = await call('proxy_filter', {
      ...rows,
      where: ['customer = customer 5'],
      sort: '-total',
      fields: ['id', 'total'],
      limit: 3,
    })
    expect(textOf(top)).toMatch(/\b3 of 20[67]\b/)
    const needle = await call('proxy_search', { cache_id: handle, pattern: 'needle in the' })
    expect(textOf(needle)).toContain('4320')
    const direct = await call('sql_execute_sql', { sql: 'SELECT id FROM orders WHERE id = 4321' })
    expect(textOf(direct)).toContain('4321')
  },
)

verifies(
  'S2.17 S1.29 S2.18',
  'a file of Claude Desktop loads unchanged; settings of the proxy’s own go beside it',
  async () => {
    const directory = temporaryDirectory()
    const files = makeFolder(directory)
    const mcpServers = {
      filesystem: { ...filesystem(files), env: {} },
      memory: { ...memory(join(directory, 'm.jsonl')), disabled: false, autoApprove: ['read_graph'] },
    }
    // As Claude Desktop keeps it, with what else it keeps there.
    const desktop = join(directory, 'claude_desktop_config.json')
    writeFileSync(desktop, JSON.stringify({ globalShortcut: 'Ctrl+Space', mcpServers }, null, 2))
    const env = { MCPPROXY_DATA_DIR: join(directory, 'data'), MCPPROXY_LIST_WAIT_MS: '50000' }
    const connect = (args: string[], cwd = directory): Promise<AnyClient> =>
      connectClient('1.x', { command: process.execPath, args: [MAIN, ...args], env, cwd })
    const client = await connect(['--config', desktop])
    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['filesystem_read_text_file', 'memory_read_graph']))
    const log = { name: 'filesystem_read_text_file', arguments: { path: join(files, 'app.log') } }
    expect(handleOf(await client.callTool(log))).toMatch(/^[0-9a-z]{12}$/)

    // The same servers in the file that is found by itself, with settings.
    const settings = { maxResponseSize: 300, previewSize: 250, naming: { separator: '__' } }
    writeFileSync(join(directory, 'mcp.json'), JSON.stringify({ mcpServers, proxySettings: settings }))
    const own = await connect([])
    const list = { name: 'filesystem__list_directory', arguments: { path: join(files, 'tree') } }
    const shaped = await own.callTool(list)
    expect(handleOf(shaped)).toMatch(/^[0-9a-z]{12}$/)
    expect(textOf(shaped).length).toBeLessThanOrEqual(300)
  },
)
