/**
 * Servers that ask by their results (MCP 2026-07-28, multi round-trip requests). Each question takes the way of a request of a server
 * through the modules. It waits there, innermost, until the next round of the call brings the client's answer, which takes the way back.
 */

import { randomUUID } from 'node:crypto'
import { asksForInput, MAX_QUESTIONS, MAX_ROUNDS, PARKED, plain, type Result } from '../protocol/content.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Exchange, Handler } from '../protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../protocol/json.ts'
import type { Request, Signal } from '../protocol/message.ts'

/** A request of a server on its way to a client. */
export interface Asking extends Pick<Exchange, 'client' | 'agent' | 'signal' | 'notify'> {
  readonly request: Request
  readonly server?: string | undefined
}
export type Answer = (request: Request, signal: Signal) => Promise<Result>

interface Rounds {
  /** The exchange to its end, or to what the client has to answer first. */
  run(exchange: Exchange, next: Handler): Promise<Result>
  /** True for the next round of a call that waits here with questions. */
  isNext(exchange: Exchange): boolean
  /** Gives up all that waits. */
  close(): void
}

interface RoundsParts {
  /** A question through the modules. */
  ask(asking: Asking, answer: Answer): Promise<Result>
  /** Whether there is a module that wants to see questions. */
  isWanted(): boolean
}

/** Milliseconds for which a client may think. */
const PATIENCE_MS = 5 * 60_000
/** The most calls that wait with questions, of all clients and of one. The one that waited longest gives way. */
const MAX_HELD = 256
const MAX_HELD_PER_CLIENT = 32

export function createRounds({ ask, isWanted }: RoundsParts): Rounds {
  const held = new Map<string, Round>()
  /** Tells states of these rounds from those of servers, other proxies among them. */
  const begin = `${PARKED}${randomUUID()}.`

  function isOurs(state: JsonValue | undefined): state is string {
    return typeof state === 'string' && state.startsWith(begin)
  }

  /** The round that the client's answers belong to. */
  function take(exchange: Exchange): Round | undefined {
    const state = own(exchange.params, 'requestState')
    if (!isOurs(state)) return undefined
    const round = held.get(state)
    if (round?.owner !== ownerOf(exchange))
      throw new RpcError(
        RPC.invalidParams,
        'Invalid requestState: it is not of this call, or has expired. Call again without it.',
      )
    held.delete(state)
    clearTimeout(round.expiry)
    return round
  }

  function hold(round: Round): JsonObject {
    const all = [...held.values()]
    const own = all.filter(({ client }) => client === round.client)
    const [oldest] = own.length >= MAX_HELD_PER_CLIENT ? own : all
    if (oldest && (own.length >= MAX_HELD_PER_CLIENT || all.length >= MAX_HELD))
      giveUp(oldest, 'too many calls wait for input')
    const state = `${begin}${randomUUID()}`
    round.state = state
    held.set(state, round)
    round.expiry = setTimeout(() => giveUp(round, 'the client did not answer in time'), PATIENCE_MS).unref()
    return round.toClient(state)
  }

  function giveUp(round: Round, reason: string): void {
    held.delete(round.state)
    clearTimeout(round.expiry)
    round.abort(new Error(reason))
  }

  async function run(exchange: Exchange, next: Handler): Promise<Result> {
    const { inputResponses, requestState: _, ...params } = exchange.params
    let round = take(exchange)
    let sent = exchange
    // Answers to nothing that went through the modules: the server asks again, and that does.
    if (!round && inputResponses !== undefined && isWanted())
      sent = { ...exchange, params: without(exchange.params, 'inputResponses') }
    let responses: JsonObject = isObject(inputResponses) ? inputResponses : {}
    for (let times = 0; times < MAX_ROUNDS; times++) {
      if (round) {
        const { server } = round
        await round.go(exchange, responses).catch((error: unknown) => {
          // Layers that hold the call for the server need not hold it any longer.
          if (server !== undefined) giveBack({ ...params, requestState: server }, exchange, next)
          throw error
        })
        if (round.isOpen) return hold(round)
        sent = { ...exchange, params: { ...params, ...(await round.toServer()) } }
      }
      const result = await next(sent)
      if (!isWanted() || !asksForInput(result)) return result
      round = new Round(exchange, plain(result), ask)
      responses = {}
    }
    throw new RpcError(RPC.internalError, `the server still asked for input after ${MAX_ROUNDS} rounds`)
  }

  return {
    run,
    isNext: ({ params }) => held.size > 0 && isOurs(own(params, 'requestState')),
    close() {
      for (const round of held.values()) giveUp(round, 'the proxy is shutting down')
    },
  }
}

function giveBack(params: JsonObject, exchange: Exchange, next: Handler): void {
  // The signal of the call may have aborted; this is no part of it.
  const { signal } = new AbortController()
  next({ ...exchange, params, signal, isOver: true }).catch(() => {})
}

/** The questions of a server in one result. */
class Round {
  readonly client: string
  readonly owner: string
  /** Under which it waits. */
  state = ''
  expiry: NodeJS.Timeout | undefined
  readonly #result: JsonObject
  readonly #questions: readonly Question[]
  readonly #controller = new AbortController()
  /** The round of the client that is under way. */
  #exchange: Exchange | undefined
  #isNew = true

