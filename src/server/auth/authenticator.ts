/** Asks every request for its token and answers requests without a valid one. */

import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { LRUCache } from 'lru-cache'
import { LOOPBACK, nameOfHost } from '../../config/loopback.ts'
import { hashToken } from '../../data/tokens.ts'
import type { Logger } from '../../observe/log.ts'
import type { Authenticator, Principal } from '../backend.ts'
import { refuse } from '../http/request.ts'
import { credentialsOf, type Failures } from './credentials.ts'
import { type Grant, TokenRefused, type Verifier, VerifierUnavailable } from './grant.ts'

interface AuthenticatorOptions {
  /** Checked with every request: it costs nothing, and a token that was removed ends at once. */
  local: Verifier | undefined
  /** Asked in this order, by hand of signatures or other servers. */
  verifiers: readonly Verifier[]
  /** Of an OAuth resource server; undefined: no authorization server is known. */
  resource: Resource | undefined
  requiredScopes: readonly string[]
  /** How scopes begin that name profiles. Undefined: scopes say nothing of them. */
  profileScopes: string | undefined
  grants: GrantCache
  failures: Failures
  logger: Logger
}

/** Milliseconds between two looks at the tokens of responses under way: a stream ends within twice as many after its token was removed. */
const LOOK_MS = 2_000

/** Seconds after which it may be tried again to find out whether a token is good. */
const RETRY_SECONDS = 5

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { local, verifiers, resource, requiredScopes, profileScopes, grants, failures, logger } = options

  function challenge(
    request: IncomingMessage,
    response: ServerResponse,
    status: number,
    facts: Challenge,
  ): void {
    const text = challengeText({ scopes: requiredScopes, metadata: resource?.metadataUrl(request), ...facts })
    response.setHeader('WWW-Authenticate', text)
    refuse(response, status, facts.description ?? 'A token is needed: Authorization: Bearer <token>')
  }

  function later(response: ServerResponse, status: number, seconds: number, message: string): void {
    response.setHeader('Retry-After', String(seconds))
    refuse(response, status, message)
  }

  /** Undefined: none of the verifiers knows such tokens. */
  async function ask(token: string, request: IncomingMessage): Promise<Grant | undefined> {
    const audiences = resource?.audiences(request) ?? []
    for (const verifier of verifiers) {
      // Clients behind one address share its failures: what costs little, and a token that was good, is checked all the same.
      if (verifier.isCostly && !grants.knows(token)) mayTry(request)
      const grant = await verifier.verify(token, audiences)
      if (grant !== undefined) return grant
    }
    return undefined
  }

  async function grantFor(token: string, request: IncomingMessage): Promise<Grant> {
    const found = (await local?.verify(token, [])) ?? grants.get(token)
    if (found) return found
    try {
      const grant = await ask(token, request)
      if (grant === undefined) throw new TokenRefused('the token is unknown')
      grants.set(token, grant)
      return grant
    } catch (error) {
      if (error instanceof TokenRefused) grants.delete(token)
      throw error
    }
  }

  function mayTry(request: IncomingMessage): void {
    const seconds = failures.wait(addressOf(request))
    if (seconds > 0) throw new TooManyFailures(seconds)
  }

  /** Answers for a token that does not count. */
  function answer(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    if (error instanceof VerifierUnavailable) return later(response, 503, RETRY_SECONDS, error.message)
    if (error instanceof TooManyFailures)
      return later(response, 429, error.seconds, 'Too many tokens were refused: try again later')
    if (!(error instanceof TokenRefused)) throw error
    failed(request, response, 'invalid_token', error.message)
  }

  function failed(
    request: IncomingMessage,
    response: ServerResponse,
    error: 'invalid_request' | 'invalid_token',
    description: string,
  ): void {
    const address = addressOf(request)
    const seconds = failures.wait(address)
    if (seconds > 0) return later(response, 429, seconds, 'Too many tokens were refused: try again later')
    failures.add(address)
    logger.warn({ address, reason: description }, 'a client was refused')
    challenge(request, response, 401, { error, description })
  }

  /** Undefined: the token lacks a scope. */
  async function admit(token: string, request: IncomingMessage): Promise<Principal | undefined> {
    const { principal, scopes } = await grantFor(token, request)
    if (scopes === undefined) return principal
    if (!requiredScopes.every((scope) => scopes.includes(scope))) return undefined
    return profileScopes === undefined ? principal : limited(principal, scopes, profileScopes)
  }

  /** Responses under way, and their principals: streams last for hours. */
  const open = new Map<ServerResponse, { token: string; request: IncomingMessage; principal: Principal }>()
  let watch: NodeJS.Timeout | undefined
  /** The questions under way about each token: one that takes long must not keep the streams of others open. */
  const asked = new Map<string, Promise<Principal | undefined>>()

  function principalNow(token: string, request: IncomingMessage): Promise<Principal | undefined> {
    const asking = asked.get(token) ?? admit(token, request).finally(() => asked.delete(token))
    asked.set(token, asking)
    return asking
  }

  /** Ends the responses of tokens that were revoked, or that grant something else by now. */
  function look(): void {
    for (const [response, { token, request, principal }] of open) {
      principalNow(token, request).then(
        (now) => {
          if (now?.id !== principal.id || String(now.profiles) !== String(principal.profiles))
            response.destroy()
        },
        (error) => {
          if (error instanceof TokenRefused) response.destroy()
        },
      )
    }
    if (open.size > 0) return
    clearInterval(watch)
    watch = undefined
  }

  return {
    async authenticate(request, response) {
      const credentials = credentialsOf(request)
      if (credentials.kind === 'none') return void challenge(request, response, 401, {})
      if (credentials.kind === 'malformed')
        return void failed(request, response, 'invalid_request', credentials.reason)
      try {
        const principal = await admit(credentials.token, request)
        if (principal) {
          open.set(response, { token: credentials.token, request, principal })
          response.once('close', () => open.delete(response))
          watch ??= setInterval(look, LOOK_MS).unref()
          return principal
        }
        challenge(request, response, 403, {
          error: 'insufficient_scope',
          description: 'the token lacks a scope',
        })
      } catch (error) {
        answer(error, request, response)
      }
      return undefined
    },

    serve(request, response, url) {
      if (resource === undefined || !resource.isMetadataPath(url.pathname)) return false
      // Public, and clients in web pages have to read it.
      response.setHeader('Access-Control-Allow-Origin', '*')
      if (request.method === 'GET' || request.method === 'HEAD') {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify(resource.metadata(request)))
      } else {
        response.setHeader('Allow', 'GET, HEAD')
        refuse(response, 405, 'This document can only be read')
      }
      return true
    },
  }
}

