/**
 * Asks the proxy from a terminal or a script as a client over standard input does: the same tools, layers and kept results. A result that
 * one command keeps is found by the next one, and by a proxy over standard input with the same data directory. A gateway that runs with
 * the same configuration is asked, so that no server is started again. Otherwise one is started for the command.
 */
import { PassThrough, type Readable, type Writable } from 'node:stream'
import { packageVersion } from '../config/identity.ts'
import type { Config } from '../config/schema.ts'
import { prepareDataDirectory } from '../data/directory.ts'
import type { Gateway } from '../gateway.ts'
import { blocksOf, dataIn, plain, textIn } from '../protocol/content.ts'
import { MODERN_META, MODERN_VERSIONS, toLegacyResult } from '../protocol/eras.ts'
import { messageOf, ProxyError } from '../protocol/errors.ts'
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../protocol/json.ts'
import type { JsonRpcMessage, Transport } from '../protocol/message.ts'
import { Peer } from '../protocol/peer.ts'
import { LineReader, LineWriter, textOfParts } from '../protocol/stream.ts'
import { formatBytes, printable, printableLines, saysGone } from '../text/format.ts'
import { adminOf } from './admin.ts'
import { joinRunning } from './connect.ts'
import type { Host, Invocation } from './host.ts'
import { settle } from './settle.ts'
import { columns, painter, progressLine } from './terminal.ts'

/** How a reply is printed. */
export interface Printing {
  /** The result as JSON in place of its text. */
  readonly json: boolean
  /** The whole result of a call, however large. */
  readonly whole?: boolean
}

/** Prints all tools that a client sees. With words, it prints the tools that fit the words best. */
export async function listTools(
  host: Host,
  invocation: Invocation,
  words: readonly string[],
  { json }: Printing,
): Promise<number> {
  if (words.length > 0) {
    const query = words.join(' ')
    return ask(
      host,
      invocation,
      { tool: 'retrieve_tools', settings: () => ({ exposure: 'retrieve' }) },
      (proxy) => proxy.print('retrieve_tools', { query }, json ? 'json' : foundTools),
    )
  }
  return ask(host, invocation, {}, async (proxy) => {
    const paint = painter(host, host.stdout)
    const tools = await proxy.tools()
    host.stdout.write(
      json ? `${JSON.stringify(tools, null, 2)}\n` : tools.map((tool) => lineOf(tool, paint)).join(''),
    )
    return 0
  })
}

/** Calls a tool by its listed name. Exit code 1 when it answers with an error. */
export async function callTool(
  host: Host,
  invocation: Invocation,
  [name = '', ...words]: readonly string[],
  { json, whole = false }: Printing,
): Promise<number> {
  return ask(
    host,
    invocation,
    whole ? { alone: true, settings: () => ({ enableAutoTruncation: false }) } : {},
    async (proxy) => proxy.print(name, argumentsOf(words, await proxy.schema(name)), json ? 'json' : 'text'),
  )
}

/** The parameter for the words after the `cache_id` that name none, by tool; of conditions there may be several. */
const QUESTIONS = { filter: 'where', search: 'pattern', explore: 'path' } as const

/** Asks a kept result, or lists what is kept where the words name none. */
export async function askKept(
  host: Host,
  invocation: Invocation,
  question: keyof typeof QUESTIONS,
  [id, ...words]: readonly string[],
  { json }: Printing,
): Promise<number> {
  return ask(host, invocation, {}, async (proxy, config) => {
    const name = `proxy_${question}`
    const schema = await proxy.schema(name)
    const given = argumentsOf(words, schema, QUESTIONS[question])
    const handle = id === 'last' ? await proxy.newest() : id
    const form = json ? 'json' : 'text'
    if (handle === undefined) return proxy.print(name, given, form)
    const theirs = await askTheirs(host, config, handle, name, given)
    return theirs === undefined
      ? proxy.print(name, { cache_id: handle, ...given }, form)
      : printed(host, theirs, form)
  })
}

