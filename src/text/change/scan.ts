/**
 * One pass over a text that tells where a closer look is worth it. Nearly every text is ordinary: this pass is all that is done to it.
 * Escapes of JSON (`\n`, `\u003d`) and of addresses (`%3D`) end words as the characters do that they stand for.
 */

/** Places and possibilities of a text. */
export interface Scan {
  /** Starts and ends of words, pairwise: runs of letters, digits, `_`, `+` and `-` that are long enough for a key. */
  readonly words: readonly number[]
  /** Where a name may end before its value: at `:`, `=`, `>`, an escape of them, or the space behind an option. */
  readonly names: readonly number[]
  /** Where `BEGIN` ends. */
  readonly begins: readonly number[]
  /** Where `bearer` and `basic` end. */
  readonly schemes: readonly number[]
  /** There are as many digits as a card has, with no more than one space or hyphen between them. */
  readonly hasCard: boolean
  /** There are two capitals and two digits in a row. */
  readonly hasIban: boolean
}

/** Shorter words are no keys. */
const SHORTEST = 15
const SHORTEST_CARD = 14

const LOWER = 1
const UPPER = 2
const DIGIT = 3
const JOINT = 4
/** Kinds up to this one make words. */
const LAST_OF_WORD = JOINT
const NAME_END = 5

/** By code unit. A character outside of ASCII is 0, as all else. */
const KINDS = new Uint8Array(65_536)
for (let code = 0; code < 128; code++) KINDS[code] = kindOf(String.fromCharCode(code))

function kindOf(character: string): number {
  if (/[a-z]/.test(character)) return LOWER
  if (/[A-Z]/.test(character)) return UPPER
  if (/\d/.test(character)) return DIGIT
  if (/[_+-]/.test(character)) return JOINT
  return /[:=>]/.test(character) ? NAME_END : 0
}

/** Two capitals, two digits: two bits each. */
const IBAN = 0b10_10_11_11

const SPACE = 32
const PERCENT = 37
const HYPHEN = 45
const BACKSLASH = 92

export function scan(text: string): Scan {
  const words: number[] = []
  const names: number[] = []
  const begins: number[] = []
  const schemes: number[] = []
  let hasCard = false
  let hasIban = false
  let start = -1
  let digits = 0
  let isGap = true
  let recent = 0
  let skip = 0
  // Local ones are read without a detour.
  const kinds = KINDS
  const codes = units
  const { length } = text
  for (let base = 0; base < length; base += UNITS) {
    const size = fillUnits(text, base)
    let index = skip
    skip = 0
    while (index < size) {
      const code = codes[index] as number
      const kind = kinds[code] as number
      if (kind === LOWER) {
        if (start < 0) start = base + index
        do index++
        while (index < size && kinds[codes[index] as number] === LOWER)
        digits = 0
        recent = 0
        continue
      }
      const at = base + index
      index++
      if (kind !== 0 && kind <= LAST_OF_WORD) {
        if (start < 0) start = at
        recent = kind === JOINT ? 0 : ((recent << 2) | kind) & 0xff
        if (kind === DIGIT) {
          if (++digits >= SHORTEST_CARD) hasCard = true
          if (recent === IBAN) hasIban = true
          isGap = false
        } else if (code === HYPHEN && !isGap) isGap = true
        else digits = 0
        continue
      }
      recent = 0
      if (start >= 0) {
        if (at - start >= SHORTEST) words.push(start, at)
        if (code === SPACE && at - start >= 5) beforeSpace(text, start, at, { names, begins, schemes })
        start = -1
      }
      if (code === SPACE && !isGap) {
        isGap = true
        continue
      }
      digits = 0
      if (kind === NAME_END) names.push(at)
      else if (code === BACKSLASH || code === PERCENT) {
        const rest = code === BACKSLASH ? escaped(text, at, names) : encoded(text, at, names)
        index += rest
        if (index > size) skip = index - size
      }
    }
  }
  if (start >= 0 && length - start >= SHORTEST) words.push(start, length)
  return { words, names, begins, schemes, hasCard, hasIban }
}

function beforeSpace(
  text: string,
  start: number,
  at: number,
  into: { names: number[]; begins: number[]; schemes: number[] },
): void {
  const last = text.charCodeAt(at - 1) | 32
  if (last === 114 /* r */) {
    if ((text.charCodeAt(at - 6) | 32) === 98 /* b */ && isWord(text, 'bearer', at)) into.schemes.push(at)
  } else if (last === 99 /* c */) {
    if ((text.charCodeAt(at - 5) | 32) === 98 /* b */ && isWord(text, 'basic', at)) into.schemes.push(at)
  } else if (last === 110 /* n */ && text.startsWith('BEGIN', at - 5)) into.begins.push(at)
  if (text.charCodeAt(start) === HYPHEN && text.charCodeAt(start + 1) === HYPHEN) into.names.push(at)
}

function isWord(text: string, word: string, end: number): boolean {
  return text.slice(end - word.length, end).toLowerCase() === word
}

/** How many characters more the escape has that begins here. */
function escaped(text: string, at: number, names: number[]): number {
  const next = text.charCodeAt(at + 1)
  if (next === 117 /* u */) {
    if (/^u003[ade]$/i.test(text.slice(at + 1, at + 6))) names.push(at)
    return 5
  }
  return next === 110 || next === 114 || next === 116 || next === 98 || next === 102 ? 1 : 0
}

function encoded(text: string, at: number, names: number[]): number {
  const code = text.slice(at + 1, at + 3)
  if (!/^[\dA-Fa-f]{2}$/.test(code)) return 0
  if (/^3[ade]$/i.test(code)) names.push(at)
  return 2
}

// A window on the code units of a text. Reading them from an array is several times faster than from the text itself.

/** Code units that are looked at at once. */
export const UNITS = 16_384

export const units = new Uint16Array(UNITS)
const bytes = Buffer.from(units.buffer)

/** Shorter texts are copied faster one by one. */
const SHORT = 48

/** Whether 16 bits lie in memory as they are written: the low eight first. */
const isLittleEndian = Buffer.from(new Uint16Array([1]).buffer)[0] === 1

/** Fills `units` from this place on. Returns how many there are. */
export function fillUnits(text: string, from: number): number {
  const size = Math.min(UNITS, text.length - from)
  if (size < SHORT || !isLittleEndian) {
    for (let index = 0; index < size; index++) units[index] = text.charCodeAt(from + index)
  } else bytes.write(size === text.length ? text : text.slice(from, from + size), 'utf16le')
  return size
}

/** The kinds that can be looked for. */
export type SensitiveKind = 'secrets' | 'email' | 'card' | 'iban' | 'phone' | 'ip'

/** Half-open, in UTF-16 code units. `kind`: what it was taken for, as it is counted. */
export interface Finding {
  start: number
  end: number
  kind: string
}

/** One for each ASCII character; 1 where `characters` matches. */
export function asciiTable(characters: RegExp): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => (characters.test(String.fromCharCode(code)) ? 1 : 0))
}
