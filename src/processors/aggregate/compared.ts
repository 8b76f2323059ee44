/** The smallest, the largest and the different values by group. */
import type { JsonValue } from '../../protocol/json.ts'
import { compareNaturally } from '../../text/natural-order.ts'
import { besideToTheDigit } from '../long-integers.ts'
import { equals } from './frequencies.ts'
import type { Gathered } from './group.ts'
import { eachValue } from './members.ts'
import type { Numbers } from './numbers.ts'

const NONE = -1

/** The smallest (-1) or largest (1) as it is in the data; what has no number is left out, or all are compared as text. */
export function extremesIn(
  gathered: Gathered,
  direction: -1 | 1,
  numbers: Numbers | undefined,
): (JsonValue | null)[] {
  const { items } = gathered.values
  const beats = numbers ? byNumber(items, numbers, direction) : byText(items, direction)
  const chosen = new Int32Array(gathered.members.count).fill(NONE)
  eachValue(gathered.members, gathered.values, gathered.codes, (group, id) => {
    const best = chosen[group] as number
    if (id !== best && typeof items[id] !== 'object' && beats(id, best)) chosen[group] = id
  })
  return Array.from(chosen, (id) => (id === NONE ? null : (items[id] ?? null)))
}

type Beats = (id: number, best: number) => boolean

function byNumber(items: readonly JsonValue[], numbers: Numbers, direction: number): Beats {
  return (id, best) => {
    const number = numbers[id] as number
    if (Number.isNaN(number)) return false
    if (best === NONE) return true
    const other = numbers[best] as number
    if (number !== other || Math.abs(number) <= Number.MAX_SAFE_INTEGER)
      return !((number - other) * direction <= 0)
    return besideToTheDigit(items[id] ?? null, items[best] ?? null) * direction > 0
  }
}

function byText(items: readonly JsonValue[], direction: number): Beats {
  return (id, best) =>
    best === NONE || compareNaturally(String(items[id]), String(items[best])) * direction > 0
}

/** How many different values each group has. */
export function distinctIn(gathered: Gathered): number[] {
  const { members, codes, values } = gathered
  const same = equals(values)
  if (members.count === 1 && members.rows.length === codes.length) {
    const { present } = gathered.census
    return [same ? new Set(present.map((id) => same[id] ?? id)).size : present.length]
  }
  const size = values.items.length
  const seen = new Set<number>()
  const counts = new Uint32Array(members.count)
  eachValue(gathered.members, gathered.values, gathered.codes, (group, id) => {
    const pair = group * size + (same?.[id] ?? id)
    if (seen.has(pair)) return
    seen.add(pair)
    counts[group] = (counts[group] as number) + 1
  })
  return Array.from(counts)
}
