/** Tools that are found instead of listed, over real servers and with clients of the SDK. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { verifies } from '../support/verifies.ts'
import { runProxy } from './support/command.ts'
import { everything, filesystem, makeFolder, memory } from './support/real-servers.ts'
import {
  fixture,
  handleOf,
  type RunningProxy,
  startProxy,
  temporaryDirectory,
  textOf,
  writeConfig,
} from './support/world.ts'

/** The reply of `retrieve_tools` (seed S1). */
const answer = z.object({
  message: z.string(),
  query: z.union([z.string(), z.array(z.string())]),
  total_available_tools: z.int(),
  newly_registered: z.array(z.string()).optional(),
  evicted_tools: z.array(z.string()).optional(),
  pool_size: z.int().optional(),
  pool_limit: z.int().optional(),
  tools: z.array(
    z.object({
      name: z.string(),
      original_name: z.string(),
      server: z.string(),
      description: z.string(),
      score: z.number().positive().max(1),
      signature: z.string().optional(),
      newly_registered: z.boolean().optional(),
    }),
  ),
})

async function world(
  retrieve: object = {},
  env: Record<string, string> = {},
  settings: object = {},
): Promise<RunningProxy & { folder: string; changes: () => number }> {
  const directory = temporaryDirectory()
  const folder = makeFolder(directory)
  let changes = 0
  const proxy = await startProxy({
    directory,
    servers: {
      filesystem: filesystem(folder),
      memory: memory(join(directory, 'memory.json')),
      everything,
      fixture: fixture('fixture'),
    },
    settings: { exposure: 'retrieve', retrieve, ...settings },
    env,
  })
  proxy.client.setNotificationHandler('notifications/tools/list_changed', () => void changes++)
  return { ...proxy, folder, changes: () => changes }
}

const names = async ({ client }: RunningProxy): Promise<string[]> =>
  (await client.listTools()).tools.map(({ name }) => name)

const retrieve = async (proxy: RunningProxy, args: Record<string, unknown>) =>
  answer.parse(JSON.parse(await proxy.text('retrieve_tools', args)))

/** All servers have answered: what is asked then does not depend on how fast they are. */
async function ready(proxy: RunningProxy): Promise<void> {
  const servers = async (): Promise<number> => {
    const all = await retrieve(proxy, {
      queries: ['read a file', 'create entities', 'echo', 'records with an output schema'],
      top_k: 10,
    })
    return new Set(all.tools.map(({ server }) => server)).size
  }
  await expect.poll(servers).toBe(4)
}

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
  })

  test('a large result is shaped and explored as it is without', async () => {
    const proxy = await world()
    await ready(proxy)
    const { folder } = proxy
    const args = { path: join(folder, 'tree') }
    const shaped = await proxy.call('call_tool', { name: 'filesystem_directory_tree', arguments: args })
    const count = await proxy.text('proxy_filter', {
      cache_id: handleOf(shaped),
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
    const proxy = await world()
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

verifies('S1.34', 'how many tools a question gives is set', async () => {
  const proxy = await world({}, { MCPPROXY_TOP_K: '2' })
  await ready(proxy)
  expect((await retrieve(proxy, { query: 'read a file' })).tools).toHaveLength(2)
})

verifies(
  'S1.20 S1.21',
  'what was learned is there at the next start, before a server has answered',
  async () => {
    const directory = temporaryDirectory()
    const start = (delay: number) =>
      startProxy({
        directory,
        servers: { slow: fixture('slow', delay) },
        settings: { exposure: 'retrieve' },
      })
    const first = await start(0)
    await expect
      .poll(async () => (await retrieve(first, { query: 'records with a schema' })).tools.length)
      .toBeGreaterThan(0)
    await first.close()
  },
)

verifies(
  'S1.57 S1.37',
  'results are cut where that is asked for, and are the same to the byte where it is not',
  async () => {
    const text = async (env: Record<string, string>): Promise<string> => {
      const proxy = await world({}, env)
      await ready(proxy)
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
      settings: { exposure: 'retrieve', retrieve: { engine } },
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
