import { expect, test } from 'vitest'
import { fromRecognised, fromValue } from '../../../../src/documents/opening/derive.ts'
import { runPipeline } from '../../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../../src/processors/pipelines.ts'
import type { JsonValue } from '../../../../src/protocol/json.ts'
import { deepFreeze } from '../../../support/deep-freeze.ts'

const shops: JsonValue = deepFreeze({
  shops: [
    { name: 'north', shelves: [{ name: 'top', items: [{ name: 'pen', n: 1 }, { name: 'ink' }] }] },
    {
      name: 'south',
      shelves: [
        { name: 'low', items: [{ name: 'cup' }] },
        { name: 'none', items: null },
      ],
    },
  ],
})

function ask(params: Record<string, unknown>): readonly JsonValue[] {
  const { document, error } = runPipeline(fromValue(shops), filterSteps, params)
  expect(error).toBeUndefined()
  return document.rows().items
}

const EACH = '$.shops[*].shelves[*].items[*]'

test.each([
  ['shops.name', EACH],
  ['$.shops[*].name', EACH],
  ['shops.name', '$.shops.shelves.items'],
])('%s of records at %s is the name of what holds them', (name, path) => {
  expect(ask({ path, group_by: [name] })).toEqual([
    { 'shops.name': 'north', count: 2 },
    { 'shops.name': 'south', count: 1 },
  ])
})

test('stands in conditions and fields, beside the own fields of a record', () => {
  expect(ask({ path: EACH, where: ['shelves.name = low'], fields: ['shops.name', 'name'] })).toEqual([
    { 'shops.name': 'south', name: 'cup' },
  ])
})

test('may be named alone, where the record has none of that name at the same depth', () => {
  const resources = [
    { type: 'vm', at: { zone: 'a' }, instances: [{ id: 1, inner: { type: 'x' } }, { id: 2 }] },
    { type: 'disk', at: { zone: 'b' }, instances: [{ id: 3, Name: 'own' }] },
  ]
  const askOf = (params: Record<string, unknown>) => {
    const run = runPipeline(fromValue({ resources }), filterSteps, {
      path: 'resources[*].instances[*]',
      ...params,
    })
    expect(run.error).toBeUndefined()
    const notes = run.steps.flatMap(({ metadata }) => metadata.notes ?? [])
    return { rows: run.document.rows().items, notes }
  }
  const { rows, notes } = askOf({ group_by: 'type' })
  expect(rows).toEqual([
    { 'resources.type': 'vm', count: 2 },
    { 'resources.type': 'disk', count: 1 },
  ])
  expect(notes).toContain('`type` read as `resources.type`, of the record that holds each.')
  expect(askOf({ where: ['at.zone = b'], fields: ['id'] }).rows).toEqual([{ id: 3 }])
  expect(askOf({ where: ['name exists'], fields: ['id'] }).rows).toEqual([{ id: 3 }])
})

test('the records of a list at the root hold theirs as well', () => {
  const orders = ['open', 'shut'].map((state, n) => ({ state, items: [{ qty: n + 1 }, { qty: 10 }] }))
  const { document, error } = runPipeline(fromValue(orders), filterSteps, {
    path: '$[*].items[*]',
    where: ['state = open'],
    aggregate: 'sum(qty)',
  })
  expect([error, document.rows().items]).toEqual([undefined, [{ 'sum(qty)': 11 }]])
})

test('the own list of a record is no holder, and a record without such a question stays as it is', () => {
  expect(ask({ path: EACH, where: ['items.name = pen'] })).toEqual([{ name: 'pen', n: 1 }])
  expect(ask({ path: EACH, where: ['n = 1'], fields: ['name'] })).toEqual([{ name: 'pen' }])
})

test('keys of prototypes are data', () => {
  const root = JSON.parse('{"__proto__":[{"name":"a","list":[{"x":1}]}]}') as JsonValue
  const { document, error } = runPipeline(fromValue(root), filterSteps, {
    path: '$["__proto__"][*].list[*]',
    fields: ['["__proto__"].name', 'x'],
  })
  expect([error, Object.getPrototypeOf({})]).toEqual([undefined, Object.prototype])
  expect(document.rows().items.map((row) => (row as { x: number }).x)).toEqual([1])
})

test('rows of tables in Markdown know the heading above their table', () => {
  const table = (...names: string[]) => [
    '| name | n |',
    '| --- | --- |',
    ...names.map((name) => `| ${name} | 1 |`),
  ]
  const text = ['# Guide', '## Fruit', ...table('fig', 'plum'), '## Tools', ...table('saw'), ''].join('\n')
  const asked = { path: '$.tables[*]', where: ['n = 1'] }
  const found = (params: Record<string, unknown>) =>
    runPipeline(fromRecognised(text), filterSteps, { ...asked, ...params }).document.rows().items
  expect(found({ group_by: ['heading'] })).toEqual([
    { heading: 'Fruit', count: 2 },
    { heading: 'Tools', count: 1 },
  ])
  expect(found({ where: ['heading = Tools'], fields: ['heading', 'name'] })).toEqual([
    { heading: 'Tools', name: 'saw' },
  ])
  expect(found({})[0]).not.toHaveProperty('heading')
})
