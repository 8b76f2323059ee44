/** Relevance: the passages or records that answer a question in words best. */
import { fromRows } from '../documents/derive.ts'
import type { Document } from '../documents/document.ts'
import type { JsonObject, JsonValue } from '../protocol/json.ts'
import { queryTerms, type Ranked, type Ranking, rankPassages } from '../text/bm25.ts'
import { formatCount } from '../text/format.ts'
import { paragraphPassages, recordPassages } from '../text/passages.ts'
import type { Spans } from '../text/spans.ts'
import { type LeafHit, type RecordHits, recordRows } from './leaf-hits.ts'
import type { LeafIndex } from './leaves.ts'
import { nearMisses } from './near-misses.ts'
import { recordTexts } from './record-texts.ts'
import { counts } from './search-counts.ts'
import { searches, searchStepParams } from './search-params.ts'
import { requireText } from './search-pattern.ts'
import { isRecordLines, type Searchable, searchable } from './searchable.ts'
import { defineStep } from './step.ts'

/** Ranked passages that can be paged through. What follows is hardly relevant, and a sharper query finds it. */
const mostRanked = 1_000
/** Values of a record that are shown because they hold words of the query. */
const mostShown = 4

export const bm25 = defineStep({
  name: 'bm25',
  params: searchStepParams,
  wanted: (params) => searches(params, 'bm25'),
  run(document, params) {
    const query = requireText(params)
    const view = searchable(document)
    const corpus = corpusOf(document, view)
    const ranked = corpus.ranking.search(query)
    const best = ranked.slice(0, mostRanked)
    const notes = ranked.length === 0 ? nearMisses(view, params) : []
    if (ranked.length > best.length) {
      notes.push(
        `The best ${formatCount(best.length)} of ${formatCount(ranked.length)} are kept; more words make the ranking sharper.`,
      )
    }
    return {
      content: fromRows({ noun: 'passage', items: corpus.rows(best, queryTerms(query)) }),
      metadata: counts(corpus.count, ranked.length, notes),
    }
  },
})

/** What is ranked, and how it is shown. */
interface Corpus {
  count: number
  ranking: Ranking
  rows(ranked: readonly Ranked[], terms: readonly string[]): JsonValue[]
}

const corpora = new WeakMap<Searchable, Corpus>()

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
  const passages = (isRecordLines(document) ? recordPassages : paragraphPassages)(view.text, lines)
  return {
    count: passages.count,
    ranking: rankPassages(view.text, passages),
    rows: (ranked) =>
      ranked.map(({ index, score }) => {
        const start = passages.start(index)
        const content = view.text.slice(start, passages.end(index))
        const first = lines.lineAt(start)
        const last = lines.lineAt(passages.end(index) - 1)
        const column = start - lines.start(first)
        const place = column > 0 ? `${first + 1}:${column + 1}` : `${first + 1}`
        return `[${score.toFixed(2)}] ${first === last ? `${place}: ` : `lines ${place}-${last + 1}\n`}${content}`
      }),
  }
}

function ofData(document: Document, leaves: LeafIndex): Corpus {
  const values = document.records()?.values
  if (values === undefined) return ofLeaves(document, leaves)
  const { text, passages } = recordTexts(document)
  return {
    count: values.length,
    ranking: rankPassages(text, passages),
    rows: (ranked, terms) => {
      const hit = new RegExp(terms.join('|') || '(?!)', 'iu')
      const groups = ranked.map(({ index }) => ({ record: index, hits: leavesWith(leaves, index, hit) }))
      return withScores(document, leaves, groups, ranked)
    },
  }
}

/** Where nothing repeats, each value is ranked by itself. */
function ofLeaves(document: Document, leaves: LeafIndex): Corpus {
  const { units } = leaves
  return {
    count: units.count,
    ranking: rankPassages(leaves.text, units),
    rows: (ranked) => {
      const groups = ranked.map(({ index }) => ({ record: -1, hits: [hitOf(units, index)] }))
      return withScores(document, leaves, groups, ranked)
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

function leavesWith(leaves: LeafIndex, record: number, hit: RegExp): LeafHit[] {
  const { first, after } = leaves.unitsOf(record)
  const hits: LeafHit[] = []
  for (let unit = first; unit < after && hits.length < mostShown; unit++) {
    const start = leaves.units.start(unit)
    const match = hit.exec(leaves.text.slice(start, leaves.units.end(unit)))
    if (match !== null)
      hits.push({ unit, start: start + match.index, end: start + match.index + match[0].length })
  }
  return hits
}

const hitOf = (units: Spans, unit: number): LeafHit => ({
  unit,
  start: units.start(unit),
  end: units.start(unit),
})
