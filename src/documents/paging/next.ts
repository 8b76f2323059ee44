/** How the rest of a collection is asked for, with parameters that the tool has and no others. */
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { bareName, type Part } from './recognise.ts'

/**
 * The calls that bring the rest. They are all calls where parts are numbered and their number is `known`, otherwise the next one, because
 * its answer says what follows it.
 */
export interface Rest {
  readonly calls: readonly JsonObject[]
  readonly known: boolean
}

/** Parameters by what they ask for; in small letters without signs, the best first. */
const PARAMETERS = {
  cursor: [
    'cursor',
    'after',
    'pagetoken',
    'nexttoken',
    'nextpagetoken',
    'nextcursor',
    'startingafter',
    'startcursor',
    'continuationtoken',
    'continuation',
    'startafter',
    'marker',
    'scrollid',
    'bookmark',
    'token',
  ],
  behind: ['startingafter', 'startafter', 'afterid', 'sinceid'],
  page: ['page', 'pagenumber', 'pageno', 'pageindex', 'currentpage', 'p'],
  offset: ['offset', 'startat', 'startindex', 'skip', 'from', 'start'],
  size: [
    'perpage',
    'pagesize',
    'limit',
    'maxresults',
    'size',
    'top',
    'first',
    'count',
    'rows',
    'take',
    'pagelimit',
  ],
} as const

type Kind = keyof typeof PARAMETERS

/** The most calls that are worked out at once. */
const MOST_CALLS = 10_000

/** True for arguments that ask for a part behind the first. */
export function asksForLater(args: JsonObject): boolean {
  return Object.entries(args).some(([name, value]) => {
    const bare = bareName(name)
    const is = (kind: Kind): boolean => (PARAMETERS[kind] as readonly string[]).includes(bare)
    if (is('page')) return Number(value) > 1
    if (is('offset')) return Number(value) > 0
    return is('cursor') && value !== null && value !== ''
  })
}

/** True where the arguments or the parameters of a tool ask for parts. */
export function hasPages(args: JsonObject, schema: JsonObject | undefined): boolean {
  const names = [...Object.keys(args), ...parametersOf(schema).keys()].map(bareName)
  return (['cursor', 'page', 'offset'] as const).some((kind) =>
    names.some((name) => (PARAMETERS[kind] as readonly string[]).includes(name)),
  )
}

/** Undefined: nothing follows, or it cannot be asked for. */
export function restOf(part: Part, args: JsonObject, schema: JsonObject | undefined): Rest | undefined {
  const parameters = parametersOf(schema)
  if (parameters.size === 0 || part.more === false) return undefined
  const asked = { ...part, args, parameters }
  return byAddress(asked) ?? byCursor(asked) ?? byPage(asked) ?? byOffset(asked) ?? behindLast(asked)
}

interface Asked extends Part {
  readonly args: JsonObject
  /** By name; each with its schema. */
  readonly parameters: ReadonlyMap<string, JsonObject>
}

function parametersOf(schema: JsonObject | undefined): Map<string, JsonObject> {
  const properties = schema && own(schema, 'properties')
  if (!isObject(properties)) return new Map()
  return new Map(
    Object.keys(properties).map((name) => {
      const property = own(properties, name)
      return [name, isObject(property) ? property : {}]
    }),
  )
}

/** The parameter of the tool that asks for this. `first`: plain names that are better than those of the table. */
function parameter({ parameters }: Asked, kind: Kind, first: readonly string[] = []): string | undefined {
  const byBare = new Map([...parameters.keys()].map((name) => [bareName(name), name]))
  const name = [...first, ...PARAMETERS[kind]].find((bare) => byBare.has(bare))
  return name === undefined ? undefined : byBare.get(name)
}

/** The value as the parameter takes it. */
function typed({ parameters }: Asked, name: string, value: string | number): JsonValue {
  const type = parameters.get(name)?.type
  const types = Array.isArray(type) ? type : [type]
  const wantsNumber = types.includes('integer') || types.includes('number')
  if (typeof value === 'string') return wantsNumber && /^\d{1,15}$/.test(value) ? Number(value) : value
  return wantsNumber || type === undefined ? value : String(value)
}

function withArgument(asked: Asked, name: string, value: string | number): JsonObject {
  return { ...asked.args, [name]: typed(asked, name, value) }
}

function one(call: JsonObject): Rest {
  return { calls: [call], known: false }
}

