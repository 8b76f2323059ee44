/** Values as jq has them: their order, their places, and how they are written. */
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { Refusal } from '../refusal.ts'
import type { Work } from '../work.ts'

/** An error that a program may catch: `try`, `?` and `//` do. Many may be thrown, and where does not matter: it has no stack. */
export class JqError {
  readonly value: JsonValue
  constructor(value: JsonValue) {
    this.value = value
  }

  get message(): string {
    return typeof this.value === 'string' ? this.value : `${plain(this.value)} (not a string)`
  }
}

/** More elements than this are not made by a number alone, and no longer texts. */
const LONGEST = 10_000_000

/** Counts what a program does. Throws a `Refusal`, which no program can catch, where it is too much. */
export function spend(work: Work, steps = 1): void {
  work.left -= steps
  if (work.left < 0) throw new Refusal('jq: the program does too much. Select fewer records first.')
}

/** The work of a program, and remarks on values that it reads otherwise than was meant, most likely. */
export interface Account extends Work {
  readonly remarks: Set<string>
}

let current: Account = { left: Number.POSITIVE_INFINITY, remarks: new Set() }
/** Counts what functions do that compare, copy and write values, until another program runs. */
export function countIn(account: Account): void {
  current = account
}

/** Counts the room of a value that is held in another one. */
export function hold(value: JsonValue): void {
  const size = Array.isArray(value) ? value.length >> 1 : typeof value === 'string' ? value.length >> 4 : 0
  spend(current, 4 + size)
}

/** A text that was made, where it is not too long. */
export function checked(text: string): string {
  spend(current, text.length > LONGEST ? Number.POSITIVE_INFINITY : text.length >> 6)
  return text
}

/** Where a value stands in the input: below `up`, under `key`; null at the input itself. */
export type Path = { readonly up: Path | undefined; readonly key: JsonValue; readonly isMade?: true } | null

/** The place of a value that was made: it has none, and nothing can be asked of one below it. */
export function made(path: Path | undefined): Path | undefined {
  return path === undefined ? undefined : MADE
}
const MADE: Path = { up: undefined, key: null, isMade: true }

export function step(path: Path | undefined, key: JsonValue): Path | undefined {
  return path === undefined ? undefined : { up: path, key }
}

/** The keys from the input to a value. Throws where the value was made by the program. */
export function pathOf(path: Path, value: JsonValue): JsonValue[] {
  const keys: JsonValue[] = []
  for (let at: Path | undefined = path; at; at = at.up) {
    if (at.isMade) throw new JqError(`Invalid path expression with result ${shortly(value)}`)
    keys.push(at.key)
  }
  return keys.reverse()
}

export function isTrue(value: JsonValue): boolean {
  return value !== null && value !== false
}

export function typeOf(value: JsonValue): 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object' {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value as 'boolean' | 'number' | 'string' | 'object'
}

const RANKS = { null: 0, boolean: 1, number: 3, string: 4, array: 5, object: 6 }

/** The order of `sort`: null, false, true, numbers, strings by code points, arrays, objects by their names and then their values. */
export function compare(left: JsonValue, right: JsonValue): number {
  if (left === right) return 0
  const [one, other] = [typeOf(left), typeOf(right)]
  if (one !== other) {
    if ((one === 'string' && other === 'number') || (one === 'number' && other === 'string'))
      tellMixed(left, right)
    return RANKS[one] - RANKS[other]
  }
  if (one === 'number' || one === 'boolean') return Number(left) - Number(right)
  if (one === 'string') {
    tellDigits(left as string, right as string)
    return compareTexts(left as string, right as string)
  }
  spend(current)
  if (Array.isArray(left) && Array.isArray(right)) {
    for (let nth = 0; nth < Math.min(left.length, right.length); nth++) {
      const order = compare(left[nth] as JsonValue, right[nth] as JsonValue)
      if (order !== 0) return order
    }
    return left.length - right.length
  }
  const names = [left, right].map(namesOf) as [string[], string[]]
  const order = compare(names[0], names[1])
  if (order !== 0) return order
  for (const name of names[0]) {
    const next = compare(own(left as JsonObject, name) ?? null, own(right as JsonObject, name) ?? null)
    if (next !== 0) return next
  }
  return 0
}

