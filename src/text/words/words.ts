/** Words made comparable: one stemmer and one list of words that say nothing, for results and for tools. The lists are data. */

import porter2 from 'wink-porter2-stemmer'
import { eachWord, pieces } from './tokenize.ts'
import lists from './words.json' with { type: 'json' }

/**
 * Words that say nothing of the work of a tool, or of the object of a search in a result. They are articles, pronouns, and the words that
 * people wrap a question in. `all`, `new` or `not` stay: names of tools have them.
 */
export const stopWords: ReadonlySet<string> = new Set(lists.stopWords.flatMap((line) => line.split(' ')))

/** Forms that no rule of endings leads back, with the word they are forms of: the first of each line. */
const irregular: ReadonlyMap<string, string> = new Map(
  lists.irregular.flatMap((line) => {
    const [base = '', ...forms] = line.split(' ')
    return forms.map((form): [string, string] => [form, base])
  }),
)

const longestWord = 40
/** Stems that are remembered: those of all definitions fit, those of hostile ones do not fill the memory. */
const mostRemembered = 50_000
const remembered = new Map<string, string>()

/** The Porter2 stem of an English word in lower case; what is no such word, or longer than any, stays as it is. */
export function stemOf(word: string): string {
  const known = remembered.get(word)
  if (known !== undefined) return known
  // The stemmer takes quadratic time.
  if (word.length > longestWord || !plain.test(word)) return word
  const base = baseOf(word)
  const stem = noEnding.test(base) ? base : porter2(base)
  if (remembered.size < mostRemembered) remembered.set(word, stem)
  return stem
}

/** The stemmed form of a word: its regular form in American spelling. Its end alone is another one than the stem's. */
export function baseOf(word: string): string {
  return plain.test(word) ? american(regularOf(word)) : word
}

/** The form that has a stem by rule; most words are one. The first three letters are those of `baseOf`. */
export function regularOf(word: string): string {
  return irregular.get(word) ?? word
}

/** Forms of words with this stem that do not begin as it does. */
export function irregularForms(stem: string): readonly string[] {
  if (formsByStem === undefined) {
    formsByStem = new Map()
    for (const [form, base] of irregular)
      formsByStem.set(stemOf(base), [...(formsByStem.get(stemOf(base)) ?? []), form])
  }
  return formsByStem.get(stem) ?? []
}

let formsByStem: Map<string, readonly string[]> | undefined

const plain = /^[a-z]+$/

/** Ends as no ending does that Porter2 takes away or changes: a third of all words need not be sent through its rules. */
const noEnding = /(?:[abfhjkopquvwxz]|[^n]t|[^o]n|[^eo]r|[^aul]l|[^i]c|[^s]m|[^e]d|[^n]g)$/

/** One spelling of what is spelled in two ways. No English is needed of it, only that both become the same. */
function american(word: string): string {
  if (!/is|our|ogue|ence/.test(word)) return word
  return word
    .replace(/(?<=[a-z]{3})is(?=(?:e|ed|er|ers|es|ing|ation|ations)$)/, 'iz')
    .replace(/(?<=[a-z]{2})our(?=s?$)/, 'or')
    .replace(/(?<=og)ue(?=s?$)/, '')
    .replace(/(?<=en)ce(?=s?$)/, 'se')
}

/**
 * The stems of a text in their order, those of identifiers piece by piece (`listPullRequests`, `list-pull_requests`),
 * without words that say nothing.
 */
export function wordsOf(text: string): string[] {
  return writtenWordsOf(text).map(stemOf)
}

/** The same as written, in lower case. */
export function writtenWordsOf(text: string): string[] {
  const words: string[] = []
  eachWord(text, (start, end) => eachPart(text.slice(start, end), (part) => words.push(part)))
  return words
}

/** Calls `take` with the pieces of one word as it stands in a text, in lower case; stop words are left out. */
export function eachPart(written: string, take: (part: string) => void): void {
  const whole = unaccented(written)
  const parts = pieces(whole)
  if (parts.length === 0) takePart(whole, take)
  for (let nth = 0; nth < parts.length; nth++) takePart(parts[nth] as string, take)
}

function takePart(part: string, take: (part: string) => void): void {
  const word = part.slice(0, longestWord).toLowerCase()
  if (word !== '' && !stopWords.has(word)) take(word)
}

/** `búsqueda` as `busqueda`, which is how many write it: accents go, signs that make another letter in other scripts stay. */
function unaccented(word: string): string {
  return /[^\0-\x7f]/.test(word)
    ? word
        .normalize('NFD')
        .replace(/[\u0300-\u036f]/g, '')
        .normalize('NFC')
    : word
}
