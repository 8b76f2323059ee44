/** Fields of records that stand beside each other in one line: `Status: open | Priority: low`. */
import { type JsonObject, own, setOwn } from '../../protocol/json.ts'
import { exactNumber } from './cells.ts'
import { withGroups } from './groups.ts'
import { type Field, fieldIn } from './items.ts'

const MARK = /[ \t]+[|•·][ \t]+|; +|[ \t]{2,}/
/** A value before such a mark is short; a text with marks of its own is a sentence, a command or a list of pairs. */
const SHORT = /^(?!.*:\s)[^\n]{0,60}(?<![.!?])$/
const LONGEST = 1_000
/** Records that there must be with such a line, and their share among the records with its first key. */
const LEAST = 3
const COMMON = 0.6

/** The records with each of these fields for itself. A key that one record alone has behind a mark is a part of the value. */
export function withFieldsApart(records: readonly JsonObject[]): JsonObject[] {
  return withGroups(besideApart(records))
}

function besideApart(records: readonly JsonObject[]): JsonObject[] {
  const parted = new Map<string, ReadonlyMap<string, number>>()
  for (const [key, { filled, beside, counts }] of countedBeside(records))
    if (beside >= LEAST && beside >= filled * COMMON) parted.set(key, counts)
  return parted.size === 0 ? [...records] : records.map((record) => apart(record, parted))
}

interface Counted {
  filled: number
  beside: number
  readonly counts: Map<string, number>
}

function countedBeside(records: readonly JsonObject[]): ReadonlyMap<string, Counted> {
  const found = new Map<string, Counted>()
  for (const record of records)
    for (const key of Object.keys(record)) {
      const counted = found.get(key) ?? { filled: 0, beside: 0, counts: new Map() }
      found.set(key, counted)
      counted.filled += 1
      const [, fields = []] = parts(record, key) ?? []
      if (fields.length > 0) counted.beside += 1
      for (const { key: other } of fields) counted.counts.set(other, (counted.counts.get(other) ?? 0) + 1)
    }
  return found
}

/** The value before the first mark, and the fields behind it; undefined where something else stands there. */
function parts(record: JsonObject, key: string): [value: string, fields: Field[]] | undefined {
  const value = own(record, key)
  if (typeof value !== 'string' || value.length > LONGEST || !value.includes(': ') || value.includes('\n'))
    return undefined
  const [first = '', ...others] = value.split(MARK)
  const fields = others.map(fieldIn)
  const keys = new Set(fields.map((field) => field?.key))
  const isNew = fields.every(
    (field) =>
      field !== undefined && own(record, field.key) === undefined && isCapital(field.key) === isCapital(key),
  )
  return isNew && SHORT.test(first) && keys.size === fields.length ? [first, fields as Field[]] : undefined
}

/** Keys of records are written alike; `width: 3px` behind `Style: none; ` is part of a value. */
function isCapital(key: string): boolean {
  return /^\p{Lu}/u.test(key)
}

function apart(record: JsonObject, parted: ReadonlyMap<string, ReadonlyMap<string, number>>): JsonObject {
  const whole: JsonObject = {}
  for (const [key, value] of Object.entries(record)) {
    const counts = parted.get(key)
    const [first, fields] = (counts && parts(record, key)) ?? []
    const areKnown = fields?.every(({ key: other }) => (counts?.get(other) ?? 0) > 1)
    if (first === undefined || !areKnown) setOwn(whole, key, value)
    else
      for (const field of [{ key, value: first }, ...(fields ?? [])])
        setOwn(whole, field.key, exactNumber(field.value) ?? field.value)
  }
  return whole
}
