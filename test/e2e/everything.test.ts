/** Everything that the everything server has, asked of it directly and through the proxy: the transcripts are one and the same. */
import { isDeepStrictEqual } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, onTestFinished } from 'vitest'
import * as z from 'zod'
import { verifies } from '../support/verifies.ts'
import type { Command, Generation } from './support/clients.ts'
import { answers, CAPABILITIES, OPENING, type Step, steps } from './support/everything-script.ts'
import { startHttpProxy } from './support/http-proxy.ts'
import { isAnnouncement, MARK, normal, settled } from './support/normal-form.ts'
import { everything, overHttp } from './support/real-servers.ts'
import { type Message, record } from './support/recorder.ts'
import { MAIN, temporaryDirectory, writeConfig } from './support/world.ts'

type Server = Command | { url: string }

/** Past the SDK's reading of results; what counts is recorded before it. */
const anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
}
const SERVER: Command = { ...everything, env: { [MARK]: 'passed on' } }
/** One step of the client and what the server said meanwhile. */
interface Page {
  step: unknown
  messages: unknown[]
}

/** The last page of a transcript: steps that waited in vain for what belongs to them. */
const NOTHING_MISSING = { step: 'awaited in vain', messages: [] }

const STATUS = 'notifications/tasks/status'
const isStatus = ({ method }: Message): boolean => method === STATUS

const OWN_TOOLS = /^proxy_(?:filter|search|explore|code)$/

/**
 * A stream on which the answer was an error is taken for one that broke off by the SDK. It would come back, and this server
 * then repeats all it ever said.
 */
const NEVER_AGAIN = {
  maxRetries: 0,
  initialReconnectionDelay: 1000,
  maxReconnectionDelay: 1000,
  reconnectionDelayGrowFactor: 1,
}

interface Driver {
  request(request: object, schema: never, options: object): Promise<unknown>
  connect(transport: never): Promise<void>
  close(): Promise<void>
}

function transportTo(generation: Generation, server: Server): never {
  if ('url' in server) {
    const url = new URL(server.url)
    const Transport = generation === '1.x' ? LegacyHttp : StreamableHTTPClientTransport
    return new Transport(url, { reconnectionOptions: NEVER_AGAIN }) as never
  }
  const env = { ...(process.env as Record<string, string>), ...server.env }
  const command = { ...server, env, stderr: 'ignore' as const }
  return (generation === '1.x' ? new LegacyStdio(command) : new StdioClientTransport(command)) as never
}

/** The messages of the server to a client that goes through all steps, each in its normal form. */
async function transcript(
  generation: Generation,
  server: Server,
  rename = { to: String as (name: string) => string, from: String as (text: string) => string },
): Promise<Page[]> {
  const info = { name: 'test', version: '1.0.0' }
  const options = { capabilities: CAPABILITIES as never }
  const client = (generation === '1.x'
    ? new LegacyClient(info, options)
    : new Client(info, options)) as unknown as Driver
  const transport = transportTo(generation, server)
  const recorder = record(transport, answers)
  await client.connect(transport)
  onTestFinished(() => client.close())

  let last: Message['result']
  /** Of the task, the first that came: that is a matter of time. */
  let status: Message | undefined
  const missing: string[] = []
  const run = async ({ method, params = {}, progress, until, from }: Step): Promise<Message[]> => {
    const sent = { method, params: renamed({ ...params, ...from?.(last) }, rename.to) }
    const schema = (generation === '1.x' ? z.looseObject({}) : anything) as never
    await client.request(sent, schema, progress ? { onprogress: () => {} } : {}).catch(() => undefined)
    if (until && !(await recorder.until(until))) missing.push(method)
    const messages = recorder.take()
    status ??= messages.find(isStatus)
    last = messages.find(({ result }) => result !== undefined)?.result ?? last
    return messages.map(withoutOwnTools)
  }

  const opening = await run(OPENING)
  const results = opening.flatMap(({ result }) => (result === undefined ? [] : [result]))
  const [greeting, listed] = results
  const { resources = [] } = (listed ?? {}) as { resources?: { uri: string }[] }
  const uris = resources.map(({ uri }) => uri)
  const first = opening.filter(({ method }) => method !== undefined && !method.endsWith('/list_changed'))
  const pages = [
    { step: 'capabilities', messages: [greeting?.capabilities] },
    { step: 'first', messages: first.map((message) => normal(message, rename.from)) },
  ] as Page[]
  for (const step of steps(uris)) {
    const said = await run(step)
    // Announcements of the server after its start come at any time: they are compared where a step causes them.
    const caused = step.until === undefined ? said.filter((message) => !isAnnouncement(message)) : said
    const messages = settled(caused).map((message) => normal(message, rename.from))
    pages.push({ step: { method: step.method, params: step.params }, messages })
  }
  if (status === undefined && !(await recorder.until(isStatus))) missing.push(STATUS)
  status ??= recorder.take().find(isStatus)
  pages.push({ step: STATUS, messages: [Object.keys(status?.params ?? {})] })
  pages.push({ ...NOTHING_MISSING, messages: missing })
  return pages
}

