import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { combine } from '../../../../src/documents/opening/combine.ts'
import { fromValue } from '../../../../src/documents/opening/derive.ts'
import { runPipeline } from '../../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../../src/processors/pipelines.ts'
import { join } from '../../../../src/processors/steps/join.ts'
import type { JsonObject, JsonValue } from '../../../../src/protocol/json.ts'
import { deepFreeze } from '../../../support/deep-freeze.ts'

const products = [
  { id: 1, name: 'Lamp', price: '$12' },
  { id: 2, name: 'Desk', price: '$90' },
  { id: 3, name: 'Chair', price: '$45' },
]
const orders = [
  { id: 10, product_id: '2', buyer: { id: 'ann' } },
  { id: 11, product_id: '1', buyer: { id: 'bob' } },
  { id: 12, product_id: '2', buyer: { id: 'ann' } },
  { id: 13, product_id: '9', buyer: { id: 'cy' } },
]
const shop: JsonValue = deepFreeze({ orders, products })

function joined(value: JsonValue, params: { join_on?: unknown; path?: string }) {
  const { content, metadata, error } = join.process(fromValue(value), params as never)
  expect(error).toBeUndefined()
  return { rows: content.rows().items as JsonObject[], ...metadata }
}

function filtered(value: JsonValue, params: Record<string, unknown>): readonly JsonValue[] {
  const { document, error } = runPipeline(fromValue(value), filterSteps, params)
  expect(error).toBeUndefined()
  return document.rows().items
}

describe('two lists of one result', () => {
  test('each record gets the fields of its match; fields of both get the name of their list', () => {
    const { rows, total, matched, notes } = joined(shop, { join_on: 'product_id = id' })
    expect(rows).toEqual([
      { ...orders[0], 'products.id': 2, name: 'Desk', price: '$90' },
      { ...orders[1], 'products.id': 1, name: 'Lamp', price: '$12' },
      { ...orders[2], 'products.id': 2, name: 'Desk', price: '$90' },
      orders[3],
    ])
    expect([total, matched]).toEqual([4, 3])
    expect(notes).toEqual([
      '$.orders joined with $.products on `product_id = id`: 3 of 4 records have a match.',
      '1 without a match, such as `9`, are kept without its fields.',
      '1 of 3 in $.products are matched by none.',
      'Both have `id`: those of $.products are `products.id`.',
    ])
  })

  test.each<[Record<string, unknown>, unknown]>([
    [{ where: ['products.name = Desk'], fields: ['id'] }, [{ id: 10 }, { id: 12 }]],
    [{ where: ['products.name is null'], fields: ['id'] }, [{ id: 13 }]],
    [
      { sort: ['-products.name'], fields: ['id', 'name'], where: ['id < 12'] },
      [
        { id: 11, 'products.name': 'Lamp' },
        { id: 10, 'products.name': 'Desk' },
      ],
    ],
  ])('a joined field may be asked for with the name of its list: %j', (params, rows) => {
    expect(filtered(shop, { join_on: ['product_id = id'], ...params })).toEqual(rows)
  })

  test.each([
    'product_id = id',
    'product_id',
    'product_id == products.id',
    'orders.product_id = products.id',
    '$.orders[*].product_id = $.products[*].id',
    'products.id = orders.product_id',
    'on product_id = id',
    'LEFT JOIN ON (product_id = id)',
    'ProductId = products.ID',
    'product_id: id',
    { product_id: 'id' },
  ])('%j', (join_on) => {
    const rows = filtered(shop, { path: '$.orders', join_on, fields: ['id', 'name'] })
    expect(rows).toEqual([
      { id: 10, name: 'Desk' },
      { id: 11, name: 'Lamp' },
      { id: 12, name: 'Desk' },
      { id: 13 },
    ])
  })

  test('the list that a name calls is the left', () => {
    expect(joined(shop, { join_on: 'products.id = orders.product_id' }).rows.map(({ name }) => name)).toEqual(
      ['Lamp', 'Desk', 'Desk', 'Chair'],
    )
  })

  test('inner leaves out what has no match; what has none can be asked for', () => {
    expect(joined(shop, { join_on: 'inner product_id = id' }).rows).toHaveLength(3)
    expect(filtered(shop, { join_on: 'product_id', where: ['name not exists'], fields: 'id' })).toEqual([
      { id: 13 },
    ])
  })

  test('conditions, groups and orders are about the joined records', () => {
    expect(
      filtered(shop, {
        join_on: 'product_id = id',
        group_by: 'name',
        aggregate: 'count, sum(price)',
        sort: 'name',
      }),
    ).toEqual([
      { name: 'Desk', count: 2, 'sum(price)': 180 },
      { name: 'Lamp', count: 1, 'sum(price)': 12 },
    ])
    expect(
      filtered(shop, { join_on: 'product_id = id', where: 'name = Lamp', fields: 'id, products.id' }),
    ).toEqual([{ id: 11, 'products.id': 1 }])
  })
})

