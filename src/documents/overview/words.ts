/** Words that a search in this very text would find. */

const COMMON = new Set(
  'about after also because been before being between both could does each every from have having here into just like made make many more most much only other over same should some such than that their them then there these they this those through under very want were what when where which while will with would your http https www null true false none'.split(
    ' ',
  ),
)
/** Enough to know what a text is about. */
const MOST_WORDS = 20_000

/** A word that occurs several times but not everywhere; undefined in a text without words. */
export function distinctiveWord(texts: readonly string[]): string | undefined {
  return distinctiveWords(texts, 1)[0]
}

interface Counted {
  times: number
  texts: number
  last: number
}

/** Such words, the most telling first: frequent, long, in few enough of the texts. */
export function distinctiveWords(texts: readonly string[], count: number): string[] {
  return best(counted(texts).words, texts.length, 1, count)
}

/**
 * Two words that stand together again and again, and names within sentences: what a text is about, where one word alone would lead anywhere.
 * None where nothing repeats.
 */
export function telling(texts: readonly string[], count: number): string[] {
  const { pairs, names } = counted(texts)
  const phrases = best(pairs, texts.length, REPEATED, count)
  const held = phrases.join(' ')
  const others = best(names, texts.length, REPEATED, count).filter((name) => !held.includes(name))
  return [...phrases, ...others].slice(0, count)
}

/** So often a phrase must stand in a text to tell what it is about. */
const REPEATED = 3

/** The best of those that stand often enough, by how often and in how many texts they stand. */
function best(found: ReadonlyMap<string, Counted>, texts: number, least: number, count: number): string[] {
  // Frequent enough to matter, rare enough to lead to a few places.
  const score = (word: string, { texts: held }: Counted): number => {
    const share = texts > 3 ? held / texts : 0
    return share > 0.5 ? 0 : Math.log2(1 + held) * Math.min(word.length, 10) * (1 - share) ** 6
  }
  return [...found]
    .filter(([, { times }]) => times >= least)
    .map(([word, counted]) => ({ word, score: score(word, counted) }))
    .sort((one, other) => other.score - one.score)
    .slice(0, count)
    .map(({ word }) => word)
}

/** Words, pairs of words with one blank between them, and words with a capital within a sentence. */
function counted(texts: readonly string[]): Record<'words' | 'pairs' | 'names', Map<string, Counted>> {
  const found = {
    words: new Map<string, Counted>(),
    pairs: new Map<string, Counted>(),
    names: new Map<string, Counted>(),
  }
  const add = (to: Map<string, Counted>, what: string, index: number): void => {
    const known = to.get(what) ?? { times: 0, texts: 0, last: -1 }
    known.times += 1
    if (known.last !== index) known.texts += 1
    known.last = index
    to.set(what, known)
  }
  let seen = 0
  for (const [index, text] of texts.entries()) {
    let before: { word: string; end: number } | undefined
    for (const match of text.slice(0, 4000).matchAll(/\p{L}{4,20}/gu)) {
      if (++seen > MOST_WORDS) break
      const [word] = match
      const isCommon = COMMON.has(word.toLowerCase())
      if (!isCommon) {
        add(found.words, word, index)
        const beside = before && text.slice(before.end, match.index) === ' '
        if (beside && before) add(found.pairs, `${before.word} ${word}`, index)
        if (
          /^\p{Lu}\p{Ll}/u.test(word) &&
          /[\p{Ll},] $/u.test(text.slice(Math.max(0, match.index - 2), match.index))
        )
          add(found.names, word, index)
      }
      before = isCommon ? undefined : { word, end: match.index + word.length }
    }
  }
  return found
}
