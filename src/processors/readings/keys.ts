/** Keys of groups and orders that are said behind an aggregate: `count by state`, `sum(price) per region as total`, `count desc`. */
import { scan } from '../../query/language/scanner.ts'
import { safely } from '../../query/refusal.ts'
import type { Asked } from '../parameters.ts'
import { aliasIn, parseCall } from '../steps/group.ts'

/** The parameters with these keys in `group_by`, and orders in `sort`, unless they have some of their own. The same ones where there are none. */
export function withKeys(params: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { group_by = [], aggregate = [], sort = [] } = params as Asked
  const keys: string[] = []
  const calls: string[] = []
  const orders: string[] = []
  for (const written of aggregate) {
    const [, before = '', order] =
      sort.length > 0 ? [] : (/^(.+?)\s+(asc|desc)(?:ending)?$/i.exec(written) ?? [])
    const found = group_by.length > 0 ? undefined : keyBehind(order === undefined ? written : before)
    const call = found?.call ?? before
    const isOrdered = order !== undefined && isCall(call)
    if (isOrdered) orders.push(`${aliasIn(call).alias ?? call} ${order}`)
    if (found) keys.push(found.key)
    // `count by state, region` is cut at its commas.
    if (found || isOrdered) calls.push(call)
    else if (keys.length === 0 || isCall(written)) calls.push(written)
    else keys.push(written)
  }
  if (keys.length + orders.length === 0) return params
  return {
    ...params,
    aggregate: calls,
    ...(keys.length > 0 && { group_by: [...new Set(keys)] }),
    ...(orders.length > 0 && { sort: orders }),
  }
}

/** `top 5 by price` in place of an aggregate, and `price desc limit 5` of an order: records in an order. */
export function withTop(params: Readonly<Record<string, unknown>>): {
  params: Readonly<Record<string, unknown>>
  notes: readonly string[]
} {
  const { group_by = [], aggregate = [], sort = [], limit } = params as Asked
  const [only = '', another] = [...aggregate, ...sort]
  const top = sort.length === 0 && group_by.length === 0 ? TOP.exec(only) : null
  const limited = aggregate.length === 0 ? /^(.+\S)\s+limit\s+(\d{1,6})$/i.exec(only) : null
  if (another !== undefined || !(top || limited)) return { params, notes: [] }
  const order = limited?.[1] ?? `${/^top/i.test(only) ? '-' : ''}${top?.[3]}`
  const read = { sort: [order], limit: limit ?? Number(limited?.[2] ?? top?.[2]) }
  const { aggregate: _, ...others } = params as Asked
  const said = `\`${only}\` read as "sort": "${order}", "limit": ${read.limit}.`
  return { params: { ...others, ...read }, notes: [said] }
}

const TOP = /^(top|bottom)\s+(\d{1,6})\s+(?:\w+\s+)?by\s+(?:the\s+)?([\w.]+)$/i

function keyBehind(written: string): { call: string; key: string } | undefined {
  const { source, alias } = aliasIn(written)
  const word = scan(source).find(({ depth, text }) => depth === 0 && /^(?:by|per|each)$/i.test(text))
  if (!word) return undefined
  const call = source.slice(0, word.from).replace(/\s+(?:group(?:ed)?|for)\s*$/i, '')
  const key = source.slice(word.to).trim()
  if (key === '' || !isCall(call)) return undefined
  return { call: alias === undefined ? call.trim() : `${call.trim()} as ${alias}`, key }
}

function isCall(written: string): boolean {
  return safely(() => parseCall(written)) !== undefined
}
