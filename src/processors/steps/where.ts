/** `where`: the records that fulfil all conditions. */

import { Findings } from '../../documents/columns/column.ts'
import type { Document } from '../../documents/document.ts'
import { fromTable } from '../../documents/opening/made.ts'
import type { Table } from '../../documents/table.ts'
import {
  bindSomewhere,
  foundElsewhere,
  nestedMatches,
  siblingMatches,
  withListsBeside,
} from '../../query/conditions/elsewhere.ts'
import { timed } from '../../query/conditions/evaluate.ts'
import { explainNothing, otherFields } from '../../query/conditions/explain.ts'
import { remarksTogether } from '../../query/conditions/remarks.ts'
import { positionsIn } from '../../query/conditions/verdict.ts'
import { type Records, requireRecords } from '../../query/fields/records.ts'
import { Refusal } from '../../query/refusal.ts'
import { whereParams } from '../parameters.ts'
import type { StepMetadata } from '../processor.ts'
import { defineStep } from '../step.ts'

/** More conditions than anybody writes. */
const MOST_CONDITIONS = 50

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
    if (conditions.length > MOST_CONDITIONS)
      throw new Refusal(`At most ${MOST_CONDITIONS} conditions are allowed.`)
    const asked = requireRecords(document, 'filter')
    const answered = asked.table.derived('answered', () => new Findings(MOST_ANSWERED))
    const { table, metadata } = answered.of(JSON.stringify(conditions), () =>
      find(document, asked, conditions),
    )
    return { content: fromTable('record', table), metadata }
  },
})

interface Found {
  table: Table
  metadata: StepMetadata
}

/** Answers that are kept with the records, for the next page or a further question about the same. */
const MOST_ANSWERED = 4

function find(document: Document, asked: Records, written: readonly string[]): Found {
  const { conditions, notes: lists } = withListsBeside(written, asked, document)
  const { records, binding } = bindSomewhere(conditions, asked, document)
  const { matches, comparisons } = binding
  const found = timed(binding, () => records.table.choose(positionsIn(matches(records.values))))
  const notes = timed(binding, () =>
    remarksTogether(comparisons, records.values, () => found.rows, [...lists, ...binding.notes]),
  )
  const isLoose = comparisons.some(({ field }) => field.note !== undefined)
  const other = found.count === 0 ? foundElsewhere(document, records, conditions, isLoose) : undefined
  if (other?.table)
    return {
      table: other.table,
      metadata: { total: other.total, matched: other.table.count, notes: [...notes, other.note] },
    }
  timed(binding, () => {
    const nested = nestedMatches(document, records, matches, found.count)
    if (nested.length > 0) notes.push(...nested)
    else if (found.count === 0) notes.push(...explainNothing(comparisons, records))
    if (other) notes.push(other.note)
    notes.push(...otherFields(document, comparisons, records))
    notes.push(...siblingMatches(document, records, matches))
  })
  const counts = { total: records.values.length, matched: found.count }
  return { table: found, metadata: { ...counts, ...(notes.length > 0 && { notes }) } }
}
