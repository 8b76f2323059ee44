/** The bridge for scripts over HTTP: JSON in, JSON out, for programs on this machine that have the token. */

import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '../../observe/log.ts'
import { createFailures, credentialsOf } from '../../server/auth/credentials.ts'
import type { Endpoint } from '../../server/http/listen.ts'
import { BodyRefused, isLocal, leaving, readJson } from '../../server/http/request.ts'
import { BRIDGE_ACTIONS, type Bridge, type BridgeAction, BridgeError } from './scripts.ts'

export interface EndpointOptions {
  bridge: Bridge
  gate: TokenGate
  logger: Logger
  /** Bytes of a request. Default: 8 MiB; servers built on the MCP SDK close a pipe at messages of 10. */
  maxBodyBytes?: number
  /** Milliseconds that a request may take to arrive. Default: 30,000. */
  bodyMs?: number
  /** Requests at work at the same moment. Default: 32. */
  maxUnderway?: number
}

/** `authorize` answers a request that it refuses. False: it did. */
export type BridgeEndpoint = Endpoint & {
  authorize(request: IncomingMessage, response: ServerResponse): boolean
}

export const BRIDGE_PATH = '/bridge'

export function createBridgeEndpoint(options: EndpointOptions): BridgeEndpoint {
  const { bridge, gate, logger, maxBodyBytes = 8 * 1024 * 1024, bodyMs = 30_000, maxUnderway = 32 } = options
  let underway = 0

  async function answer(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const [first = '', id, ...rest] = url.pathname.slice(BRIDGE_PATH.length + 1).split('/')
    const signal = leaving(response)
    if (first === 'result' && id !== undefined && rest.length === 0) {
      allow(request, response, 'GET')
      const part = {
        path: url.searchParams.get('path') ?? undefined,
        payload: url.searchParams.has('payload'),
      }
      const { type, bytes } = await bridge.result(id, part, signal)
      return send(response, 200, type, bytes)
    }
    if (!isAction(first) || id !== undefined)
      throw new BridgeError(
        'not_found',
        `There are ${ENDPOINTS}, all with POST, and GET ${BRIDGE_PATH}/result/{id}.`,
      )
    allow(request, response, 'POST')
    const params = await readJson(request, maxBodyBytes, bodyMs)
    const body = await bridge.answer(first, params, signal)
    logger.debug({ action: first, tool: body.tool }, 'a script was answered')
    send(response, 200, 'application/json', Buffer.from(JSON.stringify(body)))
  }

  function refused(error: unknown, response: ServerResponse): void {
    if (response.destroyed || response.headersSent) return void response.destroy()
    const refusal =
      error instanceof BridgeError
        ? error
        : error instanceof BodyRefused
          ? new BridgeError(error.code, error.message)
          : new BridgeError('internal_error', 'Internal error')
    if (refusal.code === 'internal_error')
      logger.error({ err: refusal.cause ?? error }, 'a script could not be answered')
    if (refusal.code === 'unauthorized') response.setHeader('www-authenticate', 'Bearer')
    if (refusal.code === 'too_many_requests') response.setHeader('retry-after', '1')
    // The rest of its body is not read: it would be taken for the next request.
    if (!response.req.complete) response.setHeader('connection', 'close')
    send(response, refusal.status, 'application/json', Buffer.from(JSON.stringify(refusal)))
  }

  function authorize(request: IncomingMessage, response: ServerResponse): boolean {
    try {
      gate.check(request)
      return true
    } catch (error) {
      refused(error, response)
      return false
    }
  }

  return {
    serves: ({ pathname }) => pathname === BRIDGE_PATH || pathname.startsWith(`${BRIDGE_PATH}/`),
    authorize,
    async handle(request, response, url) {
      if (!authorize(request, response)) return
      if (underway >= maxUnderway)
        return refused(
          new BridgeError('too_many_requests', `${maxUnderway} requests are at work: wait.`),
          response,
        )
      underway++
      try {
        await answer(request, response, url)
      } catch (error) {
        refused(error, response)
      } finally {
        underway--
      }
    },
  }
}

const ENDPOINTS = BRIDGE_ACTIONS.map((action) => `${BRIDGE_PATH}/${action}`).join(', ')

function isAction(name: string): name is BridgeAction {
  return BRIDGE_ACTIONS.some((action) => action === name)
}

function allow({ method }: IncomingMessage, response: ServerResponse, wanted: string): void {
  if (method === wanted) return
  response.setHeader('allow', wanted)
  throw new BridgeError('method_not_allowed', `Use ${wanted}.`)
}

function send(response: ServerResponse, status: number, type: string, bytes: Uint8Array): void {
  if (response.destroyed) return
  response.writeHead(status, {
    'content-type': type,
    'content-length': bytes.byteLength,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  response.end(bytes)
}

// Lets through who is on this machine and has the token.

interface TokenGate {
  /** By its headers alone. Throws BridgeError. */
  check(request: IncomingMessage): void
}

interface TokenGateOptions {
  token: string
  /** Milliseconds. */
  now: () => number
  logger: Logger
}

const FAILURES_PER_MINUTE = 20

export function createTokenGate({ token, now, logger }: TokenGateOptions): TokenGate {
  const wanted = digestOf(token)
  const failures = createFailures({ perMinute: FAILURES_PER_MINUTE, maxAddresses: 100, now })

  function fail(address: string, message: string): never {
    if (failures.wait(address) > 0)
      throw new BridgeError('too_many_requests', 'Too many tokens were refused: try again later.')
    failures.add(address)
    logger.warn({ reason: message }, 'a script was refused')
    throw new BridgeError('unauthorized', message)
  }

  return {
    check(request) {
      const address = request.socket.remoteAddress ?? ''
      const local = isLocal(request)
      if (local === 'no') throw new BridgeError('forbidden', 'The bridge is for scripts of this machine.')
      if (local === 'passed on')
        throw new BridgeError('forbidden', 'The bridge does not take what a proxy passes on.')
      const credentials = credentialsOf(request)
      if (credentials.kind === 'none')
        throw new BridgeError('unauthorized', 'Send the token: Authorization: Bearer <token>.')
      if (credentials.kind === 'malformed') return fail(address, credentials.reason)
      // Digests have one length, and say nothing of how far two tokens are alike.
      if (!timingSafeEqual(digestOf(credentials.token), wanted)) fail(address, 'the token is not the one')
    },
  }
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
