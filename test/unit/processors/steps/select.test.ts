import { describe, expect, test } from 'vitest'
import { fromRecognised, fromText, fromValue } from '../../../../src/documents/opening/derive.ts'
import { select } from '../../../../src/processors/steps/select.ts'
import type { JsonValue } from '../../../../src/protocol/json.ts'
import { verifies } from '../../../support/verifies.ts'

function rows(value: JsonValue, path: string): readonly JsonValue[] {
  const { content, error } = select.process(fromValue(value), { path })
  expect(error).toBeUndefined()
  return content.rows().items
}

const issues = { total: 40, items: Array.from({ length: 5 }, (_, n) => ({ n, labels: [{ name: `l${n}` }] })) }

verifies('S3.19 S3.26', 'makes what a path reaches the records', () => {
  expect(rows(issues, 'items[1:3]')).toEqual(issues.items.slice(1, 3))
  expect(rows(issues, '$.items[*].labels[*]')).toEqual(issues.items.map(({ labels }) => labels[0]))
  expect(rows(issues, '$..name')).toEqual(['l0', 'l1', 'l2', 'l3', 'l4'])
  expect(rows(issues, 'items[?@.n >= 3].n')).toEqual([3, 4])
})

test('one list or map is its elements, one record is itself', () => {
  const map = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`k${n}`, { size: n, unit: 'B' }]))
  expect(rows({ a: { list: [1, 2, 3] } }, 'a.list')).toEqual([1, 2, 3])
  expect(rows({ a: [[1, 2]] }, 'a[*]')).toEqual([1, 2])
  expect(rows({ definitions: map }, '$.definitions')[1]).toEqual({ _key: 'k1', size: 1, unit: 'B' })
  expect(rows({ definitions: map }, '$.definitions["k1"]')).toEqual([{ size: 1, unit: 'B' }])
  const pod = { metadata: { name: 'p', uid: 'u'.repeat(200) }, conditions: [{ a: 1 }, { a: 2 }] }
  expect(rows({ items: [pod, pod] }, 'items[0]')).toEqual([pod])
})

test('records of a map carry their key, scalars under their name', () => {
  const types = { 't3.micro': { cpu: { count: 2 } }, 't3.small': { cpu: { count: 4 } } }
  expect(rows(types, '*.cpu')).toEqual([
    { _key: 't3.micro', count: 2 },
    { _key: 't3.small', count: 4 },
  ])
  expect(rows(types, '*.cpu.count')).toEqual([
    { _key: 't3.micro', count: 2 },
    { _key: 't3.small', count: 4 },
  ])
  expect(rows({ a: 1, b: 2 }, '*')).toEqual([
    { _key: 'a', _value: 1 },
    { _key: 'b', _value: 2 },
  ])
})

test('falsy values are reached', () => {
  for (const value of [0, '', null, false]) expect(rows({ a: [value, 1] }, 'a[0:1]')).toEqual([value])
})

test('reads another case, and a name that is in the records, with a note', () => {
  const upper = select.process(fromValue(issues), { path: 'Items[*].Labels' })
  expect(upper.metadata.notes?.[0]).toContain('read as `items[*].labels`')
  const inside = select.process(fromValue(issues), { path: 'labels[*].name' })
  expect(inside.content.rows().items).toEqual(['l0', 'l1', 'l2', 'l3', 'l4'])
  expect(inside.metadata.notes?.[0]).toContain('$.items[*]')
})

test('a path that reaches nothing names what is there', () => {
  const { error, applied } = select.process(fromValue(issues), { path: '$.itmes[*].name' })
  expect(applied).toBe(false)
  expect(error).toContain('no `itmes`. Did you mean `items`?')
  const deeper = select.process(fromValue(issues), { path: 'items[*].labels[*].nam' })
  expect(deeper.error).toContain('`items[*].labels[*]` has no `nam`. Did you mean `name`?')
  const past = select.process(fromValue(issues), { path: 'items[70:80]' })
  expect(past.error).toContain('a list of 5')
})

test('a condition that holds for nothing is an answer: no records', () => {
  const { content, metadata, error } = select.process(fromValue(issues), { path: 'items[?@.n > 100]' })
  expect(error).toBeUndefined()
  expect(content.rows().items).toEqual([])
  expect(metadata).toMatchObject({ matched: 0, notes: [expect.stringContaining('`n`')] })
})

test('text has no paths', () => {
  expect(select.process(fromText('prose'), { path: 'a' }).error).toContain('proxy_search')
})

