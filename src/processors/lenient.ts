/**
 * Parameters as models write them: a string where a list is meant, numbers and booleans in strings. The JSON schema
 * stays that of the plain type. Bounds keep hostile arguments cheap.
 */
import * as z from 'zod'
import { isObject, valueOfJson } from '../protocol/json.ts'
import { conditionsIn, isTriple, namesIn, orderedBy, pairsIn } from '../query/language/dialects/objects.ts'
import { enclosed, splitAt } from '../query/language/scanner.ts'

/** The largest count. */
const MOST = 1_000_000_000

/** The most characters of one string, and strings of one list. */
const longestText = 2_000
const longestList = 200
/** A list in one string may be as long as a list of strings. */
const longestJoined = 20_000

/** One string; numbers and booleans are taken by their text. */
export function text(description: string) {
  return z
    .preprocess(
      (value) => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : value),
      textItem(),
    )
    .optional()
    .describe(description)
}

/**
 * Names: `["a", "b"]`, `"a, b"`, or a JSON list in a string. Commas inside brackets, parentheses or quotes separate
 * nothing, so a name with a comma is written `["a, b"]` within the string.
 */
export function names(description: string) {
  return list(description, namesIn)
}

/** Names that mostly come alone: told to models as one string, read like `names`. */
export function joined(description: string) {
  return list(description, pairsIn).meta({ type: 'string', description })
}

/** Sentences that may contain commas: `["a = 1", "b = 2"]`, one string, or a JSON list in a string. */
export function sentences(description: string) {
  const read = (value: unknown): unknown[] => {
    if (typeof value === 'string') {
      const data = value.length > longestJoined ? undefined : parsedData(value.trim())
      return data !== undefined ? read(data) : value.trim() === '' ? [] : [value.trim()]
    }
    if (Array.isArray(value) && !isTriple(value)) return value.flatMap(read)
    return typeof value === 'object' && value !== null ? conditionsIn(value) : [value]
  }
  return z
    .preprocess(
      (value) => (value === undefined ? value : read(value)),
      listOfTexts(longestJoined).refine(
        (texts) => texts.reduce((sum, { length }) => sum + length, 0) <= longestJoined,
        `too long; write at most ${longestJoined} characters in all`,
      ),
    )
    .optional()
    .describe(description)
}

/** A whole number from `least` up. `"20"`, `"1,000"`, `"top 5"` and `"10 rows"` are read as such, and `"all"` as the most, unless 0 is one. */
export function count(description: string, least = 0) {
  return z
    .preprocess(
      (value) => (typeof value === 'string' ? counted(value, least) : value),
      z
        .number(`must be a number from ${least} up`)
        .int(`must be a whole number from ${least} up`)
        .min(least, `must be ${least} or more`)
        .max(MOST, 'is too large'),
    )
    .optional()
    .describe(description)
}

/** A number from 0 to 1; `"0.7"` is read as 0.7. */
export function fraction(description: string) {
  const range = 'must be a number from 0 to 1'
  return z.preprocess(numeric, z.number(range).min(0, range).max(1, range)).optional().describe(description)
}

/** `true`, `"true"`, `"yes"`, `1` and their opposites. */
export function flag(description: string) {
  return z
    .preprocess((value) => {
      const word =
        typeof value === 'string' || typeof value === 'number' ? String(value).trim().toLowerCase() : value
      if (word === 'true' || word === 'yes' || word === '1') return true
      return word === 'false' || word === 'no' || word === '0' ? false : value
    }, z.boolean('must be true or false'))
    .optional()
    .describe(description)
}

/** One of several words, in any case. */
export function choice<const W extends string>(words: readonly [W, ...W[]], description: string) {
  return z
    .preprocess(
      (value) => (typeof value === 'string' ? oneOf(words, value.trim().toLowerCase()) : value),
      z.enum(words, `must be one of: ${words.join(', ')}`),
    )
    .optional()
    .describe(description)
}

function list(description: string, fromObject: (value: object) => unknown[]) {
  // Members of a list are cut like the string they may have come from.
  const part = (value: unknown): unknown[] => {
    if (isObject(value)) return fromObject(value)
    if (Array.isArray(value)) return orderedBy(value) ?? [value]
    return typeof value === 'string' && value.length <= longestText ? splitNames(value) : [value]
  }
  const read = (value: unknown): unknown => {
    if (typeof value === 'string') return fromString(value)
    return Array.isArray(value) ? value.flatMap(part) : isObject(value) ? fromObject(value) : value
  }
  return z.preprocess(read, listOfTexts()).optional().describe(description)
}

function listOfTexts(longest = longestText) {
  return z
    .array(textItem(longest), 'must be a list of strings')
    .max(longestList, `too many; at most ${longestList}`)
}

function textItem(longest = longestText) {
  return z.string('must be a string').max(longest, `too long; write at most ${longest} characters`)
}

function fromString(value: string): unknown {
  const trimmed = value.trim().replace(/^(?:order|sort|group)\s+by\s+/i, '')
  if (trimmed === '') return []
  if (trimmed.length > longestJoined) return [trimmed]
  if (trimmed.startsWith('["') || trimmed.startsWith("['") || trimmed === '[]') {
    const parsed = parsedList(trimmed)
    if (parsed) return parsed
  }
  return splitNames(trimmed)
}

/** An object, or a list of texts and objects, written as JSON or as Python writes it. */
function parsedData(value: string): object | undefined {
  if (!/^(?:\{.*\}|\[.*\])$/s.test(value)) return undefined
  const python = value
    .replaceAll(/(?<=[{[,:]\s*)'((?:[^'\\]|\\.)*)'(?=\s*[\]},:])/g, (_, text: string) => JSON.stringify(text))
    .replaceAll(/(?<=[:,[]\s*)(True|False|None)(?=\s*[\]},])/g, (word) =>
      word === 'None' ? 'null' : word.toLowerCase(),
    )
  return firstJson([value, python], (parsed) => typeof parsed === 'object' && parsed !== null)
}

/** A JSON list of strings; undefined for anything else, `["a b"].c` (a path) included. */
function parsedList(value: string): unknown[] | undefined {
  return firstJson([value, value.replaceAll("'", '"')], Array.isArray)
}

/** The first of these texts that is JSON of the wanted kind: others are conditions, paths and lists with commas. */
function firstJson<T>(texts: readonly string[], isWanted: (value: unknown) => value is T): T | undefined {
  for (const text of texts) {
    const parsed: unknown = valueOfJson(text)
    if (isWanted(parsed)) return parsed
  }
  return undefined
}

/** Cuts at commas outside of brackets, parentheses and quotes; empty parts fall away. `{a, b: .c}` of jq is a list as well. */
export function splitNames(value: string): string[] {
  return splitAt(enclosed(value, '{') ?? value, [','])
}

/** The word; in `whole section` the only one of the words that is there. */
function oneOf(words: readonly string[], written: string): string {
  const [only, another] = words.filter((word) => written.split(/[\s_-]+/).includes(word))
  return only !== undefined && another === undefined ? only : written
}

function counted(value: string, least: number): unknown {
  const text = value.trim()
  if (least > 0 && /^(?:all|everything|unlimited|no limit)$/i.test(text)) return MOST
  const [, digits] = /^(?:(?:top|first|up to)\s+)?(\d{1,3}(?:,\d{3})+|\d+)(?:\s+[a-z]+)?$/i.exec(text) ?? []
  return digits === undefined ? numeric(value) : Number(digits.replaceAll(',', ''))
}

function numeric(value: unknown): unknown {
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : value
}
