/**
 * SQL: a whole statement as the parameters of a filter, `SELECT … FROM … JOIN … WHERE … GROUP BY … HAVING … ORDER BY … LIMIT …`, and the
 * clauses round a condition. Only the clauses are told apart here; what stands in them is read like the parameters that it becomes.
 */

import { literal } from '../../../text/patterns/literal.ts'
import { Refusal, shown } from '../../refusal.ts'
import { aggregateNamed } from '../aggregates.ts'
import { enclosed, isWord, type Replacement, replaced, scan, splitAt, type Token } from '../scanner.ts'

/** The parameters of a filter in a statement. Lists are absent where the statement has none. */
export interface SelectParams {
  path?: string
  join_on?: string[]
  where?: string[]
  group_by?: string[]
  aggregate?: string[]
  sort?: string[]
  fields?: string[]
  exclude?: string[]
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
  /** The path of the list that is called so; undefined where the main list is meant, unless its path is wanted `always`. */
  path(name: string, always?: boolean): string | undefined
  /** Whether records of the list that is called so have a field. */
  has(name: string, field: string): boolean
  /** Whether a list is called so. */
  isKnown(name: string): boolean
  /** The names of all lists. */
  readonly names: readonly string[]
}

const NOTHING_KNOWN: Lists = { path: () => undefined, has: () => true, isKnown: () => true, names: [] }

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
  // `SELECT * EXCLUDE (a, b)` of DuckDB and Snowflake, `EXCEPT` of BigQuery.
  const [left, names] = /^\s*select\s+\*\s*(?:exclude|except)\s*\(([^()]*)\)/i.exec(text) ?? []
  if (left === undefined || names === undefined) return new Statement(text, lists).read()
  const { params, notes } = new Statement(`select *${text.slice(left.length)}`, lists).read()
  return { params: { ...params, exclude: splitAt(names, [',']) }, notes }
}

/** The clauses in the order in which SQL has them. Each begins with the words named. */
const CLAUSES = {
  select: ['select'],
  from: ['from'],
  where: ['where'],
  group: ['group', 'by'],
  having: ['having'],
  qualify: ['qualify'],
  order: ['order', 'by'],
  limit: ['limit'],
  offset: ['offset'],
  fetch: ['fetch'],
} as const
type Clause = keyof typeof CLAUSES

/** The parts of a statement that one question cannot say, and the question to ask instead. */
const REFUSED: Readonly<Record<string, string>> = {
  window: 'write the window where it is used: `rank() over (partition by a order by b)`',
  into: 'a kept result is read, never changed: leave INTO out',
}

/** A list that FROM or JOIN names, and what the statement calls it. */
export interface Source {
  name: string
  /** Names by which its fields are called, in lower case. */
  called: readonly string[]
  /** The list that is joined again under another name. */
  again?: string
}

/** A list after JOIN, and the equations that join it with those before it. */
interface Joined extends Source {
  on: readonly string[]
  inner: boolean
}

interface Sources {
  from?: Source
  joined: readonly Joined[]
  /** Conditions that are no equation of a join. */
  where: readonly string[]
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
  /** Lists within the records, by the names of their elements in small letters. */
  readonly #unnested = new Map<string, string>()

