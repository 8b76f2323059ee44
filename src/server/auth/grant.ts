/** The worth of a token once it has been checked, and the failures of the check. */

import { createHash } from 'node:crypto'
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import type { Principal } from '../backend.ts'

export interface Grant {
  principal: Principal
  /** The scopes that it may be used for (RFC 6749, 3.3). Undefined: everything. */
  scopes: readonly string[] | undefined
}

/** Knows tokens of one kind. */
export interface Verifier {
  /** True: each token is a question to another server, so who fails too often waits before the next one is asked. */
  readonly isCostly?: boolean
  /**
   * The worth of the token to a resource that asks for one of these audiences. Undefined: it is of another kind. Throws
   * TokenRefused and VerifierUnavailable.
   */
  verify(token: string, audiences: readonly string[]): Promise<Grant | undefined>
}

/** The token opens nothing. The message says why, for the log and the client; it holds nothing of the token. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused'
}

/** Whether the token is good cannot be found out now. */
export class VerifierUnavailable extends Error {
  override readonly name = 'VerifierUnavailable'
}

// The claims that a JWT (RFC 7519, RFC 9068) and an answer of introspection (RFC 7662) have in common.

/** Seconds by which clocks may differ. */
export const SKEW = 60

/** Throws TokenRefused where a claim rules the token out. `issuer` is who vouches for the claims. */
export function grantOf(claims: JsonObject, issuer: string): Grant {
  // A token that belongs to a key or certificate (RFC 8705, 3; RFC 9449, 6) is worth nothing without a proof, which we cannot check.
  if (own(claims, 'cnf') !== undefined) throw new TokenRefused('the token is bound to a key')
  const expires = own(claims, 'exp')
  return {
    principal: {
      id: principalId(claims, issuer),
      ...(typeof expires === 'number' && { expiresAt: expires + SKEW }),
    },
    scopes: scopesOf(claims),
  }
}

/** The same subject of two issuers is two. */
function principalId(claims: JsonObject, issuer: string): string {
  for (const name of ['sub', 'client_id']) {
    const value = own(claims, name)
    if (typeof value !== 'string' || value === '') continue
    const digest = createHash('sha256')
      .update(JSON.stringify([issuer, name, value]))
      .digest('hex')
    return `o_${digest.slice(0, 32)}`
  }
  throw new TokenRefused('the token names no user')
}

/** `scope` as RFC 6749 writes it; `scp`, and lists, are in use as well. */
function scopesOf(claims: JsonObject): string[] {
  return [own(claims, 'scope'), own(claims, 'scp')].flatMap((value) => {
    if (typeof value === 'string') return value.split(' ').filter((scope) => scope !== '')
    return Array.isArray(value) ? value.filter((scope) => typeof scope === 'string') : []
  })
}

// Small JSON documents of an authorization server.

/** Milliseconds until the whole answer has to be there. */
const TIMEOUT_MS = 5_000
const MAX_BYTES = 512 * 1024

export type Fetch = typeof fetch

/**
 * Throws when it does not come, is too long or is no JSON object. Redirects are not followed: the configuration trusts only the named
 * address.
 */
export async function fetchJson(
  url: string,
  { fetch, ...init }: RequestInit & { fetch: Fetch },
): Promise<JsonObject> {
  const headers = { accept: 'application/json', ...init.headers }
  const response = await fetch(url, {
    ...init,
    headers,
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (!response.ok) {
    await response.body?.cancel()
    throw new Error(`${url} answered with status ${response.status}`)
  }
  const value: unknown = JSON.parse(await textOf(response, url))
  if (!isObject(value)) throw new Error(`${url} answered with something that is no JSON object`)
  return value
}

async function textOf(response: Response, url: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    // Leaving the loop ends the response.
    if (size > MAX_BYTES) throw new Error(`${url} answered with more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
