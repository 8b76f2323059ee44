/**
 * Aggregation pipelines of MongoDB as the parameters of a filter: `[{"$match": {…}}, {"$group": {"_id": "$state", "n": {"$sum": 1}}}]`, also
 * as text, with `db.orders.aggregate(…)` around it. A pipeline that this does not read to its end is not read at all.
 */
import { conditionsIn } from './objects.ts'
import type { SelectParams } from './sql.ts'

/** The longest pipeline, in characters, its stages, and expressions within expressions. */
const LONGEST = 10_000
const MOST_STAGES = 20
const DEEPEST = 8

type Stage = Readonly<Record<string, unknown>>

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The question in a pipeline; undefined where it is none, or not all of it can be said by parameters. */
export function readPipeline(given: unknown): SelectParams | undefined {
  const stages = stagesIn(given)
  if (!stages) return undefined
  const pipeline = new Pipeline()
  return stages.every((stage) => pipeline.take(stage)) ? pipeline.params() : undefined
}

/** The stages of a list, or of a text of one: all are objects with one operator. */
function stagesIn(given: unknown): readonly Stage[] | undefined {
  const list = Array.isArray(given) && given.length === 1 && typeof given[0] === 'string' ? given[0] : given
  const stages = typeof list === 'string' ? listIn(list) : list
  if (!Array.isArray(stages) || stages.length === 0 || stages.length > MOST_STAGES) return undefined
  const isStage = (one: unknown): one is Stage =>
    isRecord(one) && Object.keys(one).length === 1 && /^\$[a-z]/i.test(Object.keys(one)[0] ?? '')
  return stages.every(isStage) ? stages : undefined
}

