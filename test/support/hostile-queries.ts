/** Queries that are made to hurt, each about a result that is made for it, and what has to hold while they run. */
import { createHash } from 'node:crypto'
import { expect, onTestFinished } from 'vitest'
import type { Engine, Query, Source } from '../../src/engine/contract.ts'
import { createEngine } from '../../src/engine/pool.ts'
import { hasCode } from '../../src/protocol/errors.ts'
import type { JsonObject, JsonValue } from '../../src/protocol/json.ts'

interface HostileQuery {
  /** The text of the result. */
  result: () => string
  kind: Query['kind']
  params: JsonObject
  /** A second result, for a join. */
  other?: () => string
}

const list = (unit: string, times: number): string => `[${`${unit},`.repeat(times)}${unit}]`
const records = (count: number, of: (id: number) => JsonValue): string =>
  JSON.stringify(Array.from({ length: count }, (_, id) => of(id)))
const plain = (count: number) => () =>
  records(count, (id) => ({
    id,
    k: 1,
    name: `name ${id}`,
    tags: ['a', 'b', 'c'],
    at: '2024-05-01T00:00:00Z',
  }))
const digits = () => list('1', 15_000_000)
const empties = () => list('[]', 6_000_000)
const small = plain(2000)
const many = plain(100_000)
const deep = () => `${'['.repeat(100_000)}1${']'.repeat(100_000)}`
const deepObject = () => `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`
const wide = () =>
  records(20, (id) => Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`f${n}`, id])))
const oneLine = () => 'ab '.repeat(7_000_000)
const shortLines = () => 'x\n'.repeat(5_000_000)
const almost = () => `${'a'.repeat(200_000)}!\n`.repeat(20)
const keys = () =>
  JSON.stringify(Object.fromEntries(Array.from({ length: 400_000 }, (_, n) => [`key ${n}`, { n }])))
const nested = () =>
  records(300, (id) => ({ id, rows: Array.from({ length: 300 }, (_, n) => ({ n, cells: [n, id, n * id] })) }))
const polluted = () =>
  `[${'{"__proto__":{"a":1},"constructor":{"prototype":{"b":2}},"toString":1,"length":-1},'.repeat(20_000)}{}]`
const csv = () =>
  `${Array.from({ length: 100_000 }, (_, n) => `c${n}`).join(',')}\n${'1,'.repeat(99_999)}1\n`.repeat(3)
