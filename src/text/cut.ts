/** Shortening a text without splitting a character. Lengths are UTF-16 code units. */
import { formatCount } from './format.ts'

/** The first `max` characters; one less where the cut would split a surrogate pair. */
export function head(text: string, max: number): string {
  if (text.length <= max) return text
  if (max <= 0) return ''
  return text.slice(0, isHigh(text, max - 1) && isLow(text, max) ? max - 1 : max)
}

/** The last `max` characters; one less where the cut would split a surrogate pair. */
export function tail(text: string, max: number): string {
  if (text.length <= max) return text
  if (max <= 0) return ''
  const from = text.length - max
  return text.slice(isLow(text, from) && isHigh(text, from - 1) ? from + 1 : from)
}

/** At most `max` characters, with an ellipsis in place of what is missing at the end. */
export function ellipsis(text: string, max: number): string {
  return text.length <= max ? text : max < 1 ? '' : `${head(text, max - 1)}…`
}

/** Below this a cut in the middle would hold more mark than text. */
const SMALLEST = 48

/**
 * At most `max` characters: head, a mark that names how many characters are left out, and tail. Very small sizes
 * have the head alone.
 */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  if (max < SMALLEST) return ellipsis(text, max)
  const mark = (left: number) => ` …[${formatCount(left)} characters left out]… `
  const room = max - mark(text.length).length
  const last = tail(text, Math.floor(room / 4))
  const first = head(text, room - last.length)
  return first + mark(text.length - first.length - last.length) + last
}

function isHigh(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xd800 && code <= 0xdbff
}

function isLow(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff
}
