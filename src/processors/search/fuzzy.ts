/** Approximate words: what a typo, another ending or another spelling would hide from a regular expression. */
import { fromMadeRows } from '../../documents/opening/derive.ts'
import { rowsOf } from '../../documents/opening/rows.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { indexLines } from '../../text/lines.ts'
import { spanAfter } from '../../text/spans.ts'
import { buildVocabulary } from '../../text/words/vocabulary.ts'
import { searchStepParams } from '../parameters.ts'
import { defineStep } from '../step.ts'
import { byRecord, fieldRows, lineHitRows, recordHitRows } from './hits.ts'
import { readable } from './readable.ts'
import { counts, nearMisses, requireText, searches } from './search.ts'
import {
  type FieldName,
  type Hit,
  longUnit,
  mostKept,
  placeWidth,
  type Searchable,
  searchable,
  vocabularyOf,
} from './searchable.ts'

const defaultThreshold = 0.7
/** Hits that are sorted; beyond these, counting goes on. */
const mostSorted = 1_000_000

interface Alike extends Hit {
  similarity: number
}

export const fuzzy = defineStep({
  name: 'fuzzy',
  params: searchStepParams,
  wanted: (params) => searches(params, 'fuzzy'),
  run(given, params) {
    const document = readable(given)
    const pattern = requireText(params)
    const view = searchable(document)
    const { hits, count } = findAlike(view, pattern, params.threshold ?? defaultThreshold)
    if (count === 0 && view.leaves !== undefined) {
      const named = namesLike(view.leaves.fieldNames(), pattern, params.threshold ?? defaultThreshold)
      if (named.length > 0) {
        return {
          content: fromMadeRows('json', rowsOf('field', fieldRows(named))),
          metadata: counts(view.units.count, named.length, ['No value is alike, but names of fields are.']),
        }
      }
    }
    const notes = count === 0 ? nearMisses(view, params) : []
    if (view.leaves === undefined) {
      hits.sort((a, b) => b.similarity - a.similarity || a.start - b.start)
      const lines = view.lines ?? document.lines()
      const rows = lineHitRows(
        lines,
        hits.slice(0, mostKept),
        (row, { similarity }) => `[${rounded(similarity).toFixed(2)}] ${row}`,
      )
      return {
        content: fromMadeRows('text', rows),
        metadata: counts(view.units.count, count, notes),
      }
    }
    const groups = byRecord(view.leaves, hits).map((group) => ({ ...group, similarity: highest(group.hits) }))
    groups.sort((a, b) => b.similarity - a.similarity)
    const rows = recordHitRows(
      document,
      view.leaves,
      groups.slice(0, mostKept),
      (row, { similarity }): JsonObject => ({ similarity: rounded(similarity), ...row }),
    )
    const total = document.records()?.values.length ?? view.units.count
    return {
      content: fromMadeRows('json', rows),
      metadata: counts(total, groups.length, notes),
    }
  },
})

/** Places that are alike enough, in order: the best one of a unit, in a long line each that stands apart. */
function findAlike(view: Searchable, pattern: string, threshold: number): { hits: Alike[]; count: number } {
  const { units } = view
  const hits: Alike[] = []
  let count = 0
  let unit = 0
  let last: Alike | undefined
  // At 0 everything would be alike.
  const least = Math.max(threshold, 0.01)
  vocabularyOf(view).search(pattern, least, (place) => {
    if (units.end(unit) <= place.start) unit = spanAfter(units, place.start, unit)
    if (place.end > units.end(unit)) return
    const long = view.noun === 'line' && units.end(unit) - units.start(unit) > longUnit
    const apart = last === undefined || last.unit !== unit || (long && place.start >= last.start + placeWidth)
    if (apart) {
      last = { ...place, unit }
      if (count++ < mostSorted) hits.push(last)
    } else if (last !== undefined && place.similarity > last.similarity) Object.assign(last, place)
  })
  return { hits, count }
}

/** The fields that have a word like this in their names. */
function namesLike(fields: readonly FieldName[], pattern: string, threshold: number): FieldName[] {
  const names = fields.map(({ name }) => name.replaceAll('\n', ' ')).join('\n')
  const lines = indexLines(names)
  const found = new Set<FieldName>()
  buildVocabulary(names).search(pattern, Math.max(threshold, 0.01), ({ start }) => {
    const field = fields[lines.lineAt(start)]
    if (field) found.add(field)
  })
  return [...found]
}

const highest = (hits: readonly Alike[]): number =>
  hits.reduce((most, { similarity }) => Math.max(most, similarity), 0)

/** Two digits; what is not equal is never shown as 1. */
const rounded = (similarity: number): number =>
  similarity === 1 ? 1 : Math.min(0.99, Math.round(similarity * 100) / 100)
