/** Sums and means by group, in the order of the records. */
import type { Gathered } from './group.ts'
import { eachValue, together } from './members.ts'
import type { Numbers } from './numbers.ts'

/** By group. */
export interface Sums {
  /** As shown: rounded to the decimals that the numbers have, after summing with compensation (Neumaier 1974). */
  readonly sums: Float64Array
  /** How many values there are, and how many of them are numbers. */
  readonly values: Uint32Array
  readonly numbers: Uint32Array
}

/** How many values each group has. */
export function countsOf({ values: { starts }, codes, members }: Gathered): Uint32Array {
  const { rows, groups, count } = members
  const counts = new Uint32Array(count)
  for (let pair = 0; pair < rows.length; pair++) {
    const code = codes[rows[pair] as number] as number
    const group = groups[pair] as number
    counts[group] = (counts[group] as number) + (starts[code + 1] as number) - (starts[code] as number)
  }
  return counts
}

/** The sum of each group, and of how many numbers it is. */
export function summed(gathered: Gathered, numbers: Numbers, decimals: Uint16Array): Sums {
  const { members, values, codes } = gathered
  const { count } = members
  const totals = new Float64Array(count)
  const lost = new Float64Array(count)
  const digits = new Uint16Array(count)
  const found = new Uint32Array(count)
  eachValue(members, values, codes, (group, id) => {
    const number = numbers[id] as number
    if (Number.isNaN(number)) return
    const total = totals[group] as number
    const next = total + number
    const error = Math.abs(total) >= Math.abs(number) ? total - next + number : number - next + total
    lost[group] = (lost[group] as number) + error
    totals[group] = next
    found[group] = (found[group] as number) + 1
    if ((decimals[id] as number) > (digits[group] as number)) digits[group] = decimals[id] as number
  })
  const sums = totals.map((total, group) => rounded(total + (lost[group] as number), digits[group] as number))
  return { sums, values: countsOf(gathered), numbers: found }
}

/** Null for a group of which no value is a number. */
export function sumsIn(gathered: Gathered, numbers: Numbers, decimals: Uint16Array): (number | null)[] {
  const all = summed(gathered, numbers, decimals)
  return Array.from(all.sums, (sum, group) =>
    all.numbers[group] === 0 && (all.values[group] as number) > 0 ? null : sum,
  )
}

/** The sum over all records, those that are in no group included. */
export function sumOf(gathered: Gathered, numbers: Numbers, decimals: Uint16Array): number | null {
  const members = together(gathered.codes.length)
  return sumsIn({ ...gathered, members }, numbers, decimals)[0] ?? null
}

export function meansIn(gathered: Gathered, numbers: Numbers, decimals: Uint16Array): (number | null)[] {
  const all = summed(gathered, numbers, decimals)
  return Array.from(all.sums, (sum, group) => {
    const count = all.numbers[group] as number
    return count === 0 ? null : Number((sum / count).toPrecision(12))
  })
}

export function rounded(value: number, decimals: number): number {
  return decimals > 20 || Math.abs(value) > 1e15 ? value : Number(value.toFixed(decimals))
}
