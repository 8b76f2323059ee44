/** The most frequent of large results, one text of JSON with long lists of records, looked at without making objects of them. */
import { randomUUID } from 'node:crypto'
import { blocksOf } from '../../protocol/content.ts'
import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import type { LongText } from '../../text/tokens.ts'
import { withColumns } from '../columns/columnar.ts'
import type { Document } from '../document.ts'
import { withExactNumbers } from '../json/exact-numbers.ts'
import { HEAD } from '../json/long-text.ts'
import { unfold } from '../json/unfold.ts'
import { decodeUtf8 } from '../json/utf8.ts'
import { readDocument } from '../opening/read.ts'
import { BACKSLASH, QUOTE } from './escaped.ts'
import { TextScan } from './text.ts'

/** A result that was read from its bytes, without decoding its text. */
export interface ScannedResult {
  /** The result with an empty text. */
  result: JsonObject
  text: LongText
  /** To be previewed and no more: to go through all of its records takes longer than to open the result. */
  document: Document
}

/** Shorter results are opened as any other; how far from the end of the result the text ends at most. */
const LONG = 262_144
const ENDING = 512

/** A result that is read while it arrives, or at once. */
export interface ResultReader {
  /** Reads the bytes that have arrived, from the first byte of the result. False: nothing can be read before all have. */
  advance(bytes: Uint8Array): boolean
  /** Reads the rest and answers the result. Undefined for a result that has to be parsed. */
  finish(content: Uint8Array): ScannedResult | undefined
}

/** Begins to read the bytes of a CallToolResult ahead of parsing. Without it everything is parsed, and is the same. */
export function readAhead(): ResultReader {
  let scan: TextScan | undefined
  let isOdd = false
  return {
    advance(bytes) {
      if (bytes.byteLength < LONG || isOdd) return !isOdd
      try {
        const start = headOf(bytes)?.length
        if (start !== undefined) scan ??= new TextScan(start)
        isOdd = scan === undefined
        scan?.advance(bytes)
      } catch {
        // A text that is cut off may look odd: it is read once more when all is there.
        isOdd = true
      }
      return !isOdd
    },
    finish: (content) => scanned(content, isOdd ? undefined : scan),
  }
}

function scanned(content: Uint8Array, begun: TextScan | undefined): ScannedResult | undefined {
  const head = headOf(content)
  const end = closingQuote(content, content.byteLength - ENDING)
  if (head === undefined || end < head.length) return undefined
  try {
    const place = randomUUID()
    const envelope = head + place + decodeUtf8(content.subarray(end))
    if (withExactNumbers(envelope) !== envelope) return undefined
    const result: JsonValue = JSON.parse(envelope)
    if (!isObject(result) || !isOneText(result, place)) return undefined
    for (const block of blocksOf(result)) block.text = ''
    const { value, text, bytes, format } = (begun ?? new TextScan(head.length)).finish(content, end)
    const root = format === 'json' ? withColumns(unfold(value)) : value
    const document = readDocument({
      format,
      bytes,
      characters: text.length,
      text: () => text.slice(0, text.length),
      json: () => root,
    })
    return { result, text, document }
  } catch {
    return undefined
  }
}

/** The part before the text. */
function headOf(content: Uint8Array): string | undefined {
  return content.byteLength < LONG ? undefined : HEAD.exec(decodeUtf8(content.subarray(0, ENDING)))?.[0]
}

/** One text is all there is. */
function isOneText(result: JsonObject, text: string): boolean {
  const [first, ...others] = blocksOf(result)
  return (
    first?.type === 'text' &&
    first.text === text &&
    others.length === 0 &&
    result.structuredContent === undefined &&
    result.isError !== true
  )
}

/** The first quote from `from` on that is not escaped; -1 when there is none. */
function closingQuote(bytes: Uint8Array, from: number): number {
  for (
    let quote = bytes.indexOf(QUOTE, Math.max(0, from));
    quote >= 0;
    quote = bytes.indexOf(QUOTE, quote + 1)
  ) {
    let backslashes = 0
    while (bytes[quote - 1 - backslashes] === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0) return quote
  }
  return -1
}
