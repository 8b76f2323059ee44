import { describe, expect, test } from 'vitest'
import { fromRecognised, fromValue } from '../../../src/documents/opening/derive.ts'
import { filterParams } from '../../../src/processors/parameters.ts'
import { runPipeline } from '../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../src/processors/pipelines.ts'
import { aggregate } from '../../../src/processors/steps/group.ts'
import { projection } from '../../../src/processors/steps/projection.ts'
import { select } from '../../../src/processors/steps/select.ts'
import { sort } from '../../../src/processors/steps/sort.ts'
import { where } from '../../../src/processors/steps/where.ts'
import type { JsonValue } from '../../../src/protocol/json.ts'
import { arithmetic } from '../../../src/query/language/compile.ts'
import { parseDate } from '../../../src/text/values/dates.ts'
import { duration, looseNumber, quantity } from '../../../src/text/values/quantities.ts'

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

  test('is of their zone by its name as well', () => {
    const named = times(
      'Nov 19, 2026 23:30:00.000 CET',
      'Fri Nov 20 00:30:00 CET 2026',
      'Nov 20, 2026 08:00:00 CET',
    )
    expect(found(named, 'at >= 2026-11-20')).toEqual({
      ids: [2, 3],
      notes: ['`2026-11-20` read in the zone of `at`, CET.'],
    })
    expect(found(named, 'hour(at) = 8').ids).toEqual([3])
  })

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
  })

  test('is of their zone in whichever spelling', () => {
    expect(found(eastern, 'at >= 2026-11-20T07:30').ids).toEqual([4])
  })

  test('is UTC where that is theirs', () => {
    const one = times('2026-11-19T23:30:00Z', '2026-11-20T00:30:00Z')
    expect(found(one, 'at >= 2026-11-20')).toEqual({ ids: [2], notes: [] })
  })
})

