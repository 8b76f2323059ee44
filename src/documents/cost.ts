/** What a text costs a reader: room in a reply is counted in characters, but what fills a context is tokens. */
import { countTokens } from '../text/tokens.ts'

/** Characters that a token has in plain English; dense text (digits, ids, CJK) has fewer. */
const CHARACTERS = 4

/** The characters of a text, or four for each of its tokens when that is more. */
export function costOf(text: string): number {
  return Math.max(text.length, CHARACTERS * countTokens(text))
}

/** What lines cost, the line breaks behind them included. */
export function costOfLines(lines: readonly string[]): number {
  return lines.length === 0 ? 0 : costOf(`${lines.join('\n')}\n`)
}

/**
 * What `make` gives for the most characters that cost at most `limit`: dense text is asked for again, shorter. Empty when nothing
 * fits.
 */
export function within(limit: number, make: (max: number) => readonly string[]): readonly string[] {
  let max = Math.floor(limit)
  for (let round = 0; round < 6 && max > 8; round++) {
    const made = make(max)
    const cost = costOfLines(made)
    if (cost <= limit) return made
    max = Math.floor(Math.min(max, cost) * Math.min(0.95, (limit / cost) * 0.97))
  }
  return []
}
