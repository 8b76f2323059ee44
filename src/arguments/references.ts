/**
 * Puts kept values in the place of references, so that data goes from one server's result into the next call without passing
 * through the model. Innermost of the layers: what is further out sees, logs and remembers the references alone.
 */
import type { Engine } from '../engine/engine.ts'
import type { Extraction } from '../engine/operation.ts'
import { errorResult } from '../protocol/content.ts'
import { ProxyError } from '../protocol/errors.ts'
import type { Exchange, Handler, Middleware } from '../protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../protocol/json.ts'
import { plain } from '../protocol/result.ts'
import type { Keeper } from '../store/keeper.ts'
import { faultsOf } from './check.ts'
import { filled, wantedAt, withValues } from './expand.ts'
import { type Found, findReferences, isTemplate, type Reference } from './reference.ts'

export interface ReferencesOptions {
  keeper: Keeper
  engine: Engine
  /** Names of the proxy's own tools: references in what they pass on are found when they pass it on. */
  exempt: ReadonlySet<string>
  /** The most bytes that all references of a call may stand for. */
  maxBytes: number
}

/** A call that is not made, and what the model reads in place of its result. */
class Fault extends Error {}

export function createReferences(options: ReferencesOptions): Middleware {
  return {
    name: 'references',
    methods: ['tools/call'],
    wrap: (next) => async (exchange) => {
      const { name, arguments: args } = exchange.params
      if (typeof name !== 'string' || !isObject(args) || options.exempt.has(name)) return next(exchange)
      const found = findReferences(args)
      if ('fault' in found) return errorResult(`${name} was not called. ${found.fault}`)
      if (found.length === 0) return next(exchange)
      try {
        const schema = await schemaOf(name, exchange, next)
        const expanded = await expand(args, found, schema, exchange, options)
        return await next({ ...exchange, params: { ...exchange.params, arguments: expanded } })
      } catch (error) {
        if (error instanceof Fault) return errorResult(`${name} was not called. ${error.message}`)
        throw error
      }
    },
  }
}

/** As the client was told. Undefined: no such tool, which the call itself will say. */
async function schemaOf(name: string, exchange: Exchange, next: Handler): Promise<JsonObject | undefined> {
  const { _meta } = exchange.params
  const params = _meta === undefined ? {} : { _meta }
  const { tools } = plain(await next({ ...exchange, method: 'tools/list', params }))
  const tool = Array.isArray(tools) ? tools.filter(isObject).find((one) => one.name === name) : undefined
  const schema = tool && own(tool, 'inputSchema')
  return isObject(schema) ? schema : undefined
}

async function expand(
  args: JsonObject,
  found: readonly Found[],
  schema: JsonObject | undefined,
  exchange: Exchange,
  options: ReferencesOptions,
): Promise<JsonObject> {
  const room = { left: options.maxBytes }
  const values: { place: Found['place']; value: JsonValue }[] = []
  // One after the other: the room that is left is known, and the worker has one document open at a time.
  for (const { place, wanted } of found) {
    const as = schema === undefined ? 'any' : wantedAt(schema, place)
    if (!isTemplate(wanted)) {
      values.push({ place, value: await valueFor(wanted, as, room, exchange, options) })
      continue
    }
    const texts = new Map<string, string>()
    for (const [part, given] of wanted.parts) {
      const text = typeof given === 'string' ? given : await valueFor(given, 'text', room, exchange, options)
      texts.set(part, typeof text === 'string' ? text : JSON.stringify(text))
    }
    values.push({ place, value: filled(wanted, texts) })
  }
  const expanded = withValues(args, values)
  const faults = schema === undefined ? [] : faultsOf(expanded, schema)
  if (faults.length > 0) throw new Fault(`With its references put in: ${faults.join('; ')}.`)
  return expanded
}

async function valueFor(
  { from, path }: Reference,
  as: Extraction['as'],
  room: { left: number },
  exchange: Exchange,
  { keeper, engine, maxBytes }: ReferencesOptions,
): Promise<JsonValue> {
  const entry = await keeper.get(exchange.agent, from)
  if (!entry) throw new Fault(goneText(from))
  const extraction = { as, ...(path !== undefined && { path }), maxBytes: room.left }
  const taken = await engine.extract(entry, extraction, exchange.signal).catch((error: unknown) => {
    throw error instanceof ProxyError && error.code !== 'CANCELLED' ? new Fault(error.text) : error
  })
  if ('error' in taken) throw new Fault(`$from ${from}: ${taken.error}`)
  room.left -= taken.bytes
  if (room.left < 0)
    throw new Fault(
      `Its references stand for more than ${maxBytes.toLocaleString('en-US')} bytes: take a part of them by path.`,
    )
  return taken.value
}

/** The same words for a handle that expired, never was, or is another agent's. */
function goneText(handle: string): string {
  const shown = handle.slice(0, 40)
  return `No kept result has cache_id "${shown}": it expired or was never yours. Do not retry this cache_id; call the tool that gave it again and use the new one.`
}
