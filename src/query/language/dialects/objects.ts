/**
 * Objects that models write where sentences are meant: `{"state": "open"}`, `{"field": "a", "op": ">", "value": 5}`, and
 * the filters of MongoDB, Prisma, Elasticsearch and others.
 */
import { isObject, own } from '../../../protocol/json.ts'
import { aggregateNamed } from '../aggregates.ts'
import { operatorNamed } from '../operators.ts'
import { aggregateOf, expressionOf } from './mongo-expression.ts'

/** The most levels of objects within objects. */
const deepest = 8

/** The conditions that an object or a list stands for; the value itself where it is none, to be refused. */
export function conditionsIn(value: object): unknown[] {
  if (Array.isArray(value) && !isTriple(value))
    return value.flatMap((each: unknown) =>
      typeof each === 'object' && each !== null ? conditionsIn(each) : [each],
    )
  const sentence = sentenceOf(value, 0)
  return sentence === undefined ? [value] : sentence === '' ? [] : [sentence]
}

/** `["state", "=", "open"]`: a condition in three parts. */
export function isTriple(value: readonly unknown[]): boolean {
  const [field, sign, ...rest] = value
  if (typeof field !== 'string' || typeof sign !== 'string' || rest.length !== 1) return false
  return (
    /^(?:[=<>!~^$*]{1,3}|i?like|eq|ne|n?in|[gl]te?|contains|has|not in|is)$/i.test(sign.trim()) &&
    /^[\w.[\]*$@ -]+$/.test(field) &&
    rest[0] !== undefined
  )
}

function sentenceOf(value: unknown, depth: number): string | undefined {
  if (depth > deepest) return undefined
  if (typeof value === 'string') return value
  if (Array.isArray(value)) {
    const [field, sign, wanted] = value
    if (isTriple(value)) return compared(String(field), String(sign), wanted, depth)
    return joined(value, 'and', depth)
  }
  if (!isObject(value)) return undefined
  return (
    described(value, depth) ?? joinedText(Object.keys(value).map((key) => entry(key, own(value, key), depth)))
  )
}

function joined(values: readonly unknown[], word: 'and' | 'or', depth: number): string | undefined {
  const parts = values.map((each) => sentenceOf(each, depth + 1)).filter((part) => part !== '')
  if (parts.includes(undefined) || parts.length === 0) return parts.length === 0 ? '' : undefined
  return parts.length === 1 ? parts[0] : parts.map((part) => `(${part})`).join(` ${word} `)
}

/** `{field, op, value}` and `{operator: "and", conditions: […]}`, under the names that these have. */
function described(value: object, depth: number): string | undefined {
  const get = (...names: string[]): unknown =>
    names.map((name) => own(value as never, name)).find((held) => held !== undefined)
  const list = get('conditions', 'filters', 'rules', 'clauses', 'criteria')
  if (Array.isArray(list)) {
    const word = String(
      get('operator', 'op', 'logic', 'combinator', 'condition', 'conjunction', 'type') ?? 'and',
    )
    return joined(list, /^(?:or|any|some|\|\|)$/i.test(word) ? 'or' : 'and', depth)
  }
  const sign = get('op', 'operator', 'comparison', 'comparator', 'cmp', 'condition', 'predicate', 'function')
  const wanted = get('value', 'values', 'val', 'operand', 'target', 'right', 'rhs')
  const sure = get(
    'field',
    'path',
    'column',
    'property',
    'attribute',
    'fieldName',
    'field_name',
    'left',
    'lhs',
  )
  const field = sure ?? (typeof sign === 'string' ? get('key', 'name', 'prop', 'attr') : undefined)
  if (typeof field !== 'string') return undefined
  if (typeof sign === 'string') return compared(field, sign, wanted, depth)
  if (sign !== undefined || (sure === undefined && wanted === undefined)) return undefined
  if (wanted !== undefined) return sure === undefined ? undefined : compared(field, '=', wanted, depth)
  const named = Object.keys(value).filter((key) => own(value as never, key) !== sure)
  const all = named.map((key) =>
    operatorNamed(key) === undefined ? undefined : compared(field, key, own(value as never, key), depth),
  )
  return all.length > 0 ? joinedText(all) : undefined
}

