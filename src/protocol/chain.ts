/**
 * Proxies behind proxies. Each tells the next which proxies a request has come through. The one nearest the client shapes, the others
 * pass on, and none is its own server.
 */
import { META, metaOf } from './content.ts'
import { RPC, RpcError } from './errors.ts'
import { isObject, type JsonObject, own } from './json.ts'

/**
 * The member with the identities of the proxies on the way, the client's first. It is in `_meta` of requests. In a legacy `initialize` it
 * is in `capabilities.experimental`, because a server of both eras takes any `_meta` for a request of the modern one.
 */
const VIA = `${META}via`

/** `serverInfo.name` and `clientInfo.name` of a proxy. */
export const PROXY_NAME = 'mcp-rlm-proxy'

/** More proxies than anybody puts behind one another. */
const MAX_PROXIES = 16
const MAX_LENGTH = 128

/** The proxies that params name; empty when they come from no proxy. */
export function viaOf(params: JsonObject | undefined): readonly string[] {
  return listed(own(metaOf(params) ?? {}, VIA))
}

/** The proxies that the capabilities of a legacy `initialize` name, and the capabilities without them. */
export function viaOfCapabilities(capabilities: JsonObject): {
  via: readonly string[]
  capabilities: JsonObject
} {
  const experimental = own(capabilities, 'experimental')
  const said = isObject(experimental) ? own(experimental, VIA) : undefined
  if (!isObject(experimental) || !isObject(said)) return { via: [], capabilities }
  const { [VIA]: _, ...others } = experimental
  const { experimental: __, ...rest } = capabilities
  const plain = Object.keys(others).length === 0 ? rest : { ...rest, experimental: others }
  return { via: listed(own(said, 'proxies')), capabilities: plain }
}

/** The capabilities for a legacy `initialize`, with the proxies on the way. */
export function viaCapabilities(capabilities: JsonObject, via: readonly string[]): JsonObject {
  const experimental = own(capabilities, 'experimental')
  const others = isObject(experimental) ? experimental : {}
  return { ...capabilities, experimental: { ...others, [VIA]: { proxies: [...via] } } }
}

function listed(via: unknown): readonly string[] {
  if (!Array.isArray(via) || via.length > MAX_PROXIES) return []
  const names = via.filter((name) => typeof name === 'string' && name.length <= MAX_LENGTH)
  return names.length === via.length ? (names as string[]) : []
}

/** The member of `_meta` that says so. */
export function viaMeta(via: readonly string[]): JsonObject {
  return { [VIA]: [...via] }
}

/** Throws RpcError invalidRequest when the way leads back to this proxy, or is too long to be one. */
export function refuseLoop(via: readonly string[], identity: string): void {
  if (via.includes(identity))
    throw new RpcError(
      RPC.invalidRequest,
      'This proxy is among its own servers: remove it from `mcpServers` of its configuration',
    )
  if (via.length >= MAX_PROXIES)
    throw new RpcError(RPC.invalidRequest, `More than ${MAX_PROXIES} proxies stand behind one another`)
}
