/** The handshake of the legacy era (MCP ≤ 2025-11-25, basic/lifecycle): initialize, then notifications/initialized. */
import { LEGACY_VERSIONS } from '../protocol/eras.ts'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import type { Peer } from '../protocol/peer.ts'
import { plain } from '../protocol/result.ts'

export interface Introduction {
  /** `clientInfo` of the proxy: at least name and version. */
  clientInfo: JsonObject
  /** Capabilities of the client this connection serves, unchanged; none when it serves nobody in particular. */
  capabilities: JsonObject
  /** The client's revision, so that the server speaks to it as it would without a proxy. Default: the newest. */
  protocolVersion?: string | undefined
}

/** A server that breaks the protocol; the message follows "server `x`". */
class ProtocolViolation extends Error {
  override readonly name = 'ProtocolViolation'
}

/** Resolves to the initialize result, as the server sent it. */
export async function handshake(
  peer: Peer,
  introduction: Introduction,
  agreed: (protocolVersion: string) => void,
): Promise<JsonObject> {
  const { clientInfo, capabilities, protocolVersion } = introduction
  const offered = LEGACY_VERSIONS.find((version) => version === protocolVersion) ?? LEGACY_VERSIONS[0] ?? ''
  const params = { protocolVersion: offered, capabilities, clientInfo }
  const result = plain(await peer.request({ method: 'initialize', params }))
  const version = own(result, 'protocolVersion')
  if (typeof version !== 'string')
    throw new ProtocolViolation('answered initialize without a protocolVersion')
  if (!LEGACY_VERSIONS.some((known) => known === version)) {
    throw new ProtocolViolation(`speaks protocol version ${version.slice(0, 40)}, which this proxy does not`)
  }
  agreed(version)
  peer.notify({ method: 'notifications/initialized' })
  return result
}

/** True when the server said it has this capability, for example `tools`. */
export function offers(initialize: JsonObject, capability: string): boolean {
  const capabilities = own(initialize, 'capabilities')
  return isObject(capabilities) && isObject(own(capabilities, capability))
}
