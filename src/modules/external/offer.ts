/** What an external module offers, asked anew whenever it comes back, and who of it is asked about a message. */
import type { ExternalModule } from '../../config/modules/entry.ts'
import { messageOf, RPC, RpcError } from '../../protocol/errors.ts'
import { isObject, type JsonValue } from '../../protocol/json.ts'
import { plain } from '../../protocol/result.ts'
import type { Logger } from '../../telemetry/log.ts'
import { ModuleTimeout } from '../failure.ts'
import { methodFilter } from '../methods.ts'
import { PATIENCE } from './ask.ts'
import { type Interceptor, inOrder, type Phase, readInterceptor } from './interceptor.ts'
import type { Line } from './line.ts'

/** Those that are asked about a message in one phase. */
export interface Chain {
  readonly mutations: readonly Interceptor[]
  readonly validations: readonly Interceptor[]
  readonly sinks: readonly Interceptor[]
}

export interface ByPhase {
  readonly request: Chain
  readonly response: Chain
}

export interface Offer {
  /** Undefined: it has not said yet. */
  readonly interceptors: readonly Interceptor[] | undefined
  /** Names of what it offers of types that nobody here knows: they are never asked. */
  readonly ignored: readonly string[]
  /** Why it was not to be had, the last time. */
  readonly trouble: string | undefined
  /** Asks what it offers. All who wait share one attempt. */
  start(): Promise<void>
  /** Waits until what it offers is known and it can be asked, no longer than the time for a message. */
  known(signal: AbortSignal | undefined): Promise<void>
  lost(error: Error): void
  chainsOf(event: string): ByPhase
  /** False: it did not ask for messages of this method. Before it said what it asks for, it may be anything. */
  wants(event: string): boolean
}

/** Milliseconds from its start until it has said what it wants. */
const START = 30_000
const MAX_INTERCEPTORS = 200
const MAX_PAGES = 20
const MAX_KNOWN = 500

export interface OfferParts {
  config: ExternalModule
  line: () => Line
  logger: Logger
  isClosed: () => boolean
}

export function createOffer({ config, line, logger, isClosed }: OfferParts): Offer {
  const { timeoutMs = PATIENCE } = config
  const narrowed = methodFilter(config.events)
  let offered: readonly Interceptor[] | undefined
  let ignored: readonly string[] = []
  let chains = new Map<string, ByPhase>()
  let starting: Promise<void> | undefined
  let trouble: string | undefined
  /** Somebody waited for it in vain. Nobody else has to, until it is there. */
  let isLate = false

  function start(): Promise<void> {
    starting ??= read().finally(() => {
      starting = undefined
    })
    return starting
  }

  async function read(): Promise<void> {
    try {
      const found = await list(line())
      offered = found.interceptors
      ignored = found.ignored
      if (ignored.length > 0)
        logger.warn(
          { interceptors: ignored },
          'a module offers interceptors of unknown types; they are never asked',
        )
      chains = new Map()
      trouble = undefined
      isLate = false
    } catch (error) {
      trouble =
        error instanceof RpcError && error.code === RPC.methodNotFound
          ? 'knows no interceptors/list: it is no module'
          : messageOf(error)
      if (!isClosed()) logger.warn({ error: trouble }, 'a module does not say what it wants')
      throw error
    }
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

  function chainsOf(event: string): ByPhase {
    const known = chains.get(event)
    if (known) return known
    const made = { request: chainOf(event, 'request'), response: chainOf(event, 'response') }
    if (chains.size < MAX_KNOWN) chains.set(event, made)
    return made
  }

  return {
    get interceptors() {
      return offered
    },
    get ignored() {
      return ignored
    },
    get trouble() {
      return trouble
    },
    start,
    async known(signal) {
      if (offered !== undefined && line().isUp()) return
      if (isLate) throw new ModuleTimeout(`is still not ready: ${trouble ?? 'it starts'}`)
      try {
        await within(start(), timeoutMs, signal)
      } catch (error) {
        if (error instanceof ModuleTimeout) isLate = true
        throw error
      }
    },
    lost(error) {
      trouble = error.message
    },
    chainsOf,
    wants(event) {
      if (offered === undefined)
        return narrowed(event) && (config.events !== undefined || !event.startsWith('notifications/'))
      const { request, response } = chainsOf(event)
      return !isEmpty(request) || !isEmpty(response)
    },
  }
}

async function list(line: Line): Promise<{ interceptors: Interceptor[]; ignored: string[] }> {
  const interceptors: Interceptor[] = []
  const ignored: string[] = []
  let cursor: JsonValue | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const result = plain(await line.request({ method: 'interceptors/list', params }, { timeoutMs: START }))
    if (!Array.isArray(result.interceptors)) throw new Error('did not answer interceptors/list with a list')
    for (const offered of result.interceptors) {
      const one = readInterceptor(offered)
      if (one) interceptors.push(one)
      else if (isObject(offered)) ignored.push(String(offered.name))
    }
    if (interceptors.length + ignored.length > MAX_INTERCEPTORS)
      throw new Error(`offers more than ${MAX_INTERCEPTORS} interceptors`)
    cursor = result.nextCursor
    if (typeof cursor !== 'string') break
  }
  return { interceptors, ignored }
}

export function isEmpty({ mutations, validations, sinks }: Chain): boolean {
  return mutations.length === 0 && validations.length === 0 && sinks.length === 0
}

async function within<T>(work: Promise<T>, ms: number, signal: AbortSignal | undefined): Promise<T> {
  let stop = (): void => {}
  const ended = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new ModuleTimeout(`was not ready within ${ms} ms`)), ms)
    const abort = (): void => reject(signal?.reason)
    signal?.addEventListener('abort', abort)
    stop = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  })
  try {
    return await Promise.race([work, ended])
  } finally {
    stop()
  }
}
