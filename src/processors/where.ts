/** `where`: the records that fulfil all conditions. */
import { fromRows } from '../documents/derive.ts'
import type { JsonValue } from '../protocol/json.ts'
import { nestedMatches } from './nested.ts'
import { whereParams } from './parameters.ts'
import { requireRecords } from './records.ts'
import { Refusal } from './refusal.ts'
import { Remembered } from './remembered.ts'
import { chooseFrom } from './selection.ts'
import { defineStep } from './step.ts'
import { bindSomewhere } from './where/elsewhere.ts'
import { explainNothing, otherFields } from './where/explain.ts'
import { positionsIn } from './where/verdict.ts'

/** More conditions than anybody writes. */
const mostConditions = 50

/** What the last conditions found: the next page, or another question about the same records, has their columns at hand. */
const chosen = new Remembered<readonly JsonValue[]>(4)

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
    const { records, binding } = bindSomewhere(conditions, requireRecords(document, 'filter'), document)
    const { matches, comparisons, patterns, notes } = binding
    const filter = (): typeof records.values => {
      const found = chosen.of(records, JSON.stringify(conditions), () =>
        chooseFrom(records.values, positionsIn(matches(records.values))),
      )
      const nested = nestedMatches(document, records, matches, found.length)
      if (nested.length > 0) notes.push(...nested)
      else if (found.length === 0) notes.push(...explainNothing(comparisons, records))
      notes.push(...otherFields(document, comparisons, records))
      return found
    }
    const timed = patterns.reduce((work, pattern) => () => pattern.run(work), filter)
    const found = timed()
    return {
      content: fromRows({ noun: 'record', items: found }),
      metadata: { total: records.values.length, matched: found.length, ...(notes.length > 0 && { notes }) },
    }
  },
})