describe('what is reached are the records', () => {
  const at = (value: JsonValue, path: string) => {
    const { content, metadata, error } = select.process(fromValue(value), { path })
    expect(error).toBeUndefined()
    return { rows: content.rows().items, notes: metadata.notes ?? [] }
  }

  test('the elements of several lists, with the key of the map that they are in', () => {
    const data = [{ id: 1, tags: ['a', 'b'] }, { id: 2, tags: [] }, { id: 3, tags: ['c'] }, { id: 4 }]
    expect(at(data, 'tags').rows).toEqual(['a', 'b', 'c'])
    expect(at(data, '$..tags').notes.join()).toContain('reaches 3 lists: their 3 elements are the records')
    const map = { 'x-1': { on: [{ n: 1 }] }, 'x-2': { on: [{ n: 2 }, { n: 3 }] }, 'x-3': { on: [] } }
    expect(at(map, '$.*.on').rows).toEqual([
      { _key: 'x-1', n: 1 },
      { _key: 'x-2', n: 2 },
      { _key: 'x-2', n: 3 },
    ])
    expect(at(data, '$[*].tags[0]').rows).toEqual(['a', 'c'])
  })

  test('the values of maps', () => {
    const shapes = Object.fromEntries(
      Array.from({ length: 12 }, (_, n) => [`Shape${n}`, n % 2 ? { type: 'a' } : { kind: 'b', n }]),
    )
    const { rows, notes } = at({ version: 1, shapes }, 'shapes')
    expect(rows).toHaveLength(12)
    expect(rows[1]).toEqual({ _key: 'Shape1', type: 'a' })
    expect(notes.join()).toMatch(/read as a map|^$/)
    const record = { id: 1, settings: { colour: 'red', size: 'big', depth: 'low' } }
    expect(at(record, 'settings').rows).toEqual([record.settings])
  })

  test('characters of a text, and lines of one', () => {
    expect(at({ body: 'abcdefgh' }, 'body[2:5]').rows).toEqual(['cde'])
    expect(at({ body: 'abcdefgh' }, 'body[-3:]').rows).toEqual(['fgh'])
    expect(at({ body: 'abcdefgh' }, 'body[6:]').notes).toEqual(['Characters 6-8 of 8.'])
    const text = fromText('one\ntwo\nthree\nfour')
    expect(select.process(text, { path: '[1:3]' }).content.rows().items).toEqual(['two', 'three'])
    expect(select.process(text, { path: '[2][1:4]' }).content.rows().items).toEqual(['hre'])
    expect(select.process(text, { path: 'name' }).error).toContain('text without fields')
  })
})

describe('several small maps of records are one collection', () => {
  const member = (n: number) => ({ email: `u${n}@example.org`, role: n % 2 ? 'dev' : 'ops' })
  const small = {
    teams: [0, 1, 2].map((team) => ({
      name: `t${team}`,
      members: { [`ann${team}`]: member(team), [`bob${team}`]: member(team + 1) },
    })),
  }

  test('their records carry their keys, and the reply says how many maps there are', () => {
    const { content, metadata } = select.process(fromValue(small), { path: '$.teams[*].members' })
    expect(content.rows().items).toHaveLength(6)
    expect(content.rows().items[0]).toEqual({ _key: 'ann0', ...member(0) })
    expect(metadata.notes?.join()).toContain('reaches 3 maps: their 6 elements are the records')
  })

  test('objects with the same keys are records', () => {
    const limits = { cpu: 1, memory: 2 }
    const pods = { pods: [0, 1, 2].map(() => ({ resources: { limits, requests: limits, peaks: limits } })) }
    expect(rows(pods, '$.pods[*].resources')).toHaveLength(3)
  })

  test('a null among lists leaves them lists', () => {
    const value = { a: [{ tags: null }, { tags: [1, 2] }, { tags: [3] }] }
    const { metadata } = select.process(fromValue(value), { path: '$.a[*].tags' })
    expect(metadata.notes?.join()).toContain('3 lists')
  })
})

describe('the heading of a table in Markdown', () => {
  const table = (heading: string, count: number) =>
    `## ${heading}\n\n| Name | Type |\n| --- | --- |\n${Array.from({ length: count }, (_, n) => `| ${heading}_${n} | text |`).join('\n')}\n`
  const text = `# Module\n\n${['Inputs', 'Outputs', 'Data sources', 'Examples', 'Examples'].map((heading, n) => table(heading, n + 2)).join('\n')}`
  const document = fromRecognised(text)

  test.each([
    ['Inputs', 0, 2],
    ['outputs', 1, 3],
    ['$.tables.Outputs', 1, 3],
    ['Data sources', 2, 4],
  ])('%s is that table, and that is told', (path, at, count) => {
    const { content, metadata, error } = select.process(document, { path })
    expect(error).toBeUndefined()
    expect(content.rows().count).toBe(count)
    expect(metadata.notes?.join()).toContain(`the table below that heading, \`$.tables[${at}]\`.`)
  })

  test('of several tables is refused with their paths', () => {
    expect(select.process(document, { path: 'examples' }).error).toContain(
      'name one of `$.tables[3]`, `$.tables[4]`',
    )
    expect(select.process(document, { path: 'Nothing' }).error).toContain('There are: `sections`, `tables`')
  })
})

test.each(['Install', '## Install'])(
  'the heading %s of a section without a table is that section',
  (path) => {
    const parts = ['Install', 'Run', 'Stop', 'Remove'].map((name) => `## ${name}\n\nHow to ${name}.\n`)
    const { content, metadata } = select.process(fromRecognised(`# Guide\n\n${parts.join('\n')}`), { path })
    expect(content.rows().items).toMatchObject([{ heading: 'Install', text: 'How to Install.' }])
    expect(metadata.notes).toEqual(['`sections.Install` read as `sections[?@.heading == "Install"]`.'])
  },
)
