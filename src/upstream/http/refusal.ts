/** What an HTTP status that refuses says: an answer, a forgotten session, or words. */
import { RPC } from '../../protocol/errors.ts'
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import type { JsonRpcErrorObject, JsonRpcFailure, RequestId } from '../../protocol/message.ts'
import { HttpError, oneLine } from './words.ts'

/** A status that is none of success, with its body as far as it is of use. */
export interface Refusal {
  status: number
  /** Media type without parameters, in lower case. */
  type: string
  text: string
}

/** Errors that say which revisions are spoken; servers that know no session send them without an id too. */
const OF_ANOTHER_ERA: ReadonlySet<unknown> = new Set([RPC.unsupportedVersion, RPC.methodNotFound])

/**
 * The JSON-RPC error of this request when the body is one: under its id; in the modern era, where one POST is one request, and in
 * answer to initialize under no id too.
 */
export function answerIn(
  { text }: Refusal,
  id: RequestId,
  { modern, method }: { modern: boolean; method: string | undefined },
): JsonRpcFailure | undefined {
  const body = parsed(text)
  const error = body && own(body, 'error')
  if (body === undefined || !isObject(error) || typeof error.code !== 'number') return undefined
  const named = own(body, 'id')
  const nameless = named === undefined || named === null
  const ours = nameless ? modern || (method === 'initialize' && OF_ANOTHER_ERA.has(error.code)) : named === id
  if (!ours) return undefined
  return { jsonrpc: '2.0', id, error: error as unknown as JsonRpcErrorObject }
}

/**
 * True when the server no longer knows the session that the message was sent on: 404 by the specification; several servers answer
 * 400 and name the session. An error under the id of the request comes from behind that check, unless it names the session.
 */
export function forgotSession({ status, text }: Refusal, id: RequestId | undefined): boolean {
  if (status !== 404 && status !== 400) return false
  if (/session/i.test(text)) return true
  return (
    status === 404 && (id === undefined || answerIn({ status, type: '', text }, id, LEGACY) === undefined)
  )
}

const LEGACY = { modern: false, method: undefined }

/** In words: what the body says, the reason alone where it is JSON. */
export function refusalOf({ status, type, text }: Refusal, conceal: (text: string) => string): HttpError {
  // A page is for people with browsers; its first line says nothing.
  const said = type === 'text/html' ? '' : (messageIn(text) ?? text)
  return new HttpError(status, oneLine(said, conceal))
}

/** The message of a JSON-RPC or OAuth error. */
function messageIn(text: string): string | undefined {
  const body = parsed(text)
  if (body === undefined) return undefined
  const error = own(body, 'error')
  const said = isObject(error)
    ? own(error, 'message')
    : (own(body, 'error_description') ?? own(body, 'message') ?? error)
  return typeof said === 'string' ? said : undefined
}

function parsed(text: string): JsonObject | undefined {
  if (!text.trimStart().startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
