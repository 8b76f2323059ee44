/** The value of one field of the one record that another field names. */
import { hasRecords, several, someCollection } from './asking.mjs'
import { evaluate } from './evaluate.mjs'
import { fieldsOf, identifiers, sayable } from './fields.mjs'
import { sayField, sayIn, sayWhere } from './words.mjs'

export function lookup(payload, { random, count }) {
  if (!hasRecords(payload)) return []
  return several(count, (used) => {
    const collection = someCollection(payload, random)
    const fields = fieldsOf(collection)
    const named = identifiers(collection).slice(0, 4)
    const others = fields.filter(
      (field) => field.plain && !field.many && ['string', 'number'].includes(field.kind),
    )
    const by = random.often(0.7) ? random.pick(named) : random.pick(others)
    const wanted = random.pick(fields.filter((field) => field !== by && !used.has(String(field.way))))
    if (by === undefined || wanted === undefined) return undefined
    const at = random.below(collection.records.length)
    const value = by.values[at][0]
    if (value === undefined || by.counts.get(value) !== 1 || !sayable(value)) return undefined
    const values = [...new Set(wanted.values[at])]
    if (
      values.length === 0 ||
      values.length > 8 ||
      values.includes(value) ||
      !values.every((one) => sayable(one, 120))
    )
      return undefined
    const where = [{ field: by.way, op: '=', value }]
    const ask = { collection: collection.at, where, want: wanted.way }
    const gold = evaluate(ask, payload)
    const text = wanted.many
      ? `Which values of ${sayField(wanted.way)} has the record${sayIn(collection.at)}${sayWhere(where)}?`
      : `What is the ${sayField(wanted.way)} of the record${sayIn(collection.at)}${sayWhere(where)}?`
    return { text, ask, gold: wanted.many ? gold : { value: gold.set[0] }, fields: [wanted.way] }
  })
}
