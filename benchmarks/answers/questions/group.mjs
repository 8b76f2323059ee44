/** How many records there are for each value of a field. */
import { hasRecords, several, someCollection } from './asking.mjs'
import { conditionsFor } from './conditions.mjs'
import { evaluate } from './evaluate.mjs'
import { fieldsOf, sayable } from './fields.mjs'
import { sayField, sayIn, sayWhere } from './words.mjs'

const MOST_GROUPS = 20

/** Whether a person can say the groups of a field, and each record belongs where everybody would put it. */
function groupable({ kind, plain, complete, many, values, counts, unique }) {
  if (counts.size < 2 || counts.size > MOST_GROUPS || unique || kind === 'date' || !plain) return false
  if (
    ![...counts.keys()].every(
      (value) => sayable(value, 60) && (typeof value !== 'number' || Number.isInteger(value)),
    )
  )
    return false
  if ([...counts.values()].every((count) => count === 1)) return false
  // A value twice in one record: once or twice in its group?
  return complete || (many && values.every((own) => new Set(own).size === own.length))
}

export function group(payload, { random, count }) {
  if (!hasRecords(payload)) return []
  return several(count, (used) => {
    const collection = someCollection(payload, random)
    const by = random.pick(
      fieldsOf(collection).filter((field) => groupable(field) && !used.has(String(field.way))),
    )
    if (by === undefined) return undefined
    const limits = {
      fewest: 5,
      most: collection.records.length - 1,
      used: new Set([String(by.way)]),
      conditions: 1,
    }
    const where = random.often(0.25) ? (conditionsFor(collection, random, limits)?.where ?? []) : []
    const ask = { collection: collection.at, ...(where.length > 0 && { where }), by: by.way }
    const each = by.many ? ` (a record with several counts for each of them)` : ''
    const text = `How many records are there${sayIn(collection.at)} for each ${sayField(by.way)}${each}${where.length > 0 ? `, of those${sayWhere(where)}` : ''}?`
    const gold = evaluate(ask, payload)
    return gold.table.length > 0 ? { text, ask, gold, fields: [by.way] } : undefined
  })
}
