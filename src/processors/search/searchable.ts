/** The units that a search looks through: the lines of a text, or the leaves of data. */

import type { Document } from '../../documents/document.ts'
import { type Collection, keyedBefore, pathStep } from '../../documents/shape/collections.ts'
import { isObject, type JsonObject, type JsonPrimitive, type JsonValue, own } from '../../protocol/json.ts'
import { keptFor } from '../../text/kept.ts'
import { type LineIndex, lastAtMost } from '../../text/lines.ts'
import type { LineRange } from '../../text/passages.ts'
import type { Pattern, Span } from '../../text/patterns/pattern.ts'
import { type Spans, StartList, spanAfter } from '../../text/spans.ts'
import { buildVocabulary, type Vocabulary } from '../../text/words/vocabulary.ts'

/** A document as searches see it: one text and the units that can match. */
export interface Searchable {
  readonly text: string
  /** Lines or leaves. */
  readonly units: Spans
  /** The name of a unit. */
  readonly noun: 'line' | 'value'
  /** True where what is said in one line goes on in the next: not where each is a record. */
  readonly goesOn: boolean
  /** Exactly one of the two is there. */
  readonly lines?: LineIndex
  readonly leaves?: LeafIndex
}

/** True when a line is a record, so that what follows in the next line is something else. */
export function isRecordLines(document: Document): boolean {
  return document.traits.line !== 'text'
}

const known = new WeakMap<Document, Searchable>()

/** The view of a document that searches share; computed once. */
export function searchable(document: Document): Searchable {
  const isData = () => document.traits.search === 'values' && document.json() !== undefined
  return keptFor(known, document, () => (isData() ? ofData(document) : ofText(document)))
}

/**
 * Keeps the long strings of data once where they were searched: in the text of the leaves. For documents that share their data with no
 * other; does nothing where the leaves were not searched, or the second time.
 */
export function compactSearched(document: Document): void {
  const leaves = known.get(document)?.leaves
  if (leaves === undefined || compacted.has(leaves)) return
  compacted.add(leaves)
  shareText(document, leaves)
}

const compacted = new WeakSet<LeafIndex>()

function ofData(document: Document): Searchable {
  const leaves = indexLeaves(document)
  return { text: leaves.text, units: leaves.units, noun: 'value', goesOn: true, leaves }
}

function ofText(document: Document): Searchable {
  const lines = document.lines()
  return { text: document.text, units: lines, noun: 'line', goesOn: !isRecordLines(document), lines }
}

const vocabularies = new WeakMap<Searchable, Vocabulary>()

/** The words of what is searched; built once, half a second for 20 MB. */
export function vocabularyOf(view: Searchable): Vocabulary {
  return keptFor(vocabularies, view, () => buildVocabulary(view.text))
}

/** True when `vocabularyOf` costs next to nothing. */
export function isVocabularyCheap(view: Searchable): boolean {
  return vocabularies.has(view) || view.text.length <= 1_000_000
}

/** The most hits that are kept; counting goes on. */
export const mostKept = 100_000

/** A place that matches: a whole unit, or in a long one a place in it. Offsets are those of the text. */
export interface Hit extends Span {
  unit: number
}

/** Hits in order, at most `mostKept`, and how many there are. */
export interface Hits {
  kept: Hit[]
  count: number
  /** Units that match. */
  units: number
  /** Long units that match, and how often they do; several matches near each other are one hit. Infinity beyond `mostKept`. */
  long: number
  inLong: number
}

/** In longer units every place is a hit of its own, apart by at least `placeWidth`. Characters. */
export const longUnit = 1_000
export const placeWidth = 200

/**
 * All units that match, tested one by one: `^` and `$` are their borders. Call it within `pattern.run`. The place in a
 * short unit is looked for only when `exact`; otherwise it is its start.
 */
export function findHits(view: Searchable, pattern: Pattern, keep = mostKept, exact = false): Hits {
  const { units } = view
  const kept: Hit[] = []
  let [count, matching, long, inLong] = [0, 0, 0, 0]
  const add = (unit: number, start: number, place: Span): void => {
    if (count++ < keep) kept.push({ unit, start: start + place.start, end: start + place.end })
  }
  const needed = (content: string): boolean => count < keep && (exact || content.length > placeWidth)
  eachMatching(view, pattern, (unit, content) => {
    const start = units.start(unit)
    matching += 1
    if (view.noun === 'line' && content.length > longUnit) {
      long += 1
      inLong += longPlaces(pattern, content, mostKept - inLong, (place) => add(unit, start, place))
    } else add(unit, start, (needed(content) && firstOf(pattern.matches(content))) || nowhere)
    return true
  })
  return { kept, count, units: matching, long, inLong }
}

