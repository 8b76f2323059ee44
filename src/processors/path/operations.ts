/** What the operators of a condition do with what its paths reach: compare, count as true, calculate. */
import type { JsonValue } from '../../protocol/json.ts'
import { besideToTheDigit, longInteger } from '../long-integers.ts'
import type { Work } from './path.ts'

/** A value, or undefined where a path in the condition reaches nothing. */
export type Result = JsonValue | Many | undefined

/** What a path reaches through a list: a comparison holds when it does for one of them. */
export class Many {
  readonly values: readonly JsonValue[]

  constructor(values: readonly JsonValue[]) {
    this.values = values
  }
}

/** A compiled part of a condition. */
export type Expression = (value: JsonValue, root: JsonValue, work: Work) => Result

/** What several reach together; undefined where none reaches anything. */
export function many(results: readonly Result[]): Result {
  const values = results.flatMap((result): readonly JsonValue[] =>
    result instanceof Many ? result.values : result === undefined ? [] : [result],
  )
  return values.length === 0 ? undefined : new Many(values)
}

/** An operator between two parts. */
export function operation(operator: string, left: Expression, right: Expression): Expression {
  switch (operator) {
    case '||':
      return (value, root, work) => isTrue(left(value, root, work)) || isTrue(right(value, root, work))
    case '&&':
      return (value, root, work) => isTrue(left(value, root, work)) && isTrue(right(value, root, work))
    case '==':
      return (value, root, work) => equal(left(value, root, work), right(value, root, work))
    case '!=':
      return (value, root, work) => !equal(left(value, root, work), right(value, root, work))
    case '<':
      return ordered(left, right, (difference) => difference < 0)
    case '<=':
      return ordered(left, right, (difference) => difference <= 0)
    case '>':
      return ordered(left, right, (difference) => difference > 0)
    case '>=':
      return ordered(left, right, (difference) => difference >= 0)
    default:
      return (value, root, work) => arithmetic(operator, left(value, root, work), right(value, root, work))
  }
}

function ordered(left: Expression, right: Expression, fits: (difference: number) => boolean): Expression {
  return (value, root, work) => {
    const [a, b] = [left(value, root, work), right(value, root, work)]
    const all = (result: Result): readonly Result[] => (result instanceof Many ? result.values : [result])
    return all(a).some((one) => all(b).some((other) => fits(order(one, other))))
  }
}

/** Whatever exists and is neither false nor null. */
export function isTrue(result: Result): boolean {
  if (result instanceof Many) return result.values.some(isTrue)
  return result !== undefined && result !== null && result !== false
}

/** Equal primitives; a number equals the string that holds it, a list what is in it. Objects equal nothing. */
function equal(a: Result, b: Result): boolean {
  if (a instanceof Many) return a.values.some((value) => equal(value, b))
  if (b instanceof Many) return equal(b, a)
  if (Array.isArray(a) && !Array.isArray(b)) return a.some((value) => equal(value, b))
  if (a === b) return typeof a !== 'object' || a === null
  if (typeof a === 'number' && typeof b === 'string') {
    return b.trim() !== '' && Number(b) === a && besideToTheDigit(a, b) === 0
  }
  if (typeof a === 'string' && typeof b === 'number') return equal(b, a)
  return false
}

/** NaN, for which no comparison holds, where the two have no order. */
function order(a: Result, b: Result): number {
  const [x, y] = [toTheDigit(a), toTheDigit(b)]
  if (x !== undefined && y !== undefined) return x < y ? -1 : x > y ? 1 : 0
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0
  return number(a) - number(b)
}

function toTheDigit(value: Result): bigint | undefined {
  return typeof value === 'number' || typeof value === 'string' ? longInteger(value) : undefined
}

function number(value: Result): number {
  if (typeof value === 'number') return value
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
}

/** A finite number, or undefined: of texts there is no sum. */
export function arithmetic(operator: string, a: Result, b: Result): Result {
  if (operator === '+' && typeof a === 'string' && typeof b === 'string') return undefined
  const [x, y] = [number(a), number(b)]
  const result = { '+': x + y, '-': x - y, '*': x * y, '/': x / y, '%': x % y }[operator]
  return result !== undefined && Number.isFinite(result) ? result : undefined
}