/** Each choice of profiles is an agent of its own, so a token of more profiles does not find the results of a token of fewer. */
function limited(principal: Principal, scopes: readonly string[], beginning: string): Principal {
  const named = scopes
    .filter((scope) => scope.startsWith(beginning))
    .map((scope) => scope.slice(beginning.length))
  const profiles = [...new Set(named)].sort()
  const digest = createHash('sha256')
    .update(JSON.stringify([principal.id, profiles]))
    .digest('hex')
  return { ...principal, id: `o_${digest.slice(0, 32)}`, profiles }
}

class TooManyFailures extends Error {
  readonly seconds: number

  constructor(seconds: number) {
    super('too many failures')
    this.seconds = seconds
  }
}

/** Of the connection: what `X-Forwarded-For` says anybody can write. */
function addressOf(request: IncomingMessage): string {
  return request.socket.remoteAddress ?? ''
}

// `WWW-Authenticate: Bearer …` (RFC 6750, 3; RFC 9728, 5.1).

interface Challenge {
  /** Absent when the request presented nothing (RFC 6750, 3.1). */
  error?: 'invalid_request' | 'invalid_token' | 'insufficient_scope'
  description?: string
  scopes?: readonly string[]
  /** Where the protected resource metadata lies. */
  metadata?: string | undefined
}

export function challengeText({ error, description, scopes = [], metadata }: Challenge): string {
  const parameters = Object.entries({
    error,
    error_description: description,
    scope: scopes.length === 0 ? undefined : scopes.join(' '),
    resource_metadata: metadata,
  }).flatMap(([name, value]) => (value === undefined ? [] : [`${name}="${quotable(value)}"`]))
  return ['Bearer', parameters.join(', ')].filter((part) => part !== '').join(' ')
}

