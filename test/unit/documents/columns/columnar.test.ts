import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { headOf, withColumns } from '../../../../src/documents/columns/columnar.ts'
import type { JsonObject, JsonValue } from '../../../../src/protocol/json.ts'
import { deepFreeze } from '../../../support/deep-freeze.ts'

const hours = Array.from({ length: 12 }, (_, hour) => hour)

test('lists of one length side by side are rows', () => {
  const given = { unit: 'C', hourly: { time: hours, temp: hours.map((hour) => hour / 2) } }
  expect(withColumns(given)).toEqual({ unit: 'C', hourly: hours.map((time) => ({ time, temp: time / 2 })) })
})

test('other lists stay what they are', () => {
  for (const given of [
    { time: hours, temp: hours.slice(1) },
    { time: hours.slice(0, 7), temp: hours.slice(0, 7) },
    { time: hours },
    { time: hours, temp: hours.map((hour) => [hour]) },
    { time: hours, unit: 'C' },
  ])
    expect(withColumns(given)).toBe(given)
})

test('rows of cells that name themselves are records', () => {
  const row = (at: number) => [
    { field: '@message', value: `m${at}` },
    { field: '__proto__', value: String(at) },
  ]
  const made = withColumns({ status: 'Complete', results: [row(0), row(1).slice(0, 1)] })
  expect(JSON.stringify(made)).toBe(
    '{"status":"Complete","results":[{"@message":"m0","__proto__":"0"},{"@message":"m1"}]}',
  )
  for (const results of [
    [row(0)],
    [row(0), [{ field: 'other', value: 1 }]],
    [row(0), [{ field: 'a', value: {} }]],
    [[...row(0), ...row(1)]],
    [row(0), []],
    [[{ field: 'a', value: 1, more: 2 }]],
    [[{ value: 1 }]],
  ]) {
    const given = { results }
    expect(withColumns(given)).toBe(given)
  }
})

test('rows hold every cell of the columns, and nothing else', () => {
  const cell = fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.boolean())
  const columns = fc
    .integer({ min: 8, max: 20 })
    .chain((length) =>
      fc.dictionary(
        fc.oneof(fc.constantFrom('__proto__', 'constructor', 'a'), fc.string()),
        fc.array(cell, { minLength: length, maxLength: length }),
        { minKeys: 2, maxKeys: 6, noNullPrototype: true },
      ),
    )
  fc.assert(
    fc.property(columns, (given) => {
      const frozen: JsonObject = deepFreeze(JSON.parse(JSON.stringify(given)))
      const rows = withColumns(frozen)
      const names = Object.keys(frozen)
      if (names.length < 2 || !Array.isArray(rows)) return names.length < 2
      for (const name of names)
        expect(rows.map((row) => Object.getOwnPropertyDescriptor(row, name)?.value)).toEqual(
          Object.getOwnPropertyDescriptor(frozen, name)?.value,
        )
      return rows.every((row) => Object.keys(row ?? {}).length === names.length)
    }),
  )
})

describe('rows of reports with groups of cells', () => {
  const report = (dimension: string, metric: string, values: string) => ({
    [`${dimension}`]: [{ name: 'country' }],
    [`${metric}`]: [{ name: 'activeUsers', type: 'TYPE_INTEGER' }, { name: 'sessions' }],
    rows: [
      {
        [`dimension${values}`]: [{ value: 'Germany' }],
        [`metric${values}`]: [{ value: '120' }, { value: '9' }],
      },
      { [`dimension${values}`]: [{ value: 'France' }], [`metric${values}`]: [{ value: '80' }, {}] },
    ],
    rowCount: 2,
  })

  test.each([
    ['as the service writes them', report('dimensionHeaders', 'metricHeaders', 'Values')],
    ['as its library writes them', report('dimension_headers', 'metric_headers', '_values')],
  ])('become records by the names of their headers, %s', (_, value) => {
    expect((withColumns(value) as { rows: unknown }).rows).toEqual([
      { country: 'Germany', activeUsers: '120', sessions: '9' },
      { country: 'France', activeUsers: '80', sessions: null },
    ])
  })

  test('stay as they are where a row has another number of cells, or two headers share a name', () => {
    const value = report('dimensionHeaders', 'metricHeaders', 'Values')
    const short = { ...value, rows: [...value.rows, { dimensionValues: [], metricValues: [] }] }
    expect(withColumns(short)).toEqual(short)
    const twice = { ...value, metricHeaders: [{ name: 'country' }, { name: 'sessions' }] }
    expect(withColumns(twice)).toEqual(twice)
  })
})

