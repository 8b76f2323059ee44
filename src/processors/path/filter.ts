/**
 * The condition in `[?…]`: literals, paths from `@` and `$`, comparison, logic and arithmetic. No calls and no
 * assignment, so that it can neither change data nor run code. Compiled once to closures.
 */
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { halvesOf } from '../fields/pairs.ts'
import { besideToTheDigit, longInteger } from '../long-integers.ts'
import { Refusal, shown } from '../refusal.ts'
import type { Test, Work } from './path.ts'
import { type Token, tokenize } from './tokens.ts'

/** A value, or undefined where a path in the condition reaches nothing. */
type Result = JsonValue | Many | undefined

/** What a path reaches through a list: a comparison holds when it does for one of them. */
class Many {
  readonly values: readonly JsonValue[]

  constructor(values: readonly JsonValue[]) {
    this.values = values
  }
}
type Expression = (value: JsonValue, root: JsonValue, work: Work) => Result

/** Parentheses within parentheses: more of them would be recursion without end. */
const deepest = 40

/** Binding power of the operators between two operands; `and`, `or` and `=`-less forms as models write them. */
const powers: Readonly<Record<string, number>> = {
  '||': 1,
  '&&': 2,
  '==': 3,
  '!=': 3,
  '<': 4,
  '<=': 4,
  '>': 4,
  '>=': 4,
  '+': 5,
  '-': 5,
  '*': 6,
  '/': 6,
  '%': 6,
}

/** Throws a `Refusal` for what the language does not have. Existing and neither false nor null counts as true. */
export function parseFilter(source: string): Test {
  const reader = new FilterReader(source)
  const expression = reader.whole()
  return (value, root, work) => isTrue(expression(value, root, work))
}

/** The same language where a value is wanted rather than a yes or no. */
export function parseExpression(
  source: string,
): (value: JsonValue, root: JsonValue, work: Work) => JsonValue | undefined {
  if (source.includes('`')) throw new Refusal(`A script in a path has no backticks: \`${shown(source)}\`.`)
  const expression = new FilterReader(source).whole()
  return (value, root, work) => {
    const result = expression(value, root, work)
    return result instanceof Many ? [...result.values] : result
  }
}

class FilterReader {
  private at = 0
  private depth = 0
  private readonly tokens: readonly Token[]
  private readonly source: string

  constructor(source: string) {
    this.source = source
    this.tokens = tokenize(source)
  }

  whole(): Expression {
    const expression = this.binary(0)
    if (this.at < this.tokens.length) this.refuse(`does not go on with \`${this.tokens[this.at]?.text}\``)
    return expression
  }

  private binary(least: number): Expression {
    let left = this.unary()
    for (;;) {
      const operator = this.tokens[this.at]
      const power = operator?.kind === 'operator' ? (powers[operator.text] ?? 0) : 0
      if (!operator || power <= least) return left
      this.at++
      left = operation(operator.text, left, this.binary(power))
    }
  }

  private unary(): Expression {
    if (++this.depth > deepest) this.refuse('is nested too deeply')
    const expression = this.operand()
    this.depth--
    return expression
  }

  private operand(): Expression {
    const token = this.tokens[this.at++]
    if (token === undefined) return this.refuse('ends too early')
    if (token.kind === 'literal') return () => token.value
    if (token.kind === 'name') return this.member(token.text)
    switch (token.text) {
      case '(': {
        const inner = this.binary(0)
        this.expect(')')
        return inner
      }
      case '!': {
        const inner = this.unary()
        return (value, root, work) => !isTrue(inner(value, root, work))
      }
      case '-': {
        const inner = this.unary()
        return (value, root, work) => arithmetic('-', 0, inner(value, root, work))
      }
      default:
        return this.refuse(`has \`${token.text}\` where a value is expected`)
    }
  }