const NUMERIC = /^[-+]?\d+(?:\.\d+)?$/

function tellMixed(left: JsonValue, right: JsonValue): void {
  const text = typeof left === 'string' ? left : right
  if (current.remarks.size < 2 && NUMERIC.test(text as string))
    current.remarks.add(
      'To jq a number in a text equals no number and is more than any: write `tonumber` behind its field.',
    )
}

function tellDigits(left: string, right: string): void {
  if (left.length === right.length || current.remarks.size > 1) return
  if (!NUMERIC.test(left) || !NUMERIC.test(right)) return
  if (left < right !== Number(left) < Number(right))
    current.remarks.add('Numbers in texts were ordered as texts: write `tonumber` behind their field.')
}

/** By code points: pairs of surrogates come after all others. */
function compareTexts(left: string, right: string): number {
  if (left === right) return 0
  const isPlain = left < right ? -1 : 1
  if (!/[\ud800-\udfff]/.test(left) && !/[\ud800-\udfff]/.test(right)) return isPlain
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}

export function namesOf(value: JsonValue): string[] {
  return Object.keys(value as JsonObject).sort(compareTexts)
}

/** How many members an array or an object has. */
export function sizeOf(value: JsonValue): number {
  if (Array.isArray(value)) return value.length
  return isObject(value) ? Object.keys(value).length : 0
}

/** The members of an array or an object, with their keys. */
export function valuesOf(value: JsonValue): readonly (readonly [JsonValue, JsonValue])[] {
  if (Array.isArray(value)) return value.map((one, nth) => [nth, one])
  if (isObject(value)) return Object.entries(value)
  throw new JqError(`Cannot iterate over ${value === null ? 'null' : shortly(value)}`)
}

/** `.[key]`: null where there is nothing. */
export function at(value: JsonValue, key: JsonValue): JsonValue {
  if (isObject(key)) return slice(value, own(key, 'start') ?? null, own(key, 'end') ?? null)
  if (typeof key === 'string' && (value === null || isObject(value)))
    return value === null ? null : (own(value, key) ?? null)
  if (typeof key === 'number' && (value === null || Array.isArray(value)))
    return value === null ? null : (value[place(key, value.length)] ?? null)
  if (Array.isArray(key) && Array.isArray(value)) return indicesOf(value, key)
  if (value === null && key === null) return null
  const name = typeof key === 'string' ? `"${key}"` : typeOf(key)
  throw new JqError(`Cannot index ${typeOf(value)} with ${name}`)
}

function place(key: number, length: number): number {
  const index = Math.floor(key)
  return index < 0 ? index + length : index
}

/** The places at which an array or a text holds another one, or an element. */
export function indicesOf(value: JsonValue, sought: JsonValue): JsonValue[] {
  if (typeof value === 'string' && typeof sought === 'string') {
    if (sought === '') return []
    const places = placesIn(value)
    const found: number[] = []
    for (let from = value.indexOf(sought); from >= 0; from = value.indexOf(sought, from + 1)) {
      hold(from)
      found.push(places(from))
    }
    return found
  }
  if (!Array.isArray(value)) throw new JqError(`Cannot determine indices of ${typeOf(value)}`)
  const parts = Array.isArray(sought) ? sought : [sought]
  if (parts.length === 0) return []
  spend(current, value.length)
  const places: number[] = []
  for (let from = 0; from + parts.length <= value.length; from++)
    if (parts.every((part, nth) => compare(value[from + nth] ?? null, part) === 0)) places.push(from)
  return places
}

