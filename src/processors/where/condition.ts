/** Reads a condition: `state = open`, `a > 5 and (b = 1 or c has x)`. The first operator decides; values need no quotes. */
import { splitNames } from '../lenient.ts'
import { Refusal, shown } from '../refusal.ts'
import { type Operand, operandOf } from './operand.ts'
import { cutAtOperator, type Operator } from './operators.ts'
import { splitAt } from './split.ts'

export type Condition =
  | { kind: 'and' | 'or'; parts: Condition[] }
  | { kind: 'not'; part: Condition }
  | Comparison

/** One field against values. */
export interface Comparison {
  kind: 'comparison'
  field: string
  operator: Operator
  /** No value may fulfil it; a field that is absent fulfils it too. */
  negated: boolean
  operands: Operand[]
  /** As written, shortened, for messages. */
  written: string
}

/** Parentheses within parentheses, and comparisons in one text: more are not written by anybody. */
const deepest = 20

/** Throws a `Refusal` that says what to write instead. */
export function parseCondition(text: string, depth = 0): Condition {
  const source = text.trim()
  if (depth > deepest) throw new Refusal(`The condition \`${shown(source)}\` is nested too deeply.`)
  const any = splitAt(source, 'or')
  if (any.length > 1) return { kind: 'or', parts: any.map((part) => parseCondition(part, depth + 1)) }
  const all = splitAt(source, 'and')
  if (all.length > 1) return { kind: 'and', parts: all.map((part) => parseCondition(part, depth + 1)) }
  const inner = enclosed(source)
  if (inner !== undefined) return parseCondition(inner, depth + 1)
  const opposite = /^(?:not\s+|not(?=\()|!\s*(?=\())/i.exec(source)
  if (opposite) return { kind: 'not', part: parseCondition(source.slice(opposite[0].length), depth + 1) }
  return parseComparison(source)
}

/** A field and nothing else: `draft`, `!archived`, `user.admin`. */
const alone = /^!?\s*[A-Za-z_@$][\w.$@[\]*"'-]*$/

/** `title.startsWith("a")`, as in programs. */
const method = /^(\S+)\.(startsWith|endsWith|includes|contains|matches|match)\((.*)\)$/is

function parseComparison(written: string): Comparison {
  const [, object, name, argument] = method.exec(written) ?? []
  const source =
    object === undefined ? written : `${object} ${name === 'match' ? 'matches' : name} ${argument}`
  const cut = cutAtOperator(source)
  if (!cut && alone.test(source)) {
    const negated = source.startsWith('!')
    const field = source.replace(/^!\s*/, '')
    return {
      kind: 'comparison',
      field,
      operator: 'is true',
      negated,
      operands: [],
      written: shown(source, 60),
    }
  }
  if (!cut) {
    const field = shown(source.replace(/^!/, ''), 40) || 'field'
    throw new Refusal(
      `The condition \`${shown(source)}\` has no operator. Write like \`${field} = value\`, \`${field} > 5\`, \`${field} ~ pattern\`, \`${field} has x\` or \`${field} exists\`.`,
    )
  }
  const { field, operator, negated, rest } = cut
  const comparison = { kind: 'comparison', field, negated, written: shown(source, 60) } as const
  if (operator === 'exists' || operator === 'is null' || operator === 'is empty') {
    return { ...comparison, operator, operands: [] }
  }
  if (rest === '') {
    throw new Refusal(
      `The condition \`${shown(source)}\` has no value after the operator. For fields without a value write \`${shown(field, 40)} is empty\`.`,
    )
  }
  if (operator === '=' && /^null$/i.test(rest)) return { ...comparison, operator: 'is null', operands: [] }
  return { ...comparison, operator, operands: operandsOf(operator, rest, source) }
}

function operandsOf(operator: Operator, rest: string, source: string): Operand[] {
  if (operator === 'in') {
    const items = splitNames(enclosed(rest) ?? rest.replace(/^\[(.*)\]$/s, '$1'))
    if (items.length > 0) return items.map(operandOf)
    throw new Refusal(
      `The condition \`${shown(source)}\` names no values. Write like \`state in (open, closed)\`.`,
    )
  }
  if (operator !== 'between') return [operandOf(rest)]
  const bounds = /^\(?(.+?)(?:\s+and\s+|\s*,\s*|\s+to\s+|\s*\.\.\s*)(.+?)\)?$/is.exec(rest)
  const [, low, high] = bounds ?? []
  if (low === undefined || high === undefined) {
    throw new Refusal(
      `The condition \`${shown(source)}\` lacks a bound. Write like \`price between 5 and 10\`.`,
    )
  }
  return [operandOf(low), operandOf(high)]
}

/** What stands between parentheses that enclose the whole text. */
function enclosed(text: string): string | undefined {
  if (!text.startsWith('(') || !text.endsWith(')')) return undefined
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    if (text.charAt(at) === '(') depth++
    if (text.charAt(at) === ')' && --depth === 0)
      return at === text.length - 1 ? text.slice(1, -1) : undefined
  }
  return undefined
}
