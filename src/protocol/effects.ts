/**
 * The effects that a call may have, as its tool states them (MCP specification, server/tools, "ToolAnnotations"), and the limit of a call
 * made through another tool. Every way around a tool asks here: fresh calls, `call_tool`, `proxy-dispatch`, scripts.
 */
import { isObject, type JsonObject, own } from './json.ts'
import { originOf } from './origin.ts'

/** Each may also do what stands before it. */
export const EFFECTS = ['read', 'write', 'destructive'] as const

/** The most that a tool may do. */
export type Effect = (typeof EFFECTS)[number]

/** The description of a tool that runs others of this effect. */
export const RUNS: Readonly<Record<Effect, string>> = {
  read: 'Run a tool that only reads.',
  write: 'Run a tool that adds or changes, and destroys nothing.',
  destructive: 'Run a tool of any kind, also one that deletes or overwrites.',
}

/**
 * By the annotations. A tool that says nothing may destroy, as the specification has it; so may one that says both that it only reads
 * and that it destroys.
 */
export function effectOf(definition: JsonObject | undefined): Effect {
  const annotations = definition && own(definition, 'annotations')
  if (!isObject(annotations)) return 'destructive'
  const destroys = own(annotations, 'destructiveHint')
  if (own(annotations, 'readOnlyHint') === true && destroys !== true) return 'read'
  return destroys === false ? 'write' : 'destructive'
}

/** All four annotations of a tool of ours that has this effect. `world`: open where tools of servers run, closed where none does. */
export function annotationsOf(effect: Effect, world: 'open' | 'closed'): JsonObject {
  return {
    readOnlyHint: effect === 'read',
    destructiveHint: effect === 'destructive',
    idempotentHint: effect === 'read',
    openWorldHint: world === 'open',
  }
}

/** True when what may do `allowed` may run a tool of this effect. */
export function covers(allowed: Effect, effect: Effect): boolean {
  return EFFECTS.indexOf(effect) <= EFFECTS.indexOf(allowed)
}

/** Where a request ends. */
export interface Destination {
  readonly server: string
  /** The used item, under the server's own name or URI for it. */
  readonly name: string
  /** The current definition of a tool; undefined when its server lists none of this name. Rejects when the server cannot be asked. */
  readonly definition?: () => Promise<JsonObject | undefined>
}

/** The most that the tool may do which a call ends at, however it was named. */
export interface Limit {
  readonly most: Effect
  /** Answers in place of a tool that may do more. */
  refuse(effect: Effect): JsonObject
  /** The tool as the client's list shows it, where layers may have changed what its server says. */
  readonly listed?: JsonObject
}

/** The exchange held to this limit, or to a stricter one that it has already. */
export function within<E extends { readonly limit?: Limit }>(exchange: E, limit: Limit): E {
  const isWider = !covers(exchange.limit?.most ?? 'destructive', limit.most)
  return isWider || limit.most === 'destructive' ? exchange : { ...exchange, limit }
}

/** A call that is not made, because its tool may do more than the call may. */
export class Exceeded extends Error {
  readonly effect: Effect

  constructor(effect: Effect) {
    super(`a tool that is ${effect} was not called`)
    this.effect = effect
  }
}

/**
 * Throws Exceeded when the tool that is about to be called may do more than the limit. The effect in its list counts while the server
 * lists the source of that list; else what the server says now.
 */
export async function holdTo(
  { most, listed }: Limit,
  { server, name, definition }: Destination,
): Promise<void> {
  const now = await definition?.()
  const origin = listed && originOf(listed)
  const isListed = origin?.server === server && origin.name === name && origin.said === now
  const effect = effectOf(isListed ? listed : now)
  if (!covers(most, effect)) throw new Exceeded(effect)
}
