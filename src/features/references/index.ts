/**
 * Puts kept values in the place of references, so that data goes from one server's result into the next call without passing
 * through the model. Innermost of the layers: what is further out sees, logs and remembers the references alone.
 */

import { bytesOfPart, partsIn } from '../../documents/binary/parts.ts'
import {
  type Found,
  findReferences,
  handlesIn,
  isFile,
  isLiteral,
  withValues,
} from '../../engine/arguments.ts'
import type { Engine, FoundFile } from '../../engine/contract.ts'
import { errorResult, type Result } from '../../protocol/content.ts'
import { ProxyError, RpcError } from '../../protocol/errors.ts'
import type { Exchange, Handler, Lists, Middleware } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, own, RawJson } from '../../protocol/json.ts'
import type { Feature } from '../../proxy/feature.ts'
import { PROXY_TOOL_NAMES } from '../../proxy/own-tools.ts'
import { REFUSED, Refused } from '../../spill/confined.ts'
import type { ResultStore } from '../../store/result-store.ts'
import type { Entry } from '../../store/store.ts'
import { goneWords } from '../../text/format.ts'
import { ellipsis } from '../../text/shorten.ts'
import { createFiles, type ReferencedFiles } from './files.ts'

export interface ReferencesOptions {
  resultStore: ResultStore
  engine: Engine
  /** Names of the proxy's own tools: references in what they pass on are found when they pass it on. */
  exempt: ReadonlySet<string>
  /** The most bytes that all references of a call may stand for. */
  maxBytes: number
  /** Files that a model may name by their paths. Absent: none, and what looks like one is data. */
  files?: ReferencedFiles
}

/** A call that is not made, and what the model reads in place of its result. */
class Fault extends Error {}

export function createReferences(options: ReferencesOptions): Middleware {
  return {
    name: 'references',
    methods: ['tools/call'],
    wrap: (next, inside) => async (exchange) => {
      const { name, arguments: args } = exchange.params
      // A proxy that is our client has put in what was to be put in, and its values may look like references.
      const isWhole = exchange.client.via !== undefined
      if (isWhole || typeof name !== 'string' || options.exempt.has(name)) return next(exchange)
      const found = wantedIn(args, exchange, options.files)
      if (found === undefined) return next(exchange)
      try {
        const expanded = await expand(name, found, exchange, inside, options)
        return await sent({ ...exchange, params: { ...exchange.params, arguments: expanded } }, next)
      } catch (error) {
        if (error instanceof Fault) return errorResult(`${name} was not called. ${error.message}`)
        throw error
      }
    },
  }
}

/** The values to put in: for references, or all of the arguments. Undefined: nothing. */
type Wanted =
  | { args: JsonObject; found: readonly Found[] }
  | { file: Uint8Array<SharedArrayBuffer> }
  | { fault: string }

/** Without files what looks like one is none of ours. */
function wantedIn(args: unknown, exchange: Exchange, files?: ReferencedFiles): Wanted | undefined {
  const { supplied } = exchange
  if (supplied !== undefined) return { file: supplied }
  if (!isObject(args) || isFlat(args)) return undefined
  const found = findReferences(args)
  if ('fault' in found) return found
  const named = found.filter(({ wanted }) => namesFile(wanted))
  const ours =
    named.length === 0 || files?.mayRead(exchange) ? found : found.filter((one) => !named.includes(one))
  return ours.length === 0 ? undefined : { args, found: ours }
}

/** True when no value can hold a reference: most arguments are a few names and numbers. */
function isFlat(args: JsonObject): boolean {
  return Object.entries(args).every(
    ([key, value]) =>
      !key.startsWith('$') &&
      (typeof value === 'string' ? !value.includes('{') : !isObject(value) && !Array.isArray(value)),
  )
}

/** The input schema of a tool as it is listed inside. Undefined: no such tool, which the call itself will say. */
async function schemaOf(name: string, exchange: Exchange, inside: Lists): Promise<JsonObject | undefined> {
  const { items } = await inside.current('tools', exchange)
  const tool = items.find((one) => one.name === name)
  const schema = tool && own(tool, 'inputSchema')
  return isObject(schema) ? schema : undefined
}

