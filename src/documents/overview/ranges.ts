/** From where to where numbers and dates go. What is rounded is marked with `≈`; everything else is exact. */
import { isObject, type JsonValue, own } from '../../protocol/json.ts'
import { ellipsis } from '../../text/cut.ts'
import type { Field } from '../fields.ts'
import type { Shape } from '../shape.ts'
import { parseJson } from '../stringify.ts'
import type { Records } from './facts.ts'
import { numbersOf } from './rank.ts'

/** `0..57, mean ≈4.2 (max: "the record")`. The record is named while `named` lasts. */
export function range(
  { shape, name, many }: Field,
  records: Records,
  label: Field | undefined,
  named: { left: number },
): string {
  const numbers = numbersOf(shape)
  if (!numbers) return ''
  const span = `${numbers.min}..${numbers.max}`
  const epoch = epochOf(name, numbers.min, numbers.max)
  if (epoch !== undefined) return `${span} (${epoch})`
  const mean = numbers.sum / numbers.count
  const rounded = Number(mean.toPrecision(3))
  const text = `${span}, mean ${rounded === mean ? '' : '≈'}${rounded}`
  if (named.left === 0 || (many && numbers.max < mean * 5)) return text
  const record = nameOf(records, numbers.maxAt, label)
  if (record === undefined) return text
  named.left -= 1
  return `${text} (max: ${record})`
}

/** Numbers that are times, by their name and size: seconds or milliseconds since 1970. */
function epochOf(name: string, min: number, max: number): string | undefined {
  if (!/time|date|stamp|_at$|At$|^ts$|created|updated|expire|since|until/i.test(name)) return undefined
  for (const [unit, factor] of [
    ['s', 1000],
    ['ms', 1],
  ] as const) {
    const [first, last] = [min * factor, max * factor]
    if (first >= 300_000_000_000 && last <= 7_000_000_000_000)
      return `epoch ${unit}: ${short(new Date(first).toISOString())}..${short(new Date(last).toISOString())}`
  }
  return undefined
}

/** The first and the last moment, as they are written but for zeros that say nothing. */
export function moments({ strings }: Shape): string {
  return strings ? `${short(strings.earliest)}..${short(strings.latest)}` : ''
}

/** The first and the last day. */
export function days({ strings }: Shape): string {
  if (!strings) return ''
  const [first, last] = [strings.earliest.slice(0, 10), strings.latest.slice(0, 10)]
  return first === last ? first : `${first}..${last}`
}

/** The same moment without a fraction of zeros. */
function short(date: string): string {
  return date.replace(/(T\d\d:\d\d:\d\d)\.0+(?=Z|$)/, '$1')
}

/** A record by its key or its label: `"the title"`, `id 17`. */
export function nameOf(
  { keys, values }: Records,
  index: number,
  label: Field | undefined,
): string | undefined {
  const key = keys?.[index]
  if (key !== undefined) return ellipsis(key, 48)
  const name = label && at(values[index], label.path)
  if (typeof name === 'number') return `${label?.name} ${name}`
  return typeof name === 'string' ? JSON.stringify(ellipsis(name, 40)) : undefined
}

/** What a path of plain names leads to, through strings of JSON as well. */
export function at(record: JsonValue | undefined, path: string): JsonValue | undefined {
  if (!isObject(record)) return undefined
  let value: JsonValue | undefined = own(record, path)
  if (value !== undefined) return value
  value = record
  for (const name of path.split('.')) {
    const held: JsonValue | undefined = typeof value === 'string' ? parseJson(value)?.value : value
    value = isObject(held) ? own(held, name) : undefined
  }
  return value
}
