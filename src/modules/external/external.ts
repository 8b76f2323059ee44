/** A module of somebody else: a server of interceptors (SEP-1763, SEP-2624), asked about the messages that it declared and no others. */
import type { ExternalModule } from '../../config/modules/entry.ts'
import { META } from '../../protocol/content.ts'
import { messageOf, RPC, RpcError } from '../../protocol/errors.ts'
import type { Agent, Client, Exchange } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { LargeResult, plain, type Result } from '../../protocol/result.ts'
import type { Logger } from '../../telemetry/log.ts'
import { fingerprint } from '../../telemetry/secret.ts'
import { failure, ModuleTimeout } from '../guard.ts'
import { methodFilter } from '../methods.ts'
import type { Module, ModuleHealth } from '../module.ts'
import { type Interceptor, inOrder, type Phase, readInterceptor } from './interceptor.ts'
import type { Line, LineEvents } from './line.ts'
import { isOfType } from './same-type.ts'

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

/** Milliseconds that a module may take for a message. */
const PATIENCE = 5_000
/** Milliseconds from its start until it has said what it wants. */
const START = 30_000
const MAX_INTERCEPTORS = 200
const MAX_PAGES = 20
const MAX_TEXT = 2_000
const MAX_KNOWN = 500
/** Member of `_meta` of a mutation's result by which a module answers in place of the server. */
const ANSWER = `${META}answer`

/** Who a message is from or for. */
interface About {
  readonly client: Client
  readonly agent: Agent
  readonly signal?: AbortSignal | undefined
}

/** What became of a message: other content, or an answer in place of one. */
interface Passed {
  readonly payload: JsonObject
  readonly answer?: JsonObject
}

interface ByPhase {
  readonly request: Chain
  readonly response: Chain
}

interface Chain {
  readonly mutations: readonly Interceptor[]
  readonly validations: readonly Interceptor[]
  readonly sinks: readonly Interceptor[]
}

