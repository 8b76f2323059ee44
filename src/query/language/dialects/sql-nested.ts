/** SELECTs within a statement: in FROM and JOIN, after WITH, joined by UNION, and as values in a condition. */
import { Refusal, safely, shown } from '../../refusal.ts'
import { isWord, replaced, scan, type Token } from '../scanner.ts'
import { bare, behindFrom, conditionsOf, equationOf, sourcesOf } from './sql.ts'

/** A question, and the ones asked before it: the one that it is asked of, or the ones that it joins, by their names. */
export type Stage =
  | {
      readonly kind: 'select'
      readonly text: string
      readonly of?: Stage
      readonly joined?: ReadonlyMap<string, Stage>
    }
  | { readonly kind: 'union'; readonly parts: readonly Stage[]; readonly operators: readonly SetOperator[] }

/** A SELECT in brackets that stands for a value or, behind IN, for a list of values. */
export interface ValueSelect {
  readonly text: string
  /** The name after its FROM, in small letters. */
  readonly of: string | undefined
  readonly isList: boolean
  /** Where it stands, brackets included. */
  readonly from: number
  readonly to: number
}

/** SELECTs within each other at most, and in all: one that has a name counts each time that it is asked. */
const MOST_DEEP = 8
const MOST_SELECTS = 50
/** The name of what a SELECT in FROM answers. */
const ANSWER = 'answer'

/** Statements by their names after WITH, and the ones that they may use. */
type Named = ReadonlyMap<string, { text: string; before: Named }>

/** How far a SELECT stands within others, and how many may still be read. */
interface Depth {
  readonly within: number
  readonly left: { count: number }
}

/** Takes a statement apart. Throws a `Refusal` for what is not read. */
export function stageOf(text: string): Stage {
  return read(text, new Map(), { within: 0, left: { count: MOST_SELECTS } })
}

function read(written: string, named: Named, depth: Depth): Stage {
  if (depth.within > MOST_DEEP) throw new Refusal(`At most ${MOST_DEEP} SELECTs may stand within each other.`)
  if (depth.left.count-- <= 0) throw new Refusal(`A statement may ask at most ${MOST_SELECTS} SELECTs.`)
  const whole = withoutExists(bare(written))
  const words = scan(whole)
  if (isWord(words[0], 'with')) return afterWith(whole, words, named, depth)
  const sets = setsIn(words)
  if (sets.length > 0) return union(whole, words, sets, named, depth)
  const text = withoutOuter(whole)
  const tokens = text === whole ? words : scan(text)
  const [from] = outer(tokens, 'from')
  const next = from === undefined ? undefined : tokens[from + 1]
  const joins = outer(tokens, 'join')
  const known = next && named.get(next.value.toLowerCase())
  const isSelect = next?.kind === 'open' && isQuestion(tokens[(from ?? 0) + 2])
  const joined = joins.some(
    (at) => named.has(tokens[at + 1]?.value.toLowerCase() ?? '') || isQuestion(tokens[at + 2]),
  )
  if (from !== undefined && (joined || (joins.length > 0 && (known || isSelect))))
    return withJoined(text, tokens, [from, ...joins], named, depth)
  if (known) return { kind: 'select', text, of: read(known.text, known.before, deeper(depth)) }
  const close = isSelect ? tokens[next.match] : undefined
  if (!next || !close) return { kind: 'select', text }
  const of = read(text.slice(next.to, close.from), named, deeper(depth))
  return { kind: 'select', text: `${text.slice(0, next.from)} ${ANSWER} ${text.slice(close.to)}`, of }
}

