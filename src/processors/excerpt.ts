/** The part of a long text around a place. */
import { head, tail } from '../text/cut.ts'
import type { Span } from '../text/pattern.ts'

/** Characters given up so that a cut falls between words; longer words are cut. */
const longestGivenUp = 24

/**
 * `text` when it has at most `width` characters; otherwise at most that much around `place`, with `…` where something is left
 * out. Cuts fall between words, or at least beside a sign, where one is near; what is in `place` is never given up for it.
 */
export function excerpt(text: string, place: Span, width: number): string {
  if (text.length <= width) return text
  const shown = Math.min(place.end - place.start, width)
  const before = Math.floor((width - shown) / 2)
  const first = Math.max(0, Math.min(place.start - before, text.length - width))
  const last = first + width
  const most = Math.min(longestGivenUp, Math.floor(width / 4))
  const start = first === 0 ? 0 : nearestCut(text, first, 1, Math.min(most, place.start - first))
  const end = last === text.length ? last : nearestCut(text, last, -1, Math.min(most, last - place.end))
  // A cut through a surrogate pair leaves half a character.
  const part = tail(text.slice(0, end), end - start)
  const whole = end < text.length ? head(text.slice(end - part.length), part.length) : part
  return `${start > 0 ? '…' : ''}${whole}${end < text.length ? '…' : ''}`
}

/** The nearest place between words at most `most` characters from `at` on in a direction; else the nearest beside a sign; else `at`. */
function nearestCut(text: string, at: number, direction: 1 | -1, most: number): number {
  let besideSign: number | undefined
  for (let moved = 0; moved <= most; moved++) {
    const place = at + moved * direction
    const [left, right] = [text.charAt(place - 1), text.charAt(place)]
    if (space.test(left) || space.test(right)) return place
    if (!(letter.test(left) && letter.test(right))) besideSign ??= place
  }
  return besideSign ?? at
}

const space = /\s/
/** Halves of characters beyond the basic plane as well: none of these ends before the next. */
const letter = /[\p{L}\p{N}\p{M}_\ud800-\udfff]/u
