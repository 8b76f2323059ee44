/** Relevance: the passages or records that answer a question in words best. */

import type { Document, Rows } from '../../documents/document.ts'
import { fromMadeRows } from '../../documents/opening/derive.ts'
import { madeRows, rowsOf } from '../../documents/opening/rows.ts'
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { formatCount } from '../../text/format.ts'
import { keptFor } from '../../text/kept.ts'
import type { LineIndex } from '../../text/lines.ts'
import {
  findHeadings,
  headingPaths,
  lastAtMost,
  paragraphPassages,
  recordPassages,
} from '../../text/passages.ts'
import { densestPlace, ellipsis, excerpt } from '../../text/shorten.ts'
import { NumberList, SpanList, type Spans, StartList } from '../../text/spans.ts'
import {
  beginningsOf,
  type Corpus,
  queryTerms,
  type Ranked,
  type Ranking,
  rankPassages,
  type SharedWords,
  searchStems,
} from '../../text/words/bm25.ts'
import { stemOf } from '../../text/words/words.ts'
import { type SearchParams, searchStepParams } from '../parameters.ts'
import { defineStep } from '../step.ts'
import { entryTest } from './entries.ts'
import { type LeafHit, type RecordHits, recordRows, roomFor, type Show, valueWidth } from './hits.ts'
import { linkNotes } from './links.ts'
import { readable } from './readable.ts'
import { counts, nearMatches, nearMisses, requireText, searches } from './search.ts'
import { isRecordLines, type LeafIndex, nameReader, type Searchable, searchable } from './searchable.ts'

/** Ranked passages that can be paged through. Further hits are hardly relevant, and a sharper query finds them. */
const mostRanked = 1_000
/** Values of a record that are shown because they hold words of the query. */
const mostShown = 4
/** Characters of a passage after the best one. */
const longestOther = 500
/** Texts up to this many characters are ranked with their headings. */
const mostWithHeadings = 4_000_000

export const bm25 = defineStep({
  name: 'bm25',
  params: searchStepParams,
  wanted: (params) => searches(params, 'bm25'),
  run(given, params) {
    const document = readable(given)
    const query = requireText(params)
    const view = searchable(document)
    const corpus = corpusOf(document, view)
    const { best, count } = corpus.ranking.search(query, mostRanked)
    const notes = count === 0 ? nearMisses(view, params) : []
    if (count > best.length) {
      notes.push(
        `The best ${formatCount(best.length)} of ${formatCount(count)} are kept; more words make the ranking sharper.`,
      )
    }
    const forms = queryTerms(query).map((term) => formsPattern([term]))
    if (count > 0) notes.push(...linkNotes(given, (text) => forms.every((form) => form.test(text))))
    return {
      content: fromMadeRows(view.leaves === undefined ? 'text' : 'json', corpus.rows(best, placesOf(query))),
      metadata: {
        ...counts(corpus.count, count, notes),
        ...(corpus.unit !== undefined && { unit: corpus.unit }),
      },
    }
  },
})

/** Passages that are shown where a pattern matches nothing, and how many characters of that pattern are searched for words. */
const MOST_RELEVANT = 3
const LONGEST_QUESTION = 300
const WORD = /^\p{L}{3,}$/u

/** The remarks on a pattern that matches nothing, with the passages that have its words where no place nearly matches. */
export function insteadOf(
  document: Document,
  view: Searchable,
  params: SearchParams,
): { rows?: Rows; notes: string[] } {
  const near = nearMatches(view, params)
  const passages = near === undefined ? passagesFor(document, view, params.pattern ?? '') : undefined
  return passages ?? { notes: nearMisses(view, params, near) }
}

/**
 * The passages that fit the words of a pattern best which matches nothing by itself; undefined where most of its words do not occur
 * together.
 */
function passagesFor(
  document: Document,
  view: Searchable,
  pattern: string,
): { rows: Rows; notes: string[] } | undefined {
  const query = wordsIn(pattern)
  const terms = queryTerms(query).filter((term) => WORD.test(term))
  // One word that does not occur is not there, whatever begins like it.
  if (terms.length < 2) return undefined
  const present = terms.filter((term) => placesOf(term).test(view.text))
  if (!isMost(present.length, terms.length)) return undefined
  const corpus = corpusOf(document, view)
  const { best, count } = corpus.ranking.search(query, MOST_RELEVANT)
  const [first] = best
  const held = first ? corpus.textOf(first.index) : ''
  if (!isMost(present.filter((term) => formsPattern([term]).test(held)).length, terms.length))
    return undefined
  return {
    rows: corpus.rows(best, placesOf(query)),
    notes: [
      `Nothing matches the pattern; these ${formatCount(best.length)} of ${formatCount(count)} passages have most of its words (mode: bm25 shows more).`,
    ],
  }
}

