/** Relevance ranking by BM25 (Robertson and Zaragoza, 2009): rare words count more, repeated ones less and less. */
import winkBm25 from 'wink-bm25-text-search'
import { bestPassages, type Found, type Scores } from './best-passages.ts'
import { type Corpus, measurePassages, scanBm25 } from './bm25-scan.ts'
import { KnownTerms } from './known-terms.ts'
import { tokenize } from './tokenize.ts'

export type { Ranked } from './best-passages.ts'
export type { Corpus, SharedWords } from './bm25-scan.ts'

/** What can be asked again and again about the same passages. */
export interface Ranking {
  /** Passages that hold a word of the query, at most `most` of them: all, if not said otherwise. */
  search(query: string, most?: number): Found
}

/** Texts up to this many characters get an index: it takes 18 times the memory of the text, and a scan 1 ms a megabyte. */
const indexedCharacters = 50_000
/** wink needs this many. */
const fewest = 3
/** Words of a query that are looked at, and the characters of one. */
const mostTerms = 32
const longestTerm = 100

/** Ranks passages: with an index when they are small, by scanning for the words of the query when large. Same order. */
export function rankPassages(corpus: Corpus): Ranking {
  return corpus.text.length <= indexedCharacters ? indexed(corpus) : scanned(corpus)
}

/** Words that questions are made of, and that say nothing of what is asked for. */
const common: ReadonlySet<string> = new Set(
  'a about an and are as at be before but by can could did do does for from had has have how i if in into is it its of on or our should so than that the their then there these they this to was we were what when where which who why will with would you your'.split(
    ' ',
  ),
)

/** The distinct words of a query that count: common ones only where there are no others. */
export function queryTerms(query: string): string[] {
  const terms = [...new Set(tokenize(query.slice(0, 2_000)))].filter((term) => term.length <= longestTerm)
  const telling = terms.filter((term) => !common.has(term))
  return (telling.length > 0 ? telling : terms).slice(0, mostTerms)
}

/** The terms of a query with other endings of its words, which count as terms of their own. */
export function searchTerms(query: string): string[] {
  const asked = queryTerms(query)
  return [...new Set([...asked, ...asked.flatMap(inflections)])]
}

/** Other endings of an English word: `install` is also in `installing` and `installation`. */
function inflections(word: string): string[] {
  if (!/^[a-z]{4,20}$/.test(word)) return []
  const ending = /(?:ations?|ings?|ions?|ed|es|s)$/.exec(word)?.[0] ?? ''
  const stem =
    word.length - ending.length >= 4 && !/ss$|[aeiu]s$/.test(word)
      ? word.slice(0, word.length - ending.length)
      : word
  const bare = stem.replace(/e$/, '')
  const forms = [
    stem,
    `${stem}s`,
    `${bare}ed`,
    `${bare}ing`,
    `${bare}ion`,
    `${bare}ation`,
    ...(ending === 'ing' || ending === 'ed' ? [`${bare}e`] : []),
  ]
  return forms.filter((form) => form !== word)
}

/** What is remembered of the terms of queries takes this part of the text's length at most. */
const rememberedShare = 1 / 128

export function scanned(corpus: Corpus): Ranking {
  const lengths = measurePassages(corpus)
  const known = new KnownTerms(corpus.text.length * rememberedShare)
  return {
    search: (query, most = Infinity) => scanBm25(corpus, lengths, known, searchTerms(query), most),
  }
}

export function indexed(corpus: Corpus): Ranking {
  const { text, passages, shared } = corpus
  // Padding would change how rare a word is; scanning needs none.
  if (passages.count < fewest) return scanned(corpus)
  const engine = winkBm25()
  engine.defineConfig({ fldWeights: { text: 1 } })
  // Texts and queries take the same way in; a repeated word of a query would count repeatedly.
  let learning = true
  engine.definePrepTasks([(input) => (learning ? tokenize(input) : searchTerms(input))])
  for (let index = 0; index < passages.count; index++) {
    const part = shared?.of[index] ?? 0
    const common = shared?.text.slice(shared.parts.start(part), shared.parts.end(part)) ?? ''
    engine.addDoc({ text: `${common}\n${text.slice(passages.start(index), passages.end(index))}` }, index)
  }
  engine.consolidate()
  learning = false
  return {
    search(query, most = Infinity) {
      const scores: Scores = {
        values: new Float64Array(passages.count),
        held: new Uint8Array(passages.count),
      }
      for (const [id, score] of engine.search(query, passages.count)) {
        if (score <= 0) continue
        scores.values[Number(id)] = score
        scores.held[Number(id)] = 1
      }
      return bestPassages(scores, corpus.goOn ?? new Uint32Array(0), most)
    },
  }
}
