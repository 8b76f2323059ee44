/**
 * Makes a function of one value from the tree of an expression. Computed fields give it a record; conditions in brackets of paths give it
 * what the path goes through. Nothing is called but the functions of the table, and nothing is
 * changed.
 */
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { type Operand, operandFor, type Strictness } from '../../text/values/compare.ts'
import { DAY, parseDate } from '../../text/values/dates.ts'
import {
  amountIn,
  besideToTheDigit,
  clockText,
  duration,
  longInteger,
  looseNumber,
} from '../../text/values/quantities.ts'
import { bareName } from '../../text/words/bare-name.ts'
import { Refusal, shown } from '../refusal.ts'
import type { Work } from '../work.ts'
import { aggregateNamed } from './aggregates.ts'
import { callFunction, functionNamed, isChoice, type Use, useOf } from './functions.ts'
import { lengthOf, type Surroundings, testOf } from './operators.ts'
import { scan } from './scanner.ts'
import { type Comparison, type Expression, fieldsIn, type Within } from './tree.ts'
import { windowNamed } from './windows.ts'

/** A value, several where a path goes through lists, or undefined where it reaches nothing. */
export type Result = JsonValue | Many | undefined

/** The values that a path reaches through a list: a comparison holds when it does for one of them. */
export class Many {
  readonly values: readonly JsonValue[]
  /** Of which list, and the value of each of its elements, where that is known: what is computed of two such values pairs elements. */
  readonly elements: { readonly list: string; readonly values: readonly Result[] } | undefined

  constructor(values: readonly JsonValue[], elements?: Many['elements']) {
    this.values = values
    this.elements = elements
  }
}

/** A compiled expression. `root` is what `$` means, `work` is spent as it looks. */
export type Evaluate = (value: JsonValue, root: JsonValue, work: Work) => Result

export interface CompileOptions {
  /** The value that a name reaches; `use`: how it is used. Throws a `Refusal` for a name that nothing has. */
  reach(name: string, use: Use | undefined): Evaluate
  /** How the value is used. */
  use?: Use | undefined
  /** Comparisons as JSONPath has them: to the letter, and numbers with numbers. Otherwise as in `where`. */
  strict: boolean
  /** How a text is compared with the field of that name; `loose` where it is not given. */
  strictness?(name: string, operand: Operand): Strictness
  /** The operand as it is compared with the field of that name. */
  beside?(name: string, operand: Operand): Operand
  /** A condition on the elements of a list, read when it is met. */
  within(condition: Within): Evaluate
}

