/**
 * SQL: a whole statement as the parameters of a filter, `SELECT … FROM … JOIN … WHERE … GROUP BY … HAVING … ORDER BY … LIMIT …`, and the
 * clauses round a condition. Only the clauses are told apart here; what stands in them is read like the parameters that it becomes.
 */

import { Refusal, shown } from '../../refusal.ts'
import { aggregateNamed } from '../aggregates.ts'
import { enclosed, scan, splitAt, type Token } from '../scanner.ts'

/** The parameters of a filter in a statement. Lists are absent where the statement has none. */
export interface SelectParams {
  path?: string
  join_on?: string[]
  where?: string[]
  group_by?: string[]
  aggregate?: string[]
  sort?: string[]
  fields?: string[]
  offset?: number
  limit?: number
}

/** Parameters, and what of the statement they leave out or say otherwise. */
export interface ReadSelect {
  readonly params: SelectParams
  readonly notes: readonly string[]
}

/** Knowledge of the lists that FROM and JOIN name. */
export interface Lists {
  /** The path of the list that is called so; undefined where the main list is meant. */
  path(name: string): string | undefined
  /** Whether records of the list that is called so have a field. */
  has(name: string, field: string): boolean
}

const NOTHING_KNOWN: Lists = { path: () => undefined, has: () => true }

/** The longest statement, in characters. */
const LONGEST = 20_000