/** Lists what a running proxy keeps for all of its clients. Exit code 1 when no proxy serves its console. */
export async function listAllKept(host: Host, invocation: Invocation, { json }: Printing): Promise<number> {
  const { config } = await settle(host, invocation, { serversOptional: true })
  const kept = await (await adminOf(host, config))?.ask('GET', '/results')
  if (!Array.isArray(kept?.results)) {
    host.stderr.write(
      'No proxy serves its console with this configuration, so only results of this user are listed: leave --all out, or set console.enabled.\n',
    )
    return 1
  }
  const results = kept.results.filter(isObject)
  if (json || host.stdout.isTTY !== true) host.stdout.write(`${JSON.stringify(results, null, 2)}\n`)
  else {
    const paint = painter(host, host.stdout)
    const cells = results.map(({ handle, tool, label, names, agent, bytes, pinned }) => [
      String(handle),
      String(label ?? tool),
      Array.isArray(names) && names.length > 0 ? names.join(', ') : String(agent),
      formatBytes(Number(bytes)),
      pinned === true ? 'pinned' : '',
    ])
    const rows = [['cache_id', 'result of', 'client', 'size', ''], ...cells]
    host.stdout.write(columns(rows, (cell, _, row) => (row === 0 ? paint(cell, 'dim') : cell)))
  }
  return 0
}

/** Pins or names a kept result. Exit code 1 when nothing is kept under this `cache_id`. */
export async function markKept(
  host: Host,
  invocation: Invocation,
  id: string,
  mark: { readonly pinned?: boolean; readonly label?: string | undefined },
): Promise<number> {
  if (mark.label !== undefined && (mark.label.length > 100 || /\p{C}/u.test(mark.label)))
    throw new ProxyError(
      'CONFIG_INVALID',
      'A name of a kept result is one line of at most 100 characters.',
      'Write a shorter name.',
    )
  return ask(host, invocation, { alone: true }, async (proxy, config, gateway) => {
    const handle = id === 'last' ? await proxy.newest() : id
    // A running proxy that serves its console may keep it for another client.
    const isMarked =
      handle !== undefined &&
      ((await markTheirs(host, config, handle, mark)) || (await gateway?.mark(handle, mark)) === true)
    if (isMarked) {
      host.stdout.write(`${handle}\n`)
      return 0
    }
    host.stderr.write(
      `Nothing is kept under ${printable(id)}. List what is kept with: mcp-rlm-proxy results\n`,
    )
    return 1
  })
}

async function markTheirs(
  host: Host,
  config: Config,
  handle: string,
  { pinned, ...name }: Parameters<typeof markKept>[3],
): Promise<boolean> {
  const admin = await adminOf(host, config)
  const marked = {
    ...(pinned !== undefined && { pinned }),
    ...('label' in name && { label: name.label ?? '' }),
  }
  return (await admin?.ask('PUT', `/results/${handle}`, marked)) !== undefined
}

/** Runs a program over kept results. `program`: undefined, it is read from standard input. */
export async function runProgram(
  host: Host,
  invocation: Invocation,
  [ids = '', program]: readonly string[],
  { json }: Printing,
): Promise<number> {
  const code = program ?? (await host.readInput())
  const settings = (own: Config['settings']) =>
    ({ exposure: 'passthrough', code: { ...own.code, enabled: true } }) as const
  return ask(host, invocation, { tool: 'proxy_code', settings }, async (proxy) => {
    const words = ids === '-' ? [] : ids.split(',')
    const handles = await Promise.all(words.map((id) => (id === 'last' ? proxy.newest() : id)))
    const about = handles.filter((id) => id !== undefined)
    return proxy.print(
      'proxy_code',
      { code, ...(about.length > 0 && { cache_id: about.join(',') }) },
      json ? 'json' : 'text',
    )
  })
}

