/** The interceptors of an external module, asked again whenever it comes back, and the ones that are asked about a message. */
import type { ExternalModule } from '../../config/modules.ts'
import { ModuleTimeout, methodFilter, TooLarge } from '../../module-runtime/module.ts'
import type { Logger } from '../../observe/log.ts'
import { fingerprint } from '../../observe/redact.ts'
import { isInputRequired, LargeResult, META, plain, type Result } from '../../protocol/content.ts'
import { messageOf, RPC, RpcError } from '../../protocol/errors.ts'
import type { Agent, Client } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue, own, RawJson } from '../../protocol/json.ts'
import type { Signal } from '../../protocol/message.ts'

/** The interceptors that are asked about a message in one phase. */
export interface Chain {
  readonly mutations: readonly Interceptor[]
  readonly validations: readonly Interceptor[]
  readonly sinks: readonly Interceptor[]
}

interface ByPhase {
  readonly request: Chain
  readonly response: Chain
}

interface Offer {
  /** Undefined: it has not said yet. */
  readonly interceptors: readonly Interceptor[] | undefined
  /** Names of offered interceptors of unknown types: they are never asked. */
  readonly ignored: readonly string[]
  /** Why it was not to be had, the last time. */
  readonly trouble: string | undefined
  /** Asks what it offers. All who wait share one attempt. */
  start(): Promise<void>
  /** Waits until what it offers is known and it can be asked, no longer than the time for a message. */
  known(signal: Signal | undefined): Promise<void>
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

interface OfferParts {
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
  /** A call waited for it in vain. Others need not wait until it is there. */
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

async function within<T>(work: Promise<T>, ms: number, signal: Signal | undefined): Promise<T> {
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

// One question to an interceptor: what it makes of a message.

/** Milliseconds that a module may take for a message. */
const PATIENCE = 5_000

/** Member of `_meta` of a mutation's result by which a module answers in place of the server. */
const ANSWER = `${META}answer`

/** The peer that a message is from or for. */
interface About {
  readonly client: Client
  readonly agent: Agent
  readonly signal?: Signal | undefined
}

/** A message in one of its phases. */
export interface Message {
  readonly event: string
  readonly phase: Phase
  readonly about: About
}

/** The answer of an interceptor. Rejects with what keeps it from having said anything. */
export type Ask = (one: Interceptor, message: Message, payload: JsonObject) => Promise<JsonObject>

interface AskParts {
  config: ExternalModule
  line: Line
  /** Milliseconds since 1970. */
  now: () => number
  /** Waits until it can be asked, and no longer than it may take for a message. */
  ready: (signal: Signal | undefined) => Promise<void>
  /** Whether the module is not wanted any more. */
  isClosed: () => boolean
}

export function createAsk({ config, line, now, ready, isClosed }: AskParts): Ask {
  const { timeoutMs = PATIENCE, maxBytes } = config
  const sessions = new WeakMap<Client, string>()

  async function ask(one: Interceptor, message: Message, payload: JsonObject): Promise<JsonObject> {
    if (isLongerThan(payload, maxBytes))
      throw new TooLarge(`takes at most ${maxBytes} bytes, and this is more`)
    await ready(message.about.signal)
    const params = paramsOf(one, message, payload)
    let result: Result
    try {
      const limits = { signal: message.about.signal, timeoutMs }
      result = await line.request({ method: 'interceptor/invoke', params }, limits)
    } catch (error) {
      if (error instanceof ModuleTimeout) {
        void revive()
        throw new ModuleTimeout(`did not answer within ${timeoutMs} ms`)
      }
      // Its error is a failure; it refuses by a verdict.
      throw new Error(messageOf(error))
    }
    if (result instanceof LargeResult && result.bytes.length > maxBytes)
      throw new Error(`answered with ${result.bytes.length} bytes`)
    const answer = flat(plain(result), one.type)
    if (answer.type !== undefined && answer.type !== one.type && one.type !== 'sink')
      throw new Error(`answered as ${String(answer.type).slice(0, 50)}, but is of the type ${one.type}`)
    return answer
  }

  function paramsOf(one: Interceptor, { event, phase, about }: Message, payload: JsonObject): JsonObject {
    const { agent, client } = about
    return {
      name: one.name,
      event,
      phase,
      payload:
        phase === 'request' && config.payload === 'message' ? { method: event, params: payload } : payload,
      ...(config.config !== undefined && { config: config.config as JsonObject }),
      timeoutMs,
      context: {
        principal: agent.kind === 'principal' ? { type: 'user', id: agent.id } : { type: 'anonymous' },
        sessionId: sessionOf(client),
        timestamp: new Date(now()).toISOString(),
      },
    }
  }

  /** An opaque name. A digest is a good part of what a message costs, and a client sends many. */
  function sessionOf(client: Client): string {
    const known = sessions.get(client)
    if (known !== undefined) return known
    const session = fingerprint(client.id)
    sessions.set(client, session)
    return session
  }

  /** One that does not even answer a ping is started again. */
  async function revive(): Promise<void> {
    try {
      await line.request({ method: 'ping', params: {} }, { timeoutMs })
    } catch (error) {
      if (error instanceof ModuleTimeout && !isClosed()) line.restart()
    }
  }

  return ask
}

/** One SDK of the proposal (Go) puts what is of the type into a member of its name, `{ "validation": { "valid": true } }`. */
function flat(answer: JsonObject, type: Interceptor['type']): JsonObject {
  const inner = own(answer, type)
  return isObject(inner) ? { ...answer, ...inner } : answer
}

/** The outcome of a mutation for a message: other content, or a result in place of the server's. Neither: it leaves it as it is. */
interface Change {
  readonly content?: JsonObject
  readonly answer?: JsonObject
}

/** Throws where the answer is none that a mutation may give. */
export function changeOf(
  answer: JsonObject,
  { event, phase }: Message,
  form: ExternalModule['payload'],
): Change {
  const direct = phase === 'request' && isObject(answer._meta) ? own(answer._meta, ANSWER) : undefined
  if (direct !== undefined) {
    if (isOfType(direct, event, 'response')) return { answer: direct }
    throw new Error(`answered in place of the server with what is no result of ${event}`)
  }
  if (typeof answer.modified !== 'boolean')
    throw new Error('answered without saying whether it modified anything')
  if (!answer.modified) return {}
  const content: JsonValue | undefined =
    phase === 'request' && form === 'message' ? paramsIn(answer.payload, event) : answer.payload
  if (isOfType(content, event, phase)) return { content }
  throw new Error(
    `answered ${phase === 'request' ? 'a request' : 'a result'} of ${event} with something else`,
  )
}

function paramsIn(message: JsonValue | undefined, event: string): JsonValue | undefined {
  return isObject(message) && message.method === event ? message.params : undefined
}

/** The objection of a validation to a message. */
export interface Verdict {
  readonly one: Interceptor
  readonly blocks: boolean
  readonly texts: readonly string[]
}

const MAX_TEXT = 2_000
const MAX_TEXTS = 20

/** Undefined: nothing. Throws where it is no verdict. */
export function verdictOf(one: Interceptor, answer: JsonObject): Verdict | undefined {
  const { valid, severity, messages } = answer
  if (typeof valid !== 'boolean') throw new Error('answered without a verdict')
  if (valid) return undefined
  const found = Array.isArray(messages) ? messages.filter(isObject) : []
  const texts = found.flatMap(({ message }) =>
    typeof message === 'string' ? [message.slice(0, MAX_TEXT)] : [],
  )
  return { one, blocks: isWorst(severity, found), texts: texts.slice(0, MAX_TEXTS) }
}

/** Without a severity of its own a verdict has the worst of its messages; without any it is taken for the worst that it can be. */
function isWorst(severity: JsonValue | undefined, messages: readonly JsonObject[]): boolean {
  const isMild = (one: JsonValue | undefined): boolean => one === 'warn' || one === 'info'
  if (typeof severity === 'string') return !isMild(severity)
  return messages.length === 0 || !messages.every((message) => isMild(message.severity))
}

// The list of interceptors of an external module (`interceptors/list`), in the forms that the drafts of the proposal have had.

type Phase = 'request' | 'response'

/** One of the interceptors that a module offers. */
export interface Interceptor {
  readonly name: string
  /** `sink`: it is told, and its answer means nothing. */
  readonly type: 'mutation' | 'validation' | 'sink'
  readonly mode: 'enforce' | 'audit'
  readonly failOpen: boolean
  readonly priority: Readonly<Record<Phase, number>>
  wants(event: string, phase: Phase): boolean
}

/** More than anybody offers. */
const MAX_NAME = 200

/** Undefined: of an unknown type, perhaps of a later draft. Throws Error with what is wrong with it. */
function readInterceptor(value: JsonValue): Interceptor | undefined {
  if (!isObject(value)) throw new Error('offers an interceptor that is no object')
  const { name, type } = value
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME)
    throw new Error('offers an interceptor without a name')
  if (typeof type !== 'string') throw new Error(`offers \`${name}\` without a type`)
  const known = TYPES.get(type)
  if (known === undefined) return undefined
  const hooks = hooksOf(value)
  if (hooks.length === 0) throw new Error(`offers \`${name}\` without hooks`)
  const filters = hooks.map(({ events, phase }) => ({ phase, wants: eventFilter(events, phase) }))
  return {
    name,
    type: known,
    mode: value.mode === 'audit' ? 'audit' : 'enforce',
    failOpen: value.failOpen === true,
    priority: { request: priorityOf(value, 'request'), response: priorityOf(value, 'response') },
    wants: (event, phase) => filters.some((filter) => filter.phase === phase && filter.wants(event)),
  }
}

const TYPES = new Map<string, Interceptor['type']>([
  ['mutation', 'mutation'],
  ['validation', 'validation'],
  ['sink', 'sink'],
  ['observability', 'sink'],
])

interface Hook {
  events: readonly string[]
  phase: Phase
}

/** `hooks: [{ events, phase }]`, `hook: { events, phase }`, or `events` and `phase` beside the name; `both` is two hooks. */
function hooksOf(interceptor: JsonObject): Hook[] {
  const { hooks, hook } = interceptor
  const written = Array.isArray(hooks) ? hooks : [hook ?? interceptor]
  return written.filter(isObject).flatMap(({ events, phase }) => {
    if (!Array.isArray(events)) return []
    const names = events.filter((event) => typeof event === 'string')
    const phases: Phase[] = phase === 'request' || phase === 'response' ? [phase] : ['request', 'response']
    return phases.map((one) => ({ events: names, phase: one }))
  })
}

/** A star asks for every request; notifications are sent to those alone that name them. */
function eventFilter(events: readonly string[], phase: Phase): (event: string) => boolean {
  const all = events.includes('*') || events.includes(`*/${phase}`)
  const named = methodFilter(events.filter((event) => event !== '*' && !event.startsWith('*/')))
  return (event) => (all && !event.startsWith('notifications/')) || named(event)
}

function priorityOf(interceptor: JsonObject, phase: Phase): number {
  const hint = interceptor.priorityHint
  const value = isObject(hint) ? own(hint, phase) : hint
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}

/** Lower ones first, then by name. */
function inOrder(interceptors: readonly Interceptor[], phase: Phase): Interceptor[] {
  return interceptors.toSorted(
    (a, b) => a.priority[phase] - b.priority[phase] || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  )
}

// The way to an external module, handed in: a connection that comes back by itself.

export interface LineRequest {
  method: string
  params: JsonObject
}

export interface LineLimits {
  signal?: Signal | undefined
  /** Milliseconds. */
  timeoutMs: number
}

export interface Line {
  /** Connects when needed. Rejects with what the module answered or why there is no answer. */
  request(request: LineRequest, limits: LineLimits): Promise<Result>
  /** Connected: a request goes out at once. */
  isUp(): boolean
  /** Ends the present connection, so that a new one begins. */
  restart(): void
  close(): Promise<void>
}

/** Told by a line. */
export interface LineEvents {
  /** Connected, for the first time or again. */
  ready(): void
  lost(error: Error): void
}

// A message comes back as what it went as: a call as a call, a list as a list.

type Check = (value: JsonValue | undefined) => boolean

const text: Check = (value) => typeof value === 'string'
const object: Check = isObject
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const having =
  (members: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) &&
    Object.entries(members).every(([key, check]) => check(Object.hasOwn(value, key) ? value[key] : undefined))

const block = having({ type: text })
const named = having({ name: text })
const content = (value: JsonValue | undefined): boolean =>
  Array.isArray(value) ? value.every(block) : block(value)

/** The least that a message of a method has (MCP specification, schema). Others are objects and no more is known of them. */
const REQUESTS: Readonly<Record<string, Check>> = {
  'tools/call': having({ name: text, arguments: optional(object) }),
  'prompts/get': having({ name: text, arguments: optional(object) }),
  'resources/read': having({ uri: text }),
  'resources/subscribe': having({ uri: text }),
  'resources/unsubscribe': having({ uri: text }),
  'completion/complete': having({ ref: object, argument: object }),
  'logging/setLevel': having({ level: text }),
  'sampling/createMessage': having({ messages: listOf(object) }),
  'elicitation/create': having({ message: text }),
  'notifications/message': having({ level: text }),
  'notifications/progress': having({ progress: (value) => typeof value === 'number' }),
  'notifications/resources/updated': having({ uri: text }),
}

const RESULTS: Readonly<Record<string, Check>> = {
  'tools/list': having({ tools: listOf(having({ name: text, inputSchema: optional(object) })) }),
  'tools/call': having({
    content: optional(listOf(block)),
    structuredContent: optional((value) => value !== undefined),
  }),
  'prompts/list': having({ prompts: listOf(named) }),
  'prompts/get': having({ messages: listOf(having({ role: text, content })) }),
  'resources/list': having({ resources: listOf(having({ uri: text })) }),
  'resources/templates/list': having({ resourceTemplates: listOf(having({ uriTemplate: text })) }),
  'resources/read': having({ contents: listOf(having({ uri: text })) }),
  'completion/complete': having({ completion: object }),
  'sampling/createMessage': having({ role: text, content }),
  'elicitation/create': having({ action: text }),
  'roots/list': having({ roots: listOf(having({ uri: text })) }),
}

/** True when `value` is params (phase `request`) or a result (phase `response`) of this method. */
export function isOfType(value: unknown, method: string, phase: 'request' | 'response'): value is JsonObject {
  if (!isObject(value)) return false
  const checks = phase === 'request' ? REQUESTS : RESULTS
  // To ask for input is the servers' business.
  if (phase === 'response' && isInputRequired(value)) return false
  if (
    phase === 'response' &&
    method === 'tools/call' &&
    value.content === undefined &&
    value.structuredContent === undefined
  )
    return Object.hasOwn(value, 'task')
  return !Object.hasOwn(checks, method) || checks[method]?.(value) === true
}

// How large a message is as JSON, without writing it.

/** Shorter texts are counted by their characters: few of them are anything else. */
const SHORT = 256

/** True when its JSON surely has more than this many bytes. Counts no further than that, at any depth. */
export function isLongerThan(value: JsonValue, maxBytes: number): boolean {
  const left: JsonValue[] = [value]
  let bytes = 0
  for (let one = left.pop(); one !== undefined && bytes <= maxBytes; one = left.pop()) {
    if (typeof one === 'string') bytes += one.length < SHORT ? one.length + 2 : Buffer.byteLength(one) + 2
    else if (typeof one !== 'object' || one === null) bytes++
    else if (one instanceof RawJson) bytes += one.bytes.length
    else if (Array.isArray(one)) {
      bytes += one.length + 1
      for (const item of one) left.push(item)
    } else {
      bytes++
      for (const [key, item] of Object.entries(one)) {
        bytes += key.length + 4
        left.push(item)
      }
    }
  }
  return bytes > maxBytes
}