describe('rows of Google Sheets', () => {
  const values = [
    ['Id', 'Region', 'Units', 'Note'],
    ['1', 'North', '5'],
    ['2', 'South', '7', 'late'],
    ['3', 'North', ''],
    ['4', 'North', '2'],
  ]
  const records = [
    { Id: '1', Region: 'North', Units: '5' },
    { Id: '2', Region: 'South', Units: '7', Note: 'late' },
    { Id: '3', Region: 'North', Units: '' },
    { Id: '4', Region: 'North', Units: '2' },
  ]

  test('have the names in the first row, which is no record', () => {
    expect(withColumns({ range: 'A1:D5', values })).toEqual({ range: 'A1:D5', values: records })
    expect(withColumns({ valueRanges: [{ values }, { values: [['x']] }] })).toEqual({
      valueRanges: [{ values: records }, { values: [['x']] }],
    })
    expect(withColumns(values)).toEqual(records)
  })

  test.each([
    ['SheetJS', ['Sales 2025', '__EMPTY', '__EMPTY_1'], ['Sales 2025']],
    ['pandas', ['Unnamed: 0', 'Unnamed: 1', 'Unnamed: 2'], []],
    ['letters', ['A', 'B', 'C'], []],
  ])('are as well below the placeholders of %s', (_, keys, titles) => {
    const sheet = (rows: readonly (readonly JsonValue[])[]) =>
      rows.map((row) => Object.fromEntries(row.map((cell, at) => [keys[at], cell])))
    const sent = sheet([
      ['Region', 'Product', 'Units'],
      ['North', 'tea', 5],
      ['South', 'oil', 7],
      ['Total', '', 12],
    ])
    const found = withColumns(sent)
    expect(found).toEqual([
      { Region: 'North', Product: 'tea', Units: 5 },
      { Region: 'South', Product: 'oil', Units: 7 },
      { Region: 'Total', Product: '', Units: 12 },
    ])
    expect(headOf(found as JsonValue[])).toEqual({ rows: 1, titles })
    const words = sheet([
      ['ann', 'bob', 'x'],
      ['eve', 'dan', 'y'],
      ['joe', 'kim', 'z'],
      ['sue', 'tom', 'w'],
    ])
    expect(withColumns(words)).toEqual(words)
  })

  test('stay lists where nothing tells names from values', () => {
    for (const rows of [
      [
        ['ann', 'bob'],
        ['eve', 'dan'],
        ['joe', 'kim'],
        ['sue', 'tom'],
      ],
      [['1', '2'], ...values.slice(1)],
      [['a', 'a'], ...values.slice(1)],
      [['a', 'b'], ...values.slice(1)],
      [...values, [{ cell: 1 }]],
    ])
      expect(withColumns({ rows })).toEqual({ rows })
  })
})

test('rows of Neo4j have the names of the columns, and what is beside their cells', () => {
  const data = [1, 2, 3].map((since) => ({ row: [{ name: 'Ana' }, { name: 'Ben' }, since], meta: [null] }))
  expect(withColumns({ results: [{ columns: ['a', 'b', 'since'], data }], errors: [] })).toEqual({
    results: [
      {
        columns: ['a', 'b', 'since'],
        data: [1, 2, 3].map((since) => ({ a: { name: 'Ana' }, b: { name: 'Ben' }, since, meta: [null] })),
      },
    ],
    errors: [],
  })
})