interface Proxy {
  tools(): Promise<JsonObject[]>
  /** The input schema of a tool; of one that is not listed, none. */
  schema(name: string): Promise<JsonObject>
  /** The handle of what was kept last, in an earlier run as well. A proxy means by `last` what it kept itself. */
  newest(): Promise<string | undefined>
  /** Prints what a tool answers, as JSON, as text or as a function makes it of the text, and gives the exit code. */
  print(name: string, given: JsonObject, form: Form): Promise<number>
}

type Form = 'json' | 'text' | ((text: string) => string)

/** The demands of a command on the gateway that it asks. */
interface Needs {
  /** The tool that it calls: a running gateway that does not list it is not asked. */
  readonly tool?: string
  /** No running gateway can do it. */
  readonly alone?: boolean
  /** The settings of a gateway that is started for it. */
  settings?(own: Config['settings']): Partial<Config['settings']>
}

/** `gateway`: the one that was started for this work. Absent: it asks one that runs. */
type Work = (proxy: Proxy, config: Config, gateway?: Gateway) => Promise<number>

async function ask(host: Host, invocation: Invocation, needs: Needs, work: Work): Promise<number> {
  const { config } = await settle(host, invocation)
  const transport = needs.alone ? undefined : await reachRunning(host, config, invocation)
  if (transport !== undefined) {
    const client = await opened(transport)
    try {
      const proxy = proxyOf(client, host)
      const { tool } = needs
      if (tool === undefined || (await proxy.tools()).some(({ name }) => name === tool))
        return await work(proxy, config)
    } finally {
      await client.close()
    }
  }
  return askStarted(host, config, needs, work)
}

/** Undefined: no gateway runs with this file and these flags. */
async function reachRunning(
  host: Host,
  config: Config,
  { flags }: Invocation,
): Promise<Transport | undefined> {
  if (config.file === undefined) return undefined
  const socket = await joinRunning(host, config.file, flags, 'local')
  if (socket !== undefined) return overStreams(socket, socket)
  const { profile, ...others } = flags
  // A proxy that was started with other flags may do something else.
  if (Object.values(others).some((flag) => flag !== undefined)) return undefined
  return (await adminOf(host, config))?.mcp(profile)
}

/** Runs a gateway for as long as the work takes. A server is started when something is asked of it. */
async function askStarted(host: Host, wished: Config, needs: Needs, work: Work): Promise<number> {
  const { config, discard } = prepareDataDirectory(wished, host)
  const { settings: own } = config
  const ours: Config = {
    ...config,
    settings: {
      ...own,
      ...needs.settings?.(own),
      transport: 'stdio',
      bridge: { ...own.bridge, enabled: false },
      console: { ...own.console, enabled: false },
      connect: { ...own.connect, lazy: true },
    },
  }
  const [input, output] = [new PassThrough(), new PassThrough()]
  const gateway = await host.createGateway(ours, { input, output })
  let client: Peer | undefined
  try {
    await gateway.start()
    client = await opened(overStreams(output, input))
    return await work(proxyOf(client, host), wished, gateway)
  } finally {
    await client?.close()
    await gateway.close()
    discard?.()
  }
}

/** A client of the modern era. To a gateway that runs, all commands are one client, so a browser or a shell of a server stays open. */
async function opened(transport: Transport): Promise<Peer> {
  const client = new Peer(transport, {
    onRequest: () => Promise.reject(new Error('a command line answers no questions')),
    onNotification: () => {},
  })
  await client.start()
  return client
}

/** The client that each request names in `_meta` (MCP 2026-07-28, basic/lifecycle). */
const META = {
  [MODERN_META.protocolVersion]: MODERN_VERSIONS[0],
  [MODERN_META.clientInfo]: { name: 'mcp-rlm-proxy command line', version: packageVersion() },
  [MODERN_META.clientCapabilities]: {},
}

