/** A question in a few words of a passage, in no order: which passage is it? */
import { several } from './asking.mjs'
import { once } from './fields.mjs'
import { isCommon, occurrences, proseFields, wordsOf } from './text.mjs'

const SHORTEST = 160
const LONGEST = 900
const FEWEST_WORDS = 4
const MOST_WORDS = 7
const FILLERS = ['with', 'the', 'for', 'when', 'how', 'about']

/** The passages of a payload: paragraphs of its sections, or of the long texts of its records. */
const passagesOf = once(({ kind, sections, collections }) => {
  const prose = kind === 'log' ? [] : collections.flatMap(proseFields).flatMap(({ values }) => values.flat())
  const texts = sections?.map(({ text }) => text) ?? prose
  const blocks = texts.flatMap((text) => text.split(/\r?\n\s*\r?\n/)).map((block) => block.trim())
  return [...new Set(blocks)].map((text) => ({
    text,
    words: new Set(wordsOf(text).map(({ word }) => word.toLowerCase())),
  }))
})

export function relevance(payload, { random, count }) {
  const all = passagesOf(payload)
  const usable = all.filter(
    ({ text, words }) =>
      text.length >= SHORTEST &&
      text.length <= LONGEST &&
      words.size >= 15 &&
      !/^\s*(\||`{3}|~{3})/.test(text),
  )
  // A question by words finds nothing special among a handful.
  if (all.length < 8 || usable.length === 0) return []
  const frequency = new Map()
  for (const { words } of all) for (const word of words) frequency.set(word, (frequency.get(word) ?? 0) + 1)
  return several(count, () => {
    const passage = random.pick(usable)
    const phrase = phraseOf(payload, passage, random)
    if (phrase === undefined) return undefined
    const spoken = new Set(wordsOf(phrase).map(({ word }) => word.toLowerCase()))
    const rare = [...passage.words]
      .filter(
        (word) =>
          word.length >= 4 &&
          /^\p{L}+$/u.test(word) &&
          !isCommon(word) &&
          frequency.get(word) <= Math.max(3, 0.05 * all.length),
      )
      .sort((one, other) => frequency.get(one) - frequency.get(other))
      .slice(0, 16)
    const asked = random.shuffled(rare).slice(0, random.between(FEWEST_WORDS, MOST_WORDS))
    if (asked.length < FEWEST_WORDS || [...spoken].every((word) => asked.includes(word) || isCommon(word)))
      return undefined
    // No other passage may answer nearly as well.
    const rivals = all.filter((other) => other !== passage)
    if (rivals.some((other) => asked.filter((word) => other.words.has(word)).length > asked.length / 2))
      return undefined
    const words = random.shuffled([...asked, random.pick(FILLERS)]).join(' ')
    return { text: `Which passage is about: ${words}? Quote it.`, ask: { words }, gold: { contains: phrase } }
  })
}

/** A phrase of four to eight words that stands in this passage only. */
function phraseOf(payload, { text }, random) {
  const parts = text
    .split(/[^\p{L}\p{N} ,-]+| {2,}/u)
    .map((part) => part.trim())
    .filter((part) => part.length >= 16)
  for (let attempt = 0; attempt < 10 && parts.length > 0; attempt++) {
    const part = random.pick(parts)
    const words = wordsOf(part)
    if (words.length < 4) continue
    const start = random.below(words.length - 3)
    const end = words[Math.min(words.length - 1, start + random.between(3, 7))]
    const phrase = part.slice(words[start].at, end.at + end.word.length)
    if (phrase.length >= 12 && phrase.length <= 80 && occurrences(payload, phrase) === 1) return phrase
  }
  return undefined
}