/** Throws a `Refusal` for an unknown name or function, and for a bad pattern. */
export function compile(expression: Expression, options: CompileOptions): Evaluate {
  const part = (one: Expression): Evaluate => compile(one, options)
  const usedAs = (use: Use | undefined): ((one: Expression) => Evaluate) =>
    use === options.use ? part : (one) => compile(one, { ...options, use })
  switch (expression.kind) {
    case 'literal': {
      const value = options.strict ? strictLiteral(expression) : literalValue(expression, options.use)
      return () => value
    }
    case 'field':
      return options.reach(expression.name, options.use)
    case 'negative': {
      const inner = usedAs('number')(expression.operand)
      return options.strict
        ? (value, root, work) => strictArithmetic('-', 0, inner(value, root, work))
        : (value, root, work) => arithmetic('-', 0, inner(value, root, work))
    }
    case 'arithmetic': {
      const read = usedAs(options.use === 'number' ? 'number' : USES[expression.operator])
      const [left, right] = [read(expression.left), read(expression.right)]
      const calculate = options.strict ? strictArithmetic : arithmetic
      const { operator } = expression
      return (value, root, work) => calculate(operator, left(value, root, work), right(value, root, work))
    }
    case 'call': {
      const called = calledIn(expression)
      const window = !called && !aggregateNamed(expression.name) ? windowNamed(expression.name) : undefined
      if (!called)
        throw new Refusal(
          window
            ? `\`${shown(expression.name, 40)}\` looks at other records: say in which order, like ${window.example}.`
            : `\`${shown(expression.name, 40)}\` is computed over records, not in one: use \`aggregate\`, with \`group_by\` for each group.`,
        )
      const [only] = expression.args
      if (called.name === 'length' && only && CONDITIONS.has(only.kind)) return counted(only, options)
      const read = usedAs(isChoice(called) ? options.use : useOf(called))
      const args = expression.args.map((arg) => (isOfElements(arg) ? joinedLists(read(arg)) : read(arg)))
      // Where a condition chooses no element there are none of them.
      const isChosen = called.name === 'length' && only?.kind === 'field' && only.name.includes('[?')
      const nothing = isChosen ? [] : null
      return (value, root, work) => {
        work.left -= 1
        return callFunction(
          called,
          args.map((arg) => plain(arg(value, root, work)) ?? nothing),
        )
      }
    }
    case 'case': {
      const branches = expression.branches.map(({ when, value }) => [part(when), part(value)] as const)
      const otherwise = expression.otherwise && part(expression.otherwise)
      return (value, root, work) => {
        for (const [when, given] of branches)
          if (when(value, root, work) === true) return given(value, root, work)
        return otherwise?.(value, root, work)
      }
    }
    case 'and': {
      const parts = expression.parts.map(part)
      return (value, root, work) => parts.every((one) => isTrue(one(value, root, work)))
    }
    case 'or': {
      const parts = expression.parts.map(part)
      return (value, root, work) => parts.some((one) => isTrue(one(value, root, work)))
    }
    case 'not': {
      const inner = part(expression.part)
      return (value, root, work) => !isTrue(inner(value, root, work))
    }
    case 'within':
      return options.within(expression)
    case 'comparison':
      return options.strict
        ? strictComparison(expression, part)
        : comparison(expression, usedAs(expression.operands.some(tellsDate) ? 'term' : undefined), options)
  }
}

/** How operators use their sides; `||` takes texts as they are. */
const USES: Readonly<Record<string, Use>> = {
  '+': 'term',
  '-': 'term',
  '*': 'number',
  '/': 'number',
  '%': 'number',
}

const CONDITIONS: ReadonlySet<string> = new Set(['comparison', 'within', 'and', 'or', 'not'])

/** `count(events = click)`: how many elements of the list fulfil the condition. */
function counted(condition: Expression, options: CompileOptions): Evaluate {
  // A field on the right would be one of the element as well.
  if (condition.kind !== 'comparison' || condition.operands.some((one) => fieldsIn(one).length > 0))
    throw new Refusal(
      'In one record `count` takes one comparison with a value, like `count(items.state = open) >= 2`. For several ask the elements: give their list as `path`.',
    )
  const element = { kind: 'field' as const, name: '@' }
  const reach = (): Evaluate => (value) => value
  const holds = compile({ ...condition, left: element }, { ...options, reach })
  const read = joinedLists(compile(condition.left, options))
  return (value, root, work) =>
    valuesOf(read(value, root, work))
      .flat()
      .filter((one) => holds(one, root, work) === true).length
}

/** True for a field by its name alone: `findings.paths` means the elements of all lists there, `rows[*]` each of them. */
function isOfElements(arg: Expression): boolean {
  return arg.kind === 'field' && !arg.name.endsWith(']')
}

function joinedLists(read: Evaluate): Evaluate {
  return (value, root, work) => {
    const result = read(value, root, work)
    const areLists = result instanceof Many && result.values.every(Array.isArray)
    return areLists ? new Many(result.values.flat()) : result
  }
}

/** True for what may be a date, but not for a literal such as `2/8/2025`: the field then has to be read as it was written. */
function tellsDate(operand: Expression): boolean {
  return operand.kind !== 'literal' || operandFor(operand.text, operand.quoted).date !== undefined
}

/** Whatever exists and is neither false nor null. */
export function isTrue(result: Result): boolean {
  if (result instanceof Many) return result.values.some(isTrue)
  return result !== undefined && result !== null && result !== false
}