/** The address of the next part, as far as its parameters are the tool's own. */
function byAddress(asked: Asked): Rest | undefined {
  const { next, last, parameters } = asked
  if (next === undefined) return undefined
  const byBare = new Map([...parameters.keys()].map((name) => [bareName(name), name]))
  const moving = [
    ...PARAMETERS.cursor,
    ...PARAMETERS.page,
    ...PARAMETERS.offset,
    ...PARAMETERS.behind,
  ] as string[]
  for (const [written, value] of Object.entries(next)) {
    const bare = bareName(written)
    const name = moving.includes(bare) ? byBare.get(bare) : undefined
    if (name === undefined) continue
    const isPage = (PARAMETERS.page as readonly string[]).includes(bare)
    const end = isPage ? Number(last?.[written]) : Number.NaN
    if (Number.isSafeInteger(end)) return numbered(asked, name, Number(value), end, 1)
    return one(withArgument(asked, name, value))
  }
  return undefined
}

function byCursor(asked: Asked): Rest | undefined {
  const { cursor } = asked
  if (cursor === undefined) return undefined
  const stem = cursor.name.replace(/^(?:next|end)/, '')
  const name = parameter(asked, 'cursor', [stem, cursor.name])
  return name === undefined ? undefined : one(withArgument(asked, name, cursor.value))
}

function byPage(asked: Asked): Rest | undefined {
  const name = parameter(asked, 'page')
  if (name === undefined) return undefined
  const { total, shown = 0, pages, nextPage, more, args } = asked
  const start = Number(asked.parameters.get(name)?.default ?? 1)
  const current = asked.page ?? placeIn(args, name, Number.isSafeInteger(start) ? start : 1)
  if (current === undefined) return undefined
  const size = Math.max(sizeOf(asked) ?? 0, shown)
  const all = pages ?? (total === undefined || size === 0 ? undefined : Math.ceil(total / size))
  // Pages that are counted from nought end one before their number.
  const end = all === undefined ? undefined : current === 0 || start === 0 ? all - 1 : all
  if (end !== undefined) return current >= end ? undefined : numbered(asked, name, current + 1, end, 1)
  const mayFollow = more === true || nextPage !== undefined || isFull(asked)
  return mayFollow ? one(withArgument(asked, name, nextPage ?? current + 1)) : undefined
}

function byOffset(asked: Asked): Rest | undefined {
  const name = parameter(asked, 'offset')
  if (name === undefined) return undefined
  const { total, shown = 0, nextOffset, more, args } = asked
  if (shown === 0) return undefined
  const current = asked.offset ?? placeIn(args, name, 0)
  if (current === undefined) return undefined
  if (total !== undefined) {
    const from = current + shown
    return from >= total ? undefined : numbered(asked, name, from, total - 1, shown)
  }
  const mayFollow = more === true || nextOffset !== undefined || isFull(asked)
  return mayFollow ? one(withArgument(asked, name, nextOffset ?? current + shown)) : undefined
}

/** The place that was asked for. Undefined: it cannot be read, as where it stands in a kept result (`{"$from": …}`). */
function placeIn(args: JsonObject, name: string, otherwise: number): number | undefined {
  const given = Number(own(args, name) ?? otherwise)
  return Number.isSafeInteger(given) ? given : undefined
}

/** Where a server says that more exists, the next call asks for what follows the last record. */
function behindLast(asked: Asked): Rest | undefined {
  const name = asked.more === true && asked.lastId !== undefined ? parameter(asked, 'behind') : undefined
  return name === undefined || asked.lastId === undefined
    ? undefined
    : one(withArgument(asked, name, asked.lastId))
}

function numbered(asked: Asked, name: string, from: number, to: number, step: number): Rest {
  const calls: JsonObject[] = []
  for (let at = from; at <= to && calls.length < MOST_CALLS; at += step)
    calls.push(withArgument(asked, name, at))
  return { calls, known: true }
}

/** Records of a full page, as they were asked for or said, or as the tool gives them by default. */
function sizeOf(asked: Asked): number | undefined {
  const name = parameter(asked, 'size')
  const given =
    name === undefined ? undefined : (own(asked.args, name) ?? asked.parameters.get(name)?.default)
  const size = asked.size ?? Number(given ?? Number.NaN)
  return Number.isSafeInteger(size) && size > 0 ? size : undefined
}

/** A page with as many records as fit may have another behind it, where nothing else tells. */
function isFull(asked: Asked): boolean {
  const { shown, more, total } = asked
  return (
    more === undefined && total === undefined && shown !== undefined && shown > 0 && shown === sizeOf(asked)
  )
}
