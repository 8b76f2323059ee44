/** Finding out which era a server speaks (MCP 2026-07-28, basic/versioning, "Backward Compatibility"). */

import { type Era, isModernVersion } from '../protocol/eras.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import { isObject, own } from '../protocol/json.ts'
import { PeerClosed, RequestTimeout } from '../protocol/peer.ts'

/** Rejects a connection to a server that does not speak this era. It may speak the other. */
export class EraRefused extends Error {
  override readonly name = 'EraRefused'
  readonly era: Era

  constructor(era: Era, cause: unknown) {
    super(`does not speak the ${era} era of the protocol`, { cause })
    this.era = era
  }
}

/** What became of a handshake that failed. */
export interface Failure {
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
