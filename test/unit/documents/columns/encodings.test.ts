import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  rowsOfBigQuery,
  withoutEncodings,
  withoutTypes,
} from '../../../../src/documents/columns/encodings.ts'
import { isObject, type JsonValue } from '../../../../src/protocol/json.ts'
import { asSent } from '../../../../src/query/fields/as-sent.ts'
import { formatPath, parsePath } from '../../../../src/query/fields/path.ts'
import { deepFreeze } from '../../../support/deep-freeze.ts'

describe('values of DynamoDB', () => {
  const item = {
    pk: { S: 'ORDER#1' },
    total: { N: '12.5' },
    price: { N: '10.00' },
    gift: { BOOL: true },
    coupon: { NULL: true },
    buyer: { M: { name: { S: 'Ana' } } },
    lines: { L: [{ M: { qty: { N: '2' } } }] },
    tags: { SS: ['a', 'b'] },
  }
  const plain = {
    pk: 'ORDER#1',
    total: 12.5,
    price: '10.00',
    gift: true,
    coupon: null,
    buyer: { name: 'Ana' },
    lines: [{ qty: 2 }],
    tags: ['a', 'b'],
  }

  test('are the values alone, in a list and by themselves', () => {
    expect(withoutEncodings({ Items: [item, item], Count: 2 })).toEqual({ Items: [plain, plain], Count: 2 })
    expect(withoutEncodings({ Item: item })).toEqual({ Item: plain })
  })

  test('stay as they are where a field has no type', () => {
    for (const value of [
      { Items: [{ ...item, odd: 1 }] },
      { sizes: { S: 'small', M: 'medium' } },
      { a: { N: 'x' } },
    ])
      expect(withoutEncodings(value)).toBe(value)
  })
})

test('values of Firestore are the values alone', () => {
  const fields = {
    title: { stringValue: 'One' },
    rating: { doubleValue: 4.5 },
    views: { integerValue: '7' },
    none: { nullValue: null },
    tags: { arrayValue: {} },
    author: { mapValue: { fields: { name: { stringValue: 'Ana' } } } },
  }
  const plain = { title: 'One', rating: 4.5, views: 7, none: null, tags: [], author: { name: 'Ana' } }
  expect(withoutEncodings({ documents: [{ name: 'a', fields }] })).toEqual({
    documents: [{ name: 'a', fields: plain }],
  })
})

test('values of MongoDB are the values alone, in both forms', () => {
  const written = (at: JsonValue, score: JsonValue) => ({
    _id: { $oid: '04b5' },
    at: { $date: at },
    score,
    in: [{ n: { $numberLong: '7' } }],
  })
  const plain = (score: number) => ({ _id: '04b5', at: '2026-09-01T00:00:00.000Z', score, in: [{ n: 7 }] })
  const sent = [
    written('2026-09-01T00:00:00.000Z', 8),
    written({ $numberLong: '1788220800000' }, { $numberDouble: '8.5' }),
  ]
  expect(withoutEncodings(sent)).toEqual([plain(8), plain(8.5)])
  expect(withoutEncodings([{ price: { $gt: 5 } }])).toEqual([{ price: { $gt: 5 } }])
  expect(withoutTypes('at.$date')).toBe('at')
})

test('the names of types are left out of a path', () => {
  expect(withoutTypes('buyer.M.name.S')).toBe('buyer.name')
  expect(withoutTypes('fields.author.mapValue.fields.name.stringValue')).toBe('fields.author.name')
  expect(withoutTypes('fields.title')).toBe('fields.title')
})

describe('rows of BigQuery', () => {
  const field = (name: string, type: string, more: Record<string, JsonValue> = {}) => ({
    name,
    type,
    ...more,
  })
  const schema = {
    fields: [
      field('repo', 'STRING'),
      field('at', 'TIMESTAMP'),
      field('langs', 'STRING', { mode: 'REPEATED' }),
      field('owner', 'RECORD', { fields: [field('country', 'STRING'), field('plan', 'STRING')] }),
    ],
  }
  const row = {
    f: [
      { v: 'a' },
      { v: '1.7E9' },
      { v: [{ v: 'go' }, { v: 'c' }] },
      { v: { f: [{ v: 'DE' }, { v: null }] } },
    ],
  }

  test('are records by their schema', () => {
    expect(rowsOfBigQuery([row], schema)).toEqual([
      {
        repo: 'a',
        at: '2023-11-14T22:13:20.000Z',
        langs: ['go', 'c'],
        owner: { country: 'DE', plan: null },
      },
    ])
  })

  test('are none without a schema, or with other cells', () => {
    expect(rowsOfBigQuery([row], { fields: schema.fields.slice(1) })).toBeUndefined()
    expect(rowsOfBigQuery([row, { f: [] }], schema)).toBeUndefined()
    expect(rowsOfBigQuery([row], null)).toBeUndefined()
  })
})

test('any value stays whole: nothing is changed in place, and other values are the same', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const given = deepFreeze(value) as JsonValue
      const plain = withoutEncodings(given)
      if (!JSON.stringify(value).match(/"(?:S|N|B|BOOL|NULL|M|L|SS|NS|BS|\w+Value|\$\w+)"/))
        expect(plain).toBe(given)
      else expect(isObject(plain) || Array.isArray(plain)).toBe(typeof value === 'object' && value !== null)
    }),
  )
})

test('values that are nested without end stay as they were sent', () => {
  for (const [open, close] of [
    ['{"M":{"a":', '}}'],
    ['{"L":[', ']}'],
    ['{"mapValue":{"fields":{"a":', '}}}'],
    ['{"$date":', '}'],
  ] as const) {
    const deep = `${open.repeat(3000)}{"S":"x"}${close.repeat(3000)}`
    const given = JSON.parse(`{"Items":[{"a":${deep},"b":{"S":"y"},"_id":{"$oid":"1"}}]}`) as JsonValue
    expect(() => withoutEncodings(given)).not.toThrow()
  }
})

test('the name of a type is a name like any other where no value had a type', () => {
  const sizes = [
    { id: 1, size: { S: 3 } },
    { id: 2, size: { L: 4 } },
  ]
  const path = parsePath('$[0].size.M')
  expect(asSent(sizes, path)).toBe(path)
  const typed = withoutEncodings([{ size: { N: '3' }, id: { S: 'a' } }])
  expect(formatPath(asSent(typed, parsePath('$[0].size.N')))).toBe('[0].size')
})
