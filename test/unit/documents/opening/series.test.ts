import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromValue } from '../../../../src/documents/opening/derive.ts'
import { overviewOfData } from '../../../../src/documents/overview/records.ts'
import { filterParams, searchParams } from '../../../../src/processors/parameters.ts'
import { runPipeline } from '../../../../src/processors/pipeline.ts'
import { exploreSteps, filterSteps, searchSteps } from '../../../../src/processors/pipelines.ts'
import { withStatement } from '../../../../src/processors/readings/statement.ts'
import type { JsonValue } from '../../../../src/protocol/json.ts'
import { deepFreeze } from '../../../support/deep-freeze.ts'

const POINTS = Array.from({ length: 24 }, (_, hour) => hour)
const seconds = (hour: number): number => 1_767_225_600 + hour * 3600
const day = (hour: number): string => new Date(seconds(hour) * 1000).toISOString()
const load = (hour: number, of: number): number => (hour * 7 + of * 5) % 24

const hosts = (count: number): string[] => Array.from({ length: count }, (_, of) => `web-${of}`)
const matrix = (count: number): JsonValue => ({
  status: 'success',
  data: {
    resultType: 'matrix',
    result: hosts(count).map((instance, of) => ({
      metric: { instance, job: 'node' },
      values: POINTS.map((hour) => [seconds(hour), String(load(hour, of))]),
    })),
  },
})
interface Point {
  time: number
  value: string
  metric: { instance: string; job: string }
}
const flatOf = (count: number): Point[] =>
  hosts(count).flatMap((instance, of) =>
    POINTS.map((hour) => ({
      time: seconds(hour),
      value: String(load(hour, of)),
      metric: { instance, job: 'node' },
    })),
  )

function pointsOf(value: JsonValue): readonly JsonValue[] {
  return fromValue(value).records()?.values ?? []
}

function totalOf(value: JsonValue): string | undefined {
  return overviewOfData(fromValue(value)).totals[0]
}

function ask(value: JsonValue, params: Record<string, unknown>): { rows: unknown[]; notes: string } {
  const { document, steps, error } = runPipeline(fromValue(value), filterSteps, filterParams.parse(params))
  expect(error).toBeUndefined()
  const notes = steps.flatMap(({ metadata }) => metadata.notes ?? []).join('\n')
  return { rows: [...document.rows().items], notes }
}

describe('the points of a series are records', () => {
  test('of pairs of a time and a value, with the labels of each series', () => {
    expect(pointsOf(matrix(3))).toEqual(flatOf(3))
    expect(totalOf(matrix(3))).toBe('72 points of 3 series in $.data.result')
  })

  test('of pairs in which the time is the second', () => {
    const datapoints = POINTS.map((hour) => [hour === 3 ? null : hour, seconds(hour)])
    const [, , , point] = pointsOf([{ target: 'load', datapoints }])
    expect(point).toEqual({ time: seconds(3), value: null, target: 'load' })
  })

  test('of lines of a log with nanoseconds', () => {
    const values = POINTS.map((hour) => [`${seconds(hour)}000000000`, `line ${hour}`])
    const [, point] = pointsOf([{ stream: { app: 'web' }, values }])
    expect(point).toEqual({ time: `${seconds(1)}000000000`, line: 'line 1', stream: { app: 'web' } })
  })

  test('of several lists of pairs at the same times', () => {
    const given = {
      prices: POINTS.map((hour) => [seconds(hour), hour]),
      volumes: POINTS.map((hour) => [seconds(hour), hour * 10]),
    }
    const wanted = POINTS.map((hour) => ({ time: seconds(hour), prices: hour, volumes: hour * 10 }))
    expect(pointsOf(given)).toEqual(wanted)
  })

  test('of a list of times beside lists of values, wherever below the series these are', () => {
    const result = {
      meta: { symbol: 'ABC' },
      timestamp: POINTS.map(seconds),
      indicators: {
        quote: [{ open: POINTS, close: POINTS.map((hour) => hour + 1) }],
        adjclose: [{ adjclose: POINTS.map((hour) => hour + 2) }],
      },
    }
    expect(pointsOf({ chart: { result: [result] } })[5]).toEqual({
      timestamp: seconds(5),
      open: 5,
      close: 6,
      adjclose: 7,
      meta: { symbol: 'ABC' },
    })
  })

  test('of rows under names, and of a list for each name', () => {
    const series = hosts(2).map((host, of) => ({
      tags: { host },
      columns: ['time', 'user'],
      values: POINTS.map((hour) => [day(hour), load(hour, of)]),
    }))
    const [point] = pointsOf({ results: [{ series }] }).slice(24)
    expect(point).toEqual({ time: day(0), user: load(0, 1), tags: { host: 'web-1' } })
    const frame = {
      schema: { fields: [{ name: 'Time' }, { name: 'Value', labels: { host: 'web-0' } }] },
      data: { values: [POINTS.map(seconds), POINTS] },
    }
    const [another] = pointsOf({ results: { A: { frames: [frame] } } }).slice(7)
    expect(another).toEqual({ Time: seconds(7), Value: 7, schema: { labels: { host: 'web-0' } } })
  })

  test('of series that are the values of an object, with their key', () => {
    const given = {
      bitcoin: { prices: POINTS.map((hour) => [seconds(hour), hour]) },
      ethereum: { prices: POINTS.map((hour) => [seconds(hour), hour * 2]) },
    }
    expect(pointsOf(given)[25]).toEqual({ time: seconds(1), prices: 2, _key: 'ethereum' })
  })

  test('but there are none of a series without a point', () => {
    const given = hosts(2).map((Label, of) => ({
      Label,
      Timestamps: of === 0 ? [] : POINTS.map(day),
      Values: of === 0 ? [] : POINTS,
    }))
    expect(pointsOf(given)).toHaveLength(24)
    expect(pointsOf(given)[0]).toEqual({ Timestamps: day(0), Values: 0, Label: 'web-1' })
  })
})

