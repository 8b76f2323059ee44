/** The parts of one call beyond fields: expressions, conditional and paired aggregates, distinct, unnest, lists against each other. */
import { describe, expect, test } from 'vitest'
import type { Document } from '../../../src/documents/document.ts'
import { combine } from '../../../src/documents/opening/combine.ts'
import { fromRecognised, fromText, fromValue } from '../../../src/documents/opening/derive.ts'
import { filterParams } from '../../../src/processors/parameters.ts'
import { runPipeline } from '../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../src/processors/pipelines.ts'
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts'
import { deepFreeze } from '../../support/deep-freeze.ts'

const orders: JsonObject[] = [
  {
    id: 1,
    name: 'ann smith',
    state: 'open',
    price: 10.5,
    qty: 2,
    tags: ['a', 'b'],
    created: '2024-01-03',
    closed: '2024-01-10',
    email: 'ann@x.org',
    items: [
      { sku: 'p', n: 2 },
      { sku: 'q', n: 1 },
    ],
  },
  {
    id: 2,
    name: 'bob jones',
    state: 'closed',
    price: 30,
    qty: 1,
    tags: ['b'],
    created: '2024-01-05',
    closed: null,
    email: 'bob@y.org',
    items: [{ sku: 'p', n: 5 }],
  },
  {
    id: 3,
    name: 'cat smith',
    state: 'open',
    price: 20,
    qty: 4,
    tags: [],
    created: '2024-02-05',
    closed: '2024-02-06',
    email: 'cat@x.org',
    items: [],
  },
]
deepFreeze(orders)

function ask(document: Document, params: Record<string, unknown>) {
  const { document: found, error, steps } = runPipeline(document, filterSteps, filterParams.parse(params))
  const notes = steps.flatMap(({ metadata }) => metadata.notes ?? [])
  return { rows: [...found.rows().items], error, notes }
}