const xml = () => `<?xml version="1.0"?><r>${'<a><b>'.repeat(20_000)}x${'</b></a>'.repeat(20_000)}</r>`
const bomb = () =>
  `<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 30 }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`).join('')}]><r>${'&e30;'.repeat(1000)}</r>`
const html = () => `<table>${'<tr><td>'.repeat(60_000)}x</table>`
const log = () =>
  Array.from({ length: 200_000 }, (_, n) => `2024-05-01T00:00:00Z ERROR [${n}] at=${n} failed: ${n}`).join(
    '\n',
  )
const numbers = () => list('1e999999999999', 300_000)
const strings = () => list('"\\ud800\\u0000\\uffff"', 500_000)
const filter = (result: () => string, params: JsonObject): HostileQuery => ({
  result,
  kind: 'filter',
  params,
})
const search = (result: () => string, pattern: string, params: JsonObject = {}): HostileQuery => ({
  result,
  kind: 'search',
  params: { pattern, ...params },
})
const explore = (result: () => string, params: JsonObject = {}): HostileQuery => ({
  result,
  kind: 'explore',
  params,
})

const expression = (depth: number): string => `${'('.repeat(depth)}id${' + 1)'.repeat(depth)}`

/** By what they are. */
export const HOSTILE_QUERIES: Readonly<Record<string, HostileQuery>> = {
  'relevance over a list of digits': search(digits, 'zzz', { mode: 'bm25' }),
  'likeness over a list of digits': search(digits, 'zzz', { mode: 'fuzzy' }),
  'an expression over a list of digits': search(digits, '1'),
  'an order of a list of digits': filter(digits, { sort: '-value' }),
  'groups of a list of digits': filter(digits, { group_by: 'value', aggregate: 'count' }),
  'the structure of a list of digits': explore(digits),
  'an order of empty lists': filter(empties, { sort: '-k' }),
  'the structure of empty lists': explore(empties),
  'every value at every depth': filter(nested, { path: '$..*' }),
  'every value below every value': filter(nested, { path: '$..*..*..*' }),
  'every index of every list': filter(nested, { path: '$[*].rows[*].cells[*]', limit: 1_000_000_000 }),
  'fields of fields of fields': filter(nested, {
    fields: ['*.*.*', '$..*', 'rows[].cells[]'],
    limit: 100_000,
  }),
  'a thousand fields': filter(many, {
    fields: Array.from({ length: 1000 }, (_, n) => `concat(name, '${n}') as f${n}`),
  }),
  'all of 20,000 columns': filter(wide, { fields: ['*'], sort: '-f0', limit: 1_000_000 }),
  'groups by 2,000 columns': filter(wide, {
    group_by: Array.from({ length: 2000 }, (_, n) => `f${n}`),
    aggregate: 'count',
  }),
  'groups as many as records': filter(many, {
    group_by: 'id, name',
    aggregate: 'count, median(id), list(name)',
    sort: '-id',
  }),
  'every record with every record': {
    ...filter(many, { join_on: 'k = k', aggregate: 'count' }),
    other: many,
  },
  'every record with every record, in order': {
    ...filter(many, { join_on: 'k = k', sort: '-id' }),
    other: many,
  },
  'a list joined with itself': filter(nested, { join_on: 'rows.n = rows.n' }),
  'a text filled up to a billion characters': filter(small, { fields: ["lpad(name, 1000000000, 'x') as t"] }),
  'texts filled up in each record': filter(many, {
    fields: ["rpad(name, 100000, 'x') as t"],
    sort: '-t',
    limit: 100_000,
  }),
  'texts that double': filter(small, {
    fields: [
      `${'concat('.repeat(1)}${'replace('.repeat(20)}name${", 'a', 'aaaaaaaaaa')".repeat(20)}, name) as t`,
    ],
  }),
  'an expression 5,000 levels deep': filter(small, { where: `${expression(5000)} > 1` }),
  'a condition of 20,000 parts': filter(small, {
    where: Array.from({ length: 20_000 }, (_, n) => `id != ${n}`).join(' and '),
  }),
  'a list of 200,000 values': filter(many, {
    where: `id in (${Array.from({ length: 200_000 }, (_, n) => n).join(',')})`,
  }),
  'a path of 50,000 names': filter(deepObject, { path: `$${'.a'.repeat(50_000)}` }),
  'an order by 5,000 keys': filter(many, {
    sort: Array.from({ length: 5000 }, (_, n) => `-id + ${n}`).join(', '),
  }),
  'windows over windows': filter(many, {
    fields: Array.from({ length: 50 }, (_, n) => `sum(id) over (partition by k order by id) as w${n}`),
  }),
  'a limit beyond all numbers': filter(many, { limit: 1e308, offset: 1e308 }),
  'a statement within statements': filter(small, {
    where: `${'SELECT * FROM ('.repeat(500)}SELECT * FROM t${')'.repeat(500)}`,
  }),
  'repeats of repeats': search(almost, '^(a+)+$'),
  'repeats of choices': search(almost, '(a|aa|a?)*b'),
  'a look ahead of repeats': search(almost, '(?=(a+)+b)a'),
  'a group that refers to itself': search(almost, '(a*)*\\1\\1\\1b'),
  'a thousand choices': search(oneLine, Array.from({ length: 1000 }, (_, n) => `w${n}.*x${n}`).join('|')),
  'a repeat of a thousand repeats': search(oneLine, '((a{1,1000}){1,1000}){1,1000}'),
  'every character of a long line': search(oneLine, '.', { context_lines: 1000 }),
  'every one of five million lines': search(shortLines, '', { context_lines: 1_000_000 }),
  'likeness of a long word': search(oneLine, 'a'.repeat(100_000), { mode: 'fuzzy' }),
  'relevance of 20,000 words': search(log, Array.from({ length: 20_000 }, (_, n) => `failed${n}`).join(' '), {
    mode: 'bm25',
  }),
  'lists 100,000 levels deep': explore(deep, { max_depth: 1_000_000 }),
  'a search in lists 100,000 levels deep': search(deep, '1'),
  'objects 50,000 levels deep': filter(deepObject, { path: '$..a', sort: '-a' }),
  'an object of 400,000 names': filter(keys, { path: '$.*', sort: '-n' }),
  'names of every object of the language': filter(polluted, {
    group_by: '__proto__, constructor',
    aggregate: 'count',
    sort: 'toString',
  }),
  'a table of 100,000 columns': explore(csv),
  'elements 40,000 levels deep': filter(xml, { path: '$..b' }),
  'entities that multiply': search(bomb, 'aaaa'),
  'a table that never ends': explore(html),
  'numbers beyond all numbers': filter(numbers, { aggregate: 'sum(value), avg(value), max(value)' }),
  'halves of characters': search(strings, '\ud800', { mode: 'bm25' }),
  'groups of a long log': filter(log, {
    group_by: 'message',
    aggregate: 'count',
    sort: '-count',
    limit: 1_000_000,
  }),
}

const NEVER = new AbortController().signal
/** MB that a query may take here: what needs more must fail alone. */
const HEAP_MB = 192
const BUDGET = 4000
/** Characters by which an answer may be over its budget. */
const SLACK = 1000

function engineFor(timeLimit: number): Engine {
  const engine = createEngine({ workers: 2, queryTimeout: timeLimit, heapMb: HEAP_MB })
  onTestFinished(() => engine.close())
  return engine
}

function sourceOf(text: string, owner: string): Source {
  const json = Buffer.from(JSON.stringify({ content: [{ type: 'text', text }] }))
  const content = new Uint8Array(new SharedArrayBuffer(json.byteLength))
  content.set(json)
  const hash = createHash('sha256').update(content).digest('hex')
  return { handle: hash.slice(0, 12), hash, content, tool: 'shop_orders', owner }
}

/**
 * Asks the query a few times at once. Expects that each is answered or refused with a next step, that another agent gets answers
 * meanwhile, and that kept results stay the same.
 */
export async function expectHarmless(name: string, timeLimit: number): Promise<void> {
  const hostile = HOSTILE_QUERIES[name]
  if (hostile === undefined) return expect.unreachable(name)
  const engine = engineFor(timeLimit)
  const sources = [hostile.result, ...(hostile.other ? [hostile.other] : [])].map((make) =>
    sourceOf(make(), 'bad'),
  )
  const hashes = sources.map(({ hash }) => hash)
  const query: Query = { kind: hostile.kind, params: hostile.params, budget: BUDGET }
  const mine = sourceOf(small(), 'good')
  const count: Query = { kind: 'filter', params: { aggregate: 'count' }, budget: BUDGET }
  const attacks = [1, 2, 3].map(() => outcomeOf(engine.query(sources, query, NEVER)))
  for (let asked = 0; asked < 3; asked++)
    expect((await engine.query([mine], count, NEVER)).text.join('')).toContain('2000')
  for (const outcome of await Promise.all(attacks)) expect(outcome).toBe('harmless')
  expect((await engine.query([mine], count, NEVER)).text.join('')).toContain('2000')
  const now = sources.map(({ content }) => createHash('sha256').update(content).digest('hex'))
  expect(now).toEqual(hashes)
}

async function outcomeOf(asked: ReturnType<Engine['query']>): Promise<string> {
  try {
    const { text } = await asked
    const { length } = text.join('0123456789ab')
    return length > 0 && length <= BUDGET + SLACK ? 'harmless' : `an answer of ${length} characters`
  } catch (error) {
    const isTold = hasCode(error, 'QUERY_FAILED') || hasCode(error, 'QUERY_TIMEOUT')
    return isTold && 'next' in (error as object) ? 'harmless' : String(error)
  }
}