describe('keys', () => {
  test('a map’s keys are _key, and identify its records', () => {
    const data = {
      users: { 'u-1': { age: 3 }, 'u-2': { age: 4 }, 'u-3': { age: 5 } },
      visits: [{ user: 'U-2' }, { user: 'u-3' }],
    }
    for (const join_on of ['visits.user = _key', 'visits.user = users._key']) {
      const { rows, notes } = joined(data, { join_on })
      expect(rows).toEqual([
        { user: 'U-2', _key: 'u-2', age: 4 },
        { user: 'u-3', _key: 'u-3', age: 5 },
      ])
      expect(notes).toContain('1 match as numbers or regardless of case.')
    }
  })

  test('numbers match their texts; what is equal to the letter comes first; long digits are names', () => {
    const on = (left: JsonValue[], right: JsonValue[]) =>
      joined(
        { left: left.map((k, n) => ({ k, n })), right: right.map((id, at) => ({ id, at })) },
        { join_on: 'left.k = right.id' },
      ).rows.map(({ n, at }) => [n, at])
    expect(on([7, '7', '07', 7.5, true, null], ['07', 7, '7.50', 'true', null, 8])).toEqual([
      [0, 1],
      [1, 1],
      [2, 0],
      [3, 2],
      [4, 3],
      [5, undefined],
    ])
    expect(on(['12345678901234567890', 'a'], ['12345678901234567891', 'b'])).toEqual([
      [0, undefined],
      [1, undefined],
    ])
  })

  test('an object is known by its id', () => {
    const data = {
      people: [
        { id: 'ann', age: 3 },
        { id: 'bob', age: 4 },
      ],
      orders,
    }
    expect(filtered(data, { join_on: 'orders.buyer = people.id', fields: 'id, age' })).toEqual([
      { id: 10, age: 3 },
      { id: 11, age: 4 },
      { id: 12, age: 3 },
      { id: 13 },
    ])
  })

  test('several fields', () => {
    const data = {
      left: [
        { a: 1, b: 'x' },
        { a: 1, b: 'y' },
      ],
      right: [
        { a: 1, b: 'y', c: 5 },
        { a: 2, b: 'x', c: 6 },
      ],
    }
    expect(joined(data, { join_on: 'left.a = right.a and left.b = right.b' }).rows).toEqual([
      { a: 1, b: 'x' },
      { a: 1, b: 'y', c: 5 },
    ])
    expect(joined(data, { join_on: ['a', 'b'], path: 'left' }).matched).toBe(1)
  })
})

