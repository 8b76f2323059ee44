import { describe, expect, test } from 'vitest'
import { fromValue } from '../../../../src/documents/opening/derive.ts'
import { overviewOfData } from '../../../../src/documents/overview/records.ts'
import { runPipeline } from '../../../../src/processors/pipeline.ts'
import { filterSteps, searchSteps } from '../../../../src/processors/pipelines.ts'
import type { JsonObject, JsonValue } from '../../../../src/protocol/json.ts'
import { verifies } from '../../../support/verifies.ts'

const value: JsonValue = {
  licenses: { MIT: 12, ISC: 4, 'Apache-2.0': 3 },
  labels: { app: 'web', tier: 'front' },
  properties: { id: { type: 'string' }, size: { type: 'number' }, odd: null },
  rows: [1, 2, 3, 4].map((id) => ({ id, name: `n${id}`, meta: { x: id, y: 7 } })),
  keyed: { _key: 'own', a: 1 },
}

function asked(params: JsonObject): { rows: readonly JsonValue[]; notes: string; error: string | undefined } {
  const { document, steps, error } = runPipeline(fromValue(value), filterSteps, params)
  return {
    rows: document.rows().items,
    notes: steps.flatMap(({ metadata }) => metadata.notes ?? []).join('\n'),
    error,
  }
}

verifies('S3.26', 'a path to a small map of scalars is that map as it is', () => {
  expect(asked({ path: 'licenses' })).toEqual({ rows: [value.licenses], notes: '', error: undefined })
  expect(asked({ path: 'licenses', fields: ['MIT'] }).rows).toEqual([{ MIT: 12 }])
  expect(asked({ path: 'licenses', where: ['MIT > 3'] }).rows).toEqual([value.licenses])
})

describe('asked for keys and values it is a map', () => {
  test.each<[JsonObject, JsonValue[]]>([
    [{ path: 'licenses', aggregate: 'count' }, [{ count: 3 }]],
    [{ path: 'licenses', aggregate: 'sum(_value)' }, [{ 'sum(_value)': 19 }]],
    [{ path: 'licenses', where: '_key = MIT' }, [{ _key: 'MIT', _value: 12 }]],
    [{ path: 'licenses', where: '_value < 4' }, [{ _key: 'Apache-2.0', _value: 3 }]],
    [
      { path: 'licenses', sort: '_value', fields: ['_key'] },
      [{ _key: 'Apache-2.0' }, { _key: 'ISC' }, { _key: 'MIT' }],
    ],
    [{ path: 'labels', where: '_value contains front' }, [{ _key: 'tier', _value: 'front' }]],
    [{ path: 'properties', where: '_key = size' }, [{ _key: 'size', type: 'number' }]],
    [
      { path: 'rows.meta', group_by: '_key' },
      [
        { _key: 'x', count: 4 },
        { _key: 'y', count: 4 },
      ],
    ],
  ])('%j', (params, rows) => {
    const answer = asked(params)
    expect(answer.error).toBeUndefined()
    expect(answer.rows).toEqual(rows)
    expect(answer.notes).toContain('Read as ')
  })
})

test('a record is one record, and a field of its own called so is that field', () => {
  expect(asked({ path: 'rows[0]', aggregate: 'count' }).rows).toEqual([{ count: 1 }])
  expect(asked({ path: 'keyed', where: '_key = own' }).rows).toEqual([value.keyed])
})

test('a search below it is not changed, and what is wrong elsewhere is said there alone', () => {
  const found = runPipeline(fromValue(value), searchSteps, { path: 'licenses', pattern: 'MIT' })
  expect(found.error).toBeUndefined()
  expect(asked({ path: 'licenses', exclude: 7.5 as never, sort: {} as never }).error).not.toContain('select')
})

describe('a result in which nothing repeats', () => {
  const flat: JsonValue = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`app.module${at % 4}.key${at}`, at % 2 ? at : `x${at}`]),
  )

  test('is a map where its keys or values are asked, without a path', () => {
    const of = (params: JsonObject) => runPipeline(fromValue(flat), filterSteps, params)
    expect(of({ where: '_key contains module3', aggregate: ['count'] }).document.rows().items).toEqual([
      { count: 10 },
    ])
    expect(of({ where: '_value = x4' }).document.rows().items).toEqual([
      { _key: 'app.module0.key4', _value: 'x4' },
    ])
    expect(of({ sort: '-_key', limit: 1 }).document.rows().items[0]).toMatchObject({
      _key: 'app.module3.key39',
    })
  })

  test('says so where another field is asked', () => {
    const { error } = runPipeline(fromValue(flat), filterSteps, { where: 'name contains module3' })
    expect(error).toContain('`_key` and `_value`')
  })

  test('suggests to ask for some of its keys', () => {
    const { calls } = overviewOfData(fromValue(flat))
    expect(JSON.stringify(calls)).toContain('_key contains module0')
  })
})
