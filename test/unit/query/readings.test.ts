import { describe, expect, test } from 'vitest'
import { fromValue } from '../../../src/documents/derive.ts'
import { aggregate } from '../../../src/processors/group.ts'
import { sort } from '../../../src/processors/sort.ts'
import { where } from '../../../src/processors/where.ts'
import type { JsonValue } from '../../../src/protocol/json.ts'

function found(records: JsonValue, condition: string): { ids: unknown[]; notes: string[] } {
  const { content, metadata, error } = where.process(fromValue(records), { where: [condition] })
  expect(error).toBeUndefined()
  const ids = content.rows().items.map((row) => (row as { id: number }).id)
  return { ids, notes: metadata.notes ?? [] }
}

describe('a time without a zone, compared with times that have one', () => {
  const times = (...at: string[]): JsonValue => at.map((time, n) => ({ id: n + 1, at: time }))
  const eastern = times(
    '2026-11-19T23:30:00+01:00',
    '2026-11-20T00:30:00+01:00',
    '20/Nov/2026:07:00:00 +0100',
    '2026-11-20T08:00:00+01:00',
  )

  test('is of their zone where they share one, and that is said', () => {
    const one = times('2026-11-19T23:30:00+01:00', '2026-11-20T00:30:00+01:00', '2026-11-20T08:00:00+01:00')
    expect(found(one, 'at >= 2026-11-20')).toEqual({
      ids: [2, 3],
      notes: ['`2026-11-20` read in the zone of `at`, +01:00.'],
    })
    expect(found(one, 'at = 2026-11-19').ids).toEqual([1])
    expect(found(one, 'at < 2026-11-20T08:00').ids).toEqual([1, 2])
    expect(found(one, 'at between 2026-11-20T00:00 and 2026-11-20T01:00').ids).toEqual([2])
    expect(found(one, 'at >= 2026-11-19T23:00:00Z')).toEqual({ ids: [2, 3], notes: [] })
  })

  test('is UTC where they have several, and days are said to be', () => {
    expect(
      found(times('2026-11-19T23:30:00-05:00', '2026-11-19T00:30:00+01:00'), 'at >= 2026-11-20'),
    ).toEqual({
      ids: [1],
      notes: ['Days are those of UTC.'],
    })
    // One zone in two spellings is two.
    expect(found(eastern, 'at >= 2026-11-20T07:30').ids).toEqual([])
  })

  test('is UTC where that is theirs', () => {
    const one = times('2026-11-19T23:30:00Z', '2026-11-20T00:30:00Z')
    expect(found(one, 'at >= 2026-11-20')).toEqual({ ids: [2], notes: [] })
  })
})

test('a colon belongs to the name where the longer name is a field as well', () => {
  const records = [
    { id: 1, scripts: { build: 'tsc', 'build:all': 'tsc -b' } },
    { id: 2, scripts: { build: 'tsc -b', 'build:all': 'vite' } },
  ]
  expect(found(records, 'scripts.build:all contains tsc').ids).toEqual([1])
  expect(found(records, 'scripts.build:all = vite').ids).toEqual([2])
  expect(found(records, 'scripts.build:tsc').ids).toEqual([1])
})

test('a path that no record has is no pattern', () => {
  const records = [
    { id: 1, dir: '/usr/lib' },
    { id: 2, dir: '/usr/lib/x' },
  ]
  expect(found(records, 'dir = /usr/lib/s').ids).toEqual([])
  expect(found(records, 'dir = "/lib/"').ids).toEqual([])
  expect(found(records, 'dir = /lib.x/i')).toEqual({
    ids: [2],
    notes: ['`dir = /lib.x/i` read as `dir ~ /lib.x/i`.'],
  })
})

test('a value with joints in it is one of a field that is named by its end as well', () => {
  const records = [
    { id: 1, meta: { kind: 'text/plain; charset=UTF-8; variant=GFM' } },
    { id: 2, meta: { kind: 'text/plain' } },
  ]
  expect(found(records, 'kind = text/plain; charset=UTF-8; variant=GFM').ids).toEqual([1])
})

test('values joined by or are looked for within the objects of a field too', () => {
  const issues = ['To Do', 'Done', 'In Progress'].map((name, id) => ({
    id,
    status: { name, icon: `${id}.png` },
  }))
  expect(found(issues, 'status = To Do or Done').ids).toEqual([0, 1])
  expect(found(issues, 'status != To Do or Done').ids).toEqual([2])
})

test('a list that is equal to a list: all of it; beside single values, any of it', () => {
  const plans = [['delete'], ['delete', 'create'], ['update']].map((actions, id) => ({
    id,
    actions,
    first: actions[0] ?? '',
  }))
  expect(found(plans, 'actions = ["delete", "create"]').ids).toEqual([1])
  expect(found(plans, 'first = ["delete", "update"]').ids).toEqual([0, 1, 2])
  expect(found(plans, 'actions in ["delete", "create"]').ids).toEqual([0, 1])
})

describe('a number without a unit, compared with values that have one', () => {
  const sizes = (...of: string[]): JsonValue => of.map((size, n) => ({ id: n + 1, size }))

  test('is in the unit that all of them have, and that is said', () => {
    expect(found(sizes('8 kB', '0', '152 kB', '99 kB'), 'size > 100')).toEqual({
      ids: [3],
      notes: ['`100` read as 100 kB, the unit of all of `size`.'],
    })
    expect(found(sizes('20ms', '150ms'), 'size >= 150').ids).toEqual([2])
    expect(found(sizes('8 kB', '152 kB'), 'size = 152').ids).toEqual([2])
    expect(found(sizes('8 kB', '152 kB'), 'size > 0.1 MB').ids).toEqual([2])
  })

  test('is a number of bytes where it would be far beyond all of them', () => {
    expect(found(sizes('512Mi', '256Mi', '2048Mi'), 'size > 1000000000')).toEqual({ ids: [3], notes: [] })
    expect(found(sizes('8 kB', '152 kB'), 'size > 1000').ids).toEqual([])
  })

  test('is a number of bytes where they differ', () => {
    expect(found(sizes('8 kB', '2 MB'), 'size > 9000').ids).toEqual([2])
  })
})

test('sums and orders of objects are those of the one number in each, and that is said', () => {
  const of = (...amounts: number[]): JsonValue =>
    amounts.map((amount, n) => ({ id: n + 1, price: { id: 90 - n, currency: 'EUR', amount: `${amount}` } }))
  const document = fromValue(of(9, 100, 20))
  const sum = aggregate.process(document, { aggregate: ['sum(price)'] })
  expect(sum.content.rows().items).toEqual([{ 'sum(price.amount)': 129 }])
  expect(sum.metadata.notes).toContain('`price` holds objects and was read as `price.amount`.')
  const order = sort.process(document, { sort: ['-price'] })
  expect(order.content.rows().items.map((row) => (row as { id: number }).id)).toEqual([2, 3, 1])
  const ambiguous = fromValue([{ p: { x: 1, y: 2 } }, { p: { x: 3, y: 4 } }])
  expect(aggregate.process(ambiguous, { aggregate: ['sum(p)'] }).content.rows().items).toEqual([
    { 'sum(p)': null },
  ])
})
