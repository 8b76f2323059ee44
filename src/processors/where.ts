/** `where`: the records that fulfil all conditions. */
import { fromTable } from '../documents/derive.ts'
import type { Document } from '../documents/document.ts'
import type { Table } from '../documents/table.ts'
import { bindSomewhere } from '../query/elsewhere.ts'
import { explainNothing, otherFields } from '../query/explain.ts'
import { positionsIn } from '../query/verdict.ts'
import { nestedMatches } from './nested.ts'
import { whereParams } from './parameters.ts'
import type { StepMetadata } from './processor.ts'
import { type Records, requireRecords } from './records.ts'
import { Refusal } from './refusal.ts'
import { Remembered } from './remembered.ts'
import { siblingMatches } from './siblings.ts'
import { defineStep } from './step.ts'

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
    const { table, metadata } = answered.of(asked, JSON.stringify(conditions), () =>
      find(document, asked, conditions),
    )
    return { content: fromTable('record', table), metadata }
  },
})

interface Found {
  table: Table
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
  const filter = (): Table => {
    const found = records.table.choose(positionsIn(matches(records.values)))
    const nested = nestedMatches(document, records, matches, found.count)
    if (nested.length > 0) notes.push(...nested)
    else if (found.count === 0) notes.push(...explainNothing(comparisons, records))
    notes.push(...otherFields(document, comparisons, records))
    notes.push(...siblingMatches(document, records, matches))
    return found
  }
  const timed = patterns.reduce((work, pattern) => () => pattern.run(work), filter)
  const table = timed()
  const counts = { total: records.values.length, matched: table.count }
  return { table, metadata: { ...counts, ...(notes.length > 0 && { notes }) } }
}
