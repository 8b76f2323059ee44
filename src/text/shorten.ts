/** Shortening a text without splitting a character. Lengths are UTF-16 code units. */
import { formatCount } from './format.ts'
import type { Span } from './patterns/pattern.ts'

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

// Plain truncation, where the configuration asks for it: nothing is kept. Lengths are UTF-16 code units.

export const TRUNCATED = ' <truncated by smart mcp proxy> '
/** Characters of the end that stay. */
const TAIL = 50

/**
 * At most `max` characters: the start, a mark, the last 50 characters. The head alone where that leaves nothing of the start.
 * A character more is left out where the cut would split a surrogate pair.
 */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text
  const first = max - TAIL - TRUNCATED.length
  return first < 1 ? head(text, max) : head(text, first) + TRUNCATED + tail(text, TAIL)
}

/**
 * Several texts that are at most `max` characters together, cut as if they were one. Texts that fall into the gap are undefined, and no
 * others: an empty text stays.
 */
export function truncateAll(texts: readonly string[], max: number): (string | undefined)[] {
  const total = texts.reduce((sum, text) => sum + text.length, 0)
  if (total <= max) return [...texts]
  const first = max - TAIL - TRUNCATED.length
  const gapFrom = first < 1 ? Math.max(0, max) : first
  const gapTo = first < 1 ? total : total - TAIL
  const mark = first < 1 ? '' : TRUNCATED
  let at = 0
  let marked = false
  return texts.map((text) => {
    const start = at
    const end = start + text.length
    at = end
    if (end <= gapFrom || start >= gapTo) return text
    const before = head(text, Math.max(0, gapFrom - start))
    const after = end > gapTo ? tail(text, end - gapTo) : ''
    const here = marked ? '' : mark
    marked = true
    const rest = before + here + after
    return rest === '' && text !== '' ? undefined : rest
  })
}

// The part of a long text around a place.

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

// The part of a text that says most about a query.

/** Matches looked at in one text. */
const mostHits = 5_000

/** The place of at most `width` characters with the most different words, and how many. `words` is global. */
export function densestPlace(text: string, words: RegExp, width: number): Span & { different: number } {
  const hits: { word: string; index: number }[] = []
  for (const { 0: word, index } of text.matchAll(words)) {
    hits.push({ word: word.toLowerCase(), index })
    if (hits.length >= mostHits) break
  }
  const near = new Map<string, number>()
  let best = { index: hits[0]?.index ?? 0, last: hits[0]?.index ?? 0, different: 0 }
  let next = 0
  for (const { word, index } of hits) {
    for (; next < hits.length; next++) {
      const hit = hits[next]
      if (hit === undefined || hit.index + hit.word.length > index + width) break
      near.set(hit.word, (near.get(hit.word) ?? 0) + 1)
    }
    if (near.size > best.different) {
      const last = hits[next - 1]
      best = { index, last: (last?.index ?? index) + (last?.word.length ?? 0), different: near.size }
    }
    const left = (near.get(word) ?? 0) - 1
    if (left > 0) near.set(word, left)
    else near.delete(word)
  }
  return { start: best.index, end: Math.max(best.index, best.last), different: best.different }
}