/** Members that stand for a logic rather than a field, with what they hold. */
const logic: Readonly<Record<string, 'and' | 'or' | 'not'>> = {
  $and: 'and',
  and: 'and',
  _and: 'and',
  $or: 'or',
  or: 'or',
  _or: 'or',
  $not: 'not',
  not: 'not',
  _not: 'not',
  $nor: 'not',
  nor: 'not',
  all: 'and',
  any: 'or',
}
/** The same in the queries of Elasticsearch, within `bool`. */
const boolean: Readonly<Record<string, 'and' | 'or' | 'not'>> = {
  must: 'and',
  filter: 'and',
  should: 'or',
  must_not: 'not',
}
/** Its leaves, with the operator of theirs. */
const leaves: Readonly<Record<string, string>> = {
  term: '=',
  terms: 'in',
  match: 'contains',
  match_phrase: 'contains',
  prefix: 'starts with',
  wildcard: 'like',
  regexp: '~',
  range: '',
}

/** All of the conditions as one; undefined where one of them is not read. */
function joinedText(parts: readonly (string | undefined)[]): string | undefined {
  const some = parts.filter((part) => part !== undefined)
  if (some.length < parts.length) return undefined
  const told = some.filter((part) => part !== '')
  return told.length === 1
    ? told[0]
    : told.map((part) => (/\s(?:or|and)\s|^not\s/.test(part) ? `(${part})` : part)).join(' and ')
}

function entry(key: string, held: unknown, depth: number): string | undefined {
  const lower = key.toLowerCase()
  const isNested = typeof held === 'object' && held !== null
  const word = isNested && Object.hasOwn(logic, lower) ? logic[lower] : undefined
  if (word !== undefined) return combined(word, held, depth)
  if (lower === 'bool' && isObject(held)) {
    const parts = Object.keys(held).flatMap((name) =>
      Object.hasOwn(boolean, name) ? [combined(boolean[name] ?? 'and', own(held, name), depth)] : [],
    )
    if (parts.length > 0) return joinedText(parts)
  }
  if (isObject(held) && Object.hasOwn(leaves, lower) && Object.keys(held).length === 1)
    return leaf(lower, held, depth)
  if (key === 'query' && isObject(held)) return sentenceOf(held, depth + 1)
  const inner =
    /^(?:(?:simple_)?query_string|nested)$/.test(lower) && isObject(held) ? own(held, 'query') : undefined
  if (inner !== undefined) return sentenceOf(inner, depth + 1)
  if (lower === '$expr') return expressionOf(held) ?? sentenceOf(held, depth + 1)
  if (lower === '$where') return sentenceOf(held, depth + 1)
  return ofField(key, held, depth)
}

function combined(word: 'and' | 'or' | 'not', held: unknown, depth: number): string | undefined {
  const text = joined(Array.isArray(held) ? held : [held], word === 'and' ? 'and' : 'or', depth)
  return text === undefined || word !== 'not' ? text : `not (${text})`
}

function leaf(kind: string, held: object, depth: number): string | undefined {
  const [field = '', wanted] = Object.entries(held)[0] ?? []
  const value: unknown = isObject(wanted) ? (own(wanted, 'value') ?? own(wanted, 'query') ?? wanted) : wanted
  return kind === 'range' ? ofField(field, wanted, depth) : compared(field, leaves[kind] ?? '=', value, depth)
}

/** Settings beside an operator, which change nothing here. */
const settings: ReadonlySet<string> = new Set([
  '$options',
  'mode',
  'case_sensitive',
  'casesensitive',
  'ignorecase',
  'format',
  'time_zone',
  'boost',
])
const quantifiers: Readonly<Record<string, string>> = {
  $elemmatch: 'any',
  some: 'any',
  any: 'any',
  every: 'all',
  none: 'none',
}