  /** `@.a[0]["b"]`, `$.a`; a name alone is a member of `@`. */
  private member(first: string): Expression {
    const start = this.at
    const keys: (string | number)[] = first === '@' || first === '$' ? [] : [first]
    for (;;) {
      if (this.take('.')) {
        const token = this.tokens[this.at++]
        if (token?.kind !== 'name') return this.refuse('has a dot without a name after it')
        keys.push(token.text)
      } else if (this.take('[')) {
        if (this.take('*')) this.expect(']')
        if (this.tokens[this.at - 1]?.text === ']') continue
        if (this.take(']')) continue
        const minus = this.take('-')
        const token = this.tokens[this.at++]
        if (
          token?.kind !== 'literal' ||
          (typeof token.value !== 'string' && typeof token.value !== 'number')
        ) {
          return this.refuse('has brackets that hold no name or index')
        }
        keys.push(minus ? -Number(token.value) : token.value)
        this.expect(']')
      } else break
    }
    if (this.tokens[this.at]?.text === '(') {
      return this.refuse(
        'calls a function, which is not allowed; use `where` ("name ~ pattern", "labels has x")',
      )
    }
    const fromRoot = first === '$'
    const isWord = keys.length === 1 && keys[0] === first && compared(this.tokens[start - 2])
    return (value, root, work) => {
      work.left -= 1 + keys.length
      let here: Result = fromRoot ? root : value
      // A list has members of its own only where a name led to it.
      if (Array.isArray(here) && typeof keys[0] === 'string' && keys[0] !== 'length') here = undefined
      for (const key of keys) here = child(here, key)
      // A word without `@` that is no member is a text without quotes.
      return here === undefined && isWord ? first : here
    }
  }

  private take(text: string): boolean {
    const token = this.tokens[this.at]
    if (token?.kind !== 'operator' || token.text !== text) return false
    this.at++
    return true
  }

  private expect(text: string): void {
    if (!this.take(text)) this.refuse(`lacks a \`${text}\``)
  }

  private refuse(complaint: string): never {
    throw new Refusal(
      `The condition \`${shown(this.source)}\` ${complaint}. Write like \`[?@.state == "open" && @.comments > 5]\`.`,
    )
  }
}

/** True for a comparison sign: what follows it may be a text. */
function compared(token: Token | undefined): boolean {
  return token?.kind === 'operator' && /^(?:[=!]=|[<>]=?)$/.test(token.text)
}

function child(value: Result, key: string | number): Result {
  if (value instanceof Many) return many(value.values.map((each) => child(each, key)))
  if (Array.isArray(value)) {
    if (key === 'length') return value.length
    if (typeof key === 'string' && !/^\d+$/.test(key)) {
      return many(value.map((each) => child(each, key))) ?? many(value.map((each) => pairNamed(each, key)))
    }
    const index = Number(key)
    return value[index < 0 ? index + value.length : index]
  }
  if (typeof value === 'string' && key === 'length') return value.length
  return isObject(value) ? loosely(value, String(key)) : undefined
}

/** The value of the pair in a list that is called `name`. */
export function pairNamed(element: JsonValue, name: string): JsonValue | undefined {
  const halves = halvesOf(element)
  if (!halves || !isObject(element) || own(element, halves.key) !== name) return undefined
  return own(element, halves.value)
}

function many(results: readonly Result[]): Result {
  const values = results.flatMap((result): readonly JsonValue[] =>
    result instanceof Many ? result.values : result === undefined ? [] : [result],
  )
  return values.length === 0 ? undefined : new Many(values)
}

/** Keys looked at for another spelling. */
const mostKeys = 200

/** The value of a key; failing that, of the one key that differs in case, `_` and `-` only. */
export function loosely(object: JsonObject, key: string): JsonValue | undefined {
  const exact = own(object, key)
  if (exact !== undefined) return exact
  const keys = Object.keys(object)
  if (keys.length > mostKeys) return undefined
  const wanted = spelling(key)
  const [only, another] = keys.filter((name) => name.length < key.length + 5 && spelling(name) === wanted)
  return only === undefined || another !== undefined ? undefined : own(object, only)
}

function spelling(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]/g, '')
}

function operation(operator: string, left: Expression, right: Expression): Expression {
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

function isTrue(result: Result): boolean {
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

function arithmetic(operator: string, a: Result, b: Result): Result {
  if (operator === '+' && typeof a === 'string' && typeof b === 'string') return undefined
  const [x, y] = [number(a), number(b)]
  const result = { '+': x + y, '-': x - y, '*': x * y, '/': x / y, '%': x % y }[operator]
  return result !== undefined && Number.isFinite(result) ? result : undefined
}
