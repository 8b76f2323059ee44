/** What a JWT (RFC 7519, RFC 9068) and an answer of introspection (RFC 7662) say in the same words. */
import { createHash } from 'node:crypto'
import { type JsonObject, own } from '../../protocol/json.ts'
import { type Grant, TokenRefused } from './grant.ts'

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
  throw new TokenRefused('the token says not whose it is')
}

/** `scope` as RFC 6749 writes it; `scp`, and lists, are in use as well. */
function scopesOf(claims: JsonObject): string[] {
  return [own(claims, 'scope'), own(claims, 'scp')].flatMap((value) => {
    if (typeof value === 'string') return value.split(' ').filter((scope) => scope !== '')
    return Array.isArray(value) ? value.filter((scope) => typeof scope === 'string') : []
  })
}
