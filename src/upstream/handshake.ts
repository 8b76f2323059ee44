/** Getting to know a server: `initialize` in the legacy era (basic/lifecycle), `server/discover` in the modern one. */
import { viaCapabilities, viaMeta } from '../protocol/chain.ts'
import { metaOf, plain, type Result, withMeta } from '../protocol/content.ts'
import { type Era, isModernVersion, LEGACY_VERSIONS, MODERN_META, MODERN_VERSIONS } from '../protocol/eras.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import { type Peer, PeerClosed, RequestTimeout } from '../protocol/peer.ts'
import type { UpstreamTransport } from './transport.ts'

export interface Introduction {
  era: Era
  /** `clientInfo` of the proxy: at least name and version. */
  clientInfo: JsonObject
  /** Capabilities of the client this connection serves, or of the first it serves; none when it serves no client in particular. */
  capabilities: JsonObject
  /** The proxies on the way to the server, this one last. */
  via: readonly string[]
  /** The client's revision, so that the server speaks to it as it would without a proxy. Default: the newest of the era. */
  protocolVersion?: string | undefined
}

/** The outcome of one handshake. After another one the server may have forgotten everything. */
export interface Established {
  readonly peer: Peer
  readonly transport: UpstreamTransport
  /** The server's description of itself; see `handshake`. */
  readonly initialize: JsonObject
}

/** A server that breaks the protocol; the message follows "server `x`". */
class ProtocolViolation extends Error {
  override readonly name = 'ProtocolViolation'
}

/**
 * Resolves to what the server says of itself, in the form of an initialize result whichever the era: `protocolVersion`,
 * `capabilities`, `serverInfo`, `instructions`.
 */
export function handshake(
  peer: Peer,
  introduction: Introduction,
  agreed: (protocolVersion: string) => void,
): Promise<JsonObject> {
  return introduction.era === 'modern'
    ? discover(peer, introduction, agreed)
    : initialize(peer, introduction, agreed)
}

async function initialize(
  peer: Peer,
  { clientInfo, capabilities, protocolVersion, via }: Introduction,
  agreed: (protocolVersion: string) => void,
): Promise<JsonObject> {
  const offered = LEGACY_VERSIONS.find((version) => version === protocolVersion) ?? LEGACY_VERSIONS[0]
  // Without `_meta`: a server of both eras refuses it as a modern request that lacks the rest.
  const params = { protocolVersion: offered, capabilities: viaCapabilities(capabilities, via), clientInfo }
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

async function discover(
  peer: Peer,
  introduction: Introduction,
  agreed: (protocolVersion: string) => void,
): Promise<JsonObject> {
  const [protocolVersion] = MODERN_VERSIONS
  const params = withMeta({}, { ...envelope(introduction), ...viaMeta(introduction.via) })
  const ask = (): Promise<Result> => peer.request({ method: 'server/discover', params })
  const result = plain(
    await ask().catch((error: unknown) => {
      // A server that names revisions wants to be asked again in one of them (basic/versioning).
      if (offersVersion(error, protocolVersion)) return ask()
      throw error
    }),
  )
  const supported = own(result, 'supportedVersions')
  if (!Array.isArray(supported) || !supported.includes(protocolVersion))
    throw new ProtocolViolation(`does not speak protocol version ${protocolVersion}`)
  agreed(protocolVersion)
  const { capabilities, instructions } = result
  const serverInfo = own(metaOf(result) ?? {}, MODERN_META.serverInfo) ?? own(result, 'serverInfo')
  return {
    protocolVersion,
    capabilities: isObject(capabilities) ? capabilities : {},
    serverInfo: isObject(serverInfo) ? serverInfo : {},
    ...(typeof instructions === 'string' && { instructions }),
  }
}

function offersVersion(error: unknown, version: string): boolean {
  if (!(error instanceof RpcError) || error.code !== RPC.unsupportedVersion) return false
  const supported = isObject(error.data) ? own(error.data, 'supported') : undefined
  return Array.isArray(supported) && supported.includes(version)
}

/** Extensions with results that only a client that knows them can read; the proxy knows none (SEP-2663). */
const UNKNOWN_EXTENSIONS: ReadonlySet<string> = new Set(['io.modelcontextprotocol/tasks'])

/** The members of `_meta` that say who asks, as every modern request carries them (MCP 2026-07-28, basic, "_meta"). */
export function envelope({
  clientInfo,
  capabilities,
}: Pick<Introduction, 'clientInfo' | 'capabilities'>): JsonObject {
  return {
    [MODERN_META.protocolVersion]: MODERN_VERSIONS[0],
    // Optional, and refused when it is not what it should be.
    ...(isImplementation(clientInfo) && { [MODERN_META.clientInfo]: clientInfo }),
    [MODERN_META.clientCapabilities]: answerable(capabilities),
  }
}

function isImplementation({ name, version }: JsonObject): boolean {
  return typeof name === 'string' && typeof version === 'string'
}

/** The capabilities without extensions that would change what a server answers into something the proxy cannot pass on. */
export function answerable(capabilities: JsonObject): JsonObject {
  const extensions = own(capabilities, 'extensions')
  if (!isObject(extensions) || !Object.keys(extensions).some((name) => UNKNOWN_EXTENSIONS.has(name)))
    return capabilities
  const known = Object.entries(extensions).filter(([name]) => !UNKNOWN_EXTENSIONS.has(name))
  return { ...capabilities, extensions: Object.fromEntries(known) }
}

/** True when the server said it has this capability, for example `tools`. */
export function offers(initialize: JsonObject, capability: string): boolean {
  const capabilities = own(initialize, 'capabilities')
  return isObject(capabilities) && isObject(own(capabilities, capability))
}

// Finding out which era a server speaks (MCP 2026-07-28, basic/versioning, "Backward Compatibility").

/** Rejects a connection to a server that does not speak this era. It may speak the other. */
export class EraRefused extends Error {
  override readonly name = 'EraRefused'
  readonly era: Era

  constructor(era: Era, cause: unknown) {
    super(`does not speak the ${era} era of the protocol`, { cause })
    this.era = era
  }
}

/** The outcome of a handshake that failed. */
interface Failure {
  error: unknown
  /** The server is a process of ours: some end at the first request they do not know. */
  local: boolean
}

/** True when the failure says that the era is not spoken, and not that the server is down or wants to know who asks. */
export function refusesEra(era: Era, { error, local }: Failure): boolean {
  if (era === 'legacy') return error instanceof RpcError && refusesInitialize(error)
  if (error instanceof RpcError) return !(error.code === RPC.unsupportedVersion && onlyNewer(error))
  const status = statusOf(error)
  if (status !== undefined) return status >= 400 && status < 500 && status !== 401 && status !== 403
  return local && (error instanceof PeerClosed || error instanceof RequestTimeout)
}

/** A server that speaks legacy knows `initialize`, and answers a revision it does not know with one that it knows. */
function refusesInitialize(error: RpcError): boolean {
  return error.code === RPC.methodNotFound || error.code === RPC.unsupportedVersion
}

/** True when the server speaks revisions that are newer than ours, and no others: there is nothing to fall back to. */
function onlyNewer({ data }: RpcError): boolean {
  const supported = isObject(data) ? own(data, 'supported') : undefined
  if (!Array.isArray(supported) || supported.length === 0) return false
  return supported.every((version) => typeof version === 'string' && isModernVersion(version))
}

/** The HTTP status of an error or of what caused it. */
export function statusOf(error: unknown): number | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ('status' in at && typeof at.status === 'number') return at.status
  }
  return undefined
}
