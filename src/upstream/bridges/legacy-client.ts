/**
 * A legacy client at a modern server. Every request gets the envelope that the server needs. When the server asks for input, the proxy
 * asks the client as a legacy server would, and calls again with its answers.
 */

import { randomUUID } from 'node:crypto'
import {
  asksForInput,
  LargeResult,
  MAX_QUESTIONS,
  MAX_ROUNDS,
  plain,
  QUESTIONS,
  type Result,
  withMeta,
} from '../../protocol/content.ts'
import { MODERN_META, toLegacyResult } from '../../protocol/eras.ts'
import { RPC, RpcError } from '../../protocol/errors.ts'
import type { Client, Exchange } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import type { Request, Signal } from '../../protocol/message.ts'
import { abortSignalOf } from '../../protocol/peer.ts'
import type { Later } from '../backoff.ts'
import { envelope } from '../handshake.ts'
import type { Send } from './modern-client.ts'

/** Milliseconds before a server is asked again that only wants to be asked again. */
const PACE_MS = 250

/** Makes the request, with the log level the client has set, and resolves to its end, in the form of the legacy era. */
export async function requestForLegacyClient(
  request: Request,
  exchange: Exchange,
  logLevel: string | undefined,
  send: Send,
  later: Later,
): Promise<Result> {
  const { client } = exchange
  const params = withMeta(request.params, {
    ...envelope({ clientInfo: client.info, capabilities: client.capabilities }),
    ...(logLevel !== undefined && { [MODERN_META.logLevel]: logLevel }),
  })
  let answers: JsonObject = {}
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const result = await send({ ...request, params: { ...params, ...answers } }, exchange)
    if (!asksForInput(result)) return result instanceof LargeResult ? result : toLegacyResult(result)
    answers = await answer(plain(result), exchange, later)
  }
  throw new RpcError(RPC.internalError, `the server still asked for input after ${MAX_ROUNDS} rounds`)
}

/** The content of the next round. */
async function answer(result: JsonObject, exchange: Exchange, later: Later): Promise<JsonObject> {
  const requests = Object.entries(isObject(result.inputRequests) ? result.inputRequests : {})
  if (requests.length > MAX_QUESTIONS)
    throw new RpcError(RPC.internalError, `the server asked for more than ${MAX_QUESTIONS} things at once`)
  const answers = await allAnswers(requests, exchange)
  if (requests.length === 0) await new Promise<void>((resolve) => later(PACE_MS, resolve))
  const { requestState } = result
  return {
    ...(answers.length > 0 && { inputResponses: Object.fromEntries(answers) }),
    ...(requestState !== undefined && { requestState }),
  }
}

/** When one of the questions cannot be answered the others are withdrawn: they are no longer needed. */
async function allAnswers(
  requests: readonly (readonly [key: string, wanted: unknown])[],
  exchange: Exchange,
): Promise<(readonly [key: string, answer: JsonObject])[]> {
  const failed = new AbortController()
  const signal = AbortSignal.any([abortSignalOf(exchange.signal), failed.signal])
  try {
    return await Promise.all(
      requests.map(async ([key, wanted]) => [key, plain(await ask(wanted, exchange, signal))] as const),
    )
  } catch (error) {
    failed.abort(error)
    throw error
  }
}

function ask(wanted: unknown, exchange: Exchange, signal: Signal): Promise<Result> {
  const method = isObject(wanted) ? own(wanted, 'method') : undefined
  if (!isObject(wanted) || typeof method !== 'string' || !QUESTIONS.includes(method) || !exchange.ask)
    throw new RpcError(RPC.internalError, 'the server asked for something that a client cannot answer')
  const params = isObject(wanted.params) ? wanted.params : {}
  const request: Request = { method, params: method === 'elicitation/create' ? elicitation(params) : params }
  return exchange.ask(request, signal)
}

/** The legacy era wants an id for an address to visit; the modern era has none (MCP 2025-11-25, client/elicitation). */
function elicitation(params: JsonObject): JsonObject {
  return params.mode === 'url' && params.elicitationId === undefined
    ? { ...params, elicitationId: randomUUID() }
    : params
}

/** The levels that legacy clients have set for all their requests; a modern server is told with each. */
export class LogLevels {
  readonly #levels = new WeakMap<Client, string>()

  set(client: Client, params: JsonObject | undefined): void {
    const level = own(params ?? {}, 'level')
    if (typeof level !== 'string') throw new RpcError(RPC.invalidParams, 'params.level must be a string')
    this.#levels.set(client, level)
  }

  of(client: Client): string | undefined {
    return this.#levels.get(client)
  }
}
