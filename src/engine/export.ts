/** The content of a kept result, written as a file that other programs read. */

import { encode } from '@toon-format/toon'
import { withExactNumbers } from '../documents/json/exact-numbers.ts'
import { withLongText } from '../documents/json/long-text.ts'
import { parseJson, toJson } from '../documents/json/stringify.ts'
import { roleOf } from '../documents/json/structured.ts'
import { topOf } from '../documents/json/top.ts'
import { decodeUtf8 } from '../documents/json/utf8.ts'
import { readback } from '../processors/readback.ts'
import { blocksOf, textIn } from '../protocol/content.ts'
import { isObject, type JsonObject, valueOfJson } from '../protocol/json.ts'
import { Refusal } from '../query/refusal.ts'
import { countLines, decode } from '../text/byte-text.ts'
import { sharedBytes } from '../text/shared-bytes.ts'
import { head } from '../text/shorten.ts'
import { countTokens } from '../text/tokens.ts'
import type { Export, Readback, ReadbackResult } from './contract.ts'

/** Characters of the beginning that a reply shows. */
const previewed = 300
/** Names at the top of an object that are told. */
const mostKeys = 20

/** `content`: a kept result. With `toon` data is written as TOON, where that can be. */
export function exported(content: Uint8Array, toon: boolean): Export {
  const { text, isWhole, failed } = heldBy(content)
  const table = toon ? asToon(text) : undefined
  const written = table ?? text
  const top = topOf(text)
  return {
    content: isWhole && table === undefined ? shared(content) : sharedBytes(written),
    format: table === undefined ? (top ? 'json' : 'text') : 'toon',
    ...(top?.keys && { keys: top.keys.slice(0, mostKeys), keyCount: top.keys.length }),
    ...(top?.elements !== undefined && { elements: top.elements }),
    ...(failed && { failed }),
    characters: written.length,
    tokens: countTokens(written),
    preview: previewOf(written),
  }
}

/** The bytes of that file, as JSON or text. */
function bytesHeld(content: Uint8Array): Uint8Array {
  const { text, isWhole } = heldBy(content)
  return isWhole ? content : Buffer.from(text)
}

interface Held {
  text: string
  /** The text is the content, to the byte. */
  isWhole: boolean
  failed: boolean
}

/** The one text of a result, as it was sent. All else is the result as it came, so that nothing is lost. */
function heldBy(content: Uint8Array): Held {
  const json = decodeUtf8(content)
  const result = withLongText(json) ?? resultIn(json)
  const text = result && onlyText(result, json)
  const failed = result?.isError === true
  return text === undefined ? { text: json, isWhole: true, failed } : { text, isWhole: false, failed }
}

function resultIn(json: string): JsonObject | undefined {
  const value = valueOfJson(json)
  return isObject(value) ? value : undefined
}

function onlyText(result: JsonObject, json: string): string | undefined {
  const { structuredContent: structured } = result
  const [block, ...others] = blocksOf(result)
  if (others.length > 0) return undefined
  if (block === undefined) {
    const isExact = structured !== undefined && withExactNumbers(json) === json
    return isExact ? toJson(structured) : undefined
  }
  const text = textIn(block)
  if (text === undefined) return undefined
  if (structured === undefined || structured === null) return text
  const role = typeof structured === 'object' ? roleOf(structured, [text]) : undefined
  return role === 'wrapper' || role === 'parsed' ? text : undefined
}

/** Undefined where it is no object or list, or cannot be written so: then JSON is as good. */
function asToon(text: string): string | undefined {
  const value = parseJson(text)?.value
  if (typeof value !== 'object' || value === null) return undefined
  try {
    return encode(value)
  } catch {
    return undefined
  }
}

function previewOf(text: string): string {
  const part = text.slice(0, previewed * 4)
  const flat = part
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/\p{Cs}/gu, '\uFFFD')
  return flat.length <= previewed && part.length === text.length ? flat : `${head(flat, previewed)}...`
}

/** The same bytes where threads share them already. */
function shared(content: Uint8Array): Uint8Array<SharedArrayBuffer> {
  const { buffer, byteOffset, byteLength } = content
  if (buffer instanceof SharedArrayBuffer) return new Uint8Array(buffer, byteOffset, byteLength)
  const bytes = new Uint8Array(new SharedArrayBuffer(byteLength))
  bytes.set(content)
  return bytes
}

// Parts of files that hold results, and of results as files would hold them.

/** `isResult`: `content` is a kept result. Opened again for each question: a file may be larger than what is worth holding. */
export function readFile(content: Uint8Array, isResult: boolean, wanted: Readback): ReadbackResult {
  const bytes = isResult ? bytesHeld(content) : content
  if (wanted.op === 'stat') {
    const tokens = countTokens(decode(bytes, 0, bytes.length))
    return { byteSize: bytes.byteLength, lineCount: countLines(bytes), tokens }
  }
  try {
    return readback(bytes, wanted, wanted)
  } catch (error) {
    if (error instanceof Refusal) return { error: error.message }
    throw error
  }
}
