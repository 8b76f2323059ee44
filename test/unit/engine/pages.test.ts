/** Pages of answers: they join to the whole, stay in their budget, and hold rows as they are. */
import { decode } from '@toon-format/toon'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { Query, Source } from '../../../src/engine/contract.ts'
import { query } from '../../../src/engine/query.ts'
import { createViews } from '../../../src/engine/views.ts'
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts'
import { patience, runs } from '../../support/runs.ts'
import { verifies } from '../../support/verifies.ts'
import { jsonResult, sourceOf, textResult } from './world.ts'

vi.setConfig({ testTimeout: patience(180_000) })

const HANDLE = 'fedcbafedcba'
const views = createViews()

function answer(kind: Query['kind'], params: JsonObject, sources: Source[], budget: number): string {
  return query(views, sources, { kind, params, budget }).text.join(HANDLE)
}

interface Page {
  rows: JsonValue[]
  /** As the title has it. */
  next: number | undefined
}

/** The rows of a reply: those of a table, JSON, or lines as they are. */
function read(reply: string): Page {
  const [title = '', ...lines] = reply.split('\n')
  const next = /next: offset (\d+)/.exec(title)?.[1]
  const at = lines.findIndex((line) => /^\[\d+\]\{.*\}:$|^\[\d+\]:/.test(line))
  const records = lines.filter((line) => /^\{.*\}$/s.test(line))
  const body = at >= 0 ? lines.slice(at) : records.length > 0 ? records : lines
  const rows =
    at < 0
      ? body.flatMap((line): JsonValue[] => (/^(?:proxy_\w+ |Rows show )/.test(line) ? [] : [value(line)]))
      : (decode(body.filter((line) => !line.startsWith('proxy_')).join('\n')) as JsonValue[])
  return { rows, next: next === undefined ? undefined : Number(next) }
}

function value(line: string): JsonValue {
  return /^\{.*\}$/s.test(line) ? JSON.parse(line) : line
}

/** All pages, one after the other. Passages have several lines each, so that their rows cannot be counted here. */
function pages(kind: Query['kind'], params: JsonObject, sources: Source[], budget: number): JsonValue[] {
  const rows: JsonValue[] = []
  let offset = 0
  for (;;) {
    const reply = answer(kind, { ...params, offset }, sources, budget)
    expect(reply.length).toBeLessThanOrEqual(budget)
    const page = read(reply)
    rows.push(...page.rows)
    if (page.next === undefined) return rows
    expect(page.next).toBeGreaterThan(offset)
    if (params.mode !== 'context') expect(page.next).toBe(offset + page.rows.length)
    offset = page.next
  }
}

const states = ['open', 'shut', 'open, or not', 'a "b"', '- dash', '7', 'true', ' blank ', '[2]{x}:', '']
const record = fc.record({
  id: fc.integer(),
  state: fc.constantFrom(...states),
  score: fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }),
    fc.constant(null),
  ),
  note: fc.string({ maxLength: 40, unit: 'grapheme' }),
})
const records = fc.array(record, { minLength: 4, maxLength: 60 })
const limit = fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined })
const budget = fc.integer({ min: 900, max: 3000 })

const given = (params: Record<string, JsonValue | undefined>): JsonObject =>
  Object.fromEntries(Object.entries(params).flatMap(([key, one]) => (one === undefined ? [] : [[key, one]])))

verifies('S3.11 S3.26', 'pages of records join to all of them, as tables or lists', () => {
  fc.assert(
    fc.property(records, limit, budget, fc.boolean(), (list, most, room, flat) => {
      // -0 has no text of its own in JSON.
      const items: JsonObject[] = JSON.parse(
        JSON.stringify(flat ? list : list.map((one) => ({ ...one, tags: [one.state] }))),
      )
      const source = sourceOf(jsonResult(items))
      const fields = Object.keys(items[0] ?? {})
      const found = pages('filter', given({ fields, limit: most }), [source], room)
      expect(found).toEqual(items)
    }),
    { numRuns: runs(60) },
  )
})

