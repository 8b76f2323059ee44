/** From the settings to who may connect. */

import { homedir } from 'node:os'
import { issuersOf, usesOauth } from '../../config/auth-options.ts'
import type { Config } from '../../config/schema.ts'
import { mayExist, tokenFile } from '../../data/tokens.ts'
import type { Logger } from '../../observe/log.ts'
import type { Authenticator } from '../backend.ts'
import { createAuthenticator, createGrantCache, createResource, type Resource } from './authenticator.ts'
import { createFailures } from './credentials.ts'
import type { Fetch, Verifier } from './grant.ts'
import { createLocalTokens } from './local-tokens.ts'

export interface OpenOptions {
  settings: Pick<Config['settings'], 'allowUnauthenticated' | 'auth' | 'dataDir' | 'host' | 'transport'>
  logger: Logger
  /** Milliseconds since 1970. */
  now: () => number
  fetch?: Fetch
}

const FAILURES_PER_MINUTE = 20
const MAX_ADDRESSES = 10_000
const MAX_GRANTS = 10_000

/** The facts that the listener needs about who may connect. */
export interface Access {
  authenticator?: Authenticator
  allowUnauthenticated: boolean
  publicUrl?: string
}

/** Throws a ProxyError (CONFIG_INVALID) when the file of tokens cannot be used. */
export async function openAccess(options: OpenOptions): Promise<Access> {
  const { allowUnauthenticated, auth } = options.settings
  const authenticator = await openAuthenticator(options)
  return {
    allowUnauthenticated,
    ...(authenticator && { authenticator }),
    ...(auth.publicUrl !== undefined && { publicUrl: auth.publicUrl }),
  }
}

/** Undefined: clients need not authenticate. Throws a ProxyError (CONFIG_INVALID) when the file of tokens cannot be used. */
export async function openAuthenticator(options: OpenOptions): Promise<Authenticator | undefined> {
  const { settings, logger, now } = options
  const { path, named } = tokenFile(settings, process.cwd(), homedir())
  const local = named || mayExist(path) ? createLocalTokens({ path, now, logger }) : undefined
  const oauth = usesOauth(settings.auth) ? await openOauth(options) : undefined
  if (local === undefined && oauth === undefined) return undefined
  return createAuthenticator({
    local,
    verifiers: oauth?.verifiers ?? [],
    resource: oauth?.resource,
    requiredScopes: settings.auth.requiredScopes,
    profileScopes: settings.auth.profileScopes,
    grants: createGrantCache({ max: MAX_GRANTS, now }),
    failures: createFailures({ perMinute: FAILURES_PER_MINUTE, maxAddresses: MAX_ADDRESSES, now }),
    logger,
  })
}

/** The code for keys and signatures is loaded when an issuer is configured. */
async function openOauth({
  settings,
  logger,
  now,
  fetch = globalThis.fetch,
}: OpenOptions): Promise<{ verifiers: Verifier[]; resource: Resource }> {
  const { createIssuerKeys } = await import('./jwt.ts')
  const { createJwtVerifier } = await import('./jwt.ts')
  const { createIntrospection } = await import('./introspection.ts')
  const { auth, host, transport } = settings
  const { publicUrl, audience, jwksUri, introspection, requiredScopes: scopes } = auth
  const issuers = issuersOf(auth)
  const keys = new Map(
    issuers.map((issuer) => [issuer, createIssuerKeys({ issuer, jwksUri, fetch, now, logger })]),
  )
  const { url, clientId, clientSecret } = introspection
  const path = transport === 'sse' ? '/sse' : '/mcp'
  return {
    verifiers: [
      createJwtVerifier({ keys, now }),
      ...(url === undefined
        ? []
        : [createIntrospection({ url, clientId, clientSecret, issuers, fetch, now, logger })]),
    ],
    resource: createResource({ publicUrl, host, path, audience, issuers, scopes }),
  }
}
