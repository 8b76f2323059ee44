/**
 * Records that are not those of the main collection: beside it, above it, nested in its records. A question without a path is about the
 * main one; where that has no such field, or nothing that fulfils the conditions, the one other place that does answers.
 */
import {
  allNested,
  areOfOneKind,
  collectionsOf,
  fieldNames,
  keyedRecords,
  nestedPath,
  nestingOf,
  pathStep,
  withField,
} from '../documents/collections.ts'
import type { Collection, Document } from '../documents/document.ts'
import { type Table, tableOf } from '../documents/table.ts'
import { withPaths } from '../documents/tree-paths.ts'
import { isObject, type JsonValue, own } from '../protocol/json.ts'
import { formatCount } from '../text/format.ts'
import type { Bound } from './comparison.ts'
import { type Binding, bind, timed } from './evaluate.ts'
import { formatPath, newWork, parsePath } from './path.ts'
import { otherRecords, type Records, recordsOf, recordsOfValues } from './records.ts'
import { listed, Refusal } from './refusal.ts'
import { countOf, type Matcher, positionsIn } from './verdict.ts'
import { walk } from './walk.ts'

/** Records looked at below other records. */
const MOST_NESTED = 200_000
/** Objects that are looked at as records of their own, and levels below the root. */
const MOST_ALONE = 200
const DEEPEST_ALONE = 6
/** Places that are named. */
const MOST_NAMED = 6

/** Records of one place, with the conditions bound to them. */
export interface Place {
  /** JSONPath from the root. */
  path: string
  records: Records
  binding: Binding
}

/**
 * The conditions bound to `records`; when these have no such fields, to the one other place that has them: a collection, or an object
 * beside or above one. Of several the one where some record fulfils them. Throws the `Refusal` of the records' own, with the places
 * where several fit.
 */
export function bindSomewhere(
  conditions: readonly string[],
  records: Records,
  document: Document,
): { records: Records; binding: Binding } {
  try {
    return { records, binding: bind(conditions, records) }
  } catch (error) {
    if (!(error instanceof Refusal) || document.json() === undefined) throw error
    const places = placesIn(document).flatMap(({ path, records: other }) => boundTo(path, other, conditions))
    const [only, another] = places
    if (!only) throw error
    if (!another) {
      only.binding.notes.unshift(
        `Only the records of \`${only.path}\` have these fields, so those were filtered.`,
      )
      return only
    }
    const counted = places.map((place) => ({
      place,
      matched: timed(place.binding, () => countOf(place.binding.matches(place.records.values))),
    }))
    const [fulfilled, more] = counted.filter(({ matched }) => matched > 0)
    if (fulfilled && !more) {
      const { place } = fulfilled
      place.binding.notes.unshift(
        `Of the ${formatCount(places.length)} places with these fields only \`${place.path}\` has such records, so those were filtered.`,
      )
      return place
    }
    const told = counted
      .slice(0, MOST_NAMED)
      .map(({ place, matched }) => `\`${place.path}\` (${formatCount(matched)} match)`)
    throw new Refusal(
      `${error.message} In ${formatCount(places.length)} other places there are these fields: ${told.join(', ')}. Name one: "path": ${JSON.stringify(only.path)}.`,
    )
  }
}