function proxyOf(client: Peer, host: Host): Proxy {
  async function send(
    method: string,
    params: JsonObject,
    options: Parameters<Peer['request']>[1] = {},
  ): Promise<JsonObject> {
    const request = { method, params: { ...params, _meta: META } }
    return toLegacyResult(plain(await client.request(request, options)))
  }
  let listed: Promise<JsonObject[]> | undefined
  const tools = (): Promise<JsonObject[]> => {
    listed ??= list()
    return listed
  }
  async function list(): Promise<JsonObject[]> {
    const all: JsonObject[] = []
    let cursor: JsonValue | undefined
    do {
      const page: JsonObject = await send('tools/list', cursor === undefined ? {} : { cursor })
      if (Array.isArray(page.tools)) all.push(...page.tools.filter(isObject))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    return all
  }
  return {
    tools,
    async schema(name) {
      const tool = (await tools()).find((one) => one.name === name)
      return isObject(tool?.inputSchema) ? tool.inputSchema : {}
    },
    async newest() {
      const kept = textOf(await send('tools/call', { name: 'proxy_explore', arguments: {} }))
      return /^(?=[a-z]*\d)[0-9a-z]{12,25}(?= )/m.exec(kept)?.[0]
    },
    async print(name, given, form) {
      const shown = host.stderr.isTTY === true
      const line = progressLine(host)
      const onProgress = ({ progress, total, message }: JsonObject): void =>
        line.show(Number(progress), Number(total ?? 0), typeof message === 'string' ? message : '')
      let result: JsonObject
      try {
        result = await send('tools/call', { name, arguments: given }, shown ? { onProgress } : {})
      } catch (error) {
        host.stderr.write(`${printableLines(messageOf(error))}\n`)
        return 1
      } finally {
        line.end()
      }
      return printed(host, result, form)
    },
  }
}

function printed(host: Host, result: JsonObject, form: Form): number {
  const read = textOf(result)
  const text = form === 'json' ? JSON.stringify(result) : read
  const said = typeof form === 'function' && result.isError !== true ? form(text) : text
  // A pipe gets what the server sent; a terminal nothing that would steer it.
  host.stdout.write(`${host.stdout.isTTY === true ? printableLines(said) : said}\n`)
  return result.isError === true || saysGone(read) ? 1 : 0
}

/** Asks a result that a running proxy keeps for a client of its own. Undefined: no proxy with a console keeps it. */
async function askTheirs(
  host: Host,
  config: Config,
  handle: string,
  tool: string,
  given: JsonObject,
): Promise<JsonObject | undefined> {
  const admin = await adminOf(host, config)
  const kept = await admin?.ask('GET', '/results')
  const isKept =
    Array.isArray(kept?.results) && kept.results.some((one) => isObject(one) && one.handle === handle)
  if (!isKept) return undefined
  const answer = await admin?.ask('POST', `/results/${handle}/ask`, { tool, arguments: given })
  return answer && { content: [{ type: 'text', text: answer.text ?? '' }], isError: answer.isError === true }
}

/** A tool on a line: its name, and the first sentence of what it says of itself. */
function lineOf(
  { name, description }: JsonObject,
  paint: ReturnType<typeof painter> = (text) => text,
): string {
  const said = typeof description === 'string' ? description.trim() : ''
  const first = /^[^\n]*?[.!?](?=\s|$)|^[^\n]*/.exec(said)?.[0] ?? ''
  const short = printable(first.length > LONGEST_SAID ? `${first.slice(0, LONGEST_SAID)}…` : first)
  return `${`${paint(printable(String(name)), 'bold')}  ${short}`.trimEnd()}\n`
}

const LONGEST_SAID = 120

/** The answer of `retrieve_tools`: a line for each tool with its parameters. */
function foundTools(text: string): string {
  const found = jsonIn(text)
  const tools = isObject(found) && Array.isArray(found.tools) ? found.tools.filter(isObject) : undefined
  if (tools === undefined) return text
  if (tools.length === 0) return isObject(found) && typeof found.message === 'string' ? found.message : text
  return tools
    .map((tool) => `${lineOf(tool)}  ${printable(typeof tool.signature === 'string' ? tool.signature : '')}`)
    .join('\n')
}

/** As a model reads it: texts as they are, other blocks by what they are. */
function textOf(result: JsonObject): string {
  const blocks = blocksOf(result)
  if (blocks.length === 0 && result.structuredContent !== undefined)
    return JSON.stringify(result.structuredContent, null, 2)
  return blocks
    .map((block) => {
      const data = dataIn(block)
      if (data === undefined) return textIn(block) ?? JSON.stringify(block)
      const bytes = formatBytes(Buffer.byteLength(data, 'base64'))
      return `[${String(block.type)}, ${bytes}; --json prints its data]`
    })
    .join('\n')
}

// Arguments as words: one JSON object, or `key=value` once or several times.

/**
 * Values become what the schema of the parameter says; a key that is written again makes a list. `plain`: the parameter that words
 * without a known key are values of. Throws a ProxyError for a word that means nothing.
 */
export function argumentsOf(words: readonly string[], schema: JsonObject, plain?: string): JsonObject {
  const [first = '', ...rest] = words
  if (first.startsWith('{')) {
    const value = jsonIn(first)
    if (isObject(value) && rest.length === 0) return value
    throw new ProxyError(
      'CONFIG_INVALID',
      `The arguments are no JSON object: ${first}`,
      `Write one object in quotes for your shell, as '{"path": "README.md"}', or key=value words.`,
    )
  }
  const properties = isObject(schema.properties) ? schema.properties : {}
  const given: JsonObject = {}
  for (const word of words) {
    const [, key, written = ''] = /^([^\s=]+)=(.*)$/su.exec(word) ?? []
    // `a=1` is a condition where `a` is no parameter; of one pattern or path there is no second.
    const isTaken = plain !== undefined && plain !== 'where' && own(given, plain) !== undefined
    const isKey = key !== undefined && (plain === undefined || isTaken || own(properties, key) !== undefined)
    const name = isKey ? key : plain
    if (name === undefined)
      throw new ProxyError(
        'CONFIG_INVALID',
        `"${word}" names no argument.`,
        `Write key=value, or all arguments as one JSON object.${known(properties)}`,
      )
    const value = readValue(isKey ? written : word, own(properties, name))
    const before = own(given, name)
    setOwn(
      given,
      name,
      before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value].flat(),
    )
  }
  return given
}

