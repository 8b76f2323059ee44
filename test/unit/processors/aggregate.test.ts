import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromRows, fromText, fromValue } from '../../../src/documents/opening/derive.ts'
import { aggregate, parseCall } from '../../../src/processors/steps/group.ts'
import type { JsonValue } from '../../../src/protocol/json.ts'
import { Refusal } from '../../../src/query/refusal.ts'
import { verifies } from '../../support/verifies.ts'

const orders: JsonValue[] = [
  {
    state: 'open',
    price: 0.1,
    at: '2024-05-01T10:00:00Z',
    user: { login: 'ann' },
    items: [{ price: 1 }, { price: 2 }],
    tags: ['a', 'b'],
  },
  {
    state: 'open',
    price: 0.2,
    at: '2024-05-20',
    user: { login: 'bob' },
    items: [{ price: 10 }],
    tags: ['a'],
  },
  { state: 'shut', price: '5', at: '2024-06-01', user: { login: 'ann' }, items: [], tags: [] },
  { state: null, price: null, at: 'never', user: { login: 'cy' }, tags: ['b'] },
  { price: 'n/a', at: '2025-01-01', user: { login: 'ann' }, tags: ['a'] },
]

function rows(params: { group_by?: unknown; aggregate?: unknown }): readonly JsonValue[] {
  const { content, error } = aggregate.process(fromRows({ noun: 'record', items: orders }), params as never)
  expect(error).toBeUndefined()
  expect(content.rows().noun).toBe('group')
  return content.rows().items
}

verifies('S3.26', 'groups with counts, largest first', () => {
  expect(rows({ group_by: 'user.login' })).toEqual([
    { 'user.login': 'ann', count: 3 },
    { 'user.login': 'bob', count: 1 },
    { 'user.login': 'cy', count: 1 },
  ])
  expect(rows({ group_by: 'state' })).toEqual([
    { state: 'open', count: 2 },
    { state: 'shut', count: 1 },
    { state: null, count: 1 },
  ])
})

test('groups by parts of dates, by values in lists, and by several fields', () => {
  expect(rows({ group_by: 'at:month' })).toEqual([
    { 'at:month': '2024-05', count: 2 },
    { 'at:month': '2024-06', count: 1 },
    { 'at:month': '2025-01', count: 1 },
  ])
  expect(rows({ group_by: 'at:year' })[0]).toEqual({ 'at:year': '2024', count: 3 })
  expect(rows({ group_by: 'at:hour' })[0]).toEqual({ 'at:hour': '2024-05-01T10', count: 1 })
  expect(rows({ group_by: 'tags' })).toEqual([
    { tags: 'a', count: 3 },
    { tags: 'b', count: 2 },
  ])
  expect(rows({ group_by: ['user.login', 'state'] })[0]).toEqual({
    'user.login': 'ann',
    state: 'open',
    count: 1,
  })
})

verifies('S3.26', 'computes over all records, decimals as written', () => {
  expect(rows({ aggregate: 'count, sum(price), avg(price), min(price), max(price), median(price)' })).toEqual(
    [
      {
        count: 5,
        'sum(price)': 5.3,
        'avg(price)': 1.76666666667,
        'min(price)': '5',
        'max(price)': '5',
        'median(price)': 0.2,
      },
    ].map((row) => ({ ...row, 'min(price)': 0.1 })),
  )
  expect(rows({ aggregate: ['sum(items.price)', 'count(items.price)'] })).toEqual([
    { 'sum(items.price)': 13, 'count(items.price)': 3 },
  ])
  expect(rows({ aggregate: 'distinct(user.login)' })).toEqual([
    {
      'distinct(user.login)': 3,
      'values of user.login': [
        ['ann', 3],
        ['bob', 1],
        ['cy', 1],
      ],
    },
  ])
})

test('computes per group, sorted by the first function', () => {
  expect(rows({ group_by: 'user.login', aggregate: 'sum(price), distinct(state)' })).toEqual([
    { 'user.login': 'ann', 'sum(price)': 5.1, 'distinct(state)': 2 },
    { 'user.login': 'bob', 'sum(price)': 0.2, 'distinct(state)': 1 },
    { 'user.login': 'cy', 'sum(price)': 0, 'distinct(state)': 0 },
  ])
})

test('a function of * is about each field with numbers, and few remarks say the same', () => {
  const years = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`y ${at}`, '1,000']))
  const rows = [
    { name: 'a', n: 1, ok: true, ...years },
    { name: 'b', n: 3, ok: false, ...years },
  ]
  const { content, metadata } = aggregate.process(fromValue(rows), { aggregate: ['sum(*)'] })
  const sums = Object.fromEntries(Object.keys(years).map((name) => [`sum(${name})`, 2000]))
  expect(content.rows().items).toEqual([{ 'sum(n)': 4, ...sums }])
  expect(metadata.notes).toHaveLength(4)
  expect(metadata.notes?.at(-1)).toBe('The same is true of 6 more.')
})