  constructor(exchange: Exchange, result: JsonObject, ask: RoundsParts['ask']) {
    this.client = exchange.client.id
    this.owner = ownerOf(exchange)
    this.#result = result
    this.#exchange = exchange
    const { client, agent } = exchange
    const { signal } = this.#controller
    const notify: Exchange['notify'] = (notification) => this.#exchange?.notify(notification)
    this.#questions = requestsIn(result).map(
      ([key, request]) =>
        new Question(key, (answer) => ask({ request, client, agent, signal, notify }, answer), signal),
    )
  }

  /** The state that the server gave. */
  get server(): JsonValue | undefined {
    return this.#result.requestState
  }

  /** There is something that the client has not answered. A server that only wants to be asked again gets its state back by the client. */
  get isOpen(): boolean {
    return (
      (this.#isNew && this.#questions.length === 0) ||
      this.#questions.some(({ request }) => request !== undefined)
    )
  }

  /** Goes on with these answers until the client has to be asked, or no question is left. Rejects where a module refuses. */
  async go(exchange: Exchange, responses: JsonObject): Promise<void> {
    const { signal } = exchange
    this.#exchange = exchange
    const leave = (): void => this.abort(signal.reason)
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave)
    try {
      for (const question of this.#questions) {
        const response = own(responses, question.key)
        if (isObject(response)) question.answer(response)
      }
      await Promise.all(this.#questions.map((question) => question.moved()))
    } catch (error) {
      // The others have no waiting caller any more.
      this.abort(error)
      throw error
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  /** The questions for the client: those alone which are still open. */
  toClient(requestState: string): JsonObject {
    this.#exchange = undefined
    this.#isNew = false
    const inputRequests: JsonObject = {}
    for (const { key, request } of this.#questions) if (request) setOwn(inputRequests, key, { ...request })
    return { ...this.#result, ...(this.#questions.length > 0 && { inputRequests }), requestState }
  }

  /** The content of the next request to the server. */
  async toServer(): Promise<JsonObject> {
    const inputResponses: JsonObject = {}
    for (const question of this.#questions) setOwn(inputResponses, question.key, await question.result())
    return {
      ...(this.#questions.length > 0 && { inputResponses }),
      ...(this.server !== undefined && { requestState: this.server }),
    }
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason)
  }
}

function requestsIn({ inputRequests }: JsonObject): [key: string, request: Request][] {
  const all = Object.entries(isObject(inputRequests) ? inputRequests : {})
  if (all.length > MAX_QUESTIONS)
    throw new RpcError(RPC.internalError, `the server asked for more than ${MAX_QUESTIONS} things at once`)
  return all.map(([key, request]) => {
    const method = isObject(request) ? own(request, 'method') : undefined
    if (!isObject(request) || typeof method !== 'string')
      throw new RpcError(RPC.internalError, 'the server asked for something that a client cannot answer')
    const params = own(request, 'params')
    return [key, isObject(params) ? { method, params } : { method }]
  })
}

/** The client and the call that a state belongs to: it is not accepted for others. */
function ownerOf({ client, agent, method, params }: Exchange): string {
  return JSON.stringify([client.id, agent.id, method, params.name ?? params.uri ?? null])
}

function without(params: JsonObject, key: string): JsonObject {
  const { [key]: _, ...rest } = params
  return rest
}

// One question that a server asks by its result, on its way through the modules: to the client, and its
// answer back.

/** Takes a question through the modules; what they let through comes to `answer`, and the end is what the server gets. */
type Through = (answer: Answer) => Promise<Result>

/** A question as the modules left it, and who waits for its answer. */
interface Open {
  readonly request: Request
  answer(result: JsonObject): void
}

class Question {
  readonly key: string
  readonly #outcome: Promise<Result>
  readonly #signal: Signal
  #open: Open | undefined
  #opened: Promise<void> = Promise.resolve()
  #wake: () => void = () => {}

  constructor(key: string, through: Through, signal: Signal) {
    this.key = key
    this.#signal = signal
    this.#close()
    this.#outcome = through((request) => this.#ask(request))
    this.#outcome.catch(() => {})
  }

  /** The next question for the client. Undefined: it was not let through yet, or has its answer. */
  get request(): Request | undefined {
    return this.#open?.request
  }

  /** Resolves when the client has to be asked, or when no question is left. Rejects when the call was refused. */
  async moved(): Promise<void> {
    await Promise.race([this.#opened, this.#outcome])
  }

  /** The answers that the server gets. */
  async result(): Promise<JsonObject> {
    return plain(await this.#outcome)
  }

  answer(result: JsonObject): void {
    this.#open?.answer(result)
  }

  /** A module may ask more than once; the last time counts. */
  #ask(request: Request): Promise<Result> {
    const signal = this.#signal
    return new Promise((resolve, reject) => {
      const withdraw = (): void => {
        this.#open = undefined
        reject(new RpcError(RPC.cancelled, 'the question was withdrawn'))
      }
      if (signal.aborted) return withdraw()
      signal.addEventListener('abort', withdraw, { once: true })
      const answer = (result: JsonObject): void => {
        signal.removeEventListener('abort', withdraw)
        this.#close()
        resolve(result)
      }
      this.#open = { request, answer }
      this.#wake()
    })
  }

  #close(): void {
    this.#open = undefined
    this.#opened = new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}
