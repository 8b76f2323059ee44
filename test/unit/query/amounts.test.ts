import { describe, expect, test } from 'vitest'
import { fromValue } from '../../../src/documents/opening/derive.ts'
import { filterParams } from '../../../src/processors/parameters.ts'
import { runPipeline } from '../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../src/processors/pipelines.ts'
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts'
import { areClocks } from '../../../src/text/values/clocks.ts'
import { looseNumber, quantity } from '../../../src/text/values/quantities.ts'

const ask = (texts: readonly string[], params: JsonObject) => {
  const records = texts.map((a) => ({ a }))
  const { document, steps, error } = runPipeline(fromValue(records), filterSteps, filterParams.parse(params))
  expect(error).toBeUndefined()
  return {
    rows: document.rows().items as JsonObject[],
    notes: JSON.stringify(steps.map(({ metadata }) => metadata.notes)),
  }
}
const texts = (all: readonly string[], params: JsonObject) => ask(all, params).rows.map(({ a }) => a)

describe('an amount with a remark behind it', () => {
  test.each([
    ['9,412 (53 influential)', 9412],
    ['$786.48 (was $983.10)', 786.48],
    ['4.9 out of 5 stars (29,991 ratings)', 4.9],
    ['3435216869 -- 3.44 billion', 3435216869],
    ['100+1 below', 100],
    ['€80 per night (€240 total)', 80],
    ['5 (3h ago)', 5],
    ['20°C (68°F)', 20],
  ])('%s is %d', (text, number) => {
    expect(looseNumber(text)).toBe(number)
  })

  test('an amount of bytes has one as well', () => {
    expect(quantity('2B (virtual 133MB)')).toBe(2)
    expect(quantity('1.5MB (of 3 GB)')).toBe(1_500_000)
  })

  test.each([
    '5 - 10',
    '10 — 20',
    'Rust (2nd edition)',
    '10.0.0.1 (primary)',
    '(5 people)',
    '555-1234 (home)',
    '404 (Not Found)',
    '3.10 (default)',
    '1.10 (build 45)',
    '5 (minutes)',
    '5 -- 10 km',
  ])('%s is none', (text) => {
    expect(looseNumber(text)).toBeUndefined()
  })

  const cited = ['939 (53 influential)', '9,412 (3 influential)', '5,001']

  test('is compared, sorted and summed by its number', () => {
    const { rows, notes } = ask(cited, { where: 'a > 5000' })
    expect(rows).toEqual([{ a: '9,412 (3 influential)' }, { a: '5,001' }])
    expect(notes).toContain('holds texts read as numbers: \\"939 (53 influential)\\" as 939')
    expect(texts(cited, { sort: '-a' })).toEqual(['9,412 (3 influential)', '5,001', '939 (53 influential)'])
    expect(ask(cited, { aggregate: 'sum(a)' }).rows).toEqual([{ 'sum(a)': 15_352 }])
  })

  test('of two texts with one number the one that is written is meant', () => {
    expect(texts(['1 (copy)', '1 (final)', '2'], { where: 'a = "1 (copy)"' })).toEqual(['1 (copy)'])
  })
})

describe('durations with hours only where they are needed', () => {
  const times = ['54:37', '1:02:03', '3:15:46', '44:36']

  test('are compared, sorted and summed as durations', () => {
    expect(texts(times, { sort: '-a' })).toEqual(['3:15:46', '1:02:03', '54:37', '44:36'])
    expect(texts(times, { where: 'a > 1 hour' })).toEqual(['1:02:03', '3:15:46'])
    expect(texts(times, { where: 'a < 50:00' })).toEqual(['44:36'])
    expect(texts(times, { where: 'a >= 3723' })).toEqual(['1:02:03', '3:15:46'])
    expect(ask(times, { aggregate: ['max(a)', 'min(a)'] }).rows).toEqual([
      { 'max(a)': '3:15:46', 'min(a)': '44:36' },
    ])
    expect(ask(times, { aggregate: 'sum(a)' }).rows).toEqual([{ 'sum(a)': 21_422_000 }])
    expect(ask(times, { where: 'a > 1 hour' }).notes).toContain('`54:37` as 00:54:37')
  })

  test.each([
    [['75:00', '01:20:00'], true],
    // Times of day.
    [['14:30', '14:30:05'], false],
    [['09:05', '9:30:01'], false],
    [['9:00', '8:30:00', '17:00'], false],
    [['1:02:03', '2:03:04'], false],
    [['54:37', '44:36'], false],
    [[], false],
  ])('%j: %s', (all, are) => {
    expect(areClocks(all)).toBe(are)
  })
})

