/** What a search looks through: the lines of a text, or the leaves of data. */
import type { Document } from '../documents/document.ts'
import type { LineIndex } from '../text/lines.ts'
import type { Pattern, Span } from '../text/pattern.ts'
import { type Spans, spanAfter } from '../text/spans.ts'
import { buildVocabulary, type Vocabulary } from '../text/vocabulary.ts'
import { indexLeaves, type LeafIndex } from './leaves.ts'
import { shareText } from './shared-text.ts'

/** A document as searches see it: one text and the units that can match. */
export interface Searchable {
  readonly text: string
  /** Lines or leaves. */
  readonly units: Spans
  /** What a unit is called. */
  readonly noun: 'line' | 'value'
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
  const before = known.get(document)
  if (before !== undefined) return before
  const view =
    document.traits.search === 'values' && document.json() !== undefined ? ofData(document) : ofText(document)
  known.set(document, view)
  return view
}

/**
 * Keeps the long strings of data once where they were searched: in the text of the leaves. For documents whose data no
 * other document has; nothing is done for what was not searched, or was done before.
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
  return { text: leaves.text, units: leaves.units, noun: 'value', leaves }
}

function ofText(document: Document): Searchable {
  const lines = document.lines()
  return { text: document.text, units: lines, noun: 'line', lines }
}

const vocabularies = new WeakMap<Searchable, Vocabulary>()

/** The words of what is searched; built once, half a second for 20 MB. */
export function vocabularyOf(view: Searchable): Vocabulary {
  const before = vocabularies.get(view)
  if (before !== undefined) return before
  const built = buildVocabulary(view.text)
  vocabularies.set(view, built)
  return built
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
  const { text, units } = view
  const kept: Hit[] = []
  let [count, matching, long, inLong] = [0, 0, 0, 0]
  const add = (unit: number, start: number, place: Span): void => {
    if (count++ < keep) kept.push({ unit, start: start + place.start, end: start + place.end })
  }
  const needed = (content: string): boolean => count < keep && (exact || content.length > placeWidth)
  for (let unit = 0; unit < units.count; unit++) {
    const place = pattern.candidate(text, units.start(unit))
    if (place < 0) break
    if (place > units.end(unit)) {
      unit = spanAfter(units, place - 1, unit)
      if (unit >= units.count) break
    }
    const start = units.start(unit)
    const content = text.slice(start, units.end(unit))
    if (!pattern.test(content)) continue
    matching += 1
    if (view.noun === 'line' && content.length > longUnit) {
      long += 1
      inLong += longPlaces(pattern, content, mostKept - inLong, (place) => add(unit, start, place))
    } else add(unit, start, needed(content) ? firstMatch(pattern, content) : nowhere)
  }
  return { kept, count, units: matching, long, inLong }
}

/** True when something matches, with `multiline` also from one line into the next. Call it within `pattern.run`. */
export function hasHit(view: Searchable, pattern: Pattern, multiline = false): boolean {
  const { text, units } = view
  if (multiline && view.noun === 'line') return pattern.test(text)
  for (let unit = 0; unit < units.count; unit++) {
    const place = pattern.candidate(text, units.start(unit))
    if (place < 0) return false
    if (place > units.end(unit)) {
      unit = spanAfter(units, place - 1, unit)
      if (unit >= units.count) return false
    }
    if (pattern.test(text.slice(units.start(unit), units.end(unit)))) return true
  }
  return false
}

/** Shorter units are shown whole: where in them the match is does not matter. */
const nowhere: Span = { start: 0, end: 0 }

function firstMatch(pattern: Pattern, content: string): Span {
  for (const match of pattern.matches(content)) return match
  return nowhere
}

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
