/** Words of a text, as search and ranking count them. */
import type { Spans } from '../spans.ts'

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

// How many terms the parts of a text have: counted by the codes of their characters, without making words of them.

/** Codes that are read at once. */
const BLOCK = 1 << 15

/** For each part, as many as `tokenize` gives for it. */
export function countTermsOf(text: string, parts: Spans): Int32Array {
  const counts = new Int32Array(parts.count)
  const reader = new Reader(text)
  for (let index = 0; index < parts.count; index++)
    counts[index] = reader.count(parts.start(index), parts.end(index))
  return counts
}

/** Counts in parts that come in order; what it reads of the text at once is enough for many of them. */
class Reader {
  readonly #text: string
  readonly #codes: Uint16Array
  readonly #bytes: Buffer
  /** The place of the codes in the text. */
  #first = 0
  #after = 0

  constructor(text: string) {
    this.#text = text
    this.#codes = new Uint16Array(Math.min(BLOCK, text.length))
    this.#bytes = Buffer.from(this.#codes.buffer)
  }

  count(start: number, end: number): number {
    let count = 0
    let from = start
    while (end - from > BLOCK) {
      const border = this.#borderBefore(from + BLOCK, from)
      if (border === from) return count + countTerms(this.#text, from, end)
      count += this.#countShort(from, border)
      from = border
    }
    return count + this.#countShort(from, end)
  }

  #countShort(start: number, end: number): number {
    if (start < this.#first || end > this.#after) this.#read(start)
    const found = countIn(this.#codes, start - this.#first, end - this.#first)
    return found ?? countTerms(this.#text, start, end)
  }

  #read(start: number): void {
    const text = this.#text.slice(start, start + this.#codes.length)
    this.#bytes.write(text, 'utf16le')
    this.#first = start
    this.#after = start + text.length
  }

  /** The last place up to `at` that is in no word; `from` when there is none. */
  #borderBefore(at: number, from: number): number {
    let border = at
    while (border > from && kindOf(this.#text.charCodeAt(border)) !== OTHER) border--
    return border
  }
}

/** The class of a code; those below `IDEOGRAPH` and above `OTHER` make words. */
const OTHER = 0
const SMALL = 1
const CAPITAL = 2
const UNDERSCORE = 3
/** Beyond ASCII. */
const LETTER = 4
const FOREIGN_CAPITAL = 5
const IDEOGRAPH = 6
/** Half of a character beyond the first plane. */
const HALF = 7
const UNKNOWN = 8

const KIND_BITS = 4

/** Kinds of the codes, those beyond ASCII found on first use. */
const kinds = new Uint8Array(0x10000).fill(UNKNOWN)
for (let code = 0; code < 128; code++) kinds[code] = kindOfCode(code)

function kindOf(code: number): number {
  const known = kinds[code] ?? OTHER
  if (known !== UNKNOWN) return known
  const found = kindOfCode(code)
  kinds[code] = found
  return found
}

function kindOfCode(code: number): number {
  const character = String.fromCharCode(code)
  if (code >= 0xd800 && code <= 0xdfff) return HALF
  if (code === 95) return UNDERSCORE
  const found = classOf(character)
  if (found !== word) return found === ideograph ? IDEOGRAPH : OTHER
  if (/\p{Lu}/u.test(character)) return code < 128 ? CAPITAL : FOREIGN_CAPITAL
  return code < 128 ? SMALL : LETTER
}

const isWord = (kind: number): boolean => kind > OTHER && kind < IDEOGRAPH

/** The effect of a code after the one before: 1 begins a word, all above has to be looked at. By both kinds. */
const BEGINS = 1
const LOOK = 2
const actions = Uint8Array.from({ length: (UNKNOWN + 1) << KIND_BITS }, (_, both) => {
  const before = both >> KIND_BITS
  const kind = both & ((1 << KIND_BITS) - 1)
  if (kind >= HALF) return LOOK
  const begins = kind === IDEOGRAPH || (isWord(kind) && !isWord(before)) ? BEGINS : 0
  const isCapital = kind === CAPITAL || kind === FOREIGN_CAPITAL
  return kind === UNDERSCORE || (isCapital && isWord(before)) ? begins | LOOK : begins
})

/** Terms of `[from, to)`; undefined where there are halves of characters, of which a code does not tell what they are. */
function countIn(codes: Uint16Array, from: number, to: number): number | undefined {
  let count = 0
  let before = OTHER
  for (let at = from; at < to; at++) {
    const kind = kinds[codes[at] ?? 0] ?? OTHER
    const action = actions[(before << KIND_BITS) | kind] ?? 0
    if (action > BEGINS) {
      if (kind === HALF) return undefined
      if (kind === UNKNOWN) {
        kindOf(codes[at--] ?? 0)
        continue
      }
      const end = wordEnd(codes, at, to)
      count += piecesIn(codes, wordStart(codes, at, from), end)
      // The character behind the word is looked at again, and so is a half that may be a letter of it.
      at = end - 1
    }
    count += action & BEGINS
    before = kind
  }
  return count
}

function wordStart(codes: Uint16Array, at: number, from: number): number {
  let start = at
  while (start > from && isWord(kindOf(codes[start - 1] ?? 0))) start--
  return start
}

function wordEnd(codes: Uint16Array, at: number, to: number): number {
  let end = at
  while (end < to && isWord(kindOf(codes[end] ?? 0))) end++
  return end
}

/** Longer words are in one piece. */
const LONGEST = 64

/** The parts of a piece of a word so far. */
const NOTHING = 0
const SMALLS = 1
const ONE_CAPITAL = 2
const CAPITALS = 3
const CAPITALS_AND_DIGITS = 4
const CAPITAL_AND_SMALLS = 5

/** As many as `pieces` gives for a word. */
function piecesIn(codes: Uint16Array, start: number, end: number): number {
  if (end - start > LONGEST) return 0
  let count = 0
  let piece = NOTHING
  let isCompound = false
  for (let at = start; at < end; at++) {
    const code = codes[at] ?? 0
    const kind = kindOf(code)
    if (kind >= LETTER) return pieces(String.fromCharCode(...codes.subarray(start, end))).length
    const before = piece
    if (kind === UNDERSCORE) piece = NOTHING
    else if (kind === CAPITAL) piece = before === ONE_CAPITAL || before === CAPITALS ? CAPITALS : ONE_CAPITAL
    else if (before === NOTHING) piece = SMALLS
    else if (code <= NINE)
      piece = before === ONE_CAPITAL || before === CAPITALS ? CAPITALS_AND_DIGITS : before
    else if (before === ONE_CAPITAL || before === CAPITALS) piece = CAPITAL_AND_SMALLS
    else if (before === CAPITALS_AND_DIGITS) piece = SMALLS
    // Of capitals before a small letter the last one begins a piece.
    const isNew = piece !== before && (piece === SMALLS || piece === ONE_CAPITAL)
    const isParted = before === CAPITALS && piece === CAPITAL_AND_SMALLS
    if (isNew || isParted) count++
    if (kind === UNDERSCORE || isParted || (piece === ONE_CAPITAL && before !== NOTHING)) isCompound = true
  }
  return isCompound ? count : 0
}

const NINE = 57
