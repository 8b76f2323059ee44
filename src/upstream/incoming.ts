/** From the bytes of what a server sent to messages. Large answers are handed on unparsed. */

import { LargeResult } from '../protocol/content.ts'
import { tooDense } from '../protocol/density.ts'
import { isObject } from '../protocol/json.ts'
import { LIMITS, type Limits, limitWords } from '../protocol/limits.ts'
import type { JsonRpcMessage, RequestId } from '../protocol/message.ts'
import { edgeOfEnd, edgeOfStart, type GrowingBytes, textOfParts, type Watch } from '../protocol/stream.ts'
import { localFailure } from './transport.ts'

/** How much of a server is read. */
export interface ReadLimits {
  /** The result of an answer longer than this many bytes is not parsed. */
  largeBytes: number
  limits: Limits
}

/** A message that is too much to be parsed here, and belongs to no request. The words follow "the server". */
export class TooMuch {
  readonly words: string

  constructor(words: string) {
    this.words = words
  }
}

/**
 * The messages of one line, body or event: one or (MCP 2025-03-26) a batch; undefined when it is not JSON-RPC. The result of an
 * answer longer than `largeBytes` comes as a LargeResult. Whatever else is over the limits for messages that are no results fails the
 * request that it answers.
 */
export function readMessages(
  parts: readonly Buffer[],
  length: number,
  { largeBytes, limits }: ReadLimits,
): JsonRpcMessage[] | TooMuch | undefined {
  // A shorter message can neither be large nor too deep, and results may be as deep as they like.
  if (length > largeBytes || (length > 2 * limits.serverMessageDepth && !beginsLikeResult(parts))) {
    const head = edgeOfStart(parts)
    const tail = edgeOfEnd(parts)
    const envelope = length > largeBytes ? findEnvelope(head, tail, length) : undefined
    if (envelope !== undefined) {
      const { id, start, end } = envelope
      return [{ jsonrpc: '2.0', id, result: new LargeResult(onShared(parts, start, end)) }]
    }
    const words = length <= largeBytes && looksLikeResult(head) ? undefined : excess(parts, length, limits)
    if (words !== undefined) {
      const id = idOfEdges(head, tail)
      return id === undefined ? new TooMuch(words) : [localFailure(id, 'UPSTREAM_PROTOCOL', words)]
    }
  }
  return messagesOf(textOfParts(parts))
}

/** The limit that a message that is no result exceeds, in words that follow "the server". */
function excess(parts: readonly Buffer[], length: number, limits: Limits): string | undefined {
  if (length > limits.serverMessageBytes) return tooLongWords(length, limits)
  const { serverMessageValues: values, serverMessageDepth: depth } = limits
  const dense = tooDense(Buffer.concat(parts), { values, depth })
  if (dense === undefined) return undefined
  const name = dense === 'values' ? 'serverMessageValues' : 'serverMessageDepth'
  return `sent a message that is no result and holds too many ${LIMITS[name].unit}; ${limitWords(name, limits)}`
}

function tooLongWords(length: number, limits: Limits): string {
  return `sent a message of ${length} bytes that is no result; ${limitWords('serverMessageBytes', limits)}`
}

/** The most bytes of a message that begins like this: few, unless it looks like a result. */
export function longestFor(maxBytes: number, limits: Limits): (head: Buffer) => number {
  return (head) => (looksLikeResult(head) ? maxBytes : limits.serverMessageBytes)
}

/** Follows "the server": a message that was thrown away because of its length. */
export function tooLong(head: Buffer, length: number, maxBytes: number, limits: Limits): string {
  return looksLikeResult(head) || length <= limits.serverMessageBytes
    ? `sent a message of ${length} bytes; the limit is ${maxBytes} bytes`
    : tooLongWords(length, limits)
}

/** Looks at as much as an answer of a usual server begins with; false tells nothing. */
function beginsLikeResult([first]: readonly Buffer[]): boolean {
  return first !== undefined && HEAD.test(first.toString('latin1', 0, BEGINNING))
}

function looksLikeResult(head: Buffer): boolean {
  return HEAD.test(head.toString('latin1'))
}

function messagesOf(text: string): JsonRpcMessage[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!Array.isArray(value)) {
    const message = messageOf(value)
    return message && [message]
  }
  const messages = value.map(messageOf)
  return messages.every((message) => message !== undefined) ? messages : undefined
}