async function expand(
  name: string,
  wanted: Wanted,
  exchange: Exchange,
  inside: Lists,
  options: ReferencesOptions,
): Promise<JsonObject> {
  const { resultStore, engine, maxBytes } = options
  if ('fault' in wanted) throw new Fault(wanted.fault)
  const sources: Entry[] = []
  for (const handle of 'found' in wanted ? handlesIn(wanted.found) : []) {
    const entry = await resultStore.get(exchange.agent, handle)
    if (!entry) throw new Fault(goneText(handle))
    sources.push(entry)
  }
  const schema = await schemaOf(name, exchange, inside)
  const files = 'found' in wanted ? await filesIn(wanted.found, exchange, options) : []
  const filling = { ...wanted, ...(files.length > 0 && { files }), ...(schema && { schema }), maxBytes }
  const filled = await engine.fill(sources, filling, exchange.signal).catch((error: unknown) => {
    throw error instanceof ProxyError && error.code !== 'CANCELLED' ? new Fault(error.text) : error
  })
  if ('error' in filled) throw new Fault(filled.error)
  const written = filled.written.map(({ place, bytes }) => ({ place, value: RawJson.in(bytes) }))
  return withValues(filled.args, written)
}

/** Their bytes: of files by their paths, and of kept results. A file that is too long to be sent is not read. */
async function filesIn(
  found: readonly Found[],
  exchange: Exchange,
  { resultStore, maxBytes, files }: ReferencesOptions,
): Promise<FoundFile[]> {
  const read: FoundFile[] = []
  for (const [nth, { wanted }] of found.entries()) {
    if (!isFile(wanted)) continue
    read.push({
      nth,
      bytes:
        'path' in wanted
          ? await readFile(wanted.path, exchange, maxBytes, files)
          : await keptFile(wanted, exchange, resultStore, maxBytes),
    })
  }
  return read
}

async function readFile(
  path: string,
  exchange: Exchange,
  maxBytes: number,
  files: ReferencedFiles | undefined,
): Promise<Uint8Array> {
  try {
    if (files === undefined) throw new Refused(NO_FILE)
    return await files.read(path, exchange, maxBytes)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    throw new Fault(error.message === REFUSED ? NO_FILE : error.message)
  }
}

const NO_FILE =
  'No such file, or none that may be read here. $file takes the absolute path of a file in a root of the client or in `spill.allowDirs`.'

async function keptFile(
  { from, part }: { from: string; part: number | undefined },
  { agent }: Exchange,
  resultStore: ResultStore,
  maxBytes: number,
): Promise<Uint8Array> {
  const entry = await resultStore.get(agent, from)
  if (!entry) throw new Fault(goneText(from))
  const parts = partsIn(entry.content)
  const file = part === undefined && parts.length > 1 ? undefined : parts[part ?? 0]
  if (file === undefined)
    throw new Fault(
      parts.length === 0
        ? `cache_id ${from} keeps no file: leave out "as", and write {"$from": "${from}"}.`
        : `Which file of cache_id ${from} is meant? Write {"$from": "rlm://${from}/0"}: there are 0 to ${parts.length - 1}.`,
    )
  if (file.bytes > maxBytes)
    throw new Fault(`The file has ${file.bytes} bytes; ${maxBytes} are the most that one call may send.`)
  return bytesOfPart(entry.content, file)
}

/** Characters of an error of the protocol that may come of such a call. */
const longestError = 2000

/** A server that quotes what it got in an error would send it to the model after all. */
async function sent(exchange: Exchange, next: Handler): Promise<Result> {
  try {
    return await next(exchange)
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    const { code, message, data } = error
    const isShort = message.length + (data === undefined ? 0 : JSON.stringify(data).length) <= longestError
    throw isShort ? error : new RpcError(code, ellipsis(message, longestError))
  }
}

/** The same words for a handle that expired, never was, or is another agent's. */
function goneText(handle: string): string {
  return `${goneWords(handle)} Do not retry this cache_id; call the tool that gave it again and use the new one.`
}

/** The most bytes that the references of one call stand for: servers built on the MCP SDK close a pipe at messages of 10 MiB. */
const MAX_REFERENCED_BYTES = 8 * 1024 * 1024

/** `{"$file": …}`, or `{"$$file": …}`. */
function namesFile(wanted: Found['wanted']): boolean {
  if (isLiteral(wanted)) return Object.keys(wanted.literal).some((name) => name.endsWith('$file'))
  return isFile(wanted) && 'path' in wanted
}

export const references: Feature = {
  name: 'references',
  what: 'Puts kept results and files where arguments say `{"$from": …}` or `{"$file": …}`.',
  when: 'always',
  layer: ({ engine, resultStore, settings }) =>
    createReferences({
      engine,
      resultStore,
      exempt: PROXY_TOOL_NAMES,
      maxBytes: MAX_REFERENCED_BYTES,
      files: createFiles(settings),
    }),
}
