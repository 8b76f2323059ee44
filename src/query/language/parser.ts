/**
 * The one parser: conditions of `where` and of groups, conditions in brackets of paths, aggregate calls, computed fields. It
 * climbs precedences over the tokens of one scanner: or, and, not, comparison, + - ||, * / %, minus, call and member. Knowledge of the
 * records decides where a name or a value without quotes begins and ends: `title = cats and dogs` is one comparison, `title = cats and id
 * = 5` are two.
 */

import { type JsonValue, valueOfJson } from '../../protocol/json.ts'
import { operandOf } from '../../text/values/compare.ts'
import { DATE_PARTS, WEEKDAYS } from '../../text/values/date-parts.ts'
import { timeUnit } from '../../text/values/intervals.ts'
import { plainNumber } from '../../text/values/quantities.ts'
import { relativeSpan } from '../../text/values/relative.ts'
import { bareName } from '../../text/words/bare-name.ts'
import { NoOperator, Refusal, safely, shown } from '../refusal.ts'
import { aggregateNamed } from './aggregates.ts'
import { operatorAtEnd, partAtEnd } from './dialects/django.ts'
import { unwrapped } from './dialects/index.ts'
import { withLists } from './dialects/lambda.ts'
import { callFunction, dateUse, functionNamed } from './functions.ts'
import { operatorAt, operatorCalled, operatorCalledAlone, operatorOf } from './operators.ts'
import { enclosed, scan, splitAt, type Token } from './scanner.ts'
import {
  asCondition,
  type Comparison,
  type Condition,
  comparing,
  type Expression,
  fieldsIn,
  type Literal,
  mapped,
  type Named,
  partsOf,
  type Within,
} from './tree.ts'
import { windowNamed } from './windows.ts'

/** How well a name is known as a field: as written, so in an object or in another case, by another spelling, or not at all. */
export type Knows = (name: string) => 'exactly' | 'within' | 'nearly' | undefined

/** Knowledge of the records that an expression is about, and the place for remarks. */
export interface Names {
  knows: Knows
  /** Whether it is a field as it is written: the same as `knows` tells, in less time. */
  exactly?(name: string): boolean
  /** True where the whole text names a field or computes one: there `*` in `price*qty` is no pattern and no part of a name. */
  isField?: boolean
  /** The texts of a field that hold what else joins conditions, in lower case. Absent: no record is at hand. */
  held?(field: string): ReadonlySet<string>
  note(text: string): void
}

/** The words and signs that may join conditions, in a text that a record holds. */
export const JOINT = /\s(?:and|or)\s|[,;&|]/i
/** Longer texts that records hold are not looked for in a condition. In characters. */
export const LONGEST_HELD = 300

/** The longest expression, in characters. */
const LONGEST = 20_000
/** Brackets within brackets, and calls within calls. */
const DEEPEST = 20
/** Parts of one condition, and places in it that may be joints. */
const MOST_PARTS = 100
const MOST_PLACES = 200
/** Operators looked at before the one of a comparison is chosen. */
const MOST_CUTS = 8
/** Tokens after a joint that are looked at for a condition. */
const MOST_AHEAD = 60
/** Places at which a value that a record holds may end. */
const MOST_ENDS = 24
/** Names of more words are not looked for in arithmetic. */
const MOST_WORDS = 6

/** Operators beside which a name may be a field. */
const BESIDE: ReadonlySet<string> = new Set(['=', '<', '<=', '>', '>='])

const NOTHING_KNOWN: Names = { knows: () => undefined, note: () => undefined }

/** Reads a condition. Throws a `Refusal` that says what to write instead. */
export function parseCondition(text: string, names: Names = NOTHING_KNOWN): Condition {
  return new Parser(unwrapped(bounded(text), names.note), names).condition()
}

/** The names of the fields in a condition; none where it cannot be read. */
export function fieldsOf(condition: string): string[] {
  return safely(() => fieldsIn(parseCondition(condition))) ?? []
}

/** Reads what has a value: a field, arithmetic, a call, `case when`. Undefined when it is none of these: a plain name, a text. */
export function parseComputed(text: string, names: Names = NOTHING_KNOWN): Expression | undefined {
  return new Parser(withLists(bounded(text).trim()), names).computed()
}

