/**
 * The functions over windows, `rank() over (partition by team order by points desc)`: one table, from which calls are read and
 * computed, and of which messages and the documentation tell. Aggregates are windows too: the running ones are here, over a whole
 * partition any of `aggregates.ts` serves.
 */
import type { JsonValue } from '../../protocol/json.ts'
import { bareName } from '../../text/words/bare-name.ts'
import { decimalsOf, rounded } from './aggregates.ts'
import { byName, otherNames } from './table.ts'

/** The rows of one partition, and what a function is called with. */
export interface Partition {
  /** In their order, by position in the table. */
  readonly rows: Uint32Array
  /** True for a row that the order does not tell from the one before it. */
  isPeer(nth: number): boolean
  /** True where an order was asked for. */
  readonly ordered: boolean
  /** Which rows around one count: so many before it and behind it. Undefined: all up to its last peer. */
  readonly frame: Frame | undefined
  /** The value of an argument in a row of the table. */
  value(argument: number, row: number): JsonValue
  /** The same as a number; NaN where it is none. */
  number(argument: number, row: number): number
  /** How many arguments there are. */
  readonly count: number
}

/** `rows between 2 preceding and current row`: 2 and 0. */
export interface Frame {
  readonly before: number
  readonly after: number
}

export interface WindowFunction {
  readonly name: string
  /** Case, `_` and `-` aside, all names are alike. */
  readonly otherNames: readonly string[]
  readonly least: number
  readonly most: number
  readonly text: string
  readonly example: string
  /** The value for each row of the partition, in their order. */
  compute(partition: Partition): JsonValue[]
}

type Row = [
  name: string,
  otherNames: string,
  arity: [number, number],
  text: string,
  example: string,
  compute: WindowFunction['compute'],
]

// biome-ignore format: a table, one function a line.
const ROWS: readonly Row[] = [
  ['row_number', 'rownumber rownum', [0, 0], 'The place of a row, from 1.', 'row_number() over (order by created_at)', ({ rows }) => Array.from(rows, (_, nth) => nth + 1)],
  ['rank', '', [0, 0], 'The place; equals have the same, and the next ones are left out.', 'rank() over (partition by team order by points desc)', (part) => ranks(part)],
  ['dense_rank', '', [0, 0], 'The place; equals have the same, and none is left out.', 'dense_rank() over (order by points desc)', (part) => denseRanks(part)],
  ['percent_rank', '', [0, 0], 'The place from 0 to 1.', 'percent_rank() over (order by points)', (part) => ranks(part).map((rank) => (part.rows.length < 2 ? 0 : share(rank - 1, part.rows.length - 1)))],
  ['cume_dist', '', [0, 0], 'The part of rows up to this one.', 'cume_dist() over (order by points)', (part) => lastPeers(part).map((last) => share(last + 1, part.rows.length))],
  ['ntile', 'quartile', [1, 1], 'Which of so many equal parts of the rows.', 'ntile(4) over (order by points)', (part) => tiles(part)],
  ['lag', 'previous prev', [1, 3], 'The value so many rows before, else null or the third argument.', 'lag(price, 1) over (order by day)', (part) => shifted(part, -1)],
  ['lead', 'next', [1, 3], 'The value so many rows behind.', 'lead(price) over (order by day)', (part) => shifted(part, 1)],
  ['change', 'diff delta difference', [1, 2], 'The value less that of the row before.', 'change(price) over (order by day)', (part) => changes(part, (now, before) => exact(now - before, now, before))],
  ['pct_change', 'percentchange growth', [1, 2], 'By how many percent the value is more than that of the row before.', 'pct_change(price) over (order by day)', (part) => changes(part, (now, before) => (before === 0 ? null : Number((((now - before) / before) * 100).toFixed(2))))],
  ['first_value', 'first', [1, 1], 'The value of the first row.', 'first_value(price) over (order by day)', (part) => constant(part, part.rows[0])],
  ['last_value', 'last', [1, 1], 'The value of the last row.', 'last_value(price) over (order by day)', (part) => constant(part, part.rows.at(-1))],
  ['nth_value', '', [2, 2], 'The value of the nth row.', 'nth_value(price, 2) over (order by day)', (part) => constant(part, part.rows[part.number(1, part.rows[0] ?? 0) - 1])],
  ['moving_avg', 'rollingavg rollingmean movingaverage', [2, 2], 'The mean of the last n rows.', 'moving_avg(price, 3) over (order by day)', (part) => running({ ...part, frame: lastRows(part) }, meanOf)],
  ['moving_sum', 'rollingsum', [2, 2], 'The sum of the last n rows.', 'moving_sum(price, 3) over (order by day)', (part) => running({ ...part, frame: lastRows(part) }, sumOf)],
  ['sum', 'runningsum cumulativesum cumsum runningtotal total', [1, 1], 'The sum so far where there is an order, else of the partition.', 'sum(price) over (order by day)', (part) => running(part, sumOf)],
  ['avg', 'mean average runningavg', [1, 1], 'The mean so far.', 'avg(price) over (order by day)', (part) => running(part, meanOf)],
  ['min', 'runningmin', [1, 1], 'The smallest number so far.', 'min(price) over (order by day)', (part) => running(part, ({ low }) => low)],
  ['max', 'runningmax', [1, 1], 'The largest number so far.', 'max(price) over (order by day)', (part) => running(part, ({ high }) => high)],
  ['count', 'runningcount', [0, 1], 'How many rows so far, or values.', 'count() over (order by day)', (part) => running(part, ({ rows, numbers }) => (part.count === 0 ? rows : numbers))],
]

/** The functions that the description of parameters names, as they are called. */
export const TOLD_WINDOWS: readonly string[] = ['rank() over (partition by a order by b)']

