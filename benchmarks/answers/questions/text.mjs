/** The words in the text of a payload, and those worth asking for. */
import { fieldsOf, once } from './fields.mjs'

/** The text of a payload in lower case. */
const lower = once(({ text }) => text.toLowerCase())

/** How often a phrase occurs anywhere in a payload, whatever its case; two stands for more. */
export function occurrences(payload, phrase) {
  const text = lower(payload)
  const small = phrase.toLowerCase()
  const first = text.indexOf(small)
  if (first < 0) return 0
  return text.indexOf(small, first + 1) < 0 ? 1 : 2
}

/** Words of letters, with where they are. */
export function wordsOf(text) {
  return [...text.matchAll(/\p{L}[\p{L}\p{N}]*/gu)].map((match) => ({ word: match[0], at: match.index }))
}

const COMMON = new Set(
  'about after all also and any are because been before but can could does each for from had has have here how http https into its just like make more most need not now only other our out over same should some such than that the their them then there these they this those through under use used using very was way were what when where which while who why will with would www you your'.split(
    ' ',
  ),
)
export const isCommon = (word) => COMMON.has(word.toLowerCase()) || word.length < 3

/**
 * A stretch of a text that reads the same in every form it may be sent in: letters, digits, blanks and a little punctuation.
 * @returns {string[]} the stretches of a text that are long enough
 */
export function stretches(text, least = 12) {
  return text
    .split(/[^\p{L}\p{N} ,.:;()/+_-]+| {2,}/u)
    .map((part) => part.trim())
    .filter((part) => part.length >= least)
}

/**
 * A phrase of some words that occurs once in the payload.
 * @returns {string | undefined}
 */
export function rarePhrase(payload, text, random, { fewest = 1, most = 3, attempts = 12 } = {}) {
  const parts = stretches(text)
  for (let attempt = 0; attempt < attempts && parts.length > 0; attempt++) {
    const part = random.pick(parts)
    const words = wordsOf(part)
    const count = random.between(fewest, most)
    if (words.length < count) continue
    const start = random.below(words.length - count + 1)
    const last = words[start + count - 1]
    const phrase = part.slice(words[start].at, last.at + last.word.length)
    if (/[.,:;]\s/.test(phrase)) continue
    const rich = words.slice(start, start + count).some(({ word }) => word.length >= 5 && !isCommon(word))
    // A word that goes on in the text ("crash" of "crash-loop") is fine verbatim, but reads oddly.
    if (
      !rich ||
      phrase.length < 6 ||
      phrase.length > 60 ||
      /^[\p{L}\p{N}_-]/u.test(part.slice(last.at + last.word.length))
    )
      continue
    if (occurrences(payload, phrase) === 1) return phrase
  }
  return undefined
}

/** Fields with prose: where one looks for words. */
export const proseFields = once((collection) =>
  fieldsOf(collection).filter(({ kind, values }) => {
    if (kind !== 'string') return false
    const spaced = values.flat().filter((value) => value.includes(' '))
    return spaced.length > 0 && spaced.reduce((sum, value) => sum + value.length, 0) / spaced.length >= 60
  }),
)
