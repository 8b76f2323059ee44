/** One value out of a document, to be sent on as it is: unlike an answer it is neither cut nor read leniently. */
import { randomUUID } from 'node:crypto'
import type { Document } from '../documents/document.ts'
import { withExactNumbers } from '../documents/json/exact-numbers.ts'
import { parseJson, toJson } from '../documents/json/stringify.ts'
import { isObject, type JsonValue, valueOfJson } from '../protocol/json.ts'
import { amongSentRows } from '../query/fields/as-sent.ts'
import { followExtended, isExtended } from '../query/fields/jsonpath.ts'
import { explainMissing, locate } from '../query/fields/locate.ts'
import { formatPath, fromPointer, isDefinite, parsePath } from '../query/fields/path.ts'
import { fromPipes } from '../query/language/dialects/jq.ts'
import { Refusal, shown } from '../query/refusal.ts'

export interface Extraction {
  /** Absent: the whole content. */
  path?: string | undefined
  /** `text`: the text as it was sent, or JSON of a value that is none. `data`: a text that is JSON is read. */
  as: 'text' | 'data' | 'any'
}

export interface Extracted {
  /** Here a number is what a double can hold of it. */
  readonly value: JsonValue
  /** The same with numbers that JavaScript would change as strings that begin with `mark`. */
  readonly exact: JsonValue
  readonly mark?: string
}

/** The value as JSON, its numbers to the digit. */
export function jsonOf({ exact, mark }: Extracted): string {
  const json = toJson(exact)
  return mark === undefined ? json : json.replaceAll(new RegExp(`"${mark}([^"]*)"`, 'g'), '$1')
}

/**
 * The value at the path; a list of all values where the path can reach several. Throws a `Refusal` when it reaches nothing as it is
 * written: what is sent to a server must be what was meant.
 */
export function extract(document: Document, { path, as }: Extraction): Extracted {
  if (path === undefined && (as === 'text' || (as === 'any' && document.format !== 'json')))
    return plainly(textOf(document))
  const found = reached(document, path)
  if (as === 'text') return typeof found.value === 'string' ? found : plainly(jsonOf(found))
  return as === 'data' && typeof found.value === 'string' ? (readJson(found.value) ?? found) : found
}

/** As it was sent: without the borders that blocks have where they are read. */
function textOf(document: Document): string {
  const { format, text, asides } = document
  if (text === '' && asides.length > 0)
    throw new Refusal(`The result has no text: ${asides.slice(0, 3).join('; ').slice(0, 200)}.`)
  const blocks = format === 'blocks' ? document.json() : undefined
  if (!Array.isArray(blocks)) return text
  return blocks.map((block) => (isObject(block) ? String(block.text) : '')).join('\n')
}

function reached(document: Document, path: string | undefined): Extracted {
  const root = document.json()
  const take = (from: JsonValue): JsonValue => (path === undefined ? from : valueAt(from, path, root))
  if (document.format === 'json') {
    try {
      // As it was sent: in what is explored, texts that hold JSON are read.
      const asSent = taken(document.text, take, path)
      if (asSent !== undefined) return asSent
    } catch (error) {
      if (!(error instanceof Refusal) || root === undefined) throw error
    }
  }
  if (root !== undefined) return plainly(take(root))
  if (path === undefined) return plainly(document.text)
  throw new Refusal('The result is text without fields: leave path out to take the whole of it.')
}

function taken(
  text: string,
  take: (root: JsonValue) => JsonValue,
  path: string | undefined,
): Extracted | undefined {
  // A condition would be asked of numbers that are marked.
  const exactly = path?.includes('?') ? undefined : exactJson(text, take)
  if (exactly !== undefined) return exactly
  const parsed = parseJson(text)
  return parsed && plainly(take(parsed.value))
}

/** The JSON in a text. */
export function readJson(text: string): Extracted | undefined {
  return taken(text, (root) => root, undefined)
}

function plainly(value: JsonValue): Extracted {
  return { value, exact: value }
}

/**
 * The part of JSON with numbers that JavaScript would change; undefined for any other. Read twice: with the numbers as doubles, for
 * code that reads the value, and marked, to be written as they came.
 */
function exactJson(text: string, take: (root: JsonValue) => JsonValue): Extracted | undefined {
  const mark = randomUUID()
  const marked = withExactNumbers(text, mark)
  if (marked === text) return undefined
  const [plain, exact] = [valueOfJson(text), valueOfJson(marked)]
  if (plain === undefined || exact === undefined) return undefined
  return { value: take(plain), exact: take(exact), mark }
}

/** `read`: the same value as it is explored. */
function valueAt(root: JsonValue, written: string, read: JsonValue | undefined): JsonValue {
  const source = fromPipes(/^#\//.test(written) ? (fromPointer(written) ?? written) : written.trim())
  if (isExtended(source)) return followExtended(root, source).map(({ value }) => value)
  const path =
    root === read || read === undefined ? parsePath(source) : amongSentRows(read, parsePath(source))
  const found = locate(root, path)
  if (!found) throw new Refusal(explainMissing(root, path).message)
  if (found.note !== undefined)
    throw new Refusal(`\`${shown(written)}\` reaches nothing; \`${shown(formatPath(found.path))}\` does.`)
  const values = found.reached.map(({ value }) => value)
  const [only] = values
  return only !== undefined && values.length === 1 && isDefinite(path) ? only : values
}
