/** Expressions of MongoDB, in pipelines and behind `$expr`: `{"$multiply": ["$price", "$qty"]}`. */
import { isObject } from '../../../protocol/json.ts'

/** Expressions within expressions. */
const DEEPEST = 8

const ARITHMETIC: Readonly<Record<string, string>> = {
  $add: '+',
  $subtract: '-',
  $multiply: '*',
  $divide: '/',
  $mod: '%',
}
const COMPARISONS: Readonly<Record<string, string>> = {
  $eq: '=',
  $ne: '!=',
  $gt: '>',
  $gte: '>=',
  $lt: '<',
  $lte: '<=',
}
const FUNCTIONS: Readonly<Record<string, string>> = {
  $size: 'length',
  $toLower: 'lower',
  $toUpper: 'upper',
  $abs: 'abs',
  $round: 'round',
  $floor: 'floor',
  $ceil: 'ceil',
  $concat: 'concat',
  $ifNull: 'coalesce',
  $year: 'year',
  $month: 'month',
  $dayOfMonth: 'day',
  $hour: 'hour',
  $week: 'week',
  $toInt: 'trunc',
  $toDouble: 'to_number',
  $strLenCP: 'length',
}
/** Parts of a text, from the position 0. */
const PARTS: ReadonlySet<string> = new Set(['$substr', '$substrBytes', '$substrCP'])

/** An expression in our own words: `$qty` as `qty`, `{"$multiply": ["$qty", 2]}` as `(qty * 2)`. Undefined where it is not read. */
export function expressionOf(value: unknown, depth = 0): string | undefined {
  if (depth > DEEPEST) return undefined
  if (typeof value === 'string')
    return value.startsWith('$') ? value.replace(/^\$+/, '') : `'${value.replaceAll("'", "''")}'`
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value)
  const [[operator, given] = ['', undefined], another] = isObject(value) ? Object.entries(value) : []
  if (operator === '' || another !== undefined) return undefined
  if (operator === '$cond') return conditional(given, depth)
  if (operator === '$dateToString' && isObject(given)) {
    const { format, date } = given
    const [field, pattern] = [expressionOf(date, depth + 1), typeof format === 'string' ? format : '%Y-%m-%d']
    return field && `date_format(${field}, '${pattern.replaceAll("'", '')}')`
  }
  const written: unknown[] = Array.isArray(given) ? [...given] : [given]
  const isPart = PARTS.has(operator) && typeof written[1] === 'number'
  if (isPart) written[1] = Number(written[1]) + 1
  const args = written.map((one) => expressionOf(one, depth + 1))
  if (args.length === 0 || args.includes(undefined)) return undefined
  const sign = ARITHMETIC[operator] ?? (args.length === 2 ? COMPARISONS[operator] : undefined)
  if (Object.hasOwn(ARITHMETIC, operator) || Object.hasOwn(COMPARISONS, operator))
    return sign && `(${args.join(` ${sign} `)})`
  if (isPart) return `substr(${args.join(', ')})`
  if (operator === '$and' || operator === '$or') return `(${args.join(` ${operator.slice(1)} `)})`
  return Object.hasOwn(FUNCTIONS, operator) ? `${FUNCTIONS[operator]}(${args.join(', ')})` : undefined
}

function conditional(given: unknown, depth: number): string | undefined {
  const parts = Array.isArray(given)
    ? given
    : isObject(given)
      ? ['if', 'then', 'else'].map((name) => given[name])
      : []
  const [when, then, otherwise] = parts.map((part) => expressionOf(part, depth + 1))
  if (parts.length !== 3 || !when || !then || !otherwise) return undefined
  return `case when ${when.replace(/^\((.*)\)$/s, '$1')} then ${then} else ${otherwise} end`
}

const AGGREGATES: Readonly<Record<string, string>> = {
  $sum: 'sum',
  $avg: 'avg',
  $min: 'min',
  $max: 'max',
  $first: 'first',
  $last: 'last',
  $push: 'collect',
  $addToSet: 'collect_set',
  $stdDevSamp: 'stddev',
}

/** `sum(qty) as n` of `n` and `{"$sum": "$qty"}`. Undefined where it is not read. */
export function aggregateOf(name: string, value: unknown): string | undefined {
  const [[how, of] = ['', undefined], another] = isObject(value) ? Object.entries(value) : []
  if (another !== undefined) return undefined
  if (how === '$count' || (how === '$sum' && of === 1)) return `count as ${name}`
  const inner = Object.hasOwn(AGGREGATES, how) ? expressionOf(of) : undefined
  return inner && `${AGGREGATES[how]}(${inner}) as ${name}`
}
