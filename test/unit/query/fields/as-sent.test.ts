import { describe, expect, test } from 'vitest'
import { fromValue } from '../../../../src/documents/opening/derive.ts'
import { runPipeline } from '../../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../../src/processors/pipelines.ts'
import type { JsonObject, JsonValue } from '../../../../src/protocol/json.ts'

const numbers = Array.from({ length: 12 }, (_, n) => n * 2)
const times = numbers.map((n) => `t${n}`)
const forecast = { units: { time: 'iso', temp: 'C' }, hourly: { time: times, temp: numbers } }
const rows = numbers.map((n) => [n, `n${n}`, n > 10])
const table = { columns: ['id', 'name', 'big'], rows }
const list = { items: numbers.map((n) => ({ id: n, name: `n${n}`, tags: ['a', 'b'] })) }

function asked(
  value: JsonValue,
  params: JsonObject,
): { rows: readonly JsonValue[]; error: string | undefined; notes: string } {
  const { document, steps, error } = runPipeline(fromValue(value), filterSteps, params)
  return {
    rows: document.rows().items,
    error,
    notes: steps.flatMap(({ metadata }) => metadata.notes ?? []).join('\n'),
  }
}

describe('lists for columns are asked as they were sent, and as records', () => {
  test.each<[JsonObject, JsonValue[]]>([
    [{ path: '$.hourly.temp[3]' }, [6]],
    [{ path: 'hourly.temp[-1]' }, [22]],
    [{ path: 'hourly["temp"][3]' }, [6]],
    [{ path: 'hourly.temp.3' }, [6]],
    [{ path: '$.hourly[3].temp' }, [6]],
    [{ path: '$.hourly.time[0:2]' }, ['t0', 't2']],
    [{ path: '$.hourly.temp[*]', aggregate: 'sum' }, [{ 'sum(value)': 132 }]],
    [{ path: '$.hourly.temp', aggregate: 'sum' }, [{ 'sum(value)': 132 }]],
    [{ path: '$.hourly.temp[?@ > 18]' }, [20, 22]],
    [{ path: 'hourly', where: 'temp > 18', fields: ['time'] }, [{ time: 't20' }, { time: 't22' }]],
    [{ where: 'temp > 18', fields: ['time'] }, [{ time: 't20' }, { time: 't22' }]],
    [{ fields: ['time'], limit: 1, sort: '-temp', where: 'hourly.temp >= 22' }, [{ time: 't22' }]],
    [{ path: '$.units.temp' }, ['C']],
  ])('%j', (params, expected) => {
    const answer = asked(forecast, params)
    expect(answer.error).toBeUndefined()
    expect(answer.rows).toEqual(expected)
  })
})

test.each<[string, JsonValue[]]>([
  ['$.rows[3][1]', ['n6']],
  ['rows[0:2][1]', ['n0', 'n2']],
  ['rows[-1][-1]', [true]],
  ['rows[3].name', ['n6']],
])('rows of lists under names: %s', (path, expected) => {
  expect(asked(table, { path })).toMatchObject({ error: undefined, rows: expected })
})

test('a place after the name of a single value is that of its element, and said to be', () => {
  expect(asked(list, { path: 'items.name[1]' })).toEqual({
    error: undefined,
    rows: ['n2'],
    notes: '`items.name[1]` read as `items[1].name`.',
  })
  expect(asked(list, { path: 'items.name[0:2]' }).rows).toEqual(['n0', 'n2'])
  expect(asked(list, { path: 'items.tags[0]' }).rows).toEqual(numbers.map(() => 'a'))
  expect(asked(list, { path: 'items[1].name[0:1]' }).rows).toEqual(['n'])
})

test('every cell is where it was sent', () => {
  for (const [at, temp] of numbers.entries()) {
    expect(asked(forecast, { path: `$.hourly.temp[${at}]` }).rows).toEqual([temp])
    expect(asked(table, { path: `$.rows[${at}][0]` }).rows).toEqual([temp])
  }
})

test('lists for columns that are each in a list of one are asked as they were sent', () => {
  const store = { ids: [['a', 'b']], distances: [[0.5, 0.7]], included: ['distances'] }
  for (const [path, found] of [
    ['distances[0][1]', [0.7]],
    ['$.ids[0]', ['a', 'b']],
    ['distances', [0.5, 0.7]],
  ] as const)
    expect(asked(store, { path }).rows).toEqual(found)
})
