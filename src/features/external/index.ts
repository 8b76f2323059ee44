/** A module of somebody else: a server of interceptors (SEP-1763, SEP-2624), asked about the messages that it declared and no others. */
import type { ExternalModule } from '../../config/modules.ts'
import {
  failure,
  type Module,
  type ModuleHealth,
  TooLarge,
  TooLargeRefusal,
} from '../../module-runtime/module.ts'
import type { Logger } from '../../observe/log.ts'
import { errorResult, isInputRequired, LargeResult, plain, type Result } from '../../protocol/content.ts'
import { messageOf, RPC, RpcError } from '../../protocol/errors.ts'
import type { Exchange } from '../../protocol/exchange.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Signal } from '../../protocol/message.ts'
import { type LineParts, openLine } from './connection.ts'
import {
  type Ask,
  type Chain,
  changeOf,
  createAsk,
  createOffer,
  type Interceptor,
  isEmpty,
  type Line,
  type LineEvents,
  type Message,
  type Verdict,
  verdictOf,
} from './interceptors.ts'

export interface ExternalParts {
  logger: Logger
  /** Milliseconds since 1970. */
  now: () => number
  open(events: LineEvents): Line
}

/** The module that this entry of the list names, over a connection of its own. */
export function openExternal(
  config: ExternalModule,
  { logger, now, elapsed }: Pick<ExternalParts, 'logger' | 'now'> & LineParts,
): External {
  return createExternal(config, {
    logger,
    now,
    open: (events) => openLine(config, events, { logger, elapsed }),
  })
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
  // The first call should not have to wait.
  offer.start().catch(() => {})

  /** False: what it wants cannot be known, and messages go on. */
  async function known(signal: Signal | undefined): Promise<boolean> {
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

  /** Params and what was sent for input are small; a result may be anything. Undefined: no failing module may see it. */
  function readable(result: Result, chain: Chain, message: Message): JsonObject | undefined {
    try {
      if (result instanceof LargeResult && result.bytes.length > config.maxBytes)
        throw new TooLarge(`takes at most ${config.maxBytes} bytes, and this has ${result.bytes.length}`)
      return plain(result)
    } catch (error) {
      for (const one of [...chain.validations, ...chain.mutations, ...chain.sinks])
        run.failed(one, message, error)
      return undefined
    }
  }

  async function onResponse(chain: Chain, message: Message, result: Result): Promise<Result> {
    try {
      return await checked(chain, message, result)
    } catch (error) {
      // The call has run: that is for the model to read, not an error that may end its work.
      if (error instanceof TooLargeRefusal && message.event === 'tools/call')
        return errorResult(error.message)
      throw error
    }
  }

  async function checked(chain: Chain, message: Message, result: Result): Promise<Result> {
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
 * The shown and the hidden part of params. Answers of a client to questions of the server are separate events, and the state with them
 * belongs to the server (MCP 2026-07-28, multi round-trip requests).
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

// A message on its way through the interceptors of one module: changed, judged, told of, in the order of the
// proposal.

/** The outcome of a message: other content, or an answer in place of one. */
interface Passed {
  readonly payload: JsonObject
  readonly answer?: JsonObject
}

interface Run {
  /** Changes, each on what the one before made of it. Rejects where a failure keeps the message from going on. */
  mutate(chain: Chain, message: Message, payload: JsonObject): Promise<Passed>
  /** Judges, all at once. Rejects with RpcError where one refuses. */
  validate(chain: Chain, message: Message, payload: JsonObject): Promise<void>
  /** Modules that only observe are not waited for. */
  tell(chain: Chain, message: Message, payload: JsonObject): void
  /** The effect of a failure. Throws where the message must not go on. */
  failed(one: Interceptor, message: Message, error: unknown): void
}

/** The most messages that an observing module looks at at once; further ones are not shown to it. */
const MAX_WATCHED = 100
const MAX_TEXT = 2_000

function createRun(config: ExternalModule, ask: Ask, logger: Logger): Run {
  const { name } = config
  let watched = 0
  const isAudit = (one: Interceptor): boolean => (config.mode ?? one.mode) === 'audit'

  function failed(one: Interceptor, { event, phase, about }: Message, error: unknown): void {
    if (about.signal?.aborted) throw error
    const failsOpen = config.failOpen ?? one.failOpen
    logger[failsOpen ? 'warn' : 'error'](
      { interceptor: one.name, event, error: messageOf(error) },
      'a module failed',
    )
    if (failsOpen || one.type === 'sink' || isAudit(one)) return
    if (error instanceof TooLarge)
      throw new TooLargeRefusal(name, error, phase === 'response', config.maxBytes)
    throw failure(name, error)
  }

  /** Shows it a message that does not wait for it. */
  function watch(
    one: Interceptor,
    { about: { client, agent }, ...message }: Message,
    payload: JsonObject,
    heard: (answer: JsonObject, message: Message) => void,
  ): void {
    const alone = { ...message, about: { client, agent } }
    if (watched >= MAX_WATCHED) {
      logger.warn(
        { interceptor: one.name, event: message.event },
        'a module is behind; a message was not shown to it',
      )
      return
    }
    watched++
    ask(one, alone, payload)
      .then((answer) => heard(answer, alone))
      .catch((error: unknown) => {
        const level = (config.failOpen ?? one.failOpen) || one.type === 'sink' ? 'warn' : 'error'
        logger[level](
          { interceptor: one.name, event: message.event, error: messageOf(error) },
          'a module failed',
        )
      })
      .finally(() => {
        watched--
      })
  }

  async function mutate(chain: Chain, message: Message, payload: JsonObject): Promise<Passed> {
    const { event, phase } = message
    let current = payload
    for (const one of chain.mutations) {
      if (isAudit(one)) {
        watch(one, message, current, (said, asked) => {
          const { answer, content } = changeOf(said, asked, config.payload)
          const fields = { interceptor: one.name, event, phase }
          if (answer) logger.info(fields, 'audit: the module would have answered in place of the server')
          else if (content) logger.info(fields, 'audit: the module would have changed the message')
        })
        continue
      }
      try {
        const { answer, content } = changeOf(await ask(one, message, current), message, config.payload)
        if (answer) return { payload: current, answer }
        current = content ?? current
      } catch (error) {
        failed(one, message, error)
      }
    }
    return { payload: current }
  }

  async function judged(one: Interceptor, message: Message, payload: JsonObject): Promise<Verdict[]> {
    try {
      const verdict = verdictOf(one, await ask(one, message, payload))
      return verdict ? [verdict] : []
    } catch (error) {
      failed(one, message, error)
      return []
    }
  }

  async function validate(chain: Chain, message: Message, payload: JsonObject): Promise<void> {
    if (chain.validations.length === 0) return
    const { event, phase } = message
    const note = ({ one, blocks, texts }: Verdict, isWatched: boolean): void =>
      logger.info(
        { interceptor: one.name, event, phase, messages: texts },
        blocks && isWatched
          ? 'audit: the module would have refused the message'
          : 'a module has something to say about a message',
      )
    for (const one of chain.validations) {
      if (!isAudit(one)) continue
      watch(one, message, payload, (said) => {
        const verdict = verdictOf(one, said)
        if (verdict) note(verdict, true)
      })
    }
    const asked = chain.validations.filter((one) => !isAudit(one))
    const verdicts = (await Promise.all(asked.map((one) => judged(one, message, payload)))).flat()
    for (const verdict of verdicts) if (!verdict.blocks) note(verdict, false)
    const refusals = verdicts.filter(({ blocks }) => blocks)
    if (refusals.length > 0) throw refusal(refusals)
  }

  function refusal(verdicts: readonly Verdict[]): RpcError {
    const validationErrors = verdicts.flatMap(({ one, texts }) =>
      (texts.length > 0 ? texts : ['']).map((message) => ({
        interceptor: one.name,
        severity: 'error',
        message,
      })),
    )
    const said = validationErrors
      .map(({ message }) => message)
      .filter((text) => text !== '')
      .join('; ')
      .slice(0, MAX_TEXT)
    const words = `Refused by the module \`${name}\`${said === '' ? '' : `: ${said}`}`
    return new RpcError(RPC.invalidParams, words, { validationErrors })
  }

  return {
    mutate,
    validate,
    failed,
    tell(chain, message, payload) {
      for (const one of chain.sinks) watch(one, message, payload, () => {})
    },
  }
}