/** A field with what it is to be: a value, a list of values, operators with theirs, or fields within. */
function ofField(field: string, held: unknown, depth: number): string | undefined {
  if (depth > deepest) return undefined
  const [, name, sign] =
    /^(.*?[\w\]"'])\s*(=~|!~|[=!<>]=?=?|~|<>|\s(?:not\s)?(?:in|like|contains|has))\s*$/i.exec(field) ?? []
  if (name !== undefined && sign !== undefined) return compared(name, sign.trim(), held, depth)
  if (Array.isArray(held)) {
    if (held.every((each) => !isObject(each)))
      return held.length === 0 ? `${named(field)} is empty` : compared(field, 'in', held, depth)
    return undefined
  }
  if (!isObject(held)) return compared(field, '=', held, depth)
  const keys = Object.keys(held).filter((key) => !settings.has(key.toLowerCase()))
  const parts = keys.map((key): string | undefined => {
    const value = own(held, key)
    const lower = key.toLowerCase()
    if (Object.hasOwn(quantifiers, lower) && isObject(value)) {
      const inner = sentenceOf(value, depth + 1)
      return inner === undefined ? undefined : `${quantifiers[lower]}(${named(field)}, ${inner})`
    }
    if (/^(?:is(?:not)?|\$?not)$/.test(lower) && isObject(value)) {
      const inner = ofField(field, value, depth + 1)
      return inner === undefined || lower === 'is' ? inner : `not (${inner})`
    }
    if (lower === '$size') return `length(${named(field)}) = ${String(value)}`
    if (lower === '$all' && Array.isArray(value)) return compared(field, 'has all', value, depth)
    if (lower === '$type') return typeof value === 'string' ? typed(field, value) : undefined
    if (lower === '$mod') {
      const [by, rest] = Array.isArray(value) ? value : []
      return typeof by === 'number' && typeof rest === 'number'
        ? `(${named(field)} % ${by}) = ${rest}`
        : undefined
    }
    if (key.startsWith('$') || (operatorNamed(key) !== undefined && !isObject(value)))
      return compared(field, key, value, depth)
    return ofField(`${field}.${key}`, value, depth + 1)
  })
  return parts.length === 0 ? undefined : joinedText(parts)
}

/** Types of BSON, as we call them. */
const types: Readonly<Record<string, string>> = {
  string: 'string',
  bool: 'boolean',
  array: 'list',
  object: 'object',
  null: 'null',
  number: 'number',
  int: 'number',
  long: 'number',
  double: 'number',
  decimal: 'number',
}

function typed(field: string, type: string): string | undefined {
  return Object.hasOwn(types, type) ? `type(${named(field)}) = '${types[type]}'` : undefined
}

const valueless: ReadonlySet<string> = new Set([
  'exists',
  'is null',
  'is empty',
  'isnull',
  'isempty',
  'is set',
  'is missing',
])

function compared(field: string, sign: string, value: unknown, depth: number): string | undefined {
  const trimmed = sign.trim()
  const operator = operatorNamed(trimmed) ?? trimmed
  const flag = value === undefined ? '' : ` ${String(value)}`
  if (
    /^(?:is|exists|not|has no|doe)/.test(operator) &&
    (value === undefined || valueless.has(operator)) &&
    operator !== 'is' &&
    operator !== 'is not'
  ) {
    return `${named(field)} ${operator}${valueless.has(operator) && typeof value === 'boolean' ? flag : ''}`
  }
  if (value === undefined || depth > deepest) return undefined
  if (value === null)
    return `${named(field)} ${/^(?:!|<>|ne|is not|not)/.test(operator) ? 'is not null' : 'is null'}`
  if (Array.isArray(value)) {
    if (value.some(isObject)) return undefined
    const [low, high] = value as unknown[]
    if (/between$/.test(operator)) return `${named(field)} ${operator} ${operand(low)} and ${operand(high)}`
    const many = /^(?:=+|is|eq|equals?|has|contains|any)$/.test(operator)
      ? 'in'
      : /^(?:!==?|<>|is not|not)$/.test(operator)
        ? 'not in'
        : operator
    return `${named(field)} ${many} (${value.map(operand).join(', ')})`
  }
  if (isObject(value)) {
    const text = Object.entries(value).map(([key, held]) =>
      typeof held === 'object' ? undefined : `${key} = ${operand(held)}`,
    )
    return text.includes(undefined) || !/has|contains|any/.test(operator)
      ? undefined
      : `any(${named(field)}, ${text.join(' and ')})`
  }
  return `${named(field)} ${operator} ${operand(value)}`
}

/** A name that could be taken for more than a name, in brackets. */
function named(field: string): string {
  return /[=<>~!(),;]|\s(?:and|or|in|is|like|has)\s/i.test(field) && !/^[\w.]+\(|\[/.test(field)
    ? `[${JSON.stringify(field)}]`
    : field
}

/** Texts in quotes, so that they are one value whatever they hold. */
function operand(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value) ?? 'null'
  const quote = ['"', "'", '`'].find((each) => !value.includes(each)) ?? '"'
  return `${quote}${value}${quote}`
}

/** `{"n": "number"}` as `number as n`, `{"title": 1, "body": 0}` as `title`, `-body`; itself where it is neither. */
export function namesIn(value: object): unknown[] {
  const named = Object.entries(value).map(([key, held]) => {
    if (held === 1 || held === true) return key
    if (held === 0 || held === false) return `-${key}`
    return typeof held === 'string' ? `${held.replace(/^\$/, '')} as ${key}` : undefined
  })
  return named.length === 0 || named.includes(undefined) ? [value] : named
}

/**
 * `{"comments": "desc"}` and `{"comments": -1}` as `comments desc`, `{"sum": "price"}` as `sum price`, `{"total": "sum(price)"}` as
 * `sum(price) as total`, and `{"field": "price", "op": "sum", "as": "total"}` as the same.
 */
export function pairsIn(value: object): unknown[] {
  const get = (names: readonly string[]): unknown =>
    names.map((name) => own(value as never, name)).find((held) => typeof held === 'string')
  const field = get(['field', 'column', 'path'])
  if (typeof field === 'string') {
    const order = get(['order', 'direction'])
    if (typeof order === 'string') return [`${field} ${order}`]
    const [name, as] = [get(FUNCTION_NAMES), get(['as', 'alias', 'name'])]
    const whole = typeof name === 'string' ? `${name} ${field}` : field
    return [typeof as === 'string' && name !== undefined ? `${String(name)}(${field}) as ${as}` : whole]
  }
  return Object.entries(value).flatMap<unknown>(([key, held]) => {
    // `{"price": ["sum", "mean"]}` of pandas.
    if (Array.isArray(held) && held.length > 0)
      return held.map((name) => (typeof name === 'string' ? `${name} ${key}` : value))
    if (typeof held !== 'string') return orderOf(key, held) ?? aggregateOf(key, held) ?? value
    return isNamed(key, held) ? `${held} as ${key}` : `${key} ${held}`
  })
}

const FUNCTION_NAMES = [
  'function',
  'op',
  'operation',
  'agg',
  'aggregate',
  'aggregation',
  'func',
  'fn',
  'type',
]

/** `comments desc` of `["comments", -1]` and `["comments", "desc"]`, as PyMongo and Sequelize sort. */
export function orderedBy([field, direction, ...more]: readonly unknown[]): string[] | undefined {
  if (typeof field !== 'string' || more.length > 0) return undefined
  const isWord = typeof direction === 'string' && /^(?:asc|desc)(?:ending)?$/i.test(direction)
  const order = isWord ? `${field} ${direction.toLowerCase()}` : orderOf(field, direction)
  return order === undefined ? undefined : [order]
}

/** `comments desc` of `comments` and -1, as MongoDB sorts. */
function orderOf(field: string, direction: unknown): string | undefined {
  if (direction !== 1 && direction !== -1) return undefined
  return `${field} ${direction === 1 ? 'asc' : 'desc'}`
}

/** True where the key names what is computed: `{"total": "sum(price)"}`, but not `{"sum": "abs(price)"}`. */
function isNamed(key: string, held: string): boolean {
  const called = [...held.matchAll(/(\w+)\s*\(/g)].map(([, name = '']) => name)
  return called.some((name) => aggregateNamed(name)) || (called.length > 0 && !aggregateNamed(key))
}
