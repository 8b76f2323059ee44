import { describe, expect, test } from 'vitest'
import { fromValue } from '../../../src/documents/opening/derive.ts'
import { runPipeline } from '../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../src/processors/pipelines.ts'
import type { JsonValue } from '../../../src/protocol/json.ts'

const person = (n: number) => ({
  email: `u${n}@example.org`,
  role: n % 3 ? 'dev' : 'ops',
  active: n % 2 === 0,
})
const list = (from: number, count: number) => Array.from({ length: count }, (_, n) => person(from + n))
const map = (name: string, count: number) =>
  Object.fromEntries(list(0, count).map((one, n) => [`${name}-${n}`, one]))

function notes(value: JsonValue, params: Record<string, unknown>): string {
  const { steps, error } = runPipeline(fromValue(value), filterSteps, params)
  expect(error).toBeUndefined()
  return steps.flatMap(({ metadata }) => metadata.notes ?? []).join(' ')
}

const lists = { total: 13, staff: list(0, 6), guests: list(0, 4), former: list(0, 3) }
const maps = { staff: map('s', 12), guests: map('g', 11) }

describe('a question without a path is about one of several collections of a kind, and says so', () => {
  test.each([
    [
      { where: 'role = dev', aggregate: 'count' },
      '2 other lists too: `$.guests` (2 of 4), `$.former` (2 of 3)',
    ],
    [{ group_by: 'role' }, '2 other lists too: `$.guests` (4), `$.former` (3)'],
    [{ sort: '-email' }, '2 other lists too: `$.guests` (4), `$.former` (3)'],
    [{ where: 'email = u5@example.org' }, ''],
  ])('lists: %j', (params, told) => {
    const said = notes(lists, params)
    if (told === '') expect(said).not.toContain('Only `$.staff`')
    else expect(said).toContain(`Only \`$.staff\` was asked. Such records are in ${told}`)
    expect(said.split('was asked')).toHaveLength(told === '' ? 1 : 2)
  })

  test('all of them, where they are long enough', () => {
    const long = { total: 23, staff: list(0, 12), guests: list(24, 11) }
    for (const [value, by] of [
      [maps, '_of'],
      [{ people: maps }, 'people'],
      [long, '_key'],
      [{ people: long }, '_key'],
    ] as const) {
      const asked = (params: Record<string, unknown>) => runPipeline(fromValue(value), filterSteps, params)
      const of = (params: Record<string, unknown>) => asked(params).document.rows().items
      expect(of({ where: 'role = dev', aggregate: ['count'] })).toEqual([{ count: 15 }])
      expect(of({ group_by: [by] })).toEqual([
        { [by]: 'staff', count: 12 },
        { [by]: 'guests', count: 11 },
      ])
      expect(of({ where: [`${by} = guests`, 'role = dev'] })).toHaveLength(7)
      expect(of({ path: value === maps || value === long ? '$.guests' : '$.people.guests' })).toHaveLength(11)
      const said = notes(value, { where: 'role = dev', aggregate: ['count'] })
      expect(said).toMatch(/^All 23 records of 2 (?:lists|maps) in `\$(?:\.people)?` were asked/)
      expect(notes(value, { where: 'role = dev' })).toBe('')
    }
  })

  test.each<[string, JsonValue, string]>([
    ['list', { staff: list(0, 12), guests: list(24, 11) }, '$.guests'],
    ['map', { people: maps }, '$.people.guests'],
  ])('the %s that a question names before its fields', (_, value, place) => {
    const params = { where: 'guests.role = dev', aggregate: ['count'] }
    expect(runPipeline(fromValue(value), filterSteps, params).document.rows().items).toEqual([{ count: 7 }])
    expect(notes(value, params)).toContain(`The records of \`${place}\` were asked.`)
    const both = { where: ['guests.role = dev', 'staff.active = true'] }
    expect(notes(value, both)).not.toContain('were asked.')
  })

  test('the longest alone, where it has the records of the others as well', () => {
    const tests = list(0, 12)
    const value = {
      stats: { tests: 12 },
      tests,
      passes: tests.slice(0, 8),
      failures: tests.slice(8),
      pending: [],
    }
    const asked = { group_by: ['role'] }
    const { document } = runPipeline(fromValue(value), filterSteps, asked)
    expect(document.rows().items).toEqual([
      { role: 'dev', count: 8 },
      { role: 'ops', count: 4 },
    ])
    expect(notes(value, asked)).toContain('Only `$.tests` was asked.')
  })

  test('none is beside lists of a list that are asked together', () => {
    const asked = { where: 'role = dev', aggregate: ['count'] }
    for (const value of [
      [list(0, 6), list(6, 40)],
      [list(0, 6), list(6, 6), list(12, 40), list(52, 40)],
    ])
      expect(notes(value, asked)).not.toContain('was asked')
    const other = Array.from({ length: 9 }, (_, id) => ({ id, price: id, count: 1 }))
    const mixed = [list(0, 6), other, list(6, 40)]
    expect(notes(mixed, asked)).not.toContain('$[0]')
    expect(notes(mixed, asked)).not.toContain('$[2]')
  })

  test('a field of the records that is called as a list is that field', () => {
    const of = (from: number, count: number) =>
      list(from, count).map((one, at) => ({ ...one, staff: { level: at % 2 } }))
    const value = { staff: of(0, 12), guests: of(24, 11) }
    const params = { where: 'staff.level = 1', aggregate: ['count'] }
    expect(runPipeline(fromValue(value), filterSteps, params).document.rows().items).toEqual([{ count: 11 }])
  })

  test('a map of few that a question names', () => {
    const value = { people: { staff: map('s', 14), guests: map('g', 4) } }
    const params = { where: 'guests.role = dev', aggregate: ['count'] }
    expect(runPipeline(fromValue(value), filterSteps, params).document.rows().items).toEqual([{ count: 2 }])
  })

  test('lists that have in common what identifies records alone are asked one by one', () => {
    const named = (of: string, count: number) =>
      Array.from({ length: count }, (_, id) => ({ id, name: `${of} ${id}` }))
    const said = notes({ countries: named('land', 12), cities: named('city', 11) }, { aggregate: ['count'] })
    expect(said).toContain('Only `$.countries` was asked')
  })

  test('a list that is named as the result itself is asked alone', () => {
    const api = { data: list(0, 12), included: list(0, 11) }
    expect(notes(api, { where: 'role = dev' })).toContain('Only `$.data` was asked')
  })

  test('others beside them do not hide what is asked', () => {
    const long = {
      staff: list(0, 12),
      guests: list(24, 11),
      rooms: [1, 2, 3].map((floor) => ({ floor, seats: 4 })),
    }
    expect(notes(long, { where: 'role = dev' })).toContain('1 other list too: `$.guests` (7 of 11)')
  })

  test('the named path answers what was told', () => {
    expect(notes(lists, { path: '$.guests', where: 'role = dev' })).not.toContain('was asked')
  })

  test.each<[string, JsonValue]>([
    ['other things', { staff: list(0, 6), rooms: [1, 2, 3].map((n) => ({ floor: n, seats: 4 })) }],
    ['lists within the records', { staff: list(0, 6).map((one) => ({ ...one, team: list(0, 3) })) }],
    ['a list alone', list(0, 6)],
  ])('%s are none', (_, value) => {
    expect(notes(value, { where: 'role = dev' })).not.toContain('was asked')
  })
})

