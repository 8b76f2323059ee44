/**
 * Records that are not those of the main collection: beside it, above it, nested in its records. A question without a path is about the
 * main collection. If that has no such field, or no record that fulfils the conditions, the one other place that does answers.
 */

import type { Document } from '../../documents/document.ts'
import {
  areOfOneKind,
  type Collection,
  collectionsOf,
  fieldNames,
  keyedRecords,
  pathStep,
  withField,
} from '../../documents/shape/collections.ts'
import {
  allNested,
  fromRoot,
  type Nesting,
  nestedIn,
  nestedPath,
  nestingOf,
  withPaths,
} from '../../documents/shape/nesting.ts'
import { type Table, tableOf } from '../../documents/table.ts'
import { isObject, type JsonValue, own } from '../../protocol/json.ts'
import { formatCount, formatPlural } from '../../text/format.ts'
import { isExactly } from '../fields/fields.ts'
import { locate } from '../fields/locate.ts'
import { formatPath, parsePath } from '../fields/path.ts'
import { asksMain, otherRecords, type Records, recordsOf, recordsOfValues } from '../fields/records.ts'
import { walk } from '../fields/walk.ts'
import { parseCondition } from '../language/parser.ts'
import { fieldsIn } from '../language/tree.ts'
import { listed, NoOperator, Refusal, safely, UnknownField } from '../refusal.ts'
import { newWork } from '../work.ts'
import type { Bound } from './comparison.ts'
import { type Binding, bind, timed } from './evaluate.ts'
import { boundAsWords, exampleFor, lastName } from './in-words.ts'
import { countOf, type Matcher, positionsIn } from './verdict.ts'

/** Records looked at below other records. */
const MOST_NESTED = 200_000
/** Objects that are looked at as records of their own, and levels below the root. */
const MOST_ALONE = 200
const DEEPEST_ALONE = 6
/** A list of no more is looked at element by element: it is too short to be a collection. */
const FEW_ELEMENTS = 2
/** Places that are named. */
const MOST_NAMED = 6

/** Records of one place, with the conditions bound to them. */
export interface BoundRecords {
  /** JSONPath from the root. */
  path: string
  records: Records
  binding: Binding
}

/** The conditions, bound to `records` or to another place that has such fields; at last values alone, to the fields that have them. */
export function bindSomewhere(
  conditions: readonly string[],
  records: Records,
  document: Document,
): { records: Records; binding: Binding } {
  try {
    return bindToPlace(conditions, records, document)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    let told = error
    try {
      const binding = boundAsWords(conditions, records)
      if (binding) return { records, binding }
    } catch (inner) {
      if (!(inner instanceof UnknownField)) throw inner
      told = inner
    }
    const places = otherRecords(document).flatMap((place) => {
      const bound = safely(() => boundAsWords(conditions, place))
      return bound ? [{ records: place, binding: bound }] : []
    })
    const [only, another] = places
    if ((!only || another) && error instanceof NoOperator && records.names().size > 0)
      throw new Refusal(`${error.plain} ${exampleFor(conditions, records)}`)
    if (!only || another) throw told
    only.binding.notes.unshift(
      `Only the records of \`${rootPath(only.records)}\` are so, so those were filtered.`,
    )
    return only
  }
}

/**
 * The conditions, bound to `records`. If these have no such fields, they are bound to the one other place that has them: a collection, or
 * an object beside or above one. Of several the one where some record fulfils them. Throws the `Refusal` of the records' own, with the
 * places where several fit.
 */
function bindToPlace(
  conditions: readonly string[],
  records: Records,
  document: Document,
): { records: Records; binding: Binding } {
  try {
    return { records, binding: bind(conditions, records) }
  } catch (error) {
    if (!(error instanceof Refusal) || document.json() === undefined) throw error
    const keyed = keyedPlace(document, conditions)
    if (keyed) return keyed
    // Where the records have such fields, however deep, no other place is meant.
    if (!(error instanceof UnknownField)) throw error
    const wanted = lastNames(conditions)
    const places = placesHaving(document, wanted).flatMap((place) =>
      boundTo(place.path, place.records(), conditions),
    )
    const [only, another] = places
    if (!only) throw error
    if (!another) {
      only.binding.notes.unshift(
        `Only the records of \`${only.path}\` have these fields, so those were filtered.`,
      )
      return only
    }
    const fulfilled = places.flatMap((place) => {
      const matched = timed(place.binding, () => countOf(place.binding.matches(place.records.values)))
      return matched > 0 ? [{ place, matched }] : []
    })
    const [one, more] = fulfilled
    if (!one) throw error
    if (!more) {
      one.place.binding.notes.unshift(
        `Of the ${formatCount(places.length)} places with these fields only \`${one.place.path}\` has such records, so those were filtered.`,
      )
      return one.place
    }
    const told = fulfilled
      .slice(0, MOST_NAMED)
      .map(({ place, matched }) => `\`${place.path}\` (${formatCount(matched)})`)
    const left = fulfilled.length - told.length
    throw new Refusal(
      `${error.message} Such records are in ${formatCount(fulfilled.length)} other places: ${told.join(', ')}${left > 0 ? ` and ${formatCount(left)} more` : ''}. Name one: "path": ${JSON.stringify(one.place.path)}.`,
    )
  }
}

