import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromValue } from '../../../src/documents/opening/derive.ts'
import { preview } from '../../../src/documents/reply/preview.ts'
import { runPipeline } from '../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../src/processors/pipelines.ts'
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts'
import { patience, runs } from '../../support/runs.ts'

function asked(value: JsonValue, params: JsonObject): { rows: readonly JsonValue[]; notes: string } {
  const { document, steps, error } = runPipeline(fromValue(value), filterSteps, params)
  expect(error).toBeUndefined()
  const notes = steps.flatMap(({ metadata }) => metadata.notes ?? []).join('\n')
  return { rows: document.rows().items, notes }
}

const file = (name: string) => ({ name, type: 'file', size: 1 })
const folder = (name: string, children: JsonValue[]) => ({ name, type: 'directory', children })
const tree = folder('root', [
  file('a'),
  folder('src', [file('b'), file('c'), folder('deep', [file('d')])]),
  folder('empty', []),
  file('e'),
  file('f'),
])

test('a question without a path is about the nodes of a tree at all levels, and says so', () => {
  const { rows, notes } = asked(tree, { where: ['type = file'], aggregate: 'count' })
  expect(rows).toEqual([{ count: 6 }])
  expect(notes).toBe(
    'Asked of all 9 nodes of the tree, "path": "$..children[*]"; the 5 at the top alone: "path": "$.children".',
  )
  expect(asked(tree, { group_by: 'type' }).rows).toContainEqual({ type: 'file', count: 6 })
  expect(asked(tree, { sort: 'name' }).rows[3]).toMatchObject({ _path: 'src/deep/d', name: 'd' })
  expect(asked(tree, { aggregate: 'sum(size)' }).rows).toEqual([{ 'sum(size)': 6 }])
  expect(asked(tree, { path: '$.children', where: 'type = file' }).rows).toHaveLength(3)
  expect(asked(tree, { fields: ['name'] }).notes).toBe('')
})

test('nodes that are further down in a node are of the tree, and other edges of an edge are not', () => {
  const comment = (author: string, replies: JsonValue[]) => ({
    kind: 't1',
    data: { author, score: 1, replies: replies.length === 0 ? '' : { data: { children: replies } } },
  })
  const children = [
    comment('ann', [comment('bo', [comment('ann', [])])]),
    comment('cy', []),
    comment('ann', []),
    comment('di', []),
  ]
  expect(asked({ data: { children } }, { where: ['author = ann'], aggregate: 'count' }).rows).toEqual([
    { count: 3 },
  ])
  const bills = { edges: [{ cursor: 1, node: { title: 'a', status: 'open' } }] }
  const edges = ['x', 'y', 'z', 'w'].map((name, cursor) => ({ cursor, node: { name, code: name, bills } }))
  expect(asked({ states: { edges } }, { aggregate: 'count' }).rows).toEqual([{ count: 4 }])
})

test('a list that nodes of a tree lie in is asked by itself, and what all nodes answer is told', () => {
  const { rows, notes } = asked(tree.children, { where: 'type = file' })
  expect(rows).toHaveLength(3)
  expect(notes).toContain('"path": "$..children[*]" has 3 of 4 more: src/b, src/c, src/deep/d.')
  const counted = asked(tree.children, { where: 'type = file', aggregate: 'count' })
  expect(counted.rows).toEqual([{ count: 3 }])
  expect(counted.notes).toContain('Of all 9 nodes of the tree: {"count":6}.')
  expect(asked(tree.children, { sort: '-name' }).notes).toContain('the first is: {"_path":"src"')
  expect(asked(tree.children, { where: 'name = d' }).rows).toMatchObject([{ _path: 'src/deep/d' }])
})

test('products of categories are no categories, however alike', () => {
  const categories = [1, 2, 3].map((id) => ({ id, name: `c${id}`, products: [{ id: 10 * id, name: 'p' }] }))
  expect(asked(categories, { aggregate: 'count' }).rows).toEqual([{ count: 3 }])
})

test('a path that reaches all of them needs no remark', () => {
  const { rows, notes } = asked(tree, { path: '$..children[*]', where: 'type = file', aggregate: 'count' })
  expect(rows).toEqual([{ count: 6 }])
  expect(notes).toBe('')
})

test('the notes are about the part that the path chose', () => {
  const root = { home: tree, other: tree }
  const { notes } = asked(root, { path: '$.home.children', where: 'type = file' })
  expect(notes).toContain(
    'Nested in such records are others: "path": "$.home..children[*]" has 6 of 9 in all: a, src/b, src/c, src/deep/d, e, f.',
  )
  expect(asked(root, { path: '$.home..children[*]', where: 'type = file' }).rows).toHaveLength(6)
})

