/** What stands in a column of an aggregated table, and what is to be said of the values it is computed from. */
import type { JsonValue } from '../../protocol/json.ts'
import type { Column } from './column.ts'
import { computeGroups } from './functions.ts'
import type { Groups } from './group.ts'
import { decimalsIn, type Numbers, readingsOf } from './numbers.ts'
import { remarks } from './remarks.ts'
import { sumOf } from './sums.ts'

export interface Cells {
  /** By group. */
  cells: readonly JsonValue[]
  notes: string[]
}

/** Functions that read numbers from texts. */
const measuring: ReadonlySet<string> = new Set(['sum', 'avg', 'median', 'percentile', 'percent', 'stddev'])

/** The cells of a column in all groups of so many records. */
export function cellsOf({ call, field, at }: Column, groups: Groups, records: number): Cells {
  const gathered = groups.gathered[at]
  if (!field || !gathered) {
    const share = call.name === 'percent'
    const counts = Array.from(groups.records)
    return { cells: share ? counts.map((count) => percent(count, records)) : counts, notes: [] }
  }
  const compute = (numbers?: Numbers, decimals?: Uint16Array): readonly JsonValue[] => {
    const made = (): readonly JsonValue[] => computeGroups(call, gathered, numbers, decimals)
    // Of all records together the same question has the same answer.
    return groups.together ? gathered.census.derived(`${call.name} ${call.rank}`, made) : made()
  }
  const ordered = call.name === 'min' || call.name === 'max'
  if (!ordered && !measuring.has(call.name)) return { cells: compute(), notes: [] }
  const { values, census } = gathered
  const { numbers, unit, comparison } = readingsOf(values, census)
  const read = ordered ? comparison : numbers
  const notes = read === undefined ? [] : remarks(call, field, gathered, read)
  if (!ordered && unit !== undefined)
    notes.push(`${call.name} of \`${field.name}\` is in ${unit === 'ms' ? 'milliseconds' : 'bytes'}.`)
  const decimals = ordered ? undefined : decimalsIn(values, numbers, unit)
  const cells = compute(read, decimals)
  if (call.name !== 'percent' || !decimals) return { cells, notes }
  const whole = sumOf(gathered, numbers, decimals)
  return { cells: cells.map((part) => percent(part, whole)), notes }
}

function percent(part: JsonValue, whole: JsonValue): JsonValue {
  if (typeof part !== 'number' || typeof whole !== 'number' || whole === 0) return null
  return Number(((part / whole) * 100).toFixed(2))
}