describe('B beside M and T', () => {
  const caps = ['361.43B', '172.91M', '3.00T', '275.00B', '-']

  test('is billions where some value has a part of one', () => {
    expect(texts(caps, { where: 'a > 300 billion' })).toEqual(['361.43B', '3.00T'])
    expect(texts(caps, { where: 'a < $300B' })).toEqual(['172.91M', '275.00B'])
    expect(texts(caps, { sort: 'a', limit: 2 }).slice(0, 2)).toEqual(['172.91M', '275.00B'])
    expect(ask(['$1.5B', '$250M'], { aggregate: 'sum(a)' }).rows).toEqual([{ 'sum(a)': 1_750_000_000 }])
  })

  test('of money alone are no processors', () => {
    expect(texts(['$5m', '$3', '$2.5m'], { sort: '-a' })).toEqual(['$5m', '$2.5m', '$3'])
    expect(ask(['$5m', '$3'], { aggregate: 'sum(a)' }).rows).toEqual([{ 'sum(a)': 5_000_003 }])
  })

  test('is bytes where all are whole', () => {
    expect(texts(['512B', '1.5K', '2M'], { sort: 'a' })).toEqual(['512B', '1.5K', '2M'])
    expect(texts(['512.00B', '1.50K', '2M'], { where: 'a < 1K' })).toEqual(['512.00B'])
  })
})

describe('a unit beside numbers that have none', () => {
  const refused = (all: readonly string[], where: string) =>
    runPipeline(fromValue(all.map((a) => ({ a, took_ms: a }))), filterSteps, filterParams.parse({ where }))
      .error

  test('is refused of numbers that are written as texts', () => {
    expect(refused(['2.9', '0.3', ''], 'a > 2s')).toContain('`2s` has a unit, the field has none')
    expect(refused(['184.3', '20'], 'a > 3 min')).toContain('holds numbers such as 20 and 184.3')
    expect(refused(['2.9', 'fast'], 'a > 2s')).toBeUndefined()
  })

  test('is read where the name says the unit', () => {
    const records = ['1500', '2500'].map((took_ms) => ({ took_ms }))
    const params = filterParams.parse({ where: 'took_ms > 2s' })
    expect(runPipeline(fromValue(records), filterSteps, params).document.rows().items).toEqual([
      { took_ms: '2500' },
    ])
  })

  test('is refused of times that are hours or minutes', () => {
    expect(refused(['44:36', '54:37'], 'a > 50 min')).toContain('`44:36` of `a` may be hours or minutes')
  })
})

describe('values as their field suggests', () => {
  const found = (values: readonly JsonValue[], where: string, name = 'a') => {
    const records = values.map((a) => ({ [name]: a }))
    const asked = runPipeline(fromValue(records), filterSteps, filterParams.parse({ where }))
    expect(asked.error).toBeUndefined()
    return asked.document.rows().items.map((row) => (row as JsonObject)[name])
  }

  test('a year and a month are the whole of them, also beside empty texts', () => {
    const dates = ['', '2024-01-13', '2025-08-11', '2025-03-02', '', '2025-08-01']
    expect(found(dates, 'a = 2025')).toEqual(['2025-08-11', '2025-03-02', '2025-08-01'])
    expect(found(dates, 'a = 2025-08')).toEqual(['2025-08-11', '2025-08-01'])
    expect(found(dates, 'a < 2025')).toEqual(['2024-01-13'])
  })

  test('a year beside seconds since 1970, of which 0 is never', () => {
    const played = [0, 1_600_000_000, 1_760_617_576]
    expect(found(played, 'last_played > 2022', 'last_played')).toEqual([1_760_617_576])
    expect(found(played, 'last_played = 2020', 'last_played')).toEqual([1_600_000_000])
    expect(found(played, 'a > 2022')).toEqual(played.slice(1))
    expect(found(['1400000000', '1300000000'], 'a > 2000')).toEqual(['1400000000', '1300000000'])
    expect(found([0, 2021, 2023], 'a > 2022')).toEqual([2023])
  })

  test('percents beside shares', () => {
    expect(found([0, 0.2, 0.7, 1], 'a > 50%')).toEqual([0.7, 1])
    expect(found(['0.2', '0.7'], 'a >= 70%')).toEqual(['0.7'])
    expect(found([20, 70, 0.5], 'a > 50%')).toEqual([70])
    expect(found([0, 1], 'a > 50%')).toEqual([])
    expect(found([0.2, 0.7], 'cpu_percent > 0.5%', 'cpu_percent')).toEqual([0.7])
  })

  test('a plain number beside a difference of clocks is seconds', () => {
    const records = [
      { start: '00:00:01,500', end: '00:00:05,673' },
      { start: '00:00:06,000', end: '00:00:12,000' },
    ]
    const params = filterParams.parse({ where: 'end - start > 5' })
    const { document, steps } = runPipeline(fromValue(records), filterSteps, params)
    expect(document.rows().items).toEqual([records[1]])
    expect(JSON.stringify(steps.map(({ metadata }) => metadata.notes))).toContain('`5` read as 00:00:05')
  })

  test('the length of a list is asked for behind its name', () => {
    const records = [{ status: { history: [1, 2, 3] } }, { status: { history: [] } }]
    const params = filterParams.parse({ where: 'status.history length = 3' })
    expect(runPipeline(fromValue(records), filterSteps, params).document.rows().items).toEqual([records[0]])
  })
})

test('null as ClickHouse writes it is no value', () => {
  const held = ['ᴺᵁᴸᴸ', '3', '20']
  expect(texts(held, { where: 'a is null' })).toEqual(['ᴺᵁᴸᴸ'])
  expect(texts(held, { where: 'a is not null' })).toEqual(['3', '20'])
  expect(texts(held, { sort: '-a' })).toEqual(['20', '3', 'ᴺᵁᴸᴸ'])
})
