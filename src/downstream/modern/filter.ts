/** What a subscription is about: the `notifications` of `subscriptions/listen` (MCP 2026-07-28, basic/subscriptions). */
import { RPC, RpcError } from '../../protocol/errors.ts'
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import type { Notification } from '../../protocol/message.ts'
import type { AnnouncedList } from '../audience.ts'
import { hearsOf } from '../handshake.ts'

export interface Filter {
  readonly lists: ReadonlySet<AnnouncedList>
  /** Resources whose updates are wanted. */
  readonly uris: ReadonlySet<string>
}

const MEMBERS: readonly [member: string, list: AnnouncedList][] = [
  ['toolsListChanged', 'tools'],
  ['promptsListChanged', 'prompts'],
  ['resourcesListChanged', 'resources'],
]

/** Resources that one subscription may be about; the acknowledgement leaves out what is beyond. */
const MAX_URIS = 1024

/** Throws RpcError invalidParams for what is no filter. */
export function readFilter(params: JsonObject): Filter {
  const asked = own(params, 'notifications')
  if (!isObject(asked)) throw new RpcError(RPC.invalidParams, 'params.notifications must be an object')
  const lists = new Set<AnnouncedList>()
  for (const [member, list] of MEMBERS) {
    const wanted = own(asked, member) ?? false
    if (typeof wanted !== 'boolean')
      throw new RpcError(RPC.invalidParams, `params.notifications.${member} must be true or false`)
    if (wanted) lists.add(list)
  }
  const uris = own(asked, 'resourceSubscriptions') ?? []
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string'))
    throw new RpcError(
      RPC.invalidParams,
      'params.notifications.resourceSubscriptions must be an array of strings',
    )
  return { lists, uris: new Set(uris) }
}

/** The part of it that these capabilities promise. */
export function honour({ lists, uris }: Filter, capabilities: JsonObject): Filter {
  const resources = own(capabilities, 'resources')
  const watched = isObject(resources) && own(resources, 'subscribe') === true
  return {
    lists: new Set([...lists].filter(hearsOf(capabilities))),
    uris: new Set(watched ? [...uris].slice(0, MAX_URIS) : []),
  }
}

export function isEmpty({ lists, uris }: Filter): boolean {
  return lists.size === 0 && uris.size === 0
}

/** As it is written in the acknowledgement. */
export function writeFilter({ lists, uris }: Filter): JsonObject {
  const written: JsonObject = {}
  for (const [member, list] of MEMBERS) if (lists.has(list)) written[member] = true
  if (uris.size > 0) written.resourceSubscriptions = [...uris]
  return written
}

/** True when a subscription with this filter is to hear of it. */
export function accepts({ lists, uris }: Filter, { method, params }: Notification): boolean {
  if (method === 'notifications/resources/updated') {
    const uri = params && own(params, 'uri')
    return typeof uri === 'string' && (uris.has(uri) || [...uris].some((whole) => isPart(uri, whole)))
  }
  const [, list] = /^notifications\/(\w+)\/list_changed$/.exec(method) ?? []
  return list !== undefined && lists.has(list as AnnouncedList)
}

/** Servers may tell of a part of what is subscribed to, a file of a folder (server/resources, "Subscriptions"). */
function isPart(uri: string, whole: string): boolean {
  return uri.startsWith(whole.endsWith('/') ? whole : `${whole}/`)
}