/** A result as data: several values are a list. */
export function plain(result: Result): JsonValue | undefined {
  return result instanceof Many ? [...result.values] : result
}

/** The values that several reach together; undefined where none reaches anything. */
export function many(results: readonly Result[]): Result {
  const values = results.flatMap((result): readonly JsonValue[] =>
    result instanceof Many ? result.values : result === undefined ? [] : [result],
  )
  return values.length === 0 ? undefined : new Many(values)
}

function valuesOf(result: Result): readonly JsonValue[] {
  return result instanceof Many ? result.values : result === undefined ? [] : [result]
}

/** The function that a call means. In one record a count is of the elements of a list. */
function calledIn({ name, args }: Extract<Expression, { kind: 'call' }>): ReturnType<typeof functionNamed> {
  return functionNamed(/^count$/i.test(name) && args.length === 1 ? 'length' : name)
}

// ---- As in `where` ------------------------------------------------------------------------------------------------

function comparison(
  { left, operator, negated, operands, written }: Comparison,
  part: (one: Expression) => Evaluate,
  { strictness, beside }: Pick<CompileOptions, 'strictness' | 'beside'>,
): Evaluate {
  const measured = left.kind === 'call' && calledIn(left)?.name === 'length' ? left.args[0] : undefined
  const read = part(measured ?? left)
  const around: Surroundings = {
    strictness: () => 'loose' as const,
    isElement: () => true,
    crosses: true,
    pattern: () => undefined,
  }
  const asGiven = (operand: Operand): Operand =>
    left.kind === 'field' && beside ? beside(left.name, operand) : operand
  const literals = operands.map((one) =>
    one.kind === 'literal' ? asGiven(operandFor(one.text, one.quoted)) : undefined,
  )
  const testFor = (given: readonly Operand[], surroundings: Surroundings): ((result: Result) => boolean) => {
    const test = testOf({ operator, operands: given, written }, surroundings)
    // A text has its parts, a list its elements.
    const ofText = () =>
      testOf(
        { operator, operands: given, written },
        { ...surroundings, isElement: () => false, crosses: false },
      )
    const { holds: holdsText } = operator === 'has' ? ofText() : test
    return (result) => {
      const found = valuesOf(result)
      if (measured) return test.holds([lengthOf(found)]) !== negated
      return (typeof result === 'string' ? holdsText : test.holds)(found) !== negated
    }
  }
  if (!literals.includes(undefined)) {
    const known = left.kind === 'field' && strictness
    const holds = testFor(
      literals as Operand[],
      known ? { ...around, strictness: (operand) => known(left.name, operand) } : around,
    )
    return (value, root, work) => {
      work.left -= 1
      return holds(read(value, root, work))
    }
  }
  const others = operands.map(part)
  return (value, root, work) => {
    work.left -= 1
    const given = others.map((other, at) => literals[at] ?? operandOfValue(plain(other(value, root, work))))
    if (given.includes(undefined)) return negated
    return testFor(given as Operand[], around)(read(value, root, work))
  }
}

function operandOfValue(value: JsonValue | undefined): Operand | undefined {
  if (value === undefined || value === null || typeof value === 'object') return undefined
  return operandFor(String(value), typeof value === 'string')
}

function literalValue({ text, quoted }: { text: string; quoted: boolean }, use: Use | undefined): JsonValue {
  if (quoted) return text
  const span = use === 'number' ? duration(text) : undefined
  if (span !== undefined) return span
  if (text === 'true' || text === 'false') return text === 'true'
  if (text === 'null') return null
  return looseNumber(text) ?? text
}

/**
 * Computes with numbers, also in strings. A list is computed by element, and two lists by the elements in one place. Dates less dates are
 * days, dates with days or a time span are dates, and spans less spans are spans.
 */
