/** Which records of a list fulfil a condition. Values are looked at once for each distinct one, not once a record. */
import type { JsonValue } from '../../protocol/json.ts'
import { type Column, columnOf } from '../column.ts'
import { newWork, type Path, type Work } from '../path/path.ts'
import { several } from '../path/walk.ts'
import type { ValuesTest } from './tests.ts'

/** A byte a record, by its position: 1 where it fulfils a condition, else 0. */
export type Verdict = Uint8Array

/** The verdict on a list of records; with `among` on those alone that have a 1 there, all others get a 0. */
export type Matcher = (records: readonly JsonValue[], among?: Verdict) => Verdict

/** Enough to read any column of a document that fits into memory; a unit takes about 50 ns. */
export function columnWork(): Work {
  return newWork(20_000_000)
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
export function ofValues(path: Path, test: ValuesTest, negated: boolean): Matcher {
  return (records, among) => {
    const column = columnOf(records, path, columnWork())
    const truth = truthOf(column, test)
    // All at once where that is little, so that the loop over the records asks nothing.
    if (among === undefined || column.size <= few) truth.complete()
    else
      for (let at = 0; at < among.length; at++) if (among[at] === 1) truth.holds(column.codes[at] as number)
    return verdictOf(column.codes, truth.known, negated, among)
  }
}

/** Distinct values that are tested before it is known which of them are needed. */
const few = 1_000

/** Without branches: what a record is cannot be predicted, and a loop by hand would be as fast. */
function verdictOf(
  codes: Uint32Array,
  known: Uint8Array,
  negated: boolean,
  among: Verdict | undefined,
): Verdict {
  const found = new Uint8Array(codes.length)
  const unwanted = negated ? yes : no
  const sign = negated ? -1 : 1
  if (among === undefined)
    for (let at = 0; at < found.length; at++)
      found[at] = ((known[codes[at] as number] as number) - unwanted) * sign
  else
    for (let at = 0; at < found.length; at++)
      found[at] = (among[at] as number) & (((known[codes[at] as number] as number) - unwanted) * sign)
  return found
}

const no = 1
const yes = 2

/** What a test says of the values with a code, asked when it is first needed. */
export class Truth {
  /** By code: 0 not asked yet, 1 no, 2 yes. */
  readonly known: Uint8Array
  private readonly column: Column
  private readonly test: ValuesTest
  /** Of a code with one scalar or nothing. */
  private readonly quick: ((code: number) => boolean) | undefined
  private isComplete = false

  constructor(column: Column, test: ValuesTest) {
    this.known = new Uint8Array(column.size)
    this.column = column
    this.test = test
    this.quick = test.ofColumn?.(column)
  }

  holds(code: number): boolean {
    const before = this.known[code]
    if (before !== 0) return before === yes
    const { column, quick } = this
    const holds = quick && column.scalar(code) !== several ? quick(code) : this.test(column.values(code))
    this.known[code] = holds ? yes : no
    return holds
  }

  /** Asks of all values. */
  complete(): void {
    if (this.isComplete) return
    for (let code = 0; code < this.known.length; code++) this.holds(code)
    this.isComplete = true
  }

  /** True when it holds for the values of some record. */
  some(): boolean {
    if (this.isComplete) return this.known.includes(yes)
    for (let code = 0; code < this.known.length; code++) if (this.holds(code)) return true
    this.isComplete = true
    return false
  }
}

const truths = new WeakMap<ValuesTest, WeakMap<Column, Truth>>()

/** Kept for as long as the column and the test are in use. */
export function truthOf(column: Column, test: ValuesTest): Truth {
  const ofTest = truths.get(test) ?? new WeakMap<Column, Truth>()
  truths.set(test, ofTest)
  const truth = ofTest.get(column) ?? new Truth(column, test)
  ofTest.set(column, truth)
  return truth
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