test('rows under names in another part have these names, and those of Athena no first row with them', () => {
  const rows = [1, 2, 3].map((n) => [String(n), 'north', '5.5'])
  const records = [1, 2, 3].map((n) => ({ id: String(n), region: 'north', total: '5.5' }))
  const columns = ['id', 'region', 'total'].map((name) => ({ name, type_name: 'STRING' }))
  const manifest = { format: 'JSON_ARRAY', schema: { columns } }
  expect(withColumns({ manifest, result: { data_array: rows } })).toEqual({
    manifest,
    result: { data_array: records },
  })
  const cells = (row: readonly string[]) => ({ Data: row.map((VarCharValue) => ({ VarCharValue })) })
  const ResultSetMetadata = {
    ColumnInfo: ['id', 'region', 'total'].map((Name) => ({ Name, Type: 'varchar' })),
  }
  const Rows = [['id', 'region', 'total'], ...rows].map(cells)
  expect(withColumns({ ResultSet: { Rows, ResultSetMetadata } })).toEqual({
    ResultSet: { Rows: records, ResultSetMetadata },
  })
})

test('matches of a store of vectors are a record each, of one query or of none', () => {
  const ids = ['a', 'b', 'c']
  const lists = { ids, documents: ['x', 'y', 'z'], metadatas: ids.map((_, page) => ({ page })) }
  const records = ids.map((id, page) => ({ ids: id, documents: lists.documents[page], metadatas: { page } }))
  expect(withColumns({ ...lists, embeddings: null, included: ['documents', 'metadatas'] })).toEqual(records)
  const nested = Object.fromEntries(Object.entries(lists).map(([key, list]) => [key, [list]]))
  expect(withColumns({ ...nested, uris: null, included: ['documents'] })).toEqual(records)
  for (const other of [
    { ...lists, total: 3 },
    { ...lists, ids: ['a', 'a', 'c'] },
    { ids, embeddings: null },
  ])
    expect(withColumns(other)).toBe(other)
})

test('pairs are no rows under two names that stand elsewhere', () => {
  const given = { schema: { fields: ['a', 'b'] }, result: { points: [1, 2, 3].map((n) => [n, n]) } }
  expect(withColumns(given)).toBe(given)
})

describe('a dataset of JSON-stat', () => {
  const dataset = {
    version: '2.0',
    class: 'dataset',
    id: ['freq', 'geo', 'time'],
    size: [1, 2, 3],
    dimension: {
      freq: { category: { label: { A: 'Annual' } } },
      geo: { category: { index: { DE: 0, FR: 1 }, label: { DE: 'Germany', FR: 'France' } } },
      time: { category: { index: ['2022', '2023', '2024'] } },
    },
  }
  const of = { freq: 'A', freq_label: 'Annual' }

  test('has a record for each value, with the categories of its place', () => {
    const { value } = withColumns({ ...dataset, value: { 1: 3.5, 5: 7 }, status: { 5: 'p' } }) as JsonObject
    expect(value).toEqual([
      { ...of, geo: 'DE', geo_label: 'Germany', time: '2023', value: 3.5 },
      { ...of, geo: 'FR', geo_label: 'France', time: '2024', value: 7, status: 'p' },
    ])
    const listed = withColumns({ ...dataset, value: [1, 2, 3, 4, null, 6] }) as JsonObject
    expect(listed.value).toHaveLength(6)
    expect(listed.value).toContainEqual({ ...of, geo: 'FR', geo_label: 'France', time: '2023', value: null })
  })

  test('stays as it is where sizes and categories differ', () => {
    for (const other of [
      { size: [1, 2, 4] },
      { size: [1, 2] },
      { dimension: { geo: {} } },
      { id: [1, 2, 3] },
    ]) {
      const given = { ...dataset, value: { 1: 3.5 }, ...other } as JsonObject
      expect(withColumns(given)).toBe(given)
    }
  })
})

test('names within names without end are none', () => {
  const given = JSON.parse(`${'{"schema":'.repeat(20_000)}[]${'}'.repeat(20_000)}`) as JsonObject
  expect(() => withColumns(given)).not.toThrow()
})
