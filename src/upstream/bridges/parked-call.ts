/** A call at a legacy server that is made for a modern client: while the server asks for something, the call is parked. */
import { randomUUID } from 'node:crypto'
import { metaOf } from '../../protocol/eras.ts'
import { RPC, RpcError } from '../../protocol/errors.ts'
import type { Exchange } from '../../protocol/exchange.ts'
import { QUESTIONS } from '../../protocol/input-required.ts'
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import type { Notification, Request } from '../../protocol/message.ts'
import type { Result } from '../../protocol/result.ts'
import type { Later } from '../backoff.ts'
import { Missed } from './missed.ts'
import type { StateOwner } from './request-state.ts'

interface Question {
  request: Request
  resolve(answer: JsonObject): void
}

/** Milliseconds in which questions are gathered: those a server asks at once are answered in one round. */
const GATHER_MS = 10

/** Who shares what one may have: the clients of an agent; of anonymous ones each for itself, because nobody knows whose they are. */
export function partyOf({ agent, client }: Exchange): string {
  return agent.kind === 'anonymous' ? client.id : agent.id
}

export class ParkedCall {
  readonly id = randomUUID()
  readonly owner: StateOwner
  readonly party: string
  /** What the call ends in. */
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

  /** Passes answers to the server. What was not asked for is left out; what is not answered stays open. */
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

  #ask(request: Request, signal: AbortSignal | undefined): Promise<JsonObject> {
    if (!QUESTIONS.includes(request.method))
      return Promise.reject(new RpcError(RPC.methodNotFound, `${request.method} is not available`))
    const key = `${request.method.split('/')[0]}-${++this.#asked}`
    return new Promise((resolve, reject) => {
      const withdraw = (): void => {
        this.#questions.delete(key)
        reject(new RpcError(RPC.cancelled, 'the question was withdrawn'))
      }
      signal?.addEventListener('abort', withdraw, { once: true })
      this.#controller.signal.addEventListener('abort', withdraw, { once: true })
      this.#questions.set(key, { request, resolve })
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