test.each<[Record<string, string>, JsonValue[]]>([
  [
    { fields: 'id, price * qty as total' },
    [
      { id: 1, total: 21 },
      { id: 2, total: 30 },
      { id: 3, total: 80 },
    ],
  ],
  [{ fields: 'id, total = price * qty', where: 'id = 1' }, [{ id: 1, total: 21 }]],
  [{ fields: "state + '-' + name as key", where: 'id = 1' }, [{ key: 'open-ann smith' }]],
  [{ fields: 'price + qty as sum', where: 'id = 1' }, [{ sum: 12.5 }]],
  [{ aggregate: '50th percentile of price as mid' }, [{ mid: 20 }]],
  [{ sort: 'price DESC NULLS LAST', fields: 'id' }, [{ id: 2 }, { id: 3 }, { id: 1 }]],
  [
    { group_by: 'state', aggregate: 'sum(qty)', sort: 'asc' },
    [
      { state: 'closed', 'sum(qty)': 1 },
      { state: 'open', 'sum(qty)': 6 },
    ],
  ],
  [
    { group_by: 'state', aggregate: 'sum(qty) as desc', sort: 'desc' },
    [
      { state: 'closed', desc: 1 },
      { state: 'open', desc: 6 },
    ],
  ],
  [{ aggregate: 'count where price > 15' }, [{ 'count where price > 15': 2 }]],
  [{ aggregate: 'sum(qty) where price > 15 as n' }, [{ n: 5 }]],
  [{ aggregate: 'sum qty where price > 15 as n' }, [{ n: 5 }]],
  [{ aggregate: 'percentage where id < 3 as part' }, [{ part: 66.6666666667 }]],
  [
    { fields: "upper(name), split(email, '@', 2) as domain", where: 'id = 1' },
    [{ 'upper(name)': 'ANN SMITH', domain: 'x.org' }],
  ],
  [
    { fields: "id, date_diff('day', created, closed) as days", where: 'closed is not null' },
    [
      { id: 1, days: 7 },
      { id: 3, days: 1 },
    ],
  ],
  [
    { fields: "case when price > 15 then 'dear' else 'cheap' end as kind" },
    [{ kind: 'cheap' }, { kind: 'dear' }, { kind: 'dear' }],
  ],
  [{ where: 'price * qty > 25', fields: 'id' }, [{ id: 2 }, { id: 3 }]],
  [{ sort: '-price * qty', fields: 'id' }, [{ id: 3 }, { id: 2 }, { id: 1 }]],
  [
    { group_by: "split(email, '@', 2) as domain", aggregate: 'sum(price * qty) as revenue' },
    [
      { domain: 'x.org', revenue: 101 },
      { domain: 'y.org', revenue: 30 },
    ],
  ],
  [
    { group_by: "extract(name, '(\\w+)$') as last", aggregate: 'count' },
    [
      { last: 'smith', count: 2 },
      { last: 'jones', count: 1 },
    ],
  ],
  [
    { group_by: 'state', aggregate: 'sum(price)/sum(qty) as unit, count' },
    [
      { state: 'open', count: 2, unit: expect.closeTo(5.0833, 3) as unknown as number },
      { state: 'closed', count: 1, unit: 30 },
    ],
  ],
  [
    { group_by: 'state', aggregate: 'sum(price*qty)/count as each' },
    [
      { state: 'open', each: 50.5 },
      { state: 'closed', each: 30 },
    ],
  ],
  [{ aggregate: 'max(price) - min(price) as spread' }, [{ spread: 19.5 }]],
  [
    { group_by: 'state', aggregate: 'COUNT(*) * 100 / 4 as share', sort: 'COUNT(*) desc' },
    [
      { state: 'open', count: 2, share: 50 },
      { state: 'closed', count: 1, share: 25 },
    ],
  ],
  [
    { group_by: 'state', aggregate: 'MAX(price)', sort: 'MAX(price) desc' },
    [
      { state: 'closed', 'max(price)': 30 },
      { state: 'open', 'max(price)': 20 },
    ],
  ],
  [
    { group_by: 'state', aggregate: 'sum(qty) as n', where: 'SUM(price)/2 > 15' },
    [{ state: 'open', n: 6, 'sum(price)': 30.5 }],
  ],
  [{ aggregate: 'sum(closed is null) as waiting' }, [{ waiting: 1 }]],
  [
    { group_by: 'qty % 2 = 0 as even', sort: 'even' },
    [
      { even: false, count: 1 },
      { even: true, count: 2 },
    ],
  ],
  [
    { fields: 'id, price > 15 as dear', where: 'id < 3' },
    [
      { id: 1, dear: false },
      { id: 2, dear: true },
    ],
  ],
  [
    { group_by: 'state', where: 'count(distinct "name") > 1', aggregate: 'count' },
    [{ state: 'open', count: 2, 'distinct(name)': 2 }],
  ],
  [{ where: "'ann smith' in (state, name)", fields: 'id' }, [{ id: 1 }]],
  [
    { where: 'id = 1', fields: "substring_index(email, '@', -1) as host, monthname(created) as month" },
    [{ host: 'x.org', month: 'January' }],
  ],
  [
    {
      where: 'id = 1 and closed > date_sub(closed, interval 2 day)',
      fields: 'id, date_add(created, interval 1 month) as next',
    },
    [{ id: 1, next: '2024-02-03' }],
  ],
  [
    { fields: 'id, sum(qty) over (order by id rows between 1 preceding and 1 preceding) as before' },
    [
      { id: 1, before: null },
      { id: 2, before: 2 },
      { id: 3, before: 1 },
    ],
  ],
  [
    { fields: 'id', sort: "length(name) - length(replace(name, 'n', '')) desc", where: 'id < 3' },
    [{ id: 1 }, { id: 2 }],
  ],
  [
    { aggregate: "string_agg(name, '; ' order by price desc) as names" },
    [{ names: 'bob jones; cat smith; ann smith' }],
  ],
  [
    { aggregate: 'array_agg(id ORDER BY created DESC) as ids, first(name) as last' },
    [{ ids: [3, 2, 1], last: 'cat smith' }],
  ],
  [
    {
      aggregate:
        'percentile_cont(0.5) within group (order by price) as median, mode() within group (order by state) as state',
    },
    [{ median: 20, state: 'open' }],
  ],
  [{ where: "created < DATE '2024-01-04' + INTERVAL '1 month'", fields: 'id' }, [{ id: 1 }, { id: 2 }]],
  [
    { where: "created between '2024-01-04' and date '2024-01-04' + interval 1 day", fields: 'id' },
    [{ id: 2 }],
  ],
  [
    { where: "closed > created + interval '3 days'", fields: "id, created + interval '1 week' as due" },
    [{ id: 1, due: '2024-01-10' }],
  ],
  [{ where: "'b' = ANY(tags)", fields: 'id' }, [{ id: 1 }, { id: 2 }]],
  [
    { where: 'id = 1', fields: "json_extract(items, '$[1].sku') as sku, date_format(created, '%w') as day" },
    [{ sku: 'q', day: '3' }],
  ],
  [{ where: 'price > 100', group_by: 'upper(state)', aggregate: 'sum(price * qty)' }, []],
  [
    {
      aggregate:
        'count_if(state = open) as open, count(state = closed), avg(qty > 1) as share, count(*) filter (where price > 15) as dear',
    },
    [{ open: 2, 'count(state = closed)': 1, share: expect.closeTo(0.6667, 3) as unknown as number, dear: 2 }],
  ],
  [
    { group_by: 'state', aggregate: '100.0 * count_if(qty > 1) / count as pct', sort: 'state' },
    [
      { state: 'closed', pct: 0 },
      { state: 'open', pct: 100 },
    ],
  ],
  [
    {
      aggregate:
        'first(id), last(id), top(price, 2), bottom(price, 1), collect(id), mode(state), arg_max(name, price), string_agg(state, "-")',
    },
    [
      {
        'first(id)': 1,
        'last(id)': 3,
        'top(price, 2)': [30, 20],
        'bottom(price, 1)': [10.5],
        'collect(id)': [1, 2, 3],
        'mode(state)': 'open',
        'arg_max(name, price)': 'bob jones',
        'string_agg(state)': 'open-closed-open',
      },
    ],
  ],
  [{ fields: 'distinct state' }, [{ state: 'open' }, { state: 'closed' }]],
  [
    { fields: "distinct(state), case when qty > 1 then 'many' else 'one' end as size" },
    [
      { state: 'open', size: 'many' },
      { state: 'closed', size: 'one' },
    ],
  ],
  [
    { fields: 'id, unnest(items).sku as sku' },
    [
      { id: 1, sku: 'p' },
      { id: 1, sku: 'q' },
      { id: 2, sku: 'p' },
    ],
  ],
  [
    { fields: 'unnest(items) as item, item.sku as sku', where: 'item.n > 1' },
    [
      { item: { sku: 'p', n: 2 }, sku: 'p' },
      { item: { sku: 'p', n: 5 }, sku: 'p' },
    ],
  ],
  [
    { group_by: 'unnest(tags)', aggregate: 'count' },
    [
      { tags: 'b', count: 2 },
      { tags: 'a', count: 1 },
    ],
  ],
])('%j', (params, expected) => {
  const { rows, error } = ask(fromValue({ orders }), params)
  expect(error).toBeUndefined()
  expect(rows).toEqual(expected)
})