const isMost = (some: number, all: number): boolean => some > 0 && 2 * some > all

/** Where a word begins that may be a form of one of these. */
const formsPattern = (terms: readonly string[]): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${beginningsOf(terms.map(stemOf))})`, 'iu')

/** Where words of a query are in a text, in any form. */
const placesOf = (query: string): RegExp => new RegExp(beginningsOf(searchStems(query)), 'giu')

/** A pattern without what only patterns have: classes, counts, escapes. */
function wordsIn(pattern: string): string {
  return pattern
    .slice(0, LONGEST_QUESTION)
    .replace(/\(\?[a-zA-Z]+\)|\\[pP]\{\w+\}|\\[a-zA-Z]|\[(?:\\.|[^\]\\])*\]|\{\d*(?:,\d*)?\}/g, ' ')
    .replace(/[^\p{L}\p{N}_]+/gu, ' ')
    .trim()
}

/** The ranked units, and how they are shown. */
interface RankedDocument {
  count: number
  /** The noun of the counted units, where they are neither records nor passages of a text. */
  unit?: string
  ranking: Ranking
  /** The text of a passage. */
  textOf(index: number): string
  rows(ranked: readonly Ranked[], words: RegExp): Rows
}

const corpora = new WeakMap<Searchable, RankedDocument>()

const nothing: Ranked = { index: -1, score: 0 }

/** Built once for each document. */
function corpusOf(document: Document, view: Searchable): RankedDocument {
  const build = () => (view.leaves === undefined ? ofText(document, view) : ofData(document, view.leaves))
  return keptFor(corpora, view, build)
}

function ofText(document: Document, view: Searchable): RankedDocument {
  const lines = document.lines()
  const passages =
    document.traits.line === 'entry'
      ? recordPassages(view.text, lines, entryTest(document))
      : isRecordLines(document)
        ? recordPassages(view.text, lines, document.traits.line === 'node' ? () => true : undefined)
        : paragraphPassages(view.text, lines)
  const headings = isRecordLines(document) || view.text.length > mostWithHeadings ? [] : findHeadings(lines)
  const paths = headingPaths(headings)
  const pathOf = (line: number): readonly string[] => paths[lastAtMost(headings, line)] ?? []
  const ranked =
    headings.length === 0 ? { text: view.text, passages } : underHeadings(view.text, lines, passages, pathOf)
  return {
    count: passages.count,
    ranking: rankPassages(ranked),
    textOf: (index) => ranked.text.slice(ranked.passages.start(index), ranked.passages.end(index)),
    rows: (found, words) => {
      return madeRows('passage', found.length, (nth) => {
        const { index, score } = found[nth] ?? nothing
        const start = passages.start(index)
        const whole = view.text.slice(start, passages.end(index))
        const first = lines.lineAt(start)
        const last = lines.lineAt(passages.end(index) - 1)
        const column = start - lines.start(first)
        const place = column > 0 ? `${first + 1}:${column + 1}` : `${first + 1}`
        const path = pathOf(first).map((title) => ellipsis(title, 80))
        const under = path.length === 0 ? '' : ` · ${path.join(' > ')}`
        const content = nth === 0 ? whole : densest(whole, words, longestOther)
        const head = `[${score.toFixed(2)}] `
        if (first !== last) return `${head}lines ${place}-${last + 1}${under}\n${content}`
        return under === '' ? `${head}${place}: ${content}` : `${head}line ${place}${under}\n${content}`
      })
    },
  }
}

/** The passages with the headings above them, which say what they are about. */
function underHeadings(
  text: string,
  lines: LineIndex,
  passages: Spans,
  pathOf: (line: number) => readonly string[],
): { text: string; passages: Spans } {
  const parts: string[] = []
  const list = new SpanList()
  let offset = 0
  for (let index = 0; index < passages.count; index++) {
    const part = `${pathOf(lines.lineAt(passages.start(index))).join('\n')}\n${text.slice(passages.start(index), passages.end(index))}`
    parts.push(part)
    list.add(offset, offset + part.length)
    offset += part.length + 1
  }
  return { text: parts.join('\n'), passages: list.spans() }
}

/** As much of a passage as `width` allows, around the place that has the most different words of the query. */
function densest(passage: string, words: RegExp, width: number): string {
  if (passage.length <= width) return passage
  return excerpt(passage, densestPlace(passage, words, width * 0.8), width)
}

function ofData(document: Document, leaves: LeafIndex): RankedDocument {
  const values = document.records()?.values
  if (values === undefined) return ofLeaves(document, leaves)
  const { source: sourceOf, beside, ...corpus } = dataPassages(leaves, values.length)
  return {
    count: values.length + beside,
    unit: beside === 0 ? 'record' : 'passage',
    ranking: rankPassages(corpus),
    textOf: (index) => {
      const { text, passages, shared } = corpus
      const part = shared?.of[index] ?? 0
      const names = shared?.text.slice(shared.parts.start(part), shared.parts.end(part)) ?? ''
      return `${names}\n${text.slice(passages.start(index), passages.end(index))}`
    },
    rows: (ranked, words) => {
      return madeRows('passage', ranked.length, (nth): JsonValue => {
        const found = ranked[nth]
        if (found === undefined) return null
        const source = sourceOf(found.index)
        const group = { record: source.record, hits: tellingLeaves(leaves, source, words) }
        const width = nth === 0 ? longestOther : valueWidth
        const show: Show = (value) => excerpt(value, densestPlace(value, words, width * 0.8), width)
        const [row] = recordRows(document, leaves, [group], { show, room: roomFor(ranked.length) })
        return { score: Number(found.score.toFixed(2)), ...row }
      })
    },
  }
}

/** The values that hold most different words of the query, in their order. Outside of records, one. */
function tellingLeaves(leaves: LeafIndex, { record, first, after }: Source, words: RegExp): LeafHit[] {
  const found: { hit: LeafHit; different: number }[] = []
  for (let unit = first; unit < after; unit++) {
    const start = leaves.units.start(unit)
    const place = densestPlace(leaves.text.slice(start, leaves.units.end(unit)), words, longestOther)
    if (place.different === 0) continue
    found.push({
      hit: { unit, start: start + place.start, end: start + place.end },
      different: place.different,
    })
  }
  // The names of its fields hold the words.
  if (found.length === 0 && record < 0) return [hitOf(leaves.units, first)]
  found.sort((a, b) => b.different - a.different)
  const least = Math.ceil((found[0]?.different ?? 0) / 2)
  return found
    .slice(0, record < 0 ? 1 : mostShown)
    .filter(({ different }) => different >= least)
    .map(({ hit }) => hit)
    .sort((a, b) => a.unit - b.unit)
}

/** Where nothing repeats, each value is ranked by itself, with the names that lead to it. */
function ofLeaves(document: Document, leaves: LeafIndex): RankedDocument {
  const { units } = leaves
  const { text, passages } =
    leaves.text.length > MOST_WITH_NAMES ? { text: leaves.text, passages: units } : withNames(leaves)
  return {
    count: units.count,
    ranking: rankPassages({ text, passages }),
    textOf: (index) => text.slice(passages.start(index), passages.end(index)),
    rows: (ranked) => {
      const groups = ranked.map(({ index }) => ({ record: -1, hits: [hitOf(units, index)] }))
      return rowsOf('passage', withScores(document, leaves, groups, ranked))
    },
  }
}

/** Values of data up to this many characters are ranked with the names of their fields: they are written once more for that. */
const MOST_WITH_NAMES = 2_000_000

function withNames(leaves: LeafIndex): { text: string; passages: Spans } {
  const parts: string[] = []
  const list = new SpanList()
  let offset = 0
  leaves.visit(-1, (value, path) => {
    const names = path.filter((step) => typeof step === 'string')
    const part = `${names.join(' ').slice(0, LONGEST_NAMES)} ${value}`
    parts.push(part)
    list.add(offset, offset + part.length)
    offset += part.length + 1
  })
  return { text: parts.join('\n'), passages: list.spans() }
}

/** Characters of the names that lead to a value: those of what is nested deeply would be longer than all values. */
const LONGEST_NAMES = 200

function withScores(
  document: Document,
  leaves: LeafIndex,
  groups: readonly RecordHits[],
  ranked: readonly Ranked[],
): JsonObject[] {
  const rows = recordRows(document, leaves, groups)
  return rows.map((row, nth) => ({ score: Number((ranked[nth]?.score ?? 0).toFixed(2)), ...row }))
}

const hitOf = (units: Spans, unit: number): LeafHit => ({
  unit,
  start: units.start(unit),
  end: units.start(unit),
})

// JSON as passages to rank: each record, in pieces where it is long, and what stands beside the records.

/** Where a passage comes from: leaves `first` up to `after` of a record, -1 for what is outside of all. */
export interface Source {
  readonly record: number
  readonly first: number
  readonly after: number
}

export interface DataPassages extends Corpus {
  source(passage: number): Source
  /** How many passages are beside the records. */
  readonly beside: number
}

/** Characters after which a passage ends with its leaf: a record may be a whole book. */
const longestOfRecord = 2_000
const longestOutside = 600

/**
 * All of a document. The words of a passage are its values and the names of their fields. The values stand in the text of the leaves one
 * after the other; most records share the names.
 */
export function dataPassages(leaves: LeafIndex, records: number): DataPassages {
  const { units } = leaves
  /** The first leaf of each passage, and its names. */
  const firsts = new NumberList()
  const lists = new NumberList()
  const goOn = new NumberList()
  const names = new NameLists()

  function add(first: number, list: number): void {
    firsts.add(first)
    lists.add(list)
  }

  let listed = names.empty
  const readNames = nameReader((name) => {
    listed = names.longer(listed, name)
  })
  /** The usual record: all of it is one passage. */
  function addWhole(record: number, first: number): void {
    listed = names.empty
    readNames(leaves.valueOf(record))
    add(first, listed)
  }

  /** In passages that end with the leaf that makes them as long as `longest`. */
  function addPieces(record: number, from: number, longest: number): void {
    let unit = from
    let first = from
    let list = names.empty
    let length = 0
    const end = (): void => {
      if (record >= 0 && first > from) goOn.add(firsts.length)
      add(first, list)
    }
    leaves.visit(record, (_, path, changed) => {
      // In a new passage all that leads to its first leaf is said again.
      for (let at = unit === first ? 0 : changed; at < path.length; at++) {
        const name = path[at]
        if (typeof name === 'string') list = names.longer(list, name)
      }
      length += units.end(unit) - units.start(unit)
      unit++
      if (length < longest) return
      end()
      first = unit
      list = names.empty
      length = 0
    })
    if (unit > first) end()
  }

  for (let record = 0; record < records; record++) {
    const { first, after } = leaves.unitsOf(record)
    if (after === first) continue
    if (units.end(after - 1) - units.start(first) < longestOfRecord) addWhole(record, first)
    else addPieces(record, first, longestOfRecord)
  }
  const inside = firsts.length
  addPieces(-1, records === 0 ? 0 : leaves.unitsOf(records - 1).after, longestOutside)
  return {
    text: leaves.text,
    ...passagesOf(leaves, firsts.array()),
    shared: names.shared(lists.array()),
    goOn: goOn.array(),
    beside: firsts.length - inside,
  }
}

/** Passages that begin with these leaves, one after the other. A function of its own, so that no more than that is kept. */
function passagesOf(leaves: LeafIndex, firsts: Uint32Array): Pick<DataPassages, 'passages' | 'source'> {
  const { units } = leaves
  const firstOf = (index: number): number => firsts[index] ?? units.count
  const passages: Spans = {
    count: firsts.length,
    start: (index) => units.start(firstOf(index)),
    end: (index) => units.end(firstOf(index + 1) - 1),
  }
  const source = (index: number): Source => {
    const first = firstOf(index)
    return { record: leaves.recordOf(first), first, after: firstOf(index + 1) }
  }
  return { passages, source }
}

// The names of fields that lead to the values of a record, as lists that records share: most of them have the same.

/** Lists by number: each is another one and a name after it. */
export class NameLists {
  readonly empty = 0
  readonly #shorter: number[] = [0]
  readonly #names: string[] = ['']
  /** Of most lists there is one longer; where there are more, the others are in `#others`. */
  readonly #longer: number[] = [0]
  readonly #others: (Map<string, number> | undefined)[] = [undefined]

  /** The list with `name` after the others. */
  longer(list: number, name: string): number {
    const usual = this.#longer[list] ?? 0
    if (usual !== 0 && this.#names[usual] === name) return usual
    const known = usual === 0 ? undefined : this.#others[list]?.get(name)
    if (known !== undefined) return known
    const made = this.#names.push(name) - 1
    this.#shorter.push(list)
    this.#longer.push(0)
    this.#others.push(undefined)
    if (usual === 0) this.#longer[list] = made
    else {
      const others = this.#others[list] ?? new Map<string, number>()
      this.#others[list] = others.set(name, made)
    }
    return made
  }

  /** The words of the lists, one list for each passage; what only served to find them is not kept. */
  shared(lists: Uint32Array): SharedWords {
    const parts = new Map<number, number>()
    const texts: string[] = []
    const starts = new StartList()
    const of = new Uint32Array(lists.length)
    let offset = 0
    lists.forEach((list, passage) => {
      let part = parts.get(list)
      if (part === undefined) {
        const text = this.#text(list)
        part = texts.push(text) - 1
        parts.set(list, part)
        starts.add(offset)
        offset += text.length + 1
      }
      of[passage] = part
    })
    return { text: texts.join('\n'), parts: starts.spans(offset), of }
  }

  #text(list: number): string {
    const names: string[] = []
    for (let at = list; at !== this.empty; at = this.#shorter[at] ?? this.empty)
      names.push(this.#names[at] ?? '')
    return names.reverse().join('\n')
  }
}
