/** Says of records in one of several lists or maps of a kind that the others have such records as well: a question without a path is about one. */
import type { Collection, Document } from '../documents/document.ts'
import { collectionsOf, keyedRecords } from '../documents/records.ts'
import { isObject, type JsonValue } from '../protocol/json.ts'
import { countOf, type Matcher } from '../query/verdict.ts'
import { formatCount } from '../text/format.ts'
import { type Records, recordsOf } from './records.ts'

/** Collections that are looked at, and told one by one; records of each that are looked at for their fields. */
const mostSiblings = 50
const mostTold = 3
const mostSampled = 20
/** The part of all their fields that two collections of a kind share. */
const alike = 0.6

interface Sibling {
  path: string
  /** True for a map: its records have keys. */
  keyed: boolean
  values: readonly JsonValue[]
}

/** One remark, or none: how many records of other collections of the same kind fulfil what was asked of those of the main one. */
export function siblingMatches(document: Document, records: Records, matches: Matcher): string[] {
  const main = document.records()
  // What a path reached is what was asked about.
  if (!main || main.path === '$' || document.provenance.path !== main.path) return []
  if (document.json() === undefined || recordsOf(document)?.values !== records.values) return []
  const siblings = records.table.derived('siblings', () => siblingsOf(document, main))
  const counted = siblings
    .map(({ path, keyed, values }) => ({
      path,
      keyed,
      all: values.length,
      matched: countOf(matches(values)),
    }))
    .filter(({ matched }) => matched > 0)
  if (counted.length === 0) return []
  const told = counted.slice(0, mostTold).map(({ path, all, matched }) => {
    return `\`${path}\` (${matched === all ? '' : `${formatCount(matched)} of `}${formatCount(all)})`
  })
  const left = counted.length - told.length
  const what = (main.keys ? 'map' : 'list') + (counted.length === 1 ? '' : 's')
  const kinds = counted.every(({ keyed }) => keyed === (main.keys !== undefined)) ? what : 'collections'
  const most = left > 0 ? [...told, `${formatCount(left)} more`] : told
  return [
    `Only \`${main.path}\` was asked. Such records are in ${formatCount(counted.length)} other ${kinds} too: ${most.join(', ')}; name one with \`path\`.`,
  ]
}

/** The other collections of objects that have most fields in common with the main one, and lie outside of it. */
function siblingsOf(document: Document, main: Collection): readonly Sibling[] {
  const names = namesIn(main.values)
  if (names.size < 2) return []
  return collectionsOf(document.json() ?? null)
    .slice(0, mostSiblings)
    .filter(({ path, values }) => {
      return path !== '$' && !isWithin(path, main.path) && areAlike(names, namesIn(values))
    })
    .map((one) => ({ path: one.path, keyed: one.keys !== undefined, values: keyedRecords(one) }))
}

/** True for a place in another, or around it, or the same. */
function isWithin(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}[`) || path.startsWith(`${other}.`)
}

function areAlike(names: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  const shared = [...names].filter((name) => others.has(name)).length
  return shared >= alike * (names.size + others.size - shared)
}

/** The fields of a few records; none where not all are objects. */
function namesIn(values: readonly JsonValue[]): ReadonlySet<string> {
  const sampled = values.slice(0, mostSampled)
  return new Set(sampled.every(isObject) ? sampled.flatMap((value) => Object.keys(value).slice(0, 100)) : [])
}