test('sorting by a list says what was compared', () => {
  const { notes } = ask(fromValue({ orders }), { sort: '-tags' })
  expect(notes.join()).toMatch(/`tags` holds several values: sorted by the largest.*length\(tags\)/)
})

test('sorting by a list names the element by which each of the first records was sorted', () => {
  const carts = [
    {
      id: 1,
      cart: {
        items: [
          { sku: 'a', price: '9' },
          { sku: 'b', price: '100' },
        ],
      },
    },
    {
      id: 2,
      cart: {
        items: [
          { sku: 'c', price: '20' },
          { sku: 'd', price: null },
        ],
      },
    },
    { id: 3, cart: { items: [] } },
  ]
  const by = (sort: string) => ask(fromValue({ carts }), { sort }).notes.join()
  expect(by('-cart.items.price')).toContain(
    'here by `cart.items[1]` {"sku":"b","price":"100"}, `cart.items[0]` {"sku":"c","price":"20"}, …',
  )
  expect(by('cart.items[*].price')).toContain(
    '`cart.items[0]` {"sku":"a","price":"9"}, `cart.items[0]` {"sku":"c"',
  )
})

test('correlation, covariance and slope are those of plain code', () => {
  const points = [
    { x: 1, y: 2 },
    { x: 2, y: 3 },
    { x: 3, y: 5 },
    { x: 4, y: 4 },
  ]
  const { rows } = ask(fromValue(points), {
    aggregate: 'correlation(x, y) as r, covariance(x, y) as c, slope(y, x) as s',
  })
  expect(rows).toEqual([{ r: 0.8, c: expect.closeTo(1.3333, 3), s: 0.8 }])
})

