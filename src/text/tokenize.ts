/** Words of a text, as search and ranking count them. */

/** A word is a run of letters, digits and `_`; an ideograph is a word of its own, as its script has no spaces. */
type CharacterClass = 0 | 1 | 2
const other: CharacterClass = 0
export const word: CharacterClass = 1
export const ideograph: CharacterClass = 2

/** Longer runs (base64, hashes) stay whole: their pieces are noise. */
const longestSplit = 64

/** Calls `visit` with the place of each word, from left to right, within `[from, to)`. */
export function eachWord(
  text: string,
  visit: (start: number, end: number) => void,
  from = 0,
  to = text.length,
): void {
  let start = -1
  for (let at = from; at < to; ) {
    const found = classAt(text, at)
    const width = found === other ? 1 : widthAt(text, at)
    if (found !== word && start >= 0) {
      visit(start, at)
      start = -1
    }
    if (found === ideograph) visit(at, at + width)
    if (found === word && start < 0) start = at
    at += width
  }
  if (start >= 0) visit(start, to)
}

/** The word that holds the character at `at`, within `[from, to)`. Only that character when it is in no word. */
export function wordAt(text: string, at: number, from: number, to: number): { start: number; end: number } {
  const here = classAt(text, at)
  let start = at
  let end = Math.min(to, at + widthAt(text, at))
  if (here !== word) return { start, end }
  while (end < to && classAt(text, end) === word) end += widthAt(text, end)
  while (start > from) {
    const before = start - (start - 2 >= from && widthAt(text, start - 2) === 2 ? 2 : 1)
    if (classAt(text, before) !== word) break
    start = before
  }
  return { start, end: Math.min(end, to) }
}

/** The last word that ends at or before `at`; undefined when there is none. */
export function wordBefore(text: string, at: number): { start: number; end: number } | undefined {
  let place = at - 1
  while (place >= 0 && classAt(text, startOfCharacter(text, place)) === other) place--
  return place < 0 ? undefined : wordAt(text, startOfCharacter(text, place), 0, at)
}

/** The first word that begins at or after `at`, where a word or what is no word begins; undefined when there is none. */
export function wordAfter(text: string, at: number): { start: number; end: number } | undefined {
  let place = at
  while (place < text.length && classAt(text, place) === other) place++
  return place < text.length ? wordAt(text, place, at, text.length) : undefined
}

/** `at`, or the place before it when a surrogate pair begins there. */
function startOfCharacter(text: string, at: number): number {
  return at > 0 && widthAt(text, at - 1) === 2 ? at - 1 : at
}

/**
 * The terms of a text, lower case: each word, and the pieces of identifiers (`getUserName` also gives `get`, `user`,
 * `name`; `HTTP_PORT` gives `http`, `port`). In order, repeated as often as they occur.
 */
export function tokenize(text: string): string[] {
  const terms: string[] = []
  eachWord(text, (start, end) => {
    const whole = text.slice(start, end)
    terms.push(whole.toLowerCase())
    for (const piece of pieces(whole)) terms.push(piece.toLowerCase())
  })
  return terms
}

/** The pieces of an identifier as written; none when it is one piece, so that nothing counts twice. */
export function pieces(whole: string): readonly string[] {
  if (whole.length > longestSplit || !compound.test(whole)) return none
  const found = whole.match(piece) ?? none
  return found.length > 1 || found[0] !== whole ? found : none
}

/** How many terms `tokenize` gives for `[from, to)`. Of many parts `countTermsOf` tells it in a fraction of the time. */
export function countTerms(text: string, from: number, to: number): number {
  let count = 0
  eachWord(
    text,
    (start, end) => {
      count++
      if (mayBeCompound(text, start, end)) count += pieces(text.slice(start, end)).length
    },
    from,
    to,
  )
  return count
}

/** Cheap and never wrong when false: no `_`, and no capital after the first character. */
function mayBeCompound(text: string, start: number, end: number): boolean {
  if (end - start < 2 || end - start > longestSplit) return false
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code === 95 || code >= 128 || (at > start && code >= 65 && code <= 90)) return true
  }
  return false
}

const none: readonly string[] = []
const compound = /_|[\p{Ll}\p{N}]\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u
const piece = /\p{Lu}+(?!\p{Ll})[\p{N}]*|[^_\p{Lu}]+|\p{Lu}[^_\p{Lu}]*/gu

const ascii = Uint8Array.from({ length: 128 }, (_, code) =>
  /\w/.test(String.fromCharCode(code)) ? word : other,
)
/** Classes of the other characters of the first plane, found on first use. 255: not yet. */
const plane = new Uint8Array(0x10000).fill(255)
const letter = /[\p{L}\p{N}\p{M}]/u
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u

function classAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code < 128 ? (ascii[code] ?? other) : classify(text, at, code)
}

/** 2 for a surrogate pair, otherwise 1. */
function widthAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0xd800 && code <= 0xdbff && (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}

function classify(text: string, at: number, code: number): number {
  if (code >= 0xd800 && code <= 0xdfff) return classOf(String.fromCodePoint(text.codePointAt(at) ?? 0))
  const known = plane[code] ?? other
  if (known !== 255) return known
  const found = classOf(String.fromCharCode(code))
  plane[code] = found
  return found
}

/** The class of one character. */
export const classOf = (character: string): CharacterClass =>
  unspaced.test(character) ? ideograph : letter.test(character) ? word : other
