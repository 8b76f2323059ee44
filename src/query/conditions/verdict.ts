/** Which records of a list fulfil a condition. Values are looked at once for each distinct one, not once a record. */

import { type Column, several } from '../../documents/columns/column.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { groupedBy } from '../../text/groups.ts'
import { keptFor } from '../../text/kept.ts'
import { placesOver } from '../../text/spread.ts'
import { type Operand, order } from '../../text/values/compare.ts'
import { parseDate } from '../../text/values/dates.ts'
import { formatPath, isEach, type Path, pathKey } from '../fields/path.ts'
import { columnOf } from '../fields/reader.ts'
import type { Records } from '../fields/records.ts'
import { readValues } from '../fields/walk.ts'
import type { OperatorTest } from '../language/operators.ts'
import { newWork, type Work } from '../work.ts'

/** A byte a record, by its position: 1 where it fulfils a condition, else 0. */
export type Verdict = Uint8Array

/** The verdict on a list of records; with `among` on those alone that have a 1 there, all others get a 0. */
export type Matcher = (records: readonly JsonValue[], among?: Verdict) => Verdict

/** Enough to read any column of a document that fits into memory; a unit takes about 50 ns. */
export function columnWork(): Work {
  return newWork(20_000_000)
}

/** The values that a path reaches in the records, as a column. */
export function columnAt(records: readonly JsonValue[], path: Path): Column {
  return columnOf(records, path, columnWork())
}

/** Records that fulfil all conditions. */
export function all(matchers: readonly Matcher[]): Matcher {
  return (records, among) => {
    let left = among
    for (const matches of matchers) left = matches(records, left)
    return left ?? new Uint8Array(records.length).fill(1)
  }
}

/** Records that fulfil one of the conditions. */
export function any(matchers: readonly Matcher[]): Matcher {
  return (records, among) => {
    const found = new Uint8Array(records.length)
    let open = among ?? new Uint8Array(records.length).fill(1)
    for (const matches of matchers) {
      const more = matches(records, open)
      const left = new Uint8Array(records.length)
      for (let at = 0; at < left.length; at++) {
        if (more[at] === 1) found[at] = 1
        else left[at] = open[at] ?? 0
      }
      open = left
    }
    return found
  }
}

/** Records that do not fulfil the condition. */
export function not(matches: Matcher): Matcher {
  return (records, among) => {
    const found = matches(records, among)
    const others = new Uint8Array(records.length)
    for (let at = 0; at < others.length; at++)
      others[at] = found[at] === 0 && (among === undefined || among[at] === 1) ? 1 : 0
    return others
  }
}

/** Records in which what a path reaches passes the test, or when `negated` does not. */
export function ofValues(path: Path, test: ColumnTest, negated: boolean): Matcher {
  return (records, among) => {
    const column = columnAt(records, path)
    const truth = test.of(column)
    // All at once where that is little, so that the loop over the records asks nothing.
    if (among === undefined || column.size <= FEW) truth.complete()
    else
      for (let at = 0; at < among.length; at++) if (among[at] === 1) truth.holds(column.codes[at] as number)
    return verdictOf(column.codes, truth.known, negated, among)
  }
}

/** Distinct values that are tested before it is known which of them are needed. */
const FEW = 1_000

/** Without branches: what a record is cannot be predicted, and a loop by hand would be as fast. */
function verdictOf(
  codes: Uint32Array,
  known: Uint8Array,
  negated: boolean,
  among: Verdict | undefined,
): Verdict {
  const found = new Uint8Array(codes.length)
  const unwanted = negated ? YES : NO
  const sign = negated ? -1 : 1
  if (among === undefined)
    for (let at = 0; at < found.length; at++)
      found[at] = ((known[codes[at] as number] as number) - unwanted) * sign
  else
    for (let at = 0; at < found.length; at++)
      found[at] = (among[at] as number) & (((known[codes[at] as number] as number) - unwanted) * sign)
  return found
}

const NO = 1
const YES = 2

/** A test of the values of one side, and what it says of the columns that it was asked about. */
export class ColumnTest {
  readonly holds: OperatorTest['holds']
  readonly #test: OperatorTest
  readonly #truths = new WeakMap<Column, Truth>()

  constructor(test: OperatorTest) {
    this.holds = test.holds
    this.#test = test
  }

  /** Its verdict on each distinct value of a column, kept for as long as the column is. */
  of(column: Column): Truth {
    return keptFor(this.#truths, column, () => new Truth(column, this.#test))
  }
}

/** The verdict of a test on the values with a code, asked when it is first needed. */
export class Truth {
  /** By code: 0 not asked yet, 1 no, 2 yes. */
  readonly known: Uint8Array
  readonly #column: Column
  readonly #test: OperatorTest
  readonly #orders: Orders | undefined
  #isComplete = false

  constructor(column: Column, test: OperatorTest) {
    this.known = new Uint8Array(column.size)
    this.#column = column
    this.#test = test
    this.#orders = test.ordered && ordersOf(column, test.ordered.operand)
  }

