import { expect, test } from 'vitest'
import { fromValue } from '../../../../src/documents/opening/derive.ts'
import { overviewOfData } from '../../../../src/documents/overview/records.ts'
import { filterParams, searchParams } from '../../../../src/processors/parameters.ts'
import { runPipeline } from '../../../../src/processors/pipeline.ts'
import { filterSteps, searchSteps } from '../../../../src/processors/pipelines.ts'
import type { JsonValue } from '../../../../src/protocol/json.ts'

const METHODS = ['get', 'post', 'put', 'delete', 'patch']
const things = Array.from({ length: 20 }, (_, thing) => thing)
const paths = Object.fromEntries(
  things.map((thing) => [
    `/v1/thing${thing}`,
    {
      parameters: [{ name: 'id', in: 'path' }],
      ...Object.fromEntries(
        METHODS.filter((_, nth) => (thing + nth) % 3 === 0).map((method) => [
          method,
          { operationId: `${method}Thing${thing}`, summary: `Thing ${thing}`, tags: [`t${thing % 4}`] },
        ]),
      ),
    },
  ]),
)
const schemas = Object.fromEntries(things.map((thing) => [`Schema${thing}`, { type: 'object', title: 'x' }]))
const api: JsonValue = { openapi: '3.1.0', info: { title: 'Things' }, paths, components: { schemas } }

function ask(params: Record<string, unknown>, value = api): readonly JsonValue[] {
  const { document, error } = runPipeline(fromValue(value), filterSteps, filterParams.parse(params))
  expect(error).toBeUndefined()
  return document.rows().items
}

test('the operations of an interface are records, with their method and path', () => {
  expect(overviewOfData(fromValue(api)).totals).toEqual(['33 operations of 20 paths in $.paths'])
  expect(ask({ where: 'method = delete', aggregate: 'count' })).toEqual([{ count: 7 }])
  expect(ask({ where: 'path = /v1/thing4 and method = put' })).toEqual([
    { method: 'put', path: '/v1/thing4', operationId: 'putThing4', summary: 'Thing 4', tags: ['t0'] },
  ])
  expect(ask({ where: 'tags has t1' })).toHaveLength(8)
})

test('also where the document is all that another one holds', () => {
  expect(ask({ where: 'method = delete', aggregate: 'count' }, { spec: api })).toEqual([{ count: 7 }])
})

test('a question that names a method before a field is about the paths', () => {
  expect(ask({ where: 'post.tags has t2', fields: ['_key'] })).toEqual([
    { _key: '/v1/thing2' },
    { _key: '/v1/thing14' },
  ])
})

test('a hit is told once, with its path', () => {
  const params = searchParams.parse({ pattern: 'putThing4' })
  const { document } = runPipeline(fromValue(api), searchSteps, params)
  expect(document.rows().items).toEqual([
    expect.objectContaining({ at: '$.paths["/v1/thing4"]', match: { 'put.operationId': 'putThing4' } }),
  ])
})

test('other documents with paths keep their records', () => {
  expect(fromValue({ paths }).records()?.gathered).toBeUndefined()
  expect(fromValue({ openapi: '3.1.0', paths: {} }).records()?.gathered).toBeUndefined()
})
