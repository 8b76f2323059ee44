import { describe, expect, test } from 'vitest'
import { fromValue } from '../../../src/documents/opening/derive.ts'
import { filterParams } from '../../../src/processors/parameters.ts'
import { runPipeline } from '../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../src/processors/pipelines.ts'
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts'

const ask = (value: JsonValue, params: JsonObject) => {
  const { document, error } = runPipeline(fromValue(value), filterSteps, filterParams.parse(params))
  expect(error).toBeUndefined()
  return document.rows().items as JsonObject[]
}

describe('processors as Kubernetes writes them', () => {
  const pods = ['250m', '1', '1500m', '2', '500m', '0'].map((cpu, nth) => ({
    id: nth,
    cpu,
    memory: ['512Mi', '1Gi', '900Ki', '128974848', '2Gi', '0'][nth] ?? '',
  }))
  const ids = (params: JsonObject) => ask(pods, params).map(({ id }) => id)

  test('thousandths and whole ones compare, sort and sum as one', () => {
    expect(ids({ sort: 'cpu' })).toEqual([5, 0, 4, 1, 2, 3])
    expect(ids({ where: 'cpu > 1' })).toEqual([2, 3])
    expect(ids({ where: 'cpu <= 500m' })).toEqual([0, 4, 5])
    expect(ids({ where: 'cpu = 0.5' })).toEqual([4])
    expect(ids({ where: 'cpu = 1000m' })).toEqual([1])
    expect(ask(pods, { aggregate: ['sum(cpu)', 'max(cpu)', 'min(cpu)'] })).toEqual([
      { 'sum(cpu)': 5.25, 'max(cpu)': '2', 'min(cpu)': '0' },
    ])
  })

  test('numbers of YAML are among them', () => {
    const mixed = [{ cpu: '250m' }, { cpu: 1 }, { cpu: '1500m' }]
    expect(ask(mixed, { sort: '-cpu' }).map(({ cpu }) => cpu)).toEqual(['1500m', 1, '250m'])
    expect(ask(mixed, { where: 'cpu >= 1' })).toEqual([{ cpu: 1 }, { cpu: '1500m' }])
    expect(ask(mixed, { aggregate: 'sum(cpu)' })).toEqual([{ 'sum(cpu)': 2.75 }])
  })

  test('thousandths alone are processors where their name says so, and times elsewhere', () => {
    const all = ['250m', '1500m'].map((one) => ({ requests: { cpu: one }, age: one }))
    expect(ask(all, { where: 'requests.cpu >= 1', fields: ['age'] })).toEqual([{ age: '1500m' }])
    expect(ask(all, { aggregate: 'sum(requests.cpu)' })).toEqual([{ 'sum(requests.cpu)': 1.75 }])
    expect(ask(all, { where: 'age > 5h', fields: ['age'] })).toEqual([{ age: '1500m' }])
  })

  test('memory in several units, and in bytes', () => {
    expect(ids({ sort: '-memory' })).toEqual([4, 1, 0, 3, 2, 5])
    expect(ids({ where: 'memory > 1000Mi' })).toEqual([1, 4])
    expect(ask(pods, { aggregate: 'sum(memory)' })).toEqual([
      { 'sum(memory)': 3 * 2 ** 30 + 512 * 2 ** 20 + 900 * 1024 + 128974848 },
    ])
  })
})
