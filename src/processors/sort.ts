/** `sort`: the records in another order. */
import { fromRows } from '../documents/derive.ts'
import type { JsonValue } from '../protocol/json.ts'
import { compareNaturally } from '../text/natural-order.ts'
import { type Field, resolveExactly, resolveField } from './fields.ts'
import { sortParams } from './parameters.ts'
import { parsePath } from './path/parse.ts'
import { newWork, type Work } from './path/path.ts'
import { readValues } from './path/walk.ts'
import { type Records, requireRecords } from './records.ts'
import { defineStep } from './step.ts'
import { parseDate } from './where/dates.ts'
import { duration, looseNumber, plainNumber, quantity } from './where/quantity.ts'

/** A field to sort by. */
interface Order {
  field: Field
  descending: boolean
}

/**
 * Stable. Numbers, also when held in strings, before text; text regardless of case, numbers in it by value (`v1.9` before
 * `v1.10`). Sizes (`2Gi`), durations (`1.5s`) and dates go by what they mean where all values are such. Records without the field come last either way. Of several values the smallest counts, descending
 * the largest.
 */
export const sort = defineStep({
  name: 'sort',
  params: sortParams,
  wanted: ({ sort: orders }) => orders !== undefined && orders.length > 0,
  run(document, { sort: written = [] }) {
    const records = requireRecords(document, 'sort')
    const orders = written.map((reference) => parseOrder(records, reference))
    const notes = orders.flatMap(({ field }) => field.note ?? [])
    const keys = orders.map((order) => keysOf(records, order))
    for (const [at, column] of keys.entries()) {
      const missing = column.filter((key) => key === undefined).length
      if (missing > 0) notes.push(`${missing} without \`${orders[at]?.field.name}\` come last.`)
    }
    const positions = Array.from(records.values.keys())
    positions.sort((a, b) => {
      for (const [at, column] of keys.entries()) {
        const difference = compareKeys(column[a], column[b], orders[at]?.descending ?? false)
        if (difference !== 0) return difference
      }
      return a - b
    })
    const items = positions.map((position) => records.values[position] ?? null)
    return {
      content: fromRows({ noun: document.rows().noun === 'group' ? 'group' : 'record', items }),
      metadata: { total: items.length, ...(notes.length > 0 && { notes }) },
    }
  },
})

/** `-a`, `a desc`, `a:desc`, `desc(a)`, `+a`, `a asc`; a field that has such a name itself comes first. */
function parseOrder(records: Records, reference: string): Order {
  const exact = resolveExactly(records, parsePath(reference))
  if (exact) return { field: exact, descending: false }
  const [, sign = '', signed = ''] = /^\s*([-+]?)\s*(.*?)\s*$/s.exec(reference) ?? []
  const [, called, inParentheses, bare] =
    /^(asc|desc)(?:ending)?(?:\s*\((.*)\)|\s+(.*))$/is.exec(signed) ?? []
  const [, before, after] = /^(.*?)(?:\s+|:)(asc|desc)(?:ending)?$/is.exec(signed) ?? []
  const descending = sign === '-' || (called ?? after)?.toLowerCase() === 'desc'
  return { field: resolveField(records, (inParentheses ?? bare ?? before ?? signed).trim()), descending }
}

/** What a record is sorted by; undefined when it has no such field, or null. */
type Key = number | string | undefined

function keysOf(records: Records, order: Order): Key[] {
  const work = newWork(20_000_000)
  const all = records.values.map((record) => scalars(record, order.field, work))
  const read = reading(all)
  return all.map((values) =>
    extreme(
      values.map((value) => keyOf(value, read)),
      order.descending,
    ),
  )
}

/** What the texts of a column mean; undefined for one that means nothing else. */
type Reading = (text: string) => number | undefined

const versions = /^v?\d+(?:\.\d+){2,}/

/** The first reading that fits every text of the column; versions are none, for `1.10` is after `1.9` there. */
function reading(column: readonly (readonly JsonValue[])[]): Reading {
  const every = (read: Reading): boolean =>
    column.every((values) => values.every((value) => typeof value !== 'string' || read(value) !== undefined))
  const readings: Reading[] = [sizeOf, duration, timeOf]
  const fitting = readings.find(every)
  if (fitting) return fitting
  const versioned = column.some((values) =>
    values.some((value) => typeof value === 'string' && versions.test(value)),
  )
  return versioned ? () => undefined : plainNumber
}

function sizeOf(value: string): number | undefined {
  return plainNumber(value) ?? looseNumber(value) ?? quantity(value)
}

function timeOf(value: string): number | undefined {
  return value.length > 4 ? parseDate(value)?.from : undefined
}

function scalars(record: JsonValue, field: Field, work: Work): JsonValue[] {
  const values: JsonValue[] = []
  readValues(record, field.path, values, work)
  return values.flatMap((value) => (Array.isArray(value) ? value : [value])).filter((value) => value !== null)
}

function keyOf(value: JsonValue, read: Reading): number | string {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value !== 'string') return JSON.stringify(value)
  return read(value) ?? value.toLowerCase()
}

function extreme(keys: readonly (number | string)[], largest: boolean): Key {
  let chosen: Key
  for (const key of keys) {
    if (chosen === undefined || (largest ? ascending(key, chosen) > 0 : ascending(key, chosen) < 0))
      chosen = key
  }
  return chosen
}

function compareKeys(a: Key, b: Key, descending: boolean): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? 1 : -1
  return descending ? ascending(b, a) : ascending(a, b)
}

function ascending(a: number | string, b: number | string): number {
  if (typeof a === 'number') return typeof b === 'number' ? a - b : -1
  if (typeof b === 'number') return 1
  return compareNaturally(a, b)
}
