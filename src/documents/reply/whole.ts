/** A result that goes out whole although it is over the limit, because a preview and a question about it would cost more. */
import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import { formatPlural } from '../../text/format.ts'
import { ellipsis } from '../../text/shorten.ts'
import { headOf } from '../columns/columnar.ts'
import { wereTyped } from '../columns/encodings.ts'
import type { Document } from '../document.ts'
import { withExactNumbers } from '../json/exact-numbers.ts'
import { toJson } from '../json/stringify.ts'
import { concat, HOLE, lengthOf, lines, type Template } from '../template.ts'
import { encodeTable, isUniform } from './encode.ts'

/** Tokens of a question about a kept result and of its answer, as they are most often. */
const FOLLOW_UP = 700
/** Characters of a preview for each of its tokens. */
const PREVIEW_DENSITY = 3.3
/** Formats in which a part makes sense only with the text around it. */
const READ_WHOLE: ReadonlySet<string> = new Set(['text', 'code'])
/** Records of which it is looked at whether they fit as a table. */
const MOST = 2000

/** Tokens that a preview of so many characters costs, together with a question about what was kept. */
export function askingTokens(previewSize: number): number {
  return previewSize / PREVIEW_DENSITY + FOLLOW_UP
}

/**
 * True for a document that is better read as it came. It costs no more than a preview of `previewSize` characters and a question. Or it
 * is a text without parts to ask for, such as prose and source code, of at most `most` tokens.
 */
export function isBetterWhole(
  document: Document,
  tokens: number,
  { most, previewSize }: { most: number; previewSize: number },
): boolean {
  if (tokens > most) return false
  return READ_WHOLE.has(document.traits.name) || tokens <= askingTokens(previewSize)
}

/**
 * All records as a table of at most `room` characters. The records are flat, share all fields, and are all that the document holds, apart
 * from scalars beside them. Strings that would read as another value are in quotes, so nothing is lost. Undefined for anything else.
 */
export function wholeTable(document: Document, tool: string, room: number): Template | undefined {
  if (document.format !== 'json' && document.format !== 'ndjson') return undefined
  if (document.asides.length > 0 || document.characters > room * MOST) return undefined
  // The table tells numbers as JavaScript reads them.
  if (withExactNumbers(document.text) !== document.text) return undefined
  const root = document.json()
  const records = recordsIn(root)
  if (records === undefined || records.values.length > MOST) return undefined
  // Types that the server named, and titles above a sheet, would be left out.
  if (wereTyped(records.values) || (headOf(records.values)?.titles.length ?? 0) > 0) return undefined
  const table = encodeTable(records.values)
  if (table === undefined) return undefined
  const count = formatPlural(records.values.length, 'record')
  const head = concat(
    'cache_id ',
    HOLE,
    ` keeps the result of ${ellipsis(tool, 80)}. All of it is here, its ${count} in ${records.path} as a table: nothing is left out, and strings that would read as numbers are in quotes.`,
  )
  const beside = Object.keys(records.beside).length === 0 ? [] : [`beside them: ${toJson(records.beside)}`]
  const text = lines([head, ...beside, table])
  return lengthOf(text) <= room ? text : undefined
}

interface RecordsInAll {
  path: string
  values: readonly JsonValue[]
  /** The other members of the object that holds them. */
  beside: JsonObject
}

/** The records that are the value, or its one list beside scalars. */
function recordsIn(root: JsonValue | undefined): RecordsInAll | undefined {
  if (Array.isArray(root)) return isUniform(root) ? { path: '$', values: root, beside: {} } : undefined
  if (!isObject(root)) return undefined
  const lists = Object.entries(root).filter(([, value]) => typeof value === 'object' && value !== null)
  const [[name, values] = []] = lists
  if (lists.length !== 1 || name === undefined || !/^[A-Za-z_]\w*$/.test(name)) return undefined
  if (!Array.isArray(values) || !isUniform(values)) return undefined
  const { [name]: _, ...beside } = root
  return { path: `$.${name}`, values, beside }
}