test('the notes tell the records directly within the outer ones from those at all depths, each with a path that reaches them', () => {
  const node = (name: string, ...children: JsonObject[]): JsonObject => ({
    name,
    type: children.length > 0 ? 'directory' : 'file',
    ...(children.length > 0 && { children }),
  })
  const roots = [
    node('a'),
    node('b', node('c'), node('d', node('e'), node('f'))),
    node('g', node('h', node('i'))),
  ]
  const { notes } = asked(roots, { where: 'type = file' })
  expect(notes).toContain(
    'Nested in such records are others: "path": "$[*].children[*]" has 1 of 3, at all depths "path": "$..children[*]" has 4 of 6 more',
  )
  expect(asked(roots, { path: '$[*].children[*]', where: 'type = file' }).rows).toHaveLength(1)
  expect(asked(roots, { path: '$..children[*]', where: 'type = file' }).rows).toHaveLength(4)
})

test('packages that hold packages by name', () => {
  const inner = { d: { version: '2', license: 'MIT' }, e: { version: '3', license: 'ISC' } }
  const value = {
    name: 'app',
    dependencies: {
      'a-1': { version: '1', license: 'MIT', dependencies: inner },
      'b-2': { version: '1', license: 'MIT' },
      'c-3': { version: '1', license: 'ISC', dependencies: { 'a-1': { version: '9', license: 'MIT' } } },
    },
  }
  const { rows, notes } = asked(value, { where: 'license = MIT' })
  expect(notes).toContain('Asked of all 6 nodes of the tree, "path": "$..dependencies.*"')
  expect(rows.map((row) => (row as JsonObject)._key)).toEqual(['a-1', 'b-2', 'd', 'a-1'])
  expect(asked(value, { path: '$..dependencies.*', where: 'license = MIT' }).rows).toHaveLength(4)
})

test.each([
  [
    'labels are no issues',
    [1, 2, 3, 4].map((id) => ({ id, name: `n${id}`, body: 'x', at: 'y', labels: [{ id, name: 'bug' }] })),
  ],
  [
    'items are no orders',
    [1, 2, 3, 4].map((id) => ({ id, total: 5, user: 'u', items: [{ sku: 's', price: 1 }] })),
  ],
  ['pairs', [1, 2, 3, 4].map((id) => ({ id, tags: [{ key: 'a', value: 'b' }] }))],
])('lists of other things are no records of the kind: %s', (_, value) => {
  expect(asked(value as JsonValue, { where: 'id > 0', aggregate: 'count' }).notes).not.toContain('Nested')
  expect(asked(value as JsonValue, { group_by: 'id' }).notes).not.toContain('Nested')
})

test('a preview of a tree counts at all depths and suggests the path', () => {
  const large = folder(
    'root',
    Array.from({ length: 12 }, (_, n) => (n % 2 ? file(`f${n}`) : folder(`f${n}`, [file('x'), file('y')]))),
  )
  const text = preview(fromValue(large), { budget: 2_000, tool: 't', bytes: 1, tokens: 1 }).join('HANDLE')
  expect(text).toContain('at all depths, $..children[*]: 24 records; type (2 values): file ×18, directory ×6')
  expect(text).toContain('"path":"$..children[*]","group_by":"type"')
  expect(text).not.toContain('children[].type')
})

test(
  'what is told is what the path finds',
  () => {
    const { node } = fc.letrec<{ node: JsonValue }>((tie) => ({
      node: fc.record(
        {
          name: fc.constantFrom('a', 'b'),
          kind: fc.constantFrom('x', 'y'),
          kids: fc.array(tie('node'), { maxLength: 4, depthIdentifier: 'kids' }) as fc.Arbitrary<JsonValue>,
        },
        { requiredKeys: ['name', 'kind'] },
      ) as fc.Arbitrary<JsonValue>,
    }))
    let told = 0
    fc.assert(
      fc.property(fc.array(node, { minLength: 4, maxLength: 8 }), fc.boolean(), (kids, wrapped) => {
        const value: JsonValue = wrapped ? { name: 'r', kind: 'x', kids } : kids
        const { rows, notes } = asked(value, { where: 'kind = x' })
        const [, path, top] = /nodes of the tree, "path": "(.*?)"; .* "path": "(.*?)"/.exec(notes) ?? []
        if (path === undefined || top === undefined) return
        told++
        expect(asked(value, { path, where: 'kind = x' }).rows).toHaveLength(rows.length)
        expect(asked(value, { path: top }).rows).toHaveLength(kids.length)
      }),
      { numRuns: runs(30) },
    )
    expect(told).toBeGreaterThan(2)
  },
  patience(180_000),
)

test('of elements that are compared with their record nothing false is told', () => {
  const items = [
    { by: { login: 'ann' }, asked: [{ login: 'ann' }, { login: 'bob' }], tags: [{ t: 'a' }, { t: 'b' }] },
    { by: { login: 'bob' }, asked: [{ login: 'cy' }], tags: [{ t: 'a' }] },
  ]
  const counted = (where: string[]) => asked(items, { where, aggregate: 'count' })
  for (const where of [['asked.login = by.login'], ['tags has a', 'tags has b']]) {
    const { rows, notes } = counted(where)
    expect(rows).toEqual([{ count: 1 }])
    expect(notes).not.toContain('elements')
  }
  // Of a comparison with a value the elements are told.
  expect(counted(['asked.login in (ann, bob)']).notes).toContain('{"count":2}')
})
