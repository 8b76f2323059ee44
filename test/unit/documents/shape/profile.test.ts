import fc from 'fast-check'
import { expect, test } from 'vitest'
import { distinctCount, fieldsOf, frequent } from '../../../../src/documents/shape/fields.ts'
import { profile } from '../../../../src/documents/shape/profile.ts'
import { typeNotation } from '../../../../src/documents/shape/type-notation.ts'
import { soundKeys } from '../../../support/keys.ts'
import { verifies } from '../../../support/verifies.ts'

const records = [
  {
    id: 1,
    state: 'open',
    at: '2024-01-02',
    user: { login: 'ann' },
    labels: [{ name: 'bug' }, { name: 'ui' }],
  },
  { id: 2, state: 'closed', at: '2024-03-01', user: { login: 'bob' }, labels: [] },
  { id: 9, state: 'open', at: '2023-12-31', user: null, labels: [{ name: 'bug' }], note: 'x' },
]

verifies('S3.25', 'counts presence, ranges, dates, values and lengths per field', () => {
  const { record } = profile({ values: records })
  const fields = new Map(fieldsOf(record).map((field) => [field.path, field]))
  expect([...fields.keys()]).toEqual([
    'id',
    'state',
    'at',
    'user',
    'labels',
    'note',
    'user.login',
    'labels[].name',
  ])
  expect(fields.get('id')?.shape.numbers).toMatchObject({
    min: 1,
    max: 9,
    sum: 12,
    minAt: 0,
    maxAt: 2,
    integers: true,
  })
  expect(fields.get('at')?.shape.strings).toMatchObject({
    dates: 3,
    earliest: '2023-12-31',
    latest: '2024-03-01',
  })
  expect(frequent(record.fields.get('state') ?? record)).toEqual([
    ['open', 2],
    ['closed', 1],
  ])
  expect(fields.get('note')).toMatchObject({ of: 3, shape: { count: 1 } })
  expect(fields.get('user')?.shape.nulls).toBe(1)
  expect(fields.get('labels')?.shape.arrays).toEqual({ count: 3, min: 0, max: 2, total: 3 })
})

test('writes the type, in less detail where there is less room', () => {
  const { record } = profile({ values: [...records, ...records] })
  expect(typeNotation(record, { length: 400 })).toBe(
    '{id: number, state: "open"|"closed", at: date, user: {login: "ann"|"bob"}|null, labels: {name: "bug"|"ui"}[], note?: string}'
      .replace('"ann"|"bob"', 'string')
      .replace('"bug"|"ui"', '"bug"|"ui"'),
  )
  for (const length of [10, 40, 60, 100])
    expect(typeNotation(record, { length }).length).toBeLessThanOrEqual(length)
})

test('sees maps inside records', () => {
  const values = Array.from({ length: 50 }, (_, index) => ({
    prices: Object.fromEntries(
      Array.from({ length: 6 }, (_, item) => [`i${index}${item}`, { price: item, stock: 1 }]),
    ),
  }))
  const { record } = profile({ values })
  expect(typeNotation(record, { length: 200 })).toBe(
    '{prices: Record<string, {price: number, stock: number}>}',
  )
  expect(fieldsOf(record).map(({ path }) => path)).toEqual(['prices', 'prices.*.price', 'prices.*.stock'])
})

test('keeps presence exact and says when values are sampled', () => {
  const values = Array.from({ length: 450_000 }, (_, id) => (id % 2 === 0 ? { id } : { id, odd: 'yes' }))
  const { every, record, count } = profile({ values })
  expect([every, count]).toEqual([3, 450_000])
  expect(record.fields.get('odd')?.count).toBe(225_000)
  expect(record.fields.get('id')?.numbers?.max).toBe(449_999)
})

test('profiles anything, names and depth included', () => {
  fc.assert(
    fc.property(fc.array(soundKeys(fc.jsonValue())), (values) => {
      const { record } = profile({ values: JSON.parse(JSON.stringify(values)) })
      expect(record.count).toBe(values.length)
      expect(typeNotation(record, { length: 120 }).length).toBeLessThanOrEqual(120)
      for (const field of fieldsOf(record)) expect(distinctCount(field.shape) ?? 0).toBeLessThanOrEqual(300)
    }),
  )
  expect(profile({ values: [JSON.parse('{"__proto__":1,"constructor":2}')] }).record.fields.size).toBe(2)
})
