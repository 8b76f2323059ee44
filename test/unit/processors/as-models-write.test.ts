/** Questions as models put them when they have not looked closely: what is clear is answered, the rest says where to look. */
import { describe, expect, test } from 'vitest'
import { fromText, fromValue } from '../../../src/documents/opening/derive.ts'
import { filterParams } from '../../../src/processors/parameters.ts'
import { grep } from '../../../src/processors/search/grep.ts'
import { aggregate } from '../../../src/processors/steps/group.ts'
import { select } from '../../../src/processors/steps/select.ts'
import { sort } from '../../../src/processors/steps/sort.ts'
import { where } from '../../../src/processors/steps/where.ts'
import type { JsonValue } from '../../../src/protocol/json.ts'

const issues = [
  {
    n: 1,
    user: { login: 'ann', id: 7 },
    labels: [{ id: 1, name: 'bug' }],
    draft: true,
    assignee: null,
    made: '2024-03-02',
  },
  {
    n: 2,
    user: { login: 'bo', id: 8 },
    labels: [{ id: 2, name: 'docs' }],
    draft: false,
    assignee: { login: 'ann' },
    made: '2024-04-02',
  },
  { n: 3, user: { login: 'ann', id: 7 }, labels: [], draft: false, assignee: null, made: '2024-03-09' },
  {
    n: 4,
    user: { login: 'cy', id: 9 },
    labels: [{ id: 1, name: 'bug' }],
    draft: true,
    assignee: null,
    made: '2024-05-01',
  },
]
const page = { total: 4, cursor: { next: 'abc' }, items: issues, people: [{ nick: 'a' }, { nick: 'b' }] }

/** The numbers of the issues found. */
function found(condition: unknown, value: JsonValue = page) {
  const read = filterParams.shape.where.safeParse(condition)
  const { content, error } = where.process(fromValue(value), { where: read.data })
  return error ?? content.rows().items.map((item) => (item as { n: number }).n)
}

describe('conditions', () => {
  test.each([
    ['user = ann', [1, 3]],
    ['labels = bug', [1, 4]],
    ['label = bug', [1, 4]],
    ['user in (bo, cy)', [2, 4]],
    ['draft', [1, 4]],
    ['!draft', [2, 3]],
    ['not assignee', [1, 3, 4]],
    ['draft = yes', [1, 4]],
    ['draft = 0', [2, 3]],
    ['user.login.startsWith("a")', [1, 3]],
    [{ draft: true }, [1, 4]],
    [{ 'user.login': 'ann', n: { $gt: 1 } }, [3]],
    [{ field: 'n', op: '>=', value: 3 }, [3, 4]],
    [
      [{ n: { in: [1, 4] } }, 'draft'],
      [1, 4],
    ],
  ])('%j', (condition, numbers) => {
    expect(found(condition)).toEqual(numbers)
  })

  test.each(['nick = a', 'people.nick = a'])(
    'a field of another list, and the reply says so: %s',
    (condition) => {
      const { content, metadata } = where.process(fromValue(page), { where: [condition] })
      expect(content.rows().items).toEqual([{ nick: 'a' }])
      expect(metadata.notes?.[0]).toContain('`$.people`')
    },
  )

  test('a field of two other lists is no guess: one of them is named with its path', () => {
    expect(found('nick = a', { ...page, others: [{ nick: 'a' }, { nick: 'c' }] })).toContain(
      'add "path": "$.',
    )
  })

  test('the key of a map, by any name', () => {
    const map = { '#W1': { n: 1, name: 'x' }, '#W2': { n: 2, name: 'y' }, '#W3': { n: 3, name: 'z' } }
    expect(found('order_id = #W2', map)).toEqual([2])
    const { metadata } = where.process(fromValue(map), { where: ['name = #W2'] })
    expect(metadata.notes).toEqual([
      '`name = #W2` matches none: it is the key of a record; write `_key = #W2`.',
    ])
  })

  test('a name with a blank deep down', () => {
    const rows = [1, 2, 3, 4].map((n) => ({ n, properties: { 'Due Date': n > 2 ? null : '2024-01-01' } }))
    expect(found('due date is null', rows)).toEqual([3, 4])
  })

  test('null exists, and that is said', () => {
    const { metadata } = where.process(fromValue(page), { where: ['assignee exists'] })
    expect(metadata).toMatchObject({ matched: 4 })
    expect(metadata.notes?.[0]).toContain('`assignee is not null` leaves them out')
  })

  test('values without fields have any name', () => {
    const { content, metadata } = where.process(fromText('a 1\nb 2\nc 1'), { where: ['line ends with 1'] })
    expect(content.rows().items).toEqual(['a 1', 'c 1'])
    expect(metadata.notes?.[0]).toContain('read as the value itself')
  })
})

