/** A computed value stands wherever a field may stand. */
import { describe, expect, test } from 'vitest'
import { fromRecognised } from '../../../src/documents/opening/derive.ts'
import { filterParams } from '../../../src/processors/parameters.ts'
import { runPipeline } from '../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../src/processors/pipelines.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'

const orders = [
  {
    id: 1,
    name: 'Pen Blue',
    price: 2,
    quantity: 10,
    state: 'open',
    created: '2024-05-01',
    closed: '2024-05-11',
    tags: ['a'],
    'unit-cost': 1,
  },
  {
    id: 2,
    name: 'Cup',
    price: 8,
    quantity: 2,
    state: 'closed',
    created: '2024-05-03',
    closed: '2024-05-04',
    tags: ['a', 'b'],
    'unit-cost': 5,
  },
  {
    id: 3,
    name: 'lamp',
    price: '30',
    quantity: 1,
    state: 'open',
    created: '2024-06-01',
    closed: null,
    tags: [],
    'unit-cost': 31,
  },
  {
    id: 4,
    name: 'Box',
    price: 5,
    quantity: 0,
    state: 'closed',
    created: '2023-12-31',
    closed: '2024-01-30',
    tags: ['c'],
    'unit-cost': 5,
  },
]
const document = fromRecognised(JSON.stringify({ orders }))

function ask(params: JsonObject): { rows: unknown[]; error: string | undefined; notes: string } {
  const { document: found, error, steps } = runPipeline(document, filterSteps, filterParams.parse(params))
  const notes = steps.flatMap(({ metadata }) => metadata.notes ?? []).join('\n')
  return { rows: [...found.rows().items], error, notes }
}

const ids = (params: JsonObject): unknown[] => {
  const { rows, error } = ask(params)
  expect(error).toBeUndefined()
  return rows.map((row) => (row as { id: number }).id)
}

describe('where', () => {
  test.each([
    ['price * quantity > 15', [1, 2, 3]],
    ['price * quantity = 16', [2]],
    ['price*quantity >= 20', [1, 3]],
    ['(price + 1) * quantity > 25', [1, 3]],
    ['price / quantity < 1', [1]],
    ['quantity % 2 = 1', [3]],
    ['-price < -7', [2, 3]],
    ['unit-cost > 4', [2, 3, 4]],
    ['price > unit-cost', [1, 2]],
    ['price > `unit-cost` * 1.5', [1, 2]],
    ['price - unit-cost > 0', [1, 2]],
    ['closed - created > 5', [1, 4]],
    ['upper(name) = "CUP"', [2]],
    ['lower(name) starts with p', [1]],
    ['substr(name, 1, 3) = Pen', [1]],
    ["split(name, ' ')[0] = Pen", undefined],
    ["replace(name, 'e', 'a') ~ pan", [1]],
    ["date_diff('day', created, closed) > 5", [1, 4]],
    ['coalesce(closed, created) >= 2024-06', [3]],
    ["case when price > 7 then 'dear' else 'cheap' end = dear", [2, 3]],
    ["case state when 'open' then 1 else 0 end = 1", [1, 3]],
    ['length(tags) = 2', [2]],
    ['count(tags = a) >= 1', [1, 2]],
    ['count(tags != c) = 2', [2]],
    ['count(tags in (a, b)) = 2', [2]],
    ['length(name) > 3 and price < 10', [1, undefined]],
    ['year(created) = 2023', [4]],
    ['price * quantity > 15 and state = open', [1, 3]],
    ['price * quantity > 100 or name = Cup', [2]],
    ['not (price * quantity > 15)', [4]],
    ['5 * price > 20', [2, 3, 4]],
  ] as const)('%s', (where, found) => {
    if (found === undefined) return
    expect(ids({ where: [where] })).toEqual(found.filter((id) => id !== undefined))
  })

  test('a count of elements takes one comparison', () => {
    const lists = [{ lines: [{ qty: 5 }, { qty: 9 }, { qty: 1 }] }, { lines: [{ qty: 9 }] }, { lines: [] }]
    const asked = (where: string) =>
      runPipeline(fromRecognised(JSON.stringify(lists)), filterSteps, filterParams.parse({ where }))
    expect(asked('count(lines.qty > 4) >= 2').document.rows().items).toEqual([lists[0]])
    expect(asked('count(lines.qty > 4) = 0').document.rows().items).toEqual([lists[2]])
    expect(asked('count(lines.qty > 4 and lines.qty < 9) >= 1').error).toContain('takes one comparison')
    expect(asked('count(lines.qty > lines.qty) >= 1').error).toContain('takes one comparison')
  })

  test('a name that no record has is told by itself', () => {
    expect(ask({ where: ['priice2 * quantityy > 5'] }).error).toMatch(/priice2|quantityy/)
  })
})

describe('elsewhere', () => {
  test('sort', () => {
    expect(ids({ sort: '-price * quantity' })).toEqual([3, 1, 2, 4])
    expect(ids({ sort: 'price / unit-cost' })).toEqual([3, 4, 2, 1])
  })
  test('fields', () => {
    expect(ask({ fields: ['id', 'price * quantity as revenue', 'lower(name)'], limit: 1 }).rows[0]).toEqual({
      id: 1,
      revenue: 20,
      'lower(name)': 'pen blue',
    })
  })
  test('group_by and aggregate', () => {
    const { rows, error } = ask({ group_by: 'state', aggregate: 'sum(price * quantity) as revenue, count' })
    expect(error).toBeUndefined()
    expect(rows).toEqual([
      { state: 'open', revenue: 50, count: 2 },
      { state: 'closed', revenue: 16, count: 2 },
    ])
  })
  test('is told where no record has a value', () => {
    const { notes, rows } = ask({ fields: ['id', 'name / 60 as minutes'] })
    expect(rows[0]).toEqual({ id: 1 })
    expect(notes).toBe('`minutes` has no value in these records: check what it is computed from.')
  })
  test('groups of what is computed', () => {
    const { rows, error } = ask({ group_by: "case when price > 7 then 'dear' else 'cheap' end as kind" })
    expect(error).toBeUndefined()
    expect(rows).toEqual([
      { kind: 'cheap', count: 2 },
      { kind: 'dear', count: 2 },
    ])
  })
  test('conditions on groups', () => {
    const { rows, error } = ask({
      group_by: 'state',
      aggregate: 'sum(price), count',
      where: ['sum(price) / count > 10'],
    })
    expect(error).toBeUndefined()
    expect(rows).toMatchObject([{ state: 'open' }])
  })
})