/** Takes the units that match, one by one, for as long as more are wanted. */
function eachMatching(
  { text, units }: Searchable,
  pattern: Pattern,
  take: (unit: number, content: string) => boolean,
): void {
  for (let unit = 0; unit < units.count; unit++) {
    const place = pattern.candidate(text, units.start(unit))
    if (place < 0) return
    if (place > units.end(unit)) {
      unit = spanAfter(units, place - 1, unit)
      if (unit >= units.count) return
    }
    const content = text.slice(units.start(unit), units.end(unit))
    if (pattern.test(content) && !take(unit, content)) return
  }
}

/** Lines that matches cover when they may span lines, with the place of the first of them; matches that share a line are one. */
export function findRanges(
  text: string,
  lines: LineIndex,
  pattern: Pattern,
): { ranges: (LineRange & Span)[]; count: number } {
  const ranges: (LineRange & Span)[] = []
  let count = 0
  let covered = -1
  let from = 0
  while (from <= text.length) {
    const match = firstOf(pattern.matches(text, from))
    if (match === undefined || lines.count === 0) break
    const first = lines.lineAt(match.start)
    const last = lines.lineAt(Math.max(match.start, match.end - 1))
    const before = ranges.at(-1)
    if (first > covered) {
      if (count++ < mostKept) ranges.push({ first, last, start: match.start, end: match.end })
    } else if (before !== undefined && count <= mostKept) before.last = Math.max(before.last, last)
    covered = Math.max(covered, last)
    // After an empty match nothing else on this line would be news.
    const next =
      match.end > match.start ? match.end : last + 1 < lines.count ? lines.start(last + 1) : text.length + 1
    from = Math.max(next, match.start + 1)
  }
  return { ranges, count }
}

function firstOf<T>(found: Iterable<T>): T | undefined {
  for (const one of found) return one
  return undefined
}

/** True when something matches, with `multiline` also from one line into the next. Call it within `pattern.run`. */
export function hasHit(view: Searchable, pattern: Pattern, multiline = false): boolean {
  if (multiline && view.noun === 'line') return pattern.test(view.text)
  let isFound = false
  eachMatching(view, pattern, () => {
    isFound = true
    return false
  })
  return isFound
}

/** Shorter units are shown whole: where in them the match is does not matter. */
const nowhere: Span = { start: 0, end: 0 }

/** Tells the places of a long unit, and answers how many matches there are in it; Infinity for more than `most`. */
function longPlaces(pattern: Pattern, content: string, most: number, found: (place: Span) => void): number {
  let [free, matches] = [0, 0]
  for (const match of pattern.matches(content)) {
    const isEmpty = match.end === match.start
    // A pattern that finds nothing, everywhere, says of a line that it matches, not where.
    if (isEmpty && free > 0) continue
    if (match.start >= free) found(match)
    matches += 1
    if (isEmpty) return matches
    if (match.start >= free) free = Math.max(match.end, match.start + placeWidth)
    if (matches <= most) continue
    placesFrom(pattern, content, free, found)
    return Number.POSITIVE_INFINITY
  }
  return matches
}

/** The places from an offset on, without a look at what is near them. */
function placesFrom(pattern: Pattern, content: string, from: number, found: (place: Span) => void): void {
  let free = from
  for (
    let match = firstFrom(pattern, content, free);
    match !== undefined;
    match = firstFrom(pattern, content, free)
  ) {
    const isEmpty = match.end === match.start
    if (!isEmpty) found(match)
    free = isEmpty ? match.end + 1 : Math.max(match.end, match.start + placeWidth)
  }
}

function firstFrom(pattern: Pattern, content: string, from: number): Span | undefined {
  for (const match of pattern.matches(content, from)) return match
  return undefined
}

// JSON as a text to search: every leaf is a unit of it, and can tell its path.

/** Where a leaf is and what it is. `path` leads from the record, or from the root when it is outside of all. */
export interface Leaf {
  unit: number
  path: string
  value: JsonPrimitive
  /** The value that has it under `step`; undefined where there is no path. */
  holder?: Holder
  step: Step
}

export interface LeafIndex {
  /** The text of all leaves, in order, with a newline between two. */
  readonly text: string
  readonly units: Spans
  /** The record that holds a leaf; -1 outside of the main collection. */
  recordOf(unit: number): number
  /** The leaves of a record: the first one, and the one after the last. */
  unitsOf(record: number): { first: number; after: number }
  /** A record itself, without its key. */
  valueOf(record: number): JsonValue
  /** Leaves of one record (or of what is outside), by ascending numbers. One walk. */
  locate(record: number, units: readonly number[]): Leaf[]
  /** Calls `visit` for each leaf of one record, or of what is outside, in order. */
  visit(record: number, visit: Visit): void
  /** Distinct names of fields, with how often they occur. Computed on first use. */
  fieldNames(): readonly FieldName[]
}

