/** The names of the tools that exposures add, without what makes them: known to whoever counts what a call cost. */
import { isObject, type JsonObject } from '../protocol/json.ts'

export const CALL_TOOL = 'call_tool'
export const DISPATCH = 'proxy-dispatch'

/** Tools that answer by themselves. What `call_tool` answers is the tool's own that it ran. */
export const EXPOSURE_NAMES: ReadonlySet<string> = new Set(['retrieve_tools', 'describe_tool'])

/** The name of the tool that a call ends at. */
export function calledName({ name, arguments: args }: JsonObject): string {
  if (typeof name !== 'string' || !isObject(args)) return String(name)
  const inner = name.startsWith(CALL_TOOL) ? args.name : name.startsWith(DISPATCH) ? args.tool : undefined
  return typeof inner === 'string' ? inner : name
}
