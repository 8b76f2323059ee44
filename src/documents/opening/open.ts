/** From the JSON of a CallToolResult to the document it is. Nothing here throws, whatever a server sent. */
import { blocksOf, isMedia, kindOf, stringAt, textIn, textsOf } from '../../protocol/content.ts'
import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import { formatBytes } from '../../text/format.ts'
import { jsonWithoutParts } from '../binary/parts.ts'
import { withColumns } from '../columns/columnar.ts'
import type { Document } from '../document.ts'
import { wordsAround } from '../formats/cells.ts'
import { withLongText } from '../json/long-text.ts'
import { parseJson, toJson } from '../json/stringify.ts'
import { roleOf } from '../json/structured.ts'
import { unfold } from '../json/unfold.ts'
import { asOneText, dominant, jsonAmong, recordEach } from './blocks.ts'
import { fromRecognised, fromValue } from './derive.ts'
import { seenThrough } from './detect.ts'
import { readDocument } from './read.ts'

/** Opens kept content: the UTF-8 JSON of a CallToolResult. Other content is opened as the text that it is. */
export function openDocument(content: Uint8Array): Document {
  const text = jsonWithoutParts(content)
  const single = withLongText(text)
  if (single) return openResult(single, content.byteLength, content)
  const parsed = parseJson(text)
  if (!parsed) return fromRecognised(text, { bytes: content.byteLength })
  if (isObject(parsed.value)) return openResult(parsed.value, content.byteLength, content)
  return fromValue(parsed.value)
}

/**
 * Opens a CallToolResult with `length` bytes of JSON: the bytes of `content`, where they stay at hand. A document of one text has the bytes
 * of that text, as a file has.
 */
export function openResult(result: JsonObject, length: number, content?: Uint8Array): Document {
  const texts = textsOf(result)
  const structured = result.structuredContent
  const asides = beside(result)
  const [only] = texts
  const isOne = only !== undefined && blocksOf(result).length === 1
  let bytes = isOne && (structured ?? null) === null ? Buffer.byteLength(only) : length
  if (typeof structured === 'object' && structured !== null) {
    const text = texts.join('\n')
    const role = roleOf(structured, texts)
    if (role === 'data') return fromStructured(structured, bytes, [...asides, ...quote('text', text)])
    if (isOne && role !== 'summary') bytes = Buffer.byteLength(only)
    if (role === 'parsed') return fromStructured(structured, bytes, asides, text)
    if (role === 'summary') asides.push(...quote('structuredContent', toJson(structured)))
  } else if (structured !== undefined && texts.length === 0) {
    if (typeof structured === 'string') return fromRecognised(structured, { bytes, asides })
    return fromStructured(structured, bytes, asides)
  }
  return fromTexts(texts, namesOf(result), bytes, asides, content)
}

function fromStructured(value: JsonValue, bytes: number, asides: readonly string[], text?: string): Document {
  const unfolded = unfold(value)
  const held = seenThrough(unfolded)
  return readDocument({
    format: 'json',
    bytes,
    text: () => text ?? toJson(value),
    json: () => withColumns(held?.value ?? unfolded),
    asides: [...asides, ...(held?.asides ?? [])],
  })
}

function fromTexts(
  texts: readonly string[],
  names: readonly (string | undefined)[],
  bytes: number,
  asides: readonly string[],
  content: Uint8Array | undefined,
): Document {
  const [first = '', second] = texts
  if (second === undefined)
    return fromRecognised(first, { bytes, asides, ...(content && { again: rereading(content) }) })
  const data = jsonAmong(texts)
  if (data) {
    return readDocument({
      format: 'json',
      bytes,
      text: () => data.sent.join('\n'),
      json: () => data.values,
      asides: [...asides, ...data.remarks.flatMap((words) => wordsAround(words, ''))],
    })
  }
  const areFiles = names.some((name) => name !== undefined)
  const main = (areFiles ? undefined : recordEach(texts)) ?? dominant(texts)
  if (main) return fromRecognised(asOneText(main.sent), { bytes, asides, remarks: main.remarks })
  return fromBlocks(texts, names, bytes, asides)
}

/** A function that holds the bytes and nothing else. */
function rereading(content: Uint8Array): () => string {
  return () => onlyText(content)
}

/** The text of a result that has one. */
function onlyText(content: Uint8Array): string {
  const json = jsonWithoutParts(content)
  const result = withLongText(json) ?? parseJson(json)?.value
  return isObject(result) ? (textsOf(result)[0] ?? '') : ''
}

/** A small remark beside structured content is quoted up to this length. */
const REMARK = 240

/** Blocks one below the other, each under a line with its number and, of an embedded file, its name. */
function fromBlocks(
  texts: readonly string[],
  names: readonly (string | undefined)[],
  bytes: number,
  asides: readonly string[],
): Document {
  const border = (index: number): string => {
    const named = names[index] === undefined ? '' : `: ${names[index]}`
    return `--- block ${index + 1} of ${texts.length}${named} ---`
  }
  return readDocument({
    format: 'blocks',
    bytes,
    text: () => texts.map((text, index) => `${border(index)}\n${text}`).join('\n'),
    json: () =>
      texts.map((text, index) => {
        const name = names[index]
        return { block: index + 1, ...(name === undefined ? {} : { name }), text }
      }),
    asides,
  })
}

function quote(what: string, text: string): string[] {
  const flat = text.replace(/\s+/g, ' ').trim()
  if (flat === '') return []
  return [
    flat.length <= REMARK ? `${what} beside it: ${flat}` : `${what} beside it: ${flat.length} characters`,
  ]
}

// The parts of a result beside its texts.

/** The names of the texts of a result: addresses of embedded resources; undefined for other blocks. */
function namesOf(result: JsonObject): (string | undefined)[] {
  return blocksOf(result).flatMap((block) => {
    if ((textIn(block) ?? '') === '') return []
    const uri = stringAt(block, ['resource', 'uri'])
    return [uri === undefined ? undefined : name(uri)]
  })
}

/** Remarks on what is not text: images, audio, blobs and links, described by kind, type and size. Never decoded. */
export function beside(result: JsonObject): string[] {
  const remarks: string[] = []
  for (const block of blocksOf(result)) {
    const remark = describe(block)
    if (remark !== undefined && remarks.length < MAX_REMARKS) remarks.push(remark)
  }
  return remarks
}

const MAX_REMARKS = 8

function describe(block: JsonObject): string | undefined {
  const { label, uri, data } = kindOf(block)
  const isLink = uri !== undefined && data === undefined
  if (!isLink && !isMedia(block)) return undefined
  const words = [label]
  if (uri !== undefined) words.push(name(stringAt(block, uri)))
  if (data !== undefined) {
    const type = stringAt(block, [...data.slice(0, -1), 'mimeType'])
    words.push(name(type), ...decodedSize(stringAt(block, data)))
  }
  return words.join(' ')
}

/** Words of a server in a remark: short, and on one line. */
function name(value: string | undefined): string {
  return value?.slice(0, 120).replace(/[\s\p{Cc}\p{Cs}]+/gu, ' ') ?? '?'
}

/** Of a part of the result the table of parts tells it. */
function decodedSize(base64 = ''): string[] {
  return base64 === '' ? [] : [formatBytes(Math.floor((base64.length * 3) / 4))]
}
