/** Tools that are found instead of listed, over real servers and with clients of the SDK. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { reply } from './support/catalogue.ts'
import { type Command, connectClient, GENERATIONS } from './support/clients.ts'
import { runProxy } from './support/command.ts'
import { startHttpProxy } from './support/http-proxy.ts'
import { everything, filesystem, makeFolder, memory, overHttp } from './support/real-servers.ts'
import {
  fixture,
  handleOf,
  MAIN,
  type RunningProxy,
  startProxy,
  type ToolResult,
  temporaryDirectory,
  textOf,
  writeConfig,
} from './support/world.ts'

interface World extends RunningProxy {
  folder: string
  /** The address of the server over HTTP. */
  web: { url: string }
  changes(): number
}

/** Four real servers, one of them over HTTP, and the fixture. */
async function world(
  retrieve: object = {},
  env: Record<string, string> = {},
  settings: object = {},
): Promise<World> {
  const directory = temporaryDirectory()
  const folder = makeFolder(directory)
  const web = await overHttp('streamableHttp')
  let changes = 0
  const proxy = await startProxy({
    directory,
    servers: servers(directory, folder, web),
    settings: { exposure: 'retrieve', retrieve, ...settings },
    env,
  })
  proxy.client.setNotificationHandler('notifications/tools/list_changed', () => void changes++)
  return { ...proxy, folder, web, changes: () => changes }
}

/** The fixture alone, where it makes no difference what there is to find. */
async function light(retrieve: object = {}, env: Record<string, string> = {}): Promise<RunningProxy> {
  const proxy = await startProxy({
    servers: { fixture: fixture('fixture') },
    settings: { exposure: 'retrieve', retrieve },
    env,
  })
  await readyBy(proxy.call, ['fixture_text'])
  return proxy
}

const servers = (directory: string, folder: string, web: object): Record<string, object> => ({
  filesystem: filesystem(folder),
  memory: memory(join(directory, 'memory.json')),
  everything,
  web,
  fixture: fixture('fixture'),
})

type Call = (name: string, args?: Record<string, unknown>) => Promise<ToolResult>

interface Lister {
  client: { listTools(): Promise<{ tools: { name: string }[] }> }
}

const names = async ({ client }: Lister): Promise<string[]> =>
  (await client.listTools()).tools.map(({ name }) => name)

const retrieveBy = async (call: Call, args: Record<string, unknown>) =>
  reply.parse(JSON.parse(textOf(await call('retrieve_tools', args))))

const retrieve = (proxy: RunningProxy, args: Record<string, unknown>) => retrieveBy(proxy.call, args)

const ONE_OF_EACH = [
  'filesystem_read_text_file',
  'memory_read_graph',
  'everything_echo',
  'web_echo',
  'fixture_text',
]

/** All servers have answered: what is asked then does not depend on how fast they are. */
async function readyBy(call: Call, some = ONE_OF_EACH): Promise<void> {
  const missing = async (): Promise<unknown[]> => {
    const described = textOf(await call('describe_tool', { names: some }))
    return some.filter((name) => described.includes(`{"name":"${name}","error"`))
  }
  await expect.poll(missing, { timeout: 120_000, interval: 100 }).toEqual([])
}

const ready = (proxy: RunningProxy): Promise<void> => readyBy(proxy.call)

const OWN = ['proxy_filter', 'proxy_search', 'proxy_explore']

