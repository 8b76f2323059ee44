import { expect, test } from 'vitest'
import { fromValue } from '../../../../src/documents/opening/derive.ts'
import { where } from '../../../../src/processors/steps/where.ts'
import { clockOf, parseClock } from '../../../../src/text/values/dates.ts'

const ids = (records: { id: number; [name: string]: string | number }[], condition: string) => {
  const { content, error } = where.process(fromValue(records), { where: [condition] })
  expect(error).toBeUndefined()
  return content.rows().items.map((record) => (record as { id: number }).id)
}

const entries = ['DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL', 'INFO'].map((level, id) => ({ id, level }))

test.each([
  ['level >= WARN', [2, 3, 4]],
  ['level >= warning', [2, 3, 4]],
  ['level > error', [4]],
  ['level < info', [0]],
  ['level between info and warn', [1, 2, 5]],
  ['level = WARNING', [2]],
  ['level in (err, critical)', [3, 4]],
  ['level != warning', [0, 1, 3, 4, 5]],
])('levels have the order of what they mean: %s', (condition, found) => {
  expect(ids(entries, condition)).toEqual(found)
})

test('grades have an order as well, other words that of the alphabet', () => {
  const found = ['low', 'critical', 'moderate', 'high'].map((severity, id) => ({ id, severity }))
  expect(ids(found, 'severity >= high')).toEqual([1, 3])
  const names = ['anna', 'low', 'zoe'].map((name, id) => ({ id, name }))
  expect(ids(names, 'name > bob')).toEqual([1, 2])
})

test('one level by another word is meant only where a field holds levels, and no record has the word itself', () => {
  expect(ids([{ id: 1, name: 'WARNING' }], 'name = warn')).toEqual([])
  const both = [
    { id: 1, level: 'WARN' },
    { id: 2, level: 'WARNING' },
  ]
  expect(ids(both, 'level = WARN')).toEqual([1])
})

const times = [
  '2024-05-03T08:10:00.000Z',
  '2024-05-04 08:20:30,123',
  '03/May/2024:09:00:00 +0200',
  'May  3 23:59:59',
  '08:10:59.5',
].map((time, id) => ({ id, time }))

test.each([
  ['time > 08:10', [1, 2, 3, 4]],
  ['time >= 08:10', [0, 1, 2, 3, 4]],
  ['time between 08:10 and 08:20', [0, 4]],
  ['time = 08:10', [0, 4]],
  ['time < 9:00:00', [0, 1, 4]],
  ['time >= 11:59 PM', [3]],
  ['time > 2024-05-03 12:00 and time < 09:00', [1]],
])('a time of day is compared with the clock of each record: %s', (condition, found) => {
  expect(ids(times, condition)).toEqual(found)
})

test('only what is a clock is one', () => {
  expect(parseClock('25:00')).toBeUndefined()
  expect(parseClock('2024-05-03 10:00')).toBeUndefined()
  expect(clockOf('127.0.0.1:8080')).toBeUndefined()
  expect(clockOf('12:30 AM')).toEqual({ from: 1_800_000, to: 1_860_000 })
})

test.each([
  ['level = E', [3]],
  ['level = w', [2]],
  ['level in (D, F)', [0, 4]],
])('a letter is the level that begins so: %s', (condition, found) => {
  expect(ids(entries, condition)).toEqual(found)
})

test('a letter among letters is itself, and so it is in fields that hold no levels', () => {
  const grades = ['A', 'E', 'error'].map((grade, id) => ({ id, grade }))
  expect(ids(grades, 'grade = E')).toEqual([1])
  const letters = ['I', 'E', 'W'].map((level, id) => ({ id, level }))
  expect(ids(letters, 'level = error')).toEqual([1])
})

test('levels that are numbers are asked for by name', () => {
  const logged = [10, 30, 50, 30, 60].map((level, id) => ({ id, level }))
  expect(ids(logged, 'level = error')).toEqual([2])
  expect(ids(logged, 'level >= warn')).toEqual([2, 4])
  expect(ids(logged, 'level in (info, fatal)')).toEqual([1, 3, 4])
  const ranks = [1, 2, 3].map((level, id) => ({ id, level }))
  expect(where.process(fromValue(ranks), { where: ['level > error'] }).error).toContain('is no number')
})
