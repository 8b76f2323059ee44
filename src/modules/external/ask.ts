/** One question to an interceptor: what it makes of a message. */
import type { ExternalModule } from '../../config/modules/entry.ts'
import { META } from '../../protocol/content.ts'
import { messageOf } from '../../protocol/errors.ts'
import type { Agent, Client } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { LargeResult, plain, type Result } from '../../protocol/result.ts'
import { fingerprint } from '../../telemetry/secret.ts'
import { ModuleTimeout } from '../failure.ts'
import type { Interceptor, Phase } from './interceptor.ts'
import type { Line } from './line.ts'
import { isOfType } from './same-type.ts'
import { isLongerThan } from './size.ts'

/** Milliseconds that a module may take for a message. */
export const PATIENCE = 5_000

/** Member of `_meta` of a mutation's result by which a module answers in place of the server. */
const ANSWER = `${META}answer`

/** Who a message is from or for. */
export interface About {
  readonly client: Client
  readonly agent: Agent
  readonly signal?: AbortSignal | undefined
}

/** A message in one of its phases. */
export interface Message {
  readonly event: string
  readonly phase: Phase
  readonly about: About
}

/** What an interceptor said. Rejects with what keeps it from having said anything. */
export type Ask = (one: Interceptor, message: Message, payload: JsonObject) => Promise<JsonObject>

export interface AskParts {
  config: ExternalModule
  line: Line
  /** Milliseconds since 1970. */
  now: () => number
  /** Waits until it can be asked, and no longer than it may take for a message. */
  ready: (signal: AbortSignal | undefined) => Promise<void>
  /** Whether the module is not wanted any more. */
  isClosed: () => boolean
}

export function createAsk({ config, line, now, ready, isClosed }: AskParts): Ask {
  const { timeoutMs = PATIENCE, maxBytes } = config
  const sessions = new WeakMap<Client, string>()

  async function ask(one: Interceptor, message: Message, payload: JsonObject): Promise<JsonObject> {
    if (isLongerThan(payload, maxBytes))
      throw new Error(`a message of more than ${maxBytes} bytes is more than it is sent`)
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

  /** One that does not even answer a ping is started anew. */
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

/** What a mutation makes of a message: other content, or a result in place of the server's. Neither: it leaves it as it is. */
export interface Change {
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

/** What a validation has against a message. */
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