test('a preview tells the lists beside those of the points, and not these', () => {
  const given = {
    id: 'btc',
    prices: POINTS.map((hour) => [seconds(hour), hour]),
    volumes: POINTS.map((hour) => [seconds(hour), hour * 10]),
    tickers: POINTS.slice(0, 5).map((rank) => ({ rank, market: 'x' })),
  }
  const { totals, facts } = overviewOfData(fromValue(given))
  expect(totals).toEqual(['24 points of 1 series in $'])
  expect(facts.filter((fact) => fact.startsWith('also'))).toEqual([
    'also $.tickers: 5 records {rank, market}',
  ])
})

describe('the lists of two or three records are one list', () => {
  const ITEMS = Array.from({ length: 100 }, (_, sku) => sku)
  const orders = ['ann', 'bo'].map((customer, id) => ({
    id,
    customer,
    items: ITEMS.map((sku) => ({ id: sku, price: sku * (id + 1), ...(sku === 20 && { note: 'late' }) })),
  }))

  test('with the fields of the record, and every field of their own', () => {
    expect(totalOf({ orders })).toBe('200 records of 2 lists in $.orders[*].items[*]')
    const [late] = pointsOf({ orders }).slice(120)
    expect(late).toEqual({ id: 20, price: 40, note: 'late', customer: 'bo', orders: { id: 1 } })
    expect(ask({ orders }, { aggregate: 'sum(price)' }).rows).toEqual([{ 'sum(price)': 4950 * 3 }])
  })

  const suites = ['api', 'web'].map((name, at) => ({
    name,
    time: 7,
    failures: at + 1,
    tests: ITEMS.map((id) => ({ id, name: `test ${id}`, time: id % 3 })),
  }))

  test('all of the record is under its name where they share more than an id with it', () => {
    const [first] = pointsOf({ suites })
    expect(first).toEqual({ id: 0, name: 'test 0', time: 0, suites: { name: 'api', time: 7, failures: 1 } })
  })

  test('a field of the record counts once, or is told to be repeated', () => {
    for (const path of [undefined, 'suites[*].tests[*]']) {
      const once = ask({ suites }, { path, aggregate: 'sum(failures)' })
      expect(once.rows).toEqual([{ 'sum(suites.failures)': 3 }])
      expect(once.notes).toContain('one value for each of 2 in `$.suites`, counted once each.')
    }
    const by = ask({ suites }, { group_by: 'suites.name', aggregate: 'sum(failures)' })
    expect(by.rows.map((row) => (row as Record<string, unknown>)['sum(suites.failures)']).sort()).toEqual([
      1, 2,
    ])
    const both = ask({ suites }, { where: ['failures > 1'], aggregate: 'count' })
    expect(both.rows).toEqual([{ count: 100 }])
    expect(both.notes).toContain(
      '`failures`: one value for each of `$.suites`, repeated in each of its records.',
    )
    expect(ask({ suites }, { where: ['id > 97'], aggregate: 'sum(failures)' }).notes).toContain(
      'repeated in each',
    )
    expect(ask({ suites }, { where: ['suites.name = web'], aggregate: 'sum(time)' }).notes).not.toContain(
      'repeated',
    )
  })

  test('likewise a field of the holder of what a path reaches', () => {
    const groups = ITEMS.slice(0, 8).map((limit) => ({
      limit,
      name: `g${limit}`,
      rules: [{ id: 1 }, { id: 2 }],
    }))
    const once = ask({ groups }, { path: 'groups[*].rules[*]', aggregate: 'sum(limit)' })
    expect(once.rows).toEqual([{ 'sum(groups.limit)': 28 }])
    const told = ask(
      { groups },
      { path: 'groups[*].rules[*]', where: ['limit > 3', 'id = 1'], aggregate: 'count' },
    )
    expect(told.rows).toEqual([{ count: 4 }])
    expect(told.notes).toContain('`limit`: one value for each of `groups`, repeated in each of its records.')
  })

  test('holders of holders repeat, so that nothing counts once there', () => {
    const regions = [1, 2, 3].map((pop) => ({
      pop,
      stores: [10, 20].map((rent) => ({ rent, staff: ITEMS.slice(0, 2).map((id) => ({ id })) })),
    }))
    const path = 'regions[*].stores[*].staff[*]'
    const both = ask({ regions }, { path, aggregate: 'sum(pop), sum(rent)' })
    expect(both.rows).toEqual([{ 'sum(regions.pop)': 24, 'sum(stores.rent)': 180 }])
    expect(both.notes).toContain('`pop`: one value for each of `regions`, repeated in each of its records.')
    expect(both.notes).toContain('`rent`: one value for each of `stores`, repeated in each of its records.')
    const once = ask({ regions }, { path, aggregate: 'sum(pop)' })
    expect(once.rows).toEqual([{ 'sum(regions.pop)': 6 }])
    expect(once.notes).toContain(
      '`pop`: one value for each of 3 in `regions` with records, counted once each.',
    )
  })

  test('but lists of other kinds stay apart', () => {
    const another = { id: 1, items: ITEMS.map((login) => ({ login, team: 'x' })) }
    expect(fromValue({ orders: [...orders.slice(1), another] }).records()?.gathered).toBeUndefined()
  })
})

