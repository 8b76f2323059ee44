/** The sentence around a place in a text. */
import type { Span } from './pattern.ts'

/** Sentences are looked for this far before and after; a longer one is cut there. */
const reach = 600

/**
 * The sentences that hold `[start, end)`, within `[from, to)`: from the first to the last one it touches. A single line
 * break does not end a sentence, as prose is often wrapped; an empty line does.
 */
export function sentenceAround(text: string, place: Span, from: number, to: number): Span {
  const low = Math.max(from, place.start - reach)
  const high = Math.min(to, Math.max(place.start, Math.min(place.end, place.start + reach)) + reach)
  const window = text.slice(low, high)
  const unwrapped = window.replace(wrap, (lineBreak) => ' '.repeat(lineBreak.length))
  let start = low
  let end = high
  for (const { index, segment } of sentences.segment(unwrapped)) {
    const first = low + index
    const after = first + segment.length
    if (first <= place.start) start = first
    if (after >= place.end || after >= high) {
      end = after
      break
    }
  }
  return trimmed(text, start, end)
}

/** A line break within a sentence: not after a heading, not before a heading, a list item or an empty line. */
const wrap = /(?<!^#{1,6} .*)\r?\n(?!\s*(?:[-*•]|\d+[.)]|#{1,6})\s|\s*\n)/gm

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' })

function trimmed(text: string, start: number, end: number): Span {
  const part = text.slice(start, end)
  const from = start + (part.length - part.trimStart().length)
  return { start: from, end: Math.max(from, start + part.trimEnd().length) }
}
