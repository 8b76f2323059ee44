import { describe, expect, test } from 'vitest'
import { toJson } from '../../../src/documents/json/stringify.ts'
import { combine } from '../../../src/documents/opening/combine.ts'
import { fromRows, fromText, fromValue } from '../../../src/documents/opening/derive.ts'
import { preview } from '../../../src/documents/reply/preview.ts'
import { collectionsOf, keyedRecords, mainCollection } from '../../../src/documents/shape/collections.ts'
import { select } from '../../../src/processors/steps/select.ts'
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts'

const list = (count: number) => Array.from({ length: count }, (_, id) => ({ id, name: `n${id}` }))

test('takes the root list, the root map, or the largest list inside', () => {
  expect(mainCollection(list(5))?.path).toBe('$')
  expect(mainCollection({ total: 5, tags: ['a', 'b'], data: { items: list(5) } })?.path).toBe('$.data.items')
  expect(mainCollection([{ results: list(9) }])?.path).toBe('$[0].results')
  expect(mainCollection({ 'odd key': list(4) })?.path).toBe('$["odd key"]')
  const map = Object.fromEntries(list(12).map((record) => [`k.${record.id}`, record]))
  expect(mainCollection(map)?.keys).toHaveLength(12)
  expect(mainCollection({ lockfile: 3, packages: map })?.path).toBe('$.packages')
})

test('what a map of records says of all of them is no record', () => {
  const map = Object.fromEntries(list(30).map((record) => [`k.${record.id}`, record]))
  expect(mainCollection({ result: { uids: ['1', '2'], ...map } })?.keys).toHaveLength(30)
  expect(mainCollection({ result: { ...map, 'k.0': null } })?.keys).toHaveLength(30)
  const document = fromValue({ result: { total: 40, uids: ['1', '2'], ...map } })
  const shown = preview(document, { budget: 2000, tool: 'get', bytes: 900, tokens: 300 }).join('abc')
  expect(shown).toContain('result.total = 40')
  expect(shown).toContain('also $.result.uids: 2 values')
})

test('takes the list that one of a few wrappers holds', () => {
  const listing = (children: JsonValue[]) => ({ kind: 'Listing', data: { after: null, children } })
  expect(mainCollection([listing(list(1)), listing(list(9))])?.path).toBe('$[1].data.children')
  expect(mainCollection([listing(list(8)), listing(list(9))])?.path).toBe('$')
  expect(mainCollection([{ lines: list(1) }, { lines: list(9) }])?.path).toBe('$')
})

test('does not take a record for a map', () => {
  expect(mainCollection({ name: 'x', owner: { id: 1 }, size: { w: 1 } })).toBeUndefined()
  expect(mainCollection({ min: { x: 1, y: 2 }, max: { x: 3, y: 4 }, mean: { x: 2, y: 3 } })).toBeUndefined()
  expect(mainCollection('text')).toBeUndefined()
})

test('takes lists of scalars and lists all collections', () => {
  expect(mainCollection({ names: ['a', 'b', 'c'] })?.values).toEqual(['a', 'b', 'c'])
  expect(collectionsOf({ a: list(2), b: { c: list(3) }, d: [] }).map(({ path }) => path)).toEqual([
    '$.a',
    '$.b.c',
  ])
})

test('rows of a map carry their key', () => {
  const rows = keyedRecords({ path: '$', keys: ['a', 'b'], values: [{ x: 1, _key: 0 }, 5] })
  expect(rows).toEqual([
    { _key: 'a', x: 1, _key_: 0 },
    { _key: 'b', _value: 5 },
  ])
})

test('combines documents, each record with its handle', () => {
  const both = combine([
    { handle: 'h1', document: fromValue(list(1)) },
    { handle: 'h2', document: fromText('a\nb') },
  ])
  expect(both.records()?.values).toEqual([
    { _from: 'h1', id: 0, name: 'n0' },
    { _from: 'h2', _value: 'a' },
    { _from: 'h2', _value: 'b' },
  ])
  const texts = combine([
    { handle: 'h1', document: fromText('a') },
    { handle: 'h2', document: fromText('b') },
  ])
  expect(texts.text).toBe('=== h1 ===\na\n=== h2 ===\nb')
})

