/** Texts that mean something: dates, durations, versions, decimal commas. They compare and sort by what they mean. */

import { describe, expect, test } from 'vitest'
import { fromValue } from '../../../src/documents/opening/derive.ts'
import { filterParams } from '../../../src/processors/parameters.ts'
import { runPipeline } from '../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../src/processors/pipelines.ts'
import { sort } from '../../../src/processors/steps/sort.ts'
import { where } from '../../../src/processors/steps/where.ts'
import { duration, looseNumber } from '../../../src/text/values/quantities.ts'

const records = (values: readonly string[]) => fromValue(values.map((v) => ({ v })))
const found = (values: readonly string[], condition: string) =>
  where
    .process(records(values), { where: [condition] })
    .content.rows()
    .items.map((item) => (item as { v: string }).v)
const sorted = (values: readonly string[]) =>
  sort
    .process(records(values), { sort: ['v'] })
    .content.rows()
    .items.map((item) => (item as { v: string }).v)

test('restarts with the time of the last one are counted', () => {
  const restarts = ['0', '7 (3h2m ago)', '12 (5d ago)', '5 (old)']
  expect(found(restarts, 'v >= 7')).toEqual(['7 (3h2m ago)', '12 (5d ago)'])
  expect(looseNumber('12 (5d ago)')).toBe(12)
  expect(looseNumber('5 (old)')).toBeUndefined()
})

describe('dates', () => {
  const syslog = ['Jan 31 23:59:59', 'Feb  1 00:00:00', 'Mar 10 10:00:00', 'Dec  9 01:00:00']
  test.each([
    ['v >= Feb 1', 3],
    ['v >= Feb', 3],
    ['v = Feb', 1],
    ['v > "Jan 31 23:59:58"', 4],
    ['v < 2023-02-01', 1],
  ])('of syslog, without a year: %s', (condition, count) => {
    expect(found(syslog, condition)).toHaveLength(count)
  })

  test('sort by time, whatever their form', () => {
    const mail = [
      'Mon, 06 May 2024 10:00:00 +0200',
      'Mon, 06 May 2024 09:00:00 GMT',
      'Tue, 09 Apr 2024 10:00:00 GMT',
    ]
    expect(sorted(mail)).toEqual([mail[2], mail[0], mail[1]])
    expect(sorted([...syslog].reverse())).toEqual(syslog)
    expect(sorted(['03.02.2024', '01.03.2024', '31.12.2023'])).toEqual([
      '31.12.2023',
      '03.02.2024',
      '01.03.2024',
    ])
    expect(sorted(['2024-05-01T10:00:00+02:00', '2024-05-01T09:00:00Z'])).toEqual([
      '2024-05-01T10:00:00+02:00',
      '2024-05-01T09:00:00Z',
    ])
  })

  test('with names of months and with dots', () => {
    expect(found(['03.02.2024', '01.03.2024'], 'v = 2024-03')).toEqual(['01.03.2024'])
    expect(found(['2024-02-03', '2024-03-01'], 'v >= March 2024')).toEqual(['2024-03-01'])
    expect(found(['Wed May 1 10:00:00 2024 +0200'], 'v < 2024-05-01T08:30:00Z')).toHaveLength(1)
    const us = [
      'Wed 16 Oct 2019 09:21:42 AM PDT',
      'Wed Oct 16 09:21:42 PDT 2019',
      'Oct 16 2019 04:21:42 pm UTC',
    ]
    expect(found([...us, '16 Oct 2019 13:21:42 PM UTC'], 'v = 2019-10-16T16:21:42Z')).toEqual(us)
  })

  test('four digits beside dates are a year', () => {
    const dates = ['2023-12-31 10:00:00', '2024-01-01 00:00:00', '2024-06-30 12:00:00', '2025-01-01 00:00:00']
    expect(found(dates, 'v = 2024')).toEqual(dates.slice(1, 3))
    expect(found(dates, 'v in (2023, 2025)')).toEqual([dates[0], dates[3]])
    expect(found(dates, 'v != 2024')).toEqual([dates[0], dates[3]])
    expect(found(['1/27/2023', '2/3/2024'], 'v = 2024')).toEqual(['2/3/2024'])
    expect(found(['2024', 'v2024-1', 'March 2024'], 'v = 2024')).toEqual(['2024'])
  })

  test('parts of dates with slashes go by the order that others of their field prove', () => {
    const dates = ['1/27/2013', '2/3/2013', '12/11/2014']
    expect(found(dates, 'year(v) = 2013')).toEqual(dates.slice(0, 2))
    expect(found(dates, 'v:month = 2')).toEqual([dates[1]])
    expect(found(dates, "date_diff('day', v, '2013-02-04') = 1")).toEqual([dates[1]])
    expect(found(dates, "concat(v, '!') = '2/3/2013!'")).toEqual([dates[1]])
  })

  test('two fields of dates with slashes are compared as dates', () => {
    const orders = [
      { id: 1, 'Order Date': '1/27/2013', 'Ship Date': '2/13/2013' },
      { id: 2, 'Order Date': '2/10/2013', 'Ship Date': '2/9/2013' },
      { id: 3, 'Order Date': '12/3/2013', 'Ship Date': '12/3/2013' },
    ]
    const ids = (condition: string) =>
      runPipeline(fromValue(orders), filterSteps, filterParams.parse({ where: condition }))
        .document.rows()
        .items.map((row) => (row as { id: number }).id)
    expect(ids('Ship Date > Order Date')).toEqual([1])
    expect(ids('Ship Date = Order Date')).toEqual([3])
    expect(ids('Ship Date <= Order Date + 3')).toEqual([2, 3])
    expect(ids('Order Date:month_of_year = 2')).toEqual([2])
    expect(ids('Order Date:weekday = Sunday')).toEqual([1, 2])
    expect(ids('Order Date:year = 2013 and Ship Date:month = 12')).toEqual([3])
    const counted = (aggregate: string) =>
      runPipeline(
        fromValue(orders),
        filterSteps,
        filterParams.parse({ aggregate: `${aggregate} as n` }),
      ).document.rows().items
    expect(counted("count_if(Order Date = '2/10/2013')")).toEqual([{ n: 1 }])
    expect(counted("count_if(Order Date >= '2013-02-01')")).toEqual([{ n: 2 }])
  })

  test('a number beside versions is one', () => {
    const versions = ['1.2.10', '1.14.1', '2.0.3', '2.11.0']
    expect(found(versions, 'v < 2')).toEqual(versions.slice(0, 2))
    expect(found(versions, 'v >= 2')).toEqual(versions.slice(2))
  })

  test('a field with brackets in its name is compared with', () => {
    const tickets = [
      { id: 1, 'Opened (local)': '03/01/2024 10:00', Due: '31/01/2024' },
      { id: 2, 'Opened (local)': '05/02/2024 10:00', Due: '04/02/2024' },
      { id: 3, 'Opened (local)': '25/02/2024 10:00', Due: '' },
    ]
    const { document } = runPipeline(
      fromValue(tickets),
      filterSteps,
      filterParams.parse({ where: 'Due < Opened (local)' }),
    )
    expect(document.rows().items).toEqual([tickets[1]])
  })

  test('a month alone is a word', () => {
    expect(found(['May', 'June', 'Ann'], 'v = may')).toEqual(['May'])
    expect(sorted(['May', 'June', 'Ann'])).toEqual(['Ann', 'June', 'May'])
  })

  test('days and months have the order of the calendar', () => {
    expect(sorted(['June', 'Apr', 'May'])).toEqual(['Apr', 'May', 'June'])
    expect(sorted(['Sunday', 'Tuesday', 'Monday'])).toEqual(['Monday', 'Tuesday', 'Sunday'])
    expect(found(['Mon', 'Tue', 'Sun'], 'v > monday')).toEqual(['Tue', 'Sun'])
  })

  test('a week of a year is seven days', () => {
    expect(found(['2025-W37', '2025-W02', '2026-W01'], 'v >= 2025-09-01')).toEqual(['2025-W37', '2026-W01'])
  })
})