/** Gives for places in a text, each behind the one before, how many code points come before them. */
export function placesIn(text: string): (place: number) => number {
  spend(current, text.length >> 4)
  if (!/[\ud800-\udfff]/.test(text)) return (place) => place
  let [at, count] = [0, 0]
  return (place) => {
    if (place < at) [at, count] = [0, 0]
    for (; at < place; count++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
    return count
  }
}

/** How many code points a text has. */
export function lengthOf(text: string): number {
  return placesIn(text)(text.length)
}

/** `.[from:to]` of an array or a text. */
export function slice(value: JsonValue, from: JsonValue, to: JsonValue): JsonValue {
  if (value === null) return null
  if (typeof value !== 'string' && !Array.isArray(value))
    throw new JqError(`Cannot index ${typeOf(value)} with object`)
  if ((from !== null && typeof from !== 'number') || (to !== null && typeof to !== 'number'))
    throw new JqError('Start and end indices of an array slice must be numbers')
  const items = typeof value === 'string' ? [...value] : value
  spend(current, items.length >> 4)
  const [start, end] = bounds(from, to, items.length)
  const part = items.slice(start, end)
  return typeof value === 'string' ? part.join('') : part
}

function bounds(from: JsonValue, to: JsonValue, length: number): [number, number] {
  const start = from === null ? 0 : Math.floor(from as number)
  const end = to === null ? length : Math.ceil(to as number)
  const within = (bound: number): number => Math.min(length, Math.max(0, bound < 0 ? bound + length : bound))
  return [within(start), Math.max(within(start), within(end))]
}

/** A copy of an array or an object with a member, or the value itself, changed, where it is `owned`. */
export function placed(value: JsonValue, key: JsonValue, member: JsonValue, isOwned: boolean): JsonValue {
  if (typeof key === 'string' && (value === null || isObject(value))) {
    const object = isOwned && value !== null ? value : { ...(value ?? {}) }
    setOwn(object, key, member)
    return object
  }
  if (typeof key === 'number' && (value === null || Array.isArray(value))) {
    const array = isOwned && value !== null ? value : [...(value ?? [])]
    const index = place(key, array.length)
    if (index < 0) throw new JqError('Out of bounds negative array index')
    if (index > LONGEST) throw new JqError('Array index too large')
    if (index > array.length) spend(current, (index - array.length) << 1)
    while (array.length < index) array.push(null)
    array[index] = member
    return array
  }
  if (isObject(key) && (value === null || Array.isArray(value))) {
    const array = value ?? []
    if (!Array.isArray(member)) throw new JqError('A slice of an array can only be assigned another array')
    const [start, end] = bounds(own(key, 'start') ?? null, own(key, 'end') ?? null, array.length)
    return [...array.slice(0, start), ...member, ...array.slice(end)]
  }
  const name = typeof key === 'string' ? `"${key}"` : typeOf(key)
  throw new JqError(`Cannot index ${typeOf(value)} with ${name}`)
}

/** A copy without the values at these places. */
export function deleted(value: JsonValue, paths: readonly (readonly JsonValue[])[]): JsonValue {
  if (paths.some((path) => path.length === 0)) return null
  if (value === null) return null
  spend(current, sizeOf(value) >> 2)
  const below = new Map<string, { key: JsonValue; rest: JsonValue[][] }>()
  for (const [key = null, ...rest] of paths) {
    const name = JSON.stringify(key)
    const known = below.get(name) ?? { key, rest: [] }
    known.rest.push(rest)
    below.set(name, known)
  }
  const gone: JsonValue[] = []
  let result: JsonValue = Array.isArray(value) ? [...value] : isObject(value) ? { ...value } : value
  for (const { key, rest } of below.values()) {
    if (rest.some((path) => path.length === 0)) gone.push(key)
    else if (at(result, key) !== null) result = placed(result, key, deleted(at(result, key), rest), true)
  }
  if (gone.length === 0) return result
  if (Array.isArray(result)) return withoutElements(result, gone)
  if (!isObject(result)) throw new JqError(`Cannot delete field at object index of ${typeOf(result)}`)
  const names = new Set(gone)
  return Object.entries(result).reduce<JsonObject>((kept, [name, member]) => {
    if (!names.has(name)) setOwn(kept, name, member)
    return kept
  }, {})
}

function withoutElements(array: readonly JsonValue[], gone: readonly JsonValue[]): JsonValue[] {
  const places = new Set<number>()
  for (const key of gone) {
    if (typeof key === 'number') places.add(place(key, array.length))
    else if (isObject(key)) {
      const [start, end] = bounds(own(key, 'start') ?? null, own(key, 'end') ?? null, array.length)
      for (let nth = start; nth < end; nth++) places.add(nth)
    } else throw new JqError('Cannot delete field at array index of array')
  }
  return array.filter((_, nth) => !places.has(nth))
}

/** How `@csv` and the other formats write a value. */
const FORMATS: Readonly<Record<string, (value: JsonValue) => string>> = {
  text: plain,
  json,
  csv: (value) => row(value, ',', (text) => `"${text.replaceAll('"', '""')}"`),
  tsv: (value) =>
    row(value, '\t', (text) =>
      text.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r'),
    ),
  html: (value) => plain(value).replaceAll(/[<>&'"]/g, (sign) => ENTITIES[sign] ?? sign),
  uri: (value) =>
    encodeURIComponent(plain(value)).replaceAll(
      /[!'()*]/g,
      (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
    ),
  sh: (value) =>
    (Array.isArray(value) ? value : [value])
      .map((one) => (typeof one === 'string' ? `'${one.replaceAll("'", "'\\''")}'` : scalar(one)))
      .join(' '),
  base64: (value) => Buffer.from(plain(value)).toString('base64'),
  base64d: (value) => Buffer.from(plain(value), 'base64').toString(),
}
const ENTITIES: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  "'": '&#39;',
  '"': '&quot;',
}

export function plain(value: JsonValue): string {
  return typeof value === 'string' ? value : json(value)
}

/** Counts all that is in a value, before it is written: one that a program made may be in another many times. */
export function weigh(value: JsonValue): void {
  spend(current)
  if (typeof value === 'string') spend(current, value.length >> 4)
  else if (Array.isArray(value)) for (const one of value) weigh(one)
  else if (isObject(value)) for (const one of Object.values(value)) weigh(one)
}

function json(value: JsonValue): string {
  weigh(value)
  return checked(JSON.stringify(value))
}

export function textOf(value: JsonValue, format: string): string {
  const write = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined
  if (write === undefined) throw new JqError(`${format} is not a valid format`)
  return checked(write(value))
}

function scalar(value: JsonValue): string {
  if (typeof value === 'object' && value !== null)
    throw new JqError(`${shortly(value)} cannot be written there`)
  return String(value)
}

function row(value: JsonValue, separator: string, quoted: (text: string) => string): string {
  if (!Array.isArray(value))
    throw new JqError(`${shortly(value)} cannot be formatted as a row, only an array can be`)
  return value
    .map((cell) => {
      if (cell === null) return ''
      if (typeof cell === 'string') return quoted(cell)
      return scalar(cell)
    })
    .join(separator)
}

/** A copy with a value at a place. The values in `owned` were copied before, and are changed. */
export function setAt(
  value: JsonValue,
  path: readonly JsonValue[],
  from: number,
  set: JsonValue,
  owned: WeakSet<object>,
  work: Work,
): JsonValue {
  const key = path[from]
  if (key === undefined) return set
  if (from === 0) hold(set)
  const inner = setAt(at(value, key), path, from + 1, set, owned, work)
  const isOwned = typeof value === 'object' && value !== null && owned.has(value)
  if (!isOwned && value !== null) spend(work, Array.isArray(value) ? value.length >> 4 : sizeOf(value) << 2)
  const copy = placed(value, key, inner, isOwned)
  if (typeof copy === 'object' && copy !== null) owned.add(copy)
  return copy
}

/** `+`, `==` and the other operators between two values. */
export function binary(operator: string, left: JsonValue, right: JsonValue, work: Work): JsonValue {
  switch (operator) {
    case '==':
      return compare(left, right) === 0
    case '!=':
      return compare(left, right) !== 0
    case '<':
      return compare(left, right) < 0
    case '<=':
      return compare(left, right) <= 0
    case '>':
      return compare(left, right) > 0
    case '>=':
      return compare(left, right) >= 0
    default: {
      const value = ARITHMETIC[operator]?.(left, right, work)
      if (value !== undefined) return value
      const verb =
        { '+': 'added', '-': 'subtracted', '*': 'multiplied', '/': 'divided' }[operator] ?? 'divided'
      throw new JqError(`${shortly(left)} and ${shortly(right)} cannot be ${verb}`)
    }
  }
}

/** The type of a value, and its beginning. */
export function shortly(value: JsonValue): string {
  if (value === null) return 'null (null)'
  const text = json(value)
  return `${typeOf(value)} (${text.length > 24 ? `${text.slice(0, 21)}...` : text})`
}

const ARITHMETIC: Readonly<
  Record<string, (left: JsonValue, right: JsonValue, work: Work) => JsonValue | undefined>
> = {
  '+'(left, right, work) {
    if (left === null) return right
    if (right === null) return left
    if (typeof left === 'number' && typeof right === 'number') return real(left + right)
    if (typeof left === 'string' && typeof right === 'string') {
      return checked(left + right)
    }
    if (Array.isArray(left) && Array.isArray(right)) {
      const length = left.length + right.length
      spend(work, length > LONGEST ? Number.POSITIVE_INFINITY : length >> 3)
      return [...left, ...right]
    }
    if (typeOf(left) !== 'object' || typeOf(right) !== 'object') return undefined
    const [one, other] = [left, right] as [Record<string, JsonValue>, Record<string, JsonValue>]
    const keys = Object.keys(other)
    spend(work, (sizeOf(one) << 1) + keys.length)
    return keys.reduce<JsonValue>((sum, key) => placed(sum, key, other[key] ?? null, true), { ...one })
  },
  '-'(left, right, work) {
    if (typeof left === 'number' && typeof right === 'number') return real(left - right)
    if (!Array.isArray(left) || !Array.isArray(right)) return undefined
    spend(work, left.length * right.length)
    return left.filter((one) => !right.some((other) => compare(one, other) === 0))
  },
  '*'(left, right, work) {
    if (typeof left === 'number' && typeof right === 'number') return real(left * right)
    const [text, times] = typeof left === 'string' ? [left, right] : [right, left]
    if (typeof text === 'string' && typeof times === 'number') {
      if (times <= 0) return null
      const count = Math.max(1, Math.floor(times))
      if (text.length * count > LONGEST) spend(work, Number.POSITIVE_INFINITY)
      return checked(text.repeat(count))
    }
    return typeOf(left) === 'object' && typeOf(right) === 'object' ? merged(left, right, work) : undefined
  },
  '/'(left, right) {
    if (typeof left === 'string' && typeof right === 'string') return split(left, right)
    if (typeof left !== 'number' || typeof right !== 'number') return undefined
    if (right === 0) throw new JqError(`${shortly(left)} cannot be divided because the divisor is zero`)
    return real(left / right)
  },
  '%'(left, right) {
    if (typeof left !== 'number' || typeof right !== 'number') return undefined
    const divisor = Math.abs(Math.trunc(right))
    if (divisor === 0) throw new JqError(`${shortly(left)} cannot be divided because the divisor is zero`)
    return Math.trunc(left) % divisor
  },
}

/** The nearest number that JSON has; null for none. */
export function real(value: number): JsonValue {
  if (Number.isNaN(value)) return null
  return Number.isFinite(value) ? value : Math.sign(value) * Number.MAX_VALUE
}

/** Objects within each other, all levels. */
function merged(left: JsonValue, right: JsonValue, work: Work): JsonValue {
  let result: JsonValue = { ...(left as object) }
  for (const [key, value] of valuesOf(right)) {
    spend(work)
    const before = at(result, key)
    const areObjects = typeOf(before) === 'object' && typeOf(value) === 'object'
    result = placed(result, key, areObjects ? merged(before, value, work) : value, true)
  }
  return result
}

export function split(text: string, separator: string): JsonValue[] {
  return text === '' ? [] : text.split(separator)
}
