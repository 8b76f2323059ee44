/**
 * A modern client at a legacy server. The server asks by requests, which a modern client does not take. So the client gets
 * `input_required`, the call at the server waits, and the client's next round continues it.
 */

import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { metaOf, PARKED, QUESTIONS, type Result } from '../../protocol/content.ts'
import { MODERN_META } from '../../protocol/eras.ts'
import { RPC, RpcError } from '../../protocol/errors.ts'
import type { Exchange } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import type { Notification, Request, Signal } from '../../protocol/message.ts'
import type { Later } from '../backoff.ts'

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

/** The id of a call that is to be made again. */
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

  /** A server that wants an address to be visited first says so by an error; in the modern era it asks, and is called again. */
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
        giveUp(call, 'no client waits for it')
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

/** The subject of the call, whatever its round. */
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

// A call at a legacy server that is made for a modern client: while the server asks for something, the call
// is parked.

interface Question {
  request: Request
  resolve(answer: JsonObject): void
}

/** Milliseconds in which questions are gathered: those a server asks at once are answered in one round. */
const GATHER_MS = 10

/** The clients that share one limit: all of an agent; an anonymous one has its own, because its agent is unknown. */
function partyOf({ agent, client }: Exchange): string {
  return agent.kind === 'anonymous' ? client.id : agent.id
}

class ParkedCall {
  readonly id = randomUUID()
  readonly owner: StateOwner
  readonly party: string
  /** The outcome of the call. */
  readonly outcome: Promise<Result>
  /** Takes back the end of waiting. */
  stopExpiry: (() => void) | undefined
  readonly #later: Later
  readonly #controller = new AbortController()
  readonly #questions = new Map<string, Question>()
  readonly #missed = new Missed()
  #asked = 0
  /** The round that is under way; undefined while the call is parked. */
  #round: Exchange | undefined
  #wake: (() => void) | undefined

  /** Starts the call with `send`, on behalf of the exchange that is its first round. */
  constructor(
    owner: StateOwner,
    exchange: Exchange,
    send: (exchange: Exchange) => Promise<Result>,
    later: Later,
  ) {
    this.owner = owner
    this.party = partyOf(exchange)
    this.#later = later
    this.#round = exchange
    this.outcome = send({
      ...exchange,
      signal: this.#controller.signal,
      notify: (notification) => this.#notify(notification),
      ask: (request, signal) => this.#ask(request, signal),
    })
    this.outcome.catch(() => {})
  }

  get parked(): boolean {
    return this.#round === undefined
  }

  /** Gives up the call at the server. */
  abort(reason: unknown): void {
    this.stopExpiry?.()
    this.#controller.abort(reason)
  }

