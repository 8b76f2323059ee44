/** Words of tool definitions and of questions for tools, made comparable. */
import porter2 from 'wink-porter2-stemmer'
import { eachWord, pieces } from '../text/tokenize.ts'

/**
 * Words that say nothing of what a tool does: articles and pronouns, and what people wrap a question in. `all`, `new` or
 * `not` stay: names of tools have them.
 */
const stopWords: ReadonlySet<string> = new Set(
  `a about also am an and any anything are as at be been being but by can could did do does doing done each for from give had
  has have having he help her here his how i if in into is it its just let like me might must my need needs of on one ones only onto
  or other our please really shall she should so some something than that the their them then there these they thing things this those
  to too use used using very via want wanted wants was we were what when where which while who whom why will with would you your`.split(
    /\s+/,
  ),
)

/** Stems that are remembered: the words of all definitions fit, those of hostile ones do not fill the memory. */
const mostRemembered = 50_000
const longestWord = 40

const stems = new Map<string, string>()

/** The Porter2 stem of an English word in lower case; what is no such word stays as it is. */
export function stemOf(word: string): string {
  let stem = stems.get(word)
  if (stem === undefined) {
    stem = /^[a-z]+$/.test(word) ? porter2(word) : word
    if (stems.size < mostRemembered) stems.set(word, stem)
  }
  return stem
}

/**
 * The stems of a text in their order, those of identifiers piece by piece (`listPullRequests`, `list-pull_requests`),
 * without words that say nothing.
 */
export function wordsOf(text: string): string[] {
  const words: string[] = []
  const add = (word: string): void => {
    const lower = word.slice(0, longestWord).toLowerCase()
    if (lower !== '' && !stopWords.has(lower)) words.push(stemOf(lower))
  }
  eachWord(text, (start, end) => {
    const whole = text.slice(start, end)
    const parts = pieces(whole)
    if (parts.length === 0) add(whole)
    else for (const part of parts) add(part)
  })
  return words
}
