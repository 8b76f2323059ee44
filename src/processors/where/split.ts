/** Cutting a condition at `and` and `or`, where values without quotes may hold the same words. */
import { cutAtOperator } from './operators.ts'

const joints = { and: /\s+(?:and|&&)\s+/iy, or: /\s+(?:or|\|\|)\s+/iy }
/** More are no condition that anybody writes. */
const mostParts = 100

/**
 * The parts between the joints. A joint counts outside of quotes and brackets, and only when a condition follows it:
 * `title = cats and dogs` is one part. The `and` of `between` is none.
 */
export function splitAt(source: string, word: 'and' | 'or'): string[] {
  const joint = joints[word]
  const parts: string[] = []
  let start = 0
  let depth = 0
  for (let at = 0; at < source.length && parts.length < mostParts; at++) {
    const char = source.charAt(at)
    if ((char === '"' || char === "'") && opensQuote(source, at)) {
      const end = closingQuote(source, at)
      if (end > 0) at = end
      continue
    }
    if (char === '\\') at++
    else if (char === '(' || char === '[') depth++
    else if (char === ')' || char === ']') depth = Math.max(0, depth - 1)
    if (depth > 0 || !isBlank(char)) continue
    joint.lastIndex = at
    const [found] = joint.exec(source) ?? []
    if (found === undefined) continue
    const part = source.slice(start, at)
    if (opensBetween(part) || !isCondition(source.slice(at + found.length))) continue
    parts.push(part)
    start = at + found.length
    at = start - 1
  }
  return [...parts, source.slice(start)]
}

function isBlank(char: string): boolean {
  return char === ' ' || char === '\t' || char === '\n'
}

/** An apostrophe within a word (`don't`) opens nothing. */
function opensQuote(source: string, at: number): boolean {
  return at === 0 || /[\s(,=<>~[]/.test(source.charAt(at - 1))
}

/** The quote that is followed by the end of a value; -1 when there is none. */
function closingQuote(source: string, at: number): number {
  const quote = source.charAt(at)
  for (let next = source.indexOf(quote, at + 1); next > 0; next = source.indexOf(quote, next + 1)) {
    if (next === source.length - 1 || /[\s),\]=<>~!]/.test(source.charAt(next + 1))) return next
  }
  return -1
}

/** True for `price between 5`: the next `and` belongs to it. */
function opensBetween(part: string): boolean {
  const cut = cutAtOperator(part)
  return cut?.operator === 'between' && !/\s(?:and|to)\s|,|\.\./i.test(cut.rest)
}

/** True when the text begins with a field and an operator. */
function isCondition(text: string): boolean {
  const rest = text
    .trimStart()
    .replace(/^(?:not\s+|!)?\(+\s*/i, '')
    .replace(/^not\s+/i, '')
  const cut = cutAtOperator(rest.slice(0, 300))
  return cut !== undefined && (!/\s/.test(cut.field) || /^["'`[]/.test(cut.field))
}
