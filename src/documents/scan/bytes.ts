/** What `profile` asks of strings, asked of their bytes. */

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39
}

/** `https://` or `http://`. */
export function isWeb(bytes: Uint8Array, from: number, length: number): boolean {
  const letters = bytes[from + 4] === 0x73 ? 5 : 4
  return (
    length >= letters + 3 &&
    bytes[from] === 0x68 &&
    bytes[from + 1] === 0x74 &&
    bytes[from + 2] === 0x74 &&
    bytes[from + 3] === 0x70 &&
    bytes[from + letters] === 0x3a &&
    bytes[from + letters + 1] === 0x2f &&
    bytes[from + letters + 2] === 0x2f
  )
}

/** Digits, a point and a minus: what may be a number in quotes. */
export function mayBeNumber(bytes: Uint8Array, from: number, end: number): boolean {
  for (let at = from; at < end; at++) {
    const byte = bytes[at]
    if (!isDigit(byte) && byte !== 0x2e && byte !== 0x2d) return false
  }
  return true
}

/** The digits of `2024-05-06T07:08`, by their offsets, and what stands between them. */
const DIGITS = [0, 1, 2, 3, 5, 6, 8, 9]

/** ISO 8601: a day, with minutes, seconds, a fraction of nine digits at most, and a zone as they please. */
export function isDate(bytes: Uint8Array, from: number, length: number): boolean {
  if (length < 10 || bytes[from + 4] !== 0x2d || bytes[from + 7] !== 0x2d) return false
  for (const digit of DIGITS) if (!isDigit(bytes[from + digit])) return false
  const end = from + length
  let at = from + 10
  if (at === end) return true
  if (bytes[at] !== 0x54 && bytes[at] !== 0x20) return false
  if (end - at < 6 || !isPair(bytes, at + 1) || bytes[at + 3] !== 0x3a || !isPair(bytes, at + 4)) return false
  at += 6
  if (end - at >= 3 && bytes[at] === 0x3a && isPair(bytes, at + 1)) {
    at += 3
    if (end - at >= 2 && (bytes[at] === 0x2e || bytes[at] === 0x2c) && isDigit(bytes[at + 1])) {
      const most = Math.min(end, at + 10)
      at += 1
      while (at < most && isDigit(bytes[at])) at += 1
    }
  }
  return at === end || isZone(bytes, at, end)
}

/** `Z`, `+02:00`, `-0700`. */
function isZone(bytes: Uint8Array, at: number, end: number): boolean {
  if (bytes[at] === 0x5a) return at + 1 === end
  if ((bytes[at] !== 0x2b && bytes[at] !== 0x2d) || end - at < 5 || !isPair(bytes, at + 1)) return false
  const minutes = bytes[at + 3] === 0x3a ? at + 4 : at + 3
  return minutes + 2 === end && isPair(bytes, minutes)
}

function isPair(bytes: Uint8Array, at: number): boolean {
  return isDigit(bytes[at]) && isDigit(bytes[at + 1])
}

/** True when the bytes of one ASCII text sort before those of another. */
export function precedes(
  bytes: Uint8Array,
  one: number,
  oneLength: number,
  other: number,
  otherLength: number,
): boolean {
  const most = Math.min(oneLength, otherLength)
  for (let at = 0; at < most; at++) {
    const difference = (bytes[one + at] as number) - (bytes[other + at] as number)
    if (difference !== 0) return difference < 0
  }
  return oneLength < otherLength
}
