import { expect, test } from 'vitest'
import { createEngine, ENGINE_DEFAULTS } from '../../../src/engine/pool.ts'
import { createProxyTools } from '../../../src/features/query-tools/index.ts'
import { lean } from '../../../src/features/retrieve/index.ts'
import { isObject, type JsonObject } from '../../../src/protocol/json.ts'
import { PROXY_TOOL_NAMES } from '../../../src/proxy/own-tools.ts'

const definitions = createProxyTools({
  engine: createEngine({ ...ENGINE_DEFAULTS, queryTimeout: 1000 }),
  keeper: undefined as never,
  call: async () => ({}),
  ownTools: PROXY_TOOL_NAMES,
  budget: 8000,
}).map(({ definition }) => definition)

const parametersOf = ({ inputSchema }: JsonObject): JsonObject =>
  isObject(inputSchema) && isObject(inputSchema.properties) ? inputSchema.properties : {}

test('our own tools are shorter, and name no parameter that they do not have', () => {
  expect(definitions.map(({ name }) => name)).toEqual([...PROXY_TOOL_NAMES])
  for (const definition of definitions) {
    const before = JSON.stringify(definition)
    const short = lean(definition)
    expect(JSON.stringify(short).length).toBeLessThan(0.8 * before.length)
    expect(short.name).toBe(definition.name)
    expect(Object.keys(parametersOf(definition))).toEqual(
      expect.arrayContaining(Object.keys(parametersOf(short))),
    )
    expect(Object.keys(parametersOf(short))).toContain('cache_id')
    expect(String(short.description)).not.toContain('fresh call')
    expect(JSON.stringify(definition)).toBe(before)
  }
})

test('a definition of somebody else stays the object it is', () => {
  const other = {
    name: 'files_read',
    title: 'Read',
    inputSchema: { type: 'object', properties: { tool: {} } },
  }
  expect(lean(other)).toBe(other)
  const odd = { name: 'proxy_filter', inputSchema: null }
  expect(lean(odd)).toBe(odd)
  expect(lean({ name: 'constructor', inputSchema: { properties: {} } })).toMatchObject({
    name: 'constructor',
  })
})
