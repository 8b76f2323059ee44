/** Access tokens that are JWTs (RFC 9068), checked here with the keys of their issuer. */

import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyOptions,
  jwtVerify,
  type LocalJWKSet,
} from 'jose'
import { isSafeAddress } from '../../config/loopback.ts'
import type { Logger } from '../../observe/log.ts'
import { messageOf } from '../../protocol/errors.ts'
import { type JsonObject, own } from '../../protocol/json.ts'
import {
  type Fetch,
  fetchJson,
  grantOf,
  SKEW,
  TokenRefused,
  type Verifier,
  VerifierUnavailable,
} from './grant.ts'

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

/** The issuer that the token names, not yet verified. Undefined: it is no signed JWT. */
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

// The keys with which an authorization server signs: found by its metadata, kept, and fetched again when it
// has new ones.

export interface IssuerKeysOptions {
  issuer: string
  /** Undefined: its metadata tells. */
  jwksUri: string | undefined
  fetch: Fetch
  /** Milliseconds. */
  now: () => number
  logger: Logger
}

export interface IssuerKeys {
  /** The keys as they are known. Throws VerifierUnavailable when none are. */
  current(): Promise<LocalJWKSet>
  /** A token was signed with a key that is not among them: fetched again, unless that was done just now. */
  renewed(): Promise<LocalJWKSet>
}

/** Milliseconds after which keys are fetched again without need: one that was taken back shall not count for ever. */
const FRESH_MS = 10 * 60_000
/** Milliseconds for which older ones still do while the issuer does not answer. */
const STALE_MS = 60 * 60_000
/** Milliseconds between two fetches for unknown keys: anybody can make up a key's name. */
const RENEW_MS = 60_000
/** Milliseconds after a fetch that failed. */
const RETRY_MS = 5_000

export function createIssuerKeys({ issuer, jwksUri, fetch, now, logger }: IssuerKeysOptions): IssuerKeys {
  let keys: LocalJWKSet | undefined
  let fetched = Number.NEGATIVE_INFINITY
  let tried = Number.NEGATIVE_INFINITY
  let address = jwksUri
  let fetching: Promise<void> | undefined

  async function load(): Promise<void> {
    tried = now()
    try {
      address ??= await discover(issuer, fetch)
      keys = createLocalJWKSet((await fetchJson(address, { fetch })) as unknown as JSONWebKeySet)
      fetched = now()
    } catch (error) {
      address = jwksUri
      logger.warn(
        { issuer, reason: messageOf(error) },
        'the keys of an authorization server could not be fetched',
      )
    }
  }

  /** Once for all that ask at the same time. */
  function fetchAgain(): Promise<void> {
    fetching ??= load().finally(() => {
      fetching = undefined
    })
    return fetching
  }

  function known(): LocalJWKSet {
    if (keys !== undefined && now() - fetched < STALE_MS) return keys
    throw new VerifierUnavailable(`the keys of ${issuer} cannot be fetched`)
  }

  return {
    async current() {
      const old = now() - fetched >= FRESH_MS
      const loading = fetching !== undefined || (old && now() - tried >= RETRY_MS) ? fetchAgain() : undefined
      // No request waits for newer ones while these suffice.
      if (now() - fetched >= STALE_MS) await loading
      return known()
    },
    async renewed() {
      if (now() - tried >= RENEW_MS || fetching !== undefined) await fetchAgain()
      return known()
    },
  }
}

/** `jwks_uri` of the issuer's metadata (RFC 8414, 3; OpenID Connect Discovery 1.0, 4). */
async function discover(issuer: string, fetch: Fetch): Promise<string> {
  let problem = 'no metadata'
  for (const url of metadataUrls(issuer)) {
    try {
      const metadata = await fetchJson(url, { fetch })
      // RFC 8414, 3.3: else one server could speak for another.
      if (own(metadata, 'issuer') !== issuer)
        problem = `${url} is about another issuer: ${String(own(metadata, 'issuer'))}`
      else return checked(own(metadata, 'jwks_uri'), url)
    } catch (error) {
      problem = messageOf(error)
    }
  }
  throw new Error(problem)
}

/** In the order of MCP 2025-11-25, basic/authorization, "Authorization Server Metadata Discovery". */
export function metadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    ...(path === '' ? [] : [`${origin}${path}/.well-known/openid-configuration`]),
  ]
}

function checked(uri: unknown, from: string): string {
  if (typeof uri === 'string' && isSafeAddress(uri)) return uri
  throw new Error(`${from} names no https address of its keys`)
}
