/** The right answer to a question: worked out from the parsed payload by plain loops, and by nothing of the product. */
import { dateOf, isDatePrefix } from './dates.mjs'

/** The values at a way, in document order; null and missing ones are none. */
export function valuesAt(record, way) {
  let values = [record]
  for (const key of way) {
    const inner = []
    for (const value of values) {
      if (value === null || typeof value !== 'object') continue
      if (key === '[]') for (const element of Object.values(value)) inner.push(element)
      else if (!Array.isArray(value) && Object.hasOwn(value, key)) inner.push(value[key])
    }
    values = inner
  }
  return values.filter((value) => value !== null && value !== undefined)
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/

/** A number, or a string that is one as people write it; undefined for anything else. */
export function numberOf(value) {
  if (typeof value === 'number') return value
  return typeof value === 'string' && NUMBER.test(value.trim()) ? Number(value) : undefined
}

/** Order of two values: as numbers when both are, as dates when both are, else as text. */
export function compare(one, other) {
  const numbers = [numberOf(one), numberOf(other)]
  if (numbers[0] !== undefined && numbers[1] !== undefined) return numbers[0] - numbers[1]
  // A value that is no number is neither more nor less than one.
  if (typeof other === 'number') return Number.NaN
  const left = dateOf(one)?.iso ?? String(one)
  const right = (isDatePrefix(other) ? other : dateOf(other)?.iso) ?? String(other)
  return left < right ? -1 : left > right ? 1 : 0
}

const TESTS = {
  '=': (one, other) => equal(one, other),
  '!=': (one, other) => !equal(one, other),
  '>': (one, other) => compare(one, other) > 0,
  '>=': (one, other) => compare(one, other) >= 0,
  '<': (one, other) => compare(one, other) < 0,
  '<=': (one, other) => compare(one, other) <= 0,
  contains: (one, other) => String(one).includes(String(other)),
}

function equal(one, other) {
  if (typeof one === 'number' || typeof other === 'number') return numberOf(one) === numberOf(other)
  return one === other || String(one) === String(other)
}

/** Whether some of the values at a field meet a condition on it. */
export function anyMeets(values, { op, value }) {
  return values.some((found) => typeof found !== 'object' && TESTS[op](found, value))
}

/** Whether a record meets a condition: some value at the field does. */
export const meets = (record, condition) => anyMeets(valuesAt(record, condition.field), condition)

/** Every string in a value, keys left out. */
export function stringsIn(value) {
  if (typeof value === 'string') return [value]
  if (value === null || typeof value !== 'object') return []
  return Object.values(value).flatMap(stringsIn)
}

export const sameWay = (one, other) =>
  one.length === other.length && one.every((key, at) => key === other[at])

/** The records of a collection that a question is about, or undefined when the payload has no such collection. */
export function recordsOf(payload, way) {
  return payload.collections.find(({ at }) => sameWay(at, way))?.records
}

/** The records the conditions and words of a question leave. */
export function found(ask, payload) {
  const records = recordsOf(payload, ask.collection) ?? []
  const { where = [], words } = ask
  return records.filter(
    (record, index) =>
      where.every((condition) => meets(record, condition)) &&
      (words === undefined || (payload.lines?.[index] ?? stringsIn(record).join('\n')).includes(words)),
  )
}

const AGGREGATES = {
  sum: (numbers) => numbers.reduce((sum, number) => sum + number, 0),
  average: (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length,
  min: (numbers) => numbers.reduce((one, other) => Math.min(one, other)),
  max: (numbers) => numbers.reduce((one, other) => Math.max(one, other)),
}

/** How many records have each value of a field, the most frequent first; a record counts once for a value. */
export function tally(records, field) {
  const counts = new Map()
  for (const record of records) {
    for (const value of new Set(valuesAt(record, field))) counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return [...counts].sort((one, other) => other[1] - one[1])
}

/**
 * The gold of a question about records. Questions about text carry theirs, since nothing but the text holds it.
 * @param {import('../contract.mjs').Ask} ask
 * @param {import('../contract.mjs').Payload} payload
 * @param {import('../contract.mjs').Payload[]} [payloads] where a join looks further
 * @returns {import('../contract.mjs').Gold}
 */
export function evaluate(ask, payload, payloads = [payload]) {
  const records = found(ask, payload)
  if (ask.structure === 'records') return { number: records.length }
  if (ask.structure === 'fields') {
    return {
      set: [...new Set(records.flatMap((record) => Object.keys(record)))].filter((key) => key !== '_key'),
    }
  }
  if (ask.by) return { table: tally(records, ask.by).slice(0, ask.k ?? Number.POSITIVE_INFINITY) }
  if (ask.aggregate === 'count') return { number: records.length }
  if (ask.aggregate) {
    const numbers = records
      .flatMap((record) => valuesAt(record, ask.of))
      .map(numberOf)
      .filter((number) => number !== undefined)
    return numbers.length === 0 ? { none: true } : { number: AGGREGATES[ask.aggregate](numbers) }
  }
  if (ask.join) return joined(ask.join, records, payloads)
  if (ask.order) {
    const { field, descending } = ask.order
    const keyed = records
      .map((record) => [valuesAt(record, field)[0], record])
      .filter(([key]) => key !== undefined)
    keyed.sort(([one], [other]) => (descending ? compare(other, one) : compare(one, other)))
    return { list: keyed.slice(0, ask.k).flatMap(([, record]) => valuesAt(record, ask.want)) }
  }
  const values = [...new Set(records.flatMap((record) => valuesAt(record, ask.want)))]
  return values.length === 0 ? { none: true } : { set: values }
}

function joined({ payload, collection, on, equals, want }, records, payloads) {
  const others =
    recordsOf(
      payloads.find(({ name }) => name === payload),
      collection,
    ) ?? []
  const keys = new Set(records.flatMap((record) => valuesAt(record, on)).map(String))
  const hits = others.filter((other) => valuesAt(other, equals).some((value) => keys.has(String(value))))
  const values = [...new Set(hits.flatMap((hit) => valuesAt(hit, want)))]
  return values.length === 0 ? { none: true } : { set: values }
}