  /** Resolves to what the server asks for now, by key, or to undefined when the call has ended. */
  async next(exchange: Exchange): Promise<JsonObject | undefined> {
    this.#round = exchange
    for (const notification of this.#missed.take()) this.#notify(notification)
    const leave = (): void => this.abort(exchange.signal.reason)
    if (exchange.signal.aborted) leave()
    exchange.signal.addEventListener('abort', leave, { once: true })
    try {
      const ended = this.outcome.then(
        () => true,
        () => true,
      )
      return (await Promise.race([ended, this.#questioned()])) ? undefined : this.#open()
    } finally {
      exchange.signal.removeEventListener('abort', leave)
      this.#round = undefined
    }
  }

  /** Passes answers to the server. An answer that was not asked for is left out; what is not answered stays open. */
  answer(responses: JsonObject): void {
    for (const [key, { resolve }] of this.#questions) {
      const response = own(responses, key)
      if (!isObject(response)) continue
      this.#questions.delete(key)
      resolve(response)
    }
  }

  #open(): JsonObject {
    const requests: JsonObject = {}
    for (const [key, { request }] of this.#questions)
      requests[key] = { method: request.method, params: request.params ?? {} }
    return requests
  }

  /** Resolves to false when there are questions, and no more have come for a moment. */
  #questioned(): Promise<false> {
    return new Promise((resolve) => {
      this.#wake = () => this.#later(GATHER_MS, () => resolve(false))
      if (this.#questions.size > 0) resolve(false)
    })
  }

  #ask(request: Request, signal: Signal | undefined): Promise<JsonObject> {
    if (!QUESTIONS.includes(request.method))
      return Promise.reject(new RpcError(RPC.methodNotFound, `${request.method} is not available`))
    const key = `${request.method.split('/')[0]}-${++this.#asked}`
    return new Promise((resolve, reject) => {
      const ends = [this.#controller.signal, ...(signal ? [signal] : [])]
      const withdraw = (): void => {
        this.#questions.delete(key)
        reject(new RpcError(RPC.cancelled, 'the question was withdrawn'))
      }
      const answered = (answer: JsonObject): void => {
        for (const end of ends) end.removeEventListener('abort', withdraw)
        resolve(answer)
      }
      for (const end of ends) end.addEventListener('abort', withdraw, { once: true })
      this.#questions.set(key, { request, resolve: answered })
      this.#wake?.()
      this.#wake = undefined
    })
  }

  /** To the round under way, or that comes next, under the token that it chose. */
  #notify(notification: Notification): void {
    const round = this.#round
    if (round === undefined) return this.#missed.add(notification)
    if (notification.method !== 'notifications/progress') return round.notify(notification)
    const progressToken = own(metaOf(round.params) ?? {}, 'progressToken')
    if (progressToken !== undefined)
      round.notify({ ...notification, params: { ...notification.params, progressToken } })
  }
}

// The messages of a server about a call while the call is parked. In the modern era a notification goes out on the stream of its request,
// and a parked call has none. The next round of the call has one, and the notification goes out there.

/** Kept for one call: notifications, and characters of their JSON. The oldest give way, and the client is told. */
const MOST = 100
const MOST_CHARACTERS = 64 * 1024

const PROGRESS = 'notifications/progress'

interface Kept {
  notification: Notification
  characters: number
}

class Missed {
  #kept: Kept[] = []
  #characters = 0
  #dropped = 0

  /** Of progress only the latest says anything later on. */
  add(notification: Notification): void {
    if (notification.method === PROGRESS) {
      const before = this.#kept.findIndex((kept) => kept.notification.method === PROGRESS)
      if (before >= 0) this.#remove(before)
    }
    const characters = JSON.stringify(notification).length
    if (characters > MOST_CHARACTERS) {
      this.#dropped++
      return
    }
    this.#kept.push({ notification, characters })
    this.#characters += characters
    while (this.#kept.length > MOST || this.#characters > MOST_CHARACTERS) {
      this.#remove(0)
      this.#dropped++
    }
  }

  /** All that is kept, in its order, once. */
  take(): Notification[] {
    const told = this.#kept.map(({ notification }) => notification)
    if (this.#dropped > 0) told.unshift(gap(this.#dropped))
    this.#kept = []
    this.#characters = 0
    this.#dropped = 0
    return told
  }

  #remove(index: number): void {
    const [gone] = this.#kept.splice(index, 1)
    this.#characters -= gone?.characters ?? 0
  }
}

function gap(count: number): Notification {
  const data = `${count} notification${count === 1 ? '' : 's'} of the server, sent while the call waited for input, could not be kept`
  return {
    method: 'notifications/message',
    params: { level: 'warning', logger: 'mcp-rlm-proxy', data },
  }
}

// The state that a modern client carries from one round of a call to the next (MCP 2026-07-28, multi round-trip requests,
// "requestState"). It comes back from outside, so it is signed: a client cannot invent or change one, use another client's, or use one
// for another call.

/** The owner of a state; it is valid with exactly this. */
interface StateOwner {
  /** The client it was given to. */
  client: string
  /** The call it was given for: method and target. */
  subject: string
}

interface StateSigner {
  /** `until`: whole milliseconds, by the clock of the signer, after which it is no longer valid. */
  sign(id: string, until: number, owner: StateOwner): string
  /** The id that was signed; undefined for anything that is not a valid state of this owner. */
  verify(state: string, owner: StateOwner): string | undefined
}

/** Longer than any state of ours. */
const MAX_LENGTH = 512

/** The key lives as long as the process: what a state refers to does not outlive it either. */
export function createStateSigner(now: () => number, key: Buffer = randomBytes(32)): StateSigner {
  const mac = (id: string, until: number, { client, subject }: StateOwner): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify([id, until, client, subject]))
      .digest()

  return {
    sign: (id, until, owner) =>
      PARKED + [id, until.toString(36), mac(id, until, owner).toString('base64url')].join('.'),
    verify(state, owner) {
      if (state.length > MAX_LENGTH || !state.startsWith(PARKED)) return undefined
      const [id, time, signature, ...rest] = state.slice(PARKED.length).split('.')
      if (id === undefined || time === undefined || signature === undefined || rest.length > 0)
        return undefined
      const until = Number.parseInt(time, 36)
      const given = Buffer.from(signature, 'base64url')
      const expected = mac(id, until, owner)
      const genuine = given.length === expected.length && timingSafeEqual(given, expected)
      return genuine && until > now() && until.toString(36) === time ? id : undefined
    },
  }
}
