/** Sums and averages, over all records or some, of numbers and of numbers in strings. */
import { hasRecords, several, someCollection } from './asking.mjs'
import { conditionsFor } from './conditions.mjs'
import { evaluate, numberOf, valuesAt } from './evaluate.mjs'
import { measures } from './fields.mjs'
import { sayField, sayIn, sayWhere } from './words.mjs'

const MOST_NUMBERS = 1e15

function totals(payload, { random, count }, aggregate) {
  if (!hasRecords(payload)) return []
  return several(count, (used) => {
    const collection = someCollection(payload, random)
    const of = random.pick(measures(collection).filter(({ way }) => !used.has(String(way))))
    if (of === undefined) return undefined
    const limits = {
      fewest: 2,
      most: collection.records.length - 1,
      used: new Set([String(of.way)]),
      conditions: 1,
    }
    const conditions = random.often(0.5) ? conditionsFor(collection, random, limits) : undefined
    // With lists on both sides: of all elements, or of the ones that meet the condition?
    if (conditions && of.many && conditions.where.some(({ field }) => field.includes('[]'))) return undefined
    const where = conditions?.where ?? []
    const ask = { collection: collection.at, ...(where.length > 0 && { where }), aggregate, of: of.way }
    const values = (conditions?.records ?? collection.records).flatMap((record) => valuesAt(record, of.way))
    if (new Set(values).size < 2 || values.some((value) => Math.abs(numberOf(value)) > MOST_NUMBERS))
      return undefined
    const gold = evaluate(ask, payload)
    const notes = []
    if (of.kind === 'numeric') notes.push('numbers in strings count as numbers')
    if (of.many) notes.push('over all elements of all these records')
    else if (!of.complete) notes.push('records without one left out')
    const note = notes.length > 0 ? ` (${notes.join('; ')})` : ''
    const text = `What is the ${aggregate} of ${sayField(of.way)} of the records${sayIn(collection.at)}${sayWhere(where)}${note}?`
    return { text, ask, gold, fields: [of.way] }
  })
}

export const sum = (payload, context) => totals(payload, context, 'sum')
export const average = (payload, context) => totals(payload, context, 'average')
