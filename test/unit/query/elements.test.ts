import { describe, expect, test } from 'vitest'
import { fromValue } from '../../../src/documents/opening/derive.ts'
import { filterParams } from '../../../src/processors/parameters.ts'
import { runPipeline } from '../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../src/processors/pipelines.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'

const machines = [
  {
    id: 1,
    Tags: [
      { Key: 'team', Value: 'search' },
      { Key: 'env', Value: 'prod' },
    ],
    fields: [
      { id: 360011, value: 'eu' },
      { id: 360012, value: true },
    ],
  },
  {
    id: 2,
    Tags: [
      { Key: 'team', Value: 'web' },
      { Key: 'was', Value: 'search' },
    ],
    fields: [
      { id: 360011, value: true },
      { id: 360012, value: false },
    ],
  },
  { id: 3, Tags: [], fields: [{ id: 360011, value: "O'Neil, Ann" }] },
]

const ask = (where: string) => {
  const { document, steps, error } = runPipeline(
    fromValue(machines),
    filterSteps,
    filterParams.parse({ where }),
  )
  const ids = document.rows().items.map((row) => (row as JsonObject).id)
  return { ids, error, notes: JSON.stringify(steps.map(({ metadata }) => metadata.notes)) }
}

describe('an element with several parts', () => {
  test.each([
    ['fields has {id: 360012, value: true}', [1]],
    ['fields has {"id": 360012, "value": true}', [1]],
    ['fields has {id = 360011, value = eu}', [1]],
    ['Tags has {Key: team, Value: search}', [1]],
    ['Tags has {Key: was, Value: search}', [2]],
    ["fields has {id: 360011, value: 'O\\'Neil, Ann'}", [3]],
    ['not Tags has {Key: team, Value: search}', [2, 3]],
  ])('%s', (where, ids) => {
    expect(ask(where)).toMatchObject({ ids, error: undefined })
  })
})

describe('a pair of a key and a value', () => {
  test('is asked for by both', () => {
    const { ids, notes } = ask('Tags has team=search')
    expect(ids).toEqual([1])
    expect(notes).toContain('read as `any(Tags, Key = ')
    expect(ask('Tags contains was = search').ids).toEqual([2])
    expect(ask('Tags not has team=search').ids).toEqual([2, 3])
  })

  test('of which no record has the key is refused', () => {
    expect(ask('Tags has zone=eu').error).toContain('No record has the field `zone`')
  })
})

describe('elements that a condition in brackets chooses', () => {
  const orders = [
    {
      id: 1,
      lines: [
        { sku: 'A', qty: 2, subs: [{ k: 1 }] },
        { sku: 'B', qty: 9 },
      ],
    },
    { id: 2, lines: [{ sku: 'A', qty: 9, subs: [{ k: 3 }] }] },
    { id: 3, lines: [{ sku: 'C', qty: 1 }] },
    { id: 4, lines: [] },
  ]
  const found = (params: object) => {
    const { document, error } = runPipeline(fromValue(orders), filterSteps, filterParams.parse(params))
    return error ?? document.rows().items.map((row) => (row as JsonObject).id)
  }

  test.each<[string, number[]]>([
    ['@.lines[?@.sku == "A"]', [1, 2]],
    ['!@.lines[?@.sku == "A"]', [3, 4]],
    ['@.lines[?(@.sku == "A" && @.qty > 5)]', [2]],
    ['@.lines[?@.subs[?@.k > 2]]', [2]],
    ['@.lines[?@.qty > 5].sku == "A"', [2]],
    ['@.lines[?@.qty > 5].length > 0', [1, 2]],
    ['count(@.lines[?@.qty > 5]) == 0', [3, 4]],
    ['count(@.lines) == 2', [1]],
    ['count(@.missing) == 0', [1, 2, 3, 4]],
    ['length( @.lines ) == 1', [2, 3]],
  ])('in a path: %s', (condition, ids) => {
    expect(found({ path: `$[?${condition}]` })).toEqual(ids)
  })

  test.each<[string, number[]]>([
    ['exists(lines[?qty > 5])', [1, 2]],
    ['not exists(lines[?qty > 5])', [3, 4]],
    ['lines[?qty > 5] exists', [1, 2]],
    ['lines[?qty > 5]', [1, 2]],
  ])('in a condition: %s', (where, ids) => {
    expect(found({ where })).toEqual(ids)
  })

  test('conditions within conditions have a depth', () => {
    const deep = (levels: number): string => (levels === 0 ? '@.k > 0' : `@.lines[?${deep(levels - 1)}]`)
    expect(found({ path: `$[?${deep(6)}]` })).toContain('nested too deeply')
  })

  test('a name of many brackets takes no time', () => {
    expect(found({ path: `$[?count(${'a[?]'.repeat(200)}!) > 0]` })).toBeTypeOf('string')
  })
})