verifies('S3.26', 'pages of groups and of joined records join to all of them', () => {
  const list = Array.from({ length: 150 }, (_, n) => ({ id: n, team: n % 37, user: `u${n % 11}` }))
  const users = Array.from({ length: 9 }, (_, n) => ({ id: `u${n}`, name: `User ${n}` }))
  const sources = [sourceOf(jsonResult(list)), sourceOf(jsonResult(users), 'bbbbbbbbbbbb')]
  for (const params of [
    { group_by: 'team' },
    { group_by: 'team, user', aggregate: 'sum(id)', sort: 'team, user' },
    { join_on: 'user = id', fields: ['id', 'name'], sort: '-id' },
  ]) {
    const all = 'join_on' in params ? sources : sources.slice(0, 1)
    const whole = read(answer('filter', { ...params, limit: 1000 }, all, 1_000_000)).rows
    expect(whole.length).toBeGreaterThan(30)
    for (const room of [1200, 2000])
      expect(pages('filter', { ...params, limit: 20 }, all, room)).toEqual(whole)
  }
})

const words = ['alpha', 'beta', 'gamma', 'delta', 'alpah', 'error', 'timeout']
const prose = fc
  .array(fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 8 }), { minLength: 3, maxLength: 60 })
  .map((lines) => lines.map((line, at) => `${at} ${line.join(' ')}`))

for (const mode of ['regex', 'bm25', 'fuzzy', 'context']) {
  for (const kind of ['text', 'data']) {
    verifies('S3.11 S3.21', `pages of hits join to all of them: ${mode} in ${kind}`, () => {
      fc.assert(
        fc.property(prose, fc.integer({ min: 1, max: 9 }), (lines, size) => {
          const content =
            kind === 'text'
              ? textResult(lines.join(mode === 'context' ? '\n\n' : '\n'))
              : jsonResult(lines.map((note, id) => ({ id, note })))
          const source = sourceOf(content)
          const params: JsonObject = { pattern: 'alpha', mode, max_results: size, top_k: size }
          const whole = read(
            answer('search', { ...params, max_results: 1000, top_k: 1000 }, [source], 1_000_000),
          )
          expect(whole.next).toBeUndefined()
          fc.pre(whole.rows.length > 0)
          expect(pages('search', params, [source], 4000)).toEqual(whole.rows)
        }),
        { numRuns: runs(25) },
      )
    })
  }
}

test('a count is over everything, whatever the page', () => {
  const source = sourceOf(
    jsonResult(Array.from({ length: 80 }, (_, id) => ({ id, note: id % 4 === 0 ? 'alpha' : 'beta' }))),
  )
  for (const mode of ['regex', 'fuzzy', 'context', 'bm25'])
    expect(answer('search', { pattern: 'alpha', mode, max_results: 1, top_k: 1 }, [source], 2000)).toMatch(
      /^20 of 80 records match/,
    )
  expect(answer('filter', { where: ['note = alpha'], limit: 1 }, [source], 2000)).toMatch(
    /^20 of 80 records match `where` · record 1 of 20, next: offset 1/,
  )
  expect(answer('filter', { group_by: 'note', limit: 1 }, [source], 2000)).toMatch(
    /^over 80 records · group 1 of 2, next: offset 1, with 60 of 80 records/,
  )
})

test('the cut part of a row can be read to its end', () => {
  const body = Array.from({ length: 4000 }, (_, n) => `w${n}`).join(' ')
  const items = [
    { id: 1, body: 'short' },
    { id: 2, body, list: Array.from({ length: 30 }, (_, n) => n) },
  ]
  const source = sourceOf(jsonResult({ items }))
  const first = answer('filter', { path: 'items[1]' }, [source], 2000)
  expect(first).toMatch(/1 of 1 record, 1 cut short\n/)
  const [, params] = /\nproxy_filter (\{"cache_id":"fedcbafedcba".*\})$/.exec(first) ?? []
  expect(JSON.parse(params ?? '{}')).toEqual({ cache_id: HANDLE, path: '$[0].body' })
  let seen = ''
  for (let from = 0; seen.length < body.length; from = seen.length) {
    const reply = answer('filter', { path: `items[1].body[${from}:${from + 1500}]` }, [source], 2000)
    const [title = '', note = '', ...text] = reply.split('\n')
    expect(title).toContain('1 of 1 line')
    expect(note).toContain(`of ${body.length.toLocaleString('en')}`)
    seen += text.join('\n')
  }
  expect(seen).toBe(body)
})

