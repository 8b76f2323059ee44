/** The first few by a number or a date. */
import { hasRecords, several, someCollection } from './asking.mjs'
import { conditionsFor } from './conditions.mjs'
import { compare, evaluate, valuesAt } from './evaluate.mjs'
import { fieldsOf, identifiers, measures } from './fields.mjs'
import { sayField, sayIn, sayWhere } from './words.mjs'

const MOST = 5

/** The largest k up to a limit so that the first k and the one after them all differ. */
function clearCut(records, { field, descending }, limit) {
  const keys = records
    .map((record) => valuesAt(record, field)[0])
    .sort((one, other) => (descending ? compare(other, one) : compare(one, other)))
  let k = 0
  while (k < limit && k + 1 < keys.length && compare(keys[k], keys[k + 1]) !== 0) k++
  return k
}

export function topK(payload, { random, count }) {
  if (!hasRecords(payload)) return []
  return several(count, (used) => {
    const collection = someCollection(payload, random)
    const fields = [...measures(collection), ...fieldsOf(collection).filter(({ kind }) => kind === 'date')]
    const by = random.pick(fields.filter((field) => field.complete && !used.has(String(field.way))))
    if (by === undefined) return undefined
    const want = random.pick(
      identifiers(collection)
        .filter((field) => field !== by)
        .slice(0, 3),
    )
    if (want === undefined) return undefined
    const limits = {
      fewest: 3,
      most: collection.records.length - 1,
      used: new Set([String(by.way), String(want.way)]),
      conditions: 1,
    }
    const conditions = random.often(0.3) ? conditionsFor(collection, random, limits) : undefined
    const order = { field: by.way, descending: random.often(0.65) }
    const k = clearCut(conditions?.records ?? collection.records, order, random.between(1, MOST))
    if (k === 0) return undefined
    const where = conditions?.where ?? []
    const ask = { collection: collection.at, ...(where.length > 0 && { where }), order, k, want: want.way }
    const dated = by.kind === 'date'
    const most = order.descending ? (dated ? 'latest' : 'highest') : dated ? 'earliest' : 'lowest'
    const which =
      k === 1 ? `Which record${sayIn(collection.at)}` : `Which ${k} records${sayIn(collection.at)}`
    const of = where.length > 0 ? `, of those${sayWhere(where)},` : ''
    const note = by.kind === 'numeric' ? ' (numbers in strings count as numbers)' : ''
    const give =
      k === 1
        ? `Give its ${sayField(want.way)}.`
        : `Give the ${sayField(want.way)} of each, the ${most} first.`
    const text = `${which}${of} ${k === 1 ? 'has' : 'have'} the ${most} ${sayField(by.way)}${note}? ${give}`
    return { text, ask, gold: evaluate(ask, payload), fields: [by.way] }
  })
}