/**
 * Called for each leaf in order; `path` changes afterwards and must be read at once. Its steps before `changed` are those
 * of the leaf before. `holder` has the leaf under the last step; undefined where there is no path.
 */
export type Visit = (value: JsonPrimitive, path: readonly Step[], changed: number, holder: Holder) => void

type Holder = JsonObject | readonly JsonValue[] | undefined

/** A key, or the index of an element. */
type Step = string | number

export function indexLeaves(document: Document): LeafIndex {
  const root = document.json() ?? null
  const records = document.records()
  const values = records?.values ?? []
  /** First unit of each record; what is outside comes last. */
  const firsts = new Int32Array(values.length + 1)
  const walkRecord = (record: number, visit: Visit): void => {
    const key = records?.keys?.[record]
    // The key of a map is data: the name of the record.
    if (key !== undefined) visit(key, [], 0, undefined)
    walk(values[record] ?? null, new Trail(), visit)
  }
  const walkRest = (visit: Visit): void => {
    if (records?.path !== '$') walk(root, new Trail(), visit, values.length === 0 ? undefined : values)
  }
  const { text, units } = collected((collect, count) => {
    for (let record = 0; record < values.length; record++) {
      firsts[record] = count()
      walkRecord(record, collect)
    }
    firsts[values.length] = count()
    walkRest(collect)
  })
  let names: readonly FieldName[] | undefined
  return {
    text,
    units,
    recordOf: (unit) => (unit >= (firsts[values.length] ?? 0) ? -1 : lastAtMost(firsts, unit)),
    unitsOf: (record) => ({ first: firsts[record] ?? 0, after: firsts[record + 1] ?? units.count }),
    valueOf: (record) => values[record] ?? null,
    locate(record, wanted) {
      const found: Leaf[] = []
      let unit = firsts[record < 0 ? values.length : record] ?? 0
      const look: Visit = (value, path, _, holder) => {
        if (wanted[found.length] === unit)
          found.push({ unit, path: formatPath(path), value, holder, step: path.at(-1) ?? '' })
        unit++
      }
      if (record < 0) walkRest(look)
      else walkRecord(record, look)
      return found
    },
    visit(record, visit) {
      if (record < 0) walkRest(visit)
      else walkRecord(record, visit)
    },
    fieldNames: () => (names ??= listFieldNames(root, records)),
  }
}

/** The text of all leaves that `walkAll` visits. Values that are needed on the way are not kept: hence a function of its own. */
function collected(walkAll: (collect: Visit, count: () => number) => void): { text: string; units: Spans } {
  const parts: string[] = []
  const starts = new StartList()
  let offset = 0
  walkAll(
    (value) => {
      const part = String(value)
      parts.push(part)
      starts.add(offset)
      offset += part.length + 1
    },
    () => parts.length,
  )
  return { text: parts.join('\n'), units: starts.spans(offset) }
}

/** Where a walk is, and how much of that is as it was at the leaf before. */
class Trail {
  readonly path: Step[] = []
  changed = 0
  /** The value that the last step was taken in. */
  holder: JsonObject | readonly JsonValue[] | undefined = undefined
}

/** Visits strings, numbers and booleans. `skipped`: the elements of a collection that is not entered. */
function walk(value: JsonValue, trail: Trail, visit: Visit, skipped?: readonly JsonValue[]): void {
  if (typeof value !== 'object') {
    visit(value, trail.path, trail.changed, trail.holder)
    trail.changed = trail.path.length
  } else if (Array.isArray(value)) {
    if (value === skipped) return
    for (let index = 0; index < value.length; index++)
      descend(value, value[index] ?? null, index, trail, visit, skipped)
  } else if (value !== null) {
    const keys = Object.keys(value)
    if (skipped !== undefined && keys.length === skipped.length && isCollection(value, keys, skipped)) return
    // Keys of its own: what they lead to is its own, too.
    for (const key of keys) descend(value, value[key] ?? null, key, trail, visit, skipped)
  }
}

function descend(
  holder: JsonObject | readonly JsonValue[],
  value: JsonValue,
  step: Step,
  trail: Trail,
  visit: Visit,
  skipped: readonly JsonValue[] | undefined,
): void {
  const depth = trail.path.push(step) - 1
  if (depth < trail.changed) trail.changed = depth
  trail.holder = holder
  walk(value, trail, visit, skipped)
  trail.path.pop()
}

function formatPath(path: readonly Step[]): string {
  return path.map((step) => (typeof step === 'number' ? `[${step}]` : pathStep(step))).join('')
}

function isCollection(value: JsonValue, keys: readonly string[], elements: readonly JsonValue[]): boolean {
  return isObject(value) && keys.every((key, index) => own(value, key) === elements[index])
}

// The names of the fields that lead to the leaves of a value.

/**
 * A function that calls `visit` for each name on the way to a leaf of its value, in order. It calls once for each object with the name,
 * however many leaves are below. Names that lead to none, as to null or to an empty list, are left out.
 */
