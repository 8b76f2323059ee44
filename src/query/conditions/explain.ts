/** The remark when no record fulfils the conditions: what the fields hold instead, and where else such fields are. */

import type { Column } from '../../documents/columns/column.ts'
import type { Document } from '../../documents/document.ts'
import { haveMost } from '../../documents/shape/collections.ts'
import { nestingOf } from '../../documents/shape/nesting.ts'
import { isObject, type JsonValue } from '../../protocol/json.ts'
import { formatCount, formatPlural } from '../../text/format.ts'
import { placesOver } from '../../text/spread.ts'
import { areUnclear } from '../../text/values/dates.ts'
import { looseNumber } from '../../text/values/quantities.ts'
import { isScale, READERS, readingOf } from '../../text/values/reading.ts'
import { nearest } from '../../text/words/edit-distance.ts'
import { calledSo } from '../fields/inner-fields.ts'
import { NAMES_OF_LINES } from '../fields/own-lines.ts'
import { type Path, parsePath } from '../fields/path.ts'
import type { Field, Records } from '../fields/records.ts'
import { valuesAt } from '../fields/walk.ts'
import { listed, shown } from '../refusal.ts'
import { newWork } from '../work.ts'
import { type Bound, keysIn } from './comparison.ts'
import { isOrdering } from './sample.ts'
import { columnAt, countOf, countsOf, ofValues } from './verdict.ts'

/** Distinct values counted of one field. */
const MOST_DISTINCT = 10_000

/** One remark for each comparison that no record fulfils alone; when all are met by some, that none meets all. */
export function explainNothing(comparisons: readonly Bound[], records: Records): string[] {
  const counts = comparisons.map((bound) => ({ bound, matched: countOf(bound.matches(records.values)) }))
  const empty = counts.filter(({ matched }) => matched === 0)
  if (empty.length > 0)
    return empty.slice(0, 3).map(({ bound }) => explain(bound, records) + whereElse(bound, records))
  const parts = counts.slice(0, 5).map(({ bound, matched }) => `\`${bound.comparison.written}\` ${matched}`)
  return [`No record fulfils all conditions; alone they match: ${parts.join(', ')}.`]
}

/** Fields deeper down that are called like one compared, where they fulfil the comparison too, or all records or none do. */
export function otherFields(document: Document, comparisons: readonly Bound[], records: Records): string[] {
  return comparisons.slice(0, 3).flatMap(({ field, matches, test }) => {
    if (field.path.length !== 1) return []
    return namesakes(document, records, field, () => {
      const matched = countOf(matches(records.values))
      return matched > 0 && matched < records.values.length ? test.holds : undefined
    })
  })
}

function explain({ comparison, field }: Bound, records: Records): string {
  const start = `\`${comparison.written}\` matches none:`
  const { counts, frequent, numbers, numbered, keys } = surveyOf(columnAt(records.values, field.path))
  if (numbered > 0 && numbered >= counts.size) {
    const { low, high } = range(numbers)
    return `${start} \`${field.name}\` is from ${low} to ${high}.`
  }
  const span =
    isOrdering(comparison) || comparison.operands.some(({ date }) => date) ? spanOf(counts) : undefined
  if (span) return `${start} \`${field.name}\` is from ${shown(span.first, 40)} to ${shown(span.last, 40)}.`
  if (counts.size === 0 && keys.size > 0) {
    return `${start} \`${field.name}\` holds objects with ${listed([...keys])}; name one, as \`${field.name}.${[...keys][0]}\`.`
  }
  const wanted = comparison.operands[0]?.text ?? ''
  if (comparison.operands.some(({ date }) => date) && areUnclear([...counts.keys()])) {
    const [some = ''] = frequent
    return `${start} \`${field.name}\` holds dates such as ${shown(some, 40)}, and none of them tells whether the day or the month comes first. Ask for them as texts: \`${field.name} ~ ^${shown(/^\d+[-/]/.exec(some)?.[0] ?? some)}\`.`
  }
  const ofRecords = keysIn(records)
  const isOf = (key: string): boolean => wanted !== '' && key.endsWith(`/${wanted}`)
  const key = ofRecords.has(wanted) ? wanted : [...ofRecords].find(isOf)
  if (key !== undefined) return `${start} it is the key of a record; write \`_key = ${shown(key)}\`.`
  const holding = comparison.operator === '=' ? thatHold(wanted, counts) : []
  const near = nearest(wanted, counts.keys(), 3)
  const offered = [...new Set([...holding.slice(0, 3), ...near, ...frequent])].slice(0, MOST_OFFERED)
  const parts = offered.map((value) => `${shown(JSON.stringify(value), 60)} (${counts.get(value)})`)
  const has = `\`${field.name}\` has ${parts.length > 0 ? parts.join(', ') : 'no values'}${counts.size > offered.length ? ` and ${counts.size - offered.length} more` : ''}.`
  if (holding.length === 0) return `${start} ${has}`
  const count = holding.reduce((sum, value) => sum + (counts.get(value) ?? 0), 0)
  return `${start} ${has} It is part of ${formatCount(count)}: \`${field.name} contains ${shown(wanted)}\`.`
}

