/** White space between values. */
import { BACKSLASH, behindSpace, QUOTE } from './escaped.ts'

/** Behind white space, of which each escape is one character: the other byte of it is added to `saved`. */
export function skipSpace(bytes: Uint8Array, at: number, counts: { saved: number }): number {
  const byte = bytes[at]
  if (byte !== 0x20 && (byte !== BACKSLASH || bytes[at + 1] === QUOTE)) return at
  const end = behindSpace(bytes, at)
  for (let index = at; index < end; index++) if (bytes[index] === BACKSLASH) counts.saved += 1
  return end
}
