/** What is another one in a definition, for a person who decides. */
import { isObject, type JsonValue } from '../protocol/json.ts'

/** A place of the definition (`inputSchema.properties.path.description`) and what stood and stands there. */
export interface Difference {
  readonly at: string
  /** Undefined: there was nothing. */
  readonly before: string | undefined
  /** Undefined: there is nothing any more. */
  readonly after: string | undefined
}

/** `before` undefined: all of `after` is new. Both are JSON; what is none is one text. */
export function differences(before: string | undefined, after: string): Difference[] {
  const was = before === undefined ? new Map<string, string>() : leaves(before)
  const is = leaves(after)
  const places = [...new Set([...was.keys(), ...is.keys()])]
  return places
    .filter((at) => was.get(at) !== is.get(at))
    .map((at) => ({ at, before: was.get(at), after: is.get(at) }))
}

function leaves(json: string): Map<string, string> {
  const found = new Map<string, string>()
  try {
    walk(JSON.parse(json) as JsonValue, '', found)
  } catch {
    found.set('', json)
  }
  return found
}

function walk(value: JsonValue, at: string, into: Map<string, string>): void {
  const inner: [string, JsonValue][] = Array.isArray(value)
    ? value.map((item, index) => [`${at}[${index}]`, item])
    : isObject(value)
      ? Object.entries(value).map(([key, item]) => [at === '' ? key : `${at}.${key}`, item])
      : []
  if (inner.length > 0) for (const [place, item] of inner) walk(item, place, into)
  else into.set(at, typeof value === 'string' ? value : JSON.stringify(value))
}

/** Characters of a text that are shown. */
const LONGEST_TEXT = 1000
/** Of these, what both texts begin with. */
const CONTEXT = 60

/** Both texts, cut so that what is different in them is seen. */
export function cutAlike(
  before: string | undefined,
  after: string | undefined,
): [before: string | undefined, after: string | undefined] {
  let same = 0
  if (before !== undefined && after !== undefined)
    while (same < before.length && same < after.length && before[same] === after[same]) same++
  const longest = Math.max(before?.length ?? 0, after?.length ?? 0)
  const from = longest <= LONGEST_TEXT ? 0 : Math.max(0, same - CONTEXT)
  return [cut(before, from), cut(after, from)]
}

function cut(text: string | undefined, from: number): string | undefined {
  if (text === undefined) return undefined
  const rest = text.length - from - LONGEST_TEXT
  const end = rest > 0 ? `… (${rest} more characters)` : ''
  return (from > 0 ? '…' : '') + text.slice(from, from + LONGEST_TEXT) + end
}