test.each(['sum(spent)/3600', '2*avg(spent)-3', 'sum(spent)/sum(planned)'])(
  'a sign after a bracket belongs to no name: %s',
  (call) => {
    const items = [{ f: { spent: 3600, planned: 7200 } }, { f: { spent: 7200, planned: 3600 } }]
    const { content, metadata, error } = aggregate.process(fromValue(items), { aggregate: [call] })
    expect(error).toBeUndefined()
    const values: Record<string, number> = { 'sum(spent)/3600': 3, '2*avg(spent)-3': 10_797 }
    expect(content.rows().items).toEqual([{ [call]: values[call] ?? 1 }])
    expect(metadata.notes).toContain('`spent` read as `f.spent`.')
  },
)

test('of true and false there is a share, which is told', () => {
  const items = [{ paid: true }, { paid: false }, { paid: null }]
  const { metadata } = aggregate.process(fromValue(items), { aggregate: ['avg(paid)'] })
  expect(metadata.notes).toContain(
    '`paid` is true or false: `percent(paid = true)` is the share of true, `count_if(paid = true)` how many.',
  )
  const mixed = aggregate.process(fromValue([...items, { paid: 'x' }]), { aggregate: ['avg(paid)'] })
  expect(mixed.metadata.notes).toContain('3 of 3 values of `paid` are no numbers and were left out.')
})

test('says what it left out', () => {
  const { metadata } = aggregate.process(fromValue(orders), {
    group_by: ['state', 'tags'],
    aggregate: ['sum(price)'],
  })
  expect(metadata).toMatchObject({ total: 5 })
  expect(metadata.notes).toEqual([
    "`price` is the record's own; there is also `items.price` (1, 2).",
    '1 of 5 have no `price`.',
    '1 of 4 values of `price` are no numbers and were left out.',
    '1 of 5 have no `state` and are in no group.',
    '1 of 5 have no `tags`, or an empty list, and are in no group.',
    'Records with several values are counted in each of their groups.',
  ])
})

test('without records the numbers are those of nothing', () => {
  const { content } = aggregate.process(fromRows({ noun: 'record', items: [] }), {
    aggregate: ['count', 'sum(x)', 'avg(x)'],
  })
  expect(content.rows().items).toEqual([{ count: 0, 'sum(x)': 0, 'avg(x)': null }])
  expect(
    aggregate.process(fromRows({ noun: 'record', items: [] }), { group_by: ['x'] }).content.rows().items,
  ).toEqual([])
})

test('hostile names are data', () => {
  const data = JSON.parse('[{"__proto__":"x"},{"__proto__":"x"},{"__proto__":"__proto__"},{"a":1}]')
  const { content } = aggregate.process(fromValue(data), {
    group_by: ['__proto__'],
    aggregate: ['distinct(__proto__)'],
  })
  expect(JSON.stringify(content.rows().items)).toBe(
    '[{"__proto__":"x","distinct(__proto__)":1},{"__proto__":"__proto__","distinct(__proto__)":1}]',
  )
})

