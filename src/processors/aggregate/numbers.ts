/** Numbers that values stand for: plain, in texts, durations, sizes, dates. Read once for each different value. */
import type { JsonValue } from '../../protocol/json.ts'
import { parseDate } from '../where/dates.ts'
import { duration, looseNumber, quantity } from '../where/quantity.ts'
import type { Census } from './census.ts'
import type { Values } from './values.ts'

/** What all texts of a field are measured in: milliseconds (`97ms`, `1.2s`) or bytes (`10Mi`). */
export type Unit = 'ms' | 'bytes'

/** The number of each item of the values; NaN for those that stand for none. */
export type Numbers = Float64Array

const readers = {
  plain: (text: string) => looseNumber(text),
  ms: (text: string) => duration(text),
  bytes: (text: string) => quantity(text),
  time: (text: string) => (text.length > 4 ? parseDate(text)?.from : undefined),
}

function numbersAs(values: Values, kind: keyof typeof readers): Numbers {
  return values.derived(`numbers as ${kind}`, () =>
    Float64Array.from(values.items, (value: JsonValue) => {
      if (typeof value === 'string') return readers[kind](value) ?? Number.NaN
      return typeof value === 'number' && kind !== 'time' ? value : Number.NaN
    }),
  )
}

/** How values are read. */
interface Readings {
  numbers: Numbers
  /** In which unit the numbers are. */
  unit: Unit | undefined
  /** What min and max are found by: numbers, or dates, where half of the values or more are such; undefined: as text. */
  comparison: Numbers | undefined
}

/** How the values that occur are read as numbers and for min and max. */
export function readingsOf(values: Values, census: Census): Readings {
  return census.derived('readings', () => {
    const unit = unitOf(values, census.present)
    const numbers = numbersAs(values, unit ?? 'plain')
    return { unit, numbers, comparison: comparison(values, census, numbers) }
  })
}

/** The unit of the values; undefined where they are plain numbers or have none in common. */
function unitOf(values: Values, present: Uint32Array): Unit | undefined {
  const { items } = values
  if (present.length === 0 || !present.every((id) => typeof items[id] === 'string')) return undefined
  const first = String(items[present[0] ?? 0])
  const all = (kind: 'plain' | Unit): boolean => {
    if (readers[kind](first) === undefined) return false
    const numbers = numbersAs(values, kind)
    return present.every((id) => !Number.isNaN(numbers[id]))
  }
  if (all('plain')) return undefined
  return all('ms') ? 'ms' : all('bytes') ? 'bytes' : undefined
}

function comparison(
  values: Values,
  { counts, present, total }: Census,
  numbers: Numbers,
): Numbers | undefined {
  const least = Math.max(1, total / 2)
  const enough = (read: Numbers): boolean => {
    let count = 0
    for (const id of present) if (!Number.isNaN(read[id])) count += counts[id] ?? 0
    return count >= least
  }
  if (enough(numbers)) return numbers
  const times = numbersAs(values, 'time')
  return enough(times) ? times : undefined
}

/** Digits behind the point of each number. */
export function decimalsIn(values: Values, numbers: Numbers, unit: Unit | undefined): Uint16Array {
  return values.derived(`decimals as ${unit ?? 'plain'}`, () => Uint16Array.from(numbers, decimalsOf))
}

/** Digits behind the point: 2 of 0.25 and of 1.5e-1. */
export function decimalsOf(number: number): number {
  if (Number.isInteger(number)) return 0
  const [digits = '', exponent = '0'] = String(number).split('e')
  return Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent))
}
