/** What a call may do, as its tool says of itself (MCP specification, server/tools, "ToolAnnotations"). */
import { isObject, type JsonObject, own } from './json.ts'

/** Each may also do what stands before it. */
export const EFFECTS = ['read', 'write', 'destructive'] as const

export type Effect = (typeof EFFECTS)[number]

/** What a tool is described as that runs others of this effect. */
export const RUNS: Readonly<Record<Effect, string>> = {
  read: 'Run a tool that only reads.',
  write: 'Run a tool that adds or changes, and destroys nothing.',
  destructive: 'Run a tool of any kind, also one that deletes or overwrites.',
}

/** By the annotations; a tool that says nothing may destroy, as the specification has it. */
export function effectOf(definition: JsonObject): Effect {
  const annotations = own(definition, 'annotations')
  if (!isObject(annotations)) return 'destructive'
  if (annotations.readOnlyHint === true) return 'read'
  return annotations.destructiveHint === false ? 'write' : 'destructive'
}

/** Annotations of a tool that runs others of this effect. */
export function annotationsOf(effect: Effect): JsonObject {
  return {
    readOnlyHint: effect === 'read',
    ...(effect !== 'read' && { destructiveHint: effect === 'destructive' }),
  }
}

/** True when what may do `allowed` may run a tool of this effect. */
export function covers(allowed: Effect, effect: Effect): boolean {
  return EFFECTS.indexOf(effect) <= EFFECTS.indexOf(allowed)
}