export const WINDOWS: readonly WindowFunction[] = ROWS.map(
  ([name, others, [least, most], text, example, compute]) => {
    return { name, otherNames: otherNames(others), least, most, text, example, compute }
  },
)

const BY_NAME = byName(WINDOWS)

/** The window function that a word names, case, `_` and `-` aside. */
export function windowNamed(word: string): WindowFunction | undefined {
  return BY_NAME.get(bareName(word))
}

function share(part: number, whole: number): number {
  return Number((part / whole).toPrecision(12))
}

function exact(number: number, ...of: readonly number[]): number {
  return rounded(number, Math.max(...of.map(decimalsOf)))
}

function ranks(part: Partition): number[] {
  const found: number[] = []
  for (let nth = 0; nth < part.rows.length; nth++)
    found.push(nth > 0 && part.isPeer(nth) ? (found[nth - 1] as number) : nth + 1)
  return found
}

function denseRanks(part: Partition): number[] {
  let rank = 0
  return Array.from(part.rows, (_, nth) => (nth > 0 && part.isPeer(nth) ? rank : ++rank))
}

/** Of each row the last that the order does not tell from it. */
function lastPeers(part: Partition): number[] {
  const { length } = part.rows
  const last = new Array<number>(length)
  for (let nth = length - 1; nth >= 0; nth--)
    last[nth] = nth + 1 < length && part.isPeer(nth + 1) ? (last[nth + 1] as number) : nth
  return last
}

function tiles(part: Partition): (number | null)[] {
  const { length } = part.rows
  const count = Math.trunc(part.number(0, part.rows[0] ?? 0))
  if (!(count >= 1)) return Array.from(part.rows, () => null)
  const [size, more] = [Math.floor(length / count), length % count]
  return Array.from(part.rows, (_, nth) => {
    const large = more * (size + 1)
    return nth < large
      ? Math.floor(nth / (size + 1)) + 1
      : more + Math.floor((nth - large) / Math.max(1, size)) + 1
  })
}

function shifted(part: Partition, direction: 1 | -1): JsonValue[] {
  return Array.from(part.rows, (row, nth) => {
    const by = part.count > 1 ? part.number(1, row) : 1
    const other = part.rows[nth + direction * Math.trunc(by)]
    if (other !== undefined) return part.value(0, other)
    return part.count > 2 ? part.value(2, row) : null
  })
}

function changes(part: Partition, compute: (now: number, before: number) => number | null): JsonValue[] {
  return Array.from(part.rows, (row, nth) => {
    const by = part.count > 1 ? Math.trunc(part.number(1, row)) : 1
    const other = part.rows[nth - by]
    const [now, before] = [part.number(0, row), other === undefined ? Number.NaN : part.number(0, other)]
    return Number.isNaN(now) || Number.isNaN(before) ? null : compute(now, before)
  })
}

function constant(part: Partition, row: number | undefined): JsonValue[] {
  const value = row === undefined ? null : part.value(0, row)
  return Array.from(part.rows, () => value)
}

function lastRows(part: Partition): Frame {
  const count = Math.trunc(part.number(1, part.rows[0] ?? 0))
  return { before: Math.max(1, count) - 1, after: 0 }
}

/** The content of the rows of a frame. */
interface Held {
  rows: number
  numbers: number
  sum: number
  low: number | null
  high: number | null
}

function sumOf({ numbers, sum }: Held): number | null {
  return numbers === 0 ? null : sum
}

function meanOf({ numbers, sum }: Held): number | null {
  return numbers === 0 ? null : Number((sum / numbers).toPrecision(12))
}

/** Values that are looked at for frames of so many rows. */
const MOST_LOOKED = 50_000_000

/** The outcome of `of` for the rows that count for each one. */
function running(part: Partition, of: (held: Held) => number | null): JsonValue[] {
  const { rows, frame, ordered } = part
  const numbers = Float64Array.from(rows, (row) => (part.count === 0 ? Number.NaN : part.number(0, row)))
  const { length } = rows
  if (
    frame &&
    Math.min(length, frame.before + frame.after + 1) * length <= MOST_LOOKED &&
    Number.isFinite(frame.before)
  ) {
    return Array.from(rows, (_, nth) => {
      const tally = new Tally()
      const to = Math.min(length - 1, nth + frame.after)
      for (let at = Math.max(0, nth - frame.before); at <= to; at++) tally.add(numbers[at] as number)
      return of(tally.held())
    })
  }
  const last = frame
    ? rows.map((_, nth) => Math.min(length - 1, nth + frame.after))
    : ordered
      ? lastPeers(part)
      : rows.map(() => length - 1)
  const tally = new Tally()
  let taken = 0
  return Array.from(rows, (_, nth) => {
    for (; taken <= (last[nth] as number); taken++) tally.add(numbers[taken] as number)
    return of(tally.held())
  })
}

/** Sums with compensation (Neumaier 1974), rounded to the decimals that the numbers have. */
class Tally {
  #total = 0
  #lost = 0
  #digits = 0
  readonly #held: Held = { rows: 0, numbers: 0, sum: 0, low: null, high: null }

  add(number: number): void {
    this.#held.rows += 1
    if (Number.isNaN(number)) return
    const next = this.#total + number
    this.#lost +=
      Math.abs(this.#total) >= Math.abs(number) ? this.#total - next + number : number - next + this.#total
    this.#total = next
    this.#held.numbers += 1
    this.#digits = Math.max(this.#digits, decimalsOf(number))
    if (this.#held.low === null || number < this.#held.low) this.#held.low = number
    if (this.#held.high === null || number > this.#held.high) this.#held.high = number
  }

  held(): Held {
    return { ...this.#held, sum: rounded(this.#total + this.#lost, this.#digits) }
  }
}
