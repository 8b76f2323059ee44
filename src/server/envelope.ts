/** The envelope of every request of the modern era in `_meta` (MCP 2026-07-28, basic, "_meta"). */
import { viaOf } from '../protocol/chain.ts'
import { metaOf } from '../protocol/content.ts'
import { MODERN_META, MODERN_VERSIONS } from '../protocol/eras.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../protocol/json.ts'
import { isLogLevel, type LogLevel } from '../protocol/log-levels.ts'

export interface Envelope {
  readonly protocolVersion: string
  /** `clientInfo`, or an empty object: clients should send it. */
  readonly info: JsonObject
  readonly capabilities: JsonObject
  /** Absent: the client wants no log messages of this request. */
  readonly logLevel: LogLevel | undefined
  /** The proxies that the request has come through. */
  readonly via: readonly string[]
}

const REQUIRED = [MODERN_META.protocolVersion, MODERN_META.clientCapabilities] as const

/** The form of each member, and the sentence for a client that sent something else. */
const CHECKS: readonly [key: string, sound: (value: JsonValue) => boolean, problem: string][] = [
  [MODERN_META.protocolVersion, (value) => typeof value === 'string', 'expected a string'],
  [MODERN_META.clientCapabilities, isObject, 'expected an object'],
  [MODERN_META.clientInfo, isObject, 'expected an object'],
  [MODERN_META.logLevel, isLogLevel, 'expected a log level'],
]

/** Throws RpcError: -32602 names the member that is missing or wrong, -32022 the revisions that are spoken here. */
export function readEnvelope(params: JsonObject | undefined): Envelope {
  const meta = metaOf(params)
  if (!meta || !Object.hasOwn(meta, MODERN_META.protocolVersion)) throw missing(meta)
  for (const key of REQUIRED) if (!Object.hasOwn(meta, key)) throw broken(key, 'missing')
  for (const [key, sound, problem] of CHECKS) {
    const value = own(meta, key)
    if (value !== undefined && !sound(value)) throw broken(key, problem)
  }
  const protocolVersion = meta[MODERN_META.protocolVersion] as string
  if (!MODERN_VERSIONS.some((version) => version === protocolVersion))
    throw unsupportedVersion(protocolVersion)
  return {
    protocolVersion,
    info: (own(meta, MODERN_META.clientInfo) ?? {}) as JsonObject,
    capabilities: meta[MODERN_META.clientCapabilities] as JsonObject,
    logLevel: own(meta, MODERN_META.logLevel) as LogLevel | undefined,
    via: viaOf(params),
  }
}

/** True when `readEnvelope` would not throw. */
export function isSound(params: JsonObject | undefined): boolean {
  try {
    readEnvelope(params)
    return true
  } catch {
    return false
  }
}

/** The refusal of a revision that is not spoken here; `requested` is what the client named, if it did. */
export function unsupportedVersion(requested: unknown): RpcError {
  const named = typeof requested === 'string'
  return new RpcError(
    RPC.unsupportedVersion,
    named
      ? `Unsupported protocol version: ${requested.slice(0, 100)}`
      : 'Unsupported protocol version: the request names none',
    { supported: [...MODERN_VERSIONS], ...(named && { requested }) },
  )
}

/** No claim to the era at all: the list of what has to be there. */
function missing(meta: JsonObject | undefined): RpcError {
  const keys = meta ? REQUIRED.filter((key) => !Object.hasOwn(meta, key)) : ['_meta', ...REQUIRED]
  return new RpcError(
    RPC.invalidParams,
    `Invalid params: every request of protocol revision ${MODERN_VERSIONS[0]} needs ${keys.join(', ')}`,
    { envelope: { missing: keys } },
  )
}

function broken(key: string, problem: string): RpcError {
  return new RpcError(
    RPC.invalidParams,
    `Invalid _meta envelope for protocol revision ${MODERN_VERSIONS[0]}: ${key}: ${problem}`,
    { envelope: { key, problem } },
  )
}
