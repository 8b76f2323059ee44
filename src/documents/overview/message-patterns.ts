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

const MOST_MESSAGES = 1000
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

/**
 * The first line with quoted texts, numbers, ids and paths as `*`. The letters that an expression needs are looked for first: that is far
 * quicker.
 */
function patternOf(message: string): string {
  const start = message.slice(0, LONGEST)
  const newline = start.indexOf('\n')
  let text = newline < 0 ? start : start.slice(0, newline)
  if (text.includes('  ') || text.includes('\t')) text = text.replace(/\s+/g, ' ')
  if (text.includes('"') || text.includes("'")) text = text.replace(/"[^"]*"?|'[^']*'/g, '*')
  text = withoutNumbers(text.replace(/\b[A-Z][a-z][a-z]\b/g, (word) => (DATE_WORDS.has(word) ? '*' : word)))
  if (text.includes('=')) text = text.replace(/(?<=\w=)[^\s,;&()[\]{}*]+/g, '*')
  return (text.includes('*') ? text.replace(/\*(?:[\s,:]*\*)+/g, '*') : text).trim()
}

const DATE_WORDS = new Set(
  'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec Mon Tue Wed Thu Fri Sat Sun'.split(' '),
)

/** A digit, and what stands behind it up to the end of a word. */
const NUMBERED = /\d[^\s=,;()[\]{}*]*/g
const BEFORE_WORD = /[\s=:,;()[\]{}*]/

/** Words with a digit as `*`. An expression that begins at the first letter of each word would try each letter of words without one. */
function withoutNumbers(text: string): string {
  let result = ''
  let copied = 0
  NUMBERED.lastIndex = 0
  for (let match = NUMBERED.exec(text); match !== null; match = NUMBERED.exec(text)) {
    let from = match.index
    while (from > copied && !BEFORE_WORD.test(text.charAt(from - 1))) from--
    result += `${text.slice(copied, from)}*`
    copied = NUMBERED.lastIndex
  }
  return result + text.slice(copied)
}