/** A join of answers: each SELECT gets a name where it stands. `places`: of the words in front of the lists. */
function withJoined(
  written: string,
  tokens: readonly Token[],
  places: readonly number[],
  named: Named,
  depth: Depth,
): Stage {
  const joined = new Map<string, Stage>()
  const parts = [...places.entries()].reverse().flatMap(([nth, at]) => {
    const next = tokens[at + 1]
    const name = next?.value.toLowerCase() ?? ''
    const known = named.get(name)
    const close = next?.kind === 'open' && isQuestion(tokens[at + 2]) ? tokens[next.match] : undefined
    if (next && close) {
      const by = nth === 0 ? ANSWER : `${ANSWER}_${nth + 1}`
      joined.set(by, read(written.slice(next.to, close.from), named, deeper(depth)))
      return [{ from: next.from, to: close.to, by }]
    }
    if (known && !joined.has(name)) joined.set(name, read(known.text, known.before, deeper(depth)))
    return []
  })
  return { kind: 'select', text: replaced(written, parts.reverse()), joined }
}

/** `not exists (select … from b where b.x = a.y)` is `a.y not in (select b.x from b)`. */
function withoutExists(written: string): string {
  const tokens = scan(written)
  const parts = tokens.flatMap((token, at) => {
    const open = tokens[at + 1]
    const close = open && tokens[open.match]
    if (!isWord(token, 'exists') || !close || !isQuestion(tokens[at + 2])) return []
    const isNot = isWord(tokens[at - 1], 'not')
    const from = (isNot ? tokens[at - 1] : token)?.from ?? token.from
    return [{ from, to: close.to, by: asMember(written.slice(open.to, close.from), isNot) }]
  })
  return replaced(written, parts)
}

/**
 * `(select sum(n) from b where b.a_id = a.id)` for each record of a: the sums by `a_id`, joined with a. A count of nothing is 0. Others
 * that are about the outer record stay as they are.
 */
function withoutOuter(written: string): string {
  const selects = valueSelects(written)
  if (selects.every(({ isList }) => isList)) return written
  // Where FROM is not read, it is refused later.
  const outside = (safely(() => sourcesOf(written)) ?? []).flatMap(({ called }) => called)
  const parts = selects.flatMap(({ text, isList, from, to }, nth) => {
    const grouped = isList ? undefined : byKey(text, outside, nth + 1)
    return grouped ? [{ from, to, by: grouped.value, join: ` LEFT JOIN ${grouped.join}` }] : []
  })
  return parts.length === 0
    ? written
    : joinedTo(replaced(written, parts), parts.map(({ join }) => join).join(''))
}

/** The lists of an inner SELECT. One with a name of its own is called by that alone, where the outer one has the list too: `t t2` beside `t`. */
export function sourcesWithin(inner: string, outside: readonly string[]): ReturnType<typeof sourcesOf> {
  return sourcesOf(inner).map((source) => {
    const own = source.called.filter((name) => !outside.includes(name))
    return own.length > 0 ? { ...source, called: own } : source
  })
}

function byKey(
  inner: string,
  outside: readonly string[],
  nth: number,
): { value: string; join: string } | undefined {
  const tokens = scan(inner)
  const [source, another] = sourcesWithin(inner, outside)
  const place = (word: string): Token | undefined => tokens[outer(tokens, word)[0] ?? tokens.length]
  const [from, where] = [place('from'), place('where')]
  const isLonger = ['group', 'order'].some((word) =>
    outer(tokens, word).some((at) => isWord(tokens[at + 1], 'by')),
  )
  if (!source || another || !from || !where || isLonger || place('limit')) return undefined
  const parts = conditionsOf(inner.slice(where.to))
  const isKey = (part: string): boolean => {
    const [left = ''] = equationOf(part, source, undefined, false)?.split(' = ') ?? []
    return outside.includes(/^(\w+)\s*\./.exec(left)?.[1]?.toLowerCase() ?? '')
  }
  const [key, more] = parts.filter(isKey)
  if (key === undefined || more !== undefined) return undefined
  const [left = '', right = ''] = equationOf(key, source, undefined, false)?.split(' = ') ?? []
  const item = inner.slice(tokens[0]?.to, from.from).trim()
  const rest = parts.filter((part) => part !== key)
  const conditions = rest.length > 0 ? ` WHERE ${rest.join(' AND ')}` : ''
  const [name, value] = [`of_each_${nth}`, `value_${nth}`]
  const list = inner.slice(from.from, where.from).trim()
  return {
    value: /^count\b/i.test(item) ? `coalesce(${name}.${value}, 0)` : `${name}.${value}`,
    join: `(SELECT ${right} AS key_${nth}, ${item} AS ${value} ${list}${conditions} GROUP BY ${right}) ${name} ON ${left} = ${name}.key_${nth}`,
  }
}