export function nameReader(visit: (name: string) => void): (value: JsonValue) => void {
  /** Names on the way, the first `waiting` of them with no leaf found below yet. */
  const ways: string[] = []
  let waiting = 0

  function leaf(): void {
    for (let at = 0; at < waiting; at++) visit(ways[at] ?? '')
    waiting = 0
  }

  function read(value: JsonValue): void {
    if (typeof value !== 'object') leaf()
    else if (Array.isArray(value)) for (let at = 0; at < value.length; at++) read(value[at] ?? null)
    else if (value !== null) readFields(value)
  }

  function readFields(object: JsonObject): void {
    for (const name in object) {
      const value = object[name] ?? null
      if (typeof value !== 'object') {
        if (waiting > 0) leaf()
        visit(name)
      } else if (value !== null) {
        ways[waiting++] = name
        const depth = waiting
        read(value)
        if (waiting === depth) waiting--
      }
    }
  }

  return read
}

// Long strings of data as parts of the text of its leaves, where they stand anyway: kept once in place of twice.

/**
 * Characters from which on a string takes twice the 32 bytes of a place in a text. Shorter ones stay apart: records are
 * sorted by them, and parts compare more slowly.
 */
const LONG = 48

/**
 * Puts in place of each long string of the document's data an equal one that is a part of the leaves' text. Readers see no change. Frozen
 * data stays as it is.
 */
export function shareText(document: Document, leaves: LeafIndex): void {
  const records = document.records()
  const values = records?.values ?? []
  /** Rows of a map are copies with the key: they hold the same strings. */
  const copies = records && keyedBefore(records)
  const isMap = records?.keys !== undefined
  const { text, units } = leaves
  let record = 0
  let unit = 0
  const share: Visit = (value, path, _, holder) => {
    const start = units.start(unit++)
    if (typeof value !== 'string' || value.length < LONG) return
    const part = text.slice(start, start + value.length)
    const step = path.at(-1) ?? record
    // Without a holder the value is a record itself, the key of one, or all there is.
    const holds = holder ?? (record < 0 || isMap ? undefined : values)
    if (part !== value || holds === undefined) return
    Reflect.set(holds, step, part)
    const copy = path.length === 1 ? (copies?.[record] ?? null) : null
    if (isObject(copy) && own(copy, String(step)) === part) Reflect.set(copy, step, part)
  }
  for (; record < values.length; record++) leaves.visit(record, share)
  record = -1
  leaves.visit(record, share)
}

// The names of fields in data, each told once however many records have it.

export interface FieldName {
  name: string
  /** `$.items[*].labels[*].name`. */
  path: string
  /** How often it occurs, and what it is there first. */
  count: number
  value: JsonValue
}

/** Distinct names that are told apart; beyond this they are data, not names. */
const mostNames = 20_000

/** Fields under the same names; `[*]` is an array element or a value of the main collection when that is a map. */
class NameTree {
  count = 0
  value: JsonValue = null
  readonly below = new Map<string, NameTree>()
}

/** Names below this many levels are not listed: their paths would be longer than what is in them. */
const deepest = 100

const anyElement = '[*]'

/** All names of fields, in order of appearance. The keys of the main collection are data and not among them. */
export function listFieldNames(root: JsonValue, records: Collection | undefined): FieldName[] {
  const top = new NameTree()
  let left = mostNames
  const below = (place: NameTree, name: string): NameTree | undefined => {
    let found = place.below.get(name)
    if (found === undefined && left > 0) {
      left--
      found = new NameTree()
      place.below.set(name, found)
    }
    return found
  }
  const map = records?.keys === undefined ? undefined : records.keys
  const visit = (value: JsonValue, place: NameTree, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > deepest) return
    if (Array.isArray(value)) {
      const element = value.length > 0 ? below(place, anyElement) : undefined
      if (element !== undefined) for (const item of value) visit(item, element, depth + 1)
      return
    }
    const keys = Object.keys(value)
    const isMap =
      map !== undefined && keys.length === map.length && keys[0] === map[0] && keys.at(-1) === map.at(-1)
    for (const key of keys) {
      const next = below(place, isMap ? anyElement : `.${key}`)
      if (next === undefined) continue
      if (next.count++ === 0) next.value = own(value, key) ?? null
      visit(own(value, key) ?? null, next, depth + 1)
    }
  }
  visit(root, top, 0)
  return [...named(top, '$')]
}

function* named(place: NameTree, path: string): Generator<FieldName> {
  for (const [step, below] of place.below) {
    const name = step.slice(1)
    const own = step === anyElement ? path + step : path + pathStep(name)
    if (step !== anyElement) yield { name, path: own, count: below.count, value: below.value }
    yield* named(below, own)
  }
}