/** A message, or undefined. An answer that holds no object fails the request it answers. */
function messageOf(value: unknown): JsonRpcMessage | undefined {
  if (!isObject(value)) return undefined
  const { id, method } = value
  if (Object.hasOwn(value, 'method')) {
    return typeof method === 'string' ? (value as unknown as JsonRpcMessage) : undefined
  }
  if (isObject(value.result) || isObject(value.error)) return value as unknown as JsonRpcMessage
  if (typeof id !== 'number' && typeof id !== 'string') return undefined
  return localFailure(id, 'UPSTREAM_PROTOCOL', 'sent an answer with a result that is not an object')
}

// Finds the `result` member of a large JSON-RPC response without parsing it, from the envelope on either side
// of it. * Why reading the tail is safe: in a line of valid JSON the last `}` closes the message itself. So a member directly in front of
// it belongs to the message, however much the result looks like one. The quote that opens the member's name cannot be an escaped one,
// because a comma or white space stands in front of it.
// A line that is not valid JSON, or holds members that JSON-RPC does not know, yields bytes that are no JSON value: the parser notices.

interface Envelope {
  id: RequestId
  /** First byte of the result and the one behind its last. */
  start: number
  end: number
}

/** Numbers, and strings of ASCII without escapes: whatever else an id is, it is none of ours. */
const SCALAR = String.raw`(?:-?\d{1,16}|"[\x20\x21\x23-\x5b\x5d-\x7e]{0,128}")`
const SPACE = String.raw`[ \t\r\n]*`
const MEMBER = `${SPACE}"(?:id|jsonrpc)"${SPACE}:${SPACE}${SCALAR}${SPACE}`
const HEAD = new RegExp(String.raw`^${SPACE}\{(?:${MEMBER},)*${SPACE}"result"${SPACE}:${SPACE}(?=\{)`)
const BEGINNING = 100
/** The same for an answer that is an error. */
const ERROR_HEAD = new RegExp(String.raw`^${SPACE}\{(?:${MEMBER},)*${SPACE}"error"${SPACE}:`)
const TAIL = new RegExp(String.raw`(?<=\})${SPACE}(?:,${MEMBER})*\}${SPACE}$`)
const ID = new RegExp(`"id"${SPACE}:${SPACE}(${SCALAR})`, 'g')

/**
 * The envelope of a response with an object as its result, or undefined when the message is anything else.
 * `head` and `tail` are the edges of a line of `length` bytes.
 */
export function findEnvelope(head: Buffer, tail: Buffer, length: number): Envelope | undefined {
  const before = HEAD.exec(head.toString('latin1'))?.[0]
  const after = TAIL.exec(tail.toString('latin1'))?.[0]
  if (before === undefined || after === undefined) return undefined
  const id = onlyId(before, after)
  const start = before.length
  const end = length - after.length
  return id === undefined || start >= end ? undefined : { id, start, end }
}

/** Told of a long response while it comes: its bytes, and the first byte of its result. Answers what is called whenever there is more. */
export type Arriving = (bytes: GrowingBytes, start: number) => () => void

/** True for responses with an object as their result, as far as their beginning tells. */
export function watchFor(arriving: Arriving | undefined): Watch | undefined {
  if (arriving === undefined) return undefined
  return (bytes) => {
    const before = HEAD.exec(edgeOfStart([bytes.whole()]).toString('latin1'))?.[0]
    return before === undefined ? undefined : arriving(bytes, before.length)
  }
}

/** The id of a response of which only the edges are left, when they tell it. */
export function idOfEdges(head: Buffer, tail: Buffer): RequestId | undefined {
  const text = head.toString('latin1')
  const before = (HEAD.exec(text) ?? ERROR_HEAD.exec(text))?.[0]
  return before === undefined ? undefined : onlyId(before, TAIL.exec(tail.toString('latin1'))?.[0] ?? '')
}

/** Bytes `start` to `end` of the chunks on memory that threads share: where they are, or copied, once. */
export function onShared(
  parts: readonly Uint8Array[],
  start: number,
  end: number,
): Uint8Array<SharedArrayBuffer> {
  const [only] = parts
  if (only !== undefined && parts.length === 1 && only.buffer instanceof SharedArrayBuffer)
    return new Uint8Array(only.buffer, only.byteOffset + start, end - start)
  const copy = new Uint8Array(new SharedArrayBuffer(end - start))
  let offset = 0
  for (const part of parts) {
    const from = Math.max(start - offset, 0)
    const to = Math.min(end - offset, part.length)
    if (from < to) copy.set(part.subarray(from, to), offset + from - start)
    offset += part.length
  }
  return copy
}

function onlyId(before: string, after: string): RequestId | undefined {
  const found = [...`${before}${after}`.matchAll(ID)].map((match) => match[1])
  const [only] = found
  if (found.length !== 1 || only === undefined) return undefined
  const id: unknown = JSON.parse(only)
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}
