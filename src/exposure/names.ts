/** The names of the tools that exposures add, without what makes them: known to whoever counts what a call cost. */
import { isObject, type JsonObject } from '../protocol/json.ts'

export const CALL_TOOL = 'call_tool'

/** Tools that answer by themselves. What `call_tool` answers is the tool's own that it ran. */
export const EXPOSURE_NAMES: ReadonlySet<string> = new Set(['retrieve_tools', 'describe_tool'])

/** The name of the tool that a call ends at. */
export function calledName({ name, arguments: args }: JsonObject): string {
  const inner =
    typeof name === 'string' && name.startsWith(CALL_TOOL) && isObject(args) ? args.name : undefined
  return String(typeof inner === 'string' ? inner : name)
}
