/** The value of one field of the one record that another field names. */
import { isObject } from '../payloads/collections.mjs'
import { hasRecords, several, someCollection } from './asking.mjs'
import { evaluate, sameWay, valuesAt } from './evaluate.mjs'
import { fieldsOf, identifiers, sayable } from './fields.mjs'
import { sayField, sayIn, sayWhere } from './words.mjs'

const MOST_PLACES = 2_000

export function lookup(payload, { random, count }) {
  const places = placesOf(payload)
  if (!hasRecords(payload)) return several(count, () => ofDocument(payload, places, random))
  return several(count, (used) => {
    if (places.length >= 3 && random.often(0.15)) return ofDocument(payload, places, random)
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

/** A value of the document itself, outside its collections. */
function ofDocument(payload, places, random) {
  const want = random.pick(places)
  if (want === undefined) return undefined
  const [value] = valuesAt(payload.data, want)
  return { text: `What is the value of ${sayField(want)}?`, ask: { want }, gold: { value }, fields: [want] }
}

/** Ways to the scalars of a document that a reader can say: no lists or maps of records on the way. */
function placesOf({ kind, data, collections }) {
  if (kind !== 'json' || !isObject(data)) return []
  const ways = []
  const walk = (value, way) => {
    if (ways.length >= MOST_PLACES || way.length > 6 || collections.some(({ at }) => sameWay(at, way))) return
    if (isObject(value)) {
      for (const [key, inner] of Object.entries(value))
        if (/^[\w $@/-]+$/.test(key)) walk(inner, [...way, key])
    } else if (
      value !== null &&
      !Array.isArray(value) &&
      sayable(value, 120) &&
      !(typeof value === 'number' && String(value).length > 16)
    )
      ways.push(way)
  }
  walk(data, [])
  return ways
}
