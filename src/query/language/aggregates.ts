/**
 * The functions over groups of records, as one table. Calls are read and computed from it. Messages, the descriptions of parameters and
 * the documentation take their text from it.
 */
import { type Census, equals, frequencies, type Values } from '../../documents/columns/values.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { besideToTheDigit, isMultiple, measured } from '../../text/values/quantities.ts'
import {
  ascending,
  type Key,
  keyOf,
  type Reading,
  readingOf,
  timesRemark,
  type Unit,
  unitOf,
} from '../../text/values/reading.ts'
import { bareName } from '../../text/words/bare-name.ts'
import { byName, otherNames } from './table.ts'

/** Which rows are in which groups: one pair for each row and group that it is in, in the order of the rows. */
export interface Members {
  readonly rows: Uint32Array
  /** By pair. */
  readonly groups: Uint32Array
  /** How many groups there are. */
  readonly count: number
}

/** The values of a field in all rows and in each group. */
export interface Gathered {
  readonly values: Values
  /** The code of each row: a record, or an element of a list. */
  readonly codes: Uint32Array
  readonly members: Members
  /** Of all rows, ones without a group included. */
  readonly census: Census
  /** Records without a value. */
  readonly without: number
}

/** The values that an aggregate is computed from. */
export interface Over extends Gathered {
  /** The numbers of the items, as the aggregate reads them; for order undefined where they are compared as text. */
  readonly numbers: Numbers | undefined
  readonly reading?: Reading | undefined
  /** Digits behind the point of each. */
  readonly decimals: Uint16Array
  /** The second field of `correlation`, `arg_max`. */
  readonly second: Gathered | undefined
  /** The rank of a percentile, how many of `top`. */
  readonly option: number | undefined
  /** Between the texts of `string_agg`. */
  readonly separator: string | undefined
}

/** How an aggregate reads values: as they are, as numbers, or in an order of numbers, dates or text. */
type Reads = 'values' | 'numbers' | 'order'

export interface Aggregate {
  readonly name: string
  /** Its names in other languages. Case, `_` and `-` aside, all names are alike. */
  readonly otherNames: readonly string[]
  /** Its arguments: nothing, a field, a field and a number or a text, two fields, a condition. */
  readonly takes:
    | ''
    | 'field'
    | 'field or nothing'
    | 'field, number'
    | 'field, text'
    | 'field, field'
    | 'condition'
  readonly reads: Reads
  /** One sentence. */
  readonly text: string
  readonly example: string
  /** The value for each group; null where there is nothing to compute from. */
  compute(over: Over): readonly JsonValue[]
}

/** Values that `collect` and `top` list of a group, and of all groups. */
export const MOST_LISTED = 100
const MOST_IN_ALL = 200_000
const USUAL_TOP = 3

type Row = [
  name: string,
  otherNames: string,
  takes: Aggregate['takes'],
  reads: Reads,
  text: string,
  example: string,
  compute: Aggregate['compute'],
]

