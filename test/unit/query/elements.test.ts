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
