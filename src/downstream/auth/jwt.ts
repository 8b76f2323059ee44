/** Access tokens that are JWTs (RFC 9068), checked here with the keys of their issuer. */
import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyOptions,
  jwtVerify,
  type LocalJWKSet,
} from 'jose'
import type { JsonObject } from '../../protocol/json.ts'
import { grantOf, SKEW } from './claims.ts'
import { TokenRefused, type Verifier } from './grant.ts'
import type { IssuerKeys } from './issuer-keys.ts'

export interface JwtOptions {
  /** By issuer, spelled as `iss` spells it. */
  keys: ReadonlyMap<string, IssuerKeys>
  /** Milliseconds since 1970. */
  now: () => number
}

/** Signatures with a key pair. A secret shared with the issuer (HS256) or none at all would let its holders make tokens. */
const ALGORITHMS = ['RS', 'PS', 'ES'].flatMap((kind) => [`${kind}256`, `${kind}384`, `${kind}512`])
const SIGNATURES = [...ALGORITHMS, 'EdDSA', 'Ed25519']

/** `typ` of access tokens: RFC 9068, 2.1, and what issuers wrote before it. Others are for other ends. */
const TYPES = ['at+jwt', 'application/at+jwt', 'jwt', 'application/jwt']

/** Tokens of other issuers are of another kind. */
export function createJwtVerifier({ keys, now }: JwtOptions): Verifier {
  return {
    async verify(token, audiences) {
      const issuer = issuerOf(token)
      const known = issuer === undefined ? undefined : keys.get(issuer)
      if (issuer === undefined || known === undefined) return undefined
      const options: JWTVerifyOptions = {
        algorithms: SIGNATURES,
        issuer,
        audience: [...audiences],
        requiredClaims: ['exp'],
        clockTolerance: SKEW,
        currentDate: new Date(now()),
      }
      try {
        return grantOf((await verified(token, known, options)) as JsonObject, issuer)
      } catch (error) {
        throw error instanceof errors.JOSEError ? new TokenRefused(reasonOf(error)) : error
      }
    },
  }
}

/** Who the token says it comes from, not yet believed. Undefined: it is no signed JWT. */
function issuerOf(token: string): string | undefined {
  try {
    const { typ } = decodeProtectedHeader(token)
    const { iss } = decodeJwt(token)
    if (typ !== undefined && !TYPES.includes(String(typ).toLowerCase())) return undefined
    return typeof iss === 'string' ? iss : undefined
  } catch {
    return undefined
  }
}

async function verified(token: string, keys: IssuerKeys, options: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return await withKeys(token, await keys.current(), options)
  } catch (error) {
    if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
    return withKeys(token, await keys.renewed(), options)
  }
}

async function withKeys(token: string, keys: LocalJWKSet, options: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, keys, options)).payload
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    // The token does not name its key: one of these, or none.
    for await (const key of error) {
      try {
        return (await jwtVerify(token, key, options)).payload
      } catch (inner) {
        if (!(inner instanceof errors.JWSSignatureVerificationFailed)) throw inner
      }
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

/** Messages of jose may quote the token's claims; only names that are ours go into the log. */
function reasonOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'the token has expired'
  if (error instanceof errors.JWTClaimValidationFailed) return `the token's claim ${error.claim} does not fit`
  if (error instanceof errors.JWKSNoMatchingKey)
    return 'the token is signed with a key that its issuer does not have'
  if (error instanceof errors.JOSEAlgNotAllowed) return 'the token is signed in a way that is not accepted'
  return 'the token is not valid'
}
