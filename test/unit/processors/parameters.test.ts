import { expect, test } from 'vitest'
import { byOwnNames, filterParams } from '../../../src/processors/parameters.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'

test('names that models write for parameters are read as the own ones', () => {
  expect(byOwnNames('search', { cache_id: 'a', query: 'x', limit: 3, context: 2 })).toEqual({
    cache_id: 'a',
    pattern: 'x',
    max_results: 3,
    context_lines: 2,
  })
  expect(byOwnNames('filter', { columns: ['a'], filter: 'a > 1', sort_by: '-a' })).toEqual({
    fields: ['a'],
    where: 'a > 1',
    sort: '-a',
  })
  expect(byOwnNames('filter', { group: 'a', aggregations: 'count', orderBy: '-count', top: 3 })).toEqual({
    group_by: 'a',
    aggregate: 'count',
    sort: '-count',
    limit: 3,
  })
  expect(byOwnNames('explore', { depth: 2 })).toEqual({ max_depth: 2 })
})

test('of two names for one parameter none is dropped', () => {
  expect(byOwnNames('search', { pattern: 'x', query: 'y' })).toEqual({ pattern: 'x', query: 'y' })
  expect(byOwnNames('search', { q: 'y', query: 'x' })).toEqual({ pattern: 'x', q: 'y' })
})

test.each([
  [{ pattern: 'crash' }, ['* ~ "crash"']],
  [{ search: 'say "x"' }, [`* ~ 'say "x"'`]],
  [{ pattern: ['a', 'b'] }, ['* ~ "a"', '* ~ "b"']],
  [{ pattern: '[ab]c', where: 'state = open' }, ['state = open', '* ~ "[ab]c"']],
  [{ pattern: 404 }, ['* ~ "404"']],
  [{ pattern: null, where: 'a = 1' }, ['a = 1']],
])('a filter reads %j as conditions on any field', (params, where) => {
  expect(filterParams.parse(byOwnNames('filter', params)).where).toEqual(where)
})

test.each<[JsonObject, JsonObject]>([
  [{ sort: 'price', order: 'desc' }, { sort: 'price desc' }],
  [{ sort_by: 'price', sort_order: 'ASC' }, { sort: 'price ASC' }],
  [{ order: 'desc' }, { sort: 'desc' }],
  [
    { sort: '-price', order: 'desc' },
    { sort: '-price', order: 'desc' },
  ],
])('the direction of %j is read', (params, read) => {
  expect(byOwnNames('filter', params)).toEqual(read)
})