describe('parts of times that have a zone', () => {
  const mails: JsonValue = [
    { id: 1, at: 'Thu, 1 May 2025 00:30:00 +0200' },
    { id: 2, at: 'Thu, 1 May 2025 10:30:00 +0200' },
    { id: 3, at: 'Fri, 30 May 2025 09:30:00 +0200' },
  ]
  const mixed: JsonValue = [
    { id: 1, at: '2025-05-01T00:30:00+02:00' },
    { id: 2, at: '2025-05-01T10:30:00Z' },
  ]
  const groups = (records: JsonValue, group: string): { rows: unknown; notes: string[] } => {
    const { content, metadata } = aggregate.process(fromValue(records), { group_by: [group] })
    return { rows: content.rows().items, notes: metadata.notes ?? [] }
  }

  test.each([
    'month(at) = 5',
    'at:month = 2025-05',
    'at between 2025-05-01 and 2025-05-31',
    'month(coalesce(at, null)) = 5',
  ])('are of the zone that they share: %s', (condition) => {
    const { ids, notes } = found(mails, condition)
    expect(ids).toEqual([1, 2, 3])
    expect(notes).toContainEqual(expect.stringContaining('zone'))
  })

  test('are of that zone as numbers, days and groups', () => {
    expect(found(mails, 'hour(at) < 10').ids).toEqual([1, 3])
    expect(found(mails, 'extract(hour from at) + 1 < 11').ids).toEqual([1, 3])
    expect(found(mails, 'date(at) = 2025-05-01').ids).toEqual([1, 2])
    expect(groups(mails, 'at:month')).toEqual({
      rows: [{ 'at:month': '2025-05', count: 3 }],
      notes: ['Parts of `at` are those of its zone, +0200.'],
    })
    const moments = found(mails, 'epoch(at) = 1746052200')
    expect(moments).toEqual({ ids: [1], notes: [] })
  })

  test.each(["date_trunc('month', at) = 2025-04", "date_format(at, '%m') = '04'"])(
    'are of UTC in the date of a time, and that is said: %s',
    (condition) => {
      expect(found(mails, condition)).toEqual({ ids: [1], notes: ['Parts of `at` are those of UTC.'] })
    },
  )

  test.each(['+02:00', 'Z', ''])('agree with the times that they are compared with: %s', (zone) => {
    const spans = [1, 2, 3].map((id) => ({
      id,
      s: `2025-05-0${id}T10:30:00${zone}`,
      e: `2025-05-0${id}T12:00:00${zone}`,
    }))
    const all = [
      'date(s) = date(e)',
      'date(s) = date(s)',
      's >= date(s)',
      "s >= date_trunc('day', s)",
      's - date(s) > 0.3',
      "date_diff('hour', date_trunc('day', s), s) between 8 and 11",
      'day(s) = day(e)',
      'day(s) = 1 or day(s) > 1',
      'hour(s) = 10',
    ]
    for (const condition of all)
      expect([condition, found(spans, condition).ids]).toEqual([condition, [1, 2, 3]])
    for (const condition of ['date(s) != date(e)', 'day(s) != day(e)'])
      expect([condition, found(spans, condition).ids]).toEqual([condition, []])
  })

  test('are each of its own zone where two fields have two', () => {
    const two = [
      { id: 1, s: '2025-05-02T00:30:00+02:00', e: '2025-05-02T00:30:00Z' },
      { id: 2, s: '2025-05-02T00:30:00+02:00', e: '2025-05-01T22:30:00Z' },
    ]
    expect(found(two, 'day(s) = day(e)').ids).toEqual([1])
    expect(found(two, 'day(e) = day(s)').ids).toEqual([1])
    expect(found(two, 'date(s) = date(e)').ids).toEqual([2])
  })

  test('are of UTC where they have several zones, and that is said', () => {
    expect(found(mixed, 'month(at) = 5')).toEqual({
      ids: [2],
      notes: ['Parts of `at` are those of UTC.'],
    })
    expect(groups(mixed, 'at:day').notes).toEqual(['Parts of `at` are those of UTC.'])
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

describe('a number with a unit, compared with plain numbers', () => {
  const asked = (name: string, of: JsonValue[], condition: string) =>
    found(
      of.map((value, n) => ({ id: n + 1, [name]: value })),
      condition,
    )

  test.each<[string, JsonValue[], string, number[], string]>([
    ['weight_g', [900, 1999, 8841], '1.5 kg', [2, 3], '1,500'],
    ['weight_g', ['900', '1999', '8841'], '1.5kg', [2, 3], '1,500'],
    ['weightKG', [100, 3000], '500000 g', [2], '500'],
    ['heightCm', [120, 180], '1.5 m', [2], '150'],
    ['freqMHz', [2000, 2500], '2.4 GHz', [2], '2,400'],
    ['power_MW', [1, 20], '5000 kW', [2], '5'],
    ['km', [1, 3], '2000 m', [2], '2'],
    ['fat_g', [5, 30], '20g', [2], '20'],
  ])('is read in the unit that the name ends with: %s of %j', (name, values, operand, ids, read) => {
    expect(asked(name, values, `${name} > "${operand}"`)).toEqual({
      ids,
      notes: [`\`${operand}\` read as ${read}, the unit of \`${name}\`.`],
    })
  })

  test.each<[string, JsonValue[], string, number[], string]>([
    ['weight', [900, 1999, 8841], '2000g', [3], '2,000'],
    ['elevation', [-600, -100, 50], '-500m', [2, 3], '-500'],
    ['weight', [1, 2, 3], '2 kg', [3], '2'],
    ['distance_km', [3, 9], '5 miles', [2], '5'],
    ['speed', [20, 40], '30 mph', [2], '30'],
    ['tx_power_mW', [4, 17], '5 kW', [2], '5'],
  ])('is read without its unit where nothing tells theirs: %s of %j', (name, values, operand, ids, read) => {
    expect(asked(name, values, `${name} > "${operand}"`)).toEqual({
      ids,
      notes: [`\`${operand}\` read as ${read}, without its unit: \`${name}\` holds plain numbers.`],
    })
  })

  test.each<[string, JsonValue[], string, number[]]>([
    ['memory', [1e9, 5e9], 'memory > 4g', [2]],
    ['memory_mb', [512, 1024, 4096, 65536], 'memory_mb > 2g', [3, 4]],
    ['storage_gb', [100, 500, 2000], 'storage_gb between 0.2t and 1t', [2]],
    ['disk_t', [1, 2], 'disk_t > 500g', []],
    ['revenue', [1e7, 1e6, 2e4], 'revenue > 5 m', [1]],
    ['views', [100, 4000, 3], 'views > 5m', []],
    ['heap', [100, 4000, 3], 'heap > 1g', []],
    ['price', [300, 200], 'price > 5k', []],
    ['elapsed_s', [200, 400], 'elapsed_s > 5m', [2]],
    ['ttl', [10, 300, 1000], 'ttl > 5m', []],
  ])('stays a size, a count or a time: %s of %j, %s', (name, values, condition, ids) => {
    expect(asked(name, values, condition).ids).toEqual(ids)
  })
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

describe('numbers, durations and dates in texts', () => {
  test.each<[text: string, number: number | undefined]>([
    ['$1,234.50', 1234.5],
    ['USD 1,200.00', 1200],
    ['1.234,50 EUR', 1234.5],
    ['0,867', 0.867],
    ['-0,5', -0.5],
    ['10,867', 10867],
    ['R$ 617,30', 617.3],
    ['($617.30)', -617.3],
    ['(2)', undefined],
    ['617.30-', -617.3],
    ['−617', -617],
    ['4 178 015', 4178015],
    ['1\u202f769,86 €', 1769.86],
    ["1'234.50", 1234.5],
    ['12 monkeys', undefined],
    ['31°C', 31],
    ['-4.5 °F', -4.5],
    ['1,200 km/h', 1200],
    ['12 V', 12],
    ['12V', undefined],
    ['5A', undefined],
    ['31.2K views', 31200],
    ['10,000+', 10000],
    ['4.5 out of 5 stars', 4.5],
    ['4.07 out of 5 average rating,  223 reviews', 4.07],
    ['$1,184 per night', 1184],
    ['€90 for 3 nights', 90],
    ['€616 per night (€1,848 total)', 616],
    ['€616 per night (before tax)', undefined],
    ['0.2 km from centre', 0.2],
    ['350 m to the old port', 350],
    ['2 miles away', 2],
    ['5 MB to go', undefined],
    ['5 km to 10 km', undefined],
    ['2nd to last', undefined],
    ['$5/month', 5],
    ['4.5 ⭐', 4.5],
    ['3.7 ⭐ (13 reviews)', 3.7],
    ['4.5/5 (1,158 ratings)', 4.5],
    ['4.5 (158)', 4.5],
    ['4.5 (about)', undefined],
    ['2nd', 2],
    ['~5', 5],
    ['1.5 MB/s', 1.5e6],
    ['12 Baker Street', undefined],
    ['3/4', undefined],
  ])('the number of %j is %s', (text, number) => {
    expect(looseNumber(text)).toBe(number)
  })

  test('a value with a unit is compared by its number, and with a unit that was asked for only in that one', () => {
    const winds = [
      { id: 1, wind: '9 km/h' },
      { id: 2, wind: '31 km/h' },
      { id: 3, wind: '31 mph' },
      { id: 4, wind: 31 },
    ]
    expect(found(winds, 'wind > 10').ids).toEqual([2, 3, 4])
    expect(found(winds, 'wind = 31').ids).toEqual([2, 3, 4])
    expect(found(winds, "wind > '10 km/h'").ids).toEqual([2, 4])
    expect(found(winds, "wind = '31 mph'").ids).toEqual([3, 4])
  })

  test('a date is compared without who did it or how long ago, as texts behind it say', () => {
    const items = [
      '2025-02-06T10:07:59.00Z by Priya Nair',
      '2025-07-15T00:00:00Z by Maximilian von Habsburg-Lothringen',
      '2025-08-01 09:30 (3 days ago)',
      '2025-07-20 by',
    ].map((created, id) => ({ id, created }))
    expect(found(items, 'created between 2025-07-01 and 2025-08-31').ids).toEqual([1, 2])
  })

  test('distances to a place are compared in one unit', () => {
    const hotels = ['350 m from centre', '1.2 km from centre', '4 km from centre'].map((distance, id) => ({
      id,
      distance,
    }))
    expect(found(hotels, 'distance < 2 km').ids).toEqual([0, 1])
    expect(found(hotels, 'distance < 500 m').ids).toEqual([0])
  })

  test('a decimal before words is no version', () => {
    const flats = ['4.93 of all guests', '4.07 of all guests', '4.9.1'].map((rating, id) => ({ id, rating }))
    expect(found(flats, 'rating >= 4.5').ids).toEqual([2])
    const stars = ['4.93 out of 5 rating, 8 reviews', '4.07 out of 5 rating, 223 reviews']
    expect(
      found(
        stars.map((rating, id) => ({ id, rating })),
        'rating >= 4.5',
      ).ids,
    ).toEqual([0])
  })

  test.each<[text: string, number: number | undefined]>([
    ['2.5bn', 2.5e9],
    ['$3 million', 3e6],
    ['81,974 bytes', 81974],
    ['10 minions', undefined],
  ])('the amount of %j is %s', (text, number) => {
    expect(quantity(text)).toBe(number)
  })

  test.each<[text: string, seconds: number | undefined]>([
    ['PT1H30M', 5400],
    ['P1DT1S', 86401],
    ['PT0.5S', 0.5],
    ['P', undefined],
    ['PT', undefined],
    ['Port', undefined],
    ['2 hours ago', 7200],
    ['About an hour ago', 3600],
    ['3 months ago', 90 * 86400],
    ['2 years', 730 * 86400],
    ['long ago', undefined],
    ['00:00:01.5056573', 1.5056573],
    ['-0:01:30', -90],
    ['1.02:03:04', 93784],
    ['2-00:00:01', 172801],
    ['1 day, 2:03:04,5', 93784.5],
    ['100:00:00', 360000],
    ['12:30', undefined],
    ['1:60:00', undefined],
  ])('the duration of %j is %s seconds', (text, seconds) => {
    expect(duration(text)).toBe(seconds === undefined ? undefined : seconds * 1000)
  })

  test('times as a clock shows them are spans where a span is asked for, and between two of them', () => {
    const records = [
      { id: 1, start: '00:00:01.000', end: '00:00:04.250', took: '97ms', waited: '12ms' },
      { id: 2, start: '01:30:00', end: '01:31:00', took: '1.5s', waited: '3s' },
    ]
    expect(found(records, 'start > 90 seconds').ids).toEqual([2])
    expect(found(records, 'start < 500ms').ids).toEqual([])
    expect(found(records, 'end - start > 5s').ids).toEqual([2])
    expect(arithmetic('-', '00:00:04.250', '00:00:01')).toBe('00:00:03.25')
    expect(arithmetic('-', '1:00:00', '25:00:00')).toBe('-24:00:00')
    expect(arithmetic('+', '97ms', '12ms')).toBe('109ms')
    expect(arithmetic('/', '3s', '1.5s')).toBe(2)
    expect(arithmetic('*', '3s', '1.5s')).toBeUndefined()
  })

  test.each<[text: string, time: string | undefined]>([
    ['28-Dec-2024', '2024-12-28T00:00:00.000Z'],
    ['28-DEC-24 10:30', '2024-12-28T10:30:00.000Z'],
    ['July 20th, 2024', '2024-07-20T00:00:00.000Z'],
    ['January 5, 2026 at 8:00 PM', '2026-01-05T20:00:00.000Z'],
    ['2024-08-09 12:59:40 AM', '2024-08-09T00:59:40.000Z'],
    ['12/22/2024, 8:00:00 PM', '2024-12-22T20:00:00.000Z'],
    ['2025-01-09 10:12:11.123456789 +0000 UTC', '2025-01-09T10:12:11.123Z'],
    ['2024/1/5', '2024-01-05T00:00:00.000Z'],
    ['[09/Aug/2024:10:00:00 +0200]', '2024-08-09T08:00:00.000Z'],
    ['/Date(1720000000000)/', '2024-07-03T09:46:40.000Z'],
    [' 2025-01-14', '2025-01-14T00:00:00.000Z'],
    ['13:00 PM', undefined],
    ['2024-13-01', undefined],
  ])('the time of %j is %s', (text, time) => {
    const read = parseDate(text)
    expect(read && new Date(read.from).toISOString()).toBe(time)
  })
})

test('a version is compared as one, with its letter or without, and words beside it are left out', () => {
  const records = ['v1.9.0', 'v1.10.2', 'v1.2.0', 'latest'].map((version, at) => ({ id: at + 1, version }))
  expect(found(records, 'version >= 1.9.0').ids).toEqual([1, 2])
  expect(found(records, 'version < v1.9.0').ids).toEqual([3])
})

test('numbers of sections are compared as such where some of them have two points', () => {
  const records = ['5.1', '5.2', '5.9', '5.10', '5.16', '6.1.2'].map((section, at) => ({
    id: at + 1,
    section,
  }))
  expect(found(records, 'section > 5.9').ids).toEqual([4, 5, 6])
  expect(found(records, 'section >= 5.10').ids).toEqual([4, 5, 6])
  expect(found(records, 'section = 5.1').ids).toEqual([1])
  expect(found(records, 'section between 5.2 and 5.10').ids).toEqual([2, 3, 4])
  expect(found(records, 'section > 5').ids).toEqual([1, 2, 3, 4, 5, 6])
  expect(found(records, 'section < 6').ids).toEqual([1, 2, 3, 4, 5])
  const largest = aggregate.process(fromValue(records), { aggregate: ['max(section)'] })
  expect(largest.content.rows().items).toEqual([{ 'max(section)': '6.1.2' }])
  const versions = ['1.9.0', '1.10.2-rc.1', '1.10.2', '1.2.0'].map((version) => ({ version }))
  const latest = aggregate.process(fromValue(versions), { aggregate: ['max(version)'] })
  expect(latest.content.rows().items).toEqual([{ 'max(version)': '1.10.2' }])
  const packages = ['0.9-1', '4.4-2ubuntu1', '5.5-3ubuntu1', '10.0.1-1deb9'].map((name, at) => ({
    id: at,
    name,
  }))
  expect(found(packages, 'name >= 5').ids).toEqual([2, 3])
  expect(found(packages, 'name < 4').ids).toEqual([0])
  // Days with points between them are dates.
  const days = ['03.05.2024', '28.02.2023', '15.12.2024'].map((day, at) => ({ id: at + 1, day }))
  expect(found(days, 'day > 01.05.2024').ids).toEqual([1, 3])
  const last = aggregate.process(fromValue(days), { aggregate: ['max(day)'] })
  expect(last.content.rows().items).toEqual([{ 'max(day)': '15.12.2024' }])
  // Prices have all as many decimals; numbers of which one ends in zero, beside shorter ones, are versions.
  const prices = ['5.10', '5.15', '5.90'].map((price, at) => ({ id: at + 1, price }))
  expect(found(prices, 'price > 5.2').ids).toEqual([3])
  const releases = ['5.1', '5.10', '5.9'].map((release, at) => ({ id: at + 1, release }))
  expect(found(releases, 'release > 5.2').ids).toEqual([2, 3])
})

test('units of one kind are read in one', () => {
  const records = ['871 g', '20 kg', '8 mg'].map((weight, at) => ({
    id: at + 1,
    weight,
    size: `${at + 1} g`,
  }))
  expect(found(records, 'weight > 0.5 kg').ids).toEqual([1, 2])
  expect(found(records, 'weight < 1 g').ids).toEqual([3])
  expect(found(records, 'size >= 2 g').ids).toEqual([2, 3])
  const sums = aggregate.process(fromValue(records), { aggregate: ['sum(weight)'] })
  expect(sums.content.rows().items).toEqual([{ 'sum(weight)': 20_871.008 }])
})

describe('lists as databases write them', () => {
  const records = [
    { id: 1, labels: ['a', 'b'] },
    { id: 2, labels: ['b'] },
    { id: 3, labels: [] },
  ]
  test.each([
    [`labels @> '["a", "b"]'`, [1]],
    [`labels @> '{a,b}'`, [1]],
    ["labels @> ARRAY['b']", [1, 2]],
    [`JSON_CONTAINS(labels, '"a"')`, [1]],
    ['labels has none (a)', [2, 3]],
  ])('%s', (where, ids) => expect(found(records, where).ids).toEqual(ids))
})

describe('values that are absent, and days of a week', () => {
  const records = [
    { id: 1, code: 'x', due: '2024-05-05' },
    { id: 2, code: 'y', due: '2024-05-06' },
    { id: 3, code: null, due: null },
  ]
  test.each([
    ["code IS DISTINCT FROM 'x'", [2, 3]],
    ["code IS NOT DISTINCT FROM 'x'", [1]],
    ['DAYOFWEEK(due) = 1', [1]],
    ['WEEKDAY(due) = 0', [2]],
    ['CAST(id AS INT) > 1', [2, 3]],
  ])('%s', (where, ids) => expect(found(records, where).ids).toEqual(ids))

  test('NOT before a condition tells of them', () => {
    const { ids, notes } = found(records, "NOT code = 'x'")
    expect(ids).toEqual([2, 3])
    expect(notes.join(' ')).toContain('1 without `code` is among them')
  })
})

test('names of headers are found in any case, and a name with a colon is no renaming', () => {
  const records = [
    { id: 1, headers: [{ name: 'Cache-Control', value: 'no-cache' }] },
    {
      id: 2,
      headers: [
        { name: 'cache-control', value: 'no-cache' },
        { name: 'X', value: '1' },
      ],
    },
    { id: 3, headers: [{ name: 'Cache-Control', value: 'private' }] },
  ]
  const question = found(records, 'cache-control contains no-cache')
  expect(question.ids).toEqual([1, 2])
  expect(question.notes).toEqual([
    '`cache-control` read as `headers[?lower(@.name) == "cache-control"].value`.',
  ])
  const media = [1, 2].map((id) => ({ id, 'media:content': [{ url: `a${id}` }, { url: `b${id}` }] }))
  const shown = projection.process(fromValue(media), { fields: ['media:content[1].url'] })
  expect(shown.content.rows().items).toEqual([
    { 'media:content[1].url': 'b1' },
    { 'media:content[1].url': 'b2' },
  ])
})

test('the elements of lists below a list are counted', () => {
  const records = [
    { id: 1, findings: [{ paths: ['a', 'b'] }, { paths: ['c'] }] },
    { id: 2, findings: [{ paths: ['a'] }] },
    { id: 3, findings: [] },
  ]
  expect(found(records, 'count(findings.paths) > 1').ids).toEqual([1])
  const fields = ['id', 'count(findings.paths) as n', 'distinct(findings.paths) as all']
  expect(projection.process(fromValue(records), { fields }).content.rows().items).toMatchObject([
    { id: 1, n: 3, all: ['a', 'b', 'c'] },
    { id: 2, n: 1 },
    { id: 3 },
  ])
})

test('a list of values beside the records may stand behind `in`', () => {
  const value = { unapproved: ['b', 'c'], items: ['a', 'b', 'c', 'd'].map((id, at) => ({ id, at })) }
  const asked = (condition: string) => where.process(fromValue(value), { where: [condition] })
  expect(asked('id in unapproved').content.rows().items).toMatchObject([{ id: 'b' }, { id: 'c' }])
  const { content, metadata } = asked('id not in $.unapproved')
  expect(content.rows().items).toMatchObject([{ id: 'a' }, { id: 'd' }])
  expect(metadata.notes).toEqual(['`$.unapproved` read as the 2 values of that list.'])
})

test('lists of objects among other values at a path give their elements beside these', () => {
  const value = [{ r: { id: 1 } }, { r: [{ id: 2 }, { id: 3 }] }, { r: { id: 4 } }, { r: '' }]
  const { content, metadata } = select.process(fromValue(value), { path: '$[*].r' })
  expect(content.rows().items).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }, ''])
  expect(metadata.notes?.[0]).toMatch(/^1 of the 4 values at /)
})

test('dates are grouped by seconds, too', () => {
  const records = ['10:00:01.2', '10:00:01.9', '10:00:02'].map((time) => ({ at: `2024-05-06T${time}Z` }))
  const { content } = aggregate.process(fromValue(records), { group_by: ['at:second'], aggregate: ['count'] })
  expect(content.rows().items).toEqual([
    { 'at:second': '2024-05-06T10:00:01', count: 2 },
    { 'at:second': '2024-05-06T10:00:02', count: 1 },
  ])
})

test('true and false are asked for as they are written', () => {
  const asked = (values: JsonValue[], condition: string): unknown[] =>
    found(
      values.map((active, at) => ({ id: at + 1, active })),
      condition,
    ).ids
  expect(asked([1, 0, 1, 5], 'active = true')).toEqual([1, 3])
  expect(asked([1, 0, 1, 5], 'active != true')).toEqual([2, 4])
  expect(asked(['Yes', 'No', 'Yes'], 'active = true')).toEqual([1, 3])
  expect(asked(['Y', 'N', 'Y'], 'active = no')).toEqual([2])
  expect(asked(['yes', 'Yemen', 'n'], "active = 'true'")).toEqual([])
  expect(asked(['1', 'yes', '0'], 'active = 1')).toEqual([1])
})

test('a B is a billion where a field holds billions, and a byte where it is one of bytes', () => {
  const records = [1e9, 7e11, 3e12].map((value, at) => ({ id: at + 1, market_cap: value, size_bytes: value }))
  expect(found(records, 'market_cap > 500B')).toEqual({
    ids: [2, 3],
    notes: ['`500B` read as 500,000,000,000.'],
  })
  expect(found(records, 'size_bytes > 500B').ids).toEqual([1, 2, 3])
})

describe('a few texts that are no values of their field', () => {
  const records = ['12.5', 'N/A', '7', '-', '100'].map((v, at) => ({
    id: at + 1,
    v,
    took: at ? `${v}ms` : '',
  }))
  records.push({ id: 6, v: '9', took: '2s' })

  test.each([
    ['v', [3, 6, 1, 5, 4, 2]],
    ['-v', [5, 1, 6, 3, 4, 2]],
  ])('come last by %s', (order, ids) => {
    const { content, metadata } = sort.process(fromValue(records), { sort: [order] })
    expect(content.rows().items.map((row) => (row as { id: number }).id)).toEqual(ids)
    expect(metadata.notes).toEqual(['2 with a `v` that is none of its numbers come last: "N/A", "-".'])
  })

  test('are neither smaller nor larger, and cost the others no unit', () => {
    const timed = ['900ms', '', '2s', '--'].map((took, at) => ({ id: at + 1, took }))
    expect(found(timed, 'took <= 1s').ids).toEqual([1])
    const { content } = aggregate.process(fromValue(timed), { aggregate: ['sum(took)', 'max(took)'] })
    expect(content.rows().items).toEqual([{ 'sum(took)': 2900, 'max(took)': '2s' }])
  })

  test('come last among words where they say nothing', () => {
    const words = ['beta', '-', 'pending', 'alpha'].map((v, at) => ({ id: at + 1, v }))
    const { content, metadata } = sort.process(fromValue(words), { sort: ['v'] })
    expect(content.rows().items).toEqual([3, 0, 2, 1].map((at) => words[at]))
    expect(metadata.notes).toEqual(['1 with a `v` that says nothing come last: "-".'])
    const least = aggregate.process(fromValue(words), { aggregate: ['min(v)'] })
    expect(least.content.rows().items).toEqual([{ 'min(v)': 'alpha' }])
    expect(least.metadata.notes).toContain('1 of 4 values of `v` are no such values and were left out.')
  })
})

describe('two bounds behind within', () => {
  const records = ['2026-01-05', '2026-02-05', '2026-03-05'].map((at, n) => ({ id: n + 1, at, size: n * 4 }))

  test.each([
    ['at within (2026-01-01, 2026-02-28)', [1, 2]],
    ['at within 2026-01-01 and 2026-02-28', [1, 2]],
    ['at during 2026-02-01..2026-03-31', [2, 3]],
    ['size within [1, 9]', [2, 3]],
    ['size not within [1, 9]', [1]],
    ['at within 2026-02', [2]],
    ['at within (2026-01-05, x)', [1]],
  ])('%s', (condition, ids) => {
    expect(found(records, condition).ids).toEqual(ids)
  })

  test.each(['at within 30d', 'at within 7 days of 2026-01-05'])('%s is refused', (condition) => {
    expect(where.process(fromValue(records), { where: [condition] }).error).toContain('names a duration')
  })
})

describe('dates with slashes', () => {
  test.each([
    [['22/12/2024', '2/8/2025', '3/1/2025']],
    [['03/24/2025 5:00 PM', '04/05/2025 6:00 AM', '01/02/2025 7:00 PM', '05/06/2025 8:00 AM']],
  ])('compare with a time that is said from now on: %j', (texts) => {
    const records = texts.map((at, n) => ({ id: n + 1, at }))
    for (const condition of ['at < now - 30d', 'at < today', 'at > now - 9000d'])
      expect(found(records, condition).ids).toHaveLength(texts.length)
  })

  const days = ['22/12/2024', '2/8/2025', '3/1/2025', '1/11/2023'].map((at, nth) => ({ id: nth + 1, at }))
  const months = ['12/22/2024', '8/2/2025', '1/3/25', '11/1/2023 8:00 PM'].map((at, nth) => ({
    id: nth + 1,
    at,
  }))

  const further = ['09.02.20', '13.02.20', '14.02.20'].map((at, nth) => ({ id: nth + 5, at }))
  const dotted = ['22.12.24', '02.08.25', '03.01.25', '01.11.23']
    .map((at, nth) => ({ id: nth + 1, at }))
    .concat(further)

  test.each([
    ['days', days],
    ['months', months],
  ])('begin with %s where one of their field proves it', (_, records) => {
    expect(found(records, 'at >= 2025-01-01').ids).toEqual([2, 3])
    expect(found(records, 'at >= 2025-08-01').ids).toEqual([2])
    expect(found(records, 'at = 2023-11-01').ids).toEqual([4])
    const sorted = sort.process(fromValue(records), { sort: ['-at'] }).content.rows().items
    expect(sorted.map((row) => (row as { id: number }).id)).toEqual([2, 3, 1, 4])
    const asked = { group_by: ['at:month'], aggregate: ['count'] }
    const groups = aggregate.process(fromValue(records), asked).content.rows().items
    expect(JSON.stringify(groups)).toContain('"at:month":"2025-08"')
    expect(groups).toHaveLength(4)
    const [most] = aggregate.process(fromValue(records), { aggregate: ['max(at)'] }).content.rows().items
    expect(most).toEqual({ 'max(at)': records[1]?.at })
  })

  test('with dots are compared with days as they are written, and are versions where no day proves them', () => {
    expect(found(dotted, 'at between 01.01.2025 and 31.07.2025').ids).toEqual([3])
    expect(found(dotted, 'at > 22.12.24').ids).toEqual([2, 3])
    const sorted = sort.process(fromValue(dotted), { sort: ['-at'] }).content.rows().items
    expect(sorted.map((row) => (row as { id: number }).id)).toEqual([2, 3, 1, 4, 7, 6, 5])
    const groups = aggregate.process(fromValue(dotted), { group_by: ['at:month'], aggregate: ['max(at)'] })
    expect(groups.content.json()).toContainEqual({ 'at:month': '2020-02', 'max(at)': '14.02.20' })
    const codes = ['13.10.01', '01.11.10', '02.10.75'].map((at, nth) => ({ id: nth + 1, at }))
    expect(found(codes, 'at > 02.10.00').ids).toEqual([1, 3])
    const versions = ['20.10.24', '19.03.15', '20.10.07'].map((at, nth) => ({ id: nth + 1, at }))
    expect(found(versions, 'at > 20.10.08').ids).toEqual([1])
    expect(found(versions, 'at < 20.01.01').ids).toEqual([2])
  })

  test('are no dates where none proves it, or two differ', () => {
    const unclear = ['2/8/2025', '3/1/2025'].map((at, nth) => ({ id: nth + 1, at }))
    const told =
      '`at >= 2025-01-01` matches none: `at` holds dates such as 2/8/2025, and none of them tells whether the day or the month comes first. Ask for them as texts: `at ~ ^2/`.'
    expect(found(unclear, 'at >= 2025-01-01')).toEqual({ ids: [], notes: [told] })
    const mixed = ['22/12/2024', '12/22/2024', '2/8/2025'].map((at, nth) => ({ id: nth + 1, at }))
    expect(found(mixed, 'at >= 2024-01-01').ids).toEqual([1, 2])
  })
})

test('a name needs no unit in brackets', () => {
  const records = ['250m', '1500m', '2'].map((cpu, at) => ({ id: at + 1, 'CPU(cores)': cpu }))
  expect(found(records, 'cpu > 300m')).toEqual({ ids: [2, 3], notes: ['`cpu` read as `CPU(cores)`.'] })
})

test('a name needs no limit after a slash, and its texts count as what is used', () => {
  const records = ['12.5MiB / 1.944GiB', '512MiB / 1.944GiB', '0B / 0B'].map((mem, at) => ({
    id: at + 1,
    'MEM USAGE / LIMIT': mem,
  }))
  expect(found(records, 'mem_usage > 100MiB')).toEqual({
    ids: [2],
    notes: ['`mem_usage` read as `["MEM USAGE / LIMIT"]`.'],
  })
  expect(quantity('1 / 2 / 3')).toBeUndefined()
  expect(quantity('5 apples / 6kB')).toBeUndefined()
})

describe('dates of digits alone', () => {
  const records = [
    { id: 1, text: '20240103', number: 20240103, time: '20240103T101500Z' },
    { id: 2, text: '20240210', number: 20240210, time: '20240210101500' },
    { id: 3, text: '20231231', number: 20231231, time: '20231231T235959Z' },
  ]

  test('are dates where a date is asked for', () => {
    for (const field of ['text', 'number', 'time']) {
      expect(found(records, `${field} > 2024-01-15`).ids).toEqual([2])
      expect(found(records, `${field} between 2024-01-01 and 2024-01-31`).ids).toEqual([1])
      expect(found(records, `${field} = 2024-01-03`).ids).toEqual([1])
      expect(found(records, `year(${field}) = 2024`).ids).toEqual([1, 2])
      const asked = { group_by: [`${field}:year`], aggregate: ['count'] }
      expect(aggregate.process(fromValue(records), asked).content.rows().items).toEqual([
        { [`${field}:year`]: '2024', count: 2 },
        { [`${field}:year`]: '2023', count: 1 },
      ])
    }
  })

  test('are numbers where a number is asked for, and none where they name no day', () => {
    expect(found(records, 'text > 20240101').ids).toEqual([1, 2])
    expect(found(records, 'number > 2024').ids).toEqual([1, 2, 3])
    const codes = ['20241301', '19990230x', '30240101'].map((code, at) => ({ id: at + 1, code }))
    expect(found(codes, 'code >= 1900-01-01').ids).toEqual([])
  })
})

describe('values that say their type', () => {
  const spans = [
    { id: 1, method: 'GET', status: { intValue: '200' } },
    { id: 2, method: 'POST', status: { intValue: '500' } },
    { id: 3, method: 'GET', status: { doubleValue: 503 } },
  ].map(({ id, method, status }) => ({
    id,
    attributes: [
      { key: 'http.method', value: { stringValue: method } },
      { key: 'http.status_code', value: status },
    ],
  }))

  test('are compared, summed and sorted as what they hold', () => {
    expect(found(spans, 'attributes.http.method = GET').ids).toEqual([1, 3])
    expect(found(spans, 'attributes.http.status_code >= 500').ids).toEqual([2, 3])
    const sum = aggregate.process(fromValue(spans), { aggregate: ['sum(attributes.http.status_code)'] })
    expect(Object.values(sum.content.rows().items[0] as object)).toEqual([1203])
    const sorted = sort.process(fromValue(spans), { sort: ['-attributes.http.status_code'] })
    expect(sorted.content.rows().items.map((row) => (row as { id: number }).id)).toEqual([3, 2, 1])
  })

  test('are found by the key alone, with its dots', () => {
    expect(found(spans, 'http.method = POST').ids).toEqual([2])
  })

  test('are what they hold in conditions of an expression, and where it chooses one of them', () => {
    const items = [true, false, true].map((BOOL, id) => ({ id, active: { BOOL }, n: { N: String(id + 1) } }))
    const asked = [
      'count_if(active) as some',
      'sum(case when active then n else 0 end) as sum',
      'sum(if(active, n, 0)) as same',
      'sum(coalesce(n, 0)) as all',
    ]
    expect(aggregate.process(fromValue(items), { aggregate: asked }).content.rows().items).toEqual([
      { some: 2, sum: 4, same: 4, all: 6 },
    ])
  })

  test('are none where an object has several parts, or a part has parts', () => {
    const several = [
      { id: 1, v: { a: 1, b: 2 } },
      { id: 2, v: { c: { d: 1 } } },
    ]
    expect(found(several, 'v > 0').ids).toEqual([])
  })
})

describe('a record with the sum of the others', () => {
  const regions = [
    { region: 'North', sold: 10 },
    { region: 'South', sold: 5 },
    { region: '**Total**', sold: 15 },
  ]
  const notesOf = (records: JsonValue, call: string): readonly string[] =>
    aggregate.process(fromValue(records), { aggregate: [call] }).metadata.notes ?? []
  const told = 'The record with `region` = "**Total**" is the sum of the others, and was left out.'
  const answer = (records: JsonValue, question: object): JsonValue | undefined =>
    aggregate.process(fromValue(records), question).content.json()

  test('is left out of what is made of several records, and told', () => {
    for (const [call, result] of [
      ['sum(sold)', 15],
      ['max(sold)', 10],
    ] as const) {
      expect(answer(regions, { aggregate: [call] })).toEqual([{ [call]: result }])
      expect(notesOf(regions, call)).toContain(told)
    }
    expect(notesOf([...regions].reverse(), 'sum(sold)')).toContain(told)
    expect(
      answer(regions.with(2, { region: 'Grand Total', sold: 15 }), { aggregate: ['sum(sold)'] }),
    ).toEqual([{ 'sum(sold)': 15 }])
  })

  test('may be the mean of the others, between the least and the largest of them', () => {
    const files = [60, 90, 70].map((covered, n) => ({ file: `f${n}.ts`, covered }))
    const call = { aggregate: ['avg(covered)'] }
    const mean = (covered: number) => [{ file: 'All files', covered }, ...files]
    expect(answer(mean(80), call)).toEqual([{ 'avg(covered)': 73.3333333333 }])
    expect(notesOf(mean(80), 'avg(covered)')).toContain(
      'The record with `file` = "All files" is the mean of the others, and was left out.',
    )
    expect(answer(mean(95), call)).toEqual([{ 'avg(covered)': 78.75 }])
  })

  test('that is graded `average`, or is a share of the answers, is one of the others', () => {
    const graded = [5, 9, 1].map((points, n) => ({ student: `s${n}`, grade: n ? 'good' : 'average', points }))
    expect(answer(graded, { aggregate: ['sum(points)'] })).toEqual([{ 'sum(points)': 15 }])
    const rated = (average: number) =>
      Object.entries({ good: 50, fine: 80, average, poor: 10 }).map(([rating, n]) => ({ rating, n }))
    expect(answer(rated(60), { aggregate: ['sum(n)'] })).toEqual([{ 'sum(n)': 200 }])
    expect(answer(rated(46.67), { aggregate: ['sum(n)'] })).toEqual([{ 'sum(n)': 140 }])
  })

  test('comes last where records are sorted by what it sums', () => {
    const more = [1, 2, 3, 4].map((sold) => ({ region: `R${sold}`, sold }))
    const all = [...more, ...regions.with(2, { region: '**Total**', sold: 25 })]
    const { content, metadata } = sort.process(fromValue(all), { sort: ['-sold'] })
    const names = content.rows().items.map((row) => (row as { region: string }).region)
    expect([names[0], names.at(-1)]).toEqual(['North', '**Total**'])
    expect(metadata.notes).toContain(told.replace('was left out', 'comes last'))
  })

  test('is left out of the records that a condition chose, unless it is the only one', () => {
    const chosen = (condition: string) => where.process(fromValue(regions), { where: [condition] }).content
    const sum = (condition: string) => aggregate.process(chosen(condition), { aggregate: ['sum(sold)'] })
    expect(sum('region != South').content.json()).toEqual([{ 'sum(sold)': 10 }])
    expect(sum('region != South').metadata.notes).toContain(told)
    expect(sum('region = **Total**').content.json()).toEqual([{ 'sum(sold)': 15 }])
    expect(sum('sold < 12').metadata.notes ?? []).toEqual([])
  })

  test('is one by its number and not by its name alone', () => {
    expect(notesOf(regions.with(2, { region: 'Total', sold: 99 }), 'sum(sold)')).toEqual([])
    expect(notesOf(regions.with(2, { region: 'West', sold: 15 }), 'sum(sold)')).toEqual([])
  })

  test('counts as a record, and is a group where records are grouped by its label', () => {
    expect(answer(regions, { aggregate: ['count'] })).toEqual([{ count: 3 }])
    expect(notesOf(regions, 'count')).toEqual([told.replace('was left out.', 'is counted: 2 without it.')])
    expect(notesOf(regions.with(2, { region: 'Total', sold: 99 }), 'count')).toEqual([])
    expect(answer(regions, { group_by: ['region'], aggregate: ['sum(sold)'] })).toHaveLength(3)
    const states = ['open', 'closed', 'all'].map((name, nth) => ({ id: nth + 1, name }))
    expect(answer(states, { group_by: ['name'] })).toHaveLength(3)
  })
})

describe('dates that are objects', () => {
  const records = [
    [[2024, 1, 3], '2024-01-03T00:00:00Z'],
    [[2023], '2023-01-01'],
    [[2021, 2], '2021-02-01'],
  ].map(([parts, time], nth) => {
    const [year, month = 0, day = 0] = parts as number[]
    return {
      id: nth + 1,
      at: { 'date-parts': [parts as number[]] },
      day: { year, month, day },
      mongo: { $date: time as string },
      canonical: { $date: { $numberLong: String(Date.parse(time as string)) } },
    }
  }) as unknown as JsonValue[]
  const fields = ['at', 'day', 'mongo', 'canonical']

  test.each(fields)('are compared and grouped as the dates that they spell: %s', (field) => {
    expect(found(records, `${field} >= 2023-01-01`).ids).toEqual([1, 2])
    expect(found(records, `${field} between 2021-01-01 and 2021-12-31`).ids).toEqual([3])
    expect(found(records, `${field} = 2024-01-03`).ids).toEqual([1])
    expect(found(records, `year(${field}) = 2021`).ids).toEqual([3])
    const asked = { group_by: [`${field}:year`], aggregate: ['count'] }
    const groups = aggregate.process(fromValue(records), asked).content.rows().items
    expect(groups.map((row) => Object.values(row as object)[0])).toEqual(['2024', '2023', '2021'])
  })

  test('are none where an object only has such a field', () => {
    const cars = [
      { id: 1, car: { year: 2024, model: 'A' } },
      { id: 2, car: { seconds: 5, name: 'b' } },
    ]
    expect(found(cars, 'car >= 1960-01-01').ids).toEqual([])
  })
})

describe('objects in an expression', () => {
  const records = [
    {
      id: 1,
      status: { name: 'Done', code: '3' },
      cost: { amount: 4, currency: 'EUR' },
      made: { $date: '2026-05-01T10:00:00Z' },
    },
    {
      id: 2,
      status: { name: 'Open', code: '1' },
      cost: { amount: 9, currency: 'EUR' },
      made: { $date: '2026-06-01T10:00:00Z' },
    },
  ]
  const value = (call: string): unknown =>
    Object.values(
      aggregate.process(fromValue(records), { aggregate: [call] }).content.rows().items[0] as object,
    )[0]

  test.each([
    ['count_if(status = Done)', 1],
    ["sum(if(status = 'Open', id, 0))", 2],
    ["sum(case when status = 'Done' then 5 else 1 end)", 6],
    ['sum(cost * 2)', 26],
    ['max(round(cost))', 9],
    ['count(distinct upper(status))', 2],
    ['max(made)', '2026-06-01T10:00:00Z'],
  ])('are read as the name or the number in them: %s', (call, expected) => {
    expect(value(call)).toEqual(expected)
  })

  test('stay whole where a function is about them', () => {
    expect(value('sum(length(status))')).toBe(4)
  })

  test('name groups and order records', () => {
    const groups = aggregate.process(fromValue(records), {
      group_by: ['lower(status)'],
      aggregate: ['count'],
    })
    expect(groups.content.rows().items.map((row) => Object.values(row as object))).toEqual([
      ['done', 1],
      ['open', 1],
    ])
    const sorted = sort.process(fromValue(records), { sort: ["concat('x', status) desc"] })
    expect(sorted.content.rows().items.map((row) => (row as { id: number }).id)).toEqual([2, 1])
  })
})

test('a text with a dot at its end is no path', () => {
  const files = ['a.b', 'c.d', 'a.z'].map((file, at) => ({ id: at + 1, file }))
  const groups = aggregate.process(fromValue(files), {
    group_by: ["split(file, '.', 1)"],
    aggregate: ['count'],
  })
  expect(groups.content.rows().items).toEqual([
    { "split(file, '.', 1)": 'a', count: 2 },
    { "split(file, '.', 1)": 'c', count: 1 },
  ])
  const sorted = sort.process(fromValue(files), { sort: ["split(file, '.', -1) desc"] })
  expect(sorted.content.rows().items.map((row) => (row as { id: number }).id)).toEqual([3, 2, 1])
})

describe('fields that users defined, in a list of each record', () => {
  test.each<[string, (id: number) => JsonValue]>([
    [
      'a name and a text for readers',
      (id) => ({ gid: 'f', name: 'Points', type: 'number', number_value: id, display_value: `${id}` }),
    ],
    [
      'an id, a text and a value for programs',
      (id) => ({ id: 'Points', text: `${id}`, value: `{"index":${id}}` }),
    ],
    ['an id, a value for programs and a text', (id) => ({ id: 'Points', value: null, text: `${id}` })],
  ])('with %s', (_, field) => {
    const tasks = [1, 2, 3].map((id) => ({
      id,
      fields: [{ id: 'other', name: 'Other', text: 'x' }, field(id)],
    }))
    expect(found(tasks, 'Points > 1').ids).toEqual([2, 3])
  })
})

describe('another word for the same', () => {
  const issues = [
    { id: 1, message: 'Unexpected console', code: 'no-console', state: 'open', href: 'https://x.io/1' },
    { id: 2, message: 'Unused', code: 'no-unused-vars', state: 'closed', href: 'https://x.io/2' },
  ]

  test.each([
    ['text contains console', 'message', [1]],
    ['rule = no-unused-vars', 'code', [2]],
    ['status = closed', 'state', [2]],
    ['url contains /1', 'href', [1]],
  ])('%s is about %s, which is said', (condition, name, wanted) => {
    const { ids, notes } = found(issues, condition)
    expect(ids).toEqual(wanted)
    expect(notes.join()).toContain(`read as \`${name}\``)
  })

  test('is not read where the records have two of them', () => {
    const both = issues.map((issue) => ({ ...issue, body: issue.message }))
    expect(where.process(fromValue(both), { where: ['text contains console'] }).error).toContain('`text`')
  })
})

describe('a time and a value in a list', () => {
  const pods = [
    {
      id: 1,
      value: [1772323200.1, '10'],
      values: [
        [1772323200, '10'],
        [1772323260, '40'],
      ],
      span: [1772323200, 1772326800],
    },
    {
      id: 2,
      value: [1772323200.1, '30'],
      values: [
        [1772323200, '30'],
        [1772323260, '5'],
      ],
      span: [1772323200, 1772326900],
    },
  ]

  test('are compared, sorted and summed by the value', () => {
    expect(found(pods, 'value > 20').ids).toEqual([2])
    expect(found(pods, 'values > 35').ids).toEqual([1])
    const sorted = sort.process(fromValue(pods), { sort: ['-value'] })
    expect(sorted.content.rows().items.map((row) => (row as { id: number }).id)).toEqual([2, 1])
    expect(aggregate.process(fromValue(pods), { aggregate: ['sum(value)'] }).content.rows().items).toEqual([
      { 'sum(value[1])': 40 },
    ])
  })

  test('are two times where the second is a number as well', () => {
    expect(found(pods, 'span > 1772326850').ids).toEqual([2])
    expect(found(pods, 'span < 1772323201').ids).toEqual([1, 2])
  })
})

describe('objects that say which part is their value', () => {
  const pages = [
    {
      id: 1,
      due: { type: 'date', date: null },
      urgent: { type: 'checkbox', checkbox: false },
      on: { BOOL: true },
    },
    {
      id: 2,
      due: { type: 'date', date: { start: '2026-06-01' } },
      urgent: { type: 'checkbox', checkbox: true },
      on: { BOOL: false },
    },
  ]

  test.each([
    ['due is null', [1]],
    ['due is not null', [2]],
    ['urgent', [2]],
    ['not urgent', [1]],
    ['on', [1]],
  ])('are there, or true, where that part is: %s', (condition, ids) => {
    expect(found(pages, condition).ids).toEqual(ids)
  })

  test('are whole where they do not all say it', () => {
    const mixed = [
      { id: 1, v: { type: 'date', date: null } },
      { id: 2, v: { type: 'other', x: 1 } },
    ]
    expect(found(mixed, 'v is null').ids).toEqual([])
  })

  test('are as long as the list in them', () => {
    const invoices = [
      {
        id: 1,
        tags: { type: 'multi', multi: ['a', 'b'] },
        lines: { object: 'list', data: [1, 2, 3], has_more: false },
      },
      { id: 2, tags: { type: 'multi', multi: [] }, lines: { object: 'list', data: [1], has_more: false } },
    ]
    expect(found(invoices, 'length(tags) = 2').ids).toEqual([1])
    expect(found(invoices, 'length(lines) = 3').ids).toEqual([1])
  })
})

test('an aggregate in arithmetic finds its field as it does alone', () => {
  const tracks = [60000, 120000].map((ms, at) => ({ id: at, track: { ms } }))
  const asked = { aggregate: ['sum(ms) / 60000 as minutes', 'max(ms) - min(ms) as span'] }
  expect(aggregate.process(fromValue(tracks), asked).content.rows().items).toEqual([
    { minutes: 3, span: 60000 },
  ])
})

test('a count of values says how many of them are empty texts', () => {
  const people = ['a@x.org', '', ''].map((email, id) => ({ id, email }))
  const { content, metadata } = aggregate.process(fromValue(people), { aggregate: ['count(email)'] })
  expect(content.rows().items).toEqual([{ 'count(email)': 3 }])
  expect(metadata.notes?.join()).toContain('2 with an empty `email` are among them')
})

test('whole numbers of many digits, as nanoseconds in texts, are subtracted to the digit', () => {
  expect(arithmetic('-', '1788220800123456789', '1788220800123450000')).toBe(6789)
  expect(arithmetic('-', '17', '5')).toBe(12)
})

test('two fields differ where one of them is absent, which is said, and not where both are', () => {
  const pairs = [
    { id: 1, a: 'x', b: 'x' },
    { id: 2, a: 'x', b: null },
    { id: 3, a: null, b: null },
    { id: 4, a: 'x', b: 'y' },
  ]
  const { ids, notes } = found(pairs, 'a != b')
  expect(ids).toEqual([2, 4])
  expect(notes).toContain(
    '1 of 4 have no `b` beside a `a`, and differ: add "b is not null" to leave them out.',
  )
})

test('the hour of a time of day is a part of it, behind midnight as well', () => {
  const stops = fromValue([{ at: '08:15:00' }, { at: '24:02:00' }, { at: '8:45' }])
  expect(aggregate.process(stops, { group_by: ['at:hour'] }).content.rows().items).toEqual([
    { 'at:hour': '08', count: 2 },
    { 'at:hour': '24', count: 1 },
  ])
  expect(projection.process(stops, { fields: ['minute(at) as m'] }).content.rows().items).toEqual([
    { m: 15 },
    { m: 2 },
    { m: 45 },
  ])
})

test('a measure is found by its name in a list of measures', () => {
  const files = ['35.5', '80'].map((value, id) => ({ id, measures: [{ metric: 'coverage', value }] }))
  expect(found(files, 'coverage < 40').ids).toEqual([0])
})

describe('joined conditions, quantifiers and operators of several languages', () => {
  const records = [
    { id: 1, city: 'Graz', note: 'gift', size: 5, tags: ['a', 'b'], items: [{ kind: 'x' }, { kind: 'y' }] },
    { id: 2, city: 'Wien', note: 'gift wrap', size: null, tags: ['b'], items: [{ kind: 'x' }] },
    { id: 3, city: 'Linz', note: null, size: 700, tags: [], items: [] },
  ]
  test.each([
    ['o => o.city !== "Graz" && o.note?.startsWith("gift")', [2]],
    ['o => (o.size || 0) < 100', [1, 2]],
    ['o => (o.size ?? 0) < 100', [1, 2]],
    ['lambda o: o["city"] == "Wien" and (o["size"] or 0) < 100', [2]],
    ['o => !o.items.some(i => i.kind === "y")', [2, 3]],
    ['o => !o.tags.includes("a")', [2, 3]],
    ['o => typeof o.note === "string"', [1, 2]],
    ['no tags = a', [2, 3]],
    ['none of items.kind = y', [2, 3]],
    ['all items.kind = x', [2, 3]],
    ["city = ANY(ARRAY['Graz', 'Wien'])", [1, 2]],
    ["city <> ALL(ARRAY['Graz', 'Wien'])", [3]],
    ["note LIKE ANY ('%wrap', 'x%')", [2]],
    ["city = 'graz' COLLATE NOCASE", [1]],
    ["note LIKE 'gift!_%' ESCAPE '!'", []],
    ["note LIKE 'gift!% %' ESCAPE '!'", []],
    ["note LIKE 'gift %' ESCAPE '!'", [2]],
    ['length(note) < 9', [1]],
    ['o => o.items.filter(i => i.kind === "x").length >= 1', [1, 2]],
    ['lambda o: len([i for i in o["items"] if i["kind"] == "x"]) == 0', [3]],
    ['count(items[kind = x]) >= 1', [1, 2]],
    ['.tags | contains(["a", "b"])', [1]],
    ['lambda o: sum(len(i["kind"]) for i in o["items"]) > 1', [1]],
    ['length(tags) = 0', [3]],
    ["o => o.city.substring(1,3) === 'ra'", [1]],
    ["split(city, 'i')[0] = W", [2]],
  ])('%s', (where, ids) => expect(found(records, where).ids).toEqual(ids))

  test.each(['city = Graz and (note|not)', "city === 'Graz' && (note ? size > 5 : size > 8)"])(
    '%s is refused, for a part of it cannot be read',
    (condition) => expect(where.process(fromValue(records), { where: [condition] }).error).toBeDefined(),
  )

  test.each([
    ['$[?(@.size==null)]', [2]],
    ['$[?(@.size!=null)]', [1, 3]],
    ["$[?match(@.note, 'gift')]", [1]],
    ["$[?search(@.note, 'gift')]", [1, 2]],
  ])('%s', (path, ids) => {
    const { content } = select.process(fromValue(records), { path })
    expect(content.rows().items.map((row) => (row as { id: number }).id)).toEqual(ids)
  })
})

test('a day that is compared with times is the whole day, and what that decides is told', () => {
  const records = ['2024-03-31T00:00:00Z', '2024-03-31T10:00:00Z', '2024-04-01T09:00:00Z'].map((at, nth) => ({
    id: nth + 1,
    at,
  }))
  expect(found(records, 'at > 2024-03-31')).toEqual({
    ids: [3],
    notes: ['`2024-03-31` is the whole day: 1 with a later `at` in it is left out.'],
  })
  expect(found(records, 'at > 2024-03').notes.join(' ')).toContain('`2024-03` is the whole month: 2 with')
  expect(found(records, "at > 'Mar 31, 2024'")).toEqual({
    ids: [3],
    notes: ['`Mar 31, 2024` is the whole day: 1 with a later `at` in it is left out.'],
  })
  expect(found(records, 'at > 2024').notes.join(' ')).not.toContain('is the whole')
  expect(found(records, 'at <= 2024-03-31').notes).toEqual([])
})

test('a product of a short name without blanks is computed, and a text with other signs is none', () => {
  const records = [1, 2, 3].map((spent) => ({ id: spent, fields: { spent, planned: 1, low: 'a', end: 'b' } }))
  for (const condition of [
    'spent > planned*2',
    'spent > 2*planned',
    'spent > planned+1',
    'spent > planned * 2',
  ])
    expect(found(records, condition).ids).toEqual([3])
  expect(found([...records, { id: 4, fields: { spent: 'low-end' } }], 'spent = low-end').ids).toEqual([4])
})

test('a number behind the end of a list is the name of a field of its elements', () => {
  const records = ['Fantasy', 'History'].map((topic, nth) => ({
    id: nth + 1,
    fields: ['001', '008', '020', '100', '245']
      .map((key): JsonValue => ({ [key]: { a: 'x' } }))
      .concat([{ 650: { a: topic } }]),
  }))
  expect(found(records, 'fields.650.a = Fantasy').ids).toEqual([1])
  expect(found(records, 'fields[0].001.a = x').ids).toEqual([1, 2])
})

describe('dates without a year', () => {
  const due = (...texts: string[]): JsonValue => texts.map((text, n) => ({ id: n + 1, due: text }))
  const mixed = due('Oct 13', '2025-10-20', 'Oct 3', '2024-10-13')

  test('are no dates of a year beside dates that have one, and that is said', () => {
    expect(found(mixed, 'due >= 2025-10-01')).toEqual({
      ids: [2],
      notes: ['2 of 4 values of `due` cannot be compared, as "Oct 3", and were left out.'],
    })
    expect(found(mixed, 'due = 2024-10-13')).toEqual({
      ids: [4],
      notes: ['Dates of `due` without a year, as "Oct 13", were left out.'],
    })
  })

  test('differ from a date that has a year', () => {
    expect(found(mixed, 'due != 2024-10-13')).toEqual({ ids: [1, 2, 3], notes: [] })
  })

  test('are compared by month and day where a bound has no year, and that is said beside dates that have one', () => {
    expect(found(mixed, 'due >= Oct 13')).toEqual({
      ids: [1, 2, 4],
      notes: ['`Oct 13` has no year: compared by month and day, in every year.'],
    })
    expect(found(due('Oct 13', 'Oct 3'), 'due >= Oct 12')).toEqual({ ids: [1], notes: [] })
  })

  test('are compared by month and day where none has one, and that is said', () => {
    expect(found(due('Oct 13 06:10:33', 'Oct 3 06:10:33'), 'due >= 2025-10-10')).toEqual({
      ids: [1],
      notes: ['Dates of `due` have no year: `2025-10-10` compared by month and day.'],
    })
  })

  test('are later than the others where they are put in order, and that is said', () => {
    const { content, metadata } = sort.process(fromValue(mixed), { sort: ['due'] })
    expect(content.rows().items.map((row) => (row as { id: number }).id)).toEqual([4, 2, 3, 1])
    const note = 'Dates of `due` without a year are taken to be later than those with one.'
    expect(metadata.notes).toEqual([note])
    const least = aggregate.process(fromValue(mixed), { aggregate: ['min(due)', 'max(due)'] })
    expect(least.content.rows().items).toEqual([{ 'min(due)': '2024-10-13', 'max(due)': 'Oct 13' }])
    expect(least.metadata.notes).toContain(note)
  })
})

describe('dates with slashes beside other times', () => {
  const listed = (...texts: string[]): JsonValue => texts.map((at) => ({ at }))
  const sorted = (records: JsonValue): unknown[] =>
    sort
      .process(fromValue(records), { sort: ['at'] })
      .content.rows()
      .items.map((row) => (row as { at: string }).at)
  const least = (records: JsonValue): unknown =>
    aggregate.process(fromValue(records), { aggregate: ['min(at)'] }).content.rows().items

  test('are sorted and compared in their order', () => {
    const days = listed('13/04/2024', '25/12/2023', 'Jan 5', '02/01/2025')
    expect(sorted(days)).toEqual(['25/12/2023', '13/04/2024', '02/01/2025', 'Jan 5'])
    expect(least(days)).toEqual([{ 'min(at)': '25/12/2023' }])
    const ages = listed('2 days ago', '03/04/2024', '25/12/2023')
    expect(sorted(ages)).toEqual(['25/12/2023', '03/04/2024', '2 days ago'])
    expect(sorted(listed('2 days ago', '04/03/2024', '12/25/2023'))).toEqual([
      '12/25/2023',
      '04/03/2024',
      '2 days ago',
    ])
    expect(least(ages)).toEqual([{ 'min(at)': '25/12/2023' }])
  })
})

describe('ages beside dates', () => {
  const day = (before: number): string =>
    new Date(Date.now() - before * 86_400_000).toISOString().slice(0, 10)
  const records = [
    { id: 1, seen: '2 days ago' },
    { id: 2, seen: day(9) },
    { id: 3, seen: '20 days ago' },
    { id: 4, seen: day(40) },
  ]
  const told = 'Ages in `seen` are counted from now.'

  test('are times, counted from now, and that is said', () => {
    expect(found(records, `seen >= ${day(30)}`)).toEqual({ ids: [1, 2, 3], notes: [told] })
    expect(found(records, 'seen > now-3d').ids).toEqual([1])
    expect(found(records, 'seen within the last 3 days').ids).toEqual([1])
    expect(found(records, 'seen not within the last 3 days').ids).toEqual([2, 3, 4])
    const { content, metadata } = sort.process(fromValue(records), { sort: ['seen'] })
    expect(content.rows().items.map((row) => (row as { id: number }).id)).toEqual([4, 3, 2, 1])
    expect(metadata.notes).toEqual([told])
    const latest = aggregate.process(fromValue(records), { aggregate: ['max(seen)'] })
    expect(latest.content.rows().items).toEqual([{ 'max(seen)': '2 days ago' }])
  })

  test.each([
    ["seen = '2 days ago'", [1]],
    ["seen in ('2 days ago', '20 days ago')", [1, 3]],
    ["seen != '2 days ago'", [2, 3, 4]],
  ])('are found by their own text: %s', (condition, ids) => {
    expect(found(records, condition).ids).toEqual(ids)
  })

  test('are times where a field has them alone', () => {
    const ages = records.filter(({ seen }) => seen.endsWith('ago'))
    expect(found(ages, 'seen > now-3d').ids).toEqual([1])
    expect(found(ages, `seen >= ${day(30)}`)).toEqual({ ids: [1, 3], notes: [told] })
  })
})

describe('numbers with the same behind all of them', () => {
  const films = [
    { id: 1, rating: '8.774/10', seen: '5 kudos', notes: '[3 records]', replies: '9 total' },
    { id: 2, rating: '10/10', seen: '12 kudos', notes: '[10 records]', replies: '10 total' },
    { id: 3, rating: 'N/A', seen: '1 kudos', notes: '[0 records]', replies: '0 total' },
  ]

  test.each([
    ['rating >= 8', [1, 2]],
    ['rating < 9/10', [1]],
    ['rating = 10', [2]],
    ['seen > 4', [1, 2]],
    ['seen = 5 shoes', []],
    ['notes > 3', [2]],
    ['replies between 1 and 9', [1]],
  ])('are compared as numbers: %s', (condition, ids) => {
    expect(found(films, condition).ids).toEqual(ids)
  })

  test.each([
    [['1/3', '2/3', '3/3'], 'p > 0.5', [2, 3]],
    [['3/10', '5/10', '10/10'], 'p < 0.5', [1]],
  ])('are shares beside a number below 1, and that is said: %j', (texts, condition, ids) => {
    const { ids: own, notes } = found(
      texts.map((p, n) => ({ id: n + 1, p })),
      condition,
    )
    expect(own).toEqual(ids)
    expect(notes).toEqual([expect.stringContaining('its share')])
  })

  test('are no months', () => {
    const months = ['1/2024', '6/2024'].map((m) => ({ m }))
    const { content } = aggregate.process(fromValue(months), { aggregate: ['avg(m)'] })
    expect(content.rows().items).toEqual([{ 'avg(m)': null }])
  })

  test('are sorted and computed with as numbers, and that is said', () => {
    const { content } = sort.process(fromValue(films), { sort: ['-rating'] })
    expect(content.rows().items.map((row) => (row as { id: number }).id)).toEqual([2, 1, 3])
    const { content: sums, metadata } = aggregate.process(fromValue(films), {
      aggregate: ['sum(seen)', 'max(rating)', 'sum(notes)', 'sum(replies)'],
    })
    expect(sums.rows().items).toEqual([
      { 'sum(seen)': 18, 'max(rating)': '10/10', 'sum(notes)': 13, 'sum(replies)': 19 },
    ])
    expect(metadata.notes).toContain('`seen` holds texts read as numbers: "5 kudos" as 5.')
    expect(found(films, 'rating >= 8').notes).toContain(
      '`rating` holds texts read as numbers: "8.774/10" as 8.774.',
    )
  })
})

describe('dates of libraries, the year first', () => {
  const papers: JsonValue = [
    { id: 1, at: '2025 Jan 12' },
    { id: 2, at: '2024 Mar' },
    { id: 3, at: '2024 Nov-Dec' },
    { id: 4, at: 2023 },
    { id: 5, at: '2024 Winter' },
    { id: 6, at: '2024 Dec-2025 Jan' },
    { id: 7, at: '2026' },
  ]

  test.each([
    ['at >= 2025', [1, 7]],
    ['at = 2024', [2, 3, 5, 6]],
    ['at < 2024-03', [4, 5]],
    ['at > 1990-01', [1, 2, 3, 4, 5, 6, 7]],
    ['year(at) = 2024', [2, 3, 5, 6]],
  ])('are dates, and a range is its beginning: %s', (condition, ids) => {
    expect(found(papers, condition)).toEqual({ ids, notes: [] })
  })

  test('are in their order, years in numbers among them', () => {
    const { content } = sort.process(fromValue(papers), { sort: ['at'] })
    expect(content.rows().items.map((row) => (row as { id: number }).id)).toEqual([4, 5, 2, 3, 6, 1, 7])
  })

  test.each([
    '2024 Marching bands',
    '2024 Mar 99',
    '2024 Winterfell',
    'Winter',
    '2024 Fall 2025',
    '2024 Marathon',
    '2024 Market',
    '2024-mar-budget',
    '2024-dec-hotfix',
    '2024 Mar - Paris',
  ])('are no other texts: %s', (text) => expect(parseDate(text)).toBeUndefined())

  test.each([
    ["at = '2024 Jan-Feb'", [1]],
    ["at != '2024 Jan-Feb'", [2, 3, 4, 5]],
    ["at in ('2024 Jan-Feb', '2024 Jan')", [1, 3]],
    ['at = Jan 2024', [3]],
    ['at = 2024-01', [3]],
    ["if(at = '2024 Jan-Feb', 1, 0) = 1", [1]],
  ])('are names where a field holds them to the letter, and as long as they say: %s', (condition, ids) => {
    const issues = ['2024 Jan-Feb', '2024 Jan-Mar', '2024 Jan', '2024 Jan/Feb', '2024 Mar']
    const records = issues.map((at, n) => ({ id: n + 1, at }))
    expect(found(records, condition).ids).toEqual(ids)
  })

  test('may have a time', () => {
    expect(parseDate('2024 Jan  5 10:33:00')?.from).toBe(Date.UTC(2024, 0, 5, 10, 33))
    expect(parseDate('2024 Mar 05')?.from).toBe(Date.UTC(2024, 2, 5))
  })
})

describe('words for no value', () => {
  test('a dash alone is one, and that is said', () => {
    const records = ['12', '-', '7', '—'].map((size, n) => ({ id: n + 1, size }))
    expect(found(records, 'size is null')).toEqual({
      ids: [2, 4],
      notes: ['`size is null` read as `size in ("-", "—")`.'],
    })
    expect(found(records, 'size is not null').ids).toEqual([1, 3])
  })

  test('a dash beside operators is one', () => {
    const records = ['*', '-', '/'].map((operator, n) => ({ id: n + 1, operator }))
    expect(found(records, 'operator is null').ids).toEqual([])
    expect(found(records, 'operator is not null').ids).toEqual([1, 2, 3])
  })

  test('a dash beside a plus is a sign', () => {
    const records = ['+', '-', '+'].map((strand, n) => ({ id: n + 1, strand }))
    expect(found(records, 'strand is null').ids).toEqual([])
    expect(found(records, 'strand is not null').ids).toEqual([1, 2, 3])
  })

  test('beside nulls they are told', () => {
    const records = ['12', '-', null].map((size, n) => ({ id: n + 1, size }))
    expect(found(records, 'size is null')).toEqual({
      ids: [3],
      notes: ['Words for no value are not null: `size = "-"` finds them.'],
    })
    expect(found(records, 'size is not null')).toEqual({
      ids: [1, 2],
      notes: ['Words for no value are not null: `size != "-"` leaves them out.'],
    })
  })
})

describe('places in a recording of less than an hour', () => {
  test.each([
    ['t < 01:00', [1, 2, 3]],
    ['t < 23:59', [1, 2, 3]],
    ['t between 00:10 and 02:00', [2, 3]],
  ])('are no times of day without seconds: %s', (condition, ids) => {
    const times = ['00:05', '00:15', '00:45'].map((t, n) => ({ id: n + 1, t }))
    expect(found(times, condition)).toEqual({ ids, notes: [] })
  })

  const records = ['00:00:08', '00:09:59', '00:10:00', '00:54:12'].map((start, n) => ({ id: n + 1, start }))

  test('are compared with minutes and seconds where hours are beyond them, and that is said', () => {
    expect(found(records, 'start >= 10:00')).toEqual({
      ids: [3, 4],
      notes: ['`10:00` read as 00:10:00: all of `start` are below one hour.'],
    })
    expect(found(records, 'start between 0:05 and 10:00').ids).toEqual([1, 2, 3])
  })

  test('are compared with hours and minutes where some hour is among them', () => {
    const long = [...records, { id: 5, start: '10:30:00' }]
    expect(found(long, 'start >= 10:00')).toEqual({ ids: [5], notes: [] })
    expect(found(records, 'start >= 00:10')).toEqual({ ids: [3, 4], notes: [] })
  })

  test('are told as a range where none is found', () => {
    const { metadata } = where.process(fromValue(records), { where: ['start > 01:00:00'] })
    expect(metadata.notes?.join(' ')).toContain('`start` is from 00:00:08 to 00:54:12.')
  })
})

test('sums of prices in millions are not told as bytes', () => {
  const notesOf = (values: readonly string[]) =>
    aggregate.process(fromValue(values.map((v) => ({ v }))), { aggregate: ['sum(v)'] }).metadata.notes ?? []
  expect(notesOf(['€29.9m', '€1.1m']).join(' ')).not.toContain('bytes')
  expect(notesOf(['2 million', '3 million']).join(' ')).not.toContain('bytes')
  expect(notesOf(['29.9 MB', '1 kB'])).toContain('sum of `v` is in bytes.')
})

test('lengths of time are summed in milliseconds, whichever rows are left, and that is said', () => {
  const rows = ['126 minutes', '1 hour'].map((d) => ({ d }))
  for (const records of [rows, rows.slice(0, 1)]) {
    const { content, metadata } = aggregate.process(fromValue(records), { aggregate: ['sum(d)'] })
    expect(content.rows().items).toEqual([{ 'sum(d)': (records.length === 1 ? 126 : 186) * 60_000 }])
    expect(metadata.notes).toContain('sum of `d` is in milliseconds.')
  }
})

describe('values that come first', () => {
  const rows: JsonValue = Array.from({ length: 8 }, (_, n) => ({
    id: n + 1,
    a: n * 10,
    b: n % 2,
    name: `n${n}`,
    at: new Date(Date.now() - (n + 0.5) * 86_400_000).toISOString(),
  }))

  test.each([
    ['(13 * 2) >= a', [1, 2, 3]],
    ['(13 * 2) >= a or b = 7', [1, 2, 3]],
    ['(10 + 5) * 2 < a', [5, 6, 7, 8]],
    ['(50) < a', [7, 8]],
    ["('n3') = name", [4]],
    ['now - 3d < at', [1, 2, 3]],
    ['(now - 3d) > at and b = 1', [4, 6, 8]],
    ['2 * a > 100', [7, 8]],
  ])('%s', (condition, ids) => {
    expect(found(rows, condition).ids).toEqual(ids)
  })
})

test('the remark on a text that the field lacks names fields of inner records', () => {
  const pods: JsonValue = Array.from({ length: 4 }, (_, n) => ({
    id: n,
    events: [{ reason: 'Scheduled' }],
    containers: [{ state: 'Running', lastReason: n === 2 ? 'OOMKilled' : 'Error' }],
  }))
  const { notes } = found(pods, 'events.reason = OOMKilled')
  expect(notes.join(' ')).toContain('`containers.lastReason` has it in 1 record.')
})

describe('conditions that are a value alone', () => {
  const rows: JsonValue = Array.from({ length: 9 }, (_, n) => ({
    id: n + 1,
    number: 101 + n,
    state: n % 2 ? 'in progress' : 'open',
    by: { login: `dev${n % 3}` },
    review: n % 4 ? 'done' : 'pending',
    path: `p/f${n}`,
    file: n === 2 ? 'p/f2' : 'none',
    phase: n === 5 ? 'pending' : 'none',
    title: `Fix of the ${n % 4 ? 'parser' : 'lexer'}`,
  }))

  test.each([
    ['open', [1, 3, 5, 7, 9], '`open` is no field: read as `state = open`.'],
    ['"In Progress"', [2, 4, 6, 8], '`In Progress` is no field: read as `state = In Progress`.'],
    ['not dev1', [1, 3, 4, 6, 7, 9], '`dev1` is no field: read as `by.login = dev1`.'],
    ['done', [2, 3, 4, 6, 7, 8], '`done` is no field: read as `review = done`.'],
    ['open and number > 103', [5, 7, 9], '`open` is no field: read as `state = open`.'],
    ['105', [5], '`105` is no field: read as `number = 105`.'],
    ['p/f2', [3], '`p/f2` is no field: read as `path = p/f2`.'],
    ['lexer', [1, 5, 9], '`lexer` is no field: read as `* contains lexer`.'],
  ])('%s', (condition, ids, note) => {
    expect(found(rows, condition)).toEqual({ ids, notes: [note] })
  })

  test('stands beside conditions on names that are read by their last word', () => {
    const orders = Array.from({ length: 900 }, (_, n) => ({
      order_id: n,
      order_status: n % 3 ? 'paid' : 'open',
      tags: n % 4 ? ['a'] : [],
    }))
    const ask = (asked: string) => {
      const params = filterParams.parse({ where: asked })
      const { document, error } = runPipeline(fromValue(orders), filterSteps, params)
      return error ?? document.rows().count
    }
    expect(ask('open and id >= 891')).toBe(3)
    expect(ask('at least 1 tags')).toBe(675)
    expect(ask('open and nosuch > 5')).toContain('No record has the field `nosuch`')
  })

  test('is refused where two fields have it, or none', () => {
    const refusal = (condition: string) => where.process(fromValue(rows), { where: [condition] }).error
    expect(refusal('pending')).toBe(
      '`pending` is no field but a value of `review` and of `phase`: write `review = pending`.',
    )
    expect(refusal('not yet seen')).toContain('has no operator')
    for (const words of ['nosuch', 'the'])
      expect(refusal(words)).toContain(`No record has the field \`${words}\``)
    // An `or` binds less than `and`.
    for (const other of ['or number = 100', '|| number = 100'])
      expect(refusal(`open and number > 103 ${other}`)).toContain('No record has the field `open`')
  })

  test('is refused where all but the records with a word would be found, and for a part of a name', () => {
    const merged = [{ id: 1, merge_commit_sha: 'c0ffee', title: 'A crash' }]
    const refusal = (condition: string) => where.process(fromValue(merged), { where: [condition] }).error
    for (const condition of ['not archived', 'not commit', 'commit'])
      expect(refusal(condition)).toContain('No record has the field')
    expect(found(merged, 'crash').ids).toEqual([1])
  })
})

describe('comparisons in the words of people', () => {
  const day = 86_400_000
  const rows: JsonValue = Array.from({ length: 4 }, (_, n) => ({
    id: n + 1,
    price: n * 10,
    state: ['open', 'blocked', 'closed', 'open'][n] ?? '',
    tags: ['a', 'b', 'c'].slice(0, n),
    title: n % 2 ? 'A crash' : 'A page',
    made: new Date(Date.now() - (n * 10 + 1) * day).toISOString(),
    at: Date.UTC(2024 + (n % 2), 9, 14 + n) / 1000,
    slot: `2024-05-0${6 + n}`,
    from: `2024-05-01T1${n * 2}:30:00Z`.replace('T16', 'T18'),
    total_paid: n * 15,
    limits: { memory: n, cpu: 9 },
  }))

  test.each<[string, number[]]>([
    ['price is over 10', [3, 4]],
    ['price is under 10', [1]],
    ['title mentions crash', [2, 4]],
    ['title does not mention crash', [1, 3]],
    ['state is either open or blocked', [1, 2, 4]],
    ['state is neither open nor blocked', [3]],
    ['tags includes both a and b', [3, 4]],
    ['made more than 15 days ago', [3, 4]],
    ['made less than 15 days ago', [1, 2]],
    ['made > 15 days ago', [1, 2]],
    ['made is older than 15 days', [3, 4]],
    ['made newer than 15 days', [1, 2]],
    ['at >= October 16', [3, 4]],
    ['at = October 15', [2]],
    ['number of tags > 1', [3, 4]],
    ['price is 20 or higher', [3, 4]],
    ['price = 10 or less', [1, 2]],
    ['slot is on a Tuesday', [2]],
    ['slot is not on Tuesday', [1, 3, 4]],
    ['from after 1 pm', [3, 4]],
    ['memory limit > 1', [3, 4]],
    ['number of price > 15', [3, 4]],
  ])('%s', (condition, ids) => {
    expect(found(rows, condition).ids).toEqual(ids)
  })

  test('things are no id', () => {
    const orders = [1, 2].map((order_id) => ({ id: order_id, order_id, sum: 9 }))
    const { error } = where.process(fromValue(orders), { where: ['orders over 1'] })
    expect(error).toContain('No record has the field `orders`')
  })

  test('an age is told as the time that it is compared with', () => {
    expect(found(rows, 'made more than 15 days ago').notes).toContain(
      '`made more than 15 days ago` read as `made < 15 days ago`.',
    )
  })
})

describe('a word before numbers in the texts of a log', () => {
  const entries = (text: (n: number) => string) =>
    fromRecognised(
      Array.from({ length: 20 }, (_, n) => `2026-11-01T10:00:${10 + n}Z INFO [web] ${text(n)}`).join('\n'),
    )
  const timed = entries((n) => (n % 4 ? `request ${n} took ${n * 30}ms, depth: ${n}` : 'went away'))

  test.each<[string, number[]]>([
    ['took > 400ms', [14, 15, 17, 18, 19]],
    ['depth = 7', [7]],
    ['request >= 18', [18, 19]],
  ])('is their field: %s', (condition, places) => {
    const { content, metadata } = where.process(timed, { where: [condition] })
    expect(content.rows().items.map((row) => (row as { line: number }).line - 1)).toEqual(places)
    expect(metadata.notes?.[0]).toContain('is no field: read as the number behind it in `message`.')
  })

  test.each([
    ['dates', 'took', (n: number) => `job took 2026-10-${10 + n} to run`],
    ['clocks', 'began', (n: number) => `began 10:${10 + n}`],
    ['ids of letters and digits', 'request', (n: number) => `request ${(n * 7919).toString(16)} is done`],
    ['ranges', 'pages', (n: number) => `pages ${n}-${n + 5} changed`],
  ])('is none before %s', (_, word, text) => {
    expect(where.process(entries(text), { where: [`${word} > 1`] }).error).toContain(
      `No record has the field \`${word}\``,
    )
  })

  test('ends before a mark of the sentence', () => {
    const served = entries((n) => `ok port:80${80 + (n % 2)}, try ${n % 3}/3; size ${n}KB.`)
    for (const condition of ['port = 8081', 'try = 1', 'size > 17KB'])
      expect(where.process(served, { where: [condition] }).metadata.matched).toBeGreaterThan(1)
  })

  test('is looked for itself where it is alone', () => {
    const { content, metadata } = where.process(timed, { where: ['request'] })
    expect(content.rows().count).toBe(15)
    expect(metadata.notes).toEqual(['`request` is no field: read as `* contains request`.'])
  })

  test('is none where few entries have it, or the records are data', () => {
    const few = entries((n) => (n === 3 ? 'took 30ms' : 'went away'))
    const data = fromValue(Array.from({ length: 9 }, (_, n) => ({ id: n, message: `took ${n} ms` })))
    for (const document of [few, data])
      expect(where.process(document, { where: ['took > 1'] }).error).toContain(
        'No record has the field `took`',
      )
  })
})