function known(properties: JsonObject): string {
  const names = Object.keys(properties)
  return names.length === 0 ? '' : ` The tool takes: ${names.join(', ')}.`
}

/** A text where the parameter takes one, else what it says as JSON. */
function readValue(written: string, schema: JsonValue | undefined): JsonValue {
  const types = isObject(schema) ? [schema.type].flat() : []
  if (types.includes('string')) return written
  const value = jsonIn(written) ?? written
  return types.length === 1 && types[0] === 'array' && !Array.isArray(value) ? [value] : value
}

function jsonIn(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

/** Messages as lines: the client's end of the streams between it and a gateway. */
function overStreams(from: Readable, to: Writable): Transport {
  const writer = new LineWriter(to)
  const transport: Transport = {
    async start() {
      const lines = new LineReader({
        maxBytes: Number.POSITIVE_INFINITY,
        onLine: (parts) => transport.onmessage?.(JSON.parse(textOfParts(parts)) as JsonRpcMessage),
        onDiscarded: () => {},
      })
      from.on('data', (chunk: Buffer) => void lines.push(chunk))
      from.once('close', () => transport.onclose?.())
      from.resume()
    },
    send: (message) => writer.write(`${JSON.stringify(message)}\n`),
    async close() {
      to.end()
    },
  }
  return transport
}
