/** Rows as text, in the cheapest form that is still exactly the data. */
import { encode } from '@toon-format/toon'
import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import { toJson } from '../json/stringify.ts'

/** A table must be this much smaller than JSON, because models read JSON more surely. */
const WORTH = 0.85
/** A header that is read once must serve some rows. */
const FEWEST = 3

/** One row: a string as it is (a line, a passage, a hit), any other value as minified JSON. */
export function encodeRow(row: JsonValue): string {
  return typeof row === 'string' ? row : toJson(row)
}

/**
 * Rows as one TOON table: `[2]{id,name}:` and a line for each row. All rows are flat records of the same fields, and the table is at
 * least 15 % smaller than their JSON. Undefined otherwise.
 */
export function encodeTable(rows: readonly JsonValue[]): string | undefined {
  if (rows.length < FEWEST || !isUniform(rows)) return undefined
  const json = rows.reduce<number>((sum, row) => sum + toJson(row).length + 1, 0)
  const table = encode(rows)
  return table.length <= json * WORTH && table.split('\n').length === rows.length + 1 ? table : undefined
}

/** Flat records that all have the same fields. */
export function isUniform(rows: readonly JsonValue[]): rows is readonly JsonObject[] {
  const [first] = rows
  if (!isObject(first)) return false
  const names = Object.keys(first)
  if (names.length === 0 || names.includes('__proto__')) return false
  return rows.every((row) => {
    if (!isObject(row)) return false
    const own = Object.keys(row)
    return own.length === names.length && names.every((name) => Object.hasOwn(row, name) && isFlat(row[name]))
  })
}

function isFlat(value: JsonValue | undefined): boolean {
  return typeof value !== 'object' || value === null
}