/** True for a text that begins as a statement does: then nothing else is meant. */
export function isStatement(text: string): boolean {
  return /^\s*(?:\(\s*)?(?:select\s+\S|with\s+(?:recursive\s+)?[\w"`]+\s*(?:\([^)]*\)\s*)?as\s*\(|(?:insert\s+into|update|delete\s+from|drop|alter|create|truncate)\s+[\w"`]+\s)/i.test(
    text,
  )
}

/** Reads a statement. Throws a `Refusal` that says what to write instead of what is not read. */
export function readSelect(text: string, lists: Lists = NOTHING_KNOWN): ReadSelect {
  if (text.length > LONGEST)
    throw new Refusal(`A statement may have at most ${LONGEST} characters; this one has ${text.length}.`)
  return new Statement(text, lists).read()
}

/** The clauses in the order in which SQL has them. Each begins with the words named. */
const CLAUSES = {
  select: ['select'],
  from: ['from'],
  where: ['where'],
  group: ['group', 'by'],
  having: ['having'],
  order: ['order', 'by'],
  limit: ['limit'],
  offset: ['offset'],
  fetch: ['fetch'],
} as const
type Clause = keyof typeof CLAUSES

/** The parts of a statement that one question cannot say, and the question to ask instead. */
const REFUSED: Readonly<Record<string, string>> = {
  union: 'ask each SELECT by itself; `"cache_id": ["…", "…"]` asks both answers at once',
  intersect:
    'ask each SELECT by itself, and join the two answers: `"cache_id": ["…", "…"], "join_on": "inner id = id"`',
  except: 'ask each SELECT by itself, and compare the two answers',
  minus: 'ask each SELECT by itself, and compare the two answers',
  window: 'write the window where it is used: `rank() over (partition by a order by b)`',
  qualify: 'ask for the window function as a field, then put the condition to the answer by its cache_id',
  into: 'a kept result is read, never changed: leave INTO out',
}

/** Where a source came from, and what the statement calls it. */
interface Source {
  name: string
  /** Names by which its fields are called, in lower case. */
  called: readonly string[]
}

/** One member of the list after SELECT. */
interface Item {
  /** Without its name. */
  source: string
  as?: string
}

class Statement {
  readonly #text: string
  readonly #lists: Lists
  readonly #notes: string[] = []

  constructor(text: string, lists: Lists) {
    let source = text.trim().replace(/;\s*$/, '').trim()
    source = withoutComments(source)
    for (let inner = enclosed(source); inner !== undefined; inner = enclosed(source)) source = inner.trim()
    this.#text = source
    this.#lists = lists
  }

  read(): ReadSelect {
    this.#refuseOther()
    const clauses = this.#clauses()
    const sources = this.#sources(clauses.get('from'))
    const own = (text: string): string => this.#qualified(text, sources)
    const [distinct, list] = this.#selected(clauses.get('select') ?? '')
    const items = splitAt(list.text, [',']).map((item) => itemOf(own(item)))
    const params: SelectParams = {}
    const path = this.#path(sources.from)
    if (path !== undefined) params.path = path
    if (sources.on !== undefined)
      params.join_on = [joinOf(this.#qualified(inOrder(sources.on, sources), sources, true), sources.inner)]
    const where = conditionsOf(own(clauses.get('where') ?? ''))
    const groups = splitAt(own(clauses.get('group') ?? ''), [',']).map((by) => resolved(by, items))
    const having = conditionsOf(own(clauses.get('having') ?? ''))
    const sort = splitAt(own(clauses.get('order') ?? ''), [',']).map(orderOf)
    const isGrouped =
      groups.length > 0 || items.some(({ source }) => isAggregate(source)) || having.length > 0
    if (isGrouped) this.#group(params, items, groups)
    else if (distinct && !isAll(items)) this.#distinct(params, items)
    else if (!isAll(items))
      params.fields = items.map((item) => written(isConstant(item) ? { ...item, as: item.source } : item))
    if (distinct && isAll(items) && !isGrouped) params.fields = ['distinct *']
    if (where.length + having.length > 0)
      params.where = [...where, ...having.map((text) => withNames(text, items))]
    if (sort.length > 0)
      params.sort = sort.map(({ by, descending }) => {
        // Groups have the columns that were asked for; records have what the columns are made of.
        const name = isGrouped || distinct ? columnOf(by, items) : resolved(by, items).source
        return descending ? `${name} desc` : name
      })
    this.#page(params, clauses, list.top)
    return { params, notes: this.#notes }
  }

  /** Statements that change data, and those of several parts. */
  #refuseOther(): void {
    const [first = ''] = this.#text.split(/\s/, 1)
    if (/^with$/i.test(first))
      throw new Refusal(
        'WITH is not read: one question is one SELECT. Ask the inner SELECT first, then put the outer one to its answer, by the `cache_id` of that.',
      )
    if (!/^select$/i.test(first))
      throw new Refusal(
        `A kept result is read, never changed: ${shown(first, 20)} does nothing here. Write a SELECT, or \`where\`.`,
      )
    const tokens = scan(this.#text)
    for (const [at, token] of tokens.entries()) {
      const word = token.kind === 'word' ? token.text.toLowerCase() : ''
      if (word === 'select' && at > 0)
        throw new Refusal(
          'A SELECT within another is not read. Ask the inner one first; then put its values into the condition, `"where": "id in (1, 2, 3)"`, or put the outer one to its answer, by the `cache_id` of that.',
        )
      if (
        word !== '' &&
        token.depth === 0 &&
        at > 0 &&
        token.apart &&
        Object.hasOwn(REFUSED, word) &&
        endsClause(tokens, at)
      )
        throw new Refusal(`${word.toUpperCase()} is not read: ${REFUSED[word]}.`)
    }
  }

  /** The text of each clause, by its name. */
  #clauses(): Map<Clause, string> {
    const tokens = scan(this.#text)
    const starts: { clause: Clause; from: number; to: number }[] = []
    let next = 0
    const names = Object.keys(CLAUSES) as Clause[]
    for (let at = 0; at < tokens.length; at++) {
      const found = names.findIndex((name, place) => place >= next && wordsAt(tokens, at, CLAUSES[name]))
      if (found < 0) continue
      const clause = names[found] as Clause
      const last = tokens[at + CLAUSES[clause].length - 1] as Token
      starts.push({ clause, from: tokens[at]?.from ?? 0, to: last.to })
      // OFFSET may stand before or after FETCH and LIMIT.
      next = Math.min(found + 1, names.indexOf('limit'))
    }
    const clauses = new Map<Clause, string>()
    for (const [at, { clause, to }] of starts.entries()) {
      const text = this.#text.slice(to, starts[at + 1]?.from).trim()
      if (text === '') throw new Refusal(`Nothing stands after ${CLAUSES[clause].join(' ').toUpperCase()}.`)
      clauses.set(clause, text)
    }
    return clauses
  }

  /** DISTINCT, TOP, and the list after them. */
  #selected(text: string): [distinct: boolean, list: { text: string; top?: number }] {
    const [, kind, on, list = ''] = /^(?:(distinct|all)\s+(on\s*\()?)?(.*)$/is.exec(text) ?? []
    if (on) throw new Refusal('DISTINCT ON is not read: use `group_by` with `first(field)`.')
    const [, top, rest] = /^top\s*\(?\s*(\d+)\s*\)?\s+(.+)$/is.exec(list) ?? []
    const shownList = rest ?? list
    if (shownList.trim() === '') throw new Refusal('Nothing stands after SELECT: name fields, or `*`.')
    return [
      kind?.toLowerCase() === 'distinct',
      { text: shownList, ...(top !== undefined && { top: Number(top) }) },
    ]
  }

  /** The lists that FROM and JOIN name. */
  #sources(text: string | undefined): { from?: Source; joined?: Source; on?: string; inner: boolean } {
    if (text === undefined) return { inner: false }
    const tokens = scan(text)
    const joins = tokens.flatMap((token, at) => (isWord(token, 'join') && token.depth === 0 ? [at] : []))
    const [first] = joins
    if (joins.length > 1)
      throw new Refusal(
        'One JOIN is read in a question. Join the first two, then join the third to the answer, by the `cache_id` of that.',
      )
    if (first === undefined) {
      if (splitAt(text, [',']).length > 1)
        throw new Refusal(
          'FROM names several lists: write `FROM orders JOIN products ON orders.product_id = products.id`.',
        )
      return { from: sourceOf(text), inner: false }
    }
    let kindAt = first
    while (
      kindAt > 0 &&
      /^(?:inner|left|right|full|cross|outer|natural|lateral)$/i.test(tokens[kindAt - 1]?.text ?? '')
    )
      kindAt--
    const kinds = tokens.slice(kindAt, first).map((token) => token.text.toLowerCase())
    const refused = kinds.find((kind) => !['inner', 'left', 'outer'].includes(kind))
    if (refused)
      throw new Refusal(
        `${refused.toUpperCase()} JOIN is not read. Write \`FROM a LEFT JOIN b ON a.key = b.key\`: all of a, with what b has${refused === 'right' ? '; name the lists the other way round' : ''}.`,
      )
    const on = tokens.findIndex(
      (token, at) => at > first && token.depth === 0 && (isWord(token, 'on') || isWord(token, 'using')),
    )
    if (on < 0)
      throw new Refusal('JOIN needs its condition: `JOIN products ON orders.product_id = products.id`.')
    const condition = text.slice(tokens[on]?.to)
    const from = sourceOf(text.slice(0, tokens[kindAt]?.from))
    const joined = sourceOf(text.slice(tokens[first]?.to, tokens[on]?.from))
    const isItself = joined.name.toLowerCase() === from.name.toLowerCase()
    return {
      from,
      // A list joined with itself has the fields of the second as `self.name`.
      joined: isItself ? { ...joined, name: 'self' } : joined,
      on: isWord(tokens[on], 'using') ? (enclosed(condition) ?? condition).trim() : condition.trim(),
      inner: !kinds.includes('left'),
    }
  }

  /** The path of the list after FROM; undefined where the main list is meant, which most names after FROM mean. */
  #path(from: Source | undefined): string | undefined {
    if (from === undefined) return undefined
    const path = this.#lists.path(from.name)
    return path === '$' ? undefined : path
  }

  /** A text without the names of the sources: `o.total` is `total`. A joined field keeps the name of its list where both have the field. */
  #qualified(text: string, { from, joined }: { from?: Source; joined?: Source }, keeps = false): string {
    const mains = new Set(from?.called)
    const others = new Set(joined?.called)
    let out = ''
    let last = 0
    const tokens = scan(text)
    for (const [at, token] of tokens.entries()) {
      const dot = tokens[at + 1]
      if (token.kind !== 'word' || dot?.text !== '.' || dot.apart || tokens[at - 1]?.text === '.') continue
      const name = token.text.toLowerCase()
      const main = mains.has(name)
      if (!main && !others.has(name)) continue
      const field = tokens[at + 2]?.value ?? ''
      const isPlain = main || (!keeps && from !== undefined && !this.#lists.has(from.name, field))
      out += text.slice(last, token.from) + (isPlain ? '' : `${joined?.name}.`)
      last = dot.to
    }
    return out + text.slice(last)
  }

  /** Groups, what is computed of each, and which of their columns are wanted in which order. */
  #group(params: SelectParams, items: readonly Item[], groups: readonly Item[]): void {
    const keys = groups.map((by) => named(by, items))
    const computed = items.filter(({ source }) => isAggregate(source))
    const plain = items.filter(
      (item) => !isAggregate(item.source) && !keys.some((key) => sameText(key.source, item.source)),
    )
    const [other] = plain.filter(({ source }) => source !== '*')
    if (other && groups.length > 0)
      throw new Refusal(
        `\`${shown(other.source)}\` differs within a group: add it to GROUP BY, or say which: \`first(${shown(other.source)})\`.`,
      )
    if (other)
      throw new Refusal(
        `\`${shown(other.source)}\` stands beside \`${shown(computed[0]?.source ?? 'count')}\`: write GROUP BY ${shown(other.source)}.`,
      )
    if (keys.length > 0) params.group_by = keys.map(written)
    if (computed.length > 0 || keys.length === 0)
      params.aggregate = computed.length > 0 ? computed.map(written) : ['count']
    else params.aggregate = ['count']
    const wanted = items.filter(({ source }) => source !== '*').map((item) => item.as ?? item.source)
    const made = [
      ...keys.map((key) => key.as ?? key.source),
      ...computed.map((item) => item.as ?? item.source),
    ]
    const isSame =
      wanted.length === made.length &&
      computed.length > 0 &&
      wanted.every((name, at) => sameText(name, made[at] ?? ''))
    // Without aliases the columns are called as the step that makes them calls them.
    if (!isSame && wanted.length > 0 && keys.length > 0) params.fields = wanted
  }

  /** Each combination of values once. */
  #distinct(params: SelectParams, items: readonly Item[]): void {
    params.group_by = items.map(written)
    params.fields = items.map((item) => item.as ?? item.source)
  }

  #page(params: SelectParams, clauses: ReadonlyMap<Clause, string>, top: number | undefined): void {
    const limit = clauses.get('limit')
    const [, first, sign, second] = /^(\d+|all)(?:\s*(,)\s*(\d+))?$/i.exec(limit ?? '') ?? []
    if (limit !== undefined && first === undefined)
      throw new Refusal(`LIMIT is a number of rows; \`${shown(limit, 40)}\` is none.`)
    const [, skipped] = /^(\d+)(?:\s+rows?)?$/i.exec(clauses.get('offset') ?? '') ?? []
    const [, fetched = '1'] =
      /^(?:first|next)(?:\s+(\d+))?\s+rows?\s+only$/i.exec(clauses.get('fetch') ?? '') ?? []
    const most = sign ? second : (first ?? (clauses.has('fetch') ? fetched : top?.toString()))
    const offset = sign ? first : skipped
    if (most === '0') throw new Refusal('LIMIT 0 asks for nothing. For a number alone write SELECT COUNT(*).')
    if (most !== undefined && !/^all$/i.test(most)) params.limit = Number(most)
    if (offset !== undefined && offset !== '0') params.offset = Number(offset)
  }
}

