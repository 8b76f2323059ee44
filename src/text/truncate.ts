/** Plain truncation, for those who ask for it: nothing is kept. Lengths are UTF-16 code units. */
import { head, tail } from './cut.ts'

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
 * Several texts that are at most `max` characters together, cut as if they were one. Those that fall into the gap are undefined, and
 * so is nothing else: a text that was empty stays.
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