/** Other fields that are looked through for a text, values in all, and fields that are told. */
const MOST_OTHERS = 60
const MOST_LOOKED = 100_000
const MOST_TOLD = 3
/** Operators with a text that may be in another field. */
const OF_TEXTS = new Set(['=', 'has', 'contains', '~', 'like', 'starts with', 'ends with'])

/** Says which other fields of the records have the text; where none has, whether their lines have. */
function whereElse({ comparison, field, test }: Bound, records: Records): string {
  const { operator, negated, operands, measure, beside } = comparison
  const isText = operands.every(({ text }) => text.length >= LEAST_PART && looseNumber(text) === undefined)
  if (!OF_TEXTS.has(operator) || negated || measure || beside || !isText) return ''
  const countIn = (path: Path): number => countOf(ofValues(path, test, false)(records.values))
  const most = Math.min(MOST_OTHERS, Math.floor(MOST_LOOKED / Math.max(1, records.values.length)))
  const fields = [...records.names()]
    .filter(([name]) => name !== field.name && !(name === '_key' && operator === '='))
    .filter(([, samples]) => samples.some((value) => typeof value === 'string'))
    .map(([name]) => ({ name, path: parsePath(name) }))
    .sort((one, other) => one.path.length - other.path.length)
    .slice(0, most)
  const told = fields.flatMap(({ name, path }) => {
    const count = countIn(path)
    return count > 0 ? `\`${name}\` has it in ${formatPlural(count, 'record')}` : []
  })
  if (told.length > 0) return ` ${told.slice(0, MOST_TOLD).join(', ')}.`
  const inLines = operator === '=' || !records.lines || most < MOST_OTHERS ? 0 : countIn(records.lines)
  const name = NAMES_OF_LINES.find((one) => !records.names().has(one))
  if (inLines === 0 || name === undefined) return ''
  const call = comparison.written.replace(comparison.field, name)
  return ` The lines of ${formatPlural(inLines, 'record')} have it: \`${call}\`.`
}

/** Characters from which on a text that is part of others is told. */
const LEAST_PART = 3

/** The values that a text is part of, in any case. */
function thatHold(text: string, counts: ReadonlyMap<string, number>): string[] {
  const wanted = text.toLowerCase()
  if (wanted.length < LEAST_PART || looseNumber(text) !== undefined) return []
  return [...counts.keys()].filter((value) => value.toLowerCase().includes(wanted))
}

/** The content of a field. */
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
const MOST_OFFERED = 5

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
        if (counts.size < MOST_DISTINCT || counts.has(text))
          counts.set(text, (counts.get(text) ?? 0) + weight)
      }
    }
    for (let code = 0; code < column.size; code++)
      for (const value of column.values(code)) add(value, weights[code] ?? 0)
    const frequent = [...counts].sort(([, a], [, b]) => b - a).slice(0, MOST_OFFERED)
    return { counts, frequent: frequent.map(([value]) => value), numbers, numbered, keys }
  })
}