test('derived documents are what their rows are', () => {
  const hits = fromRows({ noun: 'hit', items: ['one', 'two'] })
  expect([hits.kind, hits.text, hits.bytes, hits.lines().count]).toEqual(['text', 'one\ntwo', 7, 2])
  expect(fromValue('[{"a":1},{"a":2}]').records()?.values).toHaveLength(2)
  expect(fromValue({ a: 1 }).rows()).toMatchObject({ noun: 'value', items: [{ a: 1 }] })
})

test('writes JSON of any depth', () => {
  const text = `${'{"a":['.repeat(20_000)}1,"x"${']}'.repeat(20_000)}`
  expect(toJson(JSON.parse(text))).toBe(text)
})

describe('a tree of uneven depth', () => {
  const engineers = (count: number) =>
    Array.from({ length: count }, (_, id) => ({ id: 100 + id, name: `engineer ${id}` }))
  const tree = {
    company: 'Acme',
    reports: [
      { id: 1, name: 'Ann', reports: [{ id: 3, name: 'Cy', reports: engineers(300) }] },
      { id: 2, name: 'Bo', reports: [{ id: 4, name: 'Di', reports: engineers(20) }] },
    ],
  }

  test('is the list that holds all others, not the longest of them', () => {
    expect(mainCollection(tree)?.path).toBe('$.reports')
    const document = fromValue(tree)
    const shown = preview(document, { budget: 2000, tool: 'org', bytes: 9000, tokens: 3000 }).join('abc')
    expect(shown).toContain('at all depths, $..reports[*]: 324 records')
    expect(shown).toMatch(/next:\n.*"path":"\$\.\.reports\[\*\]"/)
  })

  test('counts the records in other fields of records as well', () => {
    const leaf = (line: number) => ({ type: 'Name', line })
    const ast = {
      body: [
        { type: 'If', line: 1, test: { type: 'Call', line: 2, body: [leaf(3), leaf(4)] }, body: [leaf(5)] },
        { type: 'For', line: 6, body: [leaf(7), { type: 'If', line: 8, body: [leaf(9)] }] },
      ],
      other: { body: [leaf(10)] },
    }
    const shown = preview(fromValue(ast), { budget: 2000, tool: 'ast', bytes: 900, tokens: 300 }).join('abc')
    expect(shown).toContain('at all depths, $..body[*]: 9 records')
    const answer = select.process(fromValue(ast), { path: '$..body[*]' })
    expect(answer.metadata.matched).toBe(9)
  })

  test('but a list of the same name with other fields is not meant', () => {
    const items = Array.from({ length: 300 }, (_, id) => ({ sku: `s${id}`, price: id }))
    const orders = {
      items: [
        { order: 7, paid: true, items },
        { order: 8, paid: false, items: [] },
      ],
    }
    expect(mainCollection(orders)?.path).toBe('$.items[0].items')
  })
})

test('a tree that is the whole document, and begins with no list, is asked of its nodes', () => {
  const plan = (depth: number): JsonObject => ({
    type: depth % 2 === 0 ? 'Join' : 'Scan',
    cost: depth,
    plans: depth === 0 ? [] : [plan(depth - 1), plan(depth - 1)],
  })
  expect(fromValue([{ Plan: plan(3), time: 5 }]).records()).toMatchObject({
    path: '$[0].Plan',
    values: { length: 1 },
  })
  // The document is about a longer list beside it.
  const changes = Array.from({ length: 90 }, (_, id) => ({ id }))
  expect(fromValue({ root: plan(3), changes }).records()).toMatchObject({ path: '$.changes' })
})