describe('two results against each other', () => {
  const before = fromValue([
    { id: 1, price: 10, tags: ['a'] },
    { id: 2, price: 20, tags: [] },
    { id: 3, price: 30, tags: [] },
  ])
  const after = fromValue([
    { id: '2', price: 25, tags: [] },
    { id: 3, price: 30, tags: ['x'] },
    { id: 4, price: 40, tags: [] },
  ])
  const both = combine([
    { handle: 'c1', document: before },
    { handle: 'c2', document: after },
  ])

  test.each<[string, JsonValue[]]>([
    ['only_in: id', [{ id: 1, price: 10, tags: ['a'] }]],
    ['added: id', [{ id: 4, price: 40, tags: [] }]],
    [
      'in_both: id',
      [
        { id: 2, price: 20, tags: [] },
        { id: 3, price: 30, tags: [] },
      ],
    ],
    [
      'changed: id',
      [
        { id: 2, field: 'price', before: 20, after: 25 },
        { id: 3, field: 'tags', before: [], after: ['x'] },
      ],
    ],
  ])('%s', (join_on, expected) => {
    const { rows, error, notes } = ask(both, { join_on })
    expect(error).toBeUndefined()
    expect(rows).toEqual(expected)
    expect(notes[0]).toContain('1 of 3 records only in the first, 1 of 3 only in the second, 2 in both')
  })

  test('diff has all of it, and can be asked further', () => {
    const { rows } = ask(both, { join_on: 'diff: id', group_by: '_change', sort: '_change' })
    expect(rows).toEqual([
      { _change: 'added', count: 1 },
      { _change: 'changed', count: 2 },
      { _change: 'removed', count: 1 },
    ])
  })
})

test('a list is joined with itself', () => {
  const people = [
    { id: 1, name: 'ann', boss: null },
    { id: 2, name: 'bob', boss: 1 },
    { id: 3, name: 'cat', boss: 2 },
  ]
  const { rows, error } = ask(fromValue({ people }), {
    join_on: 'inner boss = id',
    fields: 'name, people.name as boss_name',
  })
  expect(error).toBeUndefined()
  expect(rows).toEqual([
    { name: 'bob', boss_name: 'ann' },
    { name: 'cat', boss_name: 'bob' },
  ])
})

test('of a list with itself the fields of the second are called so', () => {
  const staff = [
    { id: 1, name: 'ann', boss: null, pay: 5 },
    { id: 2, name: 'bob', boss: 1, pay: 9 },
    { id: 3, name: 'cat', boss: 2, pay: 3 },
  ]
  const { rows, error } = ask(fromValue(staff), {
    join_on: 'inner boss = self.id',
    where: 'pay > self.pay',
    fields: 'name, self.name as boss',
  })
  expect(error).toBeUndefined()
  expect(rows).toEqual([{ name: 'bob', boss: 'ann' }])
})

test('what is counted once may be computed', () => {
  const { rows } = ask(fromValue({ orders }), {
    aggregate: "count(distinct extract(email, '@(\\w)', 1)) as hosts",
  })
  expect((rows[0] as JsonObject).hosts).toBe(2)
})

test('distinct of a map leaves its keys out', () => {
  const map = Object.fromEntries(
    Array.from({ length: 20 }, (_, n) => [`#${n}00`, { state: n % 2 === 0 ? 'a' : 'b', n }]),
  )
  expect(ask(fromValue(map), { fields: 'distinct state' }).rows).toEqual([{ state: 'a' }, { state: 'b' }])
})

test('of two fields of one list the values of each element are computed together', () => {
  const orders = [
    {
      id: 1,
      rate: 2,
      items: [
        { price: 3, qty: 2, sku: 'a' },
        { price: 5, sku: 'b' },
        { price: 1, qty: 4, sku: 'a' },
      ],
    },
    { id: 2, rate: 3, items: [{ price: 10, qty: 1, sku: 'b' }] },
    { id: 3, rate: 1, items: [] },
  ]
  const ask = (params: JsonObject): readonly JsonValue[] => {
    const { document, error } = runPipeline(fromValue(orders), filterSteps, params)
    expect(error).toBeUndefined()
    return document.rows().items
  }
  expect(ask({ aggregate: ['sum(items.price * items.qty) as t'] })).toEqual([{ t: 20 }])
  for (const product of ['items.price*items.qty', 'price*qty', 'price *qty', 'price* qty'])
    expect(ask({ aggregate: [`sum(${product}) as t`] }), product).toEqual([{ t: 20 }])
  expect(ask({ aggregate: ['sum(2*price) as t', 'sum(price+price) as u'] })).toEqual([{ t: 38, u: 38 }])
  expect(ask({ aggregate: ['sum(items.price * items.qty * rate) as t'] })).toEqual([{ t: 50 }])
  expect(ask({ group_by: ['items.sku'], aggregate: ['sum(items.price * items.qty) as t'] })).toEqual([
    { 'items.sku': 'a', t: 10 },
    { 'items.sku': 'b', t: 10 },
  ])
  expect(ask({ fields: ['id', 'sum(items.price * items.qty) as t'], where: ['id < 3'] })).toEqual([
    { id: 1, t: 10 },
    { id: 2, t: 10 },
  ])
  expect(ask({ where: ['count(items) > 1 and sum(items.price) = 9'], fields: ['id'] })).toEqual([{ id: 1 }])
})

