/** Results as the modern era wants them (MCP 2026-07-28): what is missing is put in, what is there is left alone. */
import { MODERN_META } from '../../protocol/eras.ts'
import { RPC, RpcError } from '../../protocol/errors.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { LargeResult, type Result } from '../../protocol/result.ts'
import { findMember, withMembers } from './members.ts'
import { DISCOVER } from './methods.ts'

/** Methods whose results say how long they may be kept (server/utilities/caching). */
const CACHEABLE: ReadonlySet<string> = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  DISCOVER,
])

/** What goes for a result whose server says nothing: nobody keeps it. */
const UNKEPT = { ttlMs: 0, cacheScope: 'private' } as const

/**
 * Gives a result its `resultType`, cache hints and the name of the server (`serverInfo`: ours). Anything but a complete result,
 * such as one that asks for input, passes as it is.
 */
export function toModernResult(method: string, result: Result, serverInfo: JsonObject): Result {
  if (result instanceof LargeResult) return completeLarge(method, result, serverInfo)
  const type = own(result, 'resultType')
  if (typeof type === 'string' && type !== 'complete') return result
  const added: JsonObject = {}
  if (type !== 'complete') added.resultType = 'complete'
  if (CACHEABLE.has(method)) {
    if (!isTtl(own(result, 'ttlMs'))) added.ttlMs = UNKEPT.ttlMs
    if (!isScope(own(result, 'cacheScope'))) added.cacheScope = UNKEPT.cacheScope
  }
  const meta = own(result, '_meta') ?? {}
  if (isObject(meta) && !Object.hasOwn(meta, MODERN_META.serverInfo))
    added._meta = { ...meta, [MODERN_META.serverInfo]: serverInfo }
  return Object.keys(added).length === 0 ? result : { ...result, ...added }
}

/** The same for bytes that are not parsed. A `_meta` that is there stays without our name in it, which nobody has to give. */
function completeLarge(method: string, result: LargeResult, serverInfo: JsonObject): LargeResult {
  const { buffer, byteOffset, byteLength } = result.bytes
  const json = Buffer.from(buffer, byteOffset, byteLength)
  const type = findMember(json, 'resultType')
  if (type !== undefined && !json.subarray(type, type + 10).equals(COMPLETE)) return result
  const wanted: [name: string, value: JsonValue][] = [
    ['resultType', 'complete'],
    ...(CACHEABLE.has(method) ? Object.entries(UNKEPT) : []),
    ['_meta', { [MODERN_META.serverInfo]: serverInfo }],
  ]
  const missing = wanted.filter(([name]) => findMember(json, name) === undefined)
  if (missing.length === 0) return result
  return new LargeResult(
    withMembers(
      json,
      missing.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`),
    ),
  )
}

const COMPLETE = Buffer.from('"complete"')

function isTtl(value: JsonValue | undefined): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function isScope(value: JsonValue | undefined): boolean {
  return value === 'public' || value === 'private'
}

/** Resource not found has another code in this era, and names the URI (server/resources, "Error Handling"). */
export function toModernError(method: string, params: JsonObject, error: RpcError): RpcError {
  if (method !== 'resources/read' || error.code !== RPC.resourceNotFound) return error
  const { message, data } = error
  if (data !== undefined && !isObject(data)) return new RpcError(RPC.invalidParams, message, data)
  return new RpcError(RPC.invalidParams, message, { uri: own(params, 'uri') ?? null, ...data })
}
