import { expect, test } from 'vitest'
import { filterParams } from '../../../../src/processors/parameters.ts'
import { withKeys } from '../../../../src/processors/readings/keys.ts'

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