test('a product without blanks under the name of a list is a product, and not the last of its fields', () => {
  const rows = fromValue([
    { price: 2, qty: 3 },
    { price: 1, qty: 5 },
  ])
  const { document, error } = runPipeline(rows, filterSteps, {
    aggregate: ['sum(items.price*items.qty) as t'],
  })
  expect(error).toBeUndefined()
  expect(document.rows().items).toEqual([{ t: 11 }])
})

test('values that a list leaves out are said', () => {
  const records = Array.from({ length: 130 }, (_, id) => ({ id, kind: id < 120 ? 'a' : 'b', same: id % 2 }))
  const collected = (aggregate: string) => ask(fromValue(records), { group_by: 'kind', aggregate }).notes
  expect(collected('collect(id)')).toEqual([
    '`collect` lists at most 100 values: 1 group has more. Ask for these by `where` and `fields`.',
  ])
  expect(collected("string_agg(id, ',')")).toHaveLength(1)
  expect(collected('collect_set(id)')).toHaveLength(1)
  expect(collected('collect_set(same)')).toEqual([])
})

test('empty texts that exist are said', () => {
  const records = ['x', '', 'y'].map((name, id) => ({ id, name }))
  expect(ask(fromValue(records), { where: 'name exists', fields: 'id' })).toMatchObject({
    rows: [{ id: 0 }, { id: 1 }, { id: 2 }],
    notes: ['1 with an empty `name` is among them; `name is not empty` leaves them out.'],
  })
})

test('what stands among the records that fulfil several conditions is counted there', () => {
  const records = [
    { kind: 'a', size: 'none' },
    { kind: 'a', size: '4 GB' },
    { kind: 'b' },
    { kind: 'b', size: '8 GB' },
    { kind: 'b' },
  ]
  const asked = (where: string[]) => ask(fromValue(records), { where, fields: 'kind' }).notes
  expect(asked(['kind = a', 'size != none'])).toEqual([])
  expect(asked(['kind = b', 'size != none'])).toEqual([
    '2 without `size` are among them; `size is not null` leaves them out.',
  ])
})

test('a map is grouped by its keys, and gives them', () => {
  const packages = Array.from({ length: 12 }, (_, n) => ({
    name: `p${n}`,
    needs: { [`d${n % 11}`]: '1', ...(n % 2 ? { common: { version: '2' } } : {}) },
  }))
  const { rows, notes } = ask(fromValue(packages), { group_by: 'needs', limit: 2 })
  expect(rows.slice(0, 2)).toEqual([
    { 'keys(needs)': 'common', count: 6 },
    { 'keys(needs)': 'd0', count: 2 },
  ])
  expect(notes).toContain('`needs` is a map: grouped by its keys.')
  expect(ask(fromValue(packages), { fields: 'keys(needs) as k', where: 'name = p1' }).rows).toEqual([
    { k: ['d1', 'common'] },
  ])
  // One member that differs is no name of the map.
  const lands = Array.from({ length: 24 }, (_, n) => ({
    speaks: { [`l${n % 12}`]: `tongue ${n % 12}`, ...(n < 2 && { odd: `odd ${n}` }) },
  }))
  expect(ask(fromValue(lands), { group_by: 'speaks' }).notes).toContain(
    '`speaks` is a map: grouped by its keys.',
  )
  const people = Array.from({ length: 12 }, (_, id) => ({ id, place: { city: 'x', zip: id % 2 } }))
  expect(ask(fromValue(people), { group_by: 'place' }).notes).not.toContain(
    '`place` is a map: grouped by its keys.',
  )
})

