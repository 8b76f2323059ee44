/**
 * A modern client at a legacy server. The server asks by requests of its own, which a modern client does not take: it is
 * answered `input_required`, the call at the server is parked, and the client's next round goes on with it.
 */

import { MODERN_META, metaOf } from '../../protocol/eras.ts'
import { RPC, RpcError } from '../../protocol/errors.ts'
import type { Exchange } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import type { Request } from '../../protocol/message.ts'
import type { Result } from '../../protocol/result.ts'
import type { Later } from '../backoff.ts'
import { ParkedCall, partyOf } from './parked-call.ts'
import { createStateSigner, type StateOwner, type StateSigner } from './request-state.ts'

/** Sends a request in the form a legacy server knows. */
export type Send = (request: Request, exchange: Exchange) => Promise<Result>

export interface ModernClients {
  request(request: Request, exchange: Exchange, send: Send): Promise<Result>
  close(): void
}

/** Milliseconds for which a client may think before the call at the server is given up. */
const PATIENCE_MS = 5 * 60_000

/** Calls that may wait for input, of all parties and of one. The one that waited longest gives way. */
const MAX_PARKED = 256
const MAX_PARKED_PER_PARTY = 32

/** Requests that may be answered `input_required` (MCP 2026-07-28, multi round-trip requests). */
const IN_ROUNDS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])

/** What stands in place of an id for a call that is to be made anew. */
const ANEW = 'anew'

export function createModernClients(now: () => number, later: Later): ModernClients {
  const signer: StateSigner = createStateSigner(now)
  const calls = new Map<string, ParkedCall>()

  function forget(call: ParkedCall): void {
    call.stopExpiry?.()
    calls.delete(call.id)
  }

  function giveUp(call: ParkedCall, reason: string): void {
    forget(call)
    call.abort(new Error(reason))
  }

  function makeRoom(party: string): void {
    const parked = [...calls.values()].filter((call) => call.parked)
    const own = parked.filter((call) => call.party === party)
    const [oldest] = own.length >= MAX_PARKED_PER_PARTY ? own : parked
    if (oldest && (own.length >= MAX_PARKED_PER_PARTY || parked.length >= MAX_PARKED))
      giveUp(oldest, 'too many calls wait for input')
  }

  /** The call goes on until it ends or asks. */
  async function round(call: ParkedCall, exchange: Exchange): Promise<Result> {
    const inputRequests = await call.next(exchange)
    if (inputRequests === undefined) {
      forget(call)
      return outcomeOf(call, exchange)
    }
    const until = now() + PATIENCE_MS
    call.stopExpiry?.()
    call.stopExpiry = later(PATIENCE_MS, () => giveUp(call, 'the client did not answer in time'))
    return inputRequired(inputRequests, signer.sign(call.id, until, call.owner))
  }

  /** A server that wants an address to be visited first says so by an error; in the modern era it asks, and is called anew. */
  async function outcomeOf(call: ParkedCall, exchange: Exchange): Promise<Result> {
    try {
      return await call.outcome
    } catch (error) {
      const visits = visitsOf(error, exchange)
      if (visits === undefined) throw error
      return inputRequired(visits, signer.sign(ANEW, now() + PATIENCE_MS, call.owner))
    }
  }

  function begin(request: Request, exchange: Exchange, owner: StateOwner, send: Send): Promise<Result> {
    makeRoom(partyOf(exchange))
    const call = new ParkedCall(owner, exchange, (inner) => send(request, inner), later)
    calls.set(call.id, call)
    return round(call, exchange)
  }

  return {
    request(request, exchange, send) {
      const { params, state, responses } = split(request)
      const plain = { ...request, params }
      if (!IN_ROUNDS.has(request.method)) return send(plain, exchange)
      const owner = { client: exchange.client.id, subject: subjectOf(request.method, params) }
      if (state === undefined) return begin(plain, exchange, owner, send)
      const id = typeof state === 'string' ? signer.verify(state, owner) : undefined
      if (id === ANEW && !exchange.isOver) return begin(plain, exchange, owner, send)
      const call = id === undefined ? undefined : calls.get(id)
      if (!call?.parked) return Promise.reject(invalidState())
      if (exchange.isOver) {
        giveUp(call, 'nobody waits for it')
        return Promise.resolve({})
      }
      // The client has come back: from now on the call takes as long as it takes.
      call.stopExpiry?.()
      call.answer(responses)
      return round(call, exchange)
    },
    close() {
      for (const call of calls.values()) giveUp(call, 'the proxy is shutting down')
    },
  }
}

function invalidState(): RpcError {
  return new RpcError(
    RPC.invalidParams,
    'Invalid requestState: it is not of this call, or has expired. Call again without it.',
  )
}

function inputRequired(inputRequests: JsonObject, requestState: string): JsonObject {
  return { resultType: 'input_required', inputRequests, requestState }
}

/** What the call is about, whatever its round. */
function subjectOf(method: string, { name, uri, arguments: given }: JsonObject): string {
  return JSON.stringify([method, name ?? uri ?? null, given ?? null])
}

const ENVELOPE: ReadonlySet<string> = new Set([
  MODERN_META.protocolVersion,
  MODERN_META.clientInfo,
  MODERN_META.clientCapabilities,
  MODERN_META.logLevel,
])

/** Takes off what belongs to the modern era alone. */
function split({ params = {} }: Request): { params: JsonObject; state: unknown; responses: JsonObject } {
  const { requestState, inputResponses, _meta, ...rest } = params
  const meta = Object.entries(isObject(_meta) ? _meta : {}).filter(([key]) => !ENVELOPE.has(key))
  return {
    params: meta.length > 0 ? { ...rest, _meta: Object.fromEntries(meta) } : rest,
    state: requestState,
    responses: isObject(inputResponses) ? inputResponses : {},
  }
}

/** The addresses a URL elicitation error names (MCP 2025-11-25, client/elicitation), as requests for input. */
function visitsOf(error: unknown, { client }: Exchange): JsonObject | undefined {
  if (!(error instanceof RpcError) || error.code !== RPC.urlElicitationRequired) return undefined
  const elicitation = own(client.capabilities, 'elicitation')
  if (!isObject(elicitation) || !isObject(own(elicitation, 'url'))) return undefined
  const elicitations = isObject(error.data) ? own(error.data, 'elicitations') : undefined
  if (!Array.isArray(elicitations) || elicitations.length === 0) return undefined
  return Object.fromEntries(
    elicitations
      .filter(isObject)
      .map((params, index) => [`elicitation-${index + 1}`, { method: 'elicitation/create', params }]),
  )
}

/** The log level a modern request asks for; undefined: none. */
export function logLevelOf(params: JsonObject | undefined): string | undefined {
  const level = own(metaOf(params) ?? {}, MODERN_META.logLevel)
  return typeof level === 'string' ? level : undefined
}
