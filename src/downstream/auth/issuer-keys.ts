/** The keys with which an authorization server signs: found by its metadata, kept, and fetched again when it has new ones. */
import { createLocalJWKSet, type JSONWebKeySet, type LocalJWKSet } from 'jose'
import { isSafeAddress } from '../../config/loopback.ts'
import { messageOf } from '../../protocol/errors.ts'
import { own } from '../../protocol/json.ts'
import type { Logger } from '../../telemetry/log.ts'
import { type Fetch, fetchJson } from './fetch-json.ts'
import { VerifierUnavailable } from './grant.ts'

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
      // Nobody waits for newer ones while these do.
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