export function arithmetic(operator: string, left: Result, right: Result): Result {
  const inLists = ofElements(left, right, (x, y) => arithmetic(operator, x, y))
  if (inLists !== null) return inLists
  const [a, b] = [plain(left), plain(right)]
  if (operator === '||') return joinedTexts(a, b)
  const [x, y] = [numberOf(a), numberOf(b)]
  const exact = operator === '-' ? differenceOf(a, b) : operator === '%' ? remainderOf(a, y) : undefined
  if (exact !== undefined) return exact
  if (x !== undefined && y !== undefined) return calculated(operator, x, y)
  const [from, to] = [dateOf(a), dateOf(b)]
  if (operator === '-' && from !== undefined && to !== undefined) return (from - to) / DAY
  if (from === undefined) return withSpans(operator, a, b)
  const span = y ?? daysOf(b)
  if (span === undefined || !/^[-+]$/.test(operator)) return undefined
  const date = new Date(from + (operator === '-' ? -1 : 1) * span * DAY)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/** Whole numbers of more digits than a double holds. */
const LONG = /^-?\d{16,40}$/

/** One long whole number less another, as nanoseconds since 1970 are, to the digit. */
function differenceOf(a: JsonValue | undefined, b: JsonValue | undefined): number | undefined {
  if (typeof a !== 'string' || typeof b !== 'string' || !LONG.test(a) || !LONG.test(b)) return undefined
  return Number(BigInt(a) - BigInt(b))
}

/** The rest of a long whole number, to the digit. */
function remainderOf(a: JsonValue | undefined, by: number | undefined): number | undefined {
  const isExact = typeof a === 'string' && LONG.test(a) && Number.isSafeInteger(by) && by !== 0
  return isExact ? Number(BigInt(a) % BigInt(by ?? 1)) : undefined
}

/**
 * The value that is computed of each element of the lists among two values. Null where none is a list, undefined where they have no
 * elements in common.
 */
function ofElements(
  left: Result,
  right: Result,
  compute: (left: Result, right: Result) => Result,
): Result | null {
  const [a, b] = [elementsOf(left), elementsOf(right)]
  const longer = a ?? b
  if (!longer) return null
  if (a && b && (a.list !== b.list || a.values.length !== b.values.length)) return undefined
  const values = longer.values.map((_, at) => compute(a ? a.values[at] : left, b ? b.values[at] : right))
  const elements = longer.list === '' ? undefined : { list: longer.list, values }
  return new Many(
    values.map((value) => plain(value) ?? null),
    elements,
  )
}

function elementsOf(value: Result): Many['elements'] {
  if (Array.isArray(value)) return { list: '', values: value }
  return value instanceof Many ? (value.elements ?? { list: '', values: value.values }) : undefined
}

function joinedTexts(a: JsonValue | undefined, b: JsonValue | undefined): JsonValue | undefined {
  if (a === undefined || b === undefined || a === null || b === null) return undefined
  return isObject(a) || isObject(b) ? undefined : `${String(a)}${String(b)}`
}

function calculated(operator: string, x: number, y: number): number | undefined {
  const result = { '+': x + y, '-': x - y, '*': x * y, '/': x / y, '%': x % y }[operator]
  if (result === undefined || !Number.isFinite(result)) return undefined
  // 0.1 + 0.2: digits that only the double has are left out.
  return Number(result.toPrecision(15))
}

function numberOf(value: JsonValue | undefined): number | undefined {
  if (typeof value === 'number') return value
  if (isObject(value)) return amountIn(value)
  return typeof value === 'string' ? looseNumber(value) : undefined
}

function dateOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'string' ? parseDate(value)?.from : undefined
}

/** `00:00:03` of two times as a clock shows them, `85ms` of others; of one divided by the other a number. */
function withSpans(operator: string, a: JsonValue | undefined, b: JsonValue | undefined): Result {
  if (typeof a !== 'string' || typeof b !== 'string') return undefined
  const [from, to] = [duration(a), duration(b)]
  if (from === undefined || to === undefined) return undefined
  if (operator === '/') return calculated(operator, from, to)
  if (operator !== '-' && operator !== '+') return undefined
  const time = calculated(operator, from, to) ?? 0
  return a.includes(':') && b.includes(':') ? clockText(time) : `${time}ms`
}