test('where no value is null, an empty text is none, wherever null is asked for', () => {
  const calls = fromRecognised('id,phone,team\n1,030,a\n2,,a\n3,040,\n4,,b\n5,,b\n')
  const count = (params: Record<string, unknown>) => ask(calls, params).rows[0]
  expect(count({ where: 'phone is null', aggregate: 'count' })).toEqual({ count: 3 })
  const { rows, notes } = ask(calls, { where: 'phone is not null', aggregate: 'count' })
  expect(rows).toEqual([{ count: 2 }])
  expect(notes).toContain('`phone is not null` read as `phone != ""`: 3 with an empty `phone` are left out.')
  expect(
    count({ aggregate: 'sum(case when phone is null then 1 else 0 end) as a, sum(phone is not null) as b' }),
  ).toEqual({ a: 3, b: 2 })
  expect(ask(calls, { group_by: "coalesce(team, 'none') as team" }).rows).toEqual([
    { team: 'a', count: 2 },
    { team: 'b', count: 2 },
    { team: 'none', count: 1 },
  ])
})

test('words that exports write for no value are none where no value is null', () => {
  const players = fromRecognised('id,place\n1,P\n2,NULL\n3,\n4,C\n5,NULL\n')
  expect(ask(players, { where: 'place is null', aggregate: 'count' })).toMatchObject({
    rows: [{ count: 3 }],
    notes: ['`place is null` read as `place in ("NULL", "")`.'],
  })
  expect(ask(players, { where: 'place is not null', fields: 'id' }).rows).toEqual([{ id: 1 }, { id: 4 }])
})

test('a value counts once in an aggregate of distinct ones', () => {
  const sold = [
    { team: 'a', year: 2020, kind: 'x' },
    { team: 'a', year: 2020, kind: 'y' },
    { team: 'a', year: 2021, kind: 'x' },
    { team: 'b', year: 2021, kind: 'y' },
  ]
  const params = {
    group_by: 'team',
    aggregate: "sum(distinct year), string_agg(distinct kind, '+') as kinds",
    sort: 'team',
  }
  expect(ask(fromValue(sold), params).rows).toEqual([
    { team: 'a', 'sum(distinct year)': 4041, kinds: 'x+y' },
    { team: 'b', 'sum(distinct year)': 2021, kinds: 'y' },
  ])
  const lists = [{ n: [1, 2, 2] }, { n: [2, 3] }]
  expect(ask(fromValue(lists), { aggregate: 'avg(distinct n) as a, sum(n) as s' }).rows).toEqual([
    { a: 2, s: 10 },
  ])
})

test('a list in an object of its own, as in XML, is the list', () => {
  const books = [
    { id: 1, tags: { tag: ['x', 'y'] } },
    { id: 2, tags: { tag: ['x'] } },
    { id: 3, tags: { tag: ['y', 'z', 'x'] } },
    { id: 4 },
  ]
  const asked = (params: Record<string, unknown>) => ask(fromValue(books), params).rows
  expect(asked({ group_by: 'tags', sort: 'tags' })).toEqual([
    { 'tags.tag': 'x', count: 3 },
    { 'tags.tag': 'y', count: 2 },
    { 'tags.tag': 'z', count: 1 },
  ])
  expect(asked({ where: 'length(tags) = 2', fields: 'id' })).toEqual([{ id: 1 }])
  expect(asked({ where: 'id = 3', fields: "join(tags, '+') as all" })).toEqual([{ all: 'y+z+x' }])
})

test('a condition on the name of a key is about the groups', () => {
  const asked = ask(fromValue(orders), {
    group_by: "case when price < 15 then 'small' else 'big' end as size",
    where: 'size = small',
  })
  expect(asked.rows).toEqual([{ size: 'small', count: 1 }])
})

test.each<[string, JsonValue]>([
  ['sum_if(price, state = open)', 30.5],
  ['sumIf(price, qty > 1)', 30.5],
  ['sumif(qty > 1, price)', 30.5],
  ['avg_if(price, qty > 1)', 15.25],
  ['max_if(price, qty < 4)', 30],
  ['count_if(qty > 1)', 2],
  ['sum_if(qty > 1)', 2],
  ['sum_if(price, qty > 1) / count_if(qty > 1)', 15.25],
  ['sum(if(qty > 1, price, 0))', 30.5],
  ['sum(if(state = open, 1, 0))', 2],
  ['sum(qty > 1)', 2],
])('an aggregate of the records that fulfil a condition: %s', (aggregate, value) => {
  const { rows, error } = ask(fromValue(orders), { aggregate: `${aggregate} as x` })
  expect(error).toBeUndefined()
  expect(rows).toEqual([{ x: value }])
})