describe('routing call', () => {
  verifies('S1.1 S1.9 S1.12 S1.18', 'finds a tool among those of four servers, and runs it', async () => {
    const proxy = await world()
    await ready(proxy)
    const { folder } = proxy
    expect(await names(proxy)).toEqual(['retrieve_tools', 'call_tool', 'describe_tool', ...OWN])
    const found = await retrieve(proxy, { query: 'read the text of a file' })
    expect(found.tools.map(({ name }) => name)).toContain('filesystem_read_text_file')
    expect(found.tools.length).toBeLessThanOrEqual(5)
    const args = { path: join(folder, 'small.txt') }
    const run = await proxy.call('call_tool', { name: 'filesystem_read_text_file', arguments: args })
    expect(run.content).toEqual([{ type: 'text', text: 'a small file\n' }])
    expect(run.structuredContent).toEqual({ content: 'a small file\n' })
    const image = await proxy.call('call_tool', { name: 'everything_get-tiny-image' })
    expect(image.content.map(({ type }) => type)).toContain('image')
    const [described] = JSON.parse(await proxy.text('describe_tool', { names: ['memory_create_entities'] }))
    expect(described.inputSchema.properties.entities.type).toBe('array')
    // A large result is shaped and explored as it is without.
    const tree = { name: 'filesystem_directory_tree', arguments: { path: join(folder, 'tree') } }
    const count = await proxy.text('proxy_filter', {
      cache_id: handleOf(await proxy.call('call_tool', tree)),
      path: '$..children[*]',
      where: ['type = file'],
      aggregate: 'count',
    })
    expect(count).toContain('1000')
  })

  verifies(
    'S1.62',
    'what cannot be run is a result that says what to do, and the session goes on',
    async () => {
      const proxy = await world()
      await ready(proxy)
      const wrong: [Record<string, unknown>, string][] = [
        [{ name: 'filesystem_read_txt_file', arguments: {} }, 'Did you mean filesystem_read_text_file'],
        [
          { name: 'filesystem_read_text_file', arguments: { pth: '/x' } },
          'filesystem_read_text_file(path: string',
        ],
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
    },
  )

  test('the client is told how to find tools', async () => {
    const proxy = await light()
    expect(proxy.client.getInstructions()).toContain('First call retrieve_tools with what you want to do')
  })
})

describe('routing dynamic', () => {
  verifies(
    'S1.6 S1.7 S1.8 S1.31 S1.35',
    'adds what was found to the list, as its server lists it, and tells the client once',
    async () => {
      const proxy = await world({}, { MCPPROXY_ROUTING_TYPE: 'DYNAMIC', MCPPROXY_TOOLS_LIMIT: '3' })
      expect(await names(proxy)).toEqual(['retrieve_tools', ...OWN])
      await expect
        .poll(async () => (await retrieve(proxy, { query: 'echo back the input', top_k: 1 })).tools[0]?.name)
        .toBe('everything_echo')
      await expect.poll(() => names(proxy)).toContain('everything_echo')
      await expect.poll(proxy.changes).toBeGreaterThan(0)
      const listed = (await proxy.client.listTools()).tools.find(({ name }) => name === 'everything_echo')
      expect(listed?.inputSchema).toMatchObject({ properties: { message: { type: 'string' } } })
      expect(await proxy.text('everything_echo', { message: 'hello' })).toContain('hello')
      await retrieve(proxy, { query: 'read a file', top_k: 5 })
      expect((await names(proxy)).length).toBe(1 + OWN.length + 3)
    },
  )
})

/** Servers, their tools and arguments, in an order in which they can be called. */
const calls = (folder: string): [server: string, tool: string, args: Record<string, unknown>][] => [
  ['filesystem', 'read_text_file', { path: join(folder, 'small.txt') }],
  ['filesystem', 'list_directory', { path: folder }],
  ['filesystem', 'read_text_file', { path: join(folder, 'missing.txt') }],
  [
    'memory',
    'create_entities',
    { entities: [{ name: 'Ada', entityType: 'person', observations: ['counts'] }] },
  ],
  ['memory', 'read_graph', {}],
  ['everything', 'echo', { message: 'ü' }],
  ['everything', 'get-structured-content', { location: 'Chicago' }],
  ['everything', 'get-tiny-image', {}],
  ['web', 'get-annotated-message', { messageType: 'error', includeImage: true }],
]

describe.each(GENERATIONS)('a client of the SDK, %s', (generation) => {
  test.each(['call', 'dynamic'] as const)(
    'is answered as by the servers themselves, routing %s',
    async (routing) => {
      const directory = temporaryDirectory()
      const folder = makeFolder(directory)
      const all = servers(directory, folder, await overHttp('streamableHttp'))
      const settings = { exposure: 'retrieve', retrieve: { routing, poolLimit: 50 } }
      const config = writeConfig(directory, { servers: all, settings })
      const client = await connectClient(generation, {
        command: process.execPath,
        args: [MAIN, '--config', config],
      })
      const call: Call = (name, args = {}) => client.callTool({ name, arguments: args })
      await readyBy(call)
      for (const server of ['filesystem', 'memory', 'everything', 'web']) {
        const direct = await connectClient(
          generation,
          server === 'web'
            ? everything
            : server === 'memory'
              ? memory(join(directory, 'other.json'))
              : (all[server] as Command),
        )
        for (const [, tool, args] of calls(folder).filter(([one]) => one === server)) {
          const name = `${server}_${tool}`
          const found = await retrieveBy(call, { query: `${server} ${tool}`, top_k: 10 })
          expect(found.tools.map((one) => one.name)).toContain(name)
          if (routing === 'dynamic') expect(await names({ client })).toContain(name)
          const expected = await direct.callTool({ name: tool, arguments: args })
          const got =
            routing === 'dynamic'
              ? await call(name, args)
              : await call('call_tool', { name, arguments: args })
          expect(got, name).toEqual(expected)
        }
        await direct.close()
      }
    },
  )
})

verifies(
  'S1.17 S1.7 S1.11',
  'over HTTP each agent has tools of its own, and is told of them once',
  async () => {
    const directory = temporaryDirectory()
    const folder = makeFolder(directory)
    const { url } = await startHttpProxy({
      directory,
      servers: servers(directory, folder, await overHttp('streamableHttp')),
      settings: { exposure: 'retrieve', retrieve: { routing: 'dynamic' } },
    })
    const connect = async () => {
      const client = new Client({ name: 'test', version: '1.0.0' })
      let changes = 0
      client.setNotificationHandler('notifications/tools/list_changed', () => void changes++)
      onTestFinished(() => client.close())
      await client.connect(new StreamableHTTPClientTransport(url))
      const call: Call = async (name, args = {}) =>
        (await client.callTool({ name, arguments: args })) as ToolResult
      await readyBy(call)
      return { client, call, changes: () => changes }
    }
    const [anna, ben] = await Promise.all([connect(), connect()])
    const first = await retrieveBy(anna.call, { query: 'everything echo', top_k: 1 })
    expect(first.newly_registered).toEqual(['everything_echo'])
    await expect.poll(anna.changes).toBe(1)
    const again = await retrieveBy(anna.call, { query: 'everything echo', top_k: 1 })
    expect(again.newly_registered).toEqual([])
    await retrieveBy(ben.call, { query: 'read the graph of the memory', top_k: 1 })
    await expect.poll(ben.changes).toBe(1)
    // What would have been told too often has come before this.
    await retrieveBy(anna.call, { query: 'read a text file', top_k: 1 })
    await expect.poll(anna.changes).toBe(2)
    expect(ben.changes()).toBe(1)
    expect(await names(anna)).toContain('everything_echo')
    expect(await names(ben)).not.toContain('everything_echo')
    expect(await names(ben)).toContain('memory_read_graph')
    expect(textOf(await anna.call('everything_echo', { message: 'hello' }))).toContain('hello')
  },
)

test('what reads, what writes and what destroys can be approved apart', async () => {
  const proxy = await world({ variants: 'readWriteDestructive' })
  await ready(proxy)
  const { tools } = await proxy.client.listTools()
  const hints = tools
    .filter(({ name }) => name.startsWith('call_tool'))
    .map(({ name, annotations }) => [name, annotations?.readOnlyHint, annotations?.destructiveHint])
  expect(hints).toEqual([
    ['call_tool_read', true, undefined],
    ['call_tool_write', false, false],
    ['call_tool_destructive', false, true],
  ])
  const read = { name: 'filesystem_read_text_file', arguments: { path: join(proxy.folder, 'small.txt') } }
  expect(await proxy.text('call_tool_read', read)).toBe('a small file\n')
  const path = join(proxy.folder, 'written.txt')
  const write = { name: 'filesystem_write_file', arguments: { path, content: 'new' } }
  const refused = await proxy.call('call_tool_read', write)
  expect(refused.isError).toBe(true)
  expect(textOf(refused)).toContain('run it with call_tool_')
  expect(existsSync(path)).toBe(false)
  expect((await proxy.call('call_tool_destructive', write)).isError).not.toBe(true)
  expect(readFileSync(path, 'utf8')).toBe('new')
})

verifies('S1.69', 'several questions are one call, and several tools one description', async () => {
  const proxy = await world({ routing: 'dynamic' })
  await ready(proxy)
  const found = await retrieve(proxy, { queries: ['read a text file', 'everything echo'], top_k: 1 })
  const both = ['filesystem_read_text_file', 'everything_echo']
  expect(found.tools.map(({ name }) => name).sort()).toEqual(both.sort())
  await expect.poll(proxy.changes).toBe(1)
  const described = JSON.parse(await proxy.text('describe_tool', { names: both }))
  expect(described.map(({ inputSchema }: { inputSchema: object }) => inputSchema)).toHaveLength(2)
  // The second thing that changes is the second that is told.
  await retrieve(proxy, { query: 'web echo', top_k: 1 })
  await expect.poll(proxy.changes).toBe(2)
})

test('all tools are listed as they are while they cost no more tokens than is allowed', async () => {
  const proxy = await light({ listWithinTokens: 1_000_000 })
  expect(await names(proxy)).toContain('fixture_text')
  expect(await names(proxy)).not.toContain('retrieve_tools')
  expect(await proxy.text('fixture_text', { size: 3 })).toBe('aaa')
  const small = await light({ listWithinTokens: 100 })
  expect(await names(small)).toContain('retrieve_tools')
  expect(await names(small)).not.toContain('fixture_text')
})

verifies('S1.34', 'how many tools a question gives is set', async () => {
  const proxy = await light({}, { MCPPROXY_TOP_K: '2' })
  expect((await retrieve(proxy, { query: 'records of an array' })).tools).toHaveLength(2)
})

verifies(
  'S1.57 S1.37',
  'results are cut where that is asked for, and are the same to the byte where it is not',
  async () => {
    const text = async (env: Record<string, string>): Promise<string> => {
      const proxy = await light({}, env)
      return proxy.text('call_tool', { name: 'fixture_text', arguments: { size: 1000 } })
    }
    const whole = await text({})
    expect(whole).toHaveLength(1000)
    const cut = await text({ MCPPROXY_TRUNCATE_OUTPUT_LEN: '200' })
    expect(cut).toHaveLength(200)
    expect(cut.endsWith(whole.slice(-50))).toBe(true)
    expect(cut).toContain('<truncated by smart mcp proxy>')
  },
)

verifies('S1.50 S1.48', 'an embedder that cannot work here is told with what makes it work', async () => {
  const start = async (engine: string) => {
    const directory = temporaryDirectory()
    const file = writeConfig(directory, {
      servers: { fixture: fixture('fixture') },
      settings: { exposure: 'retrieve', index: { engine } },
    })
    return runProxy(['--config', file], { env: { OPENAI_API_KEY: '' } })
  }
  const local = await start('hf')
  expect(local.code).not.toBe(0)
  expect(local.stderr).toContain('npm install @huggingface/transformers')
  const remote = await start('openai')
  expect(remote.code).not.toBe(0)
  expect(remote.stderr).toContain('OPENAI_API_KEY')
})
