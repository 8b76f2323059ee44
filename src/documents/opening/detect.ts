/** The format of a text: the first format that takes it. */
import { isObject, type JsonValue, own } from '../../protocol/json.ts'
import type { Format, Traits } from '../document.ts'
import { wordsAround } from '../formats/cells.ts'
import { FORMATS } from '../formats/index.ts'
import { betweenMarks, heldText } from './held-text.ts'

/** A text's format and how to read it as data. */
export interface Recognised {
  /** The text that a reader would see: without the control sequences of a terminal. */
  text: string
  traits: Traits
  /** The name of the format in previews. */
  format: Format
  /** Undefined for prose. Called once at most, unless the format is `renewed`. */
  json?: () => JsonValue | undefined
  /** The records for a first look. */
  glimpse?: () => JsonValue[] | undefined
  asides: readonly string[]
}

/** Recognises a text by its beginning and, for JSON, by parsing it. Linear in its length. */
export function recognise(written: string): Recognised {
  const text = withoutCodes(written)
  return recogniseMarked(text) ?? recogniseWhole(text, written.length)
}

/** `length`: with the control sequences that were left out. */
function recogniseWhole(text: string, length: number): Recognised {
  for (const format of FORMATS) {
    const evidence = format.detect(text)
    if (evidence === undefined) continue
    const asides = [...(format.asides?.(text, evidence) ?? [])]
    if (text.length < length - 1) asides.push('codes for colours, left out here')
    const recognised = { text, traits: format, format: format.family, asides }
    if (format.family === 'text') return recognised
    const held = format.name === 'json' ? seenThrough(format.read(text, evidence) ?? null) : undefined
    if (held) return { ...recognised, json: () => held.value, asides: [...asides, ...held.asides] }
    const glimpse = format.glimpse && (() => format.glimpse?.(text, evidence))
    return { ...recognised, json: () => format.read(text, evidence), ...(glimpse && { glimpse }) }
  }
  throw new Error('the last format takes any text')
}

/** Families of which all is in the data, wherever it stands: their records name no lines. */
const DATA: ReadonlySet<Format> = new Set<Format>(['json', 'ndjson', 'csv', 'table'])

/** An object with the records of a text that it consists of in the place of that text; undefined for any other value. */
export function seenThrough(value: JsonValue): { value: JsonValue; asides: readonly string[] } | undefined {
  const held = heldText(value)
  const inner = held && recognise(held.text)
  const data = inner && DATA.has(inner.format) ? inner.json?.() : undefined
  if (held === undefined || typeof data !== 'object' || data === null) return undefined
  // Longer words beside the data are told in part alone, and nothing else would hold them.
  const isShort = inner?.asides.every((words) => words.length < LONGEST_WORDS) === true
  const isJson = isShort && (inner?.format === 'json' || inner?.format === 'ndjson')
  const isTable = inner?.asides.length === 0 && (inner.format === 'table' || hasNumbers(data))
  if (!isJson && !isTable && !betweenMarks(held.text)) return undefined
  return { value: held.with(data), asides: inner?.asides ?? [] }
}

/** Columns that a table has, which prose and code with commas have not. Rows that are looked at, and the share of numbers in one column. */
const LEAST_COLUMNS = 3
const SAMPLE = 50
const MOST = 0.8
const LONGEST_WORDS = 200

/** Whether rows have several columns, and one of numbers. */
function hasNumbers(data: JsonValue): boolean {
  const rows = (Array.isArray(data) ? data.slice(0, SAMPLE) : []).filter(isObject)
  const names = Object.keys(rows[0] ?? {})
  return (
    names.length >= LEAST_COLUMNS &&
    names.some(
      (name) => rows.filter((row) => typeof own(row, name) === 'number').length >= rows.length * MOST,
    )
  )
}

/** Data between marks, and the words around these beside it. */
function recogniseMarked(text: string): Recognised | undefined {
  const marked = betweenMarks(text)
  const inner = marked && recogniseWhole(marked.inside.trimEnd(), 0)
  if (!marked || !inner || !DATA.has(inner.format)) return undefined
  // A number or a text is no data of its own.
  if (inner.format === 'json' && !/^[[{]/.test(marked.inside)) return undefined
  const [before = [], after = []] = [marked.before, marked.after].map((words) => wordsAround(words, ''))
  return { ...inner, text, asides: [...before, ...inner.asides, ...after] }
}

const [ESCAPE, BELL] = ['\u001b', '\u0007']
// CSI and OSC sequences and the short ones (ECMA-48). An OSC ends before the next escape: linear on any text.
const SEQUENCE = new RegExp(
  `${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)?|[()][0-9A-Za-z]|[@-Z\\\\^_])`,
  'g',
)

/** The text without them; the same string without any. Lines stay lines; a CR alone becomes LF. */
function withoutCodes(text: string): string {
  const written = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  const start = written.includes('\r') && !written.includes('\n') ? written.replaceAll('\r', '\n') : written
  return start.includes(ESCAPE) ? start.replace(SEQUENCE, '') : start
}