describe('functions', () => {
  test.each([
    ['count', 'count', undefined],
    ['count()', 'count', undefined],
    ['count(*)', 'count', undefined],
    ['COUNT(x)', 'count', 'x'],
    ['sum(price)', 'sum', 'price'],
    ['sum( items.price )', 'sum', 'items.price'],
    ['sum price', 'sum', 'price'],
    ['sum:price', 'sum', 'price'],
    ['price:sum', 'sum', 'price'],
    ['average of price', 'avg', 'price'],
    ['count(distinct x)', 'distinct', 'x'],
    ['unique(x)', 'distinct', 'x'],
  ])('%s', (written, name, field) => {
    expect(parseCall(written)).toEqual({ name, field })
  })

  test.each([
    ['sum', 'sum(price)'],
    ['mystery(x)', 'median'],
    ['percentile(x)', 'p90'],
    ['p(x)', 'median'],
    ['', 'count'],
    ['constructor(x)', 'count'],
  ])('not %j', (written, hint) => {
    expect(() => parseCall(written)).toThrow(Refusal)
    expect(() => parseCall(written)).toThrow(hint)
  })

  test('counts the lines of text', () => {
    const { content } = aggregate.process(fromText('one\ntwo'), { aggregate: ['count'] })
    expect(content.rows().items).toEqual([{ count: 2 }])
  })

  test('sums of decimals are exact', () => {
    const cents = fc.array(fc.integer({ min: -1_000_000, max: 1_000_000 }), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(cents, (values) => {
        const exact = values.reduce((sum, value) => sum + value, 0)
        const decimals = values.map((value) => value / 100)
        const { content } = aggregate.process(
          fromRows({ noun: 'record', items: decimals.map((v) => ({ v })) }),
          {
            aggregate: ['sum(v)', 'min(v)', 'max(v)', 'distinct(v)'],
          },
        )
        expect(content.rows().items[0]).toMatchObject({
          'sum(v)': exact / 100 + 0,
          'min(v)': Math.min(...decimals),
          'max(v)': Math.max(...decimals),
          'distinct(v)': new Set(decimals.map((value) => value + 0)).size,
        })
      }),
    )
  })

  test('groups hold every record once', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ k: fc.constantFrom('a', 'b', 1, null, true), v: fc.integer() }), {
          minLength: 1,
        }),
        (data) => {
          const { content } = aggregate.process(fromRows({ noun: 'record', items: data }), {
            group_by: ['k'],
            aggregate: ['count', 'sum(v)'],
          })
          const groups = content.rows().items as { k: JsonValue; count: number; 'sum(v)': number }[]
          expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(data.length)
          for (const { k, count, 'sum(v)': sum } of groups) {
            const members = data.filter((one) => one.k === k)
            expect(count).toBe(members.length)
            expect(sum).toBe(members.reduce((total, { v }) => total + v, 0))
          }
        },
      ),
    )
  })
})

describe('times without a year', () => {
  const items = ['Mar  3 10:11:12', 'Mar  3 23:00:00', 'Apr 14 01:00:00'].map((time) => ({ time }))
  const grouped = (group_by: string) => {
    const { content, metadata } = aggregate.process(fromRows({ noun: 'record', items }), {
      group_by: [group_by],
    })
    return { rows: content.rows().items, notes: metadata.notes ?? [] }
  }

  test.each(['time:year', 'year(time)', 'time:week', 'time:weekday'])(
    '%s cannot be told: the reply says why, and what can be',
    (group_by) => {
      const { rows, notes } = grouped(group_by)
      expect(rows).toEqual([])
      expect(notes).toContain(
        '`time` is written without a year: group by `time:month`, `time:day`, `time:hour`.',
      )
    },
  )

  test('months, days and hours are told without one', () => {
    expect(grouped('time:month')).toEqual({
      rows: [
        { 'time:month': '03', count: 2 },
        { 'time:month': '04', count: 1 },
      ],
      notes: [],
    })
    expect(grouped('time:day').rows[0]).toEqual({ 'time:day': '03-03', count: 2 })
    expect(grouped('time:hour').rows).toContainEqual({ 'time:hour': '03-03T10', count: 1 })
  })
})

describe('groups by texts with several values', () => {
  const tags = ['home', 'errand', 'urgent']
  const of = (between: string, name = 'Tags'): JsonValue[] =>
    Array.from({ length: 8 }, (_, n) => ({
      id: n,
      [name]: tags.filter((_, at) => (n >> at) % 2 === 1).join(between),
    }))
  const ask = (items: JsonValue[], group_by: string[]) => {
    const { content, metadata, error } = aggregate.process(fromRows({ noun: 'record', items }), { group_by })
    expect(error).toBeUndefined()
    return { rows: content.rows().items, notes: metadata.notes?.join('\n') ?? '' }
  }

  test.each([
    [', ', 'Tags', 'Tags'],
    ['; ', 'Tags', 'Tags'],
    [',', 'Assigned to', '["Assigned to"]'],
  ])('parted by %j: the reply says how to group by each', (between, name, field) => {
    const call = `split(${field}, '${between}')`
    expect(ask(of(between, name), [name]).notes).toContain(
      `A text has several values: group by \`${call}\` for a group of each.`,
    )
    const each = ask(of(between, name), [call])
    expect(each.rows).toContainEqual({ [call]: 'errand', count: 4 })
    expect(each.notes).not.toContain('several values:')
  })

  test('are no numbers, and no texts with parts of their own', () => {
    const places = ['Bonn, Germany', 'Kiel, Germany', 'Lyon, France', 'Nice, France']
    const numbers = Array.from({ length: 25 }, (_, n) => ({ n: `${Math.floor(n / 5)},${n % 5}` }))
    const people = Array.from({ length: 16 }, (_, n) => ({ who: `Last${n % 4}, First${Math.floor(n / 4)}` }))
    for (const items of [places.map((place) => ({ place })), numbers, people])
      expect(ask(items, Object.keys(items[0] ?? {})).notes).not.toContain('several values')
  })
})