test('the lists of many pages are one list', () => {
  const page = (of: number) => ({
    results: Array.from({ length: 9 }, (_, id) => ({ id: of * 9 + id, name: 'x' })),
    fieldMask: 'id,name',
    nextPageToken: `t${of}`,
  })
  const pages = Array.from({ length: 6 }, (_, of) => page(of))
  expect(totalOf(pages)).toBe('54 records of 6 lists in $[*].results[*]')
  expect(fromValue(pages.map((one) => ({ ...one, owner: 'ann' }))).records()?.path).toBe('$')
  const orders = pages.map(({ results: items }, n) => ({ items, total: n, status: 'open', account: 'a' }))
  expect(fromValue(orders).records()?.path).toBe('$')
})

test('a list beside empty ones is that list', () => {
  const testResults = Array.from({ length: 9 }, (_, id) => ({ id, status: 'passed', duration: id }))
  expect(fromValue({ numTotalTests: 9, testResults, openHandles: [] }).records()?.path).toBe('$.testResults')
})

test('tables of many sets of tags are one table', () => {
  const table = (host: string) => ({
    name: 'cpu',
    tags: { host },
    columns: ['time', 'idle'],
    values: POINTS.map((hour) => [day(hour), hour]),
  })
  const sent = { results: [{ statement_id: 0, series: hosts(6).map(table) }] }
  expect(totalOf(sent)).toBe('144 points of 6 series in $.results[*].series')
  expect(ask(sent, { group_by: 'host', aggregate: 'max(idle)' }).rows).toHaveLength(6)
})

describe('records that hold a few points stay records', () => {
  const events = hosts(40).map((id) => ({
    id,
    event_times: POINTS.slice(0, 3).map(day),
    event_names: ['a', 'b', 'c'],
  }))
  const products = hosts(3).map((name, price) => ({
    name,
    price,
    prices: POINTS.slice(0, 4).map((hour) => [seconds(hour), hour]),
  }))
  test.each<[string, JsonValue]>([
    ['more than three series', matrix(4)],
    ['events of orders', events],
    ['products with a history', products],
    ['lists of one length without times', hosts(3).map((name) => ({ name, a: POINTS, b: POINTS }))],
  ])('%s', (_, given) => {
    expect(fromValue(given).records()?.gathered).toBeUndefined()
  })
})

