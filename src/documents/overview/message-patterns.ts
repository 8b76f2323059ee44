/** Messages of a log that differ only in their numbers, names and ids, as one pattern with a count. */

export interface MessagePattern {
  pattern: string
  count: number
  /** Index of the first message. */
  first: number
}

export interface MessagePatterns {
  /** The most frequent first. */
  patterns: MessagePattern[]
  /** The most messages looked at; a large log has more. */
  looked: number
}

const MOST_MESSAGES = 2500
const MOST_PATTERNS = 5000
const LONGEST = 160

/** Collapses messages to patterns; of many messages, some spread evenly are looked at. */
export function messagePatterns(count: number, message: (index: number) => string): MessagePatterns {
  const found = new Map<string, MessagePattern>()
  const step = Math.max(1, Math.ceil(count / MOST_MESSAGES))
  let looked = 0
  for (let index = 0; index < count; index += step) {
    looked += 1
    const pattern = patternOf(message(index))
    const known = found.get(pattern)
    if (known) known.count += 1
    else if (found.size < MOST_PATTERNS) found.set(pattern, { pattern, count: 1, first: index })
  }
  return { patterns: [...found.values()].sort((one, other) => other.count - one.count), looked }
}

/** The first line with quoted texts, numbers, ids and paths as `*`. */
function patternOf(message: string): string {
  const start = message.slice(0, LONGEST)
  const newline = start.indexOf('\n')
  const plain = (newline < 0 ? start : start.slice(0, newline))
    .replace(/\s+/g, ' ')
    .replace(/"[^"]*"?|'[^']*'/g, '*')
    .replace(/\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b/g, '*')
    .replace(/[^\s=:,;()[\]{}*]*\d[^\s=,;()[\]{}*]*/g, '*')
  // Looking behind is dear.
  const valued = plain.includes('=') ? plain.replace(/(?<=\w=)[^\s,;&()[\]{}*]+/g, '*') : plain
  return valued.replace(/\*(?:[\s,:]*\*)+/g, '*').trim()
}
