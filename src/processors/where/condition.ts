/** Reads a condition: `state = open`, `a > 5 and (b = 1 or c has x)`. The first operator decides; values need no quotes. */
import { splitNames } from '../lenient.ts'
import { Refusal, shown } from '../refusal.ts'
import { asQuantified, asSentence, type Measure, measured, type Quantified } from './calls.ts'
import { type Held, withHeldQuoted } from './held.ts'
import { type Operand, operandOf } from './operand.ts'
import { type Cut, cutAtOperator, type Knows, type Operator } from './operators.ts'
import { operatorAtEnd } from './spellings.ts'
import { splitAt } from './split.ts'
import { unwrapped } from './unwrap.ts'

export type Condition =
  | { kind: 'and' | 'or'; parts: Condition[] }
  | { kind: 'not'; part: Condition }
  | Comparison
  | Within

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
  /** Of each value, compared in its place. */
  measure?: Measure
  /** `lower(field)`: case does not count. */
  folded?: true
  /** Written `field:value`: where no value is equal, a part of one is meant. */
  colon?: true
}

/** Elements of a list against a condition of their own. */
export interface Within {
  kind: 'within'
  field: string
  quantifier: Quantified['quantifier']
  /** Read once the elements, and so the names of their fields, are known. */
  condition: string
  written: string
}

/** What is known of the records, and where remarks go. */
export interface Reading {
  knows: Knows
  /** Values that hold what else joins conditions. Absent: no record is at hand. */
  held?: Held
  note(text: string): void
}

/** Parentheses within parentheses, and comparisons in one text: more are not written by anybody. */
const deepest = 20

const nothingKnown: Reading = { knows: () => undefined, note: () => undefined }