// biome-ignore format: a table, one function a line.
const ROWS: readonly Row[] = [
  ['count', 'n', 'field or nothing', 'values', 'How many records, or values of a field.', 'count', (over) => Array.from(countsOf(over))],
  ['sum', 'total', 'field', 'numbers', 'The sum, exact in decimals.', 'sum(price)', (over) => sumsIn(over)],
  ['avg', 'mean average', 'field', 'numbers', 'The mean.', 'avg(price)', (over) => meansIn(over)],
  ['min', 'minimum smallest earliest lowest', 'field', 'order', 'The smallest, or earliest.', 'min(created_at)', (over) => extremesIn(over, -1)],
  ['max', 'maximum largest latest highest peak', 'field', 'order', 'The largest, or latest.', 'max(price)', (over) => extremesIn(over, 1)],
  ['median', '', 'field', 'numbers', 'The one in the middle.', 'median(price)', (over) => percentilesIn(over, MEDIAN)],
  ['distinct', 'unique uniq values countdistinct distinctcount countunique distinctvalues nunique cardinality approxcountdistinct', 'field', 'values', 'How many different values.', 'distinct(user)', (over) => distinctIn(over)],
  ['percentile', 'quantile percentilecont percentiledisc approxpercentile', 'field, number', 'numbers', 'Below which so many percent lie: p90(ms) or percentile(ms, 90).', 'p90(ms)', (over) => percentilesIn(over, over.option ?? MEDIAN)],
  ['percent', 'pct percentage share ratio ratiotoreport', 'field or nothing', 'numbers', 'The share of all records, or of the sum of a field, in percent.', 'percent(price)', (over) => sumsIn(over)],
  ['stddev', 'std stdev stddevsamp standarddeviation', 'field', 'numbers', 'The standard deviation of a sample.', 'stddev(price)', (over) => spreadIn(over, 1).map(root)],
  ['stddev_pop', 'stdevp pstdev', 'field', 'numbers', 'The standard deviation of all.', 'stddev_pop(price)', (over) => spreadIn(over, 0).map(root)],
  ['variance', 'varsamp var', 'field', 'numbers', 'The variance of a sample.', 'variance(price)', (over) => spreadIn(over, 1).map(short)],
  ['var_pop', 'varp pvariance', 'field', 'numbers', 'The variance of all.', 'var_pop(price)', (over) => spreadIn(over, 0).map(short)],
  ['range', 'spread', 'field', 'numbers', 'The largest less the smallest.', 'range(price)', (over) => numbersIn(over).map(rangeOf)],
  ['first', 'firstvalue anyvalue arbitrary', 'field', 'values', 'The first value, in the order of the records.', 'first(name)', (over) => listsIn(over, 1).map(([one]) => one ?? null)],
  ['last', 'lastvalue', 'field', 'values', 'The last value.', 'last(name)', (over) => lastIn(over)],
  ['mode', 'mostfrequent mostcommon', 'field', 'values', 'The most frequent value.', 'mode(state)', (over) => modesIn(over)],
  ['top', 'largestn nlargest topk', 'field, number', 'order', 'The n largest values, largest first; of texts the most frequent.', 'top(price, 3)', (over) => topIn(over, 1)],
  ['bottom', 'smallestn nsmallest', 'field, number', 'order', 'The n smallest values.', 'bottom(price, 3)', (over) => topIn(over, -1)],
  ['collect', 'arrayagg collectlist list jsonagg push', 'field', 'values', `The values as a list, at most ${MOST_LISTED}.`, 'collect(name)', (over) => listsIn(over, MOST_LISTED)],
  ['collect_set', 'addtoset', 'field', 'values', 'The different values as a list.', 'collect_set(name)', (over) => listsIn(over, MOST_LISTED, true)],
  ['string_agg', 'groupconcat listagg stringjoin', 'field, text', 'values', 'The values as one text.', "string_agg(name, ', ')", (over) => listsIn(over, MOST_LISTED).map((list) => joined(list, over.separator))],
  ['count_if', 'countwhere', 'condition', 'numbers', 'How many records fulfil a condition.', 'count_if(state = open)', (over) => sumsIn(over)],
  ['arg_max', 'maxby', 'field, field', 'order', 'The first field where the second is largest.', 'arg_max(name, price)', (over) => heldBy(over, 1)],
  ['arg_min', 'minby', 'field, field', 'order', 'The first field where the second is smallest.', 'arg_min(name, price)', (over) => heldBy(over, -1)],
  ['correlation', 'corr pearson', 'field, field', 'numbers', 'How two fields go together, from -1 to 1.', 'correlation(price, rating)', (over) => paired(over, correlation)],
  ['covariance', 'covarsamp covar', 'field, field', 'numbers', 'The covariance of a sample.', 'covariance(price, rating)', (over) => paired(over, (xs, ys) => (xs.length < 2 ? null : products(xs, ys) / (xs.length - 1)))],
  ['slope', 'regrslope', 'field, field', 'numbers', 'How much the first changes with the second, by least squares.', 'slope(price, size)', (over) => paired(over, (ys, xs) => quotient(products(xs, ys), products(xs, xs)))],
]

/** All of them, in the order in which they are told. */
export const AGGREGATES: readonly Aggregate[] = ROWS.map(
  ([name, others, takes, reads, text, example, compute]) => {
    return { name, otherNames: otherNames(others), takes, reads, text, example, compute }
  },
)

/** The functions that the description of parameters names. */
export const TOLD_AGGREGATES: readonly string[] = [
  'count',
  'sum',
  'avg',
  'min',
  'max',
  'median',
  'distinct',
  'p90',
  'top',
  'collect',
]