/** The condition of a join with the list after FROM on the left of each equation: `ON b.id = a.b_id` says the same the other way round. */
function inOrder(on: string, { from, joined }: { from?: Source; joined?: Source }): string {
  const listOf = (side = ''): string => /^[`"[]?(\w+)[`"\]]?\s*\./.exec(side.trim())?.[1]?.toLowerCase() ?? ''
  let hasTurned = false
  const parts = (enclosed(on) ?? on).split(/\s+and\s+/i).map((part) => {
    const [left, right, more] = part.split('=')
    const isTurned =
      more === undefined &&
      !/[<>!]\s*$/.test(left ?? '') &&
      joined?.called.includes(listOf(left)) === true &&
      from?.called.includes(listOf(right)) === true
    if (isTurned) hasTurned = true
    return isTurned ? `${right?.trim()} = ${left?.trim()}` : part
  })
  return hasTurned ? parts.join(' and ') : on
}

function isWord(token: Token | undefined, word: string): boolean {
  return token?.kind === 'word' && token.text.toLowerCase() === word
}

/** The words of a clause stand here, outside of brackets, and are no name of a field. */
function wordsAt(tokens: readonly Token[], at: number, words: readonly string[]): boolean {
  const stand = words.every((word, nth) => {
    const token = tokens[at + nth]
    return isWord(token, word) && token?.depth === 0 && token.apart
  })
  const after = tokens[at + words.length]
  const isNamed =
    tokens[at - 1]?.text === ',' || (after?.kind === 'sign' && /^(?:[,.=<>]|<=|>=|!=|<>)$/.test(after.text))
  return (
    (stand && (words[0] === 'from' || !(isNamed || isWord(after, 'from') || isWord(after, 'as')))) ||
    (at === 0 && stand)
  )
}

/** A word that may be the name of a field is none where SELECT, ALL or a bracket follows, or it stands where a clause begins. */
function endsClause(tokens: readonly Token[], at: number): boolean {
  const word = tokens[at]?.text.toLowerCase() ?? ''
  const next = tokens[at + 1]
  if (['union', 'intersect', 'except', 'minus'].includes(word))
    return ['select', 'all', 'distinct'].includes(next?.text.toLowerCase() ?? '') || next?.text === '('
  if (word === 'window') return isWord(tokens[at + 2], 'as')
  return (
    next?.kind === 'word' &&
    !['as', 'from', 'desc', 'asc', 'is', 'in', 'like'].includes(next.text.toLowerCase())
  )
}

/** A statement without its comments. Quotes may hold such text, which stays. */
export function withoutComments(text: string): string {
  return text
    .replaceAll(
      /('(?:[^']|'')*'|"[^"]*")|\/\*.*?\*\/|--[^\n]*/gs,
      (_all, kept: string | undefined) => kept ?? ' ',
    )
    .trim()
}

