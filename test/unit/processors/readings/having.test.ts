import { describe, expect, test } from 'vitest'
import { fromValue } from '../../../../src/documents/opening/derive.ts'
import { runPipeline } from '../../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../../src/processors/pipelines.ts'
import type { JsonObject, JsonValue } from '../../../../src/protocol/json.ts'

const issues = Array.from({ length: 12 }, (_, at) => ({
  number: at,
  state: at % 3 ? 'open' : 'closed',
  comments: at % 4,
  day: `2024-01-${String(at + 10)}`,
  tags: at % 2 ? ['a', 'b'] : ['a'],
}))

function asked(params: JsonObject): { rows: readonly JsonValue[]; notes: string; error: string | undefined } {
  const { document, steps, error } = runPipeline(fromValue(issues), filterSteps, params)
  const notes = steps.flatMap(({ metadata }) => metadata.notes ?? []).join('\n')
  return { rows: document.rows().items, notes, error }
}

const numbers = (where: string | string[]): unknown[] => {
  const { rows, error } = asked({ where, fields: ['number'] })
  expect(error).toBeUndefined()
  return rows.map((row) => (row as { number: number }).number)
}

describe('an aggregate in a condition on records', () => {
  test('is of all records, and its value is told', () => {
    expect(numbers('comments > avg(comments)')).toEqual([2, 3, 6, 7, 10, 11])
    expect(numbers('day = max(day)')).toEqual([11])
    expect(numbers(['state = closed', 'comments >= 2 * avg(comments)'])).toEqual([3])
    expect(numbers('comments between avg(comments) and max(comments)')).toEqual([2, 3, 6, 7, 10, 11])
    expect(asked({ where: 'comments > avg(comments)' }).notes).toBe(
      '`avg(comments)` of all 12 records is 1.5.',
    )
  })

  test('is of the list in a record where the record has one', () => {
    expect(numbers('count(tags) > 1')).toEqual([1, 3, 5, 7, 9, 11])
    expect(asked({ where: 'count(tags) > 1' }).notes).toBe('')
  })

  test('is refused where it has no value, or its field is unknown', () => {
    expect(asked({ where: 'comments > avg(state)' }).error).toContain('over records')
    expect(asked({ where: 'comments > avg(nothing)' }).error).toContain('`avg(nothing)`')
  })
})

test('numbers beside an operator are computed, and dates and ranges stay what they are', () => {
  expect(numbers('comments > 2 * 1.4')).toEqual([3, 7, 11])
  expect(numbers('number >= (2 + 3) * 2')).toEqual([10, 11])
  expect(numbers('day >= 2024-01-20')).toEqual([10, 11])
  expect(numbers('number between 3 - 5')).toEqual([3, 4, 5])
})

describe('a condition that says that it is about groups', () => {
  test.each<[string, JsonObject, JsonValue[]]>([
    [
      'on a column that is called like a field',
      { group_by: ['state'], aggregate: ['sum(number) as comments'], where: ['having comments > 20'] },
      [{ state: 'open', comments: 48 }],
    ],
    [
      'on the one row of an aggregate',
      { aggregate: ['sum(comments) as number'], where: ['having number > 100'] },
      [],
    ],
    [
      'on the one row of an aggregate that fulfils it',
      { aggregate: ['sum(comments) as number'], where: ['having number > 17'] },
      [{ number: 18 }],
    ],
    [
      'on a key',
      { group_by: ['state'], aggregate: ['count'], where: ["having state = 'open'"] },
      [{ state: 'open', count: 8 }],
    ],
  ])('%s', (_, params, rows) => {
    expect(asked(params)).toMatchObject({ rows, error: undefined })
  })
})

test.each<[string, number[]]>([
  ['((number / 2) > 5) or ((comments + 1) = 1)', [0, 4, 8, 11]],
  ['(state = closed) and ((number % 2) = 0)', [0, 6]],
  ['((number - comments) between 7 and 9) and not ((comments * 2) in (0, 4))', [9, 11]],
  ['((number) > 9) and (((comments)) = 3)', [11]],
])('brackets around a part and around what is computed: %s', (where, found) => {
  expect(numbers(where)).toEqual(found)
})

test('a field may be called having', () => {
  const rows = [
    { id: 1, having: 2, state: 'a' },
    { id: 2, having: 3, state: 'b' },
  ]
  const ids = (where: string) =>
    runPipeline(fromValue(rows), filterSteps, { where: [where] })
      .document.rows()
      .items.map((row) => (row as JsonObject).id)
  expect(ids('having = 2')).toEqual([1])
  expect(ids('having in (3, 4)')).toEqual([2])
  expect(ids('having is not null')).toEqual([1, 2])
})
