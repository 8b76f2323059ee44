/** What to say when no record fulfils the conditions: what the fields hold instead. */
import type { Document } from '../../documents/document.ts'
import { isObject, type JsonValue } from '../../protocol/json.ts'
import { nearest } from '../../text/edit-distance.ts'
import { type Column, columnOf } from '../column.ts'
import { namesakes } from '../fields/namesakes.ts'
import type { Records } from '../records.ts'
import { listed, shown } from '../refusal.ts'
import type { Bound } from './bound.ts'
import { keysIn } from './keys.ts'
import { columnWork, countOf, countsOf } from './verdict.ts'

/** Distinct values counted of one field. */
const mostDistinct = 10_000

/** One remark for each comparison that no record fulfils alone; when all are met by some, that none meets all. */
export function explainNothing(comparisons: readonly Bound[], records: Records): string[] {
  const counts = comparisons.map((bound) => ({ bound, matched: countOf(bound.matches(records.values)) }))
  const empty = counts.filter(({ matched }) => matched === 0)
  if (empty.length > 0) return empty.slice(0, 3).map(({ bound }) => explain(bound, records))
  const parts = counts.slice(0, 5).map(({ bound, matched }) => `\`${bound.comparison.written}\` ${matched}`)
  return [`No record fulfils all conditions; alone they match: ${parts.join(', ')}.`]
}

/** Fields deeper down that are called like one compared, where they fulfil the comparison too, or all records or none do. */
export function otherFields(document: Document, comparisons: readonly Bound[], records: Records): string[] {
  return comparisons.slice(0, 3).flatMap(({ field, matches, test }) => {
    if (field.path.length !== 1) return []
    return namesakes(document, records, field, () => {
      const matched = countOf(matches(records.values))
      return matched > 0 && matched < records.values.length ? test : undefined
    })
  })
}

function explain({ comparison, field }: Bound, records: Records): string {
  const start = `\`${comparison.written}\` matches none:`
  const { counts, frequent, numbers, numbered, keys } = surveyOf(
    columnOf(records.values, field.path, columnWork()),
  )
  if (numbered > 0 && numbered >= counts.size) {
    const { low, high } = range(numbers)
    return `${start} \`${field.name}\` is from ${low} to ${high}.`
  }
  if (counts.size === 0 && keys.size > 0) {
    return `${start} \`${field.name}\` holds objects with ${listed([...keys])}; name one, as \`${field.name}.${[...keys][0]}\`.`
  }
  const wanted = comparison.operands[0]?.text ?? ''
  if (keysIn(records.values).has(wanted))
    return `${start} it is the key of a record; write \`_key = ${shown(wanted)}\`.`
  const near = nearest(wanted, counts.keys(), 3)
  const offered = [...new Set([...near, ...frequent])].slice(0, mostOffered)
  const parts = offered.map((value) => `${shown(JSON.stringify(value), 60)} (${counts.get(value)})`)
  return `${start} \`${field.name}\` has ${parts.length > 0 ? parts.join(', ') : 'no values'}${counts.size > offered.length ? ` and ${counts.size - offered.length} more` : ''}.`
}

/** What a field holds. */
interface Survey {
  /** How often each scalar, as text. */
  counts: ReadonlyMap<string, number>
  /** The most frequent of them. */
  frequent: readonly string[]
  /** Distinct numbers, and how many there are in all. */
  numbers: readonly number[]
  numbered: number
  /** Keys of objects. */
  keys: ReadonlySet<string>
}

/** Scalars of a column that are told at most. */
const mostOffered = 5

function surveyOf(column: Column): Survey {
  return column.derived('survey', () => {
    const counts = new Map<string, number>()
    const numbers: number[] = []
    let numbered = 0
    const keys = new Set<string>()
    const weights = countsOf(column)
    const add = (value: JsonValue, weight: number): void => {
      if (Array.isArray(value)) for (const element of value) add(element, weight)
      else if (isObject(value)) for (const key of Object.keys(value).slice(0, 20)) keys.add(key)
      else {
        if (typeof value === 'number') {
          numbers.push(value)
          numbered += weight
        }
        const text = String(value)
        if (counts.size < mostDistinct || counts.has(text)) counts.set(text, (counts.get(text) ?? 0) + weight)
      }
    }
    for (let code = 0; code < column.size; code++)
      for (const value of column.values(code)) add(value, weights[code] ?? 0)
    const frequent = [...counts].sort(([, a], [, b]) => b - a).slice(0, mostOffered)
    return { counts, frequent: frequent.map(([value]) => value), numbers, numbered, keys }
  })
}

function range(numbers: readonly number[]): { low: number; high: number } {
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (const number of numbers) {
    if (number < low) low = number
    if (number > high) high = number
  }
  return { low, high }
}
