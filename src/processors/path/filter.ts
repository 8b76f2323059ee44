/**
 * The condition in `[?…]`: literals, paths from `@` and `$`, comparison, logic and arithmetic. No calls and no
 * assignment, so that it can neither change data nor run code. Compiled once to closures.
 */
import { isObject, type JsonValue } from '../../protocol/json.ts'
import { Refusal, shown } from '../refusal.ts'
import { loosely, pairNamed } from './members.ts'
import { arithmetic, type Expression, isTrue, Many, many, operation, type Result } from './operations.ts'
import type { Test, Work } from './path.ts'
import { type Token, tokenize } from './tokens.ts'

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