describe('lists in records', () => {
  const nested = {
    carts: [
      {
        id: 1,
        lines: [
          { product_id: 1, n: 2 },
          { product_id: 3, n: 1 },
        ],
      },
      { id: 2, lines: [] },
      { id: 3 },
    ],
    products,
  }

  test('each element is a record of its own', () => {
    for (const join_on of [
      'lines[].product_id = id',
      'lines.product_id = products.id',
      'carts[*].lines[*].product_id = id',
      'product_id = id',
    ]) {
      const { rows, total, matched } = joined(nested, { join_on, path: 'carts' })
      expect(rows.map(({ id, lines, name }) => [id, lines, name])).toEqual([
        [1, { product_id: 1, n: 2 }, 'Lamp'],
        [1, { product_id: 3, n: 1 }, 'Chair'],
        [2, [], undefined],
        [3, undefined, undefined],
      ])
      expect([total, matched]).toEqual([4, 2])
    }
    expect(
      filtered(nested, { join_on: 'lines[].product_id = id', path: 'carts', aggregate: 'sum(lines.n)' }),
    ).toEqual([{ 'sum(lines.n)': 3 }])
  })

  test('on the right as well', () => {
    const data = {
      people: [
        { name: 'a', team: 5 },
        { name: 'b', team: 6 },
      ],
      firms: [
        { firm: 'x', teams: [{ id: 5 }, { id: 6 }] },
        { firm: 'y', teams: [] },
      ],
    }
    expect(filtered(data, { join_on: 'people.team = firms.teams.id', fields: 'name, firm' })).toEqual([
      { name: 'a', firm: 'x' },
      { name: 'b', firm: 'x' },
    ])
  })
})

describe('several results', () => {
  const parts = [
    { handle: 'aaaaaaaaaaaa', document: fromValue(orders) },
    { handle: 'bbbbbbbbbbbb', document: fromValue({ total: 3, items: products }) },
  ]

  test('the first is joined with the second', () => {
    const { content, metadata } = join.process(combine(parts), { join_on: ['product_id = id'] })
    expect(content.rows().items[0]).toEqual({ ...orders[0], 'joined.id': 2, name: 'Desk', price: '$90' })
    expect(metadata.notes?.[0]).toContain('aaaaaaaaaaaa $ joined with bbbbbbbbbbbb $.items')
  })

  test('a handle names its result', () => {
    const { content } = join.process(combine(parts), {
      join_on: ['bbbbbbbbbbbb.id = aaaaaaaaaaaa.product_id'],
    })
    expect(content.rows().items).toHaveLength(4)
    expect(content.rows().items[0]).toMatchObject({ name: 'Lamp', product_id: '1' })
  })
})

test('a list with itself', () => {
  const staff = [
    { id: 1, name: 'a', boss: null },
    { id: 2, name: 'b', boss: 1 },
    { id: 3, name: 'c', boss: 2 },
  ]
  expect(joined(staff, { join_on: 'boss = id' }).rows.map((row) => [row.name, row['joined.name']])).toEqual([
    ['a', undefined],
    ['b', 'a'],
    ['c', 'b'],
  ])
})

test('left and right name the sides', () => {
  const staff = [
    { id: 1, name: { first: 'a' }, boss: null, team: 'x' },
    { id: 2, name: { first: 'b' }, boss: 1, team: 'y' },
    { id: 3, name: { first: 'c' }, boss: 2, team: 'y' },
  ]
  const asked = { join_on: ['boss = id'], where: ['right.team exists', 'left.team != right.team'] }
  expect(filtered(staff, { ...asked, fields: ['left.id', 'right.name.first'] })).toEqual([
    { id: 2, 'right.name.first': 'a' },
  ])
})

test.each([
  ['colour = id', '$.orders has `id`, `product_id`'],
  ['a = b = c', 'orders.product_id'],
  ['a > b', 'orders.product_id'],
  ['', 'orders.product_id'],
  ['1=1,2=2,3=3,4=4,5=5,6=6', 'At most'],
])('%j is refused with what to write', (join_on, hint) => {
  const { error } = join.process(fromValue(shop), { join_on: join_on === '' ? ['on '] : (join_on as never) })
  expect(error).toContain(hint)
})

