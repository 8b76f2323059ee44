/** Relevance: the passages or records that answer a question in words best. */
import { fromMadeRows } from '../documents/derive.ts'
import type { Document, Rows } from '../documents/document.ts'
import { madeRows, rowsOf } from '../documents/rows.ts'
import type { JsonObject, JsonValue } from '../protocol/json.ts'
import { type Ranked, type Ranking, rankPassages, searchTerms } from '../text/bm25.ts'
import { ellipsis } from '../text/cut.ts'
import { formatCount } from '../text/format.ts'
import type { LineIndex } from '../text/lines.ts'
import { paragraphPassages, recordPassages } from '../text/passages.ts'
import { findHeadings, headingPaths, lastAtMost } from '../text/sections.ts'
import { SpanList, type Spans } from '../text/spans.ts'
import { dataPassages, type Source } from './data-passages.ts'
import { densestPlace } from './densest.ts'
import { entryTest } from './entries.ts'
import { excerpt } from './excerpt.ts'
import { type LeafHit, type RecordHits, recordRows, type Show, valueWidth } from './leaf-hits.ts'
import type { LeafIndex } from './leaves.ts'
import { nearMisses } from './near-misses.ts'
import { readable } from './readable.ts'
import { counts } from './search-counts.ts'
import { searches, searchStepParams } from './search-params.ts'
import { requireText } from './search-pattern.ts'
import { isRecordLines, type Searchable, searchable } from './searchable.ts'
import { defineStep } from './step.ts'

/** Ranked passages that can be paged through. What follows is hardly relevant, and a sharper query finds it. */
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
    return {
      content: fromMadeRows(
        view.leaves === undefined ? 'text' : 'json',
        corpus.rows(best, searchTerms(query)),
      ),
      metadata: {
        ...counts(corpus.count, count, notes),
        ...(corpus.unit !== undefined && { unit: corpus.unit }),
      },
    }
  },
})

/** What is ranked, and how it is shown. */
interface Corpus {
  count: number
  /** What is counted, where it is neither records nor passages of a text. */
  unit?: string
  ranking: Ranking
  rows(ranked: readonly Ranked[], terms: readonly string[]): Rows
}

const corpora = new WeakMap<Searchable, Corpus>()

const nothing: Ranked = { index: -1, score: 0 }

/** Built once for each document. */
function corpusOf(document: Document, view: Searchable): Corpus {
  const before = corpora.get(view)
  if (before !== undefined) return before
  const built = view.leaves === undefined ? ofText(document, view) : ofData(document, view.leaves)
  corpora.set(view, built)
  return built
}

function ofText(document: Document, view: Searchable): Corpus {
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
    rows: (found, terms) => {
      const words = new RegExp(terms.join('|') || '(?!)', 'giu')
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

function ofData(document: Document, leaves: LeafIndex): Corpus {
  const values = document.records()?.values
  if (values === undefined) return ofLeaves(document, leaves)
  const { source: sourceOf, beside, ...corpus } = dataPassages(leaves, values.length)
  return {
    count: values.length + beside,
    unit: beside === 0 ? 'record' : 'passage',
    ranking: rankPassages(corpus),
    rows: (ranked, terms) => {
      const words = new RegExp(terms.join('|') || '(?!)', 'giu')
      return madeRows('passage', ranked.length, (nth): JsonValue => {
        const found = ranked[nth]
        if (found === undefined) return null
        const source = sourceOf(found.index)
        const group = { record: source.record, hits: tellingLeaves(leaves, source, words) }
        const width = nth === 0 ? longestOther : valueWidth
        const show: Show = (value) => excerpt(value, densestPlace(value, words, width * 0.8), width)
        const [row] = recordRows(document, leaves, [group], undefined, show)
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

/** Where nothing repeats, each value is ranked by itself. */
function ofLeaves(document: Document, leaves: LeafIndex): Corpus {
  const { units } = leaves
  return {
    count: units.count,
    ranking: rankPassages({ text: leaves.text, passages: units }),
    rows: (ranked) => {
      const groups = ranked.map(({ index }) => ({ record: -1, hits: [hitOf(units, index)] }))
      return rowsOf('passage', withScores(document, leaves, groups, ranked))
    },
  }
}

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
