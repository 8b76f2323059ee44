/** Expressions of JMESPath in `path`: what the specification says they give. */
import { expect, test } from 'vitest'
import { fromValue } from '../../../src/documents/opening/derive.ts'
import { filterParams } from '../../../src/processors/parameters.ts'
import { runPipeline } from '../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../src/processors/pipelines.ts'
import { withStatement } from '../../../src/processors/readings/statement.ts'
import type { JsonValue } from '../../../src/protocol/json.ts'
import { readJmespath } from '../../../src/query/language/dialects/jmespath.ts'
import { deepFreeze } from '../../support/deep-freeze.ts'

const shop = deepFreeze({
  total: 3,
  items: [
    {
      id: 1,
      name: 'Alpha',
      state: 'open',
      price: 12.5,
      tags: ['x', 'y'],
      owner: { login: 'ann', team: 'core' },
    },
    { id: 2, name: 'beta', state: 'closed', price: 7, tags: [], owner: { login: 'bob', team: 'web' } },
    { id: 3, name: 'Gamma', state: 'open', price: 99, tags: ['y'], owner: { login: 'cy', team: 'web' } },
  ],
})

function ask(path: string, value: JsonValue = shop): JsonValue[] {
  const document = fromValue(value)
  const { params, before } = withStatement({ path }, [{ handle: '', document }])
  const asked = filterParams.parse(params)
  const steps = [...(before ? [before] : []), ...filterSteps]
  const { document: found, error } = runPipeline(document, steps, asked)
  if (error !== undefined) throw new Error(error)
  return [...found.rows().items]
}

test.each<[string, JsonValue[]]>([
  ['length(items)', [3]],
  ["length(items[?state == 'open'])", [2]],
  ['sum(items[].price)', [118.5]],
  ['max_by(items, &price).name', ['Gamma']],
  ['min_by(items, &price).{id: id, p: price}', [{ id: 2, p: 7 }]],
  ['sort_by(items, &price)[*].name', ['beta', 'Alpha', 'Gamma']],
  ['reverse(sort_by(items, &price))[0:2].name', ['Gamma', 'Alpha']],
  [
    'items[].{id: id, n: length(tags)}',
    [
      { id: 1, n: 2 },
      { id: 2, n: 0 },
      { id: 3, n: 1 },
    ],
  ],
  ['{"first": items[0].id, "second": items[1].name}', [{ first: 1, second: 'beta' }]],
  ['[items[0].id, items[1].name]', [1, 'beta']],
  ['items[0].[name, tags[0]]', ['Alpha', 'x']],
  [
    "items[?state == 'open'].[id, price]",
    [
      [1, 12.5],
      [3, 99],
    ],
  ],
  ['items[*].tags | [0]', ['x', 'y']],
  ["items[?state == 'open'] | [0].name", ['Alpha']],
  ["items[].owner | [?team == 'web'].login", ['bob', 'cy']],
  ['items[*].owner.login | sort(@)', ['ann', 'bob', 'cy']],
  ["items[?tags[?@ == 'y']].id", [1, 3]],
  ["join(', ', items[].name)", ['Alpha, beta, Gamma']],
  ['{n: length(items), total: sum(items[].price)}', [{ n: 3, total: 118.5 }]],
])('%s', (path, rows) => {
  expect(ask(path)).toEqual(rows)
})

test.each<[string, JsonValue[]]>([
  ["items[?price > '10'].id", [1, 3]],
  ['items[?price > 10].id', [1, 3]],
  ['items[0:2].name', ['Alpha', 'beta']],
  ['items[].tags[]', ['x', 'y', 'y']],
])('a path with a condition is read leniently: %s', (path, rows) => {
  expect(ask(path)).toEqual(rows)
})

test('the list of records is asked where the whole result has no such list', () => {
  expect(ask('sort_by(@, &price)[0].id')).toEqual([2])
})

test.each(['items.constructor | [0]', 'max_by(items, &__proto__)', '{a: toString}'])(
  'no function or prototype is reached: %s',
  (text) => {
    expect(readJmespath(text)).toBeUndefined()
  },
)

test('the names that an expression reads are known', () => {
  expect(readJmespath('items[].{cost: price, n: length(tags)} | sort_by(@, &cost)')?.fields).toEqual([
    'items',
    'price',
    'tags',
  ])
})

test('an expression that fails is refused, and other texts are none', () => {
  expect(() => readJmespath('sum(items)')?.run({ items: ['a'] })).toThrow(
    /^JMESPath: sum\(\) expected argument 1 .*[^.]\.$/,
  )
  for (const text of ['items[0].name', '$.items[?(@.price > 10)]', 'length(', 'a b | c', '.items | length'])
    expect(readJmespath(text)).toBeUndefined()
})

test.each([`${'[@, @] | '.repeat(300)}[@, @]`, '[., .] | '.repeat(60).concat('[., .]')])(
  'an answer that names one part again and again is not given',
  (program) => {
    expect(() => ask(program)).toThrow()
  },
)
