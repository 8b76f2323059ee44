/** `sort`: the records in another order. */
import { fromMadeRows } from '../documents/derive.ts'
import { madeRows } from '../documents/rows.ts'
import { codedOf } from './coded.ts'
import { namesakes } from './fields/namesakes.ts'
import { sortParams } from './parameters.ts'
import { type Records, requireRecords } from './records.ts'
import { type Order, parseOrder } from './sort/order.ts'
import { inOrder } from './sort/permutation.ts'
import { type Ranks, ranksOf } from './sort/ranks.ts'
import { sizeRanks } from './sort/sizes.ts'
import { defineStep } from './step.ts'

/**
 * Stable. Numbers, also when held in strings, before text; text regardless of case, numbers in it by value (`v1.9` before
 * `v1.10`). Sizes (`2Gi`), durations (`1.5s`) and dates go by what they mean where all values are such. Records without the field come last either way. Of several values the smallest counts, descending
 * the largest.
 */
export const sort = defineStep({
  name: 'sort',
  params: sortParams,
  wanted: ({ sort: orders }) => orders !== undefined && orders.length > 0,
  run(document, { sort: written = [] }) {
    const records = requireRecords(document, 'sort')
    const { values } = records
    const orders = written.map((reference) => parseOrder(records, reference))
    const notes = orders.flatMap(({ field }) => [
      ...(field.note ? [field.note] : []),
      ...namesakes(document, records, field),
    ])
    const ranks = orders.map((order) => ranksIn(records, order))
    for (const [at, one] of ranks.entries()) {
      const missing = countMissing(one, values.length)
      if (missing > 0) notes.push(`${missing} without \`${orders[at]?.field.name}\` come last.`)
    }
    const order = inOrder(ranks, values.length)
    const noun = document.rows().noun === 'group' ? 'group' : 'record'
    const texts = values.length > 0 && values.every((value) => typeof value === 'string')
    const rows = madeRows(noun, values.length, (nth) => values[order[nth] ?? 0] ?? null)
    return {
      content: fromMadeRows(texts ? 'text' : 'json', rows),
      metadata: { total: values.length, ...(notes.length > 0 && { notes }) },
    }
  },
})

function ranksIn({ values }: Records, { field, descending, length }: Order): Ranks {
  return length ? sizeRanks(values, field.path, descending) : ranksOf(codedOf(values, field.path), descending)
}

/** Records without a key have the last rank. */
function countMissing({ ranks, codes, count }: Ranks, records: number): number {
  let missing = 0
  for (let at = 0; at < records; at++)
    if (ranks[codes ? (codes[at] as number) : at] === count - 1) missing += 1
  return missing
}