function asMember(inner: string, isNot: boolean): string {
  const tokens = scan(inner)
  const [source, another] = sourcesOf(inner)
  const [from, where] = ['from', 'where'].map((word) => tokens[outer(tokens, word)[0] ?? tokens.length])
  const parts = where ? conditionsOf(inner.slice(where.to)) : []
  const key = parts.flatMap((part) => (source && equationOf(part, source, undefined, false)) ?? [])[0]
  const rest = parts.filter((part) => !source || equationOf(part, source, undefined, false) !== key)
  const [left, right] = key?.split(' = ') ?? []
  if (!from || !where || !left || !right || another || /^(?:group|having|limit)$/i.test(parts.at(-1) ?? ''))
    throw new Refusal(
      'EXISTS is read with one equation of a field inside with one outside: `EXISTS (SELECT 1 FROM b WHERE b.a_id = a.id)`.',
    )
  const conditions = rest.length > 0 ? ` WHERE ${rest.join(' AND ')}` : ''
  return `${left} ${isNot ? 'NOT ' : ''}IN (SELECT ${right} ${inner.slice(from.from, where.from).trim()}${conditions})`
}

function deeper({ within, left }: Depth): Depth {
  return { within: within + 1, left }
}

/** `WITH a AS (SELECT …), b AS (SELECT … FROM a) SELECT … FROM b`. */
function afterWith(text: string, tokens: readonly Token[], named: Named, depth: Depth): Stage {
  const all = new Map(named)
  let at = 1
  for (;;) {
    const [name, as, open] = tokens.slice(at, at + 3)
    const close = open?.kind === 'open' ? tokens[open.match] : undefined
    if (!name || !isWord(as, 'as') || !open || !close)
      throw new Refusal(
        `WITH cannot be read at \`${shown(text.slice(name?.from), 40)}\`: write \`WITH a AS (SELECT …) SELECT … FROM a\`.`,
      )
    all.set(name.value.toLowerCase(), { text: text.slice(open.to, close.from), before: new Map(all) })
    at = open.match + 1
    if (tokens[at]?.text !== ',') break
    at += 1
  }
  const names = text.slice(0, tokens[at]?.from)
  const last = text.slice(tokens[at]?.from)
  // A SELECT for a value may be about one of the names as well.
  const parts = valueSelects(last).flatMap(({ text: inner, of, from, to }) =>
    all.has(of ?? '') ? [{ from, to, by: `(${names}${inner})` }] : [],
  )
  return read(replaced(last, parts), all, depth)
}

/** The words between SELECTs that are put together. */
export type SetOperator = 'union' | 'union all' | 'except' | 'intersect'

/** The places of the words between whole SELECTs. */
function setsIn(tokens: readonly Token[]): { at: number; after: number; operator: SetOperator }[] {
  return tokens.flatMap((token, at) => {
    const word = token.kind === 'word' && token.depth === 0 ? token.text.toLowerCase() : ''
    if (!['union', 'except', 'minus', 'intersect'].includes(word)) return []
    const isAll = isWord(tokens[at + 1], 'all')
    const after = isAll || isWord(tokens[at + 1], 'distinct') ? at + 2 : at + 1
    if (!isQuestion(tokens[after]) && tokens[after]?.text !== '(') return []
    const operator = word === 'union' ? (isAll ? 'union all' : word) : word === 'intersect' ? word : 'except'
    return [{ at, after, operator }]
  })
}

