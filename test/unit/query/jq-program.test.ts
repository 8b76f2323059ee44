import { describe, expect, test } from 'vitest'
import { readProgram } from '../../../src/query/language/dialects/jq-program.ts'

describe('a program of jq becomes the parameters of a filter', () => {
  test.each([
    ['.[] | select(.state == "open") | .title', { where: ['.state == "open"'], fields: ['title'] }],
    [
      '.items[] | {id, who: .user.login, labels: (.labels | length)}',
      { path: 'items[]', fields: ['id', 'user.login as who', 'length(labels) as labels'] },
    ],
    ['.items[] | [.id, .user.login] | @tsv', { path: 'items[]', fields: ['id', 'user.login'] }],
    [
      '.items[] | select(.n > 5) | "\\(.id): \\(.name)"',
      { path: 'items[]', where: ['.n > 5'], fields: ['id', 'name'] },
    ],
    ['[.items[] | select(.n > 5)] | length', { path: 'items[]', where: ['.n > 5'], aggregate: ['count'] }],
    ['.items | map(select(.n > 5)) | length', { path: 'items', where: ['.n > 5'], aggregate: ['count'] }],
    ['map(.n) | add', { aggregate: ['sum(n)'] }],
    ['[.[] | .n] | add / length', { aggregate: ['avg(n)'] }],
    ['[.[] | .user.login] | unique | length', { aggregate: ['distinct(user.login)'] }],
    [
      '.items | group_by(.state) | map({state: .[0].state, n: length, sum: (map(.size) | add)}) | sort_by(-.n)',
      { path: 'items', group_by: ['state'], aggregate: ['count as n', 'sum(size) as sum'], sort: ['-n'] },
    ],
    ['sort_by(.n) | reverse | .[0:5] | .[] | .name', { fields: ['name'], sort: ['-n'], limit: 5 }],
    ['.items | max_by(.n) | .name', { path: 'items', fields: ['name'], sort: ['-n'], limit: 1 }],
    ['limit(5; .items[] | .id)', { path: 'items[]', fields: ['id'], limit: 5 }],
    ["jq -r '.items[] | .id'", { path: 'items[]', fields: ['id'] }],
    ['items[].{id: id, kind: meta.kind}', { path: 'items[]', fields: ['id', 'meta.kind as kind'] }],
    ['items[*].[id, meta.kind]', { path: 'items[*]', fields: ['id', 'meta.kind'] }],
  ])('%s', (text, params) => {
    expect(readProgram(text)).toEqual(params)
  })
})

test.each([
  '.items[] | select(.n > 5)',
  '.title | test("x")',
  '.labels | length > 1',
  '.items[].id',
  '.data | keys',
  '.items | length',
  '.services | to_entries[] | select(.value.port > 80) | {name: .key}',
  '.items[] | {a: (.b + 1)}',
  '.a == "x|y"',
  'state = open',
  '$.items[?(@.a == 1 || @.b == 2)]',
])('what is a condition or a path, or is not read to its end, is none: %s', (text) => {
  expect(readProgram(text)).toBeUndefined()
})