function listIn(text: string): unknown {
  if (text.length > LONGEST || !text.includes('$')) return undefined
  const inner = /^(?:db\.)?[\w.]+\.aggregate\(\s*(\[.*\])\s*\)\s*;?$/s.exec(text.trim())?.[1] ?? text.trim()
  if (!/^\[\s*\{/.test(inner)) return undefined
  const quoted = inner
    .replaceAll(/'([^'"\\]*)'/g, '"$1"')
    .replaceAll(/([{,]\s*)([A-Za-z_$][\w$.]*)\s*:/g, '$1"$2":')
  for (const json of [inner, quoted]) {
    try {
      return JSON.parse(json)
    } catch {
      // The shell of MongoDB needs no quotes around names.
    }
  }
  return undefined
}

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

/** An expression in our own words: `$qty` as `qty`, `{"$multiply": ["$qty", 2]}` as `(qty * 2)`. Undefined where it is not read. */
function expressionOf(value: unknown, depth = 0): string | undefined {
  if (depth > DEEPEST) return undefined
  if (typeof value === 'string')
    return value.startsWith('$') ? value.replace(/^\$+/, '') : `'${value.replaceAll("'", "''")}'`
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value)
  const [[operator, given] = ['', undefined], another] = isRecord(value) ? Object.entries(value) : []
  if (operator === '' || another !== undefined) return undefined
  if (operator === '$cond') return conditional(given, depth)
  if (operator === '$dateToString' && isRecord(given)) {
    const { format, date } = given
    const [field, pattern] = [expressionOf(date, depth + 1), typeof format === 'string' ? format : '%Y-%m-%d']
    return field && `date_format(${field}, '${pattern.replaceAll("'", '')}')`
  }
  const args = (Array.isArray(given) ? given : [given]).map((one) => expressionOf(one, depth + 1))
  if (args.length === 0 || args.includes(undefined)) return undefined
  const sign = ARITHMETIC[operator] ?? (args.length === 2 ? COMPARISONS[operator] : undefined)
  if (Object.hasOwn(ARITHMETIC, operator) || Object.hasOwn(COMPARISONS, operator))
    return sign && `(${args.join(` ${sign} `)})`
  if (operator === '$and' || operator === '$or') return `(${args.join(` ${operator.slice(1)} `)})`
  return Object.hasOwn(FUNCTIONS, operator) ? `${FUNCTIONS[operator]}(${args.join(', ')})` : undefined
}

function conditional(given: unknown, depth: number): string | undefined {
  const parts = Array.isArray(given)
    ? given
    : isRecord(given)
      ? ['if', 'then', 'else'].map((name) => given[name])
      : []
  const [when, then, otherwise] = parts.map((part) => expressionOf(part, depth + 1))
  if (parts.length !== 3 || !when || !then || !otherwise) return undefined
  return `case when ${when.replace(/^\((.*)\)$/s, '$1')} then ${then} else ${otherwise} end`
}

class Pipeline {
  readonly #params: SelectParams = {}
  /** The names of the groups' keys, which `_id` means. */
  #keys: string[] = []

  params(): SelectParams {
    return this.#params
  }

  /** False: a stage is not read. */
  take(stage: Stage): boolean {
    const [[name, given] = ['', undefined]] = Object.entries(stage)
    const isWhole = typeof given === 'number' && Number.isInteger(given) && given > 0
    switch (name) {
      case '$match':
        return this.#match(given)
      case '$group':
        return this.#group(given)
      case '$sortByCount':
        return this.#group({ _id: given, count: { $sum: 1 } }) && this.#sort({ count: -1 })
      case '$count':
        return typeof given === 'string' && !this.#params.group_by && this.#aggregate([`count as ${given}`])
      case '$sort':
        return this.#sort(given)
      case '$limit':
        if (isWhole) this.#params.limit = given
        return isWhole
      case '$skip':
        if (isWhole) this.#params.offset = given
        return isWhole
      case '$project':
        return this.#project(given)
      default:
        return false
    }
  }

  #match(given: unknown): boolean {
    if (!isRecord(given) || this.#params.fields) return false
    const conditions = conditionsIn(given)
    if (!conditions.every((one): one is string => typeof one === 'string')) return false
    this.#params.where = [...(this.#params.where ?? []), ...conditions]
    return true
  }

  #aggregate(calls: string[]): boolean {
    this.#params.aggregate = calls
    return true
  }

  #group(given: unknown): boolean {
    if (!isRecord(given) || this.#params.group_by || this.#params.aggregate) return false
    const { _id: by, ...columns } = given
    const keys =
      by === null || by === undefined ? [] : isPlainObject(by) ? Object.entries(by) : [['', by] as const]
    const groups = keys.map(([name, key]) => {
      const source = expressionOf(key)
      return source && (name === '' || source === name ? source : `${source} as ${name}`)
    })
    const calls = Object.entries(columns).map(([name, one]) => {
      const [[how, of] = ['', undefined]] = isRecord(one) ? Object.entries(one) : []
      if (how === '$count' || (how === '$sum' && of === 1)) return `count as ${name}`
      const inner = Object.hasOwn(AGGREGATES, how) ? expressionOf(of) : undefined
      return inner && `${AGGREGATES[how]}(${inner}) as ${name}`
    })
    if ([...groups, ...calls].includes(undefined)) return false
    this.#keys = groups.map((one) => / as (\w+)$/.exec(one ?? '')?.[1] ?? one ?? '')
    if (groups.length > 0) this.#params.group_by = groups as string[]
    return this.#aggregate(calls.length > 0 ? (calls as string[]) : ['count'])
  }

  #sort(given: unknown): boolean {
    if (!isRecord(given)) return false
    this.#params.sort = Object.entries(given).flatMap(([name, direction]) =>
      this.#named(name).map((one) => `${direction === -1 ? '-' : ''}${one}`),
    )
    return this.#params.limit === undefined
  }

  /** `_id` is the keys of the groups, `_id.state` one of them. */
  #named(name: string): string[] {
    if (this.#keys.length === 0) return [name]
    return name === '_id' ? this.#keys : [name.replace(/^_id\./, '')]
  }

  #project(given: unknown): boolean {
    if (!isRecord(given) || this.#params.fields) return false
    const wanted = Object.entries(given).filter(([, shown]) => shown !== 0 && shown !== false)
    const fields = wanted.flatMap(([name, shown]) => {
      const source = shown === 1 || shown === true ? undefined : expressionOf(shown)
      return source === undefined
        ? shown === 1 || shown === true
          ? this.#named(name)
          : [undefined]
        : this.#named(source).map((one) => (one === name ? one : `${one} as ${name}`))
    })
    if (fields.includes(undefined)) return false
    if (fields.length === 0) this.#params.exclude = Object.keys(given)
    else this.#params.fields = fields as string[]
    return true
  }
}

/** An object with names for its fields, and no operator. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && !Object.keys(value).some((name) => name.startsWith('$'))
}