/** Reads what has a value, and the name it is to have: `sum(price) as revenue`. A plain name is a field. */
export function parseNamed(text: string): Named {
  const [, source = text.trim(), as] =
    /^(.*\S)\s+as\s+["'`[]?([\p{L}\p{N}_ .-]{1,60}?)["'`\]]?$/isu.exec(bounded(text).trim()) ?? []
  const expression = parseComputed(source) ?? { kind: 'field' as const, name: source }
  return { expression, source, ...(as !== undefined && { as }) }
}

/**
 * Reads the condition in `[?…]` as JSONPath has it: every word is a member, `==` compares, `||` is or. Throws a `Refusal` for all
 * else, calls included.
 */
export function parseStrict(text: string): Expression {
  return new Parser(bounded(text), { ...NOTHING_KNOWN }, true).strict()
}

function bounded(text: string): string {
  if (text.length > LONGEST)
    throw new Refusal(`An expression may have at most ${LONGEST} characters; this one has ${text.length}.`)
  return text
}

/** Some tokens of the source: `from` to `to`, that one not included. */
interface Range {
  from: number
  to: number
}

/** A comparison cut at its operator. */
interface Cut {
  symbol: string
  negated: boolean
  weak: boolean
  /** `state:open`, as in search boxes. */
  colon: boolean
  /** The operator as it was written, in lower case; absent for a sign. */
  words?: string
  field: string
  rest: string
  /** The tokens before the operator and after it. */
  left: Range
  right: Range
}

/** Binding powers of what stands between two operands in a computed field; in strict conditions `||` is or. */
const POWERS: Readonly<Record<string, number>> = {
  '||': 4,
  '+': 5,
  '-': 5,
  '*': 6,
  '/': 6,
  '%': 6,
}
const STRICT_POWERS: Readonly<Record<string, number>> = {
  ...POWERS,
  '||': 1,
  or: 1,
  '&&': 2,
  and: 2,
  '==': 3,
  '===': 3,
  '!=': 3,
  '!==': 3,
  '<': 4,
  '<=': 4,
  '>': 4,
  '>=': 4,
}

/** A field and nothing else: `draft`, `!archived`, `user.admin`. */
const ALONE = /^!?\s*[\p{L}_@$.][\p{L}\p{N}_.$@[\]*"'?-]*$/u

/** Functions over the elements of a list. */
const QUANTIFIERS: ReadonlyMap<string, Within['quantifier']> = new Map([
  ['any', 'any'],
  ['some', 'any'],
  ['every', 'all'],
  ['all', 'all'],
  ['none', 'none'],
  ['elemmatch', 'any'],
  ['anymatch', 'any'],
  ['exists', 'any'],
  ['filter', 'any'],
  ['find', 'any'],
])

/** Functions of one value that change nothing for a comparison, because it reads values as they are meant anyway. */
const CHANGE_NOTHING: ReadonlySet<string> = new Set(
  'lower upper tolower toupper tolowercase touppercase casefold lcase ucase asciidowncase asciiupcase trim strip str string tostring number tonumber int float parseint parsefloat double bool boolean tojson text date datetime timestamp todate totimestamp parsedate fromdate newdate coalesce ifnull nvl values value keys'.split(
    ' ',
  ),
)

/** The properties of a field that may be asked for without parentheses: `labels.length`, `created_at:month`. */
const PROPERTIES: ReadonlySet<string> = new Set(['length', 'len', 'size', 'count', ...DATE_PARTS])

/** Elements that a condition chooses exist where there is one of them: the list that is left exists anyway. */
function asChosen(symbol: string, field: string): string {
  return symbol === 'exists' && /\[\?.*\]$/s.test(field) ? 'is true' : symbol
}

/** Brackets around a name alone. */
const MOST_LAYERS = 20

class Parser {
  readonly #source: string
  readonly #tokens: readonly Token[]
  readonly #names: Names
  readonly #knows: Knows
  #depth = 0
  /** Of the computed field or strict condition that is read now. */
  #at = 0
  #end = 0
  readonly #isStrict: boolean
  /** The token after the `end` of each `case`: what is in it joins and compares nothing outside. */
  readonly #cases: ReadonlyMap<number, number>
  readonly #intervals = new WeakMap<Expression, { count: number; unit: string }>()
  /** Whether any operator is `between`: to look before each `and` again takes quadratic time. */
  #hasBetween: boolean | undefined
  /** Some sign of what was read has no blanks around it. */
  #isTight = false

  constructor(source: string, names: Names, strict = false) {
    this.#source = source
    this.#tokens = scan(source, { strict })
    this.#names = names
    this.#knows = names.knows
    this.#isStrict = strict
    this.#cases = /\bcase\b/i.test(source) ? casesIn(this.#tokens) : NO_CASES
  }

  #exactly(name: string): boolean {
    return this.#names.exactly ? this.#names.exactly(name) : this.#knows(name) === 'exactly'
  }

  // ---- Conditions -------------------------------------------------------------------------------------------------

  condition(): Condition {
    return this.#condition(this.#all())
  }

  #all(): Range {
    return { from: 0, to: this.#tokens.length }
  }

  #condition(range: Range): Condition {
    if (++this.#depth > DEEPEST)
      throw new Refusal(`The condition \`${shown(this.#text(range))}\` is nested too deeply.`)
    const parts = this.#parts(range)
    const read = this.#joined(parts, 0, 0)
    this.#depth--
    return read.condition
  }

  /** The parts from `at` on that are joined by what binds more than `least`. */
  #joined(parts: readonly Part[], at: number, least: number): { condition: Condition; next: number } {
    let condition = this.#part(parts[at] as Part)
    let next = at + 1
    for (;;) {
      const joint = parts[next]?.joint
      const power = joint === 'or' ? 1 : joint === 'and' ? 2 : 0
      if (joint === undefined || power <= least) return { condition, next }
      const right = this.#joined(parts, next, power)
      condition =
        condition.kind === joint
          ? { kind: joint, parts: [...condition.parts, right.condition] }
          : { kind: joint, parts: [condition, right.condition] }
      next = right.next
    }
  }

  /**
   * The comparisons and groups in a range. A joint counts only when a condition follows it. The `and` of `between` is none. A part
   * that begins with its operator gets the field of the one before: `a > 5 and < 9`.
   */
  #parts({ from, to }: Range): Part[] {
    const parts: Part[] = []
    let places = 0
    let start = from
    let joint: Part['joint']
    let lastField: string | undefined
    let lastOpening: string | undefined
    let isNegated = false
    const add = (end: number, held?: string): void => {
      const range = { from: start, to: end }
      const [only] = end - start === 1 ? this.#tokens.slice(start, end) : []
      const isValue =
        only?.kind === 'text' && /^["']/.test(only.text) && this.#knows(only.value) === undefined
      const inherits =
        parts.length === 0
          ? undefined
          : this.#opensWithSign(range)
            ? lastField
            : isValue && !(isNegated && joint === 'or')
              ? lastOpening
              : undefined
      parts.push({
        range,
        joint,
        ...(inherits !== undefined && { field: inherits }),
        ...(held !== undefined && { held }),
      })
      if (inherits !== undefined) return
      const cut = this.#cut(this.#withoutOpening(range))
      lastField = cut?.field
      lastOpening = cut && this.#opening(cut)
      // `state != "open" or "closed"` means neither, and says all.
      isNegated = cut?.negated === true || /^(?:not|!)$/i.test(this.#tokens[start]?.text ?? '')
    }
    const base = this.#tokens[from]?.depth ?? 0
    for (let at = from; at < to; ) {
      const end = this.#cases.get(at)
      if (end !== undefined && end <= to) {
        at = end
        continue
      }
      if (at === start) {
        const held = this.#heldValue({ from: start, to })
        if (held !== undefined) {
          const found = held.end < to ? this.#jointAt(held.end, held.end, base) : undefined
          if (held.end === to || found) {
            add(held.end, held.text)
            if (held.end === to) return parts
            start = held.end + (found?.width ?? 0)
            joint = found?.joint
            at = start
            continue
          }
        }
      }
      const found = parts.length < MOST_PARTS && at > start ? this.#jointAt(at, start, base) : undefined
      const rest = { from: at + (found?.width ?? 0), to }
      if (
        !found ||
        rest.from >= to ||
        places++ > MOST_PLACES ||
        !this.#counts(found, { from: start, to: at }, rest)
      ) {
        at++
        continue
      }
      add(at)
      start = rest.from
      joint = found.joint
      at = start
    }
    add(to)
    return parts
  }

  /** `title contains`, which holds for a value that stands alone behind it: `title contains "a" or "b"`. */
  #opening({ field, symbol, left, right }: Cut): string | undefined {
    if (field === '' || /^(?:in|between|has all)$/.test(symbol)) return undefined
    const [first, value] = [this.#tokens[left.from], this.#tokens[right.from]]
    return first && value && this.#source.slice(first.from, value.from).trim()
  }

  /** The possible joint at a token, outside of brackets. */
  #jointAt(at: number, start: number, base: number): Joint | undefined {
    const token = this.#tokens[at]
    if (!token || token.depth > base) return undefined
    const next = this.#tokens[at + 1]
    const before = this.#tokens[at - 1]
    const word = token.kind === 'word' ? token.text.toLowerCase() : ''
    if (word === 'and' || word === 'or') {
      const isApart = token.apart && next?.apart === true
      return isApart || (before?.kind === 'close' && at > start)
        ? { joint: word, width: 1, isTight: false }
        : undefined
    }
    if (token.kind === 'sign') {
      if (token.text === '||' && this.#joinsTexts(at)) return undefined
      if (token.text === '&&' || token.text === '||')
        return { joint: token.text === '||' ? 'or' : 'and', width: 1, isTight: false }
      if (token.text === ',' || token.text === ';') return { joint: 'and', width: 1, isTight: true }
      if ((token.text === '&' || token.text === '|') && token.apart && next?.apart)
        return { joint: token.text === '|' ? 'or' : 'and', width: 1, isTight: true }
      return undefined
    }
    // The blanks in `state:open draft=true`, as search boxes have it.
    if (!token.apart || at === start || !this.#opensBeside(at)) return undefined
    const part = { from: start, to: at }
    const isWhole = this.#cut(part)?.rest !== '' && !/^not$/i.test(this.#text(part))
    return isWhole ? { joint: 'and', width: 0, isTight: false } : undefined
  }

  /** True for `first || ' ' || last`, as SQL joins texts: beside a mark in quotes that stands alone, and is none of several values. */
  #joinsTexts(at: number): boolean {
    const isMark = (mark: number) => {
      const [before, token, after, next] = [-1, 0, 1, 2].map((step) => this.#tokens[mark + step])
      return (
        token?.kind === 'text' &&
        /^(["'])[^\p{L}\p{N}]*\1$/u.test(token.text) &&
        (before === undefined || before.text === '||' || before.text === '(') &&
        after?.text === '||' &&
        next?.kind !== 'text'
      )
    }
    return isMark(at - 1) || isMark(at + 1)
  }

  #opensBeside(at: number): boolean {
    const rest = this.#source.slice(this.#tokens[at]?.from, (this.#tokens[at]?.from ?? 0) + 200)
    const name = /^([\w.]+)(?=:[^\s:]|[=<>!]=?[^\s=<>])/.exec(rest)?.[1]
    return name !== undefined && this.#exactly(name)
  }

  #counts({ joint, isTight }: Joint, part: Range, rest: Range): boolean {
    if (this.#opensBetween(part)) return false
    if (!isTight && this.#isComplete(part, rest)) return true
    const isNext =
      this.#isCondition(rest, isTight) || (this.#opensWithSign(rest) && this.#isCondition(part, false))
    return isNext && !(joint === 'and' && isTight && this.#inList(part))
  }

  /** True where a joint is no part of a value: `&&`, one behind a value in quotes, one before a bracket. */
  #isComplete(part: Range, rest: Range): boolean {
    const [last, joint, first] = [part.to - 1, part.to, rest.from].map((at) => this.#tokens[at])
    if (joint?.text === '&&') return true
    if (joint?.kind !== 'word') return false
    const cut = this.#cut(part)
    const isQuoted = last?.kind === 'text' && /^["']/.test(last.text) && cut?.right.from === part.to - 1
    return cut !== undefined && cut.rest !== '' && (isQuoted || (first?.text === '(' && first.apart))
  }

  /** `> 5`, `<= x`; an equals sign alone is none, because values begin with it. */
  #opensWithSign({ from, to }: Range): boolean {
    const [sign, next] = [this.#tokens[from], this.#tokens[from + 1]]
    return from + 1 < to && /^(?:[<>]=?|!=)$/.test(sign?.text ?? '') && !/^[<>=]/.test(next?.text ?? '=')
  }

  /** True for `price between 5`: the next `and` belongs to it. */
  #opensBetween(part: Range): boolean {
    this.#hasBetween ??= this.#tokens.some(
      ({ from }) => operatorAt(this.#source, from, this.#source.length)?.symbol === 'between',
    )
    if (!this.#hasBetween) return false
    const cut = this.#cut(part)
    return (
      cut?.symbol === 'between' && !/\s(?:and|to)\s|,|\.\./i.test(cut.rest.replace(/'[^']*'|"[^"]*"/g, "''"))
    )
  }

  /** True for `state in open`: the next comma belongs to it. */
  #inList(part: Range): boolean {
    const symbol = this.#cut(part)?.symbol
    return symbol === 'in' || symbol === 'has all' || symbol === 'between'
  }

  /** Without `not`, `!` and brackets before it, and up to the bracket that closes more than was opened. */
  #withoutOpening({ from, to }: Range): Range {
    let at = from
    for (let left = 20; left > 0 && at < to; left--) {
      const [token, next] = [this.#tokens[at], this.#tokens[at + 1]]
      const isNot = /^not$/i.test(token?.text ?? '') && (next?.apart || next?.text === '(')
      if (!isNot && token?.text !== '(' && token?.text !== '!') break
      if (token?.text === '(' && this.#isOperand(token, to)) break
      at++
    }
    const depth = this.#tokens[at]?.depth ?? 0
    let end = at
    while (end < to && (this.#tokens[end]?.depth ?? 0) >= depth) end++
    return { from: at, to: end }
  }

  /** True for brackets with an operator behind them, as in `(price / 2) > 5`. */
  #isOperand({ match }: Token, to: number): boolean {
    const behind = (step: number): string =>
      match + step < to ? (this.#tokens[match + step]?.text ?? '') : ''
    const word = /^not$/i.test(behind(1)) ? behind(2) : behind(1)
    return /^(?:[<>=!~*/%+-].*|in|between|i?like|is)$/is.test(word)
  }

  /** True when the range begins with a field and an operator, or is a field that is known. */
  #isCondition(range: Range, strictly: boolean): boolean {
    const whole = this.#withoutOpening(range)
    const { from } = whole
    if (from >= whole.to) return false
    const to = Math.min(whole.to, from + MOST_AHEAD)
    const text = this.#text({ from, to })
    if (/^(?:\w+\.)*[a-z]\w*\(/i.test(text)) return true
    const [word = ''] = /^[^\s&|,;)]+/.exec(text) ?? []
    const after = text.slice(word.length).trimStart()
    if (/^$|^(?:and|or|&&|\|\||[,;)])/i.test(after) && /^[\w.$@[\]]+$/.test(word)) return this.#exactly(word)
    const cut = this.#cut({ from, to })
    if (cut === undefined || cut.field === '') return false
    // A number is a field, or has a field after it (`5 < price`); else it is a part of a value: `>=17 || 14 >=14.58`.
    if (/^[-+]?\d[\d.]*$/.test(cut.field) && this.#knows(cut.field) === undefined && !this.#begins(cut.rest))
      return false
    if (strictly && this.#knows(cut.field) === undefined && (cut.colon || !/^[\w.$@[\]-]+$/.test(cut.field)))
      return false
    // `tags:gdpr` of a field that is deeper is one as well, but `note: gdpr` may be a text.
    const isWithin = /^[\w.@-]+:\S/.test(text) && this.#knows(cut.field) === 'within'
    if (cut.colon && !isWithin && !this.#exactly(cut.field)) return false
    if (!/\s/.test(cut.field) || /^["'`[]/.test(cut.field) || this.#exactly(cut.field)) return true
    return this.#computedOf(cut.left) !== undefined || this.#property(cut.field) !== undefined
  }

  #begins(text: string): boolean {
    const [name] = /^[^\s&|,;)<>=]+/.exec(text) ?? []
    return name !== undefined && !/^[\d"']/.test(name) && this.#knows(name) !== undefined
  }

  /** The value of an equation that some record has as it stands, although it holds joints; the longest one counts. */
  #heldValue(range: Range): { end: number; text: string } | undefined {
    const { held } = this.#names
    if (!held || !JOINT.test(this.#text(range))) return undefined
    const inner = this.#withoutOpening(range)
    const cut = this.#cut({ from: inner.from, to: Math.min(inner.to, inner.from + 200) })
    if (cut?.symbol !== '=' || cut.rest === '' || /^["'`]/.test(cut.rest)) return undefined
    if (this.#knows(cut.field) === undefined) return undefined
    const texts = held(cut.field)
    if (texts.size === 0) return undefined
    const begin = this.#tokens[cut.right.from]?.from ?? 0
    const ends: number[] = []
    for (let at = cut.right.from + 1; at < inner.to && ends.length < MOST_ENDS; at++)
      if (/^(?:and|or|\|\|?|&&?|[,;)])$/i.test(this.#tokens[at]?.text ?? '')) ends.push(at)
    for (const end of [...ends, inner.to].reverse()) {
      const text = this.#source.slice(begin, this.#tokens[end - 1]?.to)
      if (text.length > LONGEST_HELD || !JOINT.test(text) || !texts.has(text.toLowerCase())) continue
      // Within a group only the group ends with it.
      if (inner.from > range.from && this.#tokens[inner.from - 1]?.text === '(') return undefined
      const either = text.split(/\s+or\s+/i)
      if (either.length > 1)
        this.#names.note(
          `\`${text}\` is one value; for either of them write \`${cut.field} in (${either.join(', ')})\`.`,
        )
      return { end, text }
    }
    return undefined
  }

  /** One comparison or group, with `not` before it. */
  #part(part: Part): Condition {
    const { range, held } = part
    const { from, to } = range
    if (from >= to) return this.#comparison(range, part)
    const [first, second] = [this.#tokens[from], this.#tokens[from + 1]]
    if (first?.text === '(' && first.match === to - 1) return this.#condition({ from: from + 1, to: to - 1 })
    const chain = held === undefined ? this.#chained(range) : undefined
    if (chain) return chain
    if (this.#opensNot(range, first, second)) {
      const inner = this.#part({ ...part, range: { from: from + 1, to } })
      // So that the records without a value are told as of any negated comparison.
      return inner.kind === 'comparison'
        ? { ...inner, negated: !inner.negated }
        : { kind: 'not', part: inner }
    }
    if (held === undefined && part.field === undefined) {
      const within = this.#quantified(range)
      if (within) return within
      const sentence = this.#called(range)
      if (sentence) return sentence
    }
    return this.#comparison(range, part)
  }

  #opensNot({ from, to }: Range, first: Token | undefined, second: Token | undefined): boolean {
    if (!first || !second || from + 1 >= to) return false
    if (first.text === '!') {
      // `!labels.includes("x")`
      const opening = this.#tokens[to - 1]?.match ?? -1
      const isMethod =
        this.#tokens[opening - 1]?.kind === 'word' && /^\??\.$/.test(this.#tokens[opening - 2]?.text ?? '')
      return (
        second.text === '(' ||
        (second.kind === 'word' && (this.#tokens[from + 2]?.text === '(' || (opening > from && isMethod)))
      )
    }
    if (!/^not$/i.test(first.text) || !(second.apart || second.text === '(')) return false
    return !/^(?:[=<>!]|in$|like$)/i.test(second.text)
  }

  /** `5 < comments <= 10` as two conditions. */
  #chained({ from, to }: Range): Condition | undefined {
    const beginsValue = (token: Token | undefined): token is Token =>
      token !== undefined && (/^(?:number|text)$/.test(token.kind) || /^[-+]$/.test(token.text))
    const first = this.#tokens[from]
    if (!beginsValue(first)) return undefined
    const { depth } = first
    const signs: number[] = []
    for (let at = from; at < to; at++) {
      const token = this.#tokens[at]
      if (!token || token.depth > depth || token.kind !== 'sign') continue
      if (/^[<>]=?$/.test(token.text)) signs.push(at)
      else if (/[<>=]/.test(token.text)) return undefined
    }
    const [one, other] = signs
    if (one === undefined || other === undefined || signs.length > 2 || one + 1 >= other || other + 1 >= to)
      return undefined
    const low = this.#text({ from, to: one })
    const field = this.#text({ from: one + 1, to: other })
    if (!beginsValue(this.#tokens[other + 1]) || this.#exactly(low)) return undefined
    const flipped = FLIPPED[this.#tokens[one]?.text ?? ''] ?? '<'
    const left = this.#left(field, { from: one + 1, to: other })
    const high = this.#text({ from: other + 1, to })
    const bound = (sign: string, value: string): Comparison =>
      comparing(left, sign, {
        operands: [literalOf(value)],
        written: shown(`${field} ${sign} ${value}`, 60),
      })
    return { kind: 'and', parts: [bound(flipped, low), bound(this.#tokens[other]?.text ?? '<', high)] }
  }

  // ---- Calls that are conditions ----------------------------------------------------------------------------------

  /** The call that a range begins with, as function or as method; of a chain, `a.lower().includes("x")`, the last one counts. */
  #callIn({ from, to }: Range): CallAt | undefined {
    const depth = this.#tokens[from]?.depth ?? 0
    let open = -1
    for (let at = from; at < to && open < 0; at++)
      if (this.#tokens[at]?.text === '(' && this.#tokens[at]?.depth === depth) open = at
    if (open <= from || (this.#tokens[open]?.match ?? -1) < 0) return undefined
    for (;;) {
      const end = this.#tokens[open]?.match ?? -1
      const [dot, name, next] = [this.#tokens[end + 1], this.#tokens[end + 2], this.#tokens[end + 3]]
      if (end + 3 >= to || !/^\??\.$/.test(dot?.text ?? '') || name?.kind !== 'word' || next?.text !== '(')
        break
      if (next.match < 0) break
      open = end + 3
    }
    const end = this.#tokens[open]?.match ?? -1
    const name = this.#tokens[open - 1]
    if (name?.kind !== 'word' || !/^[a-z_]\w*$/i.test(name.text) || end < 0 || end >= to) return undefined
    const dot = this.#tokens[open - 2]
    const isMethod = open - 2 > from && /^\??\.$/.test(dot?.text ?? '')
    if (!isMethod && open - 1 !== from) return undefined
    const target = isMethod ? { from, to: open - 2 } : undefined
    if (target && /[=<>~]\s|\s(?:and|or)\s/i.test(`${this.#text(target)} `)) return undefined
    if (this.#exactly(this.#text({ from, to: end + 1 }))) return undefined
    const args = this.#arguments({ from: open + 1, to: end })
    const rest = this.#text({ from: end + 1, to })
    if (target) return { object: target, name: name.text, args, rest }
    const [first, ...others] = args
    return first && { object: first, name: name.text, args: others, rest }
  }

  /** The arguments between parentheses, at commas and semicolons. */
  #arguments({ from, to }: Range): Range[] {
    const args: Range[] = []
    const depth = this.#tokens[from]?.depth ?? 0
    let start = from
    for (let at = from; at <= to; at++) {
      const token = this.#tokens[at]
      const isEnd = at === to
      if (!isEnd && !(token?.kind === 'sign' && token.depth === depth && /^[,;]$/.test(token.text))) continue
      if (at > start) args.push({ from: start, to: at })
      start = at + 1
    }
    return args
  }

  /** `contains(title, "x")` as `title contains "x"`; undefined when the range is no such call. */
  #called(range: Range): Condition | undefined {
    const call = this.#callIn(range)
    const verdict = call && /^(?:(?:==?=?|is)\s*(true|false|1|0))?$/i.exec(call.rest)
    if (!call || !verdict) return undefined
    const isNegated = verdict[1] !== undefined && /false|0/i.test(verdict[1])
    const object = this.#text(call.object)
    const written = shown(this.#text(range), 60)
    const comparison = (symbol: string, negated: boolean, left: Range, operands: Expression[]): Comparison =>
      comparing(this.#left(this.#text(left), left), asChosen(symbol, this.#text(left)), {
        negated: negated !== isNegated,
        operands,
        written,
      })
    if (call.args.length === 0) {
      const single = operatorCalledAlone(call.name)
      if (single) return comparison(single.symbol, single.negated, call.object, [])
      if (/^has(?:_?key)?$/i.test(call.name)) return comparison('exists', false, call.object, [])
      if (/^not$/i.test(call.name)) return comparison('=', false, call.object, [literalOf('false')])
      return undefined
    }
    const found = /^has(?:key|own|ownproperty)?$/i.test(call.name)
      ? { symbol: 'has', negated: false }
      : operatorCalled(call.name)
    if (!found) return undefined
    const { symbol, negated } = found
    const [second] = call.args
    const isTurned =
      /^["']/.test(object) &&
      this.#knows(object) === undefined &&
      second !== undefined &&
      !/^["']/.test(this.#text(second))
    const [field, args] = isTurned && second ? [second, [call.object]] : [call.object, call.args]
    const values = args.map((arg) => this.#text(arg))
    if (symbol === 'in')
      return comparison(symbol, negated, field, itemsOf(values.join(', '), this.#text(range)))
    if (symbol === 'between')
      return comparison(
        symbol,
        negated,
        field,
        this.#operands('between', values.join(' and '), args[0], written),
      )
    const [value = ''] = values
    if (symbol === 'contains' && /^\[.*\]$/s.test(value))
      return comparison('has all', negated, field, itemsOf(value, written))
    const text = argumentOf(call.name, symbol, object, value)
    return comparison(symbol, negated, field, this.#operands(symbol, text, args[0], written))
  }

  /** `any(labels, name = "bug")`, `labels.some(l => l.name === "bug")`, `any(l["name"] == "x" for l in labels)`. */
  #quantified(range: Range): Within | undefined {
    const worded = this.#worded(this.#text(range)) ?? this.#held(this.#text(range))
    if (worded) return worded
    const call = this.#callIn(range)
    const quantifier = call && QUANTIFIERS.get(bareName(call.name))
    if (!call || !quantifier) return undefined
    if (call.rest !== '' && !/^(?:==?=?\s*true|(?:\.length)?\s*>\s*0)$/i.test(call.rest)) return undefined
    const written = shown(this.#text(range), 60)
    const object = this.#text(call.object)
    const generated = /^(.+)\s+for\s+(\w+)\s+in\s+(\S+)$/s.exec(object)
    if (generated && call.args.length === 0) {
      const [, condition = '', variable = '', field = ''] = generated
      return { kind: 'within', field, quantifier, condition: `${variable} => ${condition}`, written }
    }
    const [first, last] = [call.args[0], call.args.at(-1)]
    if (!first || !last) return undefined
    if (
      !/[=<>~]|\s(?:is|has|contains|in|i?like|(?:starts|ends) with|between|matches)\s|\(|^\w+ *=>/i.test(
        this.#text(first),
      )
    )
      return undefined
    return {
      kind: 'within',
      field: object.replace(/\[\*?\]$/, ''),
      quantifier,
      condition: this.#text({ from: first.from, to: last.to }),
      written,
    }
  }

  /** `all items.state = open`, `none of labels = bug`: of a field that is known. */
  #worded(text: string): Within | undefined {
    const [, word = '', field = '', condition = ''] =
      /^(all|every|each|any|some|none|no)(?:\s+of)?\s+([\w.[\]*]+?)(?:\[\*?\])?\s+([^\s\w].*|(?:not\s+)?(?:in|like|is|contains|starts|ends)\b.*)$/is.exec(
        text,
      ) ?? []
    if (field === '' || this.#exactly(`${word} ${field}`) || this.#knows(field) === undefined)
      return undefined
    const quantifier = /^(?:all|every|each)$/i.test(word) ? 'all' : /^n/i.test(word) ? 'none' : 'any'
    const [, list = field, member = ''] = /^(.+)\.(\w+)$/.exec(field) ?? []
    const isOfMember = member !== '' && this.#knows(list) !== undefined
    return {
      kind: 'within',
      field: (isOfMember ? list : field).replace(/\[\*?\]$/, ''),
      quantifier,
      condition: isOfMember ? `${member} ${condition}` : condition,
      written: shown(text, 60),
    }
  }

  /** `attendees has (email = ann and state = declined)`, with a condition in place of an element. */
  #held(text: string): Within | undefined {
    const [, field = '', not, condition = ''] =
      /^([\w.[\]*]+?)(?:\[\*?\])?\s+(not\s+)?(?:has|contains|includes|any)(?:\s+(?:any|an?\s+element))?\s*\((.+)\)$/is.exec(
        text,
      ) ?? []
    const [, name = ''] = /^[\s(]*(?:not\s+)?([\w.]+)/i.exec(condition) ?? []
    // Of a list of texts, and of a text, it may be the value.
    if (field === '' || !/[=<>~]/.test(condition) || !this.#exactly(`${field}.${name}`)) return undefined
    return { kind: 'within', field, quantifier: not ? 'none' : 'any', condition, written: shown(text, 60) }
  }

  // ---- Comparisons ------------------------------------------------------------------------------------------------

  #comparison(range: Range, { field: inherited, held }: Partial<Part> = {}): Comparison {
    const text = this.#text(range)
    const source = inherited === undefined ? text : `${inherited} ${text}`
    const written = shown(source, 60)
    const [, word = '', existing] = /^(exists|has|missing)\s+([\w.[\]*$@"'-]+)$/i.exec(source) ?? []
    if (existing !== undefined) {
      const negated = /missing/i.test(word)
      return comparing({ kind: 'field', name: existing }, 'exists', { negated, written })
    }
    // Records that are values have no name: `~ README`, `> 5`.
    const isNameless =
      inherited === undefined && /^(?:[=<>!]=?=?|=?~|!~)\s*[^\s=<>~]/.test(source) && this.#exactly('_value')
    if (inherited !== undefined || isNameless) {
      const name = inherited ?? '_value'
      const cut = new Parser(`${name} ${text}`, this.#names).#cutAll()
      if (cut) return this.#ofCut(cut, source, held)
    }
    const cut = this.#cut(range)
    if (cut) return this.#ofCut(this.#turned(cut), source, held)
    const bare = source.replace(/^!\s*/, '')
    const isQuoted = /^(["`])[^"`]+\1$/.test(bare) && this.#knows(bare.slice(1, -1)) === 'within'
    if (ALONE.test(source) || isQuoted || this.#exactly(bare)) {
      const negated = source.startsWith('!')
      return comparing({ kind: 'field', name: bare }, 'is true', { negated, written })
    }
    const computed = this.#computedOf(range)
    if (computed) return comparing(computed, 'is true', { written })
    const field = shown(source.replace(/^!/, ''), 40) || 'field'
    throw new NoOperator(
      `The condition \`${shown(source)}\` has no operator.`,
      `Write like \`${field} = value\`, \`${field} > 5\`, \`${field} ~ pattern\`, \`${field} has x\` or \`${field} exists\`.`,
    )
  }

  #cutAll(): Cut | undefined {
    return this.#cut(this.#all())
  }

  #ofCut(cut: Cut, source: string, held?: string): Comparison {
    const written = shown(source, 60)
    const suffix =
      cut.symbol === '=' && !cut.negated && !this.#exactly(cut.field) ? operatorAtEnd(cut.field) : undefined
    if (suffix && (this.#knows(suffix.field) !== undefined || cut.field.includes('__'))) {
      const again = new Parser(`${suffix.field} ${suffix.operator} ${cut.rest}`, this.#names)
      const found = again.#cutAll()
      if (found) return again.#ofCut(found, source)
    }
    const aged = pastAge(cut)
    if (aged) {
      this.#names.note(`\`${written}\` read as \`${cut.field} ${aged.symbol} ${aged.rest}\`.`)
      return this.#ofCut(aged, source, held)
    }
    const further = orFurther(cut)
    if (further) {
      this.#names.note(`\`${written}\` read as \`${cut.field} ${further.symbol} ${further.rest}\`.`)
      return this.#ofCut(further, source, held)
    }
    const { symbol, negated, rest } = cut
    const comparison = {
      kind: 'comparison' as const,
      left: this.#left(cut.field, cut.left),
      negated,
      written,
      ...(cut.colon && { colon: true as const }),
    }
    if (symbol === 'exists' || symbol === 'is null' || symbol === 'is empty') {
      const flag = /^(?:(?:==?=?|is|:)\s*)?["']?(true|false|yes|no|1|0)["']?$/i.exec(rest)
      if (rest !== '' && !flag)
        throw new Refusal(
          `The condition \`${shown(source)}\` goes on after \`${symbol}\`, which takes no value.`,
        )
      return {
        ...comparison,
        operator: asChosen(symbol, cut.field),
        negated: /false|no|0/i.test(flag?.[1] ?? '') !== negated,
        operands: [],
      }
    }
    if (held !== undefined)
      return { ...comparison, operator: symbol, operands: [{ kind: 'literal', text: held, quoted: true }] }
    if (rest === '')
      throw new Refusal(
        `The condition \`${shown(source)}\` has no value after the operator. For fields without a value write \`${shown(cut.field, 40)} is empty\`.`,
      )
    if (symbol === '=') {
      if (/^(?:null|nil|undefined)$/i.test(rest)) return { ...comparison, operator: 'is null', operands: [] }
      if (/^(?:\[\s*\]|\{\s*\})$/.test(rest)) return { ...comparison, operator: 'is empty', operands: [] }
    }
    const isSpan =
      symbol === 'in' && /\b(?:within|during)\s*$/i.test(source.slice(0, source.lastIndexOf(rest)))
    if (isSpan && isDuration(rest))
      throw new Refusal(
        `The condition \`${shown(source)}\` names a duration: write \`${shown(cut.field, 40)} > now - 30d\` for times, \`<= 30d\` for amounts.`,
      )
    const isRange =
      symbol === 'in' &&
      (/^[[(]?\s*-?\d+(?:\.\d+)?\s*\.\.\.?\s*-?\d+(?:\.\d+)?\s*[\])]?$/.test(rest) ||
        (isSpan && (boundsIn(rest)?.every((bound) => /^["']?-?\d/.test(bound)) ?? false)))
    const operator = isRange ? 'between' : symbol
    const operands = this.#operands(operator, rest, cut.right, source)
    return { ...comparison, operator, operands: this.#dayNames(comparison.left, operands) }
  }

  /** `"bug" in labels`, `5 < comments`, `(2 * 26) >= price`, `now - 30d < at`: the value first. */
  #turned(cut: Cut): Cut {
    const value = enclosed(cut.field) ?? cut.field
    const isValue = this.#knows(cut.field) === undefined || /^["'\d]/.test(value)
    if (!isValue || this.#exactly(cut.field) || !this.#isMeasured(cut.rest, cut.right)) return cut
    const constant = this.#constantOf(cut.left)
    const rest = constant === undefined ? value : cut.field
    const swapped = { field: cut.rest, rest, left: cut.right, right: cut.left }
    if (cut.symbol === 'in') return { ...cut, ...swapped, symbol: 'has' }
    const opposite = FLIPPED[cut.symbol] ?? (cut.symbol === '=' ? '=' : undefined)
    const isTime = relativeSpan(value, 0) !== undefined
    // `5 * price > 10` begins with a number as well.
    if (opposite === undefined || (!isTime && this.#computedOf(cut.left))) return cut
    const isLiteral = isTime || constant !== undefined || /^(?:["'`]|[-+]?[\d.])/.test(value)
    return isLiteral ? { ...cut, ...swapped, symbol: opposite } : cut
  }

  /** True for a field that is known, and for what is computed of one. */
  #isMeasured(text: string, range: Range): boolean {
    if (/^["'\d-]/.test(text)) return false
    return this.#knows(text) !== undefined || this.#left(text, range).kind !== 'field'
  }

  /** The left side of a comparison: a field, or a computed value. */
  #left(written: string, range: Range): Expression {
    const name = written.trim()
    if (this.#exactly(name)) return { kind: 'field', name }
    const inside = this.#text(range) === name ? range : undefined
    const call = inside && this.#callIn(inside)
    if (call && call.rest === '' && CHANGE_NOTHING.has(bareName(call.name)) && !hasDefault(call)) {
      const inner = this.#left(this.#text(call.object), call.object)
      return /low|upp|case|fold/i.test(call.name) ? { kind: 'call', name: 'lower', args: [inner] } : inner
    }
    const computed = inside ? this.#computedOf(inside) : new Parser(name, this.#names).computed()
    if (computed) return computed
    const property = this.#property(partAtEnd(name) ?? name)
    if (property) return property
    let within = enclosed(name)
    for (let layers = 1; within !== undefined && layers <= MOST_LAYERS; layers++) {
      const inner = enclosed(within)
      if (inner === undefined) return this.#left(within, { from: range.from + layers, to: range.to - layers })
      within = inner
    }
    const bare = this.#withoutMarks(name)
    const cast = bare.replace(/::\w+$/, '')
    return { kind: 'field', name: cast === bare || this.#knows(cast) === undefined ? bare : cast }
  }

  /** `labels.length`, `labels length`, `created_at:month`, `labels | length`, `number of labels`. */
  #property(name: string): Expression | undefined {
    const [, counted] = /^(?:number|count)\s+of\s+(.+)$/i.exec(name) ?? []
    if (counted !== undefined && this.#knows(counted) !== undefined && this.#knows(name) === undefined)
      return { kind: 'call', name: 'length', args: [{ kind: 'field', name: counted }] }
    const [, list, property] =
      /^(.+?)(?:\[\*?\])?(?:\s*[.:|]\s*|\s+(?=length$))(length|len|size|count|year|month|day|hour|minute|week|weekday|quarter|\w+_of_\w+)$/i.exec(
        name,
      ) ?? []
    if (list === undefined || property === undefined || !PROPERTIES.has(property.toLowerCase()))
      return undefined
    if (this.#knows(list) === undefined || this.#knows(name) !== undefined) return undefined
    const called = /^(?:len|size|count)$/i.test(property)
      ? 'length'
      : property.toLowerCase().replace(/_of_\w+$/, '')
    return { kind: 'call', name: called, args: [{ kind: 'field', name: list }] }
  }

  /** Quotes and braces around a whole name are not part of it. */
  #withoutMarks(field: string): string {
    const [, inner] =
      /^(?:`([^`]+)`|\$?\{\{?([^{}]+)\}\}?|\[([^\]["'*?]+)\])$/
        .exec(field)
        ?.filter((part) => part !== undefined) ?? []
    return (inner ?? field).replaceAll('?.', '.')
  }

  #operands(symbol: string, rest: string, range: Range | undefined, source: string): Expression[] {
    if (symbol === 'has all')
      return itemsOf(/["',]/.test(rest) ? rest : rest.replaceAll(/\s+and\s+/gi, ', '), source)
    if (symbol === 'in') return itemsOf(rest, source)
    if (symbol === 'between') {
      const bounds = boundsIn(rest)
      if (!bounds)
        throw new Refusal(
          `The condition \`${shown(source)}\` lacks a bound. Write like \`price between 5 and 10\`.`,
        )
      return bounds.map(boundOf)
    }
    const computed = range && this.#text(range) === rest ? this.#computedOf(range) : undefined
    // `host = host-5`: beside an equals sign it is a text.
    const isText = this.#isTight && operatorOf(symbol).compares !== 'order'
    const isOfFields =
      computed !== undefined &&
      !isText &&
      (this.#names === NOTHING_KNOWN ? isAggregateCall(computed) : this.#isOfFields(computed, symbol))
    if (isOfFields && computed) return [computed]
    const constant = range && this.#text(range) === rest && !isText ? this.#constantOf(range) : undefined
    if (constant !== undefined && OF_NOW.test(rest))
      this.#names.note(`\`${shown(rest, 60)}\` is ${constant}.`)
    return [literalOf(constant ?? rest)]
  }

  /** True for what is computed of fields. Where it calls a function or only a number may stand, it is no text, and any spelling of them will do. */
  #isOfFields(computed: Expression, symbol: string): boolean {
    const fields = fieldsIn(computed)
    const isNoText = holdsCall(computed) || operatorOf(symbol).compares === 'order'
    return (
      fields.length > 0 &&
      fields.every((name) => this.#exactly(name) || isNoText || this.#knows(name) === 'within')
    )
  }

  /** `DAYOFWEEK(due) = 1` is Sunday and `WEEKDAY(due) = 0` Monday, as MySQL counts them; the functions give names. */
  #dayNames(left: Expression, operands: Expression[]): Expression[] {
    const name = left.kind === 'call' ? bareName(left.name) : ''
    if (name !== 'dayofweek' && name !== 'weekday') return operands
    return operands.map((operand) => {
      const day = operand.kind === 'literal' && /^\d$/.test(operand.text) ? Number(operand.text) : Number.NaN
      const text = WEEKDAYS[name === 'weekday' ? (day + 1) % 7 : day - 1]
      if (text === undefined || operand.kind !== 'literal') return operand
      this.#names.note(`${name.toUpperCase()} ${day} read as ${text}.`)
      return { ...operand, text }
    })
  }

  // ---- Where the operator is --------------------------------------------------------------------------------------

  /** Cuts at the operator that follows the name of a field; failing that at the first one. Undefined: there is none. */
  #cut(range: Range): Cut | undefined {
    const cuts = this.#cuts(range)
    const exact = cuts.filter(({ field }) => this.#exactly(field))
    return (
      // A colon belongs to the name where the longer name is a field as well: `scripts.build:all contains tsc`.
      exact.find(({ colon }) => !colon) ??
      exact.at(-1) ??
      cuts.find(({ weak, colon }) => !weak && !colon) ??
      cuts[0]
    )
  }

  /** Every cut outside of brackets and quotes, from left to right. */
  #cuts({ from, to }: Range): Cut[] {
    const cuts: Cut[] = []
    const depth = this.#tokens[from]?.depth ?? 0
    const end = this.#tokens[to - 1]?.to ?? 0
    for (let at = this.#cases.get(from) ?? from + 1; at < to && cuts.length < MOST_CUTS; ) {
      const token = this.#tokens[at] as Token
      const cut = token.depth > depth ? undefined : this.#cutAt(at, { from, to }, end)
      if (!cut) {
        at++
        continue
      }
      cuts.push(cut)
      if (cut.rest === '') break
      at = cut.right.from
    }
    return cuts
  }

  #cutAt(at: number, { from, to }: Range, end: number): Cut | undefined {
    const token = this.#tokens[at] as Token
    if (token.kind !== 'word' && token.kind !== 'sign') return undefined
    const start = this.#tokens[from]?.from ?? 0
    const field = this.#source.slice(start, token.from).trim()
    if (field === '') return undefined
    const found = operatorAt(this.#source, token.from, end)
    if (found) {
      const rest = this.#source.slice(found.to, end).trim()
      let next = at
      while (next < to && (this.#tokens[next]?.from ?? 0) < found.to) next++
      // `name prefix = x`: then the word belongs to the name.
      const isWithin = found.word && /^(?:[=<>~]|!=)/.test(rest)
      return {
        symbol: found.symbol,
        negated: found.negated,
        weak: found.weak || isWithin,
        colon: false,
        ...(found.word && { words: this.#source.slice(token.from, found.to).toLowerCase() }),
        field,
        rest,
        left: { from, to: at },
        right: { from: next, to },
      }
    }
    return token.text === ':' ? this.#colonAt(at, field, { from, to }, end) : undefined
  }

  #colonAt(at: number, field: string, { from, to }: Range, end: number): Cut | undefined {
    const token = this.#tokens[at] as Token
    if (token.apart || !/[\w\])"'`]/.test(this.#source.charAt(token.from - 1))) return undefined
    const rest = this.#source.slice(token.to, end).trim()
    if (rest === '' || rest.startsWith(':') || rest.startsWith('//')) return undefined
    const cut: Cut = {
      symbol: '=',
      negated: false,
      weak: false,
      colon: true,
      field,
      rest,
      left: { from, to: at },
      right: { from: at + 1, to },
    }
    if (/^(?:[<>=!~]|not\b)/i.test(rest)) {
      const inner = new Parser(`x ${rest}`, NOTHING_KNOWN).#cutAt2()
      if (inner)
        return { ...cut, symbol: inner.symbol, negated: inner.negated, rest: inner.rest, colon: false }
    }
    if (
      /^(?:year|month|day|hour|minute|week|weekday|quarter|\w+_of_\w+)\b/i.test(rest) &&
      /^\w+\s*(?:[=<>!]|in\b|is\b|between\b)/i.test(rest)
    )
      return undefined
    return cut
  }

  /** The cut at the second token, of `x > 5`. */
  #cutAt2(): Cut | undefined {
    return this.#tokens.length < 2 ? undefined : this.#cutAt(1, this.#all(), this.#tokens.at(-1)?.to ?? 0)
  }

  #text({ from, to }: Range): string {
    if (from >= to) return ''
    return this.#source.slice(this.#tokens[from]?.from, this.#tokens[to - 1]?.to)
  }

  // ---- Computed values --------------------------------------------------------------------------------------------

  computed(): Expression | undefined {
    return this.#computedOf(this.#all())
  }

  /**
   * The computed value of a range, when all of it is arithmetic, calls of functions and `case when` over known fields. Where no fields
   * are known, any names will do. Undefined for a plain name, a plain value and all else.
   */
  #computedOf(range: Range): Expression | undefined {
    return this.#climbed(range, (read) => {
      if (read.kind === 'literal') return undefined
      // `json_extract(user, '$.name')` is a field by another name.
      if (read.kind === 'field')
        return JSON_MEMBER.test(this.#tokens[range.from]?.text ?? '') ? read : undefined
      const fields = fieldsIn(read)
      // Without blanks around it a sign may be a part of a name: `like-count`, `user/login`.
      const isAnyName = this.#names === NOTHING_KNOWN && (!this.#isTight || holdsAggregate(read))
      const isTold = (name: string): boolean => {
        if (!this.#isTight) return this.#knows(name) !== undefined
        return this.#exactly(name) || (this.#isProduct(range) && this.#knows(name) === 'within')
      }
      const isKnown = isAnyName || fields.every(isTold)
      const isComputed = fields.length > 0 || read.kind === 'call' || holdsAggregate(read)
      return isKnown && isComputed ? read : undefined
    })
  }

  /** True where all signs of a range are `*` and `+`, which no name has in it. */
  #isProduct({ from, to }: Range): boolean {
    const signs = this.#tokens.slice(from, to).filter(({ kind }) => kind === 'sign')
    return signs.every(({ text }) => /^[*+.()]$/.test(text))
  }

  /**
   * The value that is computed of values alone: `2 * 2.9`, `date '2024-05-01' + interval '1 month'`. Without blanks around its signs it may be
   * a date or a range.
   */
  #constantOf(range: Range): string | undefined {
    return this.#climbed(range, (read) => {
      if (this.#isTight || (read.kind !== 'arithmetic' && read.kind !== 'call')) return undefined
      const value = folded(read)
      return typeof value === 'number' || typeof value === 'string' ? String(value) : undefined
    })
  }

  /** The value of a text that is nothing but computed of values. */
  constant(): string | undefined {
    return this.#constantOf(this.#all())
  }

  /** The value that `use` gives for a range that is one expression; undefined for any other range. Reading goes on where it was. */
  #climbed<T>(range: Range, use: (read: Expression) => T | undefined): T | undefined {
    if (range.from >= range.to || !this.#mayCompute(range)) return undefined
    const before = [this.#at, this.#end, this.#depth] as const
    try {
      this.#at = range.from
      this.#end = range.to
      this.#isTight = false
      return safely(() => {
        const read = this.#climb(0, POWERS)
        return this.#at < range.to ? undefined : use(read)
      })
    } finally {
      ;[this.#at, this.#end, this.#depth] = before
    }
  }

  /** Anything in a range that a plain name does not have. */
  #mayCompute({ from, to }: Range): boolean {
    for (let at = from; at < to; at++) {
      const { kind, text } = this.#tokens[at] as Token
      if (text === '(' || /^case$/i.test(text)) return true
      if (kind === 'sign' && /^(?:[-+*/%]|\|\||::)$/.test(text)) return true
    }
    return false
  }

  strict(): Expression {
    this.#at = 0
    this.#end = this.#tokens.length
    const read = this.#climb(0, STRICT_POWERS)
    if (this.#at < this.#end) {
      const token = this.#tokens[this.#at]
      if (token?.text === '=')
        throw new Refusal(
          `\`${shown(this.#source)}\`: write \`==\` to compare; \`=\` alone is assignment, which is not allowed.`,
        )
      if (token?.text === '=~')
        throw new Refusal('A condition in brackets has no `=~`; use `where`: "name ~ pattern".')
      if (token?.kind === 'sign' || token?.kind === 'other')
        this.#refuse(`has \`${shown(this.#source.slice(token.from), 12)}\`, which it cannot read`)
      this.#refuse(`does not go on with \`${shown(token?.text ?? '', 12)}\``)
    }
    return read
  }

  #climb(least: number, powers: Readonly<Record<string, number>>): Expression {
    let left = this.#unary(powers)
    for (;;) {
      const token = this.#peek()
      const sign = token?.kind === 'word' ? token.text.toLowerCase() : (token?.text ?? '')
      const power = token && token.kind !== 'text' && Object.hasOwn(powers, sign) ? (powers[sign] ?? 0) : 0
      if (!token || power <= least) return left
      this.#at++
      if (
        token.kind === 'sign' &&
        !(token.apart && this.#peek()?.apart) &&
        !this.#isBetweenWords() &&
        !this.#isBesideCall()
      )
        this.#isTight = true
      const right = this.#climb(power, powers)
      left = this.#later(sign, left, right) ?? operation(sign, left, right, this.#isStrict)
    }
  }

  /** `due + interval '7 days'` is a date so much later. Undefined for all else. */
  #later(sign: string, date: Expression, right: Expression): Expression | undefined {
    const interval = this.#intervals.get(right)
    if (interval === undefined || (sign !== '+' && sign !== '-')) return undefined
    const count = {
      kind: 'literal' as const,
      text: `${sign === '-' ? '-' : ''}${interval.count}`,
      quoted: false,
    }
    const unit = { kind: 'literal' as const, text: interval.unit, quoted: true }
    return { kind: 'call', name: 'date_add', args: [date, count, unit] }
  }

  /** `interval '1 month'`, `interval 1 month`, `interval '1' month`; undefined, with nothing read, for all else. */
  #interval(): Expression | undefined {
    const [, first, second] = this.#tokens.slice(this.#at, this.#at + 3)
    const [, count, unit = second?.kind === 'word' ? second.text : undefined] =
      /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)?\s*$/i.exec(first?.value ?? '') ?? []
    if (count === undefined || unit === undefined || !first || !['text', 'number'].includes(first.kind))
      return undefined
    this.#at += first.text.includes(unit) ? 2 : 3
    const read: Expression = { kind: 'literal', text: `${count} ${unit}`, quoted: true }
    this.#intervals.set(read, { count: Number(count), unit })
    return read
  }

  /** In a field, whether the sign that was just read is `*` or `+` and has a word on both sides. In `items.*.name` it has not. */
  #isBetweenWords(): boolean {
    const [before, sign, after] = this.#tokens.slice(this.#at - 2, this.#at + 1)
    if (this.#names.isField !== true || !/^[*+]$/.test(sign?.text ?? '')) return false
    return /[\w)\]]$/.test(before?.text ?? '') && /^[\w(]/.test(after?.text ?? '')
  }

  /** Whether the sign that was just read follows a bracket, or stands between a number and a call: no name goes on there. */
  #isBesideCall(): boolean {
    const [before, , after, next] = this.#tokens.slice(this.#at - 2, this.#at + 2)
    const isCall = after?.kind === 'word' && next?.text === '(' && !next.apart
    return before?.text === ')' || (before?.kind === 'number' && isCall)
  }

  #unary(powers: Readonly<Record<string, number>>): Expression {
    const token = this.#peek()
    if (++this.#depth > DEEPEST * 2) this.#refuse('is nested too deeply')
    let read: Expression
    if (token?.text === '-' && token.kind === 'sign') {
      this.#at++
      read = { kind: 'negative', operand: this.#unary(powers) }
    } else if (
      this.#isStrict &&
      (token?.text === '!' || /^not$/i.test(token?.text ?? '')) &&
      token?.kind !== 'text'
    ) {
      this.#at++
      read = { kind: 'not', part: asCondition(this.#unary(powers)) }
    } else read = this.#postfix(this.#primary(powers))
    this.#depth--
    return read
  }

  #primary(powers: Readonly<Record<string, number>>): Expression {
    const token = this.#peek()
    if (!token) return this.#refuse('ends too early')
    if (token.text === '(' && token.kind === 'open') {
      this.#at++
      const inner = this.#climb(0, powers)
      this.#expect(')')
      return inner
    }
    if (token.kind === 'number') {
      this.#at++
      return { kind: 'literal', text: token.text, quoted: false }
    }
    if (token.kind === 'text') return this.#quoted(token)
    if (this.#isStrict) return this.#member()
    if (token.kind === 'word') {
      const word = token.text.toLowerCase()
      if (word === 'case') return this.#case()
      const interval = word === 'interval' ? this.#interval() : undefined
      if (interval) return interval
      if (
        (word === 'interval' || word === 'date' || word === 'timestamp') &&
        this.#tokens[this.#at + 1]?.kind === 'text'
      ) {
        this.#at++
        return this.#quoted(this.#tokens[this.#at] as Token)
      }
      const next = this.#tokens[this.#at + 1]
      if (next?.text === '(' && this.#at + 1 < this.#end && next.match >= 0) {
        // A column of groups is called as it was computed: `sum(price)`.
        const whole = this.#text({ from: this.#at, to: next.match + 1 })
        if (!this.#exactly(whole)) return this.#call(token.text)
        this.#at = next.match + 1
        return { kind: 'field', name: whole }
      }
      if (word === 'true' || word === 'false' || word === 'null') {
        this.#at++
        return { kind: 'literal', text: word, quoted: false }
      }
      if (NOW_WORDS.has(word) && this.#knows(word) === undefined) {
        this.#at++
        return { kind: 'call', name: word, args: [] }
      }
    }
    return this.#field()
  }

  /**
   * A text; a field when one is called so and the quotes are those of names. A name that needs quotes, or that is computed with, may be
   * that of a field in other objects as well.
   */
  #quoted(token: Token): Expression {
    const isComputed = [-1, 1].some((by) => /^[-*/]$/.test(this.#tokens[this.#at + by]?.text ?? ''))
    this.#at++
    const isName = token.text.startsWith('`') || token.text.startsWith('"')
    const isKnown =
      this.#exactly(token.value) ||
      ((isComputed || !/^\w*$/.test(token.value)) && this.#knows(token.value) === 'within')
    if (!this.#isStrict && isName && isKnown) return { kind: 'field', name: token.value }
    if (this.#isStrict && token.text.startsWith('`')) return jsonLiteral(token.text.slice(1, -1))
    const text = this.#isStrict ? token.text.slice(1, -1).replaceAll(/\\(.)/gs, '$1') : token.value
    return { kind: 'literal', text, quoted: true }
  }

  /** A field in arithmetic: the longest name that is known, else a word with its members. */
  #field(): Expression {
    const start = this.#at
    const depth = this.#tokens[start]?.depth ?? 0
    const ends: number[] = []
    for (let at = start; at < this.#end && ends.length < MOST_WORDS * 4; at++) {
      const token = this.#tokens[at] as Token
      if (token.depth < depth || (token.kind === 'sign' && /^[,;+*/%=<>~!]|^\|\|$/.test(token.text))) break
      if (token.match > at) at = token.match
      ends.push(at + 1)
    }
    for (const to of ends.reverse()) {
      const name = this.#text({ from: start, to })
      if (!this.#exactly(name)) continue
      this.#at = to
      return { kind: 'field', name }
    }
    // Nothing known: a word, its members, its brackets.
    const first = this.#tokens[start]
    if (first?.kind !== 'word' && !/^[@$]$/.test(first?.text ?? '') && first?.text !== '.')
      return this.#refuse(`has \`${first?.text ?? ''}\` where a value is expected`)
    let at = start + 1
    for (; at < this.#end; at++) {
      const token = this.#tokens[at] as Token
      if (token.apart) break
      if (token.text === '.' || token.text === '?.') continue
      if (token.text === '[' && token.match > at) at = token.match
      else if (token.kind !== 'word' && token.kind !== 'number' && token.kind !== 'text') break
      else if (!/^(?:\.|\?\.)$/.test(this.#tokens[at - 1]?.text ?? '') && at - 1 !== start) break
      // `.name(` is a method.
      if (this.#tokens[at + 1]?.text === '(' && at > start + 1) {
        at--
        break
      }
    }
    this.#at = at
    return {
      kind: 'field',
      name: this.#text({ from: start, to: at })
        .replaceAll('?.', '.')
        .replace(/^\.(?=\w)/, ''),
    }
  }

  #call(name: string): Expression {
    const open = this.#at + 1
    const end = (this.#tokens[open] as Token).match
    const inside = { from: open + 1, to: end }
    const member = JSON_MEMBER.test(name) ? this.#memberIn(inside) : undefined
    if (member === undefined && !isCallable(name) && !/^(?:date_?sub|sub_?date)$/i.test(name))
      return this.#refuse(`calls \`${name}\`, which is not a function`)
    this.#at = end + 1
    if (member !== undefined) return { kind: 'field', name: member }
    const words = (from: number): string => (this.#tokens[from]?.text ?? '').toLowerCase()
    const isDistinct = words(inside.from) === 'distinct' && inside.to - inside.from > 1
    if (isDistinct) inside.from++
    const from = this.#wordIn(inside, 'from')
    const read = (range: Range): Expression => this.#argument(range)
    let call: Expression
    if (bareName(name) === 'extract' && from !== undefined)
      call = datePart(words(inside.from), read({ from: from + 1, to: inside.to }))
    else if (bareName(name) === 'cast') {
      const as = this.#wordIn(inside, 'as')
      const kind = as === undefined ? 'string' : this.#text({ from: as + 1, to: inside.to })
      call = cast(read({ from: inside.from, to: as ?? inside.to }), kind)
    } else {
      const args = (this.#text(inside) === '*' ? [] : this.#arguments(inside).map(read)).map((arg) =>
        ofNow(name, arg),
      )
      const [date, interval] = args
      const sign = /^(?:date_?add|add_?date)$/i.test(name)
        ? '+'
        : /^(?:date_?sub|sub_?date)$/i.test(name)
          ? '-'
          : ''
      const later = date && interval && sign !== '' ? this.#later(sign, date, interval) : undefined
      if (later) return later
      if (sign === '-')
        return this.#refuse(`calls \`${name}\` without an interval: write \`date_sub(due, interval 7 day)\``)
      call = { kind: 'call', name, args, ...(isDistinct && { distinct: true as const }) }
    }
    return this.#window(call)
  }

  /** `json_extract(user, '$.name')` and `json_extract_path_text(user, 'name')` are `user.name`. Undefined for all else. */
  #memberIn(inside: Range): string | undefined {
    const [field, ...names] = this.#arguments(inside).map((range) => this.#text(range))
    const keys = names.map((name) => /^(['"])(?:\$\.?|\$?\.)?(.+)\1$/s.exec(name)?.[2])
    return field === undefined || keys.length === 0 || keys.includes(undefined)
      ? undefined
      : [field, ...keys].join('.').replaceAll('.[', '[')
  }

  /** `over (partition by a, b order by c desc)`. */
  #window(call: Expression): Expression {
    const [over, open] = [this.#peek(), this.#tokens[this.#at + 1]]
    if (call.kind !== 'call' || !/^over$/i.test(over?.text ?? '') || open?.text !== '(' || open.match < 0)
      return call
    const inside = { from: this.#at + 2, to: open.match }
    this.#at = open.match + 1
    const order = this.#wordIn(inside, 'order')
    const partition = this.#wordIn(inside, 'partition')
    const listed = (range: Range): Range[] => this.#arguments(range)
    return {
      ...call,
      over: {
        partition:
          partition === undefined
            ? []
            : listed({ from: partition + 2, to: order ?? inside.to }).map((range) => this.#argument(range)),
        order:
          order === undefined
            ? []
            : listed({ from: order + 2, to: inside.to }).map((range) => {
                const last = (this.#tokens[range.to - 1]?.text ?? '').toLowerCase()
                const isDirected = last === 'desc' || last === 'asc'
                const by = this.#argument({ from: range.from, to: range.to - (isDirected ? 1 : 0) })
                return { by, descending: last === 'desc' }
              }),
      },
    }
  }

  /** The place of a word among the tokens of a range, outside of brackets. */
  #wordIn({ from, to }: Range, word: string): number | undefined {
    const depth = this.#tokens[from]?.depth ?? 0
    for (let at = from; at < to; at++) {
      const token = this.#tokens[at] as Token
      if (token.depth === depth && token.kind === 'word' && token.text.toLowerCase() === word) return at
    }
    return undefined
  }

  /** An argument: what is computed, a condition, a field, a value. */
  #argument(range: Range): Expression {
    const before = [this.#at, this.#end] as const
    this.#at = range.from
    this.#end = range.to
    try {
      const read = safely(() => this.#climb(0, POWERS))
      if (read !== undefined && this.#at === range.to) return read
    } finally {
      ;[this.#at, this.#end] = before
    }
    const text = this.#text(range)
    const cut = this.#exactly(text) ? undefined : this.#cut(range)
    // A name that is known loosely may be a field with a condition on it: `score > 5` is alike to `score`.
    const isField = !cut || (this.#knows(text) !== undefined && !this.#exactly(cut.field))
    return isField ? { kind: 'field', name: text } : this.#conditionWithin(range)
  }

  /**
   * A condition within what is computed, as SQL has it. A name without quotes beside a sign of order is the field, if one is called exactly
   * so. Beside `=` it may be a value as well, and a path may be written from any name on.
   */
  #conditionWithin(range: Range): Condition {
    const change = (one: Expression): Expression | undefined => {
      const [operand, another] = one.kind === 'comparison' ? one.operands : []
      if (one.kind !== 'comparison' || operand?.kind !== 'literal' || another || operand.quoted)
        return undefined
      const { text } = operand
      const isPath = one.operator === '=' && /^[\p{L}_]\w*\./u.test(text)
      const isField = this.#exactly(text) || (isPath && this.#knows(text) === 'within')
      if (!BESIDE.has(one.operator) || !isField) return undefined
      const beside: Comparison = { ...one, operands: [{ kind: 'field', name: text }] }
      if (one.operator !== '=') return beside
      const parts = [one, beside].map((part) => ({ ...part, negated: false }))
      const either: Condition = { kind: 'or', parts }
      return one.negated ? { kind: 'not', part: either } : either
    }
    return asCondition(mapped(this.#condition(range), change))
  }

  /** `case when a > 5 then 'big' else 'small' end`, `case state when 'open' then 1 else 0 end`. */
  #case(): Expression {
    const depth = this.#tokens[this.#at]?.depth ?? 0
    let open = 0
    const marks: { word: string; at: number }[] = []
    let end = -1
    for (let at = this.#at; at < this.#end && end < 0; at++) {
      const token = this.#tokens[at] as Token
      if (token.kind !== 'word' || token.depth !== depth) continue
      const word = token.text.toLowerCase()
      if (word === 'case') open++
      else if (word === 'end') {
        if (--open === 0) end = at
      } else if (open === 1 && /^(?:when|then|else)$/.test(word)) marks.push({ word, at })
    }
    if (end < 0 || marks[0]?.word !== 'when')
      return this.#refuse("has a `case` that is not closed; write `case when a > 5 then 'x' else 'y' end`")
    const subject = marks[0].at > this.#at + 1 ? { from: this.#at + 1, to: marks[0].at } : undefined
    const branches: { when: Condition; value: Expression }[] = []
    let otherwise: Expression | undefined
    for (const [nth, { word, at }] of marks.entries()) {
      const range = { from: at + 1, to: marks[nth + 1]?.at ?? end }
      const then = marks[nth + 1]
      if (word === 'when' && then?.word === 'then') {
        const value = { from: then.at + 1, to: marks[nth + 2]?.at ?? end }
        const when: Condition = subject
          ? comparing(this.#argument(subject), '=', {
              operands: [literalOf(this.#text(range))],
              written: this.#text(range),
            })
          : this.#conditionWithin(range)
        branches.push({ when, value: this.#value(value) })
      } else if (word === 'else') otherwise = this.#value(range)
    }
    this.#at = end + 1
    if (branches.length === 0) return this.#refuse('has a `case` without `then`')
    return { kind: 'case', branches, ...(otherwise && { otherwise }) }
  }

  /** The value of `then` and `else`: a computed value, a field that is known, else the text. */
  #value(range: Range): Expression {
    const read = this.#argument(range)
    if (read.kind !== 'field' || this.#names === NOTHING_KNOWN) return read
    return this.#knows(read.name) === undefined ? literalOf(read.name) : read
  }

  /** `.lower()`, `.length` of what was computed, `::int`. */
  #postfix(object: Expression): Expression {
    let here = object
    for (;;) {
      const [dot, name, open] = [this.#peek(), this.#tokens[this.#at + 1], this.#tokens[this.#at + 2]]
      if (this.#isStrict || !dot || this.#at + 1 >= this.#end) return here
      if (dot.text === '::' && name?.kind === 'word') {
        this.#at += 2
        here = cast(here, name.text)
      } else if (/^\??\.$/.test(dot.text) && name?.kind === 'word' && open?.text === '(' && open.match >= 0) {
        if (!isCallable(name.text)) return this.#refuse(`calls \`${name.text}\`, which is not a function`)
        const ranges = this.#arguments({ from: this.#at + 3, to: open.match })
        this.#at = open.match + 1
        const args = ranges.map((range) => this.#argument(range))
        here = { kind: 'call', name: name.text, args: [here, ...(between(name.text, args) ?? args)] }
      } else if (dot.text === '[' && here.kind === 'call' && dot.match > this.#at) {
        // `split(path, '/')[0]`: the first element is 1 to `element`.
        const place = /^-?\d{1,6}$/.exec(
          this.#text({ from: this.#at + 1, to: dot.match }).replaceAll(' ', ''),
        )?.[0]
        if (place === undefined) return here
        this.#at = dot.match + 1
        const nth = {
          kind: 'literal' as const,
          text: String(Number(place) + (Number(place) < 0 ? 0 : 1)),
          quoted: false,
        }
        here = { kind: 'call', name: 'element', args: [here, nth] }
      } else if (dot.text === '.' && /^length$/i.test(name?.text ?? '') && here.kind !== 'field') {
        this.#at += 2
        here = { kind: 'call', name: 'length', args: [here] }
      } else return here
    }
  }

  // ---- Members in strict conditions -------------------------------------------------------------------------------

  /** `@.a[0]["b"]`, `$.a`, `a`: a field with the written path as its name. */
  #member(): Expression {
    const first = this.#peek()
    if (first?.kind === 'word' && /^(?:true|false|null)$/.test(first.text)) {
      this.#at++
      return { kind: 'literal', text: first.text, quoted: false }
    }
    if (first?.kind !== 'word' && first?.text !== '@' && first?.text !== '$')
      return this.#refuse(`has \`${first?.text ?? ''}\` where a value is expected`)
    const start = this.#at++
    for (;;) {
      const token = this.#peek()
      if (token?.text === '.') {
        this.#at++
        const name = this.#tokens[this.#at++]
        if (name?.kind !== 'word' && name?.kind !== 'number')
          return this.#refuse('has a dot without a name after it')
        // `a-b` after a dot is one name.
        while (
          this.#tokens[this.#at]?.text === '-' &&
          !this.#tokens[this.#at]?.apart &&
          this.#tokens[this.#at + 1]?.kind === 'word' &&
          !this.#tokens[this.#at + 1]?.apart
        )
          this.#at += 2
      } else if (token?.text === '[' && token.match >= 0) this.#at = token.match + 1
      else break
    }
    if (this.#peek()?.text === '(')
      this.#refuse('calls a function, which is not allowed; use `where` ("name ~ pattern", "labels has x")')
    return { kind: 'field', name: this.#text({ from: start, to: this.#at }) }
  }

  #peek(): Token | undefined {
    return this.#at < this.#end ? this.#tokens[this.#at] : undefined
  }

  #expect(text: string): void {
    if (this.#peek()?.text !== text) this.#refuse(`lacks a \`${text}\``)
    this.#at++
  }

  #refuse(complaint: string): never {
    throw new Refusal(
      `The condition \`${shown(this.#source)}\` ${complaint}. Write like \`[?@.state == "open" && @.comments > 5]\`.`,
    )
  }
}

/** One comparison or group, with what joins it to the one before. */
interface Part {
  range: Range
  joint: 'and' | 'or' | undefined
  /** The field of the part before, which this one goes on with. */
  field?: string
  /** Its value, as some record has it. */
  held?: string
}

interface Joint {
  joint: 'and' | 'or'
  /** Tokens that it takes. */
  width: number
  /** It belongs to values as often as it joins conditions. */
  isTight: boolean
}

interface CallAt {
  /** The object of the call, or its first argument. */
  object: Range
  name: string
  args: Range[]
  /** The text after it. */
  rest: string
}

const FLIPPED: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }

/** `coalesce(price, 0)`: what stands for a value that is not there. */
function hasDefault({ name, args }: CallAt): boolean {
  return (
    /^(?:coalesce|if_?null|nvl|date(?:time)?)$/i.test(name) &&
    args.length > 0 &&
    functionNamed(name) !== undefined
  )
}

function isCallable(name: string): boolean {
  return functionNamed(name) !== undefined || isAggregate(name) || /^(?:extract|cast|if|iff)$/i.test(name)
}

function isAggregate(name: string): boolean {
  return aggregateNamed(name) !== undefined || windowNamed(name) !== undefined
}

/** `day.substring(5, 7)` of JavaScript goes from one place to another, counted from 0; `substr` has a place and a length. */
function between(name: string, args: readonly Expression[]): Expression[] | undefined {
  const [from, to] = args.map((arg) =>
    arg.kind === 'literal' && /^\d+$/.test(arg.text) ? Number(arg.text) : undefined,
  )
  if (name !== 'substring' || from === undefined || to === undefined) return undefined
  return [from + 1, to - from].map((number) => ({ kind: 'literal', text: String(number), quoted: false }))
}

/** The text that a call compares with: `r'x'` of Python, JSON in quotes of MySQL, the whole text in `match` of JSONPath (RFC 9535, 2.4.6). */
function argumentOf(name: string, symbol: string, object: string, value: string): string {
  if (/^json_?contains$/i.test(name)) return value.replace(/^'(".*"|\d+)'$/s, '$1')
  if (symbol !== '~') return value
  const pattern = value.replace(/^r(?=["'])/, '')
  return name === 'match' && object.startsWith('@')
    ? pattern.replace(/^(["'])(.*)\1$/s, '$1^(?:$2)$$$1')
    : pattern
}

/** The times that need no argument, and no brackets either. */
const NOW_WORDS: ReadonlySet<string> = new Set([
  'now',
  'today',
  'current_date',
  'current_timestamp',
  'sysdate',
])

const OF_NOW = /\b(?:now|today|sysdate|getdate|utcnow|curdate|current_?(?:date|timestamp))\b/i

/** `date('now', '-7 days')`: what the text of an argument means to functions of dates. */
function ofNow(name: string, arg: Expression): Expression {
  const fn = arg.kind === 'literal' && /^(?:now|today)$/i.test(arg.text) ? functionNamed(name) : undefined
  return fn && dateUse(fn) !== undefined && arg.kind === 'literal'
    ? { kind: 'call', name: arg.text, args: [] }
    : arg
}

/** Functions of databases that read a member of an object. */
const JSON_MEMBER =
  /^(?:json_?(?:b_)?(?:extract|value|query)(?:_(?:path|scalar|string))?(?:_text)?|get_json_object)$/i

const NO_CASES: ReadonlyMap<number, number> = new Map()

/** By the token `case`, the one after its `end`. */
function casesIn(tokens: readonly Token[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>()
  const open: { at: number; depth: number; isCase: boolean }[] = []
  for (const [at, { kind, text, depth }] of tokens.entries()) {
    if (kind !== 'word') continue
    const word = text.toLowerCase()
    const last = open.at(-1)
    if (word === 'case') open.push({ at, depth, isCase: false })
    else if (last && last.depth === depth && word === 'then') last.isCase = true
    else if (last && last.depth === depth && word === 'end') {
      open.pop()
      if (last.isCase) found.set(last.at, at + 1)
    }
  }
  return found
}

/** True for a call of an aggregate or of a window function, which no single record has a value of. */
export function isAggregateCall(expression: Expression): boolean {
  return expression.kind === 'call' && (expression.over !== undefined || isAggregate(expression.name))
}

/** True where an expression is, or is made of, such a call: `count(*) / 100`. */
export function holdsAggregate(expression: Expression): boolean {
  return isAggregateCall(expression) || partsOf(expression).some(holdsAggregate)
}

function holdsCall(expression: Expression): boolean {
  return expression.kind === 'call' || partsOf(expression).some(holdsCall)
}

const FOLDS: Readonly<Record<string, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
}

function foldedNumber(expression: Expression): number | undefined {
  if (expression.kind === 'literal') return expression.quoted ? undefined : plainNumber(expression.text)
  if (expression.kind === 'negative') {
    const number = foldedNumber(expression.operand)
    return number === undefined ? undefined : -number
  }
  if (expression.kind !== 'arithmetic') return undefined
  const [left, right] = [foldedNumber(expression.left), foldedNumber(expression.right)]
  const number =
    left === undefined || right === undefined ? undefined : FOLDS[expression.operator]?.(left, right)
  return Number.isFinite(number) ? number : undefined
}

/** The value of an expression without fields; undefined where it has one, or what it says depends on more than its values. */
function folded(expression: Expression): JsonValue | undefined {
  if (expression.kind === 'literal') {
    const number = expression.quoted ? undefined : plainNumber(expression.text)
    return number ?? expression.text
  }
  // `dateadd(day, -7, getdate())`
  if (expression.kind === 'field') return timeUnit(expression.name)
  if (expression.kind !== 'call') return foldedNumber(expression)
  const fn = expression.over || expression.distinct ? undefined : functionNamed(expression.name)
  const args = expression.args.map(folded)
  return fn === undefined ||
    (args.length === 0 && !NOW_WORDS.has(fn.name)) ||
    args.some((value) => value === undefined)
    ? undefined
    : callFunction(fn, args as JsonValue[])
}

/** Words that compare how long ago something was, where a time that is past follows. */
const OF_AMOUNTS =
  /^(?:is\s+)?(?:not?\s+)?(?:more|less|fewer|longer|shorter)\s+than$|^(?:is\s+)?(?:over|under|at\s+least|at\s+most)$|^up\s+to$/
const OF_AGES = /^(?:is\s+)?(?:older|newer)\s+than$/

/** `more than 3 days ago` is before then, and `older than 3 days` as well. */
function pastAge(cut: Cut): Cut | undefined {
  const { words = '', symbol, rest } = cut
  const opposite = FLIPPED[symbol]
  if (opposite === undefined) return undefined
  const { words: _, ...others } = cut
  if (OF_AMOUNTS.test(words) && /\sago$/i.test(rest) && relativeSpan(rest, 0) !== undefined)
    return { ...others, symbol: opposite }
  const ago = `${rest} ago`
  return OF_AGES.test(words) && relativeSpan(ago, 0) !== undefined ? { ...others, rest: ago } : undefined
}

const UPWARDS = /^(.+?)\s+(?:or|and)\s+(?:higher|above|more|greater|later|newer|over|up|worse)$/i
const DOWNWARDS = /^(.+?)\s+(?:or|and)\s+(?:lower|below|less|fewer|earlier|older|under|down)$/i

/** `level is warning or higher`, `price = 10 or less`. */
function orFurther(cut: Cut): Cut | undefined {
  if (cut.symbol !== '=' || cut.negated) return undefined
  const [symbol, found] = UPWARDS.test(cut.rest)
    ? ['>=', UPWARDS.exec(cut.rest)]
    : ['<=', DOWNWARDS.exec(cut.rest)]
  return found?.[1] === undefined ? undefined : { ...cut, symbol: symbol as string, rest: found[1] }
}

/** A bound of `between`: a value as it is written, or one that is computed of values. */
function boundOf(written: string): Literal {
  const mayCompute = /\(|\s[-+*/]\s|^(?:date|timestamp)\s/i.test(written)
  return literalOf((mayCompute ? new Parser(written, NOTHING_KNOWN).constant() : undefined) ?? written)
}

/** A value as it was written: in quotes, in what programs put around a literal, bare. */
export function literalOf(written: string): Literal {
  const { text, quoted } = operandOf(written)
  return { kind: 'literal', text, quoted }
}

/** The values of a list, in brackets or not. `a or b` and `a | b` are two. */
function itemsOf(given: string, source: string): Literal[] {
  // `ARRAY['a', 'b']`, `'["a", "b"]'::jsonb`, `'{a,b}'`
  const [, , listed] = /^(['"])\s*(\[.*\]|\{[^:]*\})\s*\1(?:::\w+(?:\[\])?)?$/s.exec(given) ?? []
  const rest = listed ?? given.replace(/^array\s*(?=\[)/i, '').replace(/(?<=\])::\w+\[\]$/, '')
  const inner = enclosed(rest) ?? enclosed(rest, '[') ?? enclosed(rest, '{') ?? rest
  const items = splitAt(/["',]/.test(inner) ? inner : inner.replaceAll(/\s+n?or\s+|\s*\|\|?\s*/gi, ', '), [
    ',',
  ])
  if (items.length > 0) return items.map(literalOf)
  throw new Refusal(
    `The condition \`${shown(source)}\` names no values. Write like \`state in (open, closed)\`.`,
  )
}

/** `5 and 10`, `(5, 10)`, `5 to 10`, `5..10`. */
function boundsIn(text: string): [low: string, high: string] | undefined {
  const [, low, high] =
    /^[([]?('[^']*'|"[^"]*"|.+?)\s+and\s+(.+?)[)\]]?$/is.exec(text) ??
    /^[([]?(.+?)(?:\s*,\s*|\s+to\s+|\s*&&?\s*|\s*\.\.\.?\s*|\s+-\s+)(.+?)[)\]]?$/is.exec(text) ??
    []
  return low === undefined || high === undefined ? undefined : [low, high]
}

/** `30d`, `7 days of 2024-01-10`. */
function isDuration(text: string): boolean {
  const [, unit] = /^\d+(?:\.\d+)?\s*([a-z]+)(?:\s+of\s.*)?$/is.exec(text) ?? []
  return unit !== undefined && timeUnit(unit) !== undefined
}

/** In backticks, as JMESPath has it: a number, a constant, or a text with or without quotes. */
function jsonLiteral(text: string): Literal {
  const value = valueOfJson(text)
  if (typeof value === 'string') return { kind: 'literal', text: value, quoted: true }
  return {
    kind: 'literal',
    text,
    quoted: value === undefined || (typeof value === 'object' && value !== null),
  }
}

/** `extract(dow from created_at)`. */
function datePart(part: string, object: Expression): Expression {
  if (functionNamed(part)) return { kind: 'call', name: part, args: [object] }
  return { kind: 'call', name: 'date_part', args: [{ kind: 'literal', text: part, quoted: true }, object] }
}

function cast(object: Expression, kind: string): Expression {
  if (/^(?:(?:big|small|tiny)?int(?:eger|\d+)?|signed|unsigned)\b/i.test(kind))
    return { kind: 'call', name: 'trunc', args: [object] }
  const name = /^(?:float|double|decimal|numeric|real|number)/i.test(kind)
    ? 'number'
    : /^(?:date|time)/i.test(kind)
      ? 'date'
      : 'string'
  return functionNamed(name) ? { kind: 'call', name, args: [object] } : object
}

/** True for what is joined by `+` in JavaScript and Python: a text in quotes without digits, and what such texts were joined to. */
function isTextual(one: Expression): boolean {
  return one.kind === 'literal'
    ? one.quoted && /^\D+$/.test(one.text)
    : one.kind === 'arithmetic' && one.operator === '||'
}

function operation(sign: string, left: Expression, right: Expression, strict: boolean): Expression {
  switch (sign) {
    case '||':
    case 'or':
      if (strict) return { kind: 'or', parts: [asCondition(left), asCondition(right)] }
      return { kind: 'arithmetic', operator: '||', left, right }
    case '&&':
    case 'and':
      return { kind: 'and', parts: [asCondition(left), asCondition(right)] }
    case '+':
    case '-':
    case '*':
    case '/':
    case '%': {
      const joins = sign === '+' && (isTextual(left) || isTextual(right))
      return { kind: 'arithmetic', operator: joins ? '||' : sign, left, right }
    }
    default: {
      const operator = sign.replace(/^!?==?=?$/, '=')
      return comparing(left, operator, { negated: sign.startsWith('!'), operands: [right] })
    }
  }
}
