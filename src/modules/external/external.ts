/** A module of somebody else: a server of interceptors (SEP-1763, SEP-2624), asked about the messages that it declared and no others. */
import type { ExternalModule } from '../../config/modules/entry.ts'
import { isInputRequired } from '../../protocol/eras.ts'
import { RpcError } from '../../protocol/errors.ts'
import type { Exchange } from '../../protocol/exchange.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { LargeResult, plain, type Result } from '../../protocol/result.ts'
import type { Logger } from '../../telemetry/log.ts'
import { failure } from '../failure.ts'
import type { Module, ModuleHealth } from '../module.ts'
import { createAsk, type Message } from './ask.ts'
import { createRun } from './chain.ts'
import type { Line, LineEvents } from './line.ts'
import { type Chain, createOffer, isEmpty } from './offer.ts'

export interface ExternalParts {
  logger: Logger
  /** Milliseconds since 1970. */
  now: () => number
  open(events: LineEvents): Line
}

/** An external module in its place. */
export interface External {
  readonly module: Module
  /** False: it did not ask for messages of this method. Before it said what it asks for, it may be anything. */
  wants(method: string): boolean
}

export function createExternal(config: ExternalModule, { logger, now, open }: ExternalParts): External {
  let closed = false
  const isClosed = (): boolean => closed
  const offer = createOffer({ config, line: () => line, logger, isClosed })
  const line: Line = open({
    ready: () => void offer.start().catch(() => {}),
    lost(error) {
      offer.lost(error)
      if (!closed) logger.warn({ error: error.message }, 'a module was lost')
    },
  })
  const run = createRun(config, createAsk({ config, line, now, ready: offer.known, isClosed }), logger)
  // Whoever asks first should not have to wait.
  offer.start().catch(() => {})

  /** False: what it wants cannot be known, and messages go on. */
  async function known(signal: AbortSignal | undefined): Promise<boolean> {
    // One that is away is asked in vain: each of its interceptors fails as it is to fail.
    if (offer.interceptors !== undefined) return true
    if (config.mode === 'audit') return false
    try {
      await offer.known(signal)
      return true
    } catch (error) {
      if (signal?.aborted) throw error
      if (config.failOpen === true) return false
      throw failure(config.name, error)
    }
  }

  /** Params and what was sent for input are small; a result may be anything. Undefined: none of those who fail may see it. */
  function readable(result: Result, chain: Chain, message: Message): JsonObject | undefined {
    try {
      if (result instanceof LargeResult && result.bytes.length > config.maxBytes)
        throw new Error(`a result of ${result.bytes.length} bytes is more than it is sent`)
      return plain(result)
    } catch (error) {
      for (const one of [...chain.validations, ...chain.mutations]) run.failed(one, message, error)
      return undefined
    }
  }

  async function onResponse(chain: Chain, message: Message, result: Result): Promise<Result> {
    const content = readable(result, chain, message)
    // Questions of a server are events of their own.
    if (content === undefined || isInputRequired(content)) return result
    await run.validate(chain, message, content)
    const { payload } = await run.mutate(chain, message, content)
    run.tell(chain, message, payload)
    return payload === content ? result : payload
  }

  const module: Module = {
    wrap: (next) => async (exchange) => {
      if (offer.interceptors === undefined && !(await known(exchange.signal))) return next(exchange)
      const { method: event, params } = exchange
      const { request, response } = offer.chainsOf(event)
      let sent: Exchange = exchange
      if (!isEmpty(request)) {
        const message: Message = { event, phase: 'request', about: exchange }
        const { shown, hidden } = partsOf(params)
        const { payload, answer } = await run.mutate(request, message, shown)
        if (answer !== undefined) return answer
        await run.validate(request, message, payload)
        run.tell(request, message, payload)
        if (payload !== shown) sent = { ...exchange, params: { ...payload, ...hidden } }
      }
      const result = await next(sent)
      return isEmpty(response)
        ? result
        : onResponse(response, { event, phase: 'response', about: exchange }, result)
    },
    notify: (next) => async (notice) => {
      const { method: event, client } = notice
      if (!(await known(undefined))) return next(notice)
      const { request } = offer.chainsOf(event)
      if (isEmpty(request)) return next(notice)
      const message: Message = { event, phase: 'request', about: { client, agent: client.agent } }
      const params = notice.params ?? {}
      const { payload } = await run.mutate(request, message, params)
      try {
        await run.validate(request, message, payload)
      } catch (error) {
        if (!(error instanceof RpcError)) throw error
        logger.info({ event }, 'a module refused a notification')
        return
      }
      run.tell(request, message, payload)
      return next(payload === params ? notice : { ...notice, params: payload })
    },
    health,
    async check() {
      await offer.start().catch(() => {})
      return health()
    },
    async close() {
      closed = true
      await line.close()
    },
  }

  function health(): ModuleHealth {
    const { trouble, interceptors } = offer
    if (trouble !== undefined) return { state: 'failed', message: trouble }
    if (interceptors === undefined) return { state: 'starting', message: 'it has not said yet what it wants' }
    const what = [
      ...interceptors.map(
        ({ name, type, mode }) => `${name} (${type}${(config.mode ?? mode) === 'audit' ? ', audit' : ''})`,
      ),
      ...offer.ignored.map((name) => `${name} (of an unknown type, never asked)`),
    ]
    return { state: 'ok', message: what.length === 0 ? 'offers no interceptors' : what.join(', ') }
  }

  return { module, wants: offer.wants }
}

/**
 * What is shown of params, and what is not: answers of a client to questions of the server are events of their own, and the state that
 * goes with them is the server's (MCP 2026-07-28, multi round-trip requests).
 */
function partsOf(params: JsonObject): { shown: JsonObject; hidden: JsonObject } {
  if (!ROUNDS.some((key) => Object.hasOwn(params, key))) return { shown: params, hidden: {} }
  const isHidden = ([key]: [string, unknown]): boolean => ROUNDS.includes(key)
  const all = Object.entries(params)
  return {
    shown: Object.fromEntries(all.filter((entry) => !isHidden(entry))),
    hidden: Object.fromEntries(all.filter(isHidden)),
  }
}

const ROUNDS: readonly string[] = ['inputResponses', 'requestState']