const BY_NAME = byName(AGGREGATES)

export interface NamedAggregate {
  aggregate: Aggregate
  /** `p90` has one. */
  rank?: number
  /** `sum_if(price, state = open)`: only of the records that fulfil a condition, which is one of two arguments. */
  conditional?: true
}

/** The aggregate that a word names, case, `_` and `-` aside. */
export function aggregateNamed(word: string): NamedAggregate | undefined {
  const [, digits] = /^p(?:ct)?(\d{1,2}(?:_\d+)?)$/.exec(word.toLowerCase()) ?? []
  const name = bareName(word)
  const aggregate = BY_NAME.get(digits === undefined ? name : 'percentile')
  if (!aggregate) {
    const [, base] = /^([a-z]{3,20})(?:if|where)$/.exec(name) ?? []
    const of = base === undefined ? undefined : BY_NAME.get(base)
    return of && { aggregate: of, conditional: true }
  }
  return digits === undefined ? { aggregate } : { aggregate, rank: Number(digits.replace('_', '.')) }
}

// Members.

/** Calls `take` for each value of each row in each group that the row is in. */
export function eachValue(
  { members: { rows, groups }, values: { starts, ids, single }, codes }: Gathered,
  take: (group: number, id: number) => void,
): void {
  for (let pair = 0; pair < rows.length; pair++) {
    const code = codes[rows[pair] as number] as number
    const group = groups[pair] as number
    if (single) {
      const id = single[code] as number
      if (id >= 0) take(group, id)
      continue
    }
    const end = starts[code + 1] as number
    for (let place = starts[code] as number; place < end; place++) take(group, ids[place] as number)
  }
}

/** Each value of a group once, as `sum(distinct price)` has it. */
export function onceEach(gathered: Gathered): Gathered {
  const { values, members } = gathered
  const { length } = values.items
  const seen = new Set<number>()
  const [groups, codes]: [number[], number[]] = [[], []]
  eachValue(gathered, (group, id) => {
    const key = group * length + id
    if (seen.has(key)) return
    seen.add(key)
    groups.push(group)
    codes.push(id)
  })
  const ids = Uint32Array.from({ length }, (_, id) => id)
  const starts = Uint32Array.from({ length: length + 1 }, (_, id) => id)
  return {
    ...gathered,
    // A code is an item, and a row a pair of an item and a group.
    values: { ...values, ids, starts, single: Int32Array.from(ids) },
    codes: Uint32Array.from(codes),
    members: {
      rows: Uint32Array.from(codes, (_, at) => at),
      groups: Uint32Array.from(groups),
      count: members.count,
    },
  }
}

/** How many values each group has. */
function countsOf({ values: { starts }, codes, members }: Gathered): Uint32Array {
  const { rows, groups, count } = members
  const counts = new Uint32Array(count)
  for (let pair = 0; pair < rows.length; pair++) {
    const code = codes[rows[pair] as number] as number
    const group = groups[pair] as number
    counts[group] = (counts[group] as number) + (starts[code + 1] as number) - (starts[code] as number)
  }
  return counts
}

// Numbers that values stand for. Read once for each different value.

/** The number of each item of the values; NaN for items that stand for none. */
export type Numbers = Float64Array

function numbersAs(values: Values, reading: Reading): Numbers {
  return values.derived(`numbers as ${reading}`, () =>
    Float64Array.from(values.items, (item) =>
      typeof item === 'string' || typeof item === 'number'
        ? Number(keyOf(item, reading) ?? Number.NaN)
        : Number.NaN,
    ),
  )
}

/** How values are read. */
export interface Readings {
  reading: Reading
  numbers: Numbers
  /** In which unit the numbers are. */
  unit: Unit | undefined
  /** The numbers that min and max are found by. Undefined: these are found as texts. */
  order: Numbers | undefined
  /** How times were read for order, where it is not plain. */
  remark: string | undefined
}

