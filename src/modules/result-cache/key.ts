/** What makes two calls the same call. */
import { createHash } from 'node:crypto'
import type { Exchange } from '../../protocol/exchange.ts'
import { isObject, type JsonValue } from '../../protocol/json.ts'
import { jsonParts, RawJson } from '../../protocol/raw-json.ts'

/** Members of the params that are told apart; a call with any other is one of a kind. */
const KNOWN: ReadonlySet<string> = new Set(['name', 'arguments', '_meta'])

/** Members of `_meta` that say how a call is carried, and nothing of what is asked. */
const CARRIED = /^(?:progressToken|traceparent|tracestate|baggage|io\.modelcontextprotocol\/.*)$/

/**
 * The same for calls of one agent that differ in the order of names alone. Undefined for a call that is no other's: of a task, with
 * answers to what a server asked, or of an agent that nobody knows, who may be several.
 */
export function keyOf({ agent, client, params }: Exchange): string | undefined {
  if (agent.kind === 'anonymous' || Object.keys(params).some((member) => !KNOWN.has(member))) return undefined
  const { name, arguments: args = {}, _meta: meta } = params
  const asked = isObject(meta) ? Object.entries(meta).filter(([member]) => !CARRIED.test(member)) : []
  // Names may mean other tools in another profile.
  const call = [agent.kind, agent.id, client.profile ?? null, name ?? null, args, Object.fromEntries(asked)]
  const hash = createHash('sha256')
  try {
    for (const part of jsonParts(ordered(call as JsonValue))) hash.update(part)
  } catch {
    // Nested so deeply that it cannot be written: the call itself will say so.
    return undefined
  }
  return hash.digest('base64')
}

/** True when the requester is told how far the call is: that is told to one. */
export function wantsProgress({ params: { _meta: meta } }: Exchange): boolean {
  return isObject(meta) && Object.hasOwn(meta, 'progressToken')
}

/** A copy with the names of objects in order. What is sent as it is written stays as it is. */
function ordered(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(ordered)
  if (!isObject(value) || value instanceof RawJson) return value
  const members = Object.entries(value).map(([name, inner]) => [name, ordered(inner)] as const)
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)))
}
