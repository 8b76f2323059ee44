/** Handles: the only key to a kept result that a model ever holds. It copies one into each question. */

import { randomBytes, randomInt } from 'node:crypto'

/** The `cache_id` of a kept result: unguessable, never reused. */
export type Handle = string

/**
 * Of this release or an older one: 12 characters, or 25. In lower case alone, since some file systems do not tell cases apart. The source
 * of a pattern.
 */
export const HANDLE = '[0-9a-z]{12}(?:[0-9a-z]{13})?'

const WHOLE = new RegExp(`^${HANDLE}$`)

/** True for what may be a handle. Everything that becomes a file name has passed this. */
export function isHandle(value: string): value is Handle {
  return WHOLE.test(value)
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

/** Three letters and three digits: 24 random bits in two or three tokens, where as many hexadecimal digits take four. */
function syllable(): string {
  const letter = (): string => LETTERS.charAt(randomInt(LETTERS.length))
  return letter() + letter() + letter() + String(randomInt(1000)).padStart(3, '0')
}

/** Of 48 random bits, as many as a random UUID has in 12 characters: for an owner who is known, to whom alone it opens anything. */
export function newHandle(): Handle {
  return syllable() + syllable()
}

/** Of 128 random bits: for an owner that several clients are, of whom nothing else is known. A client that holds it may read the result. */
export function newLongHandle(): Handle {
  return BigInt(`0x${randomBytes(16).toString('hex')}`)
    .toString(36)
    .padStart(25, '0')
}
