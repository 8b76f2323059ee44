/**
 * Puts kept values in the place of references, so that data goes from one server's result into the next call without passing
 * through the model. Innermost of the layers: what is further out sees, logs and remembers the references alone.
 */
import { type Found, findReferences, handlesIn, withValues } from '../../engine/arguments.ts'
import type { Engine } from '../../engine/contract.ts'
import { errorResult, type Result } from '../../protocol/content.ts'
import { ProxyError, RpcError } from '../../protocol/errors.ts'
import type { Exchange, Handler, Middleware } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import { createListsInside } from '../../protocol/lists.ts'
import { RawJson } from '../../protocol/raw-json.ts'
import type { Feature } from '../../proxy/feature.ts'
import { PROXY_TOOL_NAMES } from '../../proxy/own-tools.ts'
import type { Keeper } from '../../store/result-store.ts'
import type { Entry } from '../../store/store.ts'
import { ellipsis } from '../../text/shorten.ts'

export interface ReferencesOptions {
  keeper: Keeper
  engine: Engine
  /** Names of the proxy's own tools: references in what they pass on are found when they pass it on. */
  exempt: ReadonlySet<string>
  /** The most bytes that all references of a call may stand for. */
  maxBytes: number
}

/** The input schema of a tool as it is listed inside. Undefined: no such tool, which the call itself will say. */
type SchemaOf = (name: string, exchange: Exchange, next: Handler) => Promise<JsonObject | undefined>

/** A call that is not made, and what the model reads in place of its result. */
class Fault extends Error {}

export function createReferences(options: ReferencesOptions): Middleware {
  const inside = createListsInside()
  const schemaOf: SchemaOf = async (name, exchange, next) => {
    const { items } = await inside.current('tools', exchange, next)
    const tool = items.find((one) => one.name === name)
    const schema = tool && own(tool, 'inputSchema')
    return isObject(schema) ? schema : undefined
  }
  return {
    name: 'references',
    methods: ['tools/list', 'tools/call'],
    wrap: (next) => async (exchange) => {
      if (exchange.method === 'tools/list') return (await inside.pass(exchange, next)).passing
      const { name, arguments: args } = exchange.params
      // A proxy that is our client has put in what was to be put in, and its values may look like references.
      const isWhole = exchange.client.via !== undefined
      if (isWhole || typeof name !== 'string' || options.exempt.has(name)) return next(exchange)
      const found = wantedIn(args, exchange)
      if (found === undefined) return next(exchange)
      try {
        const expanded = await expand(name, found, exchange, next, { ...options, schemaOf })
        return await sent({ ...exchange, params: { ...exchange.params, arguments: expanded } }, next)
      } catch (error) {
        if (error instanceof Fault) return errorResult(`${name} was not called. ${error.message}`)
        throw error
      }
    },
  }
}

/** What is to be put in: values for references, or all of the arguments. Undefined: nothing. */
type Wanted =
  | { args: JsonObject; found: readonly Found[] }
  | { file: Uint8Array<SharedArrayBuffer> }
  | { fault: string }

function wantedIn(args: unknown, { supplied }: Exchange): Wanted | undefined {
  if (supplied !== undefined) return { file: supplied }
  if (!isObject(args)) return undefined
  const found = findReferences(args)
  if ('fault' in found) return found
  return found.length === 0 ? undefined : { args, found }
}

async function expand(
  name: string,
  wanted: Wanted,
  exchange: Exchange,
  next: Handler,
  { keeper, engine, maxBytes, schemaOf }: ReferencesOptions & { schemaOf: SchemaOf },
): Promise<JsonObject> {
  if ('fault' in wanted) throw new Fault(wanted.fault)
  const sources: Entry[] = []
  for (const handle of 'found' in wanted ? handlesIn(wanted.found) : []) {
    const entry = await keeper.get(exchange.agent, handle)
    if (!entry) throw new Fault(goneText(handle))
    sources.push(entry)
  }
  const schema = await schemaOf(name, exchange, next)
  const filling = { ...wanted, ...(schema && { schema }), maxBytes }
  const filled = await engine.fill(sources, filling, exchange.signal).catch((error: unknown) => {
    throw error instanceof ProxyError && error.code !== 'CANCELLED' ? new Fault(error.text) : error
  })
  if ('error' in filled) throw new Fault(filled.error)
  const written = filled.written.map(({ place, bytes }) => ({ place, value: RawJson.in(bytes) }))
  return withValues(filled.args, written)
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
  return `No kept result has cache_id "${handle}": it expired or was never yours. Do not retry this cache_id; call the tool that gave it again and use the new one.`
}

/** The most bytes that the references of one call stand for: servers built on the MCP SDK close a pipe at messages of 10 MiB. */
const MAX_REFERENCED_BYTES = 8 * 1024 * 1024

export const references: Feature = {
  name: 'references',
  what: 'Puts kept results where arguments say `{"$from": …}`.',
  when: 'always',
  layer: ({ engine, keeper }) =>
    createReferences({ engine, keeper, exempt: PROXY_TOOL_NAMES, maxBytes: MAX_REFERENCED_BYTES }),
}