export function createExternal(config: ExternalModule, { logger, now, open }: ExternalParts): External {
  const { name, timeoutMs = PATIENCE } = config
  const narrowed = methodFilter(config.events)
  let offered: readonly Interceptor[] | undefined
  let chains = new Map<string, ByPhase>()
  let starting: Promise<void> | undefined
  let lastError: string | undefined
  let closed = false

  const line = open({
    ready: () => void start().catch(() => {}),
    lost(error) {
      lastError = error.message
      if (!closed) logger.warn({ error: error.message }, 'a module was lost')
    },
  })
  // Whoever asks first should not have to wait.
  start().catch(() => {})

  /** Asks what it wants. All who wait share one attempt. */
  function start(): Promise<void> {
    starting ??= read().finally(() => {
      starting = undefined
    })
    return starting
  }

  async function read(): Promise<void> {
    try {
      const found: Interceptor[] = []
      let cursor: JsonValue | undefined
      for (let page = 0; page < MAX_PAGES; page++) {
        const params = cursor === undefined ? {} : { cursor }
        const result = plain(
          await line.request({ method: 'interceptors/list', params }, { timeoutMs: START }),
        )
        if (!Array.isArray(result.interceptors))
          throw new Error('did not answer interceptors/list with a list')
        found.push(...result.interceptors.map(readInterceptor))
        cursor = result.nextCursor
        if (typeof cursor !== 'string') break
      }
      if (found.length > MAX_INTERCEPTORS) throw new Error(`offers ${found.length} interceptors`)
      offered = found
      chains = new Map()
      lastError = undefined
    } catch (error) {
      lastError =
        error instanceof RpcError && error.code === RPC.methodNotFound
          ? 'knows no interceptors/list: it is no module'
          : messageOf(error)
      if (!closed) logger.warn({ error: lastError }, 'a module does not say what it wants')
      throw error
    }
  }

  function chainsOf(event: string): ByPhase {
    const known = chains.get(event)
    if (known) return known
    const made = { request: chainOf(event, 'request'), response: chainOf(event, 'response') }
    if (chains.size < MAX_KNOWN) chains.set(event, made)
    return made
  }

  function chainOf(event: string, phase: Phase): Chain {
    const isMine = narrowed(event) && (config.phase === 'both' || config.phase === phase)
    const all = isMine ? (offered ?? []).filter((one) => one.wants(event, phase)) : []
    const of = (type: Interceptor['type']): Interceptor[] =>
      inOrder(
        all.filter((one) => one.type === type),
        phase,
      )
    return { mutations: of('mutation'), validations: of('validation'), sinks: of('sink') }
  }

  function wants(event: string): boolean {
    if (offered === undefined)
      return narrowed(event) && (config.events !== undefined || !event.startsWith('notifications/'))
    const { request, response } = chainsOf(event)
    return !isEmpty(request) || !isEmpty(response)
  }

  /** Its word on a message. Rejects with what keeps it from having one. */
  async function invoke(
    one: Interceptor,
    event: string,
    phase: Phase,
    payload: JsonObject,
    about: About,
  ): Promise<JsonObject> {
    const { agent, client } = about
    const params: JsonObject = {
      name: one.name,
      event,
      phase,
      payload:
        phase === 'request' && config.payload === 'message' ? { method: event, params: payload } : payload,
      ...(config.config !== undefined && { config: config.config as JsonObject }),
      timeoutMs,
      context: {
        principal: agent.kind === 'principal' ? { type: 'user', id: agent.id } : { type: 'anonymous' },
        sessionId: fingerprint(client.id),
        timestamp: new Date(now()).toISOString(),
      },
    }
    let result: Result
    try {
      result = await line.request(
        { method: 'interceptor/invoke', params },
        { signal: about.signal, timeoutMs },
      )
    } catch (error) {
      if (isTimeout(error)) {
        void revive()
        throw new ModuleTimeout(`did not answer within ${timeoutMs} ms`)
      }
      // Its error is a failure; it refuses by a verdict.
      throw new Error(messageOf(error))
    }
    if (result instanceof LargeResult && result.bytes.length > config.maxBytes)
      throw new Error(`answered with ${result.bytes.length} bytes`)
    const answer = plain(result)
    if (answer.type !== undefined && answer.type !== one.type && one.type !== 'sink')
      throw new Error(`answered as ${String(answer.type).slice(0, 50)}, but is of the type ${one.type}`)
    return answer
  }

  /** One that does not even answer a ping is started anew. */
  async function revive(): Promise<void> {
    try {
      await line.request({ method: 'ping', params: {} }, { timeoutMs })
    } catch (error) {
      if (isTimeout(error) && !closed) line.restart()
    }
  }

  const modeOf = (one: Interceptor): 'enforce' | 'audit' => config.mode ?? one.mode
  const failsOpen = (one: Interceptor): boolean => config.failOpen ?? one.failOpen

  /** What a failure means. Throws where the message must not go on. */
  function failed(one: Interceptor, event: string, error: unknown, about: About): void {
    if (about.signal?.aborted) throw error
    const goesOn = failsOpen(one) || modeOf(one) === 'audit'
    const level = failsOpen(one) ? 'warn' : 'error'
    logger[level]({ interceptor: one.name, event, error: messageOf(error) }, 'a module failed')
    if (!goesOn) throw failure(name, error)
  }

  async function mutate(
    chain: Chain,
    event: string,
    phase: Phase,
    payload: JsonObject,
    about: About,
  ): Promise<Passed> {
    let current = payload
    for (const one of chain.mutations) {
      try {
        const answer = await invoke(one, event, phase, current, about)
        const direct = phase === 'request' && isObject(answer._meta) ? own(answer._meta, ANSWER) : undefined
        if (direct !== undefined) {
          if (!isOfType(direct, event, 'response'))
            throw new Error(`answered in place of the server with what is no result of ${event}`)
          if (modeOf(one) === 'enforce') return { payload: current, answer: direct }
          logger.info(
            { interceptor: one.name, event },
            'audit: the module would have answered in place of the server',
          )
          continue
        }
        if (typeof answer.modified !== 'boolean')
          throw new Error('answered without saying whether it modified anything')
        if (!answer.modified) continue
        const changed = contentOf(answer.payload, event, phase)
        if (modeOf(one) === 'enforce') current = changed
        else
          logger.info(
            { interceptor: one.name, event, phase },
            'audit: the module would have changed the message',
          )
      } catch (error) {
        failed(one, event, error, about)
      }
    }
    return { payload: current }
  }

  function contentOf(answer: JsonValue | undefined, event: string, phase: Phase): JsonObject {
    const isMessage = phase === 'request' && config.payload === 'message'
    const content = isMessage
      ? isObject(answer) && answer.method === event
        ? answer.params
        : undefined
      : answer
    if (isOfType(content, event, phase)) return content
    throw new Error(
      `answered ${phase === 'request' ? 'a request' : 'a result'} of ${event} with something else`,
    )
  }

  async function validate(
    chain: Chain,
    event: string,
    phase: Phase,
    payload: JsonObject,
    about: About,
  ): Promise<void> {
    const verdicts = await Promise.all(
      chain.validations.map(async (one) => {
        try {
          const answer = await invoke(one, event, phase, payload, about)
          if (typeof answer.valid !== 'boolean') throw new Error('answered without a verdict')
          return verdictOf(one, answer)
        } catch (error) {
          failed(one, event, error, about)
          return undefined
        }
      }),
    )
    const errors: JsonObject[] = []
    for (const verdict of verdicts) {
      if (verdict === undefined) continue
      const { one, blocks, texts } = verdict
      const fields = { interceptor: one.name, event, phase, messages: texts }
      if (!blocks) logger.info(fields, 'a module has something to say about a message')
      else if (modeOf(one) === 'audit')
        logger.info(fields, 'audit: the module would have refused the message')
      else
        errors.push(
          ...(texts.length > 0 ? texts : ['']).map((message) => ({
            interceptor: one.name,
            severity: 'error',
            message,
          })),
        )
    }
    if (errors.length === 0) return
    const said = errors
      .map(({ message }) => message)
      .filter((text) => text !== '')
      .join('; ')
      .slice(0, MAX_TEXT)
    throw new RpcError(
      RPC.invalidParams,
      `Refused by the module \`${name}\`${said === '' ? '' : `: ${said}`}`,
      {
        validationErrors: errors,
      },
    )
  }

  /** Nobody waits for them. */
  function tell(chain: Chain, event: string, phase: Phase, payload: JsonObject, about: About): void {
    for (const one of chain.sinks)
      invoke(one, event, phase, payload, { client: about.client, agent: about.agent }).catch(
        (error: unknown) =>
          logger.warn({ interceptor: one.name, event, error: messageOf(error) }, 'a module failed'),
      )
  }

  /** Params and what was sent for input are small; a result may be anything. */
  function readable(result: Result, chain: Chain, event: string, about: About): JsonObject | undefined {
    const first = [...chain.validations, ...chain.mutations][0]
    const size = result instanceof LargeResult ? result.bytes.length : undefined
    try {
      if (size !== undefined && size > config.maxBytes)
        throw new Error(`a result of ${size} bytes is more than it is sent`)
      return plain(result)
    } catch (error) {
      if (first) {
        const all = [...chain.validations, ...chain.mutations]
        for (const one of all) failed(one, event, error, about)
      }
      return undefined
    }
  }

  /** Waits until it is known what the module wants. False: it cannot be known, and messages go on. */
  async function known(about: About): Promise<boolean> {
    if (offered !== undefined) return true
    try {
      await within(start(), timeoutMs)
      return true
    } catch (error) {
      if (about.signal?.aborted) throw error
      if (config.failOpen === true || config.mode === 'audit') return false
      throw failure(name, error)
    }
  }

  const module: Module = {
    wrap: (next) => async (exchange) => {
      if (!(await known(exchange))) return next(exchange)
      const { method, params } = exchange
      const { request, response } = chainsOf(method)
      let sent: Exchange = exchange
      if (!isEmpty(request)) {
        const passed = await mutate(request, method, 'request', params, exchange)
        if (passed.answer !== undefined) return passed.answer
        await validate(request, method, 'request', passed.payload, exchange)
        tell(request, method, 'request', passed.payload, exchange)
        if (passed.payload !== params) sent = { ...exchange, params: passed.payload }
      }
      const result = await next(sent)
      if (isEmpty(response)) return result
      const content = readable(result, response, method, exchange)
      if (content === undefined) return result
      await validate(response, method, 'response', content, exchange)
      const { payload } = await mutate(response, method, 'response', content, exchange)
      tell(response, method, 'response', payload, exchange)
      return payload === content ? result : payload
    },
    notify: (next) => async (notice) => {
      const about = { client: notice.client, agent: notice.client.agent }
      if (!(await known(about))) return next(notice)
      const { request } = chainsOf(notice.method)
      if (isEmpty(request)) return next(notice)
      const params = notice.params ?? {}
      const { payload } = await mutate(request, notice.method, 'request', params, about)
      try {
        await validate(request, notice.method, 'request', payload, about)
      } catch (error) {
        if (!(error instanceof RpcError)) throw error
        logger.info({ event: notice.method }, 'a module refused a notification')
        return
      }
      tell(request, notice.method, 'request', payload, about)
      return next(payload === params ? notice : { ...notice, params: payload })
    },
    health,
    async check() {
      await start().catch(() => {})
      return health()
    },
    async close() {
      closed = true
      await line.close()
    },
  }

  function health(): ModuleHealth {
    if (lastError !== undefined) return { state: 'failed', message: lastError }
    if (offered === undefined) return { state: 'starting', message: 'it has not said yet what it wants' }
    const what = offered.map((one) => `${one.name} (${one.type}${modeOf(one) === 'audit' ? ', audit' : ''})`)
    return { state: 'ok', message: what.length === 0 ? 'offers no interceptors' : what.join(', ') }
  }

  return { module, wants }
}

function isEmpty({ mutations, validations, sinks }: Chain): boolean {
  return mutations.length === 0 && validations.length === 0 && sinks.length === 0
}

/** A verdict without a severity is taken for the worst that it can be. */
function verdictOf(
  one: Interceptor,
  answer: JsonObject,
): { one: Interceptor; blocks: boolean; texts: string[] } | undefined {
  if (answer.valid === true) return undefined
  const { severity, messages } = answer
  const texts = (Array.isArray(messages) ? messages : []).flatMap((entry) =>
    isObject(entry) && typeof entry.message === 'string' ? [entry.message.slice(0, MAX_TEXT)] : [],
  )
  return { one, blocks: severity !== 'warn' && severity !== 'info', texts: texts.slice(0, 20) }
}

function isTimeout(error: unknown): boolean {
  return error instanceof ModuleTimeout
}

async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ModuleTimeout(`was not ready within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
