/** TOML with lists and tables in it: lock files of Cargo, Poetry and uv, `pyproject.toml`. A text as plain as INI is read as settings. */
import { createRequire } from 'node:module'
import type { JsonValue } from '../../protocol/json.ts'
import { indexLines } from '../../text/lines.ts'
import { BEGINNING, defineFormat } from './define.ts'

/** Characters of a text that is read, levels of its tables, and the least number of pairs. */
const LONGEST = 20_000_000
const DEEPEST = 100
const LEAST = 4
/** The share of lines that are pairs, heads of tables, comments or parts of a list. */
const MOSTLY = 0.9

const KEY = /(?:[\w-]{1,200}|"[^"\n]{1,200}"|'[^'\n]{1,200}')/
const PAIR = new RegExp(
  `^\\s*${KEY.source}(?: ?\\. ?${KEY.source}){0,20} *= *(["'[{\\d+-]|true\\b|false\\b|inf\\b|nan\\b)`,
)
const HEAD = new RegExp(`^\\s*(\\[{1,2}) ?${KEY.source}(?: ?\\. ?${KEY.source}){0,20} ?\\]{1,2}\\s*(?:#.*)?$`)
/** A line of a list, of a table in a list, or the end of one. */
const PART = /^\s*(?:["'\d{[+-].*,?|true,?|false,?|[\]}],?)\s*(?:#.*)?$/
const QUIET = /^\s*(?:#.*)?$/

const load = createRequire(import.meta.url)
let library: typeof import('smol-toml') | undefined

/** The text as data, if it has a list or a table in more than one line or place. Judged by its beginning, then by the library. */
function readToml(text: string): JsonValue | undefined {
  if (text.length > LONGEST || !looksLikeToml(text)) return undefined
  library ??= load('smol-toml') as typeof import('smol-toml')
  try {
    return jsonOf(library.parse(text, { integersAsBigInt: 'asNeeded' }), 0)
  } catch {
    return undefined
  }
}

function looksLikeToml(text: string): boolean {
  const start = text.slice(0, BEGINNING)
  const lines = indexLines(start)
  const count = start.length < text.length ? lines.count - 1 : lines.count
  let [pairs, others, seen, inner] = [0, 0, 0, 0]
  for (let index = 0; index < count; index++) {
    const line = lines.at(index)
    if (QUIET.test(line)) continue
    seen += 1
    const value = PAIR.exec(line)?.[1]
    const head = value === undefined ? HEAD.exec(line)?.[1] : undefined
    if (value !== undefined) pairs += 1
    else if (head === undefined && (pairs === 0 || !PART.test(line))) others += 1
    if (value === '[' || value === '{' || head === '[[') inner += 1
  }
  return pairs >= LEAST && inner > 0 && others <= seen * (1 - MOSTLY)
}

/** The value of what the library reads. Throws where there are too many levels. */
function jsonOf(value: unknown, depth: number): JsonValue {
  if (depth > DEEPEST) throw new RangeError('too many levels')
  if (Array.isArray(value)) return value.map((item) => jsonOf(item, depth + 1))
  if (value instanceof Date) return value.toISOString().replace('.000', '')
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, jsonOf(held, depth + 1)]))
  // More digits than a double holds, and the numbers that JSON has not, stay texts.
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
    ? value
    : String(value)
}

/** Never takes INI, nor what is as plain: that is a record for each setting. */
export const toml = defineFormat<JsonValue>({
  name: 'toml',
  family: 'toml',
  kind: 'json',
  readable: (document) => document.json(),
  source: 'No value matches; these are lines of the TOML source.',
  detect: readToml,
  read: (_, value) => value,
})
