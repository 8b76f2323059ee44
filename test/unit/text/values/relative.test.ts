import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  startOf,
  startsBetween,
  timeUnit,
  unitsBetween,
  unitsLater,
} from '../../../../src/text/values/intervals.ts'
import { relativeSpan } from '../../../../src/text/values/relative.ts'

const now = Date.parse('2024-05-15T10:30:00Z')
const told = (text: string, since = false): string | undefined => {
  const span = relativeSpan(text, now, since)
  return span && [span.from, span.to].map((time) => new Date(time).toISOString().slice(0, 16)).join(' ')
}

describe('times from now', () => {
  test.each([
    ['now', '2024-05-15T10:30 2024-05-15T10:30'],
    ['now()', '2024-05-15T10:30 2024-05-15T10:30'],
    ['now-7d', '2024-05-08T10:30 2024-05-08T10:30'],
    ['now-90m', '2024-05-15T09:00 2024-05-15T09:00'],
    ['now-1M', '2024-04-15T10:30 2024-04-15T10:30'],
    ['now-1M/M', '2024-04-01T00:00 2024-05-01T00:00'],
    ['now/d', '2024-05-15T00:00 2024-05-16T00:00'],
    ['now - 2 hours + 30 minutes', '2024-05-15T09:00 2024-05-15T09:00'],
    ['today', '2024-05-15T00:00 2024-05-16T00:00'],
    ['current_date - 7', '2024-05-08T00:00 2024-05-09T00:00'],
    ['yesterday', '2024-05-14T00:00 2024-05-15T00:00'],
    ['3 weeks ago', '2024-04-24T10:30 2024-04-24T10:30'],
    ['an hour ago', '2024-05-15T09:30 2024-05-15T09:30'],
    ['last 7 days', '2024-05-08T10:30 2024-05-15T10:30'],
    ['the past 2 months', '2024-03-15T10:30 2024-05-15T10:30'],
    ['this week', '2024-05-13T00:00 2024-05-20T00:00'],
    ['last month', '2024-04-01T00:00 2024-05-01T00:00'],
    ['next quarter', '2024-07-01T00:00 2024-10-01T00:00'],
    ['current year', '2024-01-01T00:00 2025-01-01T00:00'],
  ])('%s', (text, span) => expect(told(text)).toBe(span))

  test('after the last days is after they began', () => {
    expect(told('last 7 days', true)).toBe('2024-05-08T10:30 2024-05-08T10:30')
  })

  test.each([
    '',
    'now-',
    'now-7',
    'soon',
    'nowhere',
    'last',
    'last name',
    'today or so',
    '7 days',
    `now${'-1d'.repeat(100)}`,
  ])('%j is none', (text) => expect(told(text)).toBeUndefined())

  test('any text is read without an error', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 70 }), (text) => void relativeSpan(text, now)),
    )
  })
})

describe('units of time', () => {
  const unit = fc.constantFrom('second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year')
  const time = fc.integer({ min: Date.parse('1970-01-05'), max: Date.parse('2100-01-01') })

  test('a unit begins before what lies in it, and the next one after', () => {
    fc.assert(
      fc.property(time, unit, (at, name) => {
        const start = startOf(at, name)
        expect(start).toBeLessThanOrEqual(at)
        expect(unitsLater(start, 1, name)).toBeGreaterThan(at)
        expect(startOf(start, name)).toBe(start)
      }),
    )
  })

  test('as many begin between two times as lie between the beginnings of theirs', () => {
    fc.assert(
      fc.property(time, time, unit, (from, to, name) => {
        const count = startsBetween(from, to, name)
        expect(unitsLater(startOf(from, name), count, name)).toBe(startOf(to, name))
        expect(Math.abs(unitsBetween(from, to, name) - count)).toBeLessThanOrEqual(1)
      }),
    )
  })

  test.each([
    ['days', 'day'],
    ['HH', 'hour'],
    ['mon', 'month'],
    ['nothing', undefined],
    ['constructor', undefined],
  ])('%s is %s', (word, name) => expect(timeUnit(word)).toBe(name))
})
