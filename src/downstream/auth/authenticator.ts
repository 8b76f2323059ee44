/** Asks every request for its token and answers those that have none that counts. */
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '../../telemetry/log.ts'
import type { Authenticator, Principal } from '../authenticate.ts'
import { refuse } from '../refuse.ts'
import { type Challenge, challengeText } from './challenge.ts'
import { credentialsOf } from './credentials.ts'
import type { Failures } from './failures.ts'
import { type Grant, TokenRefused, type Verifier, VerifierUnavailable } from './grant.ts'
import type { GrantCache } from './grant-cache.ts'
import type { Resource } from './resource.ts'

export interface AuthenticatorOptions {
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
  async function ask(token: string, audiences: readonly string[]): Promise<Grant | undefined> {
    for (const verifier of verifiers) {
      const grant = await verifier.verify(token, audiences)
      if (grant !== undefined) return grant
    }
    return undefined
  }

  async function grantFor(token: string, request: IncomingMessage): Promise<Grant> {
    const found = (await local?.verify(token, [])) ?? grants.get(token)
    if (found) return found
    // Clients behind one address share its failures: a token that was good is checked all the same.
    if (!grants.knows(token)) mayTry(request)
    try {
      const grant = await ask(token, resource?.audiences(request) ?? [])
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

  return {
    async authenticate(request, response) {
      const credentials = credentialsOf(request)
      if (credentials.kind === 'none') return void challenge(request, response, 401, {})
      if (credentials.kind === 'malformed')
        return void failed(request, response, 'invalid_request', credentials.reason)
      try {
        const { principal, scopes } = await grantFor(credentials.token, request)
        if (scopes === undefined) return principal
        if (requiredScopes.every((scope) => scopes.includes(scope)))
          return profileScopes === undefined ? principal : limited(principal, scopes, profileScopes)
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

/** What is kept for a token of fewer profiles is not that of one with more: each choice of them is an agent of its own. */
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