test('a long line of a text can be read on from where it was cut', () => {
  const line = 'abcdefghij'.repeat(900)
  const source = sourceOf(textResult(`first\n${line}\nlast`))
  const reply = answer('filter', {}, [source], 2000)
  const [, path = ''] = /proxy_filter \{"cache_id":"\w+","path":"(.*)"\}$/.exec(reply) ?? []
  const [, from] = /^\[1\]\[(\d+):\]$/.exec(path) ?? []
  expect(reply).toContain(line.slice(0, Number(from)))
  const rest = answer('filter', { path: `[1][${from}:${Number(from) + 900}]` }, [source], 2000)
  expect(rest.split('\n').slice(2).join('\n')).toBe(line.slice(Number(from), Number(from) + 900))
})

test('several results: rows and counts name their result', () => {
  const one = sourceOf(
    jsonResult({ items: Array.from({ length: 5 }, (_, id) => ({ id, kind: 'a' })) }),
    'aaaaaaaaaaaa',
  )
  const other = sourceOf(
    jsonResult({ meta: 1, items: Array.from({ length: 7 }, (_, id) => ({ id, kind: 'b' })) }),
    'bbbbbbbbbbbb',
  )
  const reply = answer('filter', { where: ['id >= 3'], fields: ['id', 'kind'] }, [one, other], 2000)
  expect(reply).toMatch(/^6 of 12 records match/)
  expect(reply).toContain('By cache_id: aaaaaaaaaaaa 2, bbbbbbbbbbbb 4.')
  expect(read(reply.replace(/\nBy cache_id.*/, '')).rows[0]).toEqual({
    _from: 'aaaaaaaaaaaa',
    id: 3,
    kind: 'a',
  })
  const path = answer('filter', { path: '$.items[0:2]', fields: ['id'] }, [one, other], 2000)
  expect(path).toContain('By cache_id: aaaaaaaaaaaa 2, bbbbbbbbbbbb 2.')
  const missing = answer('filter', { path: 'meta' }, [one, other], 2000)
  expect(missing).toContain('aaaaaaaaaaaa: The path reaches nothing')
})

const leaf = fc.oneof(
  fc.integer(),
  fc.string({ maxLength: 300, unit: 'binary' }),
  fc.constant(null),
  fc.constant('y'.repeat(3000)),
)
const wide = fc.dictionary(
  fc.constantFrom('id', 'a', 'b', 'c d', '__proto__', 'k'.repeat(60)),
  fc.oneof(leaf, fc.array(leaf, { maxLength: 5 })),
  {
    maxKeys: 6,
    noNullPrototype: true,
  },
)
const asked = fc.record(
  {
    path: fc.constantFrom('items', '$..a', 'b', '[0:4]'),
    where: fc.constantFrom(['a exists'], ['id > 3'], ['b ~ y'], ['nothing = 1']),
    group_by: fc.constantFrom('a', 'b', 'id'),
    aggregate: fc.constantFrom('count', 'max(id)', 'distinct(a)', 'sum(id), percent'),
    sort: fc.constantFrom('-id', 'a', 'zz'),
    fields: fc.constantFrom(['a'], ['id', 'b'], ['zz']),
    join_on: fc.constantFrom('id = a', 'a', 'inner id = id'),
    limit: fc.integer({ min: 1, max: 80 }),
    offset: fc.nat(30),
  },
  { requiredKeys: [] },
)

verifies('S3.11', 'no reply exceeds its budget, whatever is asked of whatever', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(wide, { maxLength: 40 }), { minLength: 1, maxLength: 2 }),
      asked,
      fc.integer({ min: 200, max: 6000 }),
      (lists, params, room) => {
        const sources = lists.map((items, at) =>
          sourceOf(jsonResult({ items } as JsonValue), `${at}`.repeat(12)),
        )
        expect(answer('filter', given(params as never), sources, room).length).toBeLessThanOrEqual(room)
      },
    ),
    { numRuns: runs(60) },
  )
})
