/** The part of a text that says most about a query. */
import type { Span } from '../text/pattern.ts'

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