/** How the values that occur, of a field of that name, are read as numbers and for order. */
export function readingsOf(values: Values, { present, counts, derived }: Census, name = ''): Readings {
  return derived(`readings of ${name}`, () => {
    const texts: string[] = []
    const weights: number[] = []
    let [numbers, isNumber] = [0, false]
    for (const id of present) {
      const item = values.items[id]
      if (typeof item === 'string') {
        texts.push(item)
        weights.push(counts[id] as number)
      } else if (typeof item === 'number') {
        numbers += counts[id] as number
        isNumber ||= item !== 0
      }
    }
    const reading = readingOf(texts, numbers, name, weights)
    // A number beside texts with a unit of time may be in any; nothing needs no unit.
    const unit = reading === 'ms' && isNumber ? undefined : unitOf(reading)
    return {
      reading,
      unit,
      numbers: numbersAs(values, unit ?? 'plain'),
      order: reading === 'text' || reading === 'version' ? undefined : numbersAs(values, reading),
      remark: timesRemark(name, reading, () => texts),
    }
  })
}

/** Values that are looked at for their units. */
const MOST_MEASURED = 2_000

/** The units that stand behind the numbers that occur: `km/h`. None where these are read in a unit of time or size. */
export function measuresIn({ items }: Values, { present }: Census): readonly string[] {
  const found = new Set<string>()
  for (const id of present.subarray(0, MOST_MEASURED)) {
    const item = items[id]
    const unit = typeof item === 'string' ? measured(item)?.unit : undefined
    if (unit) found.add(unit)
  }
  return [...found]
}

/** Whether one of the amounts that occur is none of bytes. */
export function areMultiples({ items }: Values, { present }: Census): boolean {
  return present.subarray(0, MOST_MEASURED).some((id) => {
    const item = items[id]
    return typeof item === 'string' && isMultiple(item)
  })
}

/** Digits behind the point of each number. */
export function decimalsIn(values: Values, numbers: Numbers, unit: Unit | undefined): Uint16Array {
  return values.derived(`decimals as ${unit ?? 'plain'}`, () => Uint16Array.from(numbers, decimalsOf))
}

/** Digits behind the point: 2 of 0.25 and of 1.5e-1. */
export function decimalsOf(number: number): number {
  if (Number.isInteger(number)) return 0
  const [digits = '', exponent = '0'] = String(number).split('e')
  return Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent))
}

/** The digits that doubles hold of a computed number. */
const PRECISION = 12

function short(number: number | null): number | null {
  return number === null || !Number.isFinite(number) ? null : Number(number.toPrecision(PRECISION))
}

export function rounded(value: number, decimals: number): number {
  return decimals > 20 || Math.abs(value) > 1e15 ? value : Number(value.toFixed(decimals))
}

// Sums, in the order of the records.

interface Sums {
  /** As shown: rounded to the decimals that the numbers have, after summing with compensation (Neumaier 1974). */
  readonly sums: Float64Array
  /** How many of the values are numbers. */
  readonly numbers: Uint32Array
}

function summed(over: Over): Sums {
  const { count } = over.members
  const { numbers = NO_NUMBERS, decimals } = over
  const totals = new Float64Array(count)
  const lost = new Float64Array(count)
  const digits = new Uint16Array(count)
  const found = new Uint32Array(count)
  eachValue(over, (group, id) => {
    const number = numbers[id] as number
    if (Number.isNaN(number)) return
    const total = totals[group] as number
    const next = total + number
    const error = Math.abs(total) >= Math.abs(number) ? total - next + number : number - next + total
    lost[group] = (lost[group] as number) + error
    totals[group] = next
    found[group] = (found[group] as number) + 1
    if ((decimals[id] as number) > (digits[group] as number)) digits[group] = decimals[id] as number
  })
  const sums = totals.map((total, group) => rounded(total + (lost[group] as number), digits[group] as number))
  return { sums, numbers: found }
}

const NO_NUMBERS = new Float64Array(0)

/** Null for a group of which no value is a number. */
function sumsIn(over: Over): (number | null)[] {
  const { sums, numbers } = summed(over)
  const values = countsOf(over)
  return Array.from(sums, (sum, group) =>
    numbers[group] === 0 && (values[group] as number) > 0 ? null : sum,
  )
}

/** The sum over all rows, ones without a group included. */
export function sumOfAll(over: Over): number | null {
  const rows = Uint32Array.from(over.codes, (_, at) => at)
  return sumsIn({ ...over, members: { rows, groups: new Uint32Array(rows.length), count: 1 } })[0] ?? null
}

