/** What a value that no record has can stand for: an operator, a pattern, a list, a number with a sign. */
import type { Comparison } from './condition.ts'
import { type Operand, operandOf } from './operand.ts'

/** A comparison in other words; `as` is how a reply tells it. */
export interface Rereading {
  comparison: Comparison
  as: string
}

/** `/^ann/i`. A slash within it is escaped: `/usr/lib/` is a path. */
const patternLiteral = /^\/(?:[^/\\\n]|\\.)+\/[dgimsuvy]*$/

/** What holds more than one value. */
const joined = /[|,;&]|\s(?:and|or)\s/i

/** Other readings of an equation, the likeliest first. */
export function rereadings(comparison: Comparison): Rereading[] {
  const { operator, operands } = comparison
  const [operand] = operands
  if (!operand || operands.length > 1 || (operator !== '=' && operator !== 'has' && operator !== 'contains'))
    return []
  const { field } = comparison
  const { text } = operand
  const found: Rereading[] = []
  const add = (change: Partial<Comparison>, as: string): void => {
    found.push({ comparison: { ...comparison, ...change }, as: `${field} ${as}` })
  }
  const sign = /^(>=|<=|!==?|<>|==?=?|=~|!~|>|<|~|!)\s*(.+)$/s.exec(text)
  if (sign && operator === '=' && (!isWhole(operand) || !joined.test(text))) {
    const [, written = '', value = ''] = sign
    const bare = written
      .replace(/^!=?=?$|^<>$/, '=')
      .replace(/^={2,3}$/, '=')
      .replace(/^=~$|^!~$/, '~') as Comparison['operator']
    const negated = /^!|^<>/.test(written) !== comparison.negated
    add(
      { operator: bare, operands: [operandOf(value)], negated },
      `${written === '!' ? '!=' : written} ${value}`,
    )
  }
  if (operator === '=' && patternLiteral.test(text) && !(operand.quoted && text.endsWith('/')))
    add({ operator: '~' }, `~ ${text}`)
  if (/[*%]/.test(text) && operator === '=') add({ operator: 'like' }, `like ${text}`)
  // What is in quotes is one value, unless it is a list in brackets.
  const items = isWhole(operand) && !/^[[({]/.test(text) ? [] : itemsIn(text)
  // A list that is equal to a list; no single value has all.
  if (operator === '=' && items.length > 1 && /^\[.+\]$/s.test(text))
    add({ operator: 'has all', operands: items.map(operandOf) }, `has all (${items.join(', ')})`)
  if (items.length > 1 || /^[[({].+[\])}]$/s.test(text))
    add({ operator: 'in', operands: items.map(operandOf) }, `in (${items.join(', ')})`)
  const range = /^(-?\d+(?:\.\d+)?)\s*(?:-|–|\.\.+|to)\s*(-?\d+(?:\.\d+)?)$/.exec(text)
  if (range && operator === '=')
    add(
      { operator: 'between', operands: [operandOf(range[1] ?? ''), operandOf(range[2] ?? '')] },
      `between ${range[1]} and ${range[2]}`,
    )
  const marked = /^(?:#|no\.?\s*|nr\.?\s*)(\d+)$/i.exec(text) ?? /^(.+?)[.;,]$/s.exec(text)
  if (marked?.[1] !== undefined) add({ operands: [operandOf(marked[1])] }, `${operator} ${marked[1]}`)
  if (comparison.colon) add({ operator: 'contains' }, `contains ${text}`)
  return found
}

/** True for one text in quotes; `"open" || "closed"` are two. */
function isWhole({ quoted, text }: Operand): boolean {
  return quoted && !/["'`]/.test(text)
}

/** The values in `[open, "closed"]`, `open or closed`, `open|closed`, `open, closed`. */
function itemsIn(text: string): string[] {
  const inner = /^[[({](.*)[\])}]$/s.exec(text)?.[1] ?? text
  const parts = inner.split(/\s*\|\|?\s*|\s+or\s+|\s*,\s*(?:or\s+)?/i).map((part) =>
    part
      .trim()
      .replace(/^=+\s*/, '')
      .replaceAll(/^["']|["']$/g, ''),
  )
  return parts.filter((part) => part !== '')
}
