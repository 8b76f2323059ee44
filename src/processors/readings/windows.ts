/** Windows without `over`: `row_number()`, `lag(price)`, `running_sum(total)`. They are over all records, in the order that is asked for. */
import { aggregateNamed } from '../../query/language/aggregates.ts'
import { functionNamed } from '../../query/language/functions.ts'
import { closingAt } from '../../query/language/scanner.ts'
import { windowNamed } from '../../query/language/windows.ts'
import type { Asked } from '../parameters.ts'

const PLACES = ['where', 'aggregate', 'sort', 'fields'] as const
const CALL = /(?<![\w.$])([a-z]\w{2,30})\s*\(/gi
/** Without an order these are of the rows so far in the order of the records. */
const SO_FAR = /^(?:running|cum)/i
/** Each row has the same place where no order is told. */
const NEEDS_ORDER = /rank|dist|ntile|quartile/i
const MOST_CALLS = 20

/** The parameters with `over (…)` behind each call that only a window answers. The same ones where there is none. */
export function withOver(params: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const asked = params as Asked
  const order = orderOf(asked)
  const isOfAll = (asked.group_by?.length ?? 0) + (asked.aggregate?.length ?? 0) === 0
  const changed: Partial<Record<(typeof PLACES)[number], string[]>> = {}
  for (const place of PLACES) {
    const list = asked[place]
    // The order of groups says nothing of their keys.
    const read =
      order === '' && !isOfAll
        ? undefined
        : list?.map((text) => (typeof text === 'string' ? spelledOut(text, order) : text))
    if (read?.some((text, at) => text !== list?.[at])) changed[place] = read
  }
  const fields = changed.fields ?? asked.fields
  const shares = isOfAll ? fields?.map(withTotals) : undefined
  if (shares?.some((text, at) => text !== fields?.[at])) changed.fields = shares
  return Object.keys(changed).length === 0 ? params : { ...params, ...changed }
}

/** The order that a plain `sort` says, for windows: `order by total desc`. */
function orderOf({ sort = [], fields = [] }: Asked): string {
  const aliases = fields.map((text) => /\sas\s+["'`]?([\p{L}\p{N}_ ]{1,60}?)["'`]?$/iu.exec(text)?.[1])
  const parts = sort.map((text) =>
    /^([-+]?)([\p{L}_][\p{L}\p{N}_. ]*?)(?:\s+(asc|desc))?$/iu.exec(text.trim()),
  )
  if (parts.length === 0 || parts.some((part) => !part || aliases.includes(part[2]))) return ''
  return `order by ${parts.map((part) => `${part?.[2]}${part?.[1] === '-' || /desc/i.test(part?.[3] ?? '') ? ' desc' : ''}`).join(', ')}`
}

function spelledOut(text: string, order: string): string {
  let out = text
  for (const { 1: name = '', index } of [...text.matchAll(CALL)].slice(0, MOST_CALLS).reverse()) {
    if (!isWindowAlone(name) || (NEEDS_ORDER.test(name) && order === '')) continue
    const close = closingAt(text, text.indexOf('(', index))
    const [written = '', inside] = /^\s*over\b\s*(\(\s*\))?/i.exec(text.slice(close + 1)) ?? []
    const isSoFar = SO_FAR.test(name)
    if (close < 0 || (written !== '' && !(isSoFar && inside))) continue
    const over = order === '' && isSoFar ? 'rows unbounded preceding' : order
    out = `${out.slice(0, close + 1)} over (${over})${out.slice(close + 1 + written.length)}`
  }
  return out
}

function isWindowAlone(name: string): boolean {
  return (
    windowNamed(name) !== undefined && (SO_FAR.test(name) || !aggregateNamed(name)) && !functionNamed(name)
  )
}

/** `tests / sum(tests)`, `percent(tests)`: beside the values of one record, an aggregate is that of all. */
function withTotals(text: string): string {
  const calls = [...text.matchAll(CALL)].filter(
    ({ 1: name = '' }) => aggregateNamed(name) && !functionNamed(name),
  )
  if (calls.length === 0 || calls.length > MOST_CALLS || /\bover\s*\(/i.test(text)) return text
  let [out, rest] = [text, text]
  for (const { index } of calls.reverse()) {
    const close = closingAt(text, text.indexOf('(', index))
    if (close < 0) return text
    out = `${out.slice(0, close + 1)} over ()${out.slice(close + 1)}`
    rest = rest.slice(0, index) + rest.slice(close + 1)
  }
  const isBeside = /[\p{L}_]/u.test(rest.replace(/\sas\s.*$/isu, '')) && /[-+*/]/.test(rest)
  const isShare = aggregateNamed(calls[0]?.[1] ?? '')?.aggregate.name === 'percent'
  return isBeside || isShare ? out : text
}