describe('groups and sums', () => {
  const rows = (params: object, value: JsonValue = page) =>
    aggregate.process(fromValue(value), filterParams.parse(params)).content.rows().items

  test.each(['made:month', 'month(made)', 'made by month'])('%s', (group_by) => {
    expect(rows({ group_by })).toContainEqual({ 'made:month': '2024-03', count: 2 })
  })

  test('objects are grouped by their names', () => {
    expect(rows({ group_by: 'user' })).toEqual([
      { 'user.login': 'ann', count: 2 },
      { 'user.login': 'bo', count: 1 },
      { 'user.login': 'cy', count: 1 },
    ])
  })

  test.each(['SUM(n)', 'sum n', 'total(n)'])('%s', (calls) => {
    expect(rows({ aggregate: calls })).toEqual([{ 'sum(n)': 10 }])
  })
  test('a name of its own', () =>
    expect(rows({ aggregate: 'SUM(n) as total, avg n as "the mean"' })).toEqual([
      { total: 10, 'the mean': 2.5 },
    ]))
  test('an object', () => expect(rows({ aggregate: { sum: 'n' } })).toEqual([{ 'sum(n)': 10 }]))
  test.each([
    [{ total: 'sum(n)' }, [{ total: 10 }]],
    [{ sum: 'sum(n)', records: 'count(*)' }, [{ sum: 10, records: 4 }]],
    [{ mean: 'round(avg(n), 0)' }, [{ mean: 3 }]],
    [{ sum: 'abs(n)' }, [{ 'sum(abs(n))': 10 }]],
  ])('an object that names its columns: %j', (aggregate, expected) =>
    expect(rows({ aggregate })).toEqual(expected),
  )

  test('durations and sizes, in a unit that is told', () => {
    const { content, metadata } = aggregate.process(fromValue([{ d: '500ms' }, { d: '1.5s' }, { d: null }]), {
      aggregate: ['avg(d)', 'max(d)'],
    })
    expect(content.rows().items).toEqual([{ 'avg(d)': 1000, 'max(d)': '1.5s' }])
    expect(metadata.notes).toContain('avg of `d` is in milliseconds.')
  })

  test('values with units, in a unit that is told, or in several', () => {
    const ask = (values: string[]) =>
      aggregate.process(fromValue(values.map((t) => ({ t }))), { aggregate: ['avg(t)'] })
    const same = ask(['20 °C', '30 °C'])
    expect(same.content.rows().items).toEqual([{ 'avg(t)': 25 }])
    expect(same.metadata.notes).toContain('avg of `t` is in °C.')
    expect(ask(['20 °C', '60 °F']).metadata.notes?.join()).toContain('The values of `t` are in °C, °F')
    expect(ask(['20 likes', '1.2K likes']).content.rows().items).toEqual([{ 'avg(t)': 610 }])
  })

  test('a sum of no numbers is none; one of huge numbers is rounded, and says so', () => {
    expect(rows({ aggregate: 'sum(v)' }, [{ v: 'a' }, { v: 'b' }])).toEqual([{ 'sum(v)': null }])
    const { metadata } = aggregate.process(fromValue([{ v: '12345678901234567890' }, { v: '1' }]), {
      aggregate: ['sum(v)'],
    })
    expect(metadata.notes).toContain('`v` has numbers of more than 15 digits: sum is rounded.')
  })
})

test('orders', () => {
  const numbers = (given: unknown) =>
    sort
      .process(fromValue(issues), { sort: filterParams.shape.sort.parse(given) })
      .content.rows()
      .items.map((item) => (item as { n: number }).n)
  for (const given of ['desc n', { n: 'desc' }, [{ field: 'n', order: 'desc' }], 'n descending'])
    expect(numbers(given)).toEqual([4, 3, 2, 1])
})

describe('paths', () => {
  test.each([
    ['next', page, 'abc'],
    ['items[1].n', issues, 2],
    ['records[?@.draft].n', issues, 1],
    ['[1].n', page, 2],
    ['$[?(@.n == 3)].user.login', page, 'ann'],
  ])('%s', (path, value, first) => {
    const { content, metadata } = select.process(fromValue(value), { path })
    expect(content.rows().items[0]).toEqual(first)
    expect(metadata.notes).toHaveLength(1)
  })
})

test('a pattern in quotes that stand nowhere is read without them, and this is said', () => {
  const { content, metadata } = grep.process(fromText('please rotate the key\nand more'), {
    pattern: '"rotate"',
  })
  expect(content.rows().items).toEqual(['1: please rotate the key'])
  expect(metadata.notes?.join()).toContain('read without the quotes')
})
