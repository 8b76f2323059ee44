/** All records that meet a condition or two, named by a field that identifies them. */
import { hasRecords, several, someCollection } from './asking.mjs'
import { conditionsFor } from './conditions.mjs'
import { evaluate } from './evaluate.mjs'
import { identifiers } from './fields.mjs'
import { sayField, sayIn, sayWhere } from './words.mjs'

/** As many as a person would list. */
const MOST = 30

export function filter(payload, { random, count }) {
  if (!hasRecords(payload)) return []
  return several(count, (used) => {
    const collection = someCollection(payload, random)
    const want = random.pick(identifiers(collection).slice(0, 3))
    if (want === undefined) return undefined
    const avoid = new Set([...used, String(want.way)])
    const conditions = conditionsFor(collection, random, { most: MOST, used: avoid })
    if (conditions === undefined) return undefined
    const { where } = conditions
    const ask = { collection: collection.at, where, want: want.way }
    const text = `Which are the records${sayIn(collection.at)}${sayWhere(where)}? Give the ${sayField(want.way)} of each.`
    return { text, ask, gold: evaluate(ask, payload), fields: where.map(({ field }) => field) }
  })
}
