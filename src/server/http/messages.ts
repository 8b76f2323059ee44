/** The messages in the body of a POST. */
import { claimsModern } from '../../protocol/eras.ts'
import { RPC } from '../../protocol/errors.ts'
import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import { LIMIT_DEFAULTS, type Limits } from '../../protocol/limits.ts'
import type { JsonRpcMessage, JsonRpcRequest, RequestId } from '../../protocol/message.ts'
import { excessOf, introductionExcess } from '../bounds.ts'

/** The content of a body. */
export interface Body {
  readonly messages: readonly JsonRpcMessage[]
  /** A JSON array (MCP 2025-03-26), even of one message. */
  readonly batch: boolean
}

/** The fault of a body, as a JSON-RPC code and a sentence. */
export interface BodyFault {
  readonly code: number
  readonly message: string
}

/** More in one batch is no way to speak but a way to make others work. */
const MAX_BATCH = 100

/** Never throws. Of params it is checked whether they claim a revision of the modern era in a batch, and say too much of the client. */
export function parseMessages(bytes: Buffer, limits: Limits = LIMIT_DEFAULTS): Body | BodyFault {
  const body = parseBody(bytes, limits)
  return isFault(body) ? body : checkIntroductions(body, bytes.length, limits)
}

/** The same without `checkIntroductions`, for a caller that does other work between the two. */
export function parseBody(bytes: Buffer, limits: Limits): Body | BodyFault {
  const excess = excessOf(bytes, limits)
  if (excess !== undefined) return invalid(excess)
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    return { code: RPC.parseError, message: 'Parse error: the body is not JSON' }
  }
  if (!Array.isArray(value)) {
    return isMessage(value) ? { messages: [value], batch: false } : invalid('the body is no JSON-RPC message')
  }
  if (value.length === 0) return invalid('the batch is empty')
  if (value.length > MAX_BATCH) return invalid(`a batch may have ${MAX_BATCH} messages`)
  if (!value.every(isMessage)) return invalid('the batch holds what is no JSON-RPC message')
  if (value.some((message) => 'method' in message && isClaim(message.params))) {
    return invalid('the modern revisions have no batches')
  }
  return { messages: value, batch: true }
}

/** The same body, or what is wrong with it, where its client says too much of itself. `length`: its bytes. */
export function checkIntroductions(body: Body, length: number, limits: Limits): Body | BodyFault {
  for (const message of body.messages) {
    const tooMuch = introductionExcess(message, length, limits)
    if (tooMuch !== undefined) return invalid(tooMuch)
  }
  return body
}

/** True for a message that has to be answered. */
export function isRequest(message: JsonRpcMessage): message is JsonRpcRequest {
  return 'method' in message && 'id' in message && message.id !== null
}

/** True where `parseMessages` found something wrong. */
export function isFault(body: Body | BodyFault): body is BodyFault {
  return 'code' in body
}

function invalid(text: string): BodyFault {
  return { code: RPC.invalidRequest, message: `Invalid Request: ${text}` }
}

function isClaim(params: unknown): boolean {
  return isObject(params) && claimsModern(params)
}

/**
 * A request, a notification or an answer, by the members that tell which (JSON-RPC 2.0). Params may be anything: a wrong kind
 * of them is answered like any other wrong params. The habit of notifications with an id that is null is put up with.
 */
function isMessage(value: unknown): value is JsonRpcMessage {
  if (!isObject(value)) return false
  if (Object.hasOwn(value, 'method')) {
    return typeof value.method === 'string' && isIdOf(value, value.method.startsWith('notifications/'))
  }
  const answer = Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error')
  return answer && (isId(value.id) || value.id === null || value.id === undefined)
}

function isIdOf(message: JsonObject, nullable: boolean): boolean {
  if (!Object.hasOwn(message, 'id')) return true
  return isId(message.id) || (nullable && message.id === null)
}

function isId(id: JsonValue | undefined): id is RequestId {
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id))
}