/** ORDER BY and LIMIT behind the last SELECT are about all of it. */
function union(
  text: string,
  tokens: readonly Token[],
  sets: ReturnType<typeof setsIn>,
  named: Named,
  depth: Depth,
): Stage {
  const last = sets.at(-1)?.at ?? 0
  const [order, limit] = ['order', 'limit'].map((word) => outer(tokens, word).find((at) => at > last))
  const end = tokens[order ?? limit ?? tokens.length]?.from ?? text.length
  const starts = [0, ...sets.map(({ after }) => tokens[after]?.from ?? text.length)]
  const ends = [...sets.map(({ at }) => tokens[at]?.from ?? 0), end]
  const parts = starts.map((start, nth) => read(text.slice(start, ends[nth]), named, deeper(depth)))
  const whole: Stage = { kind: 'union', parts, operators: sets.map(({ operator }) => operator) }
  return end === text.length
    ? whole
    : { kind: 'select', text: `SELECT * FROM ${ANSWER} ${text.slice(end)}`, of: whole }
}

/** The SELECTs in a statement that stand for values. */
export function valueSelects(text: string): ValueSelect[] {
  const tokens = scan(text)
  let read = 0
  return tokens.flatMap((open, at) => {
    const close = tokens[open.match]
    const before = tokens[at - 1]
    const isValue =
      open.from >= read &&
      open.text === '(' &&
      close &&
      isQuestion(tokens[at + 1]) &&
      !['from', 'join', 'exists'].some((word) => isWord(before, word))
    if (!isValue) return []
    // One within another is asked with that one.
    read = close.to
    const isList = isWord(before, 'in')
    const inner = text.slice(open.to, close.from)
    return [{ text: inner, of: listOf(inner), isList, from: open.from, to: close.to }]
  })
}

/** `m.id not in` before a list at `from`: what is looked for, and where all of it begins. Undefined where it is not told. */
export function memberAt(
  text: string,
  from: number,
): { left: string; isNot: boolean; from: number } | undefined {
  const tokens = scan(text)
  const open = tokens.findIndex((token) => token.from === from)
  if (!isWord(tokens[open - 1], 'in')) return undefined
  const isNot = isWord(tokens[open - 2], 'not')
  const last = open - (isNot ? 3 : 2)
  let first = last
  const depth = tokens[open]?.depth
  const ends = (token: Token | undefined): boolean =>
    token === undefined ||
    (token.kind === 'open' && token.match > last) ||
    (token.depth === depth && /^(?:and|or|not|where|having|on|when|select|,)$/i.test(token.text))
  while (first > 0 && !ends(tokens[first - 1])) first--
  const [begin, end] = [tokens[first], tokens[last]]
  return begin && end && last >= first
    ? { left: text.slice(begin.from, end.to), isNot, from: begin.from }
    : undefined
}

/** A statement with further joins behind those of its FROM. */
export function joinedTo(text: string, joins: string): string {
  const tokens = scan(text)
  const [from = -1] = outer(tokens, 'from')
  const at = behindFrom(tokens, from)?.from ?? text.length
  return `${text.slice(0, at)}${joins} ${text.slice(at)}`
}

/** The name after FROM of a statement, in small letters. */
export function listOf(text: string): string | undefined {
  const tokens = scan(text)
  const [from] = outer(tokens, 'from')
  return from === undefined ? undefined : tokens[from + 1]?.value.toLowerCase()
}

function outer(tokens: readonly Token[], word: string): number[] {
  return tokens.flatMap((token, at) => (token.depth === 0 && isWord(token, word) ? [at] : []))
}

function isQuestion(token: Token | undefined): boolean {
  return isWord(token, 'select') || isWord(token, 'with')
}