function meansIn(over: Over): (number | null)[] {
  const { sums, numbers } = summed(over)
  return Array.from(sums, (sum, group) => {
    const count = numbers[group] as number
    return count === 0 ? null : Number((sum / count).toPrecision(PRECISION))
  })
}

// Percentiles and deviations.

const MEDIAN = 50

/** Of each group the numbers, in the order of the records. */
function numbersIn(over: Over): Float64Array[] {
  const { numbers = NO_NUMBERS } = over
  const sizes = new Uint32Array(over.members.count)
  eachValue(over, (group, id) => {
    if (!Number.isNaN(numbers[id])) sizes[group] = (sizes[group] as number) + 1
  })
  const found = Array.from(sizes, (size) => new Float64Array(size))
  sizes.fill(0)
  eachValue(over, (group, id) => {
    const number = numbers[id] as number
    if (Number.isNaN(number)) return
    const into = found[group] as Float64Array
    into[sizes[group] as number] = number
    sizes[group] = (sizes[group] as number) + 1
  })
  return found
}

/** Between the two nearest values in proportion, as spreadsheets and numpy do; null where there is no number. */
function percentilesIn(over: Over, rank: number): (number | null)[] {
  return numbersIn(over).map((own) => percentile(own.sort(), rank))
}

function percentile(sorted: Float64Array, rank: number): number | null {
  if (sorted.length === 0) return null
  const place = ((sorted.length - 1) * rank) / 100
  const low = sorted[Math.floor(place)] ?? 0
  const high = sorted[Math.ceil(place)] ?? low
  const share = place - Math.floor(place)
  if (share === 0 || low === high) return low
  const between = low * (1 - share) + high * share
  const decimals = Math.max(decimalsOf(low), decimalsOf(high))
  return share === 0.5 ? rounded(between, decimals + 1) : Number(between.toPrecision(PRECISION))
}

/** The variance: of a sample (n - 1) where `less` is 1, as SQL and spreadsheets have it, else of all; null for too few numbers. */
function spreadIn(over: Over, less: 0 | 1): (number | null)[] {
  const { sums } = summed(over)
  return numbersIn(over).map((own, group) => {
    if (own.length <= less) return null
    const mean = (sums[group] as number) / own.length
    return own.reduce((all, number) => all + (number - mean) ** 2, 0) / (own.length - less)
  })
}

function root(variance: number | null): number | null {
  return short(variance === null ? null : Math.sqrt(variance))
}

function rangeOf(own: Float64Array): number | null {
  if (own.length === 0) return null
  let [low, high] = [own[0] as number, own[0] as number]
  for (const number of own) {
    if (number < low) low = number
    if (number > high) high = number
  }
  return rounded(high - low, Math.max(decimalsOf(low), decimalsOf(high)))
}

// Order.

const NONE = -1

type Beats = (id: number, best: number) => boolean

/** The smallest (-1) or largest (1) as it is in the data; what has no number is left out, or all are compared as text. */
function extremesIn(over: Over, direction: -1 | 1): JsonValue[] {
  const { items } = over.values
  const beats = beatsIn(over, direction)
  const chosen = new Int32Array(over.members.count).fill(NONE)
  eachValue(over, (group, id) => {
    const best = chosen[group] as number
    if (id !== best && typeof items[id] !== 'object' && beats(id, best)) chosen[group] = id
  })
  return Array.from(chosen, (id) => (id === NONE ? null : (items[id] ?? null)))
}

function beatsIn({ values, numbers, reading = 'text' }: Over, direction: -1 | 1): Beats {
  return numbers ? byNumber(values.items, numbers, direction) : byText(textKeys(values, reading), direction)
}

function byNumber(items: readonly JsonValue[], numbers: Numbers, direction: number): Beats {
  return (id, best) => {
    const number = numbers[id] as number
    if (Number.isNaN(number)) return false
    if (best === NONE) return true
    const other = numbers[best] as number
    if (number !== other || Math.abs(number) <= Number.MAX_SAFE_INTEGER)
      return !((number - other) * direction <= 0)
    return besideToTheDigit(items[id] ?? null, items[best] ?? null) * direction > 0
  }
}

function byText(keys: readonly (Key | undefined)[], direction: number): Beats {
  return (id, best) => {
    const [key, other] = [keys[id], keys[best]]
    return key !== undefined && (other === undefined || ascending(key, other) * direction > 0)
  }
}