describe('a question about many series', () => {
  const flat = flatOf(8)

  test('is about the series where it names what a series is', () => {
    expect(ask(matrix(8), { where: 'instance = web-3' }).rows).toHaveLength(1)
  })

  const detailed = hosts(8).map((host, of) => ({
    host,
    start: 1,
    end: 2,
    interval: 300,
    pointlist: POINTS.map((hour) => [seconds(hour) * 1000, load(hour, of)]),
  }))

  test('of which each has many numbers is about points where only these have the field', () => {
    for (const [path, named] of [
      [undefined, 'max(value)'],
      ['$[*].pointlist[*]', 'max(@[1])'],
    ] as const) {
      expect(ask(detailed, { path, aggregate: 'max(value)' }).rows).toEqual([{ [named]: 23 }])
      expect(ask(detailed, { path, where: ['value > 22'], aggregate: 'count' }).rows).toEqual([{ count: 8 }])
    }
    expect(
      ask(detailed, { path: '$[*].pointlist[*]', where: ['[1] > 22'], aggregate: 'count' }).rows,
    ).toEqual([{ count: 8 }])
    expect(ask(detailed, { where: ['end = 2'], aggregate: 'count' }).rows).toEqual([{ count: 8 }])
    const first = ask(detailed, { where: ['host = web-0'], aggregate: 'max(pointlist[3])' })
    expect(first.notes).toContain('`pointlist[3]` holds a time and a value: read as `pointlist[3][1]`.')
    expect(first.rows).toEqual([{ 'max(pointlist[3][1])': 21 }])
  })

  test('is about the points where it names their time', () => {
    const { rows, notes } = ask(matrix(8), { where: [`time >= ${seconds(12)}`, 'value > 20'] })
    expect(rows).toEqual(flat.filter(({ time, value }) => time >= seconds(12) && Number(value) > 20))
    expect(notes).toContain('Each of the 192 points of 8 series is a record here: `time`, `value`.')
  })

  test('is about the points where it says another word for their time', () => {
    expect(ask(matrix(8), { where: [`timestamp >= ${seconds(12)}`] }).rows).toHaveLength(96)
  })

  test('says how many points there are where it counts the series', () => {
    const told =
      'Each record is a series, of 192 points of 8 series in all. A condition on `time`, `value` is about the points.'
    const { rows, notes } = ask(matrix(8), { aggregate: 'count' })
    expect(rows).toEqual([{ count: 8 }])
    expect(notes).toContain(told)
    expect(ask(matrix(8), { group_by: 'instance' }).notes).toContain(told)
    expect(ask(matrix(8), { group_by: 'instance', aggregate: 'max(value)' }).notes).not.toContain(told)
  })

  test('has the means of the chosen points alone', () => {
    const asked = { where: `time < ${seconds(6)}`, group_by: 'instance', aggregate: 'avg(value)' }
    const rows = ask(matrix(8), asked).rows as Record<string, JsonValue>[]
    expect(rows).toHaveLength(8)
    for (const row of rows) {
      const own = flat.filter(
        ({ time, metric }) => time < seconds(6) && metric.instance === row['metric.instance'],
      )
      const mean = own.reduce((sum, { value }) => sum + Number(value), 0) / own.length
      expect(row['avg(value)']).toBeCloseTo(mean, 9)
    }
  })

  test('has the largest point first', () => {
    const [first] = ask(matrix(8), { sort: '-value', limit: 1 }).rows as Point[]
    expect(first?.value).toBe('23')
    expect(flat).toContainEqual(first)
  })
})

test('a path to the points is about the same records, and one to a single list about its elements', () => {
  const path = fromValue(matrix(3)).records()?.path
  const asked = { path, where: 'instance = web-1', aggregate: 'count' }
  expect(ask(matrix(3), asked).rows).toEqual([{ count: 24 }])
  expect(ask(matrix(3), { path: '$.data.result[1].values' }).rows[0]).toEqual([seconds(0), '5'])
  // Many series are records, and a path leads to their points.
  const many = { path: '$.data.result[*].values[*]', where: 'metric.instance = web-7', aggregate: 'count' }
  expect(ask(matrix(9), many).rows).toEqual([{ count: 24 }])
  const places = { path: '$.data.result[*].values[*]', where: '[1] = 23', aggregate: 'max([1])' }
  expect(ask(matrix(9), places)).toMatchObject({ rows: [{ 'max(value)': '23' }] })
})

