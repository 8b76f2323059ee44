/** Finding tools with every client: both generations of the SDK, both eras, standard input and HTTP; and what no client may see. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { catalogue, namesFor, retrieve } from './support/catalogue.ts'
import { type AnyClient, connectClient } from './support/clients.ts'
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

/** Clients that no other file of tests has: SDK 2.x in the legacy era calls real servers in `retrieve.test.ts`. */
const CLIENTS: Record<string, (routing: string) => Promise<AnyClient>> = {
  'SDK 1.x': async (routing) => {
    const config = writeConfig(temporaryDirectory(), { servers, settings: settings(routing) })
    return connectClient('1.x', { command: process.execPath, args: [MAIN, '--config', config] })
  },
  'SDK 2.x, modern era': async (routing) => {
    const client = { versionNegotiation: { mode: { pin: '2026-07-28' } } } as const
    return (await startProxy({ servers, settings: settings(routing), client })).client as unknown as AnyClient
  },
}

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
        // The SDK refuses a result without structured content where a schema was listed.
        expect(await run('one_typed')).not.toHaveProperty('structuredContent')
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
  'S1.17 S1.16 S1.7 S1.11',
  'clients of one proxy have separate tool lists, are notified once, and share servers',
  async () => {
    const { url } = await startHttpProxy({ servers, settings: settings('dynamic') })
    const connect = async () => {
      const client = new Client({ name: 'test', version: '1' })
      let told = 0
      client.setNotificationHandler('notifications/tools/list_changed', () => void told++)
      await client.connect(new StreamableHTTPClientTransport(url))
      onTestFinished(() => client.close())
      const ask = asker(client as unknown as AnyClient)
      const listed = async (): Promise<string[]> =>
        (await client.listTools()).tools.map(({ name }) => name).filter((name) => /^(?:one|two)_/.test(name))
      const described = () => ask.text('describe_tool', { names: ['one_environment', 'two_slow'] })
      await expect.poll(described).not.toContain('"error"')
      return { ask, listed, told: () => told }
    }
    const [anna, ben] = await Promise.all([connect(), connect()])
    const first = await retrieve(anna.ask, 'one environment', 1)
    expect(first.newly_registered).toEqual(['one_environment'])
    await expect.poll(anna.told).toBe(1)
    expect((await retrieve(anna.ask, 'one environment', 1)).newly_registered).toEqual([])
    expect(await anna.listed()).toEqual(['one_environment'])
    expect(await ben.listed()).toEqual([])
    await retrieve(ben.ask, 'two slow', 1)
    await expect.poll(ben.told).toBe(1)
    // A notification that is sent too often would have come before this one.
    await retrieve(anna.ask, 'one typed', 1)
    await expect.poll(anna.told).toBe(2)
    expect(ben.told()).toBe(1)
    expect(await anna.listed()).not.toContain('two_slow')
    const pid = async (): Promise<unknown> => JSON.parse(await anna.ask.text('one_environment')).pid
    expect(new Set(await Promise.all(Array.from({ length: 10 }, pid))).size).toBe(1)
  },
)

test('a tool with the name of a proxy tool is found under another name', async () => {
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