test('a condition within a function is none of the name of a field', () => {
  expect(ask(fromValue(orders), { fields: "id, if(price > 15, 'dear', 'cheap') as class" }).rows).toEqual([
    { id: 1, class: 'cheap' },
    { id: 2, class: 'dear' },
    { id: 3, class: 'dear' },
  ])
  const records = [{ 'Speed IAS in knots': 3 }, { 'Speed IAS in knots': 5 }]
  expect(ask(fromValue(records), { aggregate: 'avg(Speed IAS in knots) as x' }).rows).toEqual([{ x: 4 }])
})

test('a link of Markdown is called by its text', () => {
  const apis = [
    { api: '[Frankfurter](https://frankfurter.example/docs)', https: 'Yes' },
    { api: '[Rates Now](https://rates.example)', https: 'No' },
  ]
  const { rows, notes } = ask(fromValue(apis), { where: 'api = frankfurter', fields: 'https' })
  expect(rows).toEqual([{ https: 'Yes' }])
  expect(notes).toContain('`frankfurter` read as "[Frankfurter](https://frankfurter.example/docs)".')
})

test.each(["date_diff('day', created, 'now')", "date_diff('day', created, now())", 'age(created)'])(
  '%s goes to this moment',
  (written) => {
    const { rows, error } = ask(fromValue(orders), { fields: `${written} as days`, limit: 1 })
    const [{ days } = { days: 0 }] = rows as { days: number }[]
    expect(error).toBeUndefined()
    expect(days).toBeGreaterThan(365)
  },
)

test.each([
  "now() - interval '30 days'",
  'now-30d/d',
  '30 days ago',
  "date('now', '-30 days')",
  'dateadd(day, -30, getdate())',
  'current_date - 30',
  'yesterday',
])('before %s says which time that is', (time) => {
  const asked = ask(fromValue(orders), { where: `created < ${time}` })
  expect(asked.rows).toHaveLength(ask(fromValue(orders), { where: 'created exists' }).rows.length)
  expect(asked.notes.join(' ')).toContain(`\`${time}\` is 2`)
})

test('what says no time from now is refused with one that does', () => {
  expect(ask(fromValue(orders), { where: 'created < 3 fortnights ago' }).error).toContain(
    'Write `created < now-7d`',
  )
})

describe('conditions as values', () => {
  const records = ['paid', 'Paid', 'open', 'open'].map((state, id) => ({ id, state }))
  test('compare as `where` does, and say so', () => {
    const { rows, notes } = ask(fromValue(records), {
      aggregate: [
        'count(state = paid) as plain',
        "count(*) filter (where state = 'paid') as kept",
        'percent(state = open) as share',
      ],
    })
    expect(rows).toEqual([{ plain: 1, kept: 1, share: 50 }])
    expect(notes.join(' ')).toContain('Compared to the letter: "Paid" is another value.')
  })

  test('the top of texts are the most frequent', () => {
    expect(ask(fromValue(records), { aggregate: ['top(state, 1) as top'] }).rows).toEqual([{ top: ['open'] }])
  })
})

describe('aggregates of records that fulfil a condition', () => {
  const jobs = [1, 2, 2, 4, 9].map((ms, id) => ({ id, ms, state: id % 2 ? 'open' : 'done' }))

  test.each([
    ['p90(ms) where id > 0', { 'p90(ms) where id > 0': 7.5 }],
    ['percentile(ms, 50) filter (where id > 0)', { 'p50(ms) where id > 0': 3 }],
    ['sum(distinct ms) where id < 4', { 'sum(distinct ms) where id < 4': 7 }],
    ['correlation(id, ms) where id < 2', { 'correlation(id, ms) where id < 2': 1 }],
    ["string_agg(state, '+') where id < 2", { 'string_agg(state) where id < 2': 'done+open' }],
    ['percent(state = open) where id < 3', { 'percent(state = open) where id < 3': 33.3333333333 }],
    ['arg_max(id, ms) where id < 3', { 'arg_max(id, ms) where id < 3': 1 }],
    ['sum_if(ms, id > 1) where id < 4', { 'sum(ms) where id > 1 where id < 4': 6 }],
  ])('%s', (aggregate, row) => {
    expect(ask(fromValue(jobs), { aggregate }).rows).toEqual([row])
  })

  test('count different values once', () => {
    const { rows } = ask(fromValue(jobs), { aggregate: 'count distinct ms where id < 3' })
    expect(rows).toMatchObject([{ 'distinct(ms) where id < 3': 2 }])
  })

  test('need their field', () => {
    expect(ask(fromValue(jobs), { aggregate: 'sum where id > 3' }).error).toContain('`sum` needs a field')
  })
})