  constructor(text: string, lists: Lists) {
    // In SQL \`cardinality\` is how many elements a list has.
    const source = withoutComments(text).replaceAll(/\bcardinality(?=\s*\()/gi, 'length')
    this.#text = bare(source)
    this.#lists = lists
  }

  read(): ReadSelect {
    this.#refuseOther()
    const clauses = this.#clauses()
    const sources = this.#sources(clauses.get('from'), conditionsOf(clauses.get('where') ?? ''))
    const own = (text: string): string => this.#qualified(text, sources)
    const [distinct, list] = this.#selected(clauses.get('select') ?? '')
    const order = clauses.get('order') ?? ''
    const items = splitAt(list.text, [',']).map((item) => itemOf(own(item)))
    const params: SelectParams = {}
    const path = this.#path(sources)
    if (path !== undefined) params.path = path
    if (sources.joined.length > 0)
      params.join_on = sources.joined.map(({ on, inner }) => {
        const kind = inner ? 'inner ' : sources.joined.length > 1 ? 'left ' : ''
        return kind + on.map((equation) => this.#qualified(equation, sources, true)).join(' and ')
      })
    const where = sources.where.map(own)
    const [, sums] = /^\s*(rollup|cube|grouping\s+sets)\s*\(/i.exec(clauses.get('group') ?? '') ?? []
    if (sums !== undefined)
      throw new Refusal(
        `${sums.toUpperCase()} is not read. Write GROUP BY with the fields; for the sums ask once more without GROUP BY.`,
      )
    const groups = splitAt(own(clauses.get('group') ?? ''), [',']).map((by) => resolved(by, items))
    const qualified = [clauses.get('qualify') ?? '', list.on === undefined ? '' : firstOfEach(list.on, order)]
      .flatMap(conditionsOf)
      .map(own)
    const having = conditionsOf(own(clauses.get('having') ?? ''))
    const sort = splitAt(own(order), [',']).map(orderOf)
    const isGrouped =
      groups.length > 0 || items.some(({ source }) => isAggregate(source)) || having.length > 0
    // Values alone, `SELECT 3 AS a, 4 AS b`, are one row.
    const isOneRow = sources.from === undefined && items.every(isValue)
    if (isGrouped || isOneRow) this.#group(params, items, groups, having)
    else if (distinct && !isAll(items)) this.#distinct(params, items)
    else if (!isAll(items)) params.fields = items.map(written)
    if (distinct && isAll(items) && !isGrouped) params.fields = ['distinct *']
    if (where.length + having.length + qualified.length > 0)
      params.where = [
        ...where,
        ...having.map((text) => `having ${withNames(text, items)}`),
        ...qualified.map((text) => withNames(text, items)),
      ]
    if (sort.length > 0)
      params.sort = sort.map(({ by, descending }) => {
        // Groups have the columns that were asked for; records have what the columns are made of.
        const name = isGrouped || distinct ? columnOf(by, items) : resolved(by, items).source
        return descending ? `${name} desc` : name
      })
    const unnamed = this.#unnamed(params, own)
    if (unnamed.length > 0) params.where = [...(params.where ?? []), ...unnamed]
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

  /** DISTINCT, the fields of DISTINCT ON, TOP, and the list after them. */
  #selected(text: string): [distinct: boolean, list: { text: string; top?: number; on?: string }] {
    const [, on, ofEach] = /^distinct\s+on\s*\(([^()]*)\)\s*(.*)$/is.exec(text) ?? []
    if (on !== undefined && ofEach !== undefined) return [false, { text: ofEach, on }]
    const [, kind, list = ''] = /^(?:(distinct|all)\s+)?(.*)$/is.exec(text) ?? []
    const [, top, rest] = /^top\s*\(?\s*(\d+)\s*\)?\s+(.+)$/is.exec(list) ?? []
    const shownList = rest ?? list
    if (shownList.trim() === '') throw new Refusal('Nothing stands after SELECT: name fields, or `*`.')
    return [
      kind?.toLowerCase() === 'distinct',
      { text: shownList, ...(top !== undefined && { top: Number(top) }) },
    ]
  }

  /** The lists that FROM and JOIN name. Lists that stand side by side are joined by equations in WHERE. */
  #sources(text: string | undefined, where: readonly string[]): Sources {
    if (text === undefined) return { joined: [], where }
    const [first = '', ...joins] = partsOfFrom(text)
    const parts = joins.filter((part) => !this.#isUnnested(part))
    const [from, ...beside] = splitAt(first, [','])
      .filter((part) => !this.#isUnnested(part))
      .map(sourceOf)
    if (from === undefined) return { joined: [], where }
    const before = [from]
    const joined: Joined[] = []
    let left = where
    const add = (source: Source, inner: boolean, conditions: readonly string[] | undefined): void => {
      const isEquation = (text: string): boolean =>
        equationOf(text, source, before, conditions !== undefined) !== undefined
      const on = (conditions ?? left).filter(isEquation)
      if (on.length === 0) throw new Refusal(conditions ? NO_CONDITION : SEVERAL_LISTS)
      const others = (conditions ?? left).filter((text) => !isEquation(text))
      if (conditions === undefined) left = others
      else if (inner) left = [...left, ...others]
      else if (others.length > 0)
        throw new Refusal(
          `LEFT JOIN takes equations alone. Put \`${shown(others[0] ?? '', 60)}\` into a SELECT of its own: \`LEFT JOIN (SELECT * FROM ${source.name} WHERE …) x ON …\`.`,
        )
      const isAgain = before.some(({ name }) => name.toLowerCase() === source.name.toLowerCase())
      // A list joined a second time has its fields as \`self.name\`.
      const named = isAgain ? { ...source, name: 'self', again: source.name } : source
      if (before.some(({ name }) => name === named.name))
        throw new Refusal(`\`${shown(source.name, 40)}\` is joined more than twice. Join it twice at most.`)
      joined.push({ ...named, inner, on: on.map((text) => equationOf(text, source, before, true) ?? text) })
      before.push(named)
    }
    for (const source of beside) add(source, true, undefined)
    for (const { source, kind, on } of parts.map(joinIn)) add(source, kind !== 'left', on)
    return { from, joined, where: left }
  }

  /** Notes a list within the records that FROM names: `cross join unnest(tags) as t`. */
  #isUnnested(part: string): boolean {
    const [, list, alias, column] = UNNESTED.exec(part) ?? []
    if (list === undefined || alias === undefined) return false
    for (const name of [alias, column]) if (name !== undefined) this.#unnested.set(name.toLowerCase(), list)
    return true
  }

  /** Conditions that unnest the lists that nothing else in the statement names: their elements are counted all the same. */
  #unnamed(params: SelectParams, own: (text: string) => string): string[] {
    const said = JSON.stringify(params)
    const calls = [...new Set(this.#unnested.keys())].map(own)
    return [...new Set(calls)].filter((call) => !said.includes(call)).map((call) => `${call} exists`)
  }

  /** The path of the list after FROM; undefined where the main list is meant, which a name that is none means. */
  #path({ from, joined }: Sources): string | undefined {
    if (from === undefined) return undefined
    const { names } = this.#lists
    const unknown = [from, ...joined].find((list) => !this.#lists.isKnown(list.again ?? list.name))
    const told = names.map((name) => `\`${name}\``).join(', ')
    if (unknown && unknown !== from && names.length > 2)
      throw new Refusal(`\`${shown(unknown.name, 40)}\` is no list of this result. There are ${told}.`)
    const path = this.#lists.path(from.name, joined.length > 0)
    if (unknown === from && names.length > 1)
      this.#notes.push(
        `\`${shown(from.name, 40)}\` is no list of this result, so the main one was asked. There are ${told}.`,
      )
    return path === '$' ? undefined : path
  }

  /** A text without the names of the sources: `o.total` is `total`. A joined field keeps the name of its list where one before it has the field. */
  #qualified(text: string, { from, joined }: Pick<Sources, 'from' | 'joined'>, keeps = false): string {
    const tokens = scan(text)
    const parts = tokens.flatMap((token, at): Replacement[] => {
      const dot = tokens[at + 1]
      if (token.kind !== 'word' || tokens[at - 1]?.text === '.') return []
      const name = token.text.toLowerCase()
      const list = this.#unnested.get(name)
      if (list !== undefined && dot?.text !== '(') {
        // The element itself is called \`value\` by some, and by its column by others.
        const member = dot?.text === '.' ? tokens[at + 2] : undefined
        const isItself =
          member && (/^value$/i.test(member.text) || this.#unnested.has(member.text.toLowerCase()))
        const by = `unnest(${this.#qualified(list, { ...(from && { from }), joined })})`
        return [{ from: token.from, to: isItself ? member.to : token.to, by }]
      }
      if (dot?.text !== '.' || dot.apart) return []
      const isMain = from?.called.includes(name) === true
      const nth = isMain ? -1 : joined.findIndex(({ called }) => called.includes(name))
      if (!isMain && nth < 0) return []
      const field = tokens[at + 2]?.value ?? ''
      const before = [...(from ? [from] : []), ...joined.slice(0, Math.max(0, nth))]
      const isPlain =
        isMain || (!keeps && !before.some((list) => this.#lists.has(list.again ?? list.name, field)))
      return [{ from: token.from, to: dot.to, by: isPlain ? '' : `${joined[nth]?.name}.` }]
    })
    return replaced(text, parts)
  }

  /** Groups, what is computed of each, and which of their columns are wanted in which order. */
  #group(
    params: SelectParams,
    items: readonly Item[],
    groups: readonly Item[],
    having: readonly string[],
  ): void {
    const keys = groups.map((by) => this.#whole(named(by, items)))
    const isKey = ({ source }: Item): boolean =>
      groups.some((by) => sameText(by.source, source)) || keys.some((key) => sameText(key.source, source))
    const isOther = (item: Item): boolean =>
      ![item.source === '*', isAggregate(item.source), isWindow(item), isKey(item), isValue(item)].some(
        Boolean,
      )
    const others = items.filter(isOther)
    const [other] = others
    if (other && groups.length === 0)
      throw new Refusal(
        `\`${shown(other.source)}\` stands beside \`${shown(items.find(({ source }) => isAggregate(source))?.source ?? 'count')}\`: write GROUP BY ${shown(other.source)}.`,
      )
    const columns = items.map((item) => {
      if (isOther(item)) return { source: `first(${item.source})`, as: item.as ?? item.source }
      // The order of a window is by columns of the groups.
      return isWindow(item) ? { ...item, source: withNames(item.source, items) } : item
    })
    if (other)
      this.#notes.push(
        `${others.map(({ source }) => `\`${shown(source, 60)}\``).join(', ')}: of the first record of each group. Add it to GROUP BY if it differs within a group.`,
      )
    const computed = columns.filter((item) => isAggregate(item.source) && !isWindow(item))
    if (keys.length > 0) params.group_by = keys.map(written)
    if (computed.length > 0) params.aggregate = computed.map(written)
    else if (keys.length === 0 && !columns.some(isWindow)) params.aggregate = ['count']
    const wanted = columns
      .filter(({ source }) => source !== '*')
      .map((item) => {
        const key = keys[groups.findIndex(({ source }) => sameText(source, item.source))] ?? item
        return isValue(item) || isWindow(item) ? written(item) : (key.as ?? key.source)
      })
    const made = [...keys, ...computed].map((item) => item.as ?? item.source)
    const isSame =
      wanted.length === made.length &&
      computed.length > 0 &&
      wanted.every((name, at) => sameText(name, made[at] ?? '')) &&
      !having.some((text) => isAggregate(withNames(text, items)))
    // Without aliases the columns are called as the step that makes them calls them.
    if (!isSame && wanted.length > 0 && (keys.length > 0 || columns.some(isValue))) params.fields = wanted
  }

  /** A key with a quotient of whole numbers rounded down, as many databases divide: `year / 10` is the decade. */
  #whole(key: Item): Item {
    const source = withWholeQuotients(key.source)
    if (source === key.source) return key
    this.#notes.push(`\`${shown(key.source, 60)}\` in GROUP BY read as \`${shown(source, 60)}\`.`)
    return { source, as: key.as ?? key.source.replaceAll('/', 'by') }
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

const NO_CONDITION = 'JOIN needs its condition: `JOIN products ON orders.product_id = products.id`.'
const SEVERAL_LISTS =
  'FROM names several lists: write `FROM orders JOIN products ON orders.product_id = products.id`.'

/** The words that may stand between two lists before JOIN. */
const KINDS_OF_JOIN: ReadonlySet<string> = new Set([
  'inner',
  'left',
  'right',
  'full',
  'cross',
  'outer',
  'natural',
  'lateral',
])

/** A list within the records beside the records: `cross join unnest(tags) as t`, `, json_each(o.tags) t`, `lateral explode(tags) t as tag`. */
const UNNESTED =
  /^\s*(?:(?:cross|inner)\s+)?(?:join\s+)?(?:lateral\s+)?(?:view\s+)?(?:unnest|json_each|jsonb?_array_elements(?:_text)?|flatten|explode)\s*\((?:\s*input\s*=>)?\s*([\w.$"[\]]+)\s*\)\s*(?:as\s+)?([\p{L}_]\w*)(?:\s*\(\s*(\w+)[^)]*\)|\s+as\s+(\w+))?(?:\s+on\s+(?:true|1\s*=\s*1))?\s*$/iu

/** Functions that give whole numbers, and strings of digits that SQLite divides as such. */
const WHOLE =
  /^(?:year|quarter|month|week|day|hour|minute|extract|date_?part|strftime|floor|trunc|length)$|^cast\s*\(.+\sas\s+(?:\w*int|integer|signed|unsigned)/is

/** `year / 10` as `floor(year / 10)`: a field, a number of a date, what is cast to a whole number, or a bracket with these, by a whole number. */
function withWholeQuotients(source: string): string {
  const tokens = scan(source)
  const startOf = (at: number): number | undefined => {
    const [token, next] = [tokens[at - 1], tokens[at + 1]]
    if (!token || next?.kind !== 'number' || !/^\d+$/.test(next.text)) return undefined
    if (token.kind === 'word' || /^"/.test(token.text)) {
      let first = at - 1
      while (tokens[first - 1]?.text === '.' && tokens[first - 2]?.kind === 'word') first -= 2
      return /^[*/%]$/.test(tokens[first - 1]?.text ?? '') ? undefined : tokens[first]?.from
    }
    if (token.kind !== 'close' || token.match < 0) return undefined
    const name = tokens[token.match - 1]
    const isCall = name?.kind === 'word' && !OPERATING.test(name.text)
    const from = isCall ? name.from : (tokens[token.match]?.from ?? 0)
    const whole = source.slice(from, token.to)
    const holdsWhole = scan(whole).some(({ kind, text }) => kind === 'word' && WHOLE.test(text))
    return (isCall ? WHOLE.test(name.text) || WHOLE.test(whole) : holdsWhole) ? from : undefined
  }
  const at = tokens.findLastIndex(({ text }, nth) => text === '/' && startOf(nth) !== undefined)
  const from = startOf(at)
  const [slash, by] = [tokens[at], tokens[at + 1]]
  if (from === undefined || !slash || !by) return source
  const left = withWholeQuotients(source.slice(from, slash.from).trim())
  return `${withWholeQuotients(source.slice(0, from))}floor(${left} / ${by.text})${source.slice(by.to)}`
}

/** The condition that keeps the first record, in an order, of each combination of fields. */
function firstOfEach(fields: string, order: string): string {
  return `row_number() over (partition by ${fields}${order === '' ? '' : ` order by ${order}`}) = 1`
}

/** The text after FROM, cut where each join begins. */
function partsOfFrom(text: string): string[] {
  const tokens = scan(text)
  const starts = tokens.flatMap((token, at) => {
    if (!isWord(token, 'join') || token.depth > 0) return []
    let from = at
    while (from > 0 && KINDS_OF_JOIN.has(tokens[from - 1]?.text.toLowerCase() ?? '')) from--
    return [tokens[from]?.from ?? 0]
  })
  return [0, ...starts].map((start, nth) => text.slice(start, starts[nth]))
}

/** `left join products p on o.product_id = p.id`. `on` is absent where the equations stand in WHERE. */
function joinIn(text: string): { source: Source; kind: 'inner' | 'left'; on?: string[] } {
  const tokens = scan(text)
  const join = tokens.findIndex((token) => isWord(token, 'join'))
  const kinds = tokens.slice(0, join).map((token) => token.text.toLowerCase())
  const refused = kinds.find((kind) => !['inner', 'left', 'outer', 'cross'].includes(kind))
  if (refused)
    throw new Refusal(
      `${refused.toUpperCase()} JOIN is not read. Write \`FROM a LEFT JOIN b ON a.key = b.key\`: all of a, with what b has${refused === 'right' ? '; name the lists the other way round' : ''}.`,
    )
  const at = tokens.findIndex(
    (token, nth) => nth > join && token.depth === 0 && (isWord(token, 'on') || isWord(token, 'using')),
  )
  const source = sourceOf(text.slice(tokens[join]?.to, tokens[at]?.from))
  const kind = kinds.includes('left') ? 'left' : 'inner'
  if (at < 0 && kinds.includes('cross')) return { source, kind }
  if (at < 0) throw new Refusal(NO_CONDITION)
  const written = text.slice(tokens[at]?.to).trim()
  const condition = enclosed(written) ?? written
  const isUsing = isWord(tokens[at], 'using')
  const name = source.called[0] ?? source.name
  const on = isUsing
    ? splitAt(condition, [',']).map((field) => `${field.trim()} = ${name}.${field.trim()}`)
    : conditionsOf(condition)
  return { source, kind, on }
}

/**
 * An equation of two fields with that of `source` on the right; undefined for a condition that joins nothing with it. `plainly`: names
 * without a list may stand on both sides, and the join finds out which list has which. `before`: the lists on the left; any if undefined.
 */
export function equationOf(
  text: string,
  source: Source,
  before: readonly Source[] | undefined,
  plainly: boolean,
): string | undefined {
  const condition = enclosed(text.trim()) ?? text
  const tokens = scan(condition)
  const equals = tokens.filter(({ text, depth }) => depth === 0 && (text === '=' || text === '=='))
  const [sign] = equals
  if (sign === undefined || equals.length > 1) return undefined
  const sides = [condition.slice(0, sign.from).trim(), condition.slice(sign.to).trim()]
  const [left = '', right = ''] = sides
  if (sides.some((side) => side === '' || /^(?:['"\d-]|true$|false$|null$)/i.test(side))) return undefined
  const listOf = (side: string): string | undefined => {
    const tokens = scan(side)
    const at = tokens.findIndex((token, nth) => token.kind === 'word' && tokens[nth + 1]?.text === '.')
    return tokens[at]?.text.toLowerCase()
  }
  const [one, other] = [listOf(left), listOf(right)]
  const isOwn = (name: string | undefined): boolean => name !== undefined && source.called.includes(name)
  const isBefore = (name: string | undefined): boolean =>
    name === undefined || (before ? before.some(({ called }) => called.includes(name)) : !isOwn(name))
  if (isOwn(other) && isBefore(one)) return `${left} = ${right}`
  if (isOwn(one) && isBefore(other)) return `${right} = ${left}`
  // A name without a list belongs to the list that is asked.
  if (before === undefined && one === undefined && other !== undefined) return `${right} = ${left}`
  if (before === undefined && other === undefined && one !== undefined) return `${left} = ${right}`
  return plainly && one === undefined && other === undefined ? condition : undefined
}

/** The names after each FROM and JOIN of a statement, in small letters, with the words of the SELECT around each. */
export function namesUsed(statement: string): { name: string; words: readonly string[] }[] {
  const tokens = scan(statement)
  const made = new Set(
    tokens.flatMap((token, at) =>
      isWord(tokens[at + 1], 'as') && tokens[at + 2]?.text === '(' && isWord(tokens[at + 3], 'select')
        ? [token.value.toLowerCase()]
        : [],
    ),
  )
  const found = new Map<string, Set<string>>()
  for (const [at, token] of tokens.entries()) {
    if (!isWord(token, 'from') && !isWord(token, 'join')) continue
    const next = tokens[at + 1]
    const name = next?.value.toLowerCase() ?? ''
    if (next === undefined || !['word', 'text'].includes(next.kind) || made.has(name)) continue
    if (tokens[at + 2]?.text === '(' || isWord(tokens[at - 2], 'extract')) continue
    const alias = isWord(tokens[at + 2], 'as') ? tokens[at + 3] : tokens[at + 2]
    const called = [alias?.value.toLowerCase(), name]
    const { depth } = token
    const before = tokens.findLastIndex(
      (one, nth) => nth < at && one.depth === depth && isWord(one, 'select'),
    )
    const after = tokens.findIndex((one, nth) => nth > at && (one.depth < depth || isWord(one, 'select')))
    const own = tokens.slice(Math.max(0, before), after < 0 ? undefined : after)
    const isJoin = own.some((one) => isWord(one, 'join'))
    const words = own.flatMap((one, nth) => {
      const isCalled = own[nth - 1]?.text === '.' && called.includes(own[nth - 2]?.value.toLowerCase())
      const isPlain = !isJoin && own[nth - 1]?.text !== '.' && own[nth + 1]?.text !== '('
      return (isCalled || isPlain) && one !== next && ['word', 'text'].includes(one.kind) ? [one.value] : []
    })
    found.set(name, new Set([...(found.get(name) ?? []), ...words]))
  }
  return [...found].map(([name, words]) => ({ name, words: [...words] }))
}

/** The lists that FROM and JOIN of a statement name, each with the fields that are called by its name. */
export function sourcesOf(statement: string): (Source & { fields: readonly string[] })[] {
  const tokens = scan(statement)
  const from = tokens.findIndex((token) => token.depth === 0 && isWord(token, 'from'))
  if (from < 0) return []
  const text = statement.slice(tokens[from]?.to, behindFrom(tokens, from)?.from)
  const [first = '', ...parts] = partsOfFrom(text)
  // A SELECT in brackets has no name that is known here.
  const lists = splitAt(first, [',']).filter((list) => !list.trim().startsWith('('))
  const sources = [...lists.map(sourceOf), ...parts.map((part) => joinIn(part).source)]
  return sources.map((source) => ({
    ...source,
    fields: tokens.flatMap((token, at) =>
      token.kind === 'word' &&
      tokens[at + 1]?.text === '.' &&
      source.called.includes(token.text.toLowerCase())
        ? [tokens[at + 2]?.value ?? '']
        : [],
    ),
  }))
}

/** The word that begins the clause behind FROM. */
export function behindFrom(tokens: readonly Token[], from: number): Token | undefined {
  return tokens.find(
    ({ depth, text }, at) =>
      at > from && depth === 0 && /^(?:where|group|having|qualify|order|limit|offset|fetch)$/i.test(text),
  )
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
  if (word === 'window') return isWord(tokens[at + 2], 'as')
  return (
    next?.kind === 'word' &&
    !['as', 'from', 'desc', 'asc', 'is', 'in', 'like'].includes(next.text.toLowerCase())
  )
}

/** Without a semicolon at the end, and without brackets around all of it. */
export function bare(text: string): string {
  let source = text.trim().replace(/;\s*$/, '').trim()
  for (let inner = enclosed(source); inner !== undefined; inner = enclosed(source)) source = inner.trim()
  return source
}

/** A statement without its comments. Quotes may hold such text, which stays. A field called From, as mail has one, is put in quotes. */
export function withoutComments(text: string): string {
  const bare = text
    .replaceAll(
      /('(?:[^']|'')*'|"[^"]*")|\/\*.*?\*\/|--[^\n]*/gs,
      (_all, kept: string | undefined) => kept ?? ' ',
    )
    .trim()
  return withQuotedFrom(bare)
}

/** Words and signs behind a field: no list is called so. */
const BEHIND_FIELD =
  /^(?:[,)=~;]|[<>!]=?|<>|!~|\|\||from|as|asc|desc|and|or|not|i?like|in|is|contains|between|then|else|end|having)$/i

/** Each From that no name follows is a field, where another one says which list is asked. */
function withQuotedFrom(text: string): string {
  const tokens = scan(text)
  const isField = (at: number): boolean => {
    const [next, second] = [tokens[at + 1], tokens[at + 2]]
    if (next === undefined || BEHIND_FIELD.test(next.text)) return true
    return (
      (/^(?:order|group)$/i.test(next.text) && isWord(second, 'by')) ||
      (isWord(next, 'limit') && second?.kind === 'number')
    )
  }
  const all = tokens.flatMap((token, at) => (isWord(token, 'from') ? [{ token, at }] : []))
  const fields = all.filter(({ at }) => isField(at))
  if (fields.length === 0 || fields.length === all.length) return text
  return replaced(
    text,
    fields.map(({ token: { from, to, text: name } }) => ({ from, to, by: `"${name}"` })),
  )
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

/** Calls with FILTER in one expression. */
const MOST_FILTERED = 20

/** `sum(a) FILTER (WHERE b)` by what all can read: `sum(case when b then a end)`. */
function filtered(source: string): string {
  let text = source
  for (let left = MOST_FILTERED; left > 0; left--) {
    const before = text
    text = onceFiltered(text)
    if (text === before) break
  }
  return text
}

function onceFiltered(source: string): string {
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
  const [, once = '', argument = ''] =
    /^(distinct\s+)?(.*)$/is.exec(source.slice(tokens[call.match]?.to, call.from).trim()) ?? []
  const counted = /^count$/i.test(name.text) && (argument === '*' || argument === '')
  const inner = counted
    ? `sum(case when ${condition} then 1 else 0 end)`
    : `${name.text}(${once}case when ${condition} then ${argument} end)`
  return source.slice(0, name.from) + inner + source.slice(tokens[open.match]?.to)
}

function isWindow({ source }: Item): boolean {
  return scan(source).some((token, at, all) => isWord(token, 'over') && all[at + 1]?.text === '(')
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

/** A value without a name is called as it is written. A number alone would come first among the names of a row. */
function written({ source, as }: Item): string {
  const value = source.startsWith("'") ? source.slice(1, -1) : `value ${source}`
  const name = as ?? (isValue({ source }) ? value : undefined)
  return name === undefined ? source : `${source} as ${name}`
}

/** A value of its own, which no record has: `'Artist' as kind`. */
function isValue({ source }: Pick<Item, 'source'>): boolean {
  return /^(?:'[^']*'|[-+]?\d+(?:\.\d+)?)$/.test(source)
}

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

/** A text about groups with the columns by the names that they were given: `n` for `count(*)`, `share` for `sum(a) / sum(b)`. */
function withNames(text: string, items: readonly Item[]): string {
  const tokens = scan(text)
  const named = items.flatMap(({ source, as }) =>
    as !== undefined && isAggregate(source) && !isWindow({ source })
      ? [{ as, words: scan(source).map((token) => token.text) }]
      : [],
  )
  const longest = named.sort((a, b) => b.words.length - a.words.length)
  const parts = tokens.flatMap(({ from }, at) => {
    const item = longest.find(({ words }) =>
      words.every((word, nth) => tokens[at + nth]?.text.toLowerCase() === word.toLowerCase()),
    )
    const end = item && tokens[at + item.words.length - 1]
    return end ? [{ from, to: end.to, by: item.as }] : []
  })
  return replaced(text, parts)
}

/** The parts of a condition that all must hold. BETWEEN has an AND of its own. */
export function conditionsOf(text: string): string[] {
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

/** The condition of a statement. `note` hears of clauses that belong to other parameters. */
export const HAVING =
  /^having\s+(?!(?:not\s+)?(?:in|is|not|like|ilike|between|contains|has|exists|starts|ends|matches)\b)([\p{L}_("'`\d].*)$/isu

export function fromSql(text: string, note: (text: string) => void): string {
  const [, condition = text] =
    /^(?:select\b[^=<>]*?\bfrom\s+\S+\s+(?:as\s+\w+\s+|\w+\s+)??)?where\s+(.+)$/is.exec(text) ?? [
      undefined,
      HAVING.exec(text)?.[1],
    ]
  const inner = withPlainOperators(condition)
  const tokens = scan(inner)
  const member = /^('(?:[^']|'')*'|-?\d+(?:\.\d+)?)\s*=\s*(?:any|some)\s*\(\s*([\w.]+)\s*\)$/i.exec(
    inner.trim(),
  )
  if (member) return `${member[2]} = ${member[1]}`
  const among = /^('(?:[^']|'')*')\s+(not\s+)?in\s*\((\s*[\p{L}_"][^()']*)\)$/iu.exec(inner.trim())
  if (among) {
    const parts = splitAt(among[3] ?? '', [',']).map(
      (field) => `${field} ${among[2] ? '!=' : '='} ${among[1]}`,
    )
    return `(${parts.join(among[2] ? ' and ' : ' or ')})`
  }
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

const NAME = String.raw`([\p{L}_"][\p{L}\p{N}_."]*)`
const IN_ANY = new RegExp(
  String.raw`${NAME}\s*(=|<>|!=)\s*(?:any|some|all)\s*\(\s*array\s*\[([^\]()]*)\]\s*\)`,
  'giu',
)
const LIKE_ANY = new RegExp(
  String.raw`${NAME}\s+(not\s+)?(i?like)\s+(any|some|all)\s*\(\s*(?:array\s*\[)?([^\]()]*)\]?\s*\)`,
  'giu',
)
const COLLATED = new RegExp(
  String.raw`${NAME}\s*(=|<>|!=)\s*('(?:[^']|'')*')\s+collate\s+"?\w*(?:nocase|_ci)\w*"?`,
  'giu',
)
const ESCAPED = /\blike\s+'((?:[^']|'')*)'\s+escape\s+'(.)'/gi

/** Operators of some databases by others that mean the same: `= ANY (ARRAY[…])`, `LIKE ANY (…)`, `COLLATE NOCASE`, `LIKE … ESCAPE`. */
function withPlainOperators(text: string): string {
  if (!/\b(?:any|some|all|collate|escape)\b/i.test(text)) return text
  return text
    .replaceAll(IN_ANY, (_, field, sign, list) => `${field} ${sign === '=' ? 'in' : 'not in'} (${list})`)
    .replaceAll(LIKE_ANY, (_, field, not = '', like, which, list) => {
      const parts = splitAt(list, [',']).map((pattern) => `${field} ${not}${like} ${pattern.trim()}`)
      return `(${parts.join(/all/i.test(which) ? ' and ' : ' or ')})`
    })
    .replaceAll(COLLATED, 'lower($1) $2 lower($3)')
    .replaceAll(ESCAPED, (_, pattern: string, mark: string) => `~ '^${withoutEscapes(pattern, mark)}$'`)
}

/** The pattern of LIKE as a regular expression: `x\\_y%` is `x_y.*` where the backslash is the mark. */
function withoutEscapes(pattern: string, mark: string): string {
  let out = ''
  for (let at = 0; at < pattern.length; at++) {
    const isEscaped = pattern[at] === mark && at + 1 < pattern.length
    const sign = pattern[isEscaped ? ++at : at] ?? ''
    const meaning = isEscaped ? undefined : { '%': '.*', _: '.' }[sign]
    out += meaning ?? literal(sign)
  }
  return out
}

/** True where a quote is not closed. */
function isOpen(text: string): boolean {
  return text.split('"').length % 2 === 0 || text.split(/(?<!\w)'|'(?!\w)/).length % 2 === 0
}
