/** Words that a search in this very text would find. */

const COMMON = new Set(
  'about after also because been before being between both could does each every from have having here into just like made make many more most much only other over same should some such than that their them then there these they this those through under very want were what when where which while will with would your http https www null true false none'.split(
    ' ',
  ),
)
/** Enough to know what a text is about. */
const MOST_WORDS = 10_000

/** A word that occurs several times but not everywhere; undefined in a text without words. */
export function distinctiveWord(texts: readonly string[]): string | undefined {
  return distinctiveWords(texts, 1)[0]
}

/** Such words, the most telling first: frequent, long, in few enough of the texts. */
export function distinctiveWords(texts: readonly string[], count: number): string[] {
  return frequentWords(counted(texts), texts.length, count)
}

/**
 * Two words that stand together again and again, and names within sentences: what a text is about, where one word alone would lead anywhere.
 * None where nothing repeats.
 */
export function telling(texts: readonly string[], count: number): string[] {
  return phrasesIn(counted(texts), texts.length, count)
}

/** The most telling phrase; where nothing repeats, the most telling word. */
export function phraseOrWord(texts: readonly string[]): string | undefined {
  const found = counted(texts)
  return phrasesIn(found, texts.length, 1)[0] ?? frequentWords(found, texts.length, 1)[0]
}

function frequentWords({ words }: Words, texts: number, count: number): string[] {
  const told = [...words.values()].filter(({ isCommon }) => !isCommon)
  return best(told, texts, 1, count)
}

function phrasesIn({ pairs, names }: Words, texts: number, count: number): string[] {
  const phrases = best(pairs, texts, REPEATED, count)
  const held = phrases.join(' ')
  const others = best(names, texts, REPEATED, count).filter((name) => !held.includes(name))
  return [...phrases, ...others].slice(0, count)
}

/** So often a phrase must stand in a text to tell what it is about. */
const REPEATED = 3

/** How often something stands in the texts, and in how many of them. */
class Counted {
  readonly what: string
  times = 0
  texts = 0
  #last = -1

  constructor(what: string) {
    this.what = what
  }

  add(text: number): void {
    this.times += 1
    if (this.#last !== text) this.texts += 1
    this.#last = text
  }
}

class Word extends Counted {
  readonly isCommon: boolean
  readonly isCapital: boolean
  /** The word behind it, with one blank between. */
  readonly pairs = new Map<Word, Counted>()
  named: Counted | undefined

  constructor(word: string) {
    super(word)
    this.isCommon = COMMON.has(word.toLowerCase())
    this.isCapital = /^\p{Lu}\p{Ll}/u.test(word)
  }
}

/** Words, pairs of words with one blank between them, and words with a capital within a sentence. */
interface Words {
  words: Map<string, Word>
  /** In the order of their first place. */
  pairs: Counted[]
  names: Counted[]
}

/** The best of the frequent words, by how often and in how many texts they stand. */
function best(found: readonly Counted[], texts: number, least: number, count: number): string[] {
  // Frequent enough to matter, rare enough to lead to a few places.
  const score = ({ what, texts: held }: Counted): number => {
    const share = texts > 3 ? held / texts : 0
    return share > 0.5 ? 0 : Math.log2(1 + held) * Math.min(what.length, 10) * (1 - share) ** 6
  }
  return found
    .filter(({ times }) => times >= least)
    .map((one) => ({ what: one.what, score: score(one) }))
    .sort((one, other) => other.score - one.score)
    .slice(0, count)
    .map(({ what }) => what)
}

const LETTERS = /\p{L}{4,20}/gu
/** The same where all is ASCII, in a third of the time. */
const ASCII_LETTERS = /[A-Za-z]{4,20}/g
const ASCII = /^[\0-\x7f]*$/
const BLANK = 32

function counted(texts: readonly string[]): Words {
  const words = new Map<string, Word>()
  const pairs: Counted[] = []
  const names: Counted[] = []
  let seen = 0
  for (let index = 0; index < texts.length && seen <= MOST_WORDS; index++) {
    const text = (texts[index] ?? '').slice(0, 4000)
    let before: Word | undefined
    let end = -1
    const letters = ASCII.test(text) ? ASCII_LETTERS : LETTERS
    letters.lastIndex = 0
    for (let match = letters.exec(text); match !== null && ++seen <= MOST_WORDS; match = letters.exec(text)) {
      const [spelled] = match
      let word = words.get(spelled)
      if (word === undefined) {
        word = new Word(spelled)
        words.set(spelled, word)
      }
      if (word.isCommon) {
        before = undefined
        continue
      }
      word.add(index)
      if (before !== undefined && match.index === end + 1 && text.charCodeAt(end) === BLANK) {
        let pair = before.pairs.get(word)
        if (pair === undefined) {
          pair = new Counted(`${before.what} ${spelled}`)
          before.pairs.set(word, pair)
          pairs.push(pair)
        }
        pair.add(index)
      }
      if (word.isCapital && /[\p{Ll},] $/u.test(text.slice(Math.max(0, match.index - 2), match.index))) {
        if (word.named === undefined) {
          word.named = new Counted(spelled)
          names.push(word.named)
        }
        word.named.add(index)
      }
      before = word
      end = match.index + spelled.length
    }
  }
  return { words, pairs, names }
}