  holds(code: number): boolean {
    const before = this.known[code]
    if (before !== 0) return before === YES
    const holds = this.#ask(code)
    this.known[code] = holds ? YES : NO
    return holds
  }

  /** Asks of all values. */
  complete(): void {
    if (this.#isComplete) return
    for (let code = 0; code < this.known.length; code++) this.holds(code)
    this.#isComplete = true
  }

  /** True when it holds for the values of some record. */
  some(): boolean {
    if (this.#isComplete) return this.known.includes(YES)
    for (let code = 0; code < this.known.length; code++) if (this.holds(code)) return true
    this.#isComplete = true
    return false
  }

  #ask(code: number): boolean {
    const { ordered, ofScalar, holds } = this.#test
    const alone = this.#column.scalar(code)
    if (alone !== several && alone !== undefined) {
      const sign = this.#orders?.[code]
      if (ordered && sign !== undefined) return sign !== UNORDERED && ordered.holds(sign)
      if (ofScalar) return ofScalar(alone)
    }
    return holds(this.#column.values(code))
  }
}

export function countOf(verdict: Verdict): number {
  let count = 0
  for (let at = 0; at < verdict.length; at++) count += verdict[at] as number
  return count
}

/** The positions of the records that fulfil it, in their order. */
export function positionsIn(verdict: Verdict): Uint32Array {
  const positions = new Uint32Array(verdict.length)
  let count = 0
  for (let at = 0; at < verdict.length; at++) {
    positions[count] = at
    count += verdict[at] as number
  }
  return positions.slice(0, count)
}

/** How many records have each code. */
export function countsOf(column: Column): Uint32Array {
  return column.derived('counts', () => {
    const counts = new Uint32Array(column.size)
    for (const code of column.codes) counts[code] = (counts[code] ?? 0) + 1
    return counts
  })
}

// ---- Order --------------------------------------------------------------------------------------------------------

/** -1, 0 or 1 by code, as `order` tells; `UNORDERED` where the two have no order, and where there is not one scalar. */
export type Orders = Int8Array

/** In place of -1, 0 or 1. */
export const UNORDERED = 2

/** Operands that the orders of one column are kept for. */
const MOST_ORDERS = 4

/** How each distinct value of the column stands to the operand; kept for the last few. */
export function ordersOf(column: Column, operand: Operand): Orders {
  const known = column.derived('orders', () => new Map<string, Orders>())
  const key = `${operand.quoted}${operand.text}${operand.number}${operand.size}${operand.date?.from}`
  const before = known.get(key)
  const orders = before ?? readOrders(column, operand)
  known.delete(key)
  known.set(key, orders)
  for (const oldest of known.keys()) {
    if (known.size <= MOST_ORDERS) break
    known.delete(oldest)
  }
  return orders
}

function readOrders(column: Column, operand: Operand): Orders {
  const orders = new Int8Array(column.size).fill(UNORDERED)
  const day = operand.date && !operand.date.yearless ? operand.date : undefined
  const instants = day && instantsOf(column)
  for (let code = 0; code < orders.length; code++) {
    const time = instants ? (instants[code] as number) : Number.NaN
    if (day && !Number.isNaN(time)) orders[code] = time < day.from ? -1 : time >= day.to ? 1 : 0
    else orders[code] = signOf(column, code, operand)
  }
  return orders
}

function signOf(column: Column, code: number, operand: Operand): number {
  const value = column.scalar(code)
  if (value === several || value === undefined) return UNORDERED
  const sign = Math.sign(order(value, operand))
  return Number.isNaN(sign) ? UNORDERED : sign
}

/** `2024-05-01T10:00:00Z` has 20 characters; a shorter text may be another thing than a date. */
const SHORTEST_INSTANT = 20

/** Milliseconds since 1970 of each code with a full date as its value, NaN of all others. */
function instantsOf(column: Column): Float64Array {
  return column.derived('instants', () => {
    const instants = new Float64Array(column.size)
    for (let code = 0; code < instants.length; code++) {
      const value = column.scalar(code)
      const date =
        typeof value === 'string' && value.length >= SHORTEST_INSTANT ? parseDate(value) : undefined
      instants[code] = date && !date.yearless ? date.from : Number.NaN
    }
    return instants
  })
}

// ---- Lists on the way of a path -----------------------------------------------------------------------------------

const MOST_SAMPLED = 200

/** A path without `[*]`, and the positions in it after which a list is reached. */
export interface ListsOnPath {
  path: Path
  lists: readonly number[]
}

/** Where the lists are on the way of a path. */
export function listsOn(records: Records, path: Path): ListsOnPath {
  const key = pathKey(path)
  const find = (): ListsOnPath => findLists(records.values, path)
  return key === undefined ? find() : records.table.derived(`lists ${key}`, find)
}

function findLists(records: readonly JsonValue[], path: Path): ListsOnPath {
  const plain = path.filter((segment) => segment.deep || !isEach(segment) || segment.selectors.length > 1)
  const lists: number[] = []
  const work = newWork()
  for (let at = 0; at <= plain.length; at++) {
    const values: JsonValue[] = []
    for (const nth of placesOver(records.length, MOST_SAMPLED))
      readValues(records[nth] ?? null, plain.slice(0, at), values, work)
    if (values.some(Array.isArray)) lists.push(at)
  }
  return { path: plain, lists }
}

/** The elements of lists, and of lists in them. */
export function elementsOf(values: readonly JsonValue[]): JsonValue[] {
  return values.flatMap((value) => (Array.isArray(value) ? elementsOf(value) : [value]))
}

/** The elements that a path reaches in all records, one list. */
export interface Elements {
  readonly list: readonly JsonValue[]
  /** The position in `list` after the last element of each record. */
  readonly ends: Uint32Array
}

export function elementsAt(records: readonly JsonValue[], path: Path): Elements {
  const column = columnAt(records, path)
  return column.derived('elements', () => {
    const list: JsonValue[] = []
    const ends = new Uint32Array(records.length)
    for (let at = 0; at < ends.length; at++) {
      for (const element of elementsOf(column.values(column.codes[at] ?? 0))) list.push(element)
      ends[at] = list.length
    }
    return { list, ends }
  })
}

/** Records of which some, all or none of the elements at a path fulfil a condition. */
export function ofElements(path: Path, quantifier: 'any' | 'all' | 'none', holds: Matcher): Matcher {
  return (records, among) => {
    const { list, ends } = elementsAt(records, path)
    const verdict = holds(list)
    const found = new Uint8Array(records.length)
    let from = 0
    for (let at = 0; at < found.length; at++) {
      const to = ends[at] ?? from
      let count = 0
      for (let nth = from; nth < to; nth++) count += verdict[nth] as number
      const holdsHere =
        quantifier === 'all' ? count === to - from : quantifier === 'any' ? count > 0 : count === 0
      if (holdsHere && among?.[at] !== 0) found[at] = 1
      from = to
    }
    return found
  }
}

// ---- Comparisons about the same element ---------------------------------------------------------------------------

/** A comparison, or several that are about one element: `items.name = a and items.price > 5`. */
export interface Member {
  /** Through lists, without `[*]`. */
  path: Path
  /** The positions in `path` after which a list is reached. */
  lists: readonly number[]
  negated: boolean
  /** One of several equations of a field may be about another element; bounds are of one. */
  isBound: boolean
  /** Of the values at `path`, or members with their paths from one element on. */
  about: ColumnTest | readonly Pick<Member, 'path' | 'negated' | 'about'>[]
  /** The fields in it, for remarks. */
  names: readonly string[]
}

/** Records, or elements, that fulfil a member. */
export function matcherOf({ path, negated, about }: Pick<Member, 'path' | 'negated' | 'about'>): Matcher {
  return about instanceof ColumnTest
    ? ofValues(path, about, negated)
    : ofElements(path, 'any', all(about.map(matcherOf)))
}

/** The members, with members that share a list made one, and what was made one. */
export function grouped(members: readonly Member[]): { members: Member[]; joined: Member[] } {
  let left = [...members]
  const joined: Member[] = []
  for (;;) {
    const place = deepestShared(left)
    if (place === undefined) return { members: left, joined }
    const { group, at } = place
    const one = {
      path: group[0]?.path.slice(0, at) ?? [],
      lists: group[0]?.lists.filter((place) => place < at) ?? [],
      negated: false,
      isBound: false,
      about: group.map(({ path, negated, about }) => ({ path: path.slice(at), negated, about })),
      names: group.flatMap(({ names }) => names),
    }
    joined.push(one)
    left = [...left.filter((member) => !group.includes(member)), one]
  }
}

function deepestShared(members: readonly Member[]): { group: Member[]; at: number } | undefined {
  const depths = [...new Set(members.flatMap(({ lists }) => lists))].sort((a, b) => b - a)
  for (const at of depths) {
    const there = members.filter(({ lists }) => lists.includes(at))
    const byPlace = groupedBy(there, ({ path }) => formatPath(path.slice(0, at)))
    for (const group of byPlace.values()) if (isOne(group, at)) return { group, at }
  }
  return undefined
}

/** Different fields of an element, or bounds of the same; two equations of one field are about two elements. */
function isOne(group: readonly Member[], at: number): boolean {
  if (group.length < 2 || group.every(({ negated }) => negated)) return false
  const byField = groupedBy(group, ({ path }) => formatPath(path.slice(at)))
  const repeated = [...byField.values()].filter(({ length }) => length > 1)
  if (repeated.some((members) => members.filter(({ isBound, negated }) => !isBound && !negated).length > 1))
    return false
  if (byField.size > 1) return true
  return group.filter(({ isBound }) => isBound).length > 1
}
