/**
 * The two families of the protocol. Legacy (MCP 2024-10-07 to 2025-11-25) begins with `initialize` and has sessions. Modern
 * (2026-07-28) has neither: every request says in `_meta` who asks and in which revision.
 */
import { metaOf } from './content.ts'
import type { JsonObject } from './json.ts'

/** A family of revisions. */
export type Era = 'legacy' | 'modern'

/** Newest first. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const

/** Newest first. */
export const MODERN_VERSIONS = ['2026-07-28'] as const

/** Revisions are dates, and every one from this on is modern. */
const FIRST_MODERN = '2026-07-28'

/** True for modern revisions, those we do not speak included. */
export function isModernVersion(version: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= FIRST_MODERN
}

/** Members of `_meta` that the modern era gives a meaning (MCP 2026-07-28, basic, "_meta"). */
export const MODERN_META = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const

/** True when the params claim a revision: then they are of the modern era, well formed or not. */
export function claimsModern(params: JsonObject | undefined): boolean {
  const meta = metaOf(params)
  return meta !== undefined && Object.hasOwn(meta, MODERN_META.protocolVersion)
}

/** Members that only modern results have. */
const MODERN_MEMBERS = ['resultType', 'ttlMs', 'cacheScope'] as const

/** The result as a server would give it in the legacy era. */
export function toLegacyResult(result: JsonObject): JsonObject {
  if (!MODERN_MEMBERS.some((member) => Object.hasOwn(result, member))) return result
  const { resultType: _, ttlMs: _ttl, cacheScope: _scope, ...rest } = result
  return rest
}
