/** The part of a long text around a place. */
import { head, tail } from '../text/cut.ts'
import type { Span } from '../text/pattern.ts'

/** `text` when it has at most `width` characters; otherwise that much around `place`, with `…` where something is left out. */
export function excerpt(text: string, place: Span, width: number): string {
  if (text.length <= width) return text
  const shown = Math.min(place.end - place.start, width)
  const before = Math.floor((width - shown) / 2)
  const start = Math.max(0, Math.min(place.start - before, text.length - width))
  const part = text.slice(start, start + width)
  const first = start > 0 ? `…${tail(part, width)}` : part
  // A cut through a surrogate pair leaves half a character.
  const whole = first.replace(/^…[\udc00-\udfff]/, '…')
  return start + width < text.length ? `${head(whole, whole.length).replace(/[\ud800-\udbff]$/, '')}…` : whole
}