/** Says of every page that differs what it is directly and what through the proxy. */
function expectSame(direct: readonly Page[], through: readonly Page[]): void {
  expect(direct.at(-1)).toEqual(NOTHING_MISSING)
  const differing = direct.filter((page, index) => !isDeepStrictEqual(page, through[index]))
  const same = through.filter((page, index) => !isDeepStrictEqual(page, direct[index]))
  expect(same).toEqual(differing)
}

/** Names of tools and prompts, wherever a request has one. */
function renamed(params: Record<string, unknown>, to: (name: string) => string): Record<string, unknown> {
  const { name, ref } = params as { name?: string; ref?: { name?: string } }
  return {
    ...params,
    ...(name !== undefined && { name: to(name) }),
    ...(ref?.name !== undefined && { ref: { ...ref, name: to(ref.name) } }),
  }
}

function withoutOwnTools(message: Message): Message {
  const tools = message.result?.tools as { name: string }[] | undefined
  if (!tools) return message
  const others = tools.filter(({ name }) => !OWN_TOOLS.test(name))
  return { ...message, result: { ...message.result, tools: others } }
}

/** The proxy before this server, which it has met once; nothing is shaped. */
async function proxied(server: Server, prefix: 'always' | 'never'): Promise<Server> {
  const options = {
    servers: { everything: server },
    settings: { naming: { prefix }, enableAutoTruncation: false, log: { level: 'error' } },
  }
  const proxy =
    'url' in server
      ? { url: (await startHttpProxy(options)).url.href }
      : { command: process.execPath, args: [MAIN, '--config', writeConfig(temporaryDirectory(), options)] }
  // The first client of all is answered before the server is there, so what it can do is not known.
  const first = new Client({ name: 'first', version: '1.0.0' })
  await first.connect(transportTo('2.x', proxy))
  await first.listTools()
  await first.close()
  return proxy
}

const serverOver = async (transport: 'stdio' | 'http'): Promise<Server> =>
  transport === 'stdio' ? SERVER : overHttp('streamableHttp')

for (const generation of ['1.x', '2.x'] as const) {
  for (const transport of ['stdio', 'http'] as const) {
    verifies(
      'S2.3 S2.11 S2.14 S2.15',
      `everything over ${transport} is the same through the proxy, for a client of SDK ${generation}`,
      async () => {
        const server = await serverOver(transport)
        const through = await transcript(generation, await proxied(server, 'never'))
        const direct = await transcript(generation, server)
        expectSame(direct, through)
      },
    )
  }
}

verifies('S2.24', 'with prefixes everything is the same but for the names of tools and prompts', async () => {
  const PREFIX = 'everything_'
  const rename = {
    to: (name: string) => PREFIX + name,
    from: (text: string) => text.replaceAll(PREFIX, ''),
  }
  const through = await transcript('2.x', await proxied(SERVER, 'always'), rename)
  const direct = await transcript('2.x', SERVER)
  expectSame(direct, through)
})