test('names of prototypes are data', () => {
  const data: JsonValue = JSON.parse(
    '{"l":[{"k":"__proto__"},{"k":"constructor"}],"r":[{"id":"__proto__","__proto__":5},{"id":"z","toString":1}]}',
  )
  const { rows } = joined(data, { join_on: 'l.k = r.id' })
  expect(JSON.stringify(rows)).toBe('[{"k":"__proto__","id":"__proto__","__proto__":5},{"k":"constructor"}]')
})

test('joined records are made as they are asked for', () => {
  let read = 0
  const counting: ProxyHandler<JsonObject> = {
    ownKeys(target) {
      read++
      return Reflect.ownKeys(target)
    },
  }
  const many = Array.from({ length: 50 }, (_, id) => new Proxy<JsonObject>({ id, of: id % 3 }, counting))
  const { content } = join.process(fromValue({ many, products }), { join_on: ['many.of = products.id'] })
  const before = read
  const page = content.rows().slice(1, 3)
  expect(read - before).toBe(2)
  expect(content.rows().items.slice(1, 3)).toEqual(page)
  expect([content.rows().count, content.rows().items.length]).toEqual([50, 50])
})

test('agrees with two nested loops', () => {
  const key = fc.oneof(
    fc.constantFrom<JsonValue>(1, '1', 2, 'a', 'A', '02', null),
    fc.integer({ min: 0, max: 5 }),
  )
  const list = (name: string) =>
    fc
      .array(key, { minLength: 2, maxLength: 8 })
      .map((keys) => keys.map((value, n): JsonObject => ({ [name]: value, n })))
  fc.assert(
    fc.property(list('k'), list('id'), fc.boolean(), (left, right, inner) => {
      fc.pre(left.some(({ k }) => k !== null) && right.some(({ id }) => id !== null))
      const rows = left.flatMap((one): JsonObject[] => {
        const exact = right.filter(({ id }) => id !== null && one.k !== null && String(id) === String(one.k))
        const loose = right.filter(
          ({ id }) => id !== null && one.k !== null && alike(String(id), String(one.k)),
        )
        const matches = exact.length > 0 ? exact : loose
        if (matches.length > 0)
          return matches.map((other) => ({ ...one, id: other.id ?? null, 'r.n': other.n ?? null }))
        return inner ? [] : [one]
      })
      const data = deepFreeze({ l: left, r: right })
      expect(joined(data, { join_on: `${inner ? 'inner ' : ''}l.k = r.id` }).rows).toEqual(rows)
    }),
  )
  function alike(one: string, other: string): boolean {
    const [a, b] = [Number(one), Number(other)]
    return Number.isNaN(a) || Number.isNaN(b) ? one.toLowerCase() === other.toLowerCase() : a === b
  }
})

describe('one name for two results', () => {
  const tickets = [3, 1, 3, 7].map((assignee_id, n) => ({ code: `T${n}`, assignee_id }))
  const users = [1, 2, 3].map((id) => ({ id, team: id % 2 ? 'core' : 'web' }))
  const both = combine([
    { handle: 'a', document: fromValue(tickets) },
    { handle: 'b', document: fromValue(users) },
  ])

  test('is that of the first and what refers to it in the second, not the first with itself', () => {
    const { content, metadata } = join.process(both, { join_on: ['id'] })
    expect(content.rows().count).toBe(4)
    expect(metadata.notes?.[0]).toContain('b $ joined with a $ on `id = assignee_id`: 2 of 3 records')
  })

  test.each([['anti assignee_id = id'], ['anti: assignee_id = id'], ['missing assignee_id = id']])(
    'sets two results against each other: %s',
    (join_on) => {
      const { content } = join.process(both, { join_on: [join_on] })
      expect(content.rows().items).toEqual([{ code: 'T3', assignee_id: 7 }])
    },
  )
})
