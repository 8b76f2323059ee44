/** Reads what `aggregate` asks for: `count`, `sum(price)`, `avg price as mean`, `p90(ms)`. */
import { Refusal, shown } from '../refusal.ts'

const functionNames = [
  'count',
  'sum',
  'avg',
  'min',
  'max',
  'median',
  'distinct',
  'percentile',
  'percent',
  'stddev',
] as const
export type FunctionName = (typeof functionNames)[number]

/** `sum(price)`: what is asked for. */
export interface Call {
  name: FunctionName
  /** Undefined for the records themselves: `count`, `percent`. */
  field: string | undefined
  /** 0 to 100, of `percentile`. */
  rank?: number
  /** What the result is to be called: `sum(price) as revenue`. */
  alias?: string
}

const synonyms: Readonly<Record<string, FunctionName>> = {
  mean: 'avg',
  average: 'avg',
  total: 'sum',
  minimum: 'min',
  least: 'min',
  smallest: 'min',
  earliest: 'min',
  maximum: 'max',
  largest: 'max',
  latest: 'max',
  unique: 'distinct',
  uniq: 'distinct',
  values: 'distinct',
  count_distinct: 'distinct',
  countdistinct: 'distinct',
  distinct_count: 'distinct',
  count_unique: 'distinct',
  distinct_values: 'distinct',
  nunique: 'distinct',
  cardinality: 'distinct',
  n: 'count',
  quantile: 'percentile',
  percentile_cont: 'percentile',
  pct: 'percent',
  percentage: 'percent',
  share: 'percent',
  std: 'stddev',
  stdev: 'stddev',
}

/** Functions that mean something without a field. */
const ofRecords: ReadonlySet<FunctionName> = new Set(['count', 'percent'])

/**
 * Reads `count`, `sum(price)`, `sum price`, `sum:price`, `price:sum`, each with `as name`. `itself`: the records are plain values, which a
 * function without a field is about. Throws a `Refusal`.
 */
export function parseCall(written: string, itself = false): Call {
  const [, source = '', alias] =
    /^(.*?)(?:\s+as\s+["'`]?([\w -]{1,60}?)["'`]?)?$/is.exec(written.trim()) ?? []
  const call = callOf(source, itself)
  return alias === undefined ? call : { ...call, alias }
}

function callOf(source: string, itself: boolean): Call {
  const [, head, inParentheses, bare] = /^(\w+)\s*(?:\((.*)\)|[:\s]\s*(?:of\s+)?(.+))?$/s.exec(source) ?? []
  const named = head === undefined ? undefined : functionOf(head)
  const inner = (inParentheses ?? bare)?.trim().replace(/^\*$/, '')
  if (named && itself && !inner && !ofRecords.has(named.name)) return { ...named, field: '@' }
  if (named) return withField(named, inner, source)
  const [, field, last] = /^(.+)[:\s]\s*(\w+)$/s.exec(source) ?? []
  const trailing = last === undefined ? undefined : functionOf(last)
  if (trailing && field !== undefined) return withField(trailing, field.trim(), source)
  throw new Refusal(
    `\`${shown(source)}\` is no aggregate. Write \`count\` or one of sum, avg, min, max, median, p90, stddev, distinct, percent with a field, as \`sum(price)\`.`,
  )
}

function withField(
  { name, rank }: Pick<Call, 'name' | 'rank'>,
  inner: string | undefined,
  source: string,
): Call {
  const [, distinct] = /^distinct\s*\(?\s*(.+?)\s*\)?$/is.exec(inner ?? '') ?? []
  if (name === 'count' && distinct !== undefined) return { name: 'distinct', field: distinct }
  if (name === 'percentile') return percentile(inner, rank, source)
  if (inner) return { name, field: /^count$/i.test(inner) && name === 'percent' ? undefined : inner }
  if (ofRecords.has(name)) return { name, field: undefined }
  throw new Refusal(`\`${name}\` needs a field: write \`${name}(price)\`.`)
}

/** `p90(x)`, `percentile(x, 90)`, `quantile(x, 0.9)`, `percentile(90, x)`. */
function percentile(inner: string | undefined, rank: number | undefined, source: string): Call {
  if (rank !== undefined && inner) return { name: 'percentile', field: inner, rank }
  const [, first = '', second = ''] = /^(.+?)\s*,\s*(.+)$/s.exec(inner ?? '') ?? []
  const [field, number] = Number.isFinite(Number(second)) ? [first, second] : [second, first]
  const given = number.trim() === '' ? Number.NaN : Number(number)
  const share = /^\s*(?:quantile|percentile_cont)/i.test(source) && given <= 1
  if (field !== '' && given >= 0 && given <= 100)
    return { name: 'percentile', field, rank: share ? given * 100 : given }
  throw new Refusal('`percentile` needs a field and a rank: write `p90(price)` or `percentile(price, 90)`.')
}

function functionOf(word: string): Pick<Call, 'name' | 'rank'> | undefined {
  const lower = word.toLowerCase()
  const [, digits] = /^p(?:ct)?(\d{1,2}(?:_\d+)?)$/.exec(lower) ?? []
  if (digits !== undefined) return { name: 'percentile', rank: Number(digits.replace('_', '.')) }
  const name =
    functionNames.find((name) => name === lower) ??
    (Object.hasOwn(synonyms, lower) ? synonyms[lower] : undefined)
  return name && { name }
}

/** The name of a column without an alias: `count`, `sum(price)`, `p90(ms)`. */
export function columnName({ name, rank, alias }: Call, field: string | undefined): string {
  if (alias !== undefined) return alias
  const head = name === 'percentile' ? `p${rank ?? 50}` : name
  return field === undefined ? head : `${head}(${fieldTitle(field)})`
}

/** A field as rows call it: `value` for the record itself. */
export function fieldTitle(name: string): string {
  return name === '@' ? 'value' : name
}