/** Throws a `Refusal` that says what to write instead. */
export function parseCondition(text: string, reading: Reading = nothingKnown, depth = 0): Condition {
  const bare = unwrapped(text, reading.note)
  const source = reading.held ? withHeldQuoted(bare, reading.knows, reading.held, reading.note) : bare
  if (depth > deepest) throw new Refusal(`The condition \`${shown(source)}\` is nested too deeply.`)
  const part = (one: string): Condition => parseCondition(one, reading, depth + 1)
  const any = splitAt(source, 'or', reading.knows)
  if (any.length > 1) return { kind: 'or', parts: any.map(part) }
  const all = splitAt(source, 'and', reading.knows)
  if (all.length > 1) return { kind: 'and', parts: all.map(part) }
  const inner = enclosed(source)
  if (inner !== undefined) return part(inner)
  const range = chained(source, reading.knows)
  if (range) return { kind: 'and', parts: range.map(part) }
  const opposite = /^(?:not\s+|not(?=\()|!\s*(?=\(|\w+\())/i.exec(source)
  if (opposite && !/^not\s*(?:[=<>!]|in\b|like\b)/i.test(source))
    return { kind: 'not', part: part(source.slice(opposite[0].length)) }
  const quantified = asQuantified(source, reading.knows)
  if (quantified) return { kind: 'within', ...quantified, written: shown(source, 60) }
  const sentence = asSentence(source, reading.knows)
  if (sentence !== undefined) return part(sentence)
  return parseComparison(source, reading)
}

/** A field and nothing else: `draft`, `!archived`, `user.admin`. */
const alone = /^!?\s*[\p{L}_@$.][\p{L}\p{N}_.$@[\]*"'?-]*$/u

function parseComparison(source: string, reading: Reading): Comparison {
  const { knows } = reading
  const existing = /^(exists|has|missing)\s+([\w.[\]*$@"'-]+)$/i.exec(source)
  // Records that are values have no name: `~ README`, `> 5`.
  const nameless = /^(?:[=<>!]=?=?|=?~|!~)\s*[^\s=<>~]/.test(source) && knows('_value') === 'exactly'
  const cut = existing ? undefined : cutAtOperator(nameless ? `_value ${source}` : source, knows)
  const written = shown(source, 60)
  if (existing) {
    const [, word = '', field = ''] = existing
    return {
      kind: 'comparison',
      field,
      operator: 'exists',
      negated: /missing/i.test(word),
      operands: [],
      written,
    }
  }
  if (!cut && (alone.test(source) || knows(source.replace(/^!\s*/, '')) === 'exactly')) {
    const field = source.replace(/^!\s*/, '')
    return {
      kind: 'comparison',
      field,
      operator: 'is true',
      negated: source.startsWith('!'),
      operands: [],
      written,
    }
  }
  if (!cut) {
    const field = shown(source.replace(/^!/, ''), 40) || 'field'
    throw new Refusal(
      `The condition \`${shown(source)}\` has no operator. Write like \`${field} = value\`, \`${field} > 5\`, \`${field} ~ pattern\`, \`${field} has x\` or \`${field} exists\`.`,
    )
  }
  return ofCut(turned(cut, knows), source, reading)
}

function ofCut(cut: Cut, source: string, { knows }: Reading): Comparison {
  const written = shown(source, 60)
  const suffix = cut.operator === '=' && knows(cut.field) !== 'exactly' ? operatorAtEnd(cut.field) : undefined
  if (suffix && !cut.negated && (knows(suffix.field) !== undefined || cut.field.includes('__'))) {
    const again = cutAtOperator(`${suffix.field} ${suffix.operator} ${cut.rest}`, knows)
    if (again) return ofCut(again, source, { knows, note: () => undefined })
  }
  const { field, measure, folded } = measured(withoutMarks(cut.field, knows), knows)
  const { operator, negated, rest } = cut
  const comparison = {
    kind: 'comparison',
    field,
    negated,
    written,
    ...(measure && { measure }),
    ...(folded && { folded }),
    ...(cut.colon && { colon: true as const }),
  } as const
  if (operator === 'exists' || operator === 'is null' || operator === 'is empty') {
    const flag = /^(?:(?:==?=?|is|:)\s*)?["']?(true|false|yes|no|1|0)["']?$/i.exec(rest)
    if (rest !== '' && !flag) {
      throw new Refusal(
        `The condition \`${shown(source)}\` goes on after \`${operator}\`, which takes no value.`,
      )
    }
    return { ...comparison, operator, negated: /false|no|0/i.test(flag?.[1] ?? '') !== negated, operands: [] }
  }
  if (rest === '') {
    throw new Refusal(
      `The condition \`${shown(source)}\` has no value after the operator. For fields without a value write \`${shown(field, 40)} is empty\`.`,
    )
  }
  if (operator === '=') {
    if (/^(?:null|nil|undefined)$/i.test(rest)) return { ...comparison, operator: 'is null', operands: [] }
    if (/^(?:\[\s*\]|\{\s*\})$/.test(rest)) return { ...comparison, operator: 'is empty', operands: [] }
  }
  const isRange =
    operator === 'in' && /^[[(]?\s*-?\d+(?:\.\d+)?\s*\.\.\.?\s*-?\d+(?:\.\d+)?\s*[\])]?$/.test(rest)
  const read = isRange ? 'between' : operator
  return { ...comparison, operator: read, operands: operandsOf(read, rest, source) }
}

/** `"bug" in labels`, `5 < comments`: the value first. */
function turned(cut: Cut, knows: Knows): Cut {
  const isValue = knows(cut.field) === undefined || /^["'\d]/.test(cut.field)
  const right = measuredName(cut.rest, knows)
  if (!isValue || right === undefined || knows(cut.field) === 'exactly') return cut
  if (cut.operator === 'in') return { ...cut, operator: 'has', field: right, rest: cut.field }
  const opposite = ({ '<': '>', '<=': '>=', '>': '<', '>=': '<=', '=': '=' } as const)[cut.operator as '<']
  const literal = /^(?:["'`]|[-+]?[\d.])/.test(cut.field)
  return opposite && literal ? { ...cut, operator: opposite, field: right, rest: cut.field } : cut
}

function measuredName(text: string, knows: Knows): string | undefined {
  if (/^["'\d-]/.test(text)) return undefined
  const { field } = measured(text, knows)
  return knows(field) === undefined ? undefined : text
}

/** `5 < comments <= 10` as two conditions. */
function chained(source: string, knows: Knows): string[] | undefined {
  const [, low, first, field, second, high] =
    /^([-+]?["'\d][^<>=]*?)\s*(<=?|>=?)\s*([^<>=\s][^<>=]*?)\s*(<=?|>=?)\s*([-+]?["'\d][^<>=]*)$/.exec(
      source,
    ) ?? []
  if (low === undefined || field === undefined || knows(low) === 'exactly') return undefined
  const flipped = first?.replace(/[<>]/, (sign) => (sign === '<' ? '>' : '<'))
  return [`${field} ${flipped} ${low}`, `${field} ${second} ${high}`]
}

/** Quotes and braces around a whole name are not part of it. */
function withoutMarks(field: string, knows: Knows): string {
  if (knows(field) === 'exactly') return field
  const [, inner] =
    /^(?:`([^`]+)`|\$?\{\{?([^{}]+)\}\}?|\[([^\]["'*?]+)\])$/
      .exec(field)
      ?.filter((part) => part !== undefined) ?? []
  return (inner ?? field).replaceAll('?.', '.')
}

function operandsOf(operator: Operator, rest: string, source: string): Operand[] {
  if (operator === 'in' || operator === 'has all') {
    const inner = enclosed(rest) ?? rest.replace(/^(?:\[(.*)\]|\{(.*)\})$/s, '$1$2')
    const items = splitNames(separated(inner))
    if (items.length > 0) return items.map(operandOf)
    throw new Refusal(
      `The condition \`${shown(source)}\` names no values. Write like \`state in (open, closed)\`.`,
    )
  }
  if (operator !== 'between') return [operandOf(rest)]
  const bounds =
    /^[([]?(.+?)(?:\s+and\s+|\s*,\s*|\s+to\s+|\s*&&?\s*|\s*\.\.\.?\s*|\s+-\s+)(.+?)[)\]]?$/is.exec(rest)
  const [, low, high] = bounds ?? []
  if (low === undefined || high === undefined) {
    throw new Refusal(
      `The condition \`${shown(source)}\` lacks a bound. Write like \`price between 5 and 10\`.`,
    )
  }
  return [operandOf(low), operandOf(high)]
}

/** Single quotes open a text here as well; `a or b` and `a | b` are two. */
function separated(list: string): string {
  const double = list.replaceAll(/(^|[,(\s])'([^'"]*)'(?=\s*(?:,|$|\)|\]))/g, '$1"$2"')
  return /["',]/.test(double) ? double : double.replaceAll(/\s+or\s+|\s*\|\|?\s*/gi, ', ')
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
