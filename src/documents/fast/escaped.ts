/**
 * JSON as it lies inside a string of JSON: each quote is `\"`, each backslash `\\`. Offsets are those of the bytes. An odd text is not
 * read here: `giveUp` leaves it to `JSON.parse`, so that nothing is taken for JSON that is none.
 */
import type { JsonValue } from '../../protocol/json.ts'
import { withExactNumbers } from '../json/exact-numbers.ts'
import { decodeUtf8 } from '../json/utf8.ts'

export const QUOTE = 0x22
export const BACKSLASH = 0x5c
const UNICODE = 0x75
const LINE_FEED = 0x6e

const GIVE_UP = new Error('this is read by JSON.parse alone')

/** Ends the reading. */
export function giveUp(): never {
  throw GIVE_UP
}

/** The text of bytes inside a string of JSON. */
export function unescaped(bytes: Uint8Array, from: number, to: number): string {
  const written = decodeUtf8(bytes.subarray(from, to))
  return written.includes('\\') ? (JSON.parse(`"${written}"`) as string) : written
}

/** UTF-8 bytes of a text beyond one for each of its characters. */
export function wideIn(text: string): number {
  return Buffer.byteLength(text) - text.length
}

/** The value of JSON; a number that JavaScript would change is a string (`withExactNumbers`). */
export function parsed(json: string): JsonValue {
  return JSON.parse(withExactNumbers(json)) as JsonValue
}

/** Behind white space: blanks, and the escapes of line breaks and tabs. */
export function behindSpace(bytes: Uint8Array, from: number): number {
  let at = from
  for (;;) {
    const byte = bytes[at]
    if (byte === 0x20) at += 1
    else if (byte === BACKSLASH && isBreak(bytes[at + 1] as number)) at += 2
    else return at
  }
}

function isBreak(letter: number): boolean {
  return letter === 0x6e || letter === 0x72 || letter === 0x74
}

/** Where the quote begins that closes a string, from anywhere outside of its escapes. */
export function stringEnd(bytes: Uint8Array, from: number): number {
  for (let at = from; ; ) {
    const byte = bytes[at] as number
    if (byte !== BACKSLASH) {
      if (byte < 0x20 || byte === QUOTE || byte === undefined) giveUp()
      at += 1
      continue
    }
    const next = bytes[at + 1] as number
    if (next === QUOTE) return at
    at = next === BACKSLASH ? behindEscape(bytes, at + 2) : behindCharacter(bytes, at)
  }
}

/** Behind the character that a backslash stands before, inside the string. */
function behindEscape(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== BACKSLASH) return at + 1
  const next = bytes[at + 1]
  return next === QUOTE || next === BACKSLASH ? at + 2 : behindCharacter(bytes, at)
}

/** Behind an escape that stands for an ordinary character: `\/`, `\u00e9`. */
function behindCharacter(bytes: Uint8Array, at: number): number {
  const letter = bytes[at + 1]
  if (letter === 0x2f) return at + 2
  if (letter !== UNICODE) giveUp()
  const code = Number.parseInt(String.fromCharCode(...bytes.subarray(at + 2, at + 6)), 16)
  if (!(code >= 0x20) || code === QUOTE || code === BACKSLASH) giveUp()
  return at + 6
}

/** Behind a value of any kind, which is not checked. */
export function behindValue(bytes: Uint8Array, from: number): number {
  let depth = 0
  for (let at = from; ; ) {
    const byte = bytes[at] as number
    if (byte === BACKSLASH) {
      const next = bytes[at + 1] as number
      if (next === QUOTE) at = stringEnd(bytes, at + 2) + 2
      else if (isBreak(next)) at += 2
      else giveUp()
      if (depth === 0) return at
      continue
    }
    if (byte === undefined || byte === QUOTE) giveUp()
    if (byte === 0x7b || byte === 0x5b) depth += 1
    else if (byte === 0x7d || byte === 0x5d) {
      if (depth === 0) return at
      depth -= 1
      if (depth === 0) return at + 1
    } else if (depth === 0 && (byte === 0x2c || byte === 0x20)) return at
    at += 1
  }
}

// White space between values.

/** Behind white space, of which each escape is one character: the other byte of it is added to `saved`. Counts the ends of lines. */
export function skipSpace(bytes: Uint8Array, at: number, counts: { saved: number; breaks: number }): number {
  const byte = bytes[at]
  if (byte !== 0x20 && (byte !== BACKSLASH || bytes[at + 1] === QUOTE)) return at
  const end = behindSpace(bytes, at)
  for (let index = at; index < end; index++) {
    if (bytes[index] !== BACKSLASH) continue
    counts.saved += 1
    if (bytes[index + 1] === LINE_FEED) counts.breaks += 1
  }
  return end
}