function daysOf(value: JsonValue | undefined): number | undefined {
  const time = typeof value === 'string' ? duration(value) : undefined
  return time === undefined ? undefined : time / DAY
}

// ---- As in JSONPath -----------------------------------------------------------------------------------------------

function strictLiteral({ text, quoted }: { text: string; quoted: boolean }): JsonValue {
  if (quoted) return text
  if (text === 'true' || text === 'false') return text === 'true'
  if (text === 'null') return null
  // An integer that a double does not hold stays the text of its digits.
  return Number.isSafeInteger(Number(text)) || !/^\d{16,}$/.test(text) ? Number(text) : text
}

function strictComparison(
  { left, operator, negated, operands: [right] }: Comparison,
  part: (one: Expression) => Evaluate,
): Evaluate {
  const first = part(left)
  if (operator === 'is true' || right === undefined)
    return (value, root, work) => isTrue(first(value, root, work)) !== negated
  // A word without `@` that is no member is a text without quotes.
  const word = right.kind === 'field' && /^[\p{L}_][\p{L}\p{N}_]*$/u.test(right.name) ? right.name : undefined
  const reached = part(right)
  const second: Evaluate = (value, root, work) => {
    const found = reached(value, root, work)
    return found === undefined ? word : found
  }
  switch (operator) {
    case '=':
      return (value, root, work) => equal(first(value, root, work), second(value, root, work)) !== negated
    case '<':
      return ordered(first, second, (difference) => difference < 0)
    case '<=':
      return ordered(first, second, (difference) => difference <= 0)
    case '>':
      return ordered(first, second, (difference) => difference > 0)
    default:
      return ordered(first, second, (difference) => difference >= 0)
  }
}

function ordered(left: Evaluate, right: Evaluate, fits: (difference: number) => boolean): Evaluate {
  return (value, root, work) => {
    const [a, b] = [left(value, root, work), right(value, root, work)]
    const all = (result: Result): readonly Result[] => (result instanceof Many ? result.values : [result])
    return all(a).some((one) => all(b).some((other) => fits(order(one, other))))
  }
}