/** Without what would end the quoted string or the header. */
function quotable(value: string): string {
  return value.replaceAll(/[^\x20-\x7E]|["\\]/g, "'")
}

// Grants that need not be checked with every request. Tokens are remembered by their hashes alone.

interface GrantCache {
  get(token: string): Grant | undefined
  /** True for a token that was good, also when it has to be checked again. */
  knows(token: string): boolean
  set(token: string, grant: Grant): void
  delete(token: string): void
}

/** Milliseconds: the longest that a token counts after it was taken back. */
const FRESH_MS = 60_000

/** `now` in milliseconds since 1970. */
export function createGrantCache({ max, now }: { max: number; now: () => number }): GrantCache {
  const kept = new LRUCache<string, { grant: Grant; until: number }>({ max })
  return {
    get(token) {
      const found = kept.get(hashToken(token))
      return found !== undefined && now() < found.until ? found.grant : undefined
    },
    knows: (token) => kept.has(hashToken(token)),
    set(token, grant) {
      const { expiresAt = Number.POSITIVE_INFINITY } = grant.principal
      kept.set(hashToken(token), { grant, until: Math.min(now() + FRESH_MS, expiresAt * 1000) })
    },
    delete: (token) => void kept.delete(hashToken(token)),
  }
}

// The name of this proxy as a protected resource (RFC 8707, RFC 9728), and the document about it.

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

interface ResourceOptions {
  /** As configured. Undefined: clients come over loopback. */
  publicUrl: string | undefined
  /** The address that is listened on. */
  host: string
  /** Where MCP is served: `/mcp`. */
  path: string
  /** `aud` that tokens must have in place of the resource's own address. */
  audience: string | undefined
  issuers: readonly string[]
  scopes: readonly string[]
}

export interface Resource {
  /** `aud` that a token sent with this request may have. */
  audiences(request: IncomingMessage): string[]
  /** Where the metadata lies. */
  metadataUrl(request: IncomingMessage): string
  /** Protected resource metadata (RFC 9728, 2). */
  metadata(request: IncomingMessage): object
  /** True for paths under which the metadata is asked for. */
  isMetadataPath(path: string): boolean
}

export function createResource(options: ResourceOptions): Resource {
  const { publicUrl, path, audience, issuers, scopes } = options
  const names = [...new Set([...LOOPBACK, nameOfHost(options.host)])]
  const at = (name: string, request: IncomingMessage): string =>
    `http://${name}:${request.socket.localPort ?? 0}${path}`

  /**
   * Clients compare it with the address they use, so on loopback it has the name they call. Any other name in `Host` is not
   * believed.
   */
  function identifier(request: IncomingMessage): string {
    if (publicUrl !== undefined) return publicUrl
    const called = nameOfHost((request.headers.host ?? '').replace(/:\d*$/, ''))
    return at(names.includes(called) ? called : nameOfHost(options.host), request)
  }

  const publicPath = publicUrl === undefined ? path : new URL(publicUrl).pathname
  const paths = new Set([path, publicPath].map((inner) => `${WELL_KNOWN}${inner}`.replace(/\/$/, '')))

  return {
    audiences(request) {
      if (audience !== undefined) return [audience]
      const all = publicUrl === undefined ? names.map((name) => at(name, request)) : [publicUrl]
      // Both spellings are in use (MCP basic/authorization, "Canonical Server URI").
      return all.flatMap((url) => [url.replace(/\/$/, ''), url.replace(/\/?$/, '/')])
    },
    metadataUrl(request) {
      const { origin, pathname } = new URL(identifier(request))
      return `${origin}${WELL_KNOWN}${pathname === '/' ? '' : pathname}`
    },
    metadata: (request) => ({
      resource: identifier(request),
      ...(issuers.length > 0 && { authorization_servers: issuers }),
      ...(scopes.length > 0 && { scopes_supported: scopes }),
      bearer_methods_supported: ['header'],
      resource_name: 'mcp-rlm-proxy',
    }),
    isMetadataPath: (asked) => asked === WELL_KNOWN || paths.has(asked),
  }
}
