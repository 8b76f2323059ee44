/** Percentiles and deviations by group. */
import type { Gathered } from './group.ts'
import { eachValue } from './members.ts'
import { decimalsOf, type Numbers } from './numbers.ts'
import { rounded, summed } from './sums.ts'

/** Of each group the numbers, in the order of the records. */
function numbersIn({ values, codes, members }: Gathered, numbers: Numbers): Float64Array[] {
  const sizes = new Uint32Array(members.count)
  eachValue(members, values, codes, (group, id) => {
    if (!Number.isNaN(numbers[id])) sizes[group] = (sizes[group] as number) + 1
  })
  const found = Array.from(sizes, (size) => new Float64Array(size))
  sizes.fill(0)
  eachValue(members, values, codes, (group, id) => {
    const number = numbers[id] as number
    if (Number.isNaN(number)) return
    const into = found[group] as Float64Array
    into[sizes[group] as number] = number
    sizes[group] = (sizes[group] as number) + 1
  })
  return found
}

/** Between the two nearest values in proportion, as spreadsheets and numpy do; null where there is no number. */
export function percentilesIn(gathered: Gathered, numbers: Numbers, rank: number): (number | null)[] {
  return numbersIn(gathered, numbers).map((own) => percentile(own.sort(), rank))
}

function percentile(sorted: Float64Array, rank: number): number | null {
  if (sorted.length === 0) return null
  const place = ((sorted.length - 1) * rank) / 100
  const low = sorted[Math.floor(place)] ?? 0
  const high = sorted[Math.ceil(place)] ?? low
  const share = place - Math.floor(place)
  if (share === 0 || low === high) return low
  const between = low * (1 - share) + high * share
  const decimals = Math.max(decimalsOf(low), decimalsOf(high))
  return share === 0.5 ? rounded(between, decimals + 1) : Number(between.toPrecision(12))
}

/** Of a sample (n − 1), as SQL and spreadsheets have it; null for fewer than two numbers. */
export function deviationsIn(gathered: Gathered, numbers: Numbers, decimals: Uint16Array): (number | null)[] {
  const { sums } = summed(gathered, numbers, decimals)
  return numbersIn(gathered, numbers).map((own, group) => {
    if (own.length < 2) return null
    const mean = (sums[group] as number) / own.length
    const squares = own.reduce((all, number) => all + (number - mean) ** 2, 0)
    return Number(Math.sqrt(squares / (own.length - 1)).toPrecision(12))
  })
}
