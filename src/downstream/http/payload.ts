import { messageOf, RPC } from '../../protocol/errors.ts'
import type { JsonRpcMessage } from '../../protocol/message.ts'
import { LargeResult } from '../../protocol/result.ts'

/** A message as it goes out: its JSON in pieces, so that a large result is neither parsed nor copied into a string. */
export interface Payload {
  readonly pieces: readonly (string | Buffer)[]
  /** UTF-8 bytes of all pieces. */
  readonly bytes: number
}

/** Above this a text is encoded at once: it will be sent in slices, and slices of text have no length in bytes. */
const LONG_TEXT = 64 * 1024

/** Throws RangeError for a request or a notification that is too deep to be written. */
export function encode(message: JsonRpcMessage): Payload {
  if ('result' in message && message.result instanceof LargeResult) {
    const { buffer, byteOffset, byteLength } = message.result.bytes
    const head = `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":`
    return {
      pieces: [head, Buffer.from(buffer, byteOffset, byteLength), '}'],
      bytes: Buffer.byteLength(head) + byteLength + 1,
    }
  }
  return textPayload(textOf(message))
}

/** An answer always can be written: one too deep for that becomes an error, because its client must not wait for ever. */
function textOf(message: JsonRpcMessage): string {
  try {
    return JSON.stringify(message)
  } catch (thrown) {
    if ('method' in message) throw thrown
    const error = { code: RPC.internalError, message: `The answer cannot be written: ${messageOf(thrown)}` }
    return JSON.stringify({ jsonrpc: '2.0', id: message.id ?? null, error })
  }
}

export function textPayload(text: string): Payload {
  const bytes = Buffer.byteLength(text)
  return { pieces: [bytes > LONG_TEXT ? Buffer.from(text) : text], bytes }
}

/** Several payloads as one JSON array. */
export function arrayPayload(payloads: readonly Payload[]): Payload {
  const pieces = payloads.flatMap(({ pieces }, index) => [index === 0 ? '[' : ',', ...pieces])
  const bytes = payloads.reduce((sum, payload) => sum + payload.bytes + 1, 1)
  return { pieces: [...pieces, ']'], bytes }
}

/** The payload as one event of a stream (HTML Standard, "Server-sent events"). */
export function eventPayload({ pieces, bytes }: Payload, id?: string): Payload {
  const head = id === undefined ? 'event: message\ndata: ' : `event: message\nid: ${id}\ndata: `
  const only = pieces.length === 1 ? pieces[0] : undefined
  const framed = typeof only === 'string' ? [`${head}${only}\n\n`] : [head, ...pieces, '\n\n']
  return { pieces: framed, bytes: head.length + bytes + 2 }
}

const LF = 10
const CR = 13
const SPACE = 32

/**
 * The bytes without line breaks, which would end the line of an event. In JSON they are white space between tokens, for
 * inside strings they must be escaped (RFC 8259, section 7). The same object when there are none; else a copy.
 */
export function withoutLineBreaks(bytes: Buffer): Buffer {
  if (bytes.indexOf(LF) === -1 && bytes.indexOf(CR) === -1) return bytes
  const copy = Buffer.from(bytes)
  for (const code of [LF, CR]) {
    for (let at = copy.indexOf(code); at !== -1; at = copy.indexOf(code, at + 1)) copy[at] = SPACE
  }
  return copy
}