test('the structure of points has no labels of their series', () => {
  const { document } = runPipeline(fromValue(matrix(9)), exploreSteps, {
    path: '$.data.result[*].values[*]',
  })
  expect([...document.rows().items].join('\n')).not.toContain('metric')
})

test('a path to the list of series is about the series, until a question names a time', () => {
  const asked = { path: 'data.result', fields: ['metric.instance', 'length(values)'] }
  expect(ask(matrix(2), asked).rows).toEqual([
    { 'metric.instance': 'web-0', 'length(values)': 24 },
    { 'metric.instance': 'web-1', 'length(values)': 24 },
  ])
  const timed = { path: 'data.result', where: `time < ${seconds(6)}`, aggregate: 'count' }
  expect(ask(matrix(2), timed).rows).toEqual([{ count: 12 }])
})

test('a place among the points is one of them, and SQL names the series', () => {
  expect(ask(matrix(3), { path: '[30]' }).rows).toEqual(flatOf(3).slice(30, 31))
  const statement = 'SELECT metric.instance, count(*) AS n FROM result GROUP BY metric.instance'
  const { params } = withStatement({ where: statement }, [{ handle: '', document: fromValue(matrix(3)) }])
  expect(ask(matrix(3), params).rows).toContainEqual({ 'metric.instance': 'web-1', n: 24 })
})

test('a search of records that were put together counts values, of which a row may have several', () => {
  const runs = ['a', 'b'].map((name) => ({
    name,
    jobs: Array.from({ length: 100 }, (_, id) => ({
      id,
      state: id % 2 === 0 ? 'lost' : 'done',
      was: 'lost',
    })),
  }))
  for (const [pattern, count] of [
    ['lost', 300],
    ['"was": "lost"', 200],
  ] as const) {
    const { steps } = runPipeline(fromValue({ runs }), searchSteps, searchParams.parse({ pattern }))
    expect(steps.find(({ name }) => name === 'grep')?.metadata.matched).toBe(count)
  }
})

test('a search finds a label once, not with each point', () => {
  const params = searchParams.parse({ pattern: 'web-1' })
  const { document } = runPipeline(fromValue(matrix(3)), searchSteps, params)
  expect(document.rows().items).toHaveLength(1)
})

test('a maximum says when it was, and of which series', () => {
  const { notes } = ask(matrix(2), { aggregate: 'max(value)' })
  expect(notes).toMatch(
    /the first \{"time":\d+,"value":"23","metric":\{"instance":"web-[01]","job":"node"\}\}/,
  )
})

test('every value of every list is in the points, whatever the names are', () => {
  const cell = fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.boolean())
  const name = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'time', 'Values', 'id'), fc.string())
  const lists = fc.dictionary(name, fc.array(cell, { minLength: 24, maxLength: 24 }), {
    minKeys: 1,
    maxKeys: 4,
    noNullPrototype: true,
  })
  const labels = fc.dictionary(name, fc.oneof(fc.string(), fc.integer()), {
    maxKeys: 3,
    noNullPrototype: true,
  })
  const held = (point: JsonValue | undefined, key: string): unknown =>
    Object.getOwnPropertyDescriptor(point, key)?.value
  let read = 0
  fc.assert(
    fc.property(lists, fc.array(labels, { minLength: 2, maxLength: 3 }), (columns, series) => {
      const beside = JSON.stringify({ timestamps: POINTS.map(day), ...columns }).slice(1)
      const given: JsonValue = deepFreeze(
        series.map((label) => JSON.parse(`${JSON.stringify({ ...label, _: 0 }).slice(0, -1)},${beside}`)),
      )
      if (fromValue(given).records()?.gathered === undefined) return
      read += 1
      const points = pointsOf(given)
      expect(points).toHaveLength(series.length * 24)
      for (const key of Object.keys(columns))
        expect(points.map((point) => held(point, key))).toEqual(series.flatMap(() => held(columns, key)))
    }),
  )
  expect(read).toBeGreaterThan(50)
})
