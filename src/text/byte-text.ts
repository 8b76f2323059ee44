/**
 * UTF-8 by its bytes: where lines and characters begin, and how much of it fits. Nothing is decoded but what is shown, and no
 * place is kept for each line: a file may have as many lines as bytes.
 */

const NEWLINE = 10

/** A newline ends a line, so what ends in one has no empty line after it; nothing has none. */
export function countLines(bytes: Uint8Array): number {
  const newlines = countNewlines(bytes, 0, bytes.length)
  return bytes.length === 0 || bytes[bytes.length - 1] === NEWLINE ? newlines : newlines + 1
}

/** Newlines from the byte `from` up to `to`. */
export function countNewlines(bytes: Uint8Array, from: number, to: number): number {
  let count = 0
  for (let at = from; at < to; at++) if (bytes[at] === NEWLINE) count++
  return count
}

/** The byte where the line begins that comes `lines` lines after the one at `from`; the end where there are fewer. */
export function skipLines(bytes: Uint8Array, from: number, lines: number): number {
  let left = lines
  for (let at = from; at < bytes.length && left > 0; at++) {
    if (bytes[at] !== NEWLINE) continue
    left--
    if (left === 0) return at + 1
  }
  return left > 0 ? bytes.length : from
}

/**
 * The last place at or before `at` where the bytes can be parted so that both parts decode to what they are together. It is not within a
 * character. Bytes that are no UTF-8 move it by three at most.
 */
export function characterStart(bytes: Uint8Array, at: number): number {
  if (at >= bytes.length || !isContinuation(bytes[at])) return Math.min(at, bytes.length)
  for (let back = 1; back <= 3 && at - back >= 0; back++) {
    const byte = bytes[at - back] ?? 0
    if (byte < 0x80) return at
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? at - back : at
  }
  return at
}

/** The first such place after `at`. */
export function nextCharacter(bytes: Uint8Array, at: number): number {
  for (let next = at + 1; next < bytes.length; next++) if (characterStart(bytes, next) === next) return next
  return bytes.length
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}

/** The most bytes that one UTF-16 code unit comes from. */
const BYTES = 3

/**
 * The end of the part that begins at `from`. It is `to`, or a place before it so that the part has at most `max` UTF-16 code units. The
 * part has at least one character.
 */
export function fitFrom(bytes: Uint8Array, from: number, to: number, max: number): number {
  let end = characterStart(bytes, Math.min(to, from + max * BYTES))
  for (;;) {
    if (end <= from) return Math.min(to, nextCharacter(bytes, from))
    const { length } = decode(bytes, from, end)
    if (length <= max) return end
    end = characterStart(bytes, from + Math.floor(((end - from) * max) / length))
  }
}

/** The same from the end: where the part begins that ends at `to`. */
export function fitTo(bytes: Uint8Array, from: number, to: number, max: number): number {
  let start = Math.max(from, to - max * BYTES)
  for (;;) {
    if (start > from && characterStart(bytes, start) !== start)
      start = Math.min(to, nextCharacter(bytes, start))
    if (start >= to) return Math.max(from, characterStart(bytes, to - 1))
    const { length } = decode(bytes, start, to)
    if (length <= max) return start
    start = to - Math.floor(((to - start) * max) / length)
  }
}

/** The text of the bytes from `from` up to `to`; what is no UTF-8 becomes U+FFFD. */
export function decode(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('utf8')
}