/** Every place of a document that may be asked about, the main collection aside. */
function placesIn(document: Document): { path: string; records: Records }[] {
  const collections = otherRecords(document).map((records) => ({
    path: `$.${formatPath(records.path)}`.replace(/^\$\.(?=\[|$)/, '$'),
    records,
  }))
  const alone = objectsIn(document.json() ?? null).map(({ path, value }) => ({
    path,
    records: recordsOfValues([value]),
  }))
  return [...collections, ...alone]
}

/** Objects that are no elements of lists, outer ones first: what stands beside a list, or around it. */
function objectsIn(root: JsonValue): { path: string; value: JsonValue }[] {
  const found: { path: string; value: JsonValue }[] = []
  let level = [{ path: '$', value: root }]
  for (let depth = 0; depth < DEEPEST_ALONE && level.length > 0; depth++) {
    const next: typeof level = []
    for (const one of level) {
      if (!isObject(one.value)) continue
      const keys = Object.keys(one.value).slice(0, MOST_ALONE)
      const held = keys.map((key) => ({
        path: one.path + pathStep(key),
        value: own(one.value as never, key) ?? null,
      }))
      // Only what it holds itself: what is deeper is found there.
      if (held.some(({ value }) => typeof value !== 'object'))
        found.push({ ...one, value: scalarsOf(one.value) })
      next.push(...held.filter(({ value }) => isObject(value)))
      if (found.length >= MOST_ALONE) return found
    }
    level = next.slice(0, MOST_ALONE)
  }
  return found
}

/** The object without the lists and objects in it, so that no field of those is taken for its own. */
function scalarsOf(value: JsonValue): JsonValue {
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).filter(([, held]) => typeof held !== 'object' || held === null),
  )
}

function boundTo(path: string, records: Records, conditions: readonly string[]): Place[] {
  try {
    const binding = bind(conditions, records)
    const isBound = binding.comparisons.length > 0 && binding.comparisons.every(isNamed)
    return isBound ? [{ path, records, binding }] : []
  } catch (error) {
    if (error instanceof Refusal) return []
    throw error
  }
}

