/** A column of an aggregated table: a function, the field it is over, and what is to be said of its values. */
import type { JsonValue } from '../../protocol/json.ts'
import { type Field, resolveField } from '../fields.ts'
import { acrossMap, holdsObjects } from '../inner-fields.ts'
import type { Records } from '../records.ts'
import { shown } from '../refusal.ts'
import { type Call, columnName, parseCall } from './call.ts'
import { comparison, compute, numbersOf, type Reading } from './functions.ts'

export interface Column {
  /** Its key in the rows: `count`, `sum(items.price)`. */
  name: string
  call: Call
  /** Undefined: the column is about the records themselves. */
  field: Field | undefined
  /** Where its values are among what is collected. */
  at: number
}

/** A column for each call, under names of their own. Throws a `Refusal`. */
export function columnsOf(records: Records, written: readonly string[], taken: readonly string[]): Column[] {
  const names = new Set(taken)
  let collected = 0
  const itself = records.values.length > 0 && records.names().size === 0
  return written.map((text) => {
    const call = parseCall(text, itself)
    const field = call.field === undefined ? undefined : measured(records, call.field)
    const { alias: _, ...unnamed } = call
    const wanted = columnName(call, field?.name)
    const plain = names.has(wanted) ? columnName(unnamed, field?.name) : wanted
    // Grouped by a field that is called `count` itself.
    const name = names.has(plain) ? `${plain}()` : plain
    names.add(name)
    return { name, call, field, at: field ? collected++ : -1 }
  })
}

/** Objects have nothing to compute from; the values of a map may have a field of that name. */
function measured(records: Records, reference: string): Field {
  const field = resolveField(records, reference)
  return (holdsObjects(records, field) && acrossMap(records, field)) || field
}

/** From the values of a column in a group to what stands in the row. */
export type Cell = (values: readonly JsonValue[], count: number) => JsonValue

/** Functions that read numbers from texts. */
const measuring: ReadonlySet<string> = new Set(['sum', 'avg', 'median', 'percentile', 'percent', 'stddev'])

/** How a column is computed when `all` are its values over all records, and what to say about them. */
export function cellOf(
  { call, field }: Column,
  all: readonly JsonValue[],
  records: number,
): { cell: Cell; notes: string[] } {
  if (!field) {
    const share = call.name === 'percent'
    return { cell: (_, count) => (share ? percent(count, records) : count), notes: [] }
  }
  const ordered = call.name === 'min' || call.name === 'max'
  if (!ordered && !measuring.has(call.name)) return { cell: (values) => compute(call, values), notes: [] }
  const { read, unit } = numbersOf(all)
  const reading = ordered ? comparison(all, read) : read
  const notes = reading === undefined ? [] : remarks(call, field, all, reading, ordered)
  if (!ordered && unit !== undefined)
    notes.push(`${call.name} of \`${field.name}\` is in ${unit === 'ms' ? 'milliseconds' : 'bytes'}.`)
  if (call.name !== 'percent') return { cell: (values) => compute(call, values, reading), notes }
  const whole = compute(call, all, read)
  return {
    cell: (values) => percent(compute(call, values, read), whole),
    notes,
  }
}

function percent(part: JsonValue, whole: JsonValue): JsonValue {
  if (typeof part !== 'number' || typeof whole !== 'number' || whole === 0) return null
  return Number(((part / whole) * 100).toFixed(2))
}

/** What was read as something else than it is, and what was left out. */
function remarks(
  call: Call,
  { name }: Field,
  all: readonly JsonValue[],
  read: Reading,
  ordered: boolean,
): string[] {
  const notes: string[] = []
  let others = 0
  let texts = 0
  let large = false
  let example: string | undefined
  for (const value of all) {
    const number = read(value)
    if (number === undefined) others += 1
    else if (typeof value === 'string') {
      texts += 1
      if (example === undefined || (Number.isFinite(Number(example)) && value.length < 40)) example = value
    }
    if (number !== undefined && Math.abs(number) > Number.MAX_SAFE_INTEGER) large = true
  }
  if (large && !ordered)
    notes.push(`\`${name}\` has numbers of more than 15 digits: ${call.name} is rounded.`)
  if (texts > 0 && !ordered && example !== undefined && !Number.isFinite(Number(example)))
    notes.push(
      `\`${name}\` holds texts read as numbers: ${shown(JSON.stringify(example), 40)} as ${read(example)}.`,
    )
  if (others > 0)
    notes.push(
      `${others} of ${all.length} values of \`${name}\` are no ${ordered ? 'such values' : 'numbers'} and were left out.`,
    )
  return notes
}
