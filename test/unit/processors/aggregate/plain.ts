/** Groups and functions as plainly as they can be written: a loop over the records for each group, a list for each function. */
import { toJson } from '../../../../src/documents/json/stringify.ts'
import type { JsonObject, JsonValue } from '../../../../src/protocol/json.ts'
import { type DatePart, partOf } from '../../../../src/text/values/date-parts.ts'
import {
  ascending,
  type Key,
  keyOf,
  READERS,
  type Reading,
  readingOf,
  unitOf,
} from '../../../../src/text/values/reading.ts'

export interface PlainKey {
  field: string
  part?: DatePart
}

type Read = (value: JsonValue) => number | undefined

/** The rows of `group_by` and functions over fields at the top of records, in the order in which groups first occur. */
export function plainRows(
  records: readonly JsonObject[],
  keys: readonly PlainKey[],
  calls: readonly { name: string; field?: string; rank?: number }[],
): JsonObject[] {
  const groups = new Map<string, { values: JsonValue[]; members: JsonObject[] }>()
  if (keys.length === 0) groups.set('[]', { values: [], members: [...records] })
  else
    for (const record of records)
      for (const values of combinations(keys.map((key) => keyValues(record, key)))) {
        const id = toJson(values)
        const group = groups.get(id) ?? { values, members: [] }
        group.members.push(record)
        groups.set(id, group)
      }
  return [...groups.values()].map(({ values, members }) => {
    const cells = calls.map(({ name, field, rank }): [string, JsonValue] => {
      const title = name === 'percentile' ? `p${rank}` : name
      if (field === undefined)
        return [title, name === 'count' ? members.length : percent(members.length, records.length)]
      return [
        `${title}(${field})`,
        cell(name, rank ?? 50, valuesIn(members, field), valuesIn(records, field)),
      ]
    })
    const names = keys.map(({ field, part }) => field + (part ? `:${part}` : ''))
    return Object.fromEntries([...names.map((name, at) => [name, values[at] ?? null]), ...cells])
  })
}

function listed(value: JsonValue | undefined): JsonValue[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value]
}

function keyValues(record: JsonObject, { field, part }: PlainKey): JsonValue[] {
  const values = listed(record[field]).flatMap((value) => (part ? (partOf(value, part) ?? []) : [value]))
  return values.filter((value, at) => values.findIndex((other) => toJson(other) === toJson(value)) === at)
}

function combinations(lists: readonly JsonValue[][]): JsonValue[][] {
  return lists.reduce<JsonValue[][]>(
    (rows, list) => rows.flatMap((row) => list.map((value) => [...row, value])),
    [[]],
  )
}

function valuesIn(records: readonly JsonObject[], field: string): JsonValue[] {
  return records.flatMap((record) => listed(record[field])).filter((value) => value !== null)
}

function cell(name: string, rank: number, own: JsonValue[], all: JsonValue[]): JsonValue {
  if (name === 'count') return own.length
  if (name === 'distinct') return new Set(own.map((value) => toJson(value))).size
  const texts = all.filter((value) => typeof value === 'string')
  const distinct = [...new Set(texts)]
  const weights = distinct.map((one) => texts.filter((text) => text === one).length)
  const plain = all.filter((value) => typeof value === 'number')
  const reading = readingOf(distinct, plain.length, '', weights)
  const isApart = reading === 'ms' && plain.some((number) => number !== 0)
  const unit = isApart ? undefined : unitOf(reading)
  const read: Read = (value) =>
    typeof value === 'string'
      ? READERS[unit ?? 'plain'](value)
      : typeof value === 'number'
        ? value
        : undefined
  if (name === 'min' || name === 'max') return extreme(own, name === 'min' ? -1 : 1, reading)
  const numbers = own.flatMap((value) => read(value) ?? [])
  if (name === 'sum') return numbers.length === 0 && own.length > 0 ? null : sum(numbers)
  if (name === 'percent')
    return numbers.length === 0 && own.length > 0
      ? null
      : percent(sum(numbers), sum(all.flatMap((value) => read(value) ?? [])))
  if (name === 'avg')
    return numbers.length === 0 ? null : Number((sum(numbers) / numbers.length).toPrecision(12))
  if (name === 'stddev') return deviation(numbers)
  return percentile(numbers, rank)
}

function percent(part: number, whole: number): number | null {
  return whole === 0 ? null : Number(((part / whole) * 100).toFixed(2))
}

function extreme(own: JsonValue[], direction: number, reading: Reading): JsonValue {
  let best: JsonValue = null
  let least: Key | undefined
  for (const value of own) {
    const key = typeof value === 'object' ? undefined : keyOf(value, reading)
    if (key === undefined || (least !== undefined && ascending(key, least) * direction <= 0)) continue
    best = value
    least = key
  }
  return best
}

function sum(numbers: readonly number[]): number {
  let [total, lost] = [0, 0]
  for (const number of numbers) {
    const next = total + number
    lost += Math.abs(total) >= Math.abs(number) ? total - next + number : number - next + total
    total = next
  }
  return rounded(total + lost, Math.max(0, ...numbers.map(decimalsOf)))
}

function percentile(numbers: readonly number[], rank: number): number | null {
  const sorted = [...numbers].sort((a, b) => a - b)
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

function deviation(numbers: readonly number[]): number | null {
  if (numbers.length < 2) return null
  const mean = sum(numbers) / numbers.length
  const squares = numbers.reduce((all, number) => all + (number - mean) ** 2, 0)
  return Number(Math.sqrt(squares / (numbers.length - 1)).toPrecision(12))
}

function rounded(value: number, decimals: number): number {
  return decimals > 20 || Math.abs(value) > 1e15 ? value : Number(value.toFixed(decimals))
}

function decimalsOf(number: number): number {
  if (Number.isInteger(number)) return 0
  const [digits = '', exponent = '0'] = String(number).split('e')
  return Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent))
}