/** The first and the last of values that are amounts or times in texts; undefined where most are none. */
function spanOf(counts: ReadonlyMap<string, number>): { first: string; last: string } | undefined {
  const texts = [...counts.keys()]
  const reading = readingOf(texts, 0)
  if (reading === 'text' || isScale(reading)) return undefined
  let [first, last] = ['', '']
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const text of texts) {
    const place = READERS[reading](text)
    if (place === undefined) continue
    if (place < least) [least, first] = [place, text]
    if (place > most) [most, last] = [place, text]
  }
  return { first, last }
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

// ---- Fields deeper down that are called like one of the records' own ----------------------------------------------

/** Records looked at for values that fulfil what was asked. */
const MOST_SAMPLED = 2_000
const MOST_NAMED = 3

/** Names that mean another thing than one may think, where the records have fields of these names too. */
const MISTAKEN = [
  // Messages of compilers have both.
  {
    name: 'line',
    beside: ['file_line'],
    said: '`line` counts the lines of this result; `file_line` is the line in the file.',
  },
  // Definitions of a program.
  {
    name: 'text',
    beside: ['end', 'within'],
    said: '`text` of a definition holds the definitions within it too.',
  },
]

/** The remark on a name alone that is easily mistaken, and the fields that are there for the other meaning. */
export function easilyMistaken(records: Records, name: string): (typeof MISTAKEN)[number] | undefined {
  return MISTAKEN.find((one) => one.name === name && one.beside.every((other) => records.names().has(other)))
}

/**
 * One remark, or none, on a field that was written as a name alone and is the record's own. `holds`: gives a test that
 * some values of theirs have to pass. Not told: records within records.
 */
export function namesakes(
  document: Document,
  records: Records,
  { path, name, note }: Field,
  holds: () => ((values: readonly JsonValue[]) => boolean) | undefined = () => undefined,
): string[] {
  if (path.length !== 1 || note !== undefined) return []
  const mistaken = easilyMistaken(records, name)
  if (mistaken) return [mistaken.said]
  const origin = document.provenance.path
  const flat = origin.includes('..')
  // Of those a remark of their own tells how many there are.
  const nested = flat ? undefined : nestingOf(records.values, origin)?.field
  const others = records.table
    .derived(`namesakes ${name}`, () => calledSo(records, name))
    .filter(([other]) => !(flat && isKin(records, other.slice(0, -name.length - 1))))
    .filter(([other]) => nested === undefined || !other.startsWith(`${nested}.`))
  if (others.length === 0) return []
  const test = holds()
  const meant = test ? others.filter(([other]) => some(records, other, test)) : others
  if (meant.length === 0) return []
  const named = meant.slice(0, MOST_NAMED).map(
    ([other, samples]) =>
      `\`${other}\` (${samples
        .filter((value) => value !== null && typeof value !== 'object')
        .slice(0, 2)
        .map((value) => shown(JSON.stringify(value), 24))
        .join(', ')})`,
  )
  return [`\`${name}\` is the record's own; there is also ${named.join(', ')}.`]
}

/** True when what is at a place has most of the fields of the records. */
function isKin(records: Records, place: string): boolean {
  const names = [...records.names().keys()]
  const own = names.filter((name) => !/[.[]/.test(name))
  const within = names
    .filter((name) => name.startsWith(`${place}.`))
    .map((name) => name.slice(place.length + 1))
  return haveMost(new Set(within), new Set(own))
}

function some(records: Records, name: string, holds: (values: readonly JsonValue[]) => boolean): boolean {
  const path = parsePath(name)
  const work = newWork()
  for (const at of placesOver(records.values.length, MOST_SAMPLED)) {
    if (holds(valuesAt(records.values[at] ?? null, path, work))) return true
  }
  return false
}