describe('what is computed says its unit, and of texts as well', () => {
  const jobs = [
    { id: 1, from: '2024-05-01T00:00:00Z', to: '2024-05-11T12:00:00Z' },
    { id: 2, from: '2024-05-01T00:00:00Z', to: '2024-05-01T06:00:00Z' },
  ]
  test('a date less another is in days', () => {
    const { rows, notes } = ask(fromValue(jobs), { aggregate: ['max(to - from) as most'] })
    expect(rows).toEqual([{ most: 10.5 }])
    expect(notes.join(' ')).toContain('`to - from` is in days.')
    expect(ask(fromValue(jobs), { where: ['to - from > 9 days'], fields: ['id'] }).rows).toEqual([{ id: 1 }])
    expect(ask(fromValue(jobs), { where: ['to - from < 12 hours'], fields: ['id'] }).rows).toEqual([
      { id: 2 },
    ])
  })

  test('of each line of a text', () => {
    const text = fromText('began\nA took 15.5 s\nB took 7.5 s\n')
    const asked = {
      where: ['line contains took'],
      fields: ["num(extract(line, '([\\d.]+) s')) as s"],
      sort: ['s'],
    }
    expect(ask(text, asked).rows).toEqual([{ s: 7.5 }, { s: 15.5 }])
  })
})

test('a part of a time alone is that of the one field with times', () => {
  const days = ['2026-01-05', '2026-01-09', '2026-03-01'].map((due, id) => ({ id, due }))
  const months = [
    { 'due:month': '2026-01', count: 2 },
    { 'due:month': '2026-03', count: 1 },
  ]
  for (const group_by of ['month', 'due month'])
    expect(ask(fromValue(days), { group_by }).rows).toEqual(months)
  const two = fromValue(days.map((day) => ({ ...day, paid: '2026-02-02' })))
  const texts = fromValue(days.map(({ id }) => ({ id, title: `Part ${id}` })))
  expect(ask(texts, { group_by: 'title month' }).error).toContain('No record has the field `title month`')
  expect(ask(two, { group_by: 'month' }).error).toContain(
    '`month` of which time? Write `due:month`; there is also `paid`.',
  )
})

test('a list without numbers beside a number is how many it has', () => {
  const rows = [[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map((tags, id) => ({ id, tags, sizes: [id, 9] }))
  const found = (where: string) => ask(fromValue(rows), { where, fields: 'id' }).rows
  expect(found('tags > 1')).toEqual([{ id: 2 }, { id: 3 }])
  expect(found('tags = 0')).toEqual([{ id: 0 }])
  expect(found('number of tags >= 2')).toEqual([{ id: 2 }, { id: 3 }])
  expect(found('sizes > 9')).toEqual([])
})

test.each([
  ['dates', ['2026-01-05', '2026-03-01'], 'list < 2020'],
  ['amounts', ['1MB', '20KB'], 'list < 5'],
  ['truths', [true, false], 'list < 5'],
  ['words, and the number is a share', ['a', 'b'], 'list < 10%'],
])('a list of %s is not meant as how many it has', (_, list, where) => {
  expect(ask(fromValue([{ list }, { list }]), { where }).rows).toEqual([])
})

test('the number of what is a number already is that', () => {
  const rows = [3, 12, 40].map((comments) => ({ comments }))
  for (const where of ['number of comments > 3', 'count of comments between 4 and 50'])
    expect(ask(fromValue(rows), { where }).rows).toEqual([{ comments: 12 }, { comments: 40 }])
})

test('an equation of a field is a condition, whatever its value has', () => {
  const rows = [{ state: 'in-progress', 'of both': 1 }]
  const { rows: read } = ask(fromValue(rows), { fields: ['state = in-progress', 'of both = 2 - 1'] })
  expect(read).toEqual([{ 'state = in-progress': true, 'of both = 2 - 1': expect.any(Boolean) }])
})