/** By which the items are in order where they have no numbers; undefined for an item that says nothing. */
export function textKeys(values: Values, reading: Reading): readonly (Key | undefined)[] {
  return values.derived(`keys as ${reading}`, () => values.items.map((item) => keyOf(item, reading)))
}

/** The largest (1) or smallest (-1) values of each group, equal ones each. */
function topIn(over: Over, direction: -1 | 1): JsonValue[][] {
  if (direction > 0 && over.reading === 'text' && areWords(over.values)) return mostFrequent(over)
  const most = Math.max(1, Math.min(MOST_LISTED, Math.trunc(over.option ?? USUAL_TOP)))
  const { items } = over.values
  const beats = beatsIn(over, direction)
  const lists: number[][] = Array.from({ length: over.members.count }, () => [])
  eachValue(over, (group, id) => {
    if (typeof items[id] === 'object' || !beats(id, NONE)) return
    const list = lists[group] as number[]
    const last = list[most - 1]
    if (last !== undefined && !beats(id, last)) return
    const before = list.findIndex((other) => beats(id, other))
    list.splice(before < 0 ? list.length : before, 0, id)
    if (list.length > most) list.pop()
  })
  return lists.map((list) => list.map((id) => items[id] ?? null))
}

function areWords({ items }: Values): boolean {
  return (
    items.some((item) => typeof item === 'string') &&
    items.every((item) => item === null || typeof item === 'string')
  )
}

/** The most frequent texts of each group, for texts have no largest. */
function mostFrequent(over: Over): JsonValue[][] {
  const most = Math.max(1, Math.min(MOST_LISTED, Math.trunc(over.option ?? USUAL_TOP)))
  const counts = Array.from({ length: over.members.count }, () => new Map<number, number>())
  eachValue(over, (group, id) => {
    const found = counts[group]
    if (typeof over.values.items[id] === 'string') found?.set(id, (found.get(id) ?? 0) + 1)
  })
  return counts.map((found) =>
    [...found]
      .sort(([, one], [, other]) => other - one)
      .slice(0, most)
      .map(([id]) => over.values.items[id] ?? null),
  )
}

/** The value of the first field in the row where the second is largest (1) or smallest (-1). */
function heldBy(over: Over, direction: -1 | 1): JsonValue[] {
  const { second, values, codes, members } = over
  if (!second) return []
  const { order: numbers, reading } = readingsOf(second.values, second.census)
  const beats = beatsIn({ ...over, ...second, numbers, reading }, direction)
  const best = new Int32Array(members.count).fill(NONE)
  const held: JsonValue[] = Array.from({ length: members.count }, () => null)
  for (let pair = 0; pair < members.rows.length; pair++) {
    const row = members.rows[pair] as number
    const group = members.groups[pair] as number
    for (const id of idsAt(second, row)) {
      if (typeof second.values.items[id] === 'object' || !beats(id, best[group] as number)) continue
      best[group] = id
      const [own] = idsAt({ values, codes }, row)
      held[group] = own === undefined ? null : (values.items[own] ?? null)
    }
  }
  return held
}

function idsAt(
  { values: { starts, ids }, codes }: Pick<Gathered, 'values' | 'codes'>,
  row: number,
): Uint32Array {
  const code = codes[row] as number
  return ids.subarray(starts[code], starts[code + 1])
}

// Values as they are.

/** How many different values each group has. */
function distinctIn(gathered: Gathered): number[] {
  const { members, codes, values } = gathered
  const same = equals(values)
  if (members.count === 1 && members.rows.length === codes.length) {
    const { present } = gathered.census
    return [same ? new Set(present.map((id) => same[id] ?? id)).size : present.length]
  }
  const size = values.items.length
  const seen = new Set<number>()
  const counts = new Uint32Array(members.count)
  eachValue(gathered, (group, id) => {
    const pair = group * size + (same?.[id] ?? id)
    if (seen.has(pair)) return
    seen.add(pair)
    counts[group] = (counts[group] as number) + 1
  })
  return Array.from(counts)
}

