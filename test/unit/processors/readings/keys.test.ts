import { expect, test } from 'vitest'
import { filterParams } from '../../../../src/processors/parameters.ts'
import { withKeys, withTop } from '../../../../src/processors/readings/keys.ts'

test.each<[string | string[], string[], string[]]>([
  ['count by state', ['state'], ['count']],
  ['count group by state', ['state'], ['count']],
  ['sum(a * b) per region as total', ['region'], ['sum(a * b) as total']],
  ['count by state, region', ['state', 'region'], ['count']],
  [['count by state', 'avg(price) by state'], ['state'], ['count', 'avg(price)']],
  ['max(price) for each month(at)', ['month(at)'], ['max(price)']],
])('%j has its keys behind it', (aggregate, group_by, calls) => {
  expect(withKeys(filterParams.parse({ aggregate }))).toMatchObject({ group_by, aggregate: calls })
})

test.each<[object, object]>([
  [
    { aggregate: 'count desc', group_by: 'state' },
    { aggregate: ['count'], sort: ['count desc'] },
  ],
  [
    { aggregate: 'sum(price) as total ascending', group_by: 'state' },
    { aggregate: ['sum(price) as total'], sort: ['total asc'] },
  ],
  [{ aggregate: 'count by state desc' }, { aggregate: ['count'], group_by: ['state'], sort: ['count desc'] }],
])('%j has its order behind it', (asked, read) => {
  expect(withKeys(filterParams.parse(asked))).toMatchObject(read)
})

test.each([
  { aggregate: 'sum(price)' },
  { aggregate: 'count desc', group_by: 'state', sort: 'state' },
  { aggregate: 'count by state', group_by: 'region' },
  { aggregate: 'string_agg(name order by at)' },
  { aggregate: 'things by state' },
  { aggregate: 'count by' },
  { where: 'a by b' },
])('%j stays as it is', (asked) => {
  const params = filterParams.parse(asked)
  expect(withKeys(params)).toBe(params)
})

test.each<[object, string, number]>([
  [{ aggregate: 'top 5 by price' }, '-price', 5],
  [{ aggregate: 'bottom 3 items by size' }, 'size', 3],
  [{ aggregate: 'top 5 by price', limit: 2 }, '-price', 2],
  [{ sort: 'ORDER BY price DESC LIMIT 4' }, 'price DESC', 4],
])('%j asks for records in an order', (asked, order, limit) => {
  const { params, notes } = withTop(filterParams.parse(asked))
  expect(params).toEqual({ sort: [order], limit })
  expect(notes).toEqual([expect.stringContaining(`read as "sort": "${order}", "limit": ${limit}.`)])
})

test.each([
  { aggregate: 'top(price, 5)' },
  { aggregate: 'top 5 by price', group_by: 'state' },
  { aggregate: ['top 5 by price', 'count'] },
  { sort: 'limit' },
])('%j does not', (asked) => {
  const params = filterParams.parse(asked)
  expect(withTop(params).params).toBe(params)
})