/** False for a field that was found by a slip of the pen: another collection has to have it as it is called. */
function isNamed({ comparison, field }: Bound): boolean {
  const last = (name: string): string =>
    (/([^.[\]"*]+)[\]"*[]*$/.exec(name)?.[1] ?? name).toLowerCase().replaceAll(/[\s_-]/g, '')
  return comparison.computed !== undefined || last(comparison.field) === last(field.name)
}

/**
 * Where no record of the main collection fulfils the conditions: those of the one other place of the kind that do, nested in its records or
 * beside it. Undefined where there is none, or a path was asked for.
 */
export function foundElsewhere(
  document: Document,
  records: Records,
  conditions: readonly string[],
): { table: Table; total: number; note: string } | undefined {
  const isMain = document.records()?.path === document.provenance.path && document.json() !== undefined
  if (!isMain || recordsOf(document)?.values !== records.values) return undefined
  const nested = nestedPlace(document, records)
  const places = [
    ...(nested ? [{ path: nested.path, values: nested.records(), isNested: true }] : []),
    ...siblingsFor(document, records).map(({ path, values }) => ({ path, values, isNested: false })),
  ]
  const answers = places.flatMap(({ path, values, isNested }) =>
    boundTo(path, recordsOfValues(values), conditions).flatMap(({ binding }) => {
      const verdict = timed(binding, () => binding.matches(values))
      return countOf(verdict) > 0 ? [{ path, values, isNested, verdict }] : []
    }),
  )
  const [answer, another] = answers
  if (!answer || another) return undefined
  const { path, values, isNested, verdict } = answer
  const main = document.records()?.path ?? '$'
  const where = isNested ? 'nested in them, ' : ''
  return {
    // Of a node of a tree, its own fields do not say where it is.
    table: tableOf(isNested ? (nested?.withPaths(values) ?? values) : values, path).choose(
      positionsIn(verdict),
    ),
    total: values.length,
    note: `No record of ${listed([main])} fulfils this; shown are those ${where}at "path": ${JSON.stringify(path)}.`,
  }
}

// ---- Nested in the records ----------------------------------------------------------------------------------------

/** One remark where records within records fulfil the conditions as well, `found` of the outer ones aside. */
export function nestedMatches(
  document: Document,
  records: Records,
  matches: Matcher,
  found: number,
): string[] {
  const place = nestedPlace(document, records)
  if (!place) return []
  const nested = place.records()
  const all = nested.length
  const matched = countOf(matches(nested))
  if (matched === 0 || (place.whole && matched <= found)) return []
  const of = matched === all ? '' : ` of ${formatCount(all)}`
  const counted = `${formatCount(matched)}${of}${place.whole ? ' in all' : ' more'}`
  return [`Nested in such records are others: "path": ${JSON.stringify(place.path)} has ${counted}.`]
}

/** Where records are that are nested in others. */
interface Nested {
  path: string
  /** The path reaches the outer records as well. */
  whole: boolean
  records(): readonly JsonValue[]
  /** The records with the names on the way to each. */
  withPaths(nodes: readonly JsonValue[]): readonly JsonValue[]
}

function nestedPlace(document: Document, records: Records): Nested | undefined {
  const origin = document.provenance.path
  if (origin === '' || origin.includes('..') || /[?,:]/.test(origin)) return undefined
  const nesting = nestingOf(records.values, origin)
  if (!nesting) return undefined
  const { path, whole } = nestedPath(origin, nesting)
  // What a path chose does not have the root that paths begin at.
  const data = document.records()?.path === origin ? document.json() : undefined
  const root = typeof data === 'object' && data !== null ? data : undefined
  return {
    path,
    whole,
    withPaths: (nodes) => withPaths(records.values, nodes, nesting),
    records: () =>
      root === undefined || !whole
        ? records.table.derived(`nested ${path} ${whole}`, () =>
            allNested(records.values, nesting, MOST_NESTED, whole),
          )
        : records.table.derived(`nested ${path}`, () => reached(root, path)),
  }
}

function reached(root: JsonValue, path: string): JsonValue[] {
  const found: JsonValue[] = []
  try {
    walk(
      root,
      parsePath(path),
      (value, key) => found.push(key === undefined ? value : withField('_key', key, value)),
      newWork(),
    )
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return []
  }
  return found
}

// ---- Beside the main collection ------------------------------------------------------------------------------------

/** Collections that are looked at, and told one by one; records of each that are looked at for their fields. */
const MOST_SIBLINGS = 50
const MOST_TOLD = 3

interface Sibling {
  path: string
  /** True for a map: its records have keys. */
  keyed: boolean
  values: readonly JsonValue[]
}

/** One remark, or none: how many records of other collections of the same kind fulfil what was asked of those of the main one. */
export function siblingMatches(document: Document, records: Records, matches: Matcher): string[] {
  const main = document.records()
  const counted = siblingsFor(document, records)
    .map(({ path, keyed, values }) => ({
      path,
      keyed,
      all: values.length,
      matched: countOf(matches(values)),
    }))
    .filter(({ matched }) => matched > 0)
  if (!main || counted.length === 0) return []
  const told = counted.slice(0, MOST_TOLD).map(({ path, all, matched }) => {
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

/** The other collections of a kind; none where a path was asked for, because what it reached is what was asked about. */
function siblingsFor(document: Document, records: Records): readonly Sibling[] {
  const main = document.records()
  if (!main || main.path === '$' || document.provenance.path !== main.path) return []
  if (document.json() === undefined || recordsOf(document)?.values !== records.values) return []
  return records.table.derived('siblings', () => siblingsOf(document, main))
}

/** The other collections of objects that have most fields in common with the main one, and lie outside of it. */
function siblingsOf(document: Document, main: Collection): readonly Sibling[] {
  if (fieldNames(main.values).size < 2) return []
  return collectionsOf(document.json() ?? null)
    .slice(0, MOST_SIBLINGS)
    .filter(({ path, values }) => {
      return path !== '$' && !isWithin(path, main.path) && areOfOneKind(main.values, values)
    })
    .map((one) => ({ path: one.path, keyed: one.keys !== undefined, values: keyedRecords(one) }))
}

/** True for a place in another, or around it, or the same. */
function isWithin(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}[`) || path.startsWith(`${other}.`)
}