/** `orders`, `orders o`, `"orders" AS o`, `data.orders o`. */
function sourceOf(text: string): Source {
  if (text.trim().startsWith('('))
    throw new Refusal(
      'FROM names a list, or anything: the main list is meant. What stands in brackets is not read.',
    )
  const [, quoted, plain = '', alias] =
    /^\s*(?:["'`[]([^"'`\]]+)["'`\]]|(\S+?))(?:\s+(?:as\s+)?["'`]?([\p{L}_][\p{L}\p{N}_]*)["'`]?)?\s*$/isu.exec(
      text,
    ) ?? []
  const name = quoted ?? plain
  if (name === '')
    throw new Refusal(`FROM cannot be read at \`${shown(text, 40)}\`: write FROM and one name.`)
  const last = name.split('.').at(-1) ?? name
  const called = [...new Set([alias ?? last, name].map((one) => one.toLowerCase()))].filter((one) =>
    /^[\p{L}\p{N}_]+$/u.test(one),
  )
  return { name, called }
}

/** `sum(price) as total`, `sum(price) total`, `COUNT(*) FILTER (WHERE …)`. */
function itemOf(text: string): Item {
  const tokens = scan(text)
  const last = tokens.at(-1)
  const before = tokens.at(-2)
  const isName =
    last !== undefined && (last.kind === 'word' || last.kind === 'text') && last.depth === 0 && last.apart
  if (isName && isWord(before, 'as') && tokens.length > 2)
    return { source: filtered(text.slice(0, before?.from).trim()), as: last.value }
  // A name straight after what it is for; not the end of `case`, nor what follows an operator.
  const isCalled =
    isName && tokens.length > 1 && last.kind === 'word' && !/^(?:end|null|true|false)$/i.test(last.text)
  if (
    isCalled &&
    before !== undefined &&
    (before.kind === 'close' || before.kind === 'word' || before.kind === 'number') &&
    !OPERATING.test(before.text)
  )
    return { source: filtered(text.slice(0, last.from).trim()), as: last.value }
  return { source: filtered(text.trim()) }
}

/** Words after which a value comes. */
const OPERATING = /^(?:and|or|not|is|in|like|ilike|between|when|then|else|case|distinct|over|by|div|mod)$/i

/** `sum(a) FILTER (WHERE b)` by what all can read: `sum(case when b then a end)`. */
function filtered(source: string): string {
  const tokens = scan(source)
  const at = tokens.findIndex(
    (token, nth) => nth > 0 && isWord(token, 'filter') && tokens[nth + 1]?.text === '(',
  )
  const open = tokens[at + 1]
  const call = tokens[at - 1]
  if (at < 0 || open === undefined || open.match < 0 || call?.kind !== 'close' || call.match < 1)
    return source
  const condition = source
    .slice(open.to, tokens[open.match]?.from)
    .replace(/^\s*where\s+/i, '')
    .trim()
  const name = tokens[call.match - 1] as Token
  const argument = source.slice(tokens[call.match]?.to, call.from).trim()
  const counted = /^count$/i.test(name.text) && (argument === '*' || argument === '')
  const inner = counted
    ? `sum(case when ${condition} then 1 else 0 end)`
    : `${name.text}(case when ${condition} then ${argument} end)`
  return source.slice(0, name.from) + inner + source.slice(tokens[open.match]?.to)
}

/** True where something is computed over several records, windows aside. */
function isAggregate(source: string): boolean {
  const tokens = scan(source)
  return tokens.some((token, at) => {
    const open = tokens[at + 1]
    if (token.kind !== 'word' || open?.text !== '(' || aggregateNamed(token.text) === undefined) return false
    const after = tokens[open.match + 1]
    // `min(a, b)` of several values is that of each record.
    return open.match >= 0 && !isWord(after, 'over')
  })
}

const isAll = (items: readonly Item[]): boolean => items.length === 1 && items[0]?.source === '*'

const written = ({ source, as }: Item): string => (as === undefined ? source : `${source} as ${as}`)

/** A number without a name is called as it is written. */
const isConstant = ({ source, as }: Item): boolean => as === undefined && /^[-+]?\d+(?:\.\d+)?$/.test(source)

const sameText = (one: string, other: string): boolean =>
  one.replaceAll(/\s+/g, ' ').toLowerCase() === other.replaceAll(/\s+/g, ' ').toLowerCase()

/** The item that a name or a position in GROUP BY and ORDER BY stands for. */
function resolved(by: string, items: readonly Item[]): Item {
  const position = /^\d+$/.test(by) ? items[Number(by) - 1] : undefined
  if (/^\d+$/.test(by) && position === undefined)
    throw new Refusal(`There is no column ${by}: ${items.length} are selected.`)
  return position ?? items.find(({ as }) => as !== undefined && sameText(as, by)) ?? { source: by }
}

/** A key under the name that the list of columns gives it. */
function named(by: Item, items: readonly Item[]): Item {
  return by.as === undefined ? (items.find(({ source }) => sameText(source, by.source)) ?? by) : by
}

/** The column that an order of groups is by. */
function columnOf(by: string, items: readonly Item[]): string {
  const item = /^\d+$/.test(by)
    ? resolved(by, items)
    : (items.find(({ source, as }) => sameText(as ?? source, by) || sameText(source, by)) ?? { source: by })
  return item.as ?? item.source
}

/** A condition on groups with the columns by the names that they were given. */
function withNames(text: string, items: readonly Item[]): string {
  const tokens = scan(text)
  let out = ''
  let last = 0
  for (const [at, token] of tokens.entries()) {
    const open = tokens[at + 1]
    if (token.kind !== 'word' || token.from < last || open?.text !== '(' || open.match < 0) continue
    const call = text.slice(token.from, tokens[open.match]?.to)
    const item = items.find(({ as, source }) => as !== undefined && sameText(source, call))
    if (item?.as === undefined) continue
    out += text.slice(last, token.from) + item.as
    last = token.from + call.length
  }
  return out + text.slice(last)
}

/** The parts of a condition that all must hold. BETWEEN has an AND of its own. */
function conditionsOf(text: string): string[] {
  if (text === '') return []
  const tokens = scan(text)
  const parts: string[] = []
  let start = 0
  let between = 0
  let cases = 0
  for (const token of tokens) {
    if (token.depth > 0) continue
    if (isWord(token, 'or')) return [text]
    if (isWord(token, 'case')) cases++
    else if (isWord(token, 'end')) cases = Math.max(0, cases - 1)
    else if (isWord(token, 'between')) between++
    else if (isWord(token, 'and')) {
      if (between > 0) between--
      else if (cases === 0) {
        parts.push(text.slice(start, token.from).trim())
        start = token.to
      }
    }
  }
  parts.push(text.slice(start).trim())
  return parts.filter((part) => part !== '')
}

function orderOf(text: string): { by: string; descending: boolean } {
  const plain = text.replace(/\s+nulls\s+(?:first|last)$/i, '').replace(/\s+collate\s+\S+/i, '')
  const [, by = plain, direction] = /^(.+?)(?:\s+(asc|desc|ascending|descending))?$/is.exec(plain) ?? []
  return { by: by.trim(), descending: /^desc/i.test(direction ?? '') }
}

/** `a.x = b.y`: the word in front says whether those without a match stay. */
function joinOf(on: string, inner: boolean): string {
  const text = enclosed(on) ?? on
  return inner ? `inner ${text}` : text
}

/** The condition of a statement. `note` hears of clauses that belong to other parameters. */
export function fromSql(text: string, note: (text: string) => void): string {
  const [, inner = text] =
    /^(?:select\b[^=<>]*?\bfrom\s+\S+\s+(?:as\s+\w+\s+|\w+\s+)??)?where\s+(.+)$/is.exec(text) ?? []
  const tokens = scan(inner)
  const at = tokens.findIndex(({ kind, text: word, depth, apart }, place) => {
    if (place === 0 || kind !== 'word' || depth > 0 || !apart) return false
    const next = tokens[place + 1]?.text ?? ''
    return /^(?:order|group)$/i.test(word)
      ? /^by$/i.test(next) && tokens[place + 2]?.kind === 'word'
      : /^limit$/i.test(word) && /^\d/.test(next)
  })
  if (at < 0) return inner.trim()
  const from = tokens[at]?.from ?? 0
  // Within a quote that is not closed it is a part of a text.
  if (isOpen(inner.slice(0, from))) return inner
  note(
    `\`${inner.slice(from, from + 60)}\` was left out of \`where\`: use \`sort\`, \`group_by\` or \`limit\`.`,
  )
  return inner.slice(0, from).trim()
}

/** True where a quote is not closed. */
function isOpen(text: string): boolean {
  return text.split('"').length % 2 === 0 || text.split(/(?<!\w)'|'(?!\w)/).length % 2 === 0
}
