/** `where`: the records that fulfil all conditions. */
import { fromRows } from '../documents/derive.ts'
import type { Document } from '../documents/document.ts'
import type { JsonValue } from '../protocol/json.ts'
import { nestedMatches } from './nested.ts'
import { whereParams } from './parameters.ts'
import type { StepMetadata } from './processor.ts'
import { type Records, requireRecords } from './records.ts'
import { Refusal } from './refusal.ts'
import { Remembered } from './remembered.ts'
import { chooseFrom } from './selection.ts'
import { siblingMatches } from './siblings.ts'
import { defineStep } from './step.ts'
import { bindSomewhere } from './where/elsewhere.ts'
import { explainNothing, otherFields } from './where/explain.ts'
import { positionsIn } from './where/verdict.ts'

/** More conditions than anybody writes. */
const mostConditions = 50

/**
 * Numbers compare as numbers also when held in strings, dates as dates (`= 2024-05` is any time in that month, `>` after
 * it), sizes as sizes. Text is compared to the letter when some record has it so, otherwise regardless of case. A field
 * with several values fulfils a condition when one of them does, and a negated one when none does.
 */
export const where = defineStep({
  name: 'where',
  params: whereParams,
  wanted: ({ where: conditions }) => conditions !== undefined && conditions.length > 0,
  run(document, { where: conditions = [] }) {
    if (conditions.length > mostConditions)
      throw new Refusal(`At most ${mostConditions} conditions are allowed.`)
    const asked = requireRecords(document, 'filter')
    const { items, metadata } = answered.of(asked, JSON.stringify(conditions), () =>
      find(document, asked, conditions),
    )
    return { content: fromRows({ noun: 'record', items }), metadata }
  },
})

interface Found {
  items: readonly JsonValue[]
  metadata: StepMetadata
}

/**
 * What the last conditions found: the next page, or another question about the same records, has their columns at hand. Kept
 * with the records, not with the document, which may let go of them.
 */
const answered = new Remembered<Found>(4)

function find(document: Document, asked: Records, conditions: readonly string[]): Found {
  const { records, binding } = bindSomewhere(conditions, asked, document)
  const { matches, comparisons, patterns, notes } = binding
  const filter = (): readonly JsonValue[] => {
    const found = chooseFrom(records.values, positionsIn(matches(records.values)))
    const nested = nestedMatches(document, records, matches, found.length)
    if (nested.length > 0) notes.push(...nested)
    else if (found.length === 0) notes.push(...explainNothing(comparisons, records))
    notes.push(...otherFields(document, comparisons, records))
    notes.push(...siblingMatches(document, records, matches))
    return found
  }
  const timed = patterns.reduce((work, pattern) => () => pattern.run(work), filter)
  const items = timed()
  const counts = { total: records.values.length, matched: items.length }
  return { items, metadata: { ...counts, ...(notes.length > 0 && { notes }) } }
}