/** Equal primitives; a number equals the string that holds it, a list what is in it. Objects equal nothing. */
function equal(a: Result, b: Result): boolean {
  if (a instanceof Many) return a.values.some((value) => equal(value, b))
  if (b instanceof Many) return equal(b, a)
  if (Array.isArray(a) && !Array.isArray(b)) return a.some((value) => equal(value, b))
  if (a === b) return typeof a !== 'object' || a === null
  if (typeof a === 'number' && typeof b === 'string')
    return b.trim() !== '' && Number(b) === a && besideToTheDigit(a, b) === 0
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
function strictArithmetic(operator: string, a: Result, b: Result): Result {
  if (operator === '+' && typeof a === 'string' && typeof b === 'string') return undefined
  const [x, y] = [number(a), number(b)]
  const result = { '+': x + y, '-': x - y, '*': x * y, '/': x / y, '%': x % y }[operator]
  return result !== undefined && Number.isFinite(result) ? result : undefined
}

// ---- Members ------------------------------------------------------------------------------------------------------

/** A condition on the elements of a list. */
type Test = (value: JsonValue, root: JsonValue, work: Work) => boolean

/**
 * `@.a[0]["b"]`, `$.a`, `a[*].b`: what it reaches in a value, names in another case included. `testOf` reads conditions in brackets,
 * `@.a[?@.b > 1]`.
 */
export function reachMember(
  source: string,
  wherever: boolean,
  testOf?: (condition: string) => Test,
): Evaluate {
  const keys = keysIn(source, testOf)
  const fromRoot = source.startsWith('$')
  return (value, root, work) => {
    work.left -= 1 + keys.length
    let here: Result = fromRoot ? root : value
    // A list has members of its own only where a name led to it.
    if (!wherever && Array.isArray(here) && typeof keys[0] === 'string' && keys[0] !== 'length')
      here = undefined
    for (const key of keys)
      here = typeof key === 'function' ? chosen(here, (each) => key(each, root, work)) : child(here, key)
    return here
  }
}

/** The elements of lists for which it holds. */
function chosen(result: Result, holds: (element: JsonValue) => boolean): Result {
  const elements = valuesOf(result).flatMap((value) => (Array.isArray(value) ? value : []))
  const found = elements.filter(holds)
  return found.length === 0 ? undefined : found
}

function keysIn(source: string, testOf?: (condition: string) => Test): (string | number | Test)[] {
  const keys: (string | number | Test)[] = []
  const tokens = scan(source, { strict: true })
  let name: { from: number; to: number } | undefined
  const close = (): void => {
    if (name) keys.push(source.slice(name.from, name.to))
    name = undefined
  }
  for (let at = /^[@$]$/.test(tokens[0]?.text ?? '') ? 1 : 0; at < tokens.length; at++) {
    const token = tokens[at]
    if (!token) break
    if (token.text === '.' || token.text === '?.' || token.text === '..') close()
    else if (token.text === '[' && token.match > at) {
      close()
      const inside = source.slice(token.to, tokens[token.match]?.from).trim()
      const [only] = tokens.slice(at + 1, token.match)
      if (only?.kind === 'text') keys.push(only.text.slice(1, -1).replaceAll(/\\(.)/gs, '$1'))
      else if (/^-?\d+$/.test(inside)) keys.push(Number(inside))
      else if (testOf && inside.startsWith('?')) keys.push(testOf(inside.slice(1)))
      else if (inside !== '' && inside !== '*')
        throw new Refusal(
          `The condition has brackets that hold no name or index: \`[${shown(inside, 30)}]\`.`,
        )
      at = token.match
    } else if (token.kind === 'text') keys.push(token.value)
    else if (token.text !== '*') name = { from: name?.from ?? token.from, to: token.to }
  }
  close()
  return keys
}

function child(value: Result, key: string | number): Result {
  if (value instanceof Many) return many(value.values.map((each) => child(each, key)))
  if (Array.isArray(value)) {
    if (key === 'length') return value.length
    if (typeof key === 'string' && !/^-?\d+$/.test(key))
      return many(value.map((each) => child(each, key))) ?? many(value.map((each) => pairNamed(each, key)))
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

/** Names of the two halves of `{Key: "Env", Value: "prod"}`, in the order in which they are believed. */
const HALVES: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:key|k)$/i, /^(?:value|val|v)$/i],
  [
    /^(?:name|@name|header|field|label|attribute|property|code|param|metric|title|attribute_code|trait_type|question)$/i,
    /^(?:value|val|#text|@value|text|content|string_?value|display_?value|values|answer)$/i,
  ],
  // Beside a text for readers the value is one for programs.
  [/^id$/i, /^text$/i],
  [/^(?:type|id|@type|@key)$/i, /^(?:value|status|address|#text)$/i],
]

/** The names of the halves, when `element` is a pair: few fields, two of them called so. */
export function halvesOf(element: JsonValue): { key: string; value: string } | undefined {
  if (!isObject(element)) return undefined
  const names = Object.keys(element)
  if (names.length < 2 || names.length > 8) return undefined
  for (const [left, right] of HALVES) {
    const key = names.find((name) => left.test(name))
    const value = names.find((name) => right.test(name))
    if (key !== undefined && value !== undefined) return { key, value }
  }
  return undefined
}

/** Keys looked at for another spelling. */
const MOST_KEYS = 200

/** The value of a key; failing that, of the one key that differs in case, `_` and `-` only. */
function loosely(object: JsonObject, key: string): JsonValue | undefined {
  const exact = own(object, key)
  if (exact !== undefined) return exact
  const keys = Object.keys(object)
  if (keys.length > MOST_KEYS) return undefined
  const wanted = bareName(key)
  const [only, another] = keys.filter((name) => name.length < key.length + 5 && bareName(name) === wanted)
  return only === undefined || another !== undefined ? undefined : own(object, only)
}
