/** How many records meet a condition or two. */
import { hasRecords, several, someCollection } from './asking.mjs'
import { conditionsFor } from './conditions.mjs'
import { evaluate } from './evaluate.mjs'
import { sayIn, sayWhere } from './words.mjs'

export function count(payload, { random, count: wanted }) {
  if (!hasRecords(payload)) return []
  return several(wanted, (used) => {
    const collection = someCollection(payload, random)
    const conditions = conditionsFor(collection, random, {
      fewest: 2,
      most: collection.records.length - 1,
      used,
    })
    if (conditions === undefined) return undefined
    const { where } = conditions
    const ask = { collection: collection.at, where, aggregate: 'count' }
    const text = `How many records are there${sayIn(collection.at)}${sayWhere(where)}?`
    return { text, ask, gold: evaluate(ask, payload), fields: where.map(({ field }) => field) }
  })
}
