/** Words as keys are: of capitals, small letters and digits in no order. A word that only looks so is left alone. */
import { asciiTable, type Finding } from './scan.ts'

const SHORTEST = 24
const LONGEST = 128

/** `words`: starts and ends. `least`: bits a character. `name`: what the whole text is the value of. */
export function findRandomWords(
  text: string,
  words: readonly number[],
  least: number,
  into: Finding[],
  name = '',
): void {
  for (let at = 0; at < words.length; at += 2) {
    const start = words[at] as number
    const end = words[at + 1] as number
    const size = end - start
    if (size < SHORTEST || size > LONGEST) continue
    const word = text.slice(start, end)
    if (isMixed(word) && entropyOf(word) >= least && !isData(text, start, end) && !isNamed(text, start, name))
      into.push({ start, end, kind: 'entropy' })
  }
}

/**
 * How often, at least, the kind changes from one character to the next. In a key that is chance; in a name it comes at the borders of
 * words, where a small letter behind a capital is none.
 */
const CHANGES = 0.25

function isMixed(word: string): boolean {
  const seen = [0, 0, 0]
  let changes = 0
  let before = -1
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at)
    const kind = code >= 97 ? 0 : code >= 65 && code !== 95 ? 1 : code >= 48 && code <= 57 ? 2 : -1
    if (kind < 0) continue
    seen[kind] = 1
    if (kind !== before && before >= 0 && !(before === 1 && kind === 0)) changes++
    before = kind
  }
  return seen[0] === 1 && seen[1] === 1 && seen[2] === 1 && changes >= (word.length - 1) * CHANGES
}

const IS_OF_DATA = asciiTable(/[A-Za-z0-9+/_=-]/)

/** Part of something longer, as images in base64 are, or a digest with its name: `sha512-…`. */
function isData(text: string, start: number, end: number): boolean {
  let from = start
  let to = end
  while (from > 0 && to - from <= LONGEST && IS_OF_DATA[text.charCodeAt(from - 1)] === 1) from--
  while (to < text.length && to - from <= LONGEST && IS_OF_DATA[text.charCodeAt(to)] === 1) to++
  if (to - from > LONGEST) return true
  return (
    /^(?:sha|md)\d{1,3}[-:]|^h1:/i.test(text.slice(from, from + 8)) ||
    /(?:sha\d{1,3}|h1)[:=]$/i.test(text.slice(Math.max(0, from - 8), from))
  )
}

/** The name that a value is given says that it is for others to go by, to compare, or to find something. */
const NAMED =
  /(?:^|[^A-Za-z0-9]|[a-z0-9])(?:ids?|Ids?|IDs?|guid|uuid|uid|hash|Hash|digest|checksum|integrity|etag|ETag|sha\d*|cursor|Cursor|signature|thumbprint|fingerprint|nonce|ref|Ref|version|Version|url|URL|Url|uri|path|file|slug|next_?[pP]age_?[tT]oken|continuation_?[tT]oken)(?:\\{0,8}["'`])?\s{0,4}[:=]\s{0,4}(?:\\{0,8}["'`])?$/

/** Parameters of addresses that only tell where a visitor came from, as search engines, advertisers and mailers add them. */
const TRACKING =
  /(?:[?&;]|%3f|%26|\\u003f|\\u0026)(?:usg|ved|ei|sxsrf|sig2|gs_l(?:cr?p)?|srsltid|_gl|_hsenc|_hsmi|epik|mc_[ce]id)(?:=|%3d|\\u003d)$/i

/** So does an address or a path that it is a part of. */
function isNamed(text: string, start: number, name: string): boolean {
  const before = start === 0 ? `${name}:` : text.slice(Math.max(0, start - 48), start)
  return before.endsWith('/') || NAMED.test(before) || TRACKING.test(before)
}

const counts = new Uint16Array(128)

/** Bits a character (Shannon). ASCII only. */
export function entropyOf(word: string): number {
  counts.fill(0)
  let bits = 0
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at) & 127
    counts[code] = (counts[code] as number) + 1
  }
  for (let code = 0; code < counts.length; code++) {
    const count = counts[code] as number
    if (count > 0) bits -= (count / word.length) * Math.log2(count / word.length)
  }
  return bits
}
