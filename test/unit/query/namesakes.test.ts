import { describe, expect, test } from 'vitest'
import { fromValue } from '../../../src/documents/opening/derive.ts'
import { runPipeline } from '../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../src/processors/pipelines.ts'
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts'

function asked(value: JsonValue, params: JsonObject): { rows: readonly JsonValue[]; notes: string } {
  const { document, steps, error } = runPipeline(fromValue(value), filterSteps, params)
  expect(error).toBeUndefined()
  const notes = steps.flatMap(({ metadata }) => metadata.notes ?? []).join('\n')
  return { rows: document.rows().items, notes }
}

const pages = [
  { title: 'a', size: 1, parts: [{ title: 'b', size: 7 }], owner: { size: null } },
  { title: 'b', size: 2, parts: [{ title: 'c', size: 8 }], owner: { size: null } },
  { title: 'c', size: 3, parts: [], owner: { size: null } },
]
const remark = (name: string, samples: string): string =>
  `\`${name}\` is the record's own; there is also \`parts.${name}\` (${samples}).`

describe('a name alone that is the record’s own, and that of a field deeper down', () => {
  test('is told where the deeper one fulfils the condition as well', () => {
    expect(asked(pages, { where: 'title = b' }).notes).toBe(remark('title', '"b", "c"'))
    expect(asked(pages, { where: 'title = a' }).notes).toBe('')
    expect(asked(pages, { where: 'parts.title = b' }).notes).toBe('')
  })

  test('is told where all records fulfil it or none does', () => {
    expect(asked(pages, { where: 'size > 0' }).notes).toBe(remark('size', '7, 8'))
    expect(asked(pages, { where: 'size > 90' }).notes).toContain(remark('size', '7, 8'))
  })

  test.each<JsonObject>([{ group_by: 'size' }, { aggregate: 'sum(size)' }, { sort: '-size' }])(
    'is reported for groups, sums and orders: %j',
    (params) => {
      expect(asked(pages, params).notes).toBe(remark('size', '7, 8'))
    },
  )

  test('is not told where another name was read so', () => {
    expect(asked(pages, { group_by: 'Title' }).notes).toBe('`Title` read as `title`.')
  })
})

test('of names that differ in case the other is told', () => {
  const records = [
    { name: 'a', tags: { Name: 'b' } },
    { name: 'b', tags: { Name: 'c' } },
  ]
  expect(asked(records, { where: 'Name = b' }).notes).toContain('There is `tags.Name` as well.')
})

test('fields of small maps are named across the map, not by its keys', () => {
  const schemas = Array.from({ length: 12 }, (_, n) => ({
    name: `s${n}`,
    properties: {
      [`p${n}a`]: { type: 'string', text: 'x' },
      [n === 3 ? 'type' : `p${n}b`]: { type: n < 6 ? 'number' : 'string', text: 'y' },
    },
  }))
  const across = '`properties.type` read as `properties.*.type`, of all values of the map.'
  expect(asked(schemas, { where: 'type = number', aggregate: 'count' })).toEqual({
    rows: [{ count: 6 }],
    notes: '`type` read as `properties[*].type`.',
  })
  expect(asked(schemas, { where: 'properties.type = number', aggregate: 'count' })).toEqual({
    rows: [{ count: 6 }],
    notes: across,
  })
  const groups = asked(schemas, { group_by: 'properties.type' })
  expect(groups.rows).toEqual([
    { 'properties.*.type': 'string', count: 12 },
    { 'properties.*.type': 'number', count: 6 },
  ])
  expect(groups.notes).toContain(across)
  // One value of the map is meant where its own field is named.
  expect(asked(schemas, { where: 'properties.type.text = y', aggregate: 'count' }).rows).toEqual([
    { count: 1 },
  ])
})

test('a path goes through maps of maps that are small each', () => {
  const resources = Object.fromEntries(
    Array.from({ length: 12 }, (_, n) => [
      `R${n}`,
      { shape: 's', actions: { [`Do${n}`]: { call: { op: `o${n}` }, ...(n < 3 && { keys: [{ id: n }] }) } } },
    ]),
  )
  const { rows, notes } = asked({ resources }, { path: 'resources.actions.keys' })
  expect(rows).toMatchObject([{ id: 0 }, { id: 1 }, { id: 2 }])
  expect(notes).toContain('`resources.actions.keys` read as `resources[*].actions[*].keys`.')
})

test('groups of a field that is called like the count do not lose it', () => {
  const { rows } = asked([{ count: 2 }, { count: 2 }, { count: 5 }], { group_by: 'count' })
  expect(rows).toEqual([
    { count: 2, 'count()': 2 },
    { count: 5, 'count()': 1 },
  ])
})

test('the line of a message is told from the line in its file', () => {
  const messages = [
    { line: 1, file: 'a.ts', file_line: 200 },
    { line: 2, file: 'b.ts', file_line: 20 },
  ]
  const said = '`line` counts the lines of this result; `file_line` is the line in the file.'
  expect(asked(messages, { where: 'line < 2' }).notes).toBe(said)
  expect(asked(messages, { where: 'file_line < 100' }).notes).toBe('')
  expect(asked(messages, { fields: ['line', 'file'] }).notes).toBe(said)
  expect(asked(messages, { fields: ['line', 'file_line'] }).notes).toBe('')
})

test('the text of a definition is told to hold those within it', () => {
  const definitions = [
    { line: 1, end: 9, name: 'A', text: 'class A … def b' },
    { line: 2, end: 9, name: 'b', within: 'A', text: 'def b' },
  ]
  expect(asked(definitions, { where: 'text contains b', fields: ['name', 'text'] }).notes).toBe(
    '`text` of a definition holds the definitions within it too.',
  )
})