describe('durations', () => {
  test.each([
    ['97ms', 97],
    ['1.5s', 1500],
    ['1h30m', 5_400_000],
    ['3d4h', 273_600_000],
    ['2 hours', 7_200_000],
  ])('%s', (text, ms) => {
    expect(duration(text)).toBe(ms)
  })
  test.each(['5M', 'ms', '3 apples', '12'])('not %s', (text) => expect(duration(text)).toBeUndefined())

  test('compare and sort', () => {
    expect(sorted(['861ms', '97ms', '1.2s', '3m'])).toEqual(['97ms', '861ms', '1.2s', '3m'])
    expect(found(['12m', '3d4h', '45d'], 'v > 1d')).toEqual(['3d4h', '45d'])
  })
})

test('versions and numbers within texts go by value', () => {
  expect(sorted(['1.10.0', '1.9', '1.9.1'])).toEqual(['1.9', '1.9.1', '1.10.0'])
  expect(found(['1.10.0', '1.9.0', '1.9.10'], 'v > 1.9.2')).toEqual(['1.10.0', '1.9.10'])
})

test('a decimal comma is one when it cannot be anything else', () => {
  expect(['713,67', '1.234,5', '12,50 €', '1,234', '1,2345'].map(looseNumber)).toEqual([
    713.67,
    1234.5,
    12.5,
    1234,
    undefined,
  ])
  expect(found(['713,67', '59,51'], 'v > 500')).toEqual(['713,67'])
  expect(found(['713,67', '59,51'], 'v > 500,00')).toEqual(['713,67'])
  expect(sorted(['713,67', '59,51'])).toEqual(['59,51', '713,67'])
})
