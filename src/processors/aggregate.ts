/** `group_by`, `aggregate`: numbers about the records instead of the records. */
import { fromMadeRows } from '../documents/derive.ts'
import { madeRows } from '../documents/rows.ts'
import { type JsonObject, type JsonValue, setOwn } from '../protocol/json.ts'
import { compareNaturally } from '../text/natural-order.ts'
import { fieldTitle } from './aggregate/call.ts'
import { type Cells, cellsOf } from './aggregate/cells.ts'
import { type Column, columnsOf } from './aggregate/column.ts'
import { hasOffset, isYearless, needsYear } from '../query/date-parts.ts'
import { listValues } from './aggregate/frequencies.ts'
import { type Groups, groupRecords } from './aggregate/group.ts'
import { type GroupKey, parseGroupKey } from './aggregate/group-key.ts'
import { describeHolders } from './aggregate/holders.ts'
import { namesakes } from './fields/namesakes.ts'
import { aggregateParams } from './parameters.ts'
import { newWork, type Path } from './path/path.ts'
import { readValues } from './path/walk.ts'
import { type Records, requireRecords } from './records.ts'
import { defineStep } from './step.ts'
import { isOn, listName, listOn } from './unwind.ts'

/**
 * Groups come with the largest first column first; `sort` after it overrides. A record with several values in a grouped
 * field is in several groups; a function over the same list takes from each group's elements only. Nulls and what is no
 * number are left out and counted in notes.
 */
export const aggregate = defineStep({
  name: 'aggregate',
  params: aggregateParams,
  wanted: ({ group_by, aggregate: calls }) => [...(group_by ?? []), ...(calls ?? [])].length > 0,
  run(document, { group_by = [], aggregate: calls = [] }) {
    const records = requireRecords(document, 'aggregate')
    const keys = group_by.map((reference) => parseGroupKey(records, reference))
    const columns = columnsOf(
      records,
      calls.length > 0 ? calls : ['count'],
      keys.map(({ name }) => name),
    )
    const list = sharedList(records, keys, columns)
    const over = columns.flatMap(({ field }) =>
      field ? [{ field, ofElements: list !== undefined && isOn(list, field.path) }] : [],
    )
    const found = groupRecords(records, keys, over, list)
    const cells = columns.map((one) => cellsOf(one, found, records.values.length))
    const rowOf = (group: number): JsonObject => rowAt(keys, columns, cells, found, group)
    const first = found.count > 0 ? rowOf(0) : undefined
    const order = keys.length > 0 ? largestFirst(cells, columns) : [0]
    const rows = madeRows('group', found.count, (nth) => rowOf(order[nth] ?? 0))
    const notes = [
      ...new Set([
        ...[...keys, ...columns].flatMap(({ field }) => field?.note ?? []),
        ...[...keys, ...columns].flatMap(({ field }) => (field ? namesakes(document, records, field) : [])),
        ...columns.flatMap((one, at) => [...gaps(records, one, found), ...(cells[at]?.notes ?? [])]),
        ...groupNotes(records, keys, found, list),
        ...moreValues(first),
        ...(keys.length > 0 ? [] : columns.flatMap((one) => describeHolders(records, one, found, first))),
      ]),
    ]
    return {
      content: fromMadeRows('json', rows),
      metadata: {
        total: records.values.length,
        matched: found.count,
        ...(found.several && { several: true }),
        ...(notes.length > 0 && { notes }),
      },
    }
  },
})

/** The list within records that a group key and something else go through: its elements are then grouped one by one. */
function sharedList(
  records: Records,
  keys: readonly GroupKey[],
  columns: readonly Column[],
): Path | undefined {
  const paths = [...keys, ...columns].flatMap(({ field }) => (field ? [field.path] : []))
  for (const { field } of keys) {
    const list = listOn(records, field.path)
    if (list && list.length > 0 && paths.filter((path) => isOn(list, path)).length > 1) return list
  }
  return undefined
}

function rowAt(
  keys: readonly GroupKey[],
  columns: readonly Column[],
  cells: readonly Cells[],
  groups: Groups,
  group: number,
): JsonObject {
  const row: JsonObject = {}
  const values = groups.valuesOf(group)
  for (const [at, { name }] of keys.entries()) setOwn(row, name, values[at] ?? null)
  for (const [nth, { name, call, field, at }] of columns.entries()) {
    setOwn(row, name, cells[nth]?.cells[group] ?? null)
    const gathered = groups.gathered[at]
    if (call.name !== 'distinct' || keys.length > 0 || !field || !gathered) continue
    const { title, counts } = listValues(gathered.values, gathered.census)
    setOwn(row, `${title} of ${fieldTitle(field.name)}`, counts)
  }
  return row
}

/** Says how to get the values that a row with the most frequent ones leaves out. */
function moreValues(row: JsonObject | undefined): string[] {
  const titles = Object.keys(row ?? {}).map((name) => /^\d+ most frequent of (.+)$/.exec(name)?.[1])
  const field = titles.find((title) => title !== undefined)
  return field === undefined ? [] : [`All values with their counts: "group_by": ${JSON.stringify(field)}.`]
}

/** Says how many records have nothing to compute from. */
function gaps(records: Records, { field, at }: Column, { gathered }: Groups): string[] {
  const count = gathered[at]?.without ?? 0
  return field && count > 0 ? [`${count} of ${records.values.length} have no \`${field.name}\`.`] : []
}

/** Says which records are in no group, or in several. */
function groupNotes(
  records: Records,
  keys: readonly GroupKey[],
  { missing, several }: Groups,
  list: Path | undefined,
): string[] {
  const notes: string[] = []
  for (const [at, count] of missing.entries()) {
    if (count === 0) continue
    notes.push(`${count} of ${records.values.length} have no \`${keys[at]?.name}\` and are in no group.`)
    notes.push(...withoutYear(records, keys[at]))
  }
  if (list) {
    const name = listName(list)
    notes.push(
      `\`${name}\` is grouped element by element: count is of records, and functions over \`${name}\` are over the elements of the group.`,
    )
  } else if (several) notes.push('Records with several values are counted in each of their groups.')
  if (keys.some((key) => key.part !== undefined && sampled(records, key).some(hasOffset)))
    notes.push('Dates are grouped in UTC.')
  return notes
}

/** Records looked at for how their times are written. */
const mostSampled = 200

function sampled(records: Records, { field }: GroupKey): JsonValue[] {
  const found: JsonValue[] = []
  const work = newWork()
  for (const record of records.values.slice(0, mostSampled)) readValues(record, field.path, found, work)
  return found.flat()
}

/** Says what times without a year can be grouped by instead. */
function withoutYear(records: Records, key: GroupKey | undefined): string[] {
  if (!key?.part || !needsYear(key.part) || !sampled(records, key).some(isYearless)) return []
  const title = fieldTitle(key.field.name)
  const others = ['month', 'day', 'hour'].map((part) => `\`${title}:${part}\``)
  return [`\`${title}\` is written without a year: group by ${others.join(', ')}.`]
}

/** The groups in the order of their rows: by what stands under the name of the first column. */
function largestFirst(cells: readonly Cells[], columns: readonly Column[]): number[] {
  const by = columns.findLastIndex(({ name }) => name === columns[0]?.name)
  const keys = cells[by]?.cells ?? []
  return Array.from(keys, (_, group) => group).sort((a, b) => {
    const [x, y] = [keys[a] ?? null, keys[b] ?? null]
    if (typeof x === 'number' && typeof y === 'number') return y - x
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1
    return compareNaturally(String(y), String(x))
  })
}
