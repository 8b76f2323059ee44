import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, test } from 'vitest'
import type { Engine } from '../../../src/engine/contract.ts'
import { createProxyTools } from '../../../src/features/query-tools/index.ts'
import { isObject } from '../../../src/protocol/json.ts'
import { INSTRUCTIONS } from '../../../src/proxy/instructions.ts'
import { PROXY_TOOL_NAMES } from '../../../src/proxy/own-tools.ts'
import type { Keeper } from '../../../src/store/result-store.ts'
import { verifies } from '../../support/verifies.ts'

const tools = createProxyTools({
  keeper: {} as Keeper,
  engine: {} as Engine,
  budget: 8000,
  ownTools: PROXY_TOOL_NAMES,
  call: () => Promise.reject(new Error('nothing is called')),
})

/** What every conversation pays before the first question. */
const CEILING = 1100

test('instructions and definitions stay cheap', () => {
  // Clients read `_meta` and annotations themselves: no model is shown them.
  const shown = tools.map(({ definition: { annotations: _, _meta, ...rest } }) => JSON.stringify(rest))
  const costs = [INSTRUCTIONS, ...shown].map((text) => encode(text).length)
  expect(costs.reduce((sum, cost) => sum + cost, 0)).toBeLessThanOrEqual(CEILING)
})

verifies('S3.4', 'every parameter has a plain type, and every list says of what', () => {
  for (const { definition } of tools) {
    const { inputSchema } = definition
    const properties = isObject(inputSchema) && isObject(inputSchema.properties) ? inputSchema.properties : {}
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(['cache_id', 'tool', 'arguments', 'path']))
    for (const [name, schema] of Object.entries(properties)) {
      expect(schema).toMatchObject({
        type: expect.stringMatching(/^(?:string|integer|number|boolean|array|object)$/),
      })
      if (isObject(schema) && schema.type === 'array') expect(schema.items).toEqual({ type: 'string' })
      if (isObject(schema) && schema.type === 'object')
        expect([name, schema]).toEqual(['arguments', { type: 'object', additionalProperties: true }])
      expect(schema).not.toHaveProperty('description', '')
    }
  }
})

verifies('S3.5', 'instructions and descriptions are under 2 KB, and name what they are about', () => {
  expect(INSTRUCTIONS.length).toBeLessThan(2000)
  for (const name of PROXY_TOOL_NAMES) expect(INSTRUCTIONS).toContain(name)
  for (const { definition } of tools) {
    expect(String(definition.description).length).toBeLessThan(2000)
    expect(definition.description).toContain('cache_id')
  }
})

test('what one tool leaves unexplained is explained by another', () => {
  const explained = new Set<string>()
  for (const { definition } of tools) {
    const { inputSchema } = definition
    for (const [name, schema] of Object.entries(
      isObject(inputSchema) && isObject(inputSchema.properties) ? inputSchema.properties : {},
    ))
      if (isObject(schema) && (schema.description || schema.enum)) explained.add(name)
  }
  for (const name of [
    'cache_id',
    'tool',
    'path',
    'fields',
    'where',
    'group_by',
    'aggregate',
    'sort',
    'pattern',
    'mode',
  ])
    expect(explained).toContain(name)
})
