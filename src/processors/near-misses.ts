/** What to say when nothing was found: what was searched, and what is near. */
import { formatPlural } from '../text/format.ts'
import { compilePattern, isPattern } from '../text/pattern.ts'
import { eachWord } from '../text/tokenize.ts'
import type { SearchParams } from './search-params.ts'
import { findHits, isVocabularyCheap, type Searchable, vocabularyOf } from './searchable.ts'

/** Words of the pattern that are looked up, and near words told for each. */
const mostWords = 3
const mostNear = 4

/** Notes for a search of `view` that found nothing. */
export function nearMisses(view: Searchable, params: SearchParams): string[] {
  const notes = [`Nothing matches in ${formatPlural(view.units.count, view.noun)}.`]
  const mode = params.mode ?? 'regex'
  if (mode === 'regex' || mode === 'context')
    notes.push(...withoutQuotes(view, params), ...otherCase(view, params))
  if (notes.length === 1) notes.push(...nearWords(view, params.pattern ?? ''))
  return notes
}

function otherCase(view: Searchable, params: SearchParams): string[] {
  if (params.case_insensitive === true) return []
  return wouldMatch(view, { ...params, case_insensitive: true }, 'With case_insensitive: true')
}

/** `"word"`: the quotes belong to the pattern, which is seldom meant. */
function withoutQuotes(view: Searchable, params: SearchParams): string[] {
  const [, , bare] = /^(["'])(.+)\1$/s.exec(params.pattern ?? '') ?? []
  return bare === undefined ? [] : wouldMatch(view, { ...params, pattern: bare }, 'Without the quotes')
}

function wouldMatch(view: Searchable, params: SearchParams, how: string): string[] {
  const pattern = compilePattern(params.pattern ?? '', {
    caseInsensitive: params.case_insensitive === true,
    multiline: params.multiline === true,
  })
  if (!isPattern(pattern)) return []
  try {
    const { count } = pattern.run(() => findHits(view, pattern, 0))
    return count === 0 ? [] : [`${how}, ${formatPlural(count, view.noun)} would match.`]
  } catch {
    // Out of time: there is nothing to say then.
    return []
  }
}

function nearWords(view: Searchable, pattern: string): string[] {
  if (!isVocabularyCheap(view)) return []
  const vocabulary = vocabularyOf(view)
  const words: string[] = []
  // A backslash and a letter is a class, not the beginning of a word.
  const plain = pattern.replace(/\\[a-zA-Z]/g, ' ').slice(0, 200)
  eachWord(plain, (start, end) => {
    if (words.length < mostWords && end - start >= 3) words.push(plain.slice(start, end).toLowerCase())
  })
  return words.flatMap((word) => {
    const near = vocabulary.nearest(word, mostNear)
    return near.length === 0 || near.includes(word) ? [] : [`Near \`${word}\`: ${near.join(', ')}.`]
  })
}
