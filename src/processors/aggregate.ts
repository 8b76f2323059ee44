/** `group_by`, `aggregate`: numbers about the records instead of the records. */
import { fromRows } from '../documents/derive.ts'
import { type JsonObject, type JsonValue, own, setOwn } from '../protocol/json.ts'
import {
  type Call,
  compute,
  frequent,
  numberIn,
  parseCall,
  type Unit,
  unitOf,
} from './aggregate/functions.ts'
import { type Group, groupRecords, parseGroupKey } from './aggregate/group.ts'
import { type Field, resolveField } from './fields.ts'
import { aggregateParams } from './parameters.ts'
import { newWork } from './path/path.ts'
import { readValues } from './path/walk.ts'
import { type Records, requireRecords } from './records.ts'
import { defineStep } from './step.ts'

/** A function with its field found. */
interface Column {
  /** Its key in the rows: `count`, `sum(items.price)`. */
  name: string
  call: Call
  field: Field | undefined
  unit: Unit | undefined
}

/**
 * Groups come with the largest first column first; `sort` after it overrides. A record with several values in a grouped
 * field is in several groups. Nulls and, for sum, avg and median, what is no number are left out and counted in notes.
 */
export const aggregate = defineStep({
  name: 'aggregate',
  params: aggregateParams,
  wanted: ({ group_by, aggregate: calls }) => [...(group_by ?? []), ...(calls ?? [])].length > 0,
  run(document, { group_by = [], aggregate: calls = [] }) {
    const records = requireRecords(document, 'aggregate')
    const keys = group_by.map((reference) => parseGroupKey(records, reference))
    const columns = (calls.length > 0 ? calls : ['count']).map((written) => column(records, written))
    const notes = [...keys.map(({ field }) => field), ...columns.map(({ field }) => field)].flatMap(
      (field) => field?.note ?? [],
    )
    notes.push(...columns.flatMap((one) => gaps(records, one)))
    const { groups, missing, several } = groupRecords(records, keys)
    for (const [at, count] of missing.entries()) {
      if (count > 0)
        notes.push(`${count} of ${records.values.length} have no \`${keys[at]?.name}\` and are in no group.`)
    }
    if (several) notes.push('Records with several values are counted in each of their groups.')
    const rows = groups.map((group) => {
      const row: JsonObject = {}
      for (const [at, { name }] of keys.entries()) setOwn(row, name, group.values[at] ?? null)
      for (const one of columns) addColumn(row, one, group, keys.length === 0)
      return row
    })
    const items = keys.length > 0 ? largestFirst(rows, columns[0]?.name ?? '') : rows
    return {
      content: fromRows({ noun: 'group', items }),
      metadata: { total: records.values.length, matched: groups.length, ...(notes.length > 0 && { notes }) },
    }
  },
})

/** Functions that read numbers from texts. */
const measuring: ReadonlySet<string> = new Set(['sum', 'avg', 'median', 'min', 'max'])

function column(records: Records, written: string): Column {
  const call = parseCall(written)
  const field = call.field === undefined ? undefined : resolveField(records, call.field)
  const unit = field && measuring.has(call.name) ? unitOf(valuesOf(records.values, field)) : undefined
  return { name: field ? `${call.name}(${field.name})` : call.name, call, field, unit }
}

function addColumn(row: JsonObject, { name, call, field, unit }: Column, group: Group, alone: boolean): void {
  if (!field) return setOwn(row, name, group.records.length)
  const values = valuesOf(group.records, field)
  setOwn(row, name, compute(call.name, values, unit))
  if (call.name === 'distinct' && alone) setOwn(row, `frequent ${field.name}`, frequent(values))
}

/** All values of a field, those in lists one by one, without nulls. */
function valuesOf(records: readonly JsonValue[], { path }: Field): JsonValue[] {
  const work = newWork(20_000_000)
  const values: JsonValue[] = []
  for (const record of records) readValues(record, path, values, work)
  return values.flatMap((value) => (Array.isArray(value) ? value : [value])).filter((value) => value !== null)
}

/** Says what a function leaves out. */
function gaps(records: Records, { call, field, unit }: Column): string[] {
  if (!field) return []
  const notes: string[] = []
  const work = newWork(20_000_000)
  const without = records.values.filter((record) => {
    const values: JsonValue[] = []
    readValues(record, field.path, values, work)
    return values.every((value) => value === null)
  }).length
  if (without > 0) notes.push(`${without} of ${records.values.length} have no \`${field.name}\`.`)
  if (call.name !== 'sum' && call.name !== 'avg' && call.name !== 'median') return notes
  const values = valuesOf(records.values, field)
  const others = values.filter((value) => numberIn(value, unit) === undefined).length
  if (unit !== undefined)
    notes.push(`${call.name} of \`${field.name}\` is in ${unit === 'ms' ? 'milliseconds' : 'bytes'}.`)
  const large = values.some((value) => Math.abs(numberIn(value, unit) ?? 0) > Number.MAX_SAFE_INTEGER)
  if (large) notes.push(`\`${field.name}\` has numbers of more than 15 digits: ${call.name} is rounded.`)
  if (others > 0)
    notes.push(`${others} of ${values.length} values of \`${field.name}\` are no numbers and were left out.`)
  return notes
}

function largestFirst(rows: readonly JsonObject[], name: string): JsonObject[] {
  const key = (row: JsonObject): JsonValue => own(row, name) ?? null
  return [...rows].sort((a, b) => {
    const [x, y] = [key(a), key(b)]
    if (typeof x === 'number' && typeof y === 'number') return y - x
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1
    return String(x) < String(y) ? 1 : String(x) > String(y) ? -1 : 0
  })
}