test('fields of records beside groups and totals are left out, and said to be', () => {
  const people = list(0, 6)
  const asked = (params: Record<string, unknown>) => {
    const { document, error } = runPipeline(fromValue(people), filterSteps, params)
    expect(error).toBeUndefined()
    return document.rows().items
  }
  const grouped = { group_by: ['role'], fields: ['role', 'email'] }
  expect(asked(grouped)).toEqual([
    { role: 'dev', count: 4 },
    { role: 'ops', count: 2 },
  ])
  expect(notes(people, grouped)).toBe('Left out: `email`. The groups have `role`, `count`.')
  const total = { aggregate: ['count'], fields: ['email'] }
  expect(asked(total)).toEqual([{ count: 6 }])
  expect(notes(people, total)).toBe('Left out: `email`. The totals have `count`.')
})

test('groups are put in order by their keys as they were asked for', () => {
  const books = ['2014', '2011', '2014'].map((year) => ({ published: { $date: `${year}-05-06T00:00:00Z` } }))
  const asked = { group_by: ['published:year'], sort: ['-published:year'] }
  const { document, error } = runPipeline(fromValue(books), filterSteps, asked)
  expect(error).toBeUndefined()
  expect(document.rows().items.map((row) => Object.values(row as object)[0])).toEqual(['2014', '2011'])
})