/** Values that are looked at for a key. */
const MOST_VISITED = 200_000

/** The value of the one key in the document that a condition is, and nothing else: `CPH`, `/users/{id}`. */
function keyedPlace(document: Document, [key = '', another]: readonly string[]): BoundRecords | undefined {
  const root = document.json()
  const wanted = key.trim().replace(/^(["'`])(.+)\1$/, '$2')
  if (another !== undefined || wanted === '' || root === undefined) return undefined
  const found: { path: string; value: JsonValue }[] = []
  const open: { path: string; value: JsonValue }[] = [{ path: '$', value: root }]
  let visited = 0
  for (let next = open.pop(); next && found.length < 2 && ++visited < MOST_VISITED; next = open.pop()) {
    const { path, value } = next
    if (Array.isArray(value)) {
      for (const [at, one] of value.entries())
        if (typeof one === 'object' && one !== null) open.push({ path: `${path}[${at}]`, value: one })
    } else if (isObject(value)) {
      for (const [name, held] of Object.entries(value)) {
        const one = { path: path + pathStep(name), value: held }
        if (name === wanted) found.push(one)
        if (typeof held === 'object' && held !== null) open.push(one)
      }
    }
  }
  const [only, second] = found
  if (!only || second || visited >= MOST_VISITED) return undefined
  const records = recordsOfValues([withField('_key', wanted, only.value)])
  const binding = bind([`_key = ${JSON.stringify(wanted)}`], records)
  binding.notes.unshift(`\`${wanted}\` is a key: shown is what it holds, \`${only.path}\`.`)
  return { path: only.path, records, binding }
}

/** The one place besides the main list that has fields of all these names; undefined where there is none, or several are. */
export function onlyPlaceWith(
  document: Document,
  names: readonly string[],
): { path: string; records: Records } | undefined {
  if (document.json() === undefined || document.provenance.path !== (document.records()?.path ?? '$'))
    return undefined
  const wanted = names.map(lastName)
  const places = placesHaving(document, wanted)
  // The wanted fields may be in an object in one of them: `license` of a repository.
  const [only, another] = named(places.length > 0 ? places : placesHaving(document, wanted, true), names)
  return only && !another ? { path: only.path, records: only.records() } : undefined
}

/** Of several places the ones that the names themselves call: `creator` of `creator.version`. All of them where the names call none. */
function named(places: readonly Candidate[], names: readonly string[]): readonly Candidate[] {
  if (places.length < 2) return places
  const holders = names.map((name) => lastName(name.replace(/[.[][^.[]*$/, '')))
  if (names.some((name) => !/[.[]/.test(name))) return places
  const called = places.filter(({ path }) => holders.every((holder) => lastName(path) === holder))
  return called.length > 0 ? called : places
}

/** The places besides the main list that have fields of all these names. */
export function placesNaming(document: Document, names: readonly string[]): string[] {
  return placesHaving(document, names.map(lastName)).map(({ path }) => path)
}

/** The last names of the fields in conditions, plainly spelled; none where a condition cannot be read without the records. */
function lastNames(conditions: readonly string[]): string[] {
  return safely(() => conditions.flatMap((text) => fieldsIn(parseCondition(text)).map(lastName))) ?? []
}

/** The places besides the main list that have fields called like all those in the conditions, with their records. */
function placesWith(
  document: Document,
  conditions: readonly string[],
): { path: string; values: readonly JsonValue[]; isNested: boolean }[] {
  const wanted = lastNames(conditions)
  if (wanted.length === 0) return []
  return placesHaving(document, wanted).map(({ path, records }) => {
    return { path, values: records().values, isNested: false }
  })
}

/** Where the records are, from the root. */
function rootPath({ path }: Records): string {
  return `$.${formatPath(path)}`.replace(/^\$\.(?=\[|$)/, '$')
}

interface Candidate {
  path: string
  records(): Records
  /** The last names of its fields, plainly spelled. */
  names(): ReadonlySet<string>
}

/** The places besides the main list that have fields of these last names. */
function placesHaving(document: Document, wanted: readonly string[], whole = false): Candidate[] {
  return placesIn(document, whole).filter((place) => wanted.every((name) => place.names().has(name)))
}

/** The collections of a document, the main one aside, and the objects beside and above them, with the objects in those where `whole` is true. */
function placesIn(document: Document, whole: boolean): Candidate[] {
  const root = document.json() ?? null
  // A list within a collection is a part of its records.
  const within = collectionsOf(root).map(({ path }) => path)
  const isPart = (path: string): boolean =>
    within.some((one) => one !== '$' && one !== path && isWithin(path, one))
  const collections = otherRecords(document)
    .map((records) => ({ records, path: rootPath(records) }))
    .filter(({ path }) => !isPart(path))
    .map(({ records, path }) => ({
      path,
      records: () => records,
      names: () =>
        records.table.derived('last names', () => new Set([...records.names().keys()].map(lastName))),
    }))
  const alone = objectsIn(root, whole)
    .filter(({ path }) => path === '$' || !(within.includes(path) || isPart(path)))
    .map(({ path, value }) => ({
      path,
      records: () => recordsOfValues([value]),
      names: () => new Set(Object.keys(value ?? {}).map(lastName)),
    }))
  return [...collections, ...alone]
}

/** Objects that are no elements of long lists, outer ones first: what stands beside a list, or around it. */
function objectsIn(root: JsonValue, whole: boolean): { path: string; value: JsonValue }[] {
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
      if (held.some(({ value }) => typeof value !== 'object' || (whole && isObject(value))))
        found.push({ ...one, value: withoutLists(one.value, whole) })
      next.push(...held.filter(({ value }) => isObject(value)))
      for (const { path, value } of held)
        if (Array.isArray(value) && value.length <= FEW_ELEMENTS)
          next.push(...value.map((element, at) => ({ path: `${path}[${at}]`, value: element })))
      if (found.length >= MOST_ALONE) return found
    }
    level = next.slice(0, MOST_ALONE)
  }
  return found
}

/** The object without the lists in it, and without its objects unless they are wanted, so that no field of those is taken for its own. */
function withoutLists(value: JsonValue, objects: boolean): JsonValue {
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).filter(
      ([, held]) => typeof held !== 'object' || held === null || (objects && isObject(held)),
    ),
  )
}

function boundTo(path: string, records: Records, conditions: readonly string[]): BoundRecords[] {
  const binding = safely(() => bind(conditions, records))
  if (!binding || binding.comparisons.length === 0 || !binding.comparisons.every(isNamed)) return []
  return [{ path, records, binding }]
}

/** False for a field that was found by a slip of the pen: another collection has to have it as it is called. */
function isNamed({ comparison, field }: Bound): boolean {
  return comparison.computed !== undefined || lastName(comparison.field) === lastName(field.name)
}

/** True where these records have both sides of a comparison of two fields: that none fulfils it is the answer. */
function comparesFields(records: Records, conditions: readonly string[]): boolean {
  return safely(() => bind(conditions, records))?.comparisons.some(({ other }) => other) === true
}

/**
 * If no record of the main collection fulfils the conditions, these are the records of the one other place of its kind that do. That
 * place is nested in its records or beside it. If the fields were read loosely (`isLoose`), it is any place with such fields. Otherwise it is one
 * of another kind only where a single record fulfils them. Of several such places the note tells how many each has. Undefined where
 * there is none, or a path was asked for.
 */
export function foundElsewhere(
  document: Document,
  records: Records,
  conditions: readonly string[],
  isLoose: boolean,
): { table?: Table; total: number; note: string } | undefined {
  if (!asksMain(document) || recordsOf(document)?.values !== records.values) return undefined
  const nested = nestedPlace(document, records)
  const places = [
    ...(nested ? [{ path: nested.path, values: nested.records(), isNested: true }] : []),
    ...siblingsFor(document, records).map(({ path, values }) => ({ path, values, isNested: false })),
  ]
  const answering = (some: typeof places) =>
    some.flatMap(({ path, values, isNested }) =>
      boundTo(path, recordsOfValues(values), conditions).flatMap(({ binding }) => {
        const verdict = timed(binding, () => binding.matches(values))
        return countOf(verdict) > 0 ? [{ path, values, isNested, verdict }] : []
      }),
    )
  const kin = answering(places)
  // A field that these records have deep within them alone, if at all, may be one that others have themselves.
  const answers =
    kin.length > 0 || comparesFields(records, conditions) ? kin : answering(placesWith(document, conditions))
  const [answer, another] = answers
  if (!answer) return undefined
  const main = document.records()?.path ?? '$'
  if (another || (kin.length === 0 && !isLoose && countOf(answer.verdict) > 1)) {
    if (kin.length > 0 || isLoose) return undefined
    const told = answers
      .slice(0, MOST_TOLD)
      .map(({ path, verdict }) => `${JSON.stringify(path)} (${formatCount(countOf(verdict))})`)
    return {
      total: 0,
      note: `No record of \`${main}\` fulfils this. Others do, with "path": ${told.join(', ')}.`,
    }
  }
  const { path, values, isNested, verdict } = answer
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

/** The nodes of a tree at all levels. */
export interface Nodes {
  table: Table
  /** Reaches all of them where `whole` is true, else those below the top. */
  path: string
  whole: boolean
  /** How many are at the top. */
  outer: number
}

/**
 * All nodes of the tree that the main list begins, each with the names on the way to it in `_path`. Undefined where the records hold no
 * records of their own kind at several levels.
 */
export function nodesOf(document: Document): Nodes | undefined {
  const main = document.records()
  if (!main || !asksMain(document)) return undefined
  const records = recordsOf(document)
  const nesting = records && nestingOf(records.values, main.path)
  if (!records || !nesting || !isTree(records.values, nesting, main.path)) return undefined
  const { path, whole } = nestedPath(main.path, nesting)
  // A record nested in a map has its key where a path reaches it.
  if (nesting.map && !whole) return undefined
  const root = document.json() ?? null
  const table = records.table.derived('all nodes', () => {
    const nodes = whole ? reached(root, path) : allNested(records.values, nesting, MOST_NESTED, true)
    return tableOf(withPaths(records.values, nodes, nesting), path, { path, scattered: true })
  })
  return { table, path, whole, outer: records.values.length }
}

/** True where the list of a record is called like the one it is in, or what is within holds such a list again. */
function isTree(values: readonly JsonValue[], nesting: Nesting, path: string): boolean {
  if (nestedPath(path, nesting).whole) return true
  return values.some((value) => nestedIn(value, nesting).some((inner) => nestedIn(inner, nesting).length > 0))
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
  const verdict = matches(nested)
  const matched = countOf(verdict)
  if (matched === 0 || (place.whole && matched <= found)) return []
  const fraction = (part: number, total: number): string =>
    part === total ? formatCount(part) : `${formatCount(part)} of ${formatCount(total)}`
  const counted = `${fraction(matched, all)}${place.whole ? ' in all' : ' more'}`
  const names = matched === all || matched > MOST_NAMED ? [] : namesOf(place, positionsIn(verdict))
  const named = names.length === 0 ? '' : `: ${names.join(', ')}`
  const { path, values } = place.next
  const near = place.whole || values.length === all ? 0 : countOf(matches(values))
  const first =
    near === 0 ? '' : `"path": ${JSON.stringify(path)} has ${fraction(near, values.length)}, at all depths `
  return [
    `Nested in such records are others: ${first}"path": ${JSON.stringify(place.path)} has ${counted}${named}.`,
  ]
}

/** The names on the way to the nested records at these positions; none where one has no names on its way. */
function namesOf(place: Nested, positions: Iterable<number>): string[] {
  const nodes = place.withPaths(place.records())
  const names = [...positions].map((at) => {
    const node = nodes[at] ?? null
    return isObject(node) ? own(node, '_path') : undefined
  })
  return names.every((name) => typeof name === 'string') ? names : []
}

/** Where records are that are nested in others. */
interface Nested {
  path: string
  /** The path reaches the outer records as well. */
  whole: boolean
  /** The records directly within the outer ones. */
  next: { path: string; values: readonly JsonValue[] }
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
  // Records that a path chose do not have the root that paths begin at.
  const data = document.records()?.path === origin ? document.json() : undefined
  const root = typeof data === 'object' && data !== null ? data : undefined
  return {
    path,
    whole,
    get next() {
      const each = document.records()?.keys === undefined ? '[*]' : '.*'
      const values = records.table.derived('nested once', () =>
        records.values.flatMap((record) => nestedIn(record, nesting)),
      )
      return {
        path: `${fromRoot(origin)}${each}${pathStep(nesting.field)}${nesting.map ? '.*' : '[*]'}`,
        values,
      }
    },
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
  const take = (value: JsonValue, key: string | undefined): void => {
    found.push(key === undefined ? value : withField('_key', key, value))
  }
  const walked = (): JsonValue[] => {
    walk(root, parsePath(path), take, newWork())
    return found
  }
  return safely(walked) ?? []
}

// ---- A list of values beside the records ---------------------------------------------------------------------------

/** `vulnerability not in $.unapproved`. */
const IN_LIST = /^\s*(\S.*?)\s+((?:not\s+)?in)\s+\(?\s*(\$?\.?[A-Za-z_@][\w.$-]*(?:\[\*?\])?)\s*\)?\s*$/is
/** Values of a list, and characters of a condition. */
const MOST_LISTED = 1_900
const LONGEST_LISTED = 19_000

/** The conditions with the values of a list beside the records in place of its name, where the records have no such field. */
export function withListsBeside(
  conditions: readonly string[],
  records: Records,
  document: Document,
): { conditions: readonly string[]; notes: readonly string[] } {
  const notes: string[] = []
  const read = conditions.map((condition) => {
    const [, left = '', operator = '', name = ''] = IN_LIST.exec(condition) ?? []
    const isOwn = !name.startsWith('$') && isExactly(records, name)
    const root = name === '' || isOwn ? undefined : document.json()
    const path = root === undefined ? undefined : safely(() => parsePath(name.replace(/\[\*?\]$/, '')))
    const located = root === undefined || path === undefined ? undefined : locate(root, path)
    // Another name that is alike may be a value.
    const list = located?.note === undefined ? (located?.reached ?? []) : []
    const values = list.flatMap(({ value }) => value)
    const areValues =
      list.length > 0 &&
      list.every(({ value }) => Array.isArray(value)) &&
      values.every((value) => value !== null && typeof value !== 'object')
    const distinct = areValues ? [...new Set(values)] : []
    const written = `${left} ${operator} (${distinct.map((value) => JSON.stringify(value)).join(', ')})`
    if (distinct.length === 0 || distinct.length > MOST_LISTED || written.length > LONGEST_LISTED)
      return condition
    notes.push(`\`${name}\` read as the ${formatPlural(values.length, 'value')} of that list.`)
    return written
  })
  return notes.length > 0 ? { conditions: read, notes } : { conditions, notes }
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
  if (!main || main.path === '$' || !asksMain(document)) return []
  if (recordsOf(document)?.values !== records.values) return []
  return records.table.derived('siblings', () => siblingsOf(document, main))
}

/** The other collections of objects that have most fields in common with the main one, and lie outside of it. */
function siblingsOf(document: Document, main: Collection): readonly Sibling[] {
  if (fieldNames(main.values).size < 2) return []
  return collectionsOf(document.json() ?? null)
    .slice(0, MOST_SIBLINGS)
    .filter(({ path, values }) => {
      if (main.gathered && isWithin(path, main.gathered.path)) return false
      return path !== '$' && !isWithin(path, main.path) && areOfOneKind(main.values, values)
    })
    .map((one) => ({ path: one.path, keyed: one.keys !== undefined, values: keyedRecords(one) }))
}

/** True for a place in another, or the same. `$[0]` is in `$[*]` and in `$[0,2]`, which are lists of one kind together. */
function isWithin(path: string, other: string): boolean {
  const [together = '', numbers = ''] = /\[(\*|\d+(?:,\d+)+)\]$/.exec(other) ?? []
  const list = other.slice(0, other.length - together.length)
  const number = /^\[(\d+)\]/.exec(path.startsWith(list) ? path.slice(list.length) : '')?.[1]
  if (together !== '' && number !== undefined) return numbers === '*' || numbers.split(',').includes(number)
  return path === other || path.startsWith(`${other}[`) || path.startsWith(`${other}.`)
}
