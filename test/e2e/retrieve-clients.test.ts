/** Finding tools with every client: both generations of the SDK, both eras, standard input and HTTP; and what no client may see. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { catalogue, namesFor, retrieve } from './support/catalogue.ts'
import { type AnyClient, connectClient, GENERATIONS } from './support/clients.ts'
import { startHttpProxy } from './support/http-proxy.ts'
import { startLineClient } from './support/line-client.ts'
import {
  fixture,
  MAIN,
  startProxy,
  type ToolResult,
  temporaryDirectory,
  textOf,
  writeConfig,
} from './support/world.ts'

const ROUTINGS = ['call', 'dynamic'] as const
const servers = { one: fixture('one'), two: fixture('two') }
const settings = (routing: string) => ({ exposure: 'retrieve', retrieve: { routing } })

const CLIENTS: Record<string, (routing: string) => Promise<AnyClient>> = Object.fromEntries([
  ...GENERATIONS.map((generation) => [
    `SDK ${generation}`,
    async (routing: string) => {
      const config = writeConfig(temporaryDirectory(), { servers, settings: settings(routing) })
      return connectClient(generation, { command: process.execPath, args: [MAIN, '--config', config] })
    },
  ]),
  [
    'SDK 2.x, modern era',
    async (routing: string) => {
      const client = { versionNegotiation: { mode: { pin: '2026-07-28' } } } as const
      return (await startProxy({ servers, settings: settings(routing), client }))
        .client as unknown as AnyClient
    },
  ],
])

const asker = (client: AnyClient) => ({
  text: async (name: string, args: Record<string, unknown> = {}) =>
    textOf(await client.callTool({ name, arguments: args })),
})

describe.each(Object.entries(CLIENTS))('%s', (_, connect) => {
  verifies(
    'S1.19 S1.1 S1.13',
    'lists, finds and calls in both routings, and its own checks pass',
    async () => {
      for (const routing of ROUTINGS) {
        const client = await connect(routing)
        const ask = asker(client)
        await expect
          .poll(async () => (await namesFor(ask, 'records with an output schema')).sort())
          .toEqual(expect.arrayContaining(['one_typed', 'two_typed']))
        const { tools } = await client.listTools()
        for (const { name, inputSchema } of tools) {
          expect(name).toMatch(/^[\w-]{1,60}$/)
          expect(inputSchema).toMatchObject({ type: 'object' })
        }
        const run = (name: string, args = {}): Promise<ToolResult> =>
          routing === 'call'
            ? client.callTool({ name: 'call_tool', arguments: { name, arguments: args } })
            : client.callTool({ name, arguments: args })
        expect(tools.map(({ name }) => name).includes('one_typed')).toBe(routing === 'dynamic')
        // The SDK checks structured content against the schema that was listed.
        expect((await run('one_typed')).structuredContent).toMatchObject({ rows: expect.any(Array) })
        const echo = { content: [{ type: 'text', text: 'hello' }], isError: true }
        expect(await run('two_give', { result: echo })).toMatchObject(echo)
        await client.close()
      }
    },
  )
})

verifies('S1.19', 'the rest of the protocol is as it is without', async () => {
  for (const routing of ROUTINGS) {
    const client = startLineClient({ servers: { one: fixture('one') }, settings: settings(routing) })
    await client.open()
    expect(await client.request('ping')).toEqual({})
    expect((await client.request('prompts/list')).prompts).toMatchObject([{ name: 'one_greet' }])
    expect((await client.request('resources/list')).resources).toMatchObject([{ uri: 'fixture://one/one' }])
    await expect(client.request('no/such')).rejects.toThrow('Method not found')
    await expect(client.request('tools/list', { cursor: 'x' })).rejects.toThrow()
    expect((await client.call('retrieve_tools', { query: 'environment' })).isError).toBeFalsy()
    expect(client.strays).toEqual([])
    expect(client.unasked).toEqual([])
    await client.end()
  }
})

verifies(
  'S1.17 S1.16',
  'clients of one proxy have their own tools, and share what is behind it',
  async () => {
    const { url } = await startHttpProxy({ servers, settings: settings('dynamic') })
    const connect = async (): Promise<AnyClient> => {
      const client = new Client({ name: 'test', version: '1' })
      await client.connect(new StreamableHTTPClientTransport(url))
      onTestFinished(() => client.close())
      return client as unknown as AnyClient
    }
    const [anna, ben] = await Promise.all([connect(), connect()])
    const listed = async (client: AnyClient): Promise<string[]> =>
      (await client.listTools()).tools.map(({ name }) => name).filter((name) => /^(?:one|two)_/.test(name))
    await expect
      .poll(() => namesFor(asker(anna), 'environment', 1))
      .toEqual([expect.stringMatching(/_environment$/)])
    expect(await listed(anna)).toContain('one_environment')
    expect(await listed(ben)).toEqual([])
    await retrieve(asker(ben), 'slow', 1)
    expect(await listed(anna)).not.toEqual(expect.arrayContaining(await listed(ben)))
    const pid = async (): Promise<unknown> => JSON.parse(await asker(anna).text('one_environment')).pid
    expect(new Set(await Promise.all(Array.from({ length: 10 }, pid))).size).toBe(1)
  },
)

verifies(
  'S1.36 S1.13',
  'names of a hundred characters are cut, stay apart, and lead to their tools',
  async () => {
    const directory = temporaryDirectory()
    const long = (end: string): string =>
      `${'measure_the_temperature_'.repeat(5).slice(0, 100 - end.length)}${end}`
    const [first, second] = [long('_of_water'), long('_of_metal')]
    const shop = catalogue(directory, 'shop', {
      [first]: 'How warm water is.',
      [second]: 'How warm metal is.',
    })
    const proxy = await startProxy({
      directory,
      servers: { shop: shop.server },
      settings: settings('call'),
      env: { MCPPROXY_TOOL_NAME_LIMIT: '40' },
    })
    for (const [question, original] of [
      ['water', first],
      ['metal', second],
    ] as const) {
      await expect.poll(() => namesFor(proxy, question, 1)).toHaveLength(1)
      const [name = ''] = await namesFor(proxy, question, 1)
      expect(name.length).toBeLessThanOrEqual(40)
      expect(name).toMatch(/^shop_measure/)
      expect(JSON.parse(await proxy.text('call_tool', { name }))).toMatchObject({ ran: original })
    }
  },
)

test('a server whose tool is called as one of the proxy’s own is found under another name', async () => {
  const directory = temporaryDirectory()
  const tools = {
    call_tool: 'Rings somebody up.',
    retrieve_tools: 'Fetches hammers.',
    describe_tool: 'Paints a saw.',
  }
  const shop = catalogue(directory, 'shop', tools)
  for (const routing of ROUTINGS) {
    const proxy = await startProxy({
      directory,
      servers: { shop: shop.server },
      settings: { ...settings(routing), naming: { prefix: 'never' } },
    })
    for (const [question, original] of [
      ['hammers', 'retrieve_tools'],
      ['ring up', 'call_tool'],
    ] as const) {
      await expect.poll(() => namesFor(proxy, question, 1)).toHaveLength(1)
      const [name = ''] = await namesFor(proxy, question, 1)
      expect(name).not.toBe(original)
      expect(JSON.parse(await proxy.text('call_tool', { name }))).toMatchObject({ ran: original })
    }
    const names = (await proxy.client.listTools()).tools.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    await proxy.close()
  }
})

verifies('S1.60', 'tools are found and called where no code can be made from texts', async () => {
  const config = writeConfig(temporaryDirectory(), { servers, settings: settings('call') })
  const client = await connectClient('2.x', {
    command: process.execPath,
    args: ['--disallow-code-generation-from-strings', MAIN, '--config', config],
  })
  await expect.poll(() => namesFor(asker(client), 'quick brown text of bytes')).toContain('one_big')
  const big = { name: 'one_big', arguments: { bytes: 20_000 } }
  const shaped = await client.callTool({ name: 'call_tool', arguments: big })
  expect(textOf(shaped)).toContain('cache_id')
})