/** How many groups have more values than an aggregate lists; 0 for an aggregate that lists none. */
export function cutIn(
  { name }: Pick<Aggregate, 'name'>,
  over: Gathered,
  cells: readonly JsonValue[],
): number {
  if (name !== 'collect' && name !== 'collect_set' && name !== 'string_agg') return 0
  const counts = countsOf(over)
  return cells.filter((cell, group) => {
    // Of different values it is not known how many are left.
    const isFull = name !== 'collect_set' || (Array.isArray(cell) && cell.length === MOST_LISTED)
    return isFull && (counts[group] ?? 0) > MOST_LISTED
  }).length
}

function listsIn(
  { values, codes, members, census, without }: Gathered,
  most: number,
  once = false,
): JsonValue[][] {
  const lists: JsonValue[][] = Array.from({ length: members.count }, () => [])
  const seen = new Set<number>()
  const same = once ? equals(values) : undefined
  let left = MOST_IN_ALL
  eachValue({ values, codes, members, census, without }, (group, id) => {
    const list = lists[group] as JsonValue[]
    if (list.length >= most || left <= 0) return
    if (once) {
      const pair = group * values.items.length + (same?.[id] ?? id)
      if (seen.has(pair)) return
      seen.add(pair)
    }
    left -= 1
    list.push(values.items[id] ?? null)
  })
  return lists
}

function lastIn(over: Over): JsonValue[] {
  const last: JsonValue[] = Array.from({ length: over.members.count }, () => null)
  eachValue(over, (group, id) => {
    last[group] = over.values.items[id] ?? null
  })
  return last
}

/** Of values that are as frequent the first. */
function modesIn(over: Over): JsonValue[] {
  const { values, members } = over
  if (members.count === 1 && members.rows.length === over.codes.length) {
    const best = frequencies(values, over.census).reduce<[number, number]>(
      (one, other) => (other[1] > one[1] ? other : one),
      [NONE, 0],
    )
    return [values.items[best[0]] ?? null]
  }
  const same = equals(values)
  const counts = new Map<number, number>()
  const best = new Int32Array(members.count).fill(NONE)
  const most = new Uint32Array(members.count)
  const first = new Map<number, number>()
  let seen = 0
  eachValue(over, (group, id) => {
    const pair = group * values.items.length + (same?.[id] ?? id)
    counts.set(pair, (counts.get(pair) ?? 0) + 1)
    if (!first.has(pair)) first.set(pair, seen++)
  })
  for (const [pair, count] of counts) {
    const group = Math.floor(pair / values.items.length)
    if (count <= (most[group] as number)) continue
    most[group] = count
    best[group] = pair % values.items.length
  }
  return Array.from(best, (id) => (id === NONE ? null : (values.items[id] ?? null)))
}

function joined(list: readonly JsonValue[], separator = ', '): JsonValue {
  return list.length === 0
    ? null
    : list.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(separator)
}

// Two fields.

/** The outcome of `compute` for the numbers of both fields in the rows of each group that have both. */
function paired(
  over: Over,
  compute: (xs: readonly number[], ys: readonly number[]) => number | null,
): (number | null)[] {
  const { second, members, numbers = NO_NUMBERS } = over
  if (!second) return []
  const others = readingsOf(second.values, second.census).numbers
  const xs: number[][] = Array.from({ length: members.count }, () => [])
  const ys: number[][] = Array.from({ length: members.count }, () => [])
  for (let pair = 0; pair < members.rows.length; pair++) {
    const row = members.rows[pair] as number
    const group = members.groups[pair] as number
    const [one, other] = [idsAt(over, row)[0], idsAt(second, row)[0]]
    const x = one === undefined ? Number.NaN : (numbers[one] as number)
    const y = other === undefined ? Number.NaN : (others[other] as number)
    if (Number.isNaN(x) || Number.isNaN(y)) continue
    xs[group]?.push(x)
    ys[group]?.push(y)
  }
  return xs.map((own, group) => (own.length < 2 ? null : short(compute(own, ys[group] ?? []))))
}

/** The sum of the products of what both are off their means. */
function products(xs: readonly number[], ys: readonly number[]): number {
  const [x, y] = [mean(xs), mean(ys)]
  return xs.reduce((all, one, at) => all + (one - x) * ((ys[at] ?? 0) - y), 0)
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0) / numbers.length
}

function correlation(xs: readonly number[], ys: readonly number[]): number | null {
  return quotient(products(xs, ys), Math.sqrt(products(xs, xs) * products(ys, ys)))
}

function quotient(one: number, by: number): number | null {
  return by === 0 ? null : one / by
}
