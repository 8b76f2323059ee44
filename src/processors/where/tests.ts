/** Operators over all values that a field has in a record. */
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { literal } from '../../text/literal.ts'
import { compilePattern, isPattern, type Pattern } from '../../text/pattern.ts'
import type { Column } from '../column.ts'
import { several } from '../path/walk.ts'
import { Refusal } from '../refusal.ts'
import { contains, equals, has, order, type Strictness } from './comparing.ts'
import type { Comparison } from './condition.ts'
import type { Operand } from './operand.ts'
import { ordersOf, unordered } from './orders.ts'

/** True when the values of a field in one record fulfil a comparison, its negation aside. */
export interface ValuesTest {
  (values: readonly JsonValue[]): boolean
  /** The same for the codes of a column that hold one scalar or nothing, in less time. */
  ofColumn?(column: Column): (code: number) => boolean
}

/** What a test needs to know of the field, and where its patterns go. */
export interface Surroundings {
  strictness(operand: Operand): Strictness
  /** True when lists hold the operand as a whole element in some record; `across`: or the way there goes through one. */
  isElement(operand: Operand, across: boolean): boolean
  /** The way to the values goes through a list. */
  readonly crosses: boolean
  pattern(pattern: Pattern): void
}

export function testOf({ operator, operands, written }: Comparison, around: Surroundings): ValuesTest {
  const [first, second] = operands
  if (operator === 'exists') return (values) => values.length > 0
  if (operator === 'is null') return (values) => values.every((value) => value === null)
  if (operator === 'is true') return (values) => values.some(isTrue)
  if (operator === 'is empty') return (values) => values.every(isEmpty)
  if (!first) throw new Refusal(`The condition \`${written}\` has no value.`)
  switch (operator) {
    case '=':
    case 'in': {
      const strict = operands.map((operand) => around.strictness(operand))
      const [only = 'exact'] = strict
      return scalarwise(
        second === undefined
          ? (value) => equals(value, first, only)
          : (value) => operands.some((operand, at) => equals(value, operand, strict[at] ?? 'exact')),
      )
    }
    case 'has all': {
      const strict = operands.map((operand) => around.strictness(operand))
      return (values) =>
        operands.every((operand, at) => values.some((value) => has(value, operand, strict[at] ?? 'exact')))
    }
    case '<':
      return ordered(first, (sign) => sign < 0)
    case '<=':
      return ordered(first, (sign) => sign <= 0)
    case '>':
      return ordered(first, (sign) => sign > 0)
    case '>=':
      return ordered(first, (sign) => sign >= 0)
    case 'between':
      return some((value) => order(value, first) >= 0 && second !== undefined && order(value, second) <= 0)
    case 'has': {
      const strictness = around.strictness(first)
      if (around.isElement(first, true)) {
        const whole = scalarwise((value) =>
          isObject(value) ? has([value], first, strictness) : equals(value, first, strictness),
        )
        // A text beside the lists of other records has the operand as a part.
        return (values) =>
          whole(values) ||
          (values.length === 1 &&
            values.some(
              (value) => typeof value === 'string' && !around.crosses && has(value, first, strictness),
            ))
      }
      return (values) => values.some((value) => has(value, first, strictness))
    }
    case 'contains': {
      if (!around.isElement(first, false)) return (values) => values.some((value) => contains(value, first))
      const strictness = around.strictness(first)
      return (values) => values.some((value) => has(value, first, strictness))
    }
    case 'starts with':
      return some((value) => textOf(value).toLowerCase().startsWith(first.lower))
    case 'ends with':
      return some((value) => textOf(value).toLowerCase().endsWith(first.lower))
    case 'like':
      return matching(wildcards(first.text), around)
    case '~':
      return matching(withoutSlashes(first.text), around)
  }
}

