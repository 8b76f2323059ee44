/** The names of the tools that exposures add, without what makes them: known to whoever counts what a call cost. */
import { isObject, type JsonObject } from '../protocol/json.ts'
import { EFFECTS } from './effects.ts'

export const CALL_TOOL = 'call_tool'

/** One for each effect, where a client is to approve reads alone. */
const CALL_NAMES: ReadonlySet<unknown> = new Set([
  CALL_TOOL,
  ...EFFECTS.map((effect) => `${CALL_TOOL}_${effect}`),
])

/** Tools that answer by themselves. What `call_tool` answers is the tool's own that it ran. */
export const EXPOSURE_NAMES: ReadonlySet<string> = new Set(['retrieve_tools', 'describe_tool'])

/** No server may have them: neither could be told apart from ours. */
export const RESERVED_NAMES: readonly string[] = [...EXPOSURE_NAMES, ...CALL_NAMES].map(String)

/** The name of the tool that a call ends at. */
export function calledName({ name, arguments: args }: JsonObject): string {
  const inner = CALL_NAMES.has(name) && isObject(args) ? args.name : undefined
  return String(typeof inner === 'string' ? inner : name)
}
