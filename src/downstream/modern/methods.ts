/** Which methods exist in the modern era (MCP 2026-07-28). What is not named here is for the router to decide. */
import { RPC, RpcError } from '../../protocol/errors.ts'
import { isObject, own } from '../../protocol/json.ts'
import type { Envelope } from './envelope.ts'

export const DISCOVER = 'server/discover'
export const LISTEN = 'subscriptions/listen'

/** Methods of MCP up to 2025-11-25 that this era took away, and those that only servers ever sent. */
const GONE: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'tasks/list',
  'tasks/result',
  'sampling/createMessage',
  'elicitation/create',
  'roots/list',
])

/** Methods of 2025-11-25 whose names an extension took over. */
const EXTENDED: ReadonlyMap<string, string> = new Map([
  ['tasks/get', 'io.modelcontextprotocol/tasks'],
  ['tasks/cancel', 'io.modelcontextprotocol/tasks'],
])

/** Throws RpcError methodNotFound for a method of the other era. */
export function refuseForeign(method: string, { capabilities }: Envelope): void {
  const extension = EXTENDED.get(method)
  const extensions = own(capabilities, 'extensions')
  const extended = extension !== undefined && isObject(extensions) && Object.hasOwn(extensions, extension)
  if (GONE.has(method) || (extension !== undefined && !extended))
    throw new RpcError(RPC.methodNotFound, `Method not found: ${method}`)
}