function matching(source: string, around: Surroundings): ValuesTest {
  const pattern = compilePattern(source, { caseInsensitive: true })
  if (!isPattern(pattern)) throw new Refusal(pattern.error)
  around.pattern(pattern)
  return some((value) => value !== null && typeof value !== 'object' && pattern.test(textOf(value)))
}

/** True when one of the values, or of the elements of a list among them, fulfils `test`. */
function some(test: (value: JsonValue) => boolean): ValuesTest {
  const any = (value: JsonValue): boolean => (Array.isArray(value) ? value.some(any) : test(value))
  return (values) => values.some(any)
}

/** The same, with its answer for each distinct text in lists remembered, and scalars of columns tested as they are. */
function scalarwise(test: (value: JsonValue) => boolean): ValuesTest {
  const known = new Map<JsonValue, boolean>()
  const ofElement = (value: JsonValue): boolean => {
    if (Array.isArray(value)) return value.some(ofElement)
    if (typeof value !== 'string' || value.length > longestRemembered) return test(value)
    let holds = known.get(value)
    if (holds === undefined) {
      holds = test(value)
      if (known.size < mostRemembered) known.set(value, holds)
    }
    return holds
  }
  const any = (value: JsonValue): boolean => (Array.isArray(value) ? value.some(ofElement) : test(value))
  const ofColumn = (column: Column) => (code: number) => {
    const value = column.scalar(code)
    return value !== several && value !== undefined && test(value)
  }
  return Object.assign((values: readonly JsonValue[]) => values.some(any), { ofColumn })
}

/** Answers that are remembered of one test, and the longest text that is. */
const mostRemembered = 10_000
const longestRemembered = 64

/** True when one of the values lies so beside the operand. */
function ordered(operand: Operand, holds: (sign: number) => boolean): ValuesTest {
  const test = some((value) => holds(order(value, operand)))
  const ofColumn = (column: Column): ((code: number) => boolean) => {
    const orders = ordersOf(column, operand)
    return (code) => {
      const sign = orders[code] as number
      return sign !== unordered && holds(sign)
    }
  }
  return Object.assign(test, { ofColumn })
}

/** True for what is there and says neither no nor nothing. */
function isTrue(value: JsonValue): boolean {
  if (typeof value === 'string') return !/^(?:|false|no|off|0|null|none)$/i.test(value.trim())
  return value !== 0 && value !== false && !isEmpty(value)
}

function isEmpty(value: JsonValue): boolean {
  if (value === null || value === '') return true
  const nodes = isObject(value) ? nodesIn(value) : undefined
  if (nodes) return nodes.length === 0
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** Of the values of a field in a record: elements, characters, keys; none where it is absent. */
export function lengthOf(values: readonly JsonValue[]): number {
  const [first = null] = values
  if (values.length !== 1) return values.length
  if (Array.isArray(first) || typeof first === 'string') return first.length
  const nodes = isObject(first) ? nodesIn(first) : undefined
  if (nodes) return nodes.length
  return isObject(first) ? Object.keys(first).length : first === null ? 0 : 1
}

/** The list in a connection of GraphQL. */
function nodesIn(value: JsonObject): readonly JsonValue[] | undefined {
  const list = own(value, 'nodes') ?? own(value, 'edges')
  return Array.isArray(list) ? list : undefined
}

function textOf(value: JsonValue): string {
  return value === null || typeof value === 'object' ? '' : String(value)
}

/** SQL's `LIKE`: `%` for anything, `_` for one character, the whole text. Without either, a part of the text. */
function wildcards(text: string): string {
  const escaped = literal(text)
  if (!/[%_*]/.test(text)) return escaped
  return `^(?s:${escaped.replaceAll('%', '.*').replaceAll('\\*', '.*').replaceAll('_', '.')})$`
}

/** `/crash/i` is what many write for `crash`. */
function withoutSlashes(text: string): string {
  const [, inner] = /^\/(.+)\/[a-z]*$/s.exec(text) ?? []
  return inner ?? text
}
