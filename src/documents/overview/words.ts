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

/** Such words, the most telling first: frequent, long, in few enough of the texts. */
export function distinctiveWords(texts: readonly string[], count: number): string[] {
  const found = new Map<string, { times: number; texts: number; last: number }>()
  let seen = 0
  for (const [index, text] of texts.entries()) {
    for (const [word] of text.slice(0, 4000).matchAll(/\p{L}{4,20}/gu)) {
      if (++seen > MOST_WORDS) break
      const known = found.get(word) ?? { times: 0, texts: 0, last: -1 }
      known.times += 1
      if (known.last !== index) known.texts += 1
      known.last = index
      found.set(word, known)
    }
  }
  // Frequent enough to matter, rare enough to lead to a few places.
  const score = (word: string, counted: { texts: number }) => {
    const share = texts.length > 3 ? counted.texts / texts.length : 0
    return share > 0.5 ? 0 : Math.log2(1 + counted.texts) * Math.min(word.length, 10) * (1 - share) ** 6
  }
  return [...found]
    .filter(([word]) => !COMMON.has(word.toLowerCase()))
    .map(([word, counted]) => ({ word, score: score(word, counted) }))
    .sort((one, other) => other.score - one.score)
    .slice(0, count)
    .map(({ word }) => word)
}
