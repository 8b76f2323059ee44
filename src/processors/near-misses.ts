/** What to say when nothing was found: what was searched, and what is near. */
import { formatPlural } from '../text/format.ts'
import { eachWord } from '../text/tokenize.ts'
import type { SearchParams } from './search-params.ts'
import { nearMatches } from './search-readings.ts'
import { isVocabularyCheap, type Searchable, vocabularyOf } from './searchable.ts'

/** Words of the pattern that are looked up, and near words told for each. */
const mostWords = 3
const mostNear = 4

/** Notes for a search of `view` that found nothing, however the pattern was read. */
export function nearMisses(view: Searchable, params: SearchParams): string[] {
  const nothing = `Nothing matches in ${formatPlural(view.units.count, view.noun)}.`
  const mode = params.mode ?? 'regex'
  const near = mode === 'regex' || mode === 'context' ? nearMatches(view, params) : undefined
  return near === undefined ? [nothing, ...nearWords(view, params.pattern ?? '')] : [nothing, near]
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
