import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hashTool } from '../../../../src/discovery/catalogue/catalogue.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { verifies } from '../../../support/verifies.ts'

describe('hash of a tool', () => {
  verifies('S1.23', 'is SHA-256 of name||description||parameters with sorted keys', () => {
    const vectors: [JsonObject, string][] = [
      [{ name: 'ping' }, 'ping||||{}'],
      [
        { name: 'add', description: 'Adds.', inputSchema: { type: 'object' } },
        'add||Adds.||{"type":"object"}',
      ],
      [
        {
          name: 'read',
          description: 'Liest "ä"\n',
          inputSchema: {
            type: 'object',
            required: ['b', 'a'],
            properties: { b: { default: null }, a: { minimum: 1.5 } },
          },
        },
        'read||Liest "ä"\n||{"properties":{"a":{"minimum":1.5},"b":{"default":null}},"required":["b","a"],"type":"object"}',
      ],
    ]
    for (const [definition, hashed] of vectors)
      expect(hashTool(definition)).toBe(createHash('sha256').update(hashed).digest('hex'))
    expect(hashTool({ name: 'ping' })).toBe(
      'ab780c99891c5866901b90c320046a2b2a912d93a190ed6a23f4c6d6ad2d37d6',
    )
  })

  verifies('S1.23', 'the order of keys does not matter, that of lists does', () => {
    const turned = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(turned)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .reverse()
                .map(([key, each]) => [key, turned(each)]),
            )
          : value
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }), (schema) => {
        const inputSchema = JSON.parse(JSON.stringify(schema))
        const other = turned(inputSchema) as JsonObject
        expect(hashTool({ name: 'a', inputSchema: other })).toBe(hashTool({ name: 'a', inputSchema }))
      }),
    )
    expect(hashTool({ name: 'a', inputSchema: { required: ['a', 'b'] } })).not.toBe(
      hashTool({ name: 'a', inputSchema: { required: ['b', 'a'] } }),
    )
  })

  verifies('S1.24', 'each part changes it, and what no search sees does not', () => {
    const tool = { name: 'a', description: 'b', inputSchema: { type: 'object' } }
    const same = hashTool(tool)
    expect(hashTool({ ...tool, annotations: { readOnlyHint: true } })).toBe(same)
    expect(hashTool({ ...tool, name: 'c' })).not.toBe(same)
    expect(hashTool({ ...tool, description: 'c' })).not.toBe(same)
    expect(hashTool({ ...tool, inputSchema: { type: 'object', title: 'c' } })).not.toBe(same)
  })

  test('whatever the parameters are, they are written as JSON with sorted keys', () => {
    const written = (value: unknown): string => {
      if (Array.isArray(value)) return `[${value.map(written).join(',')}]`
      if (typeof value !== 'object' || value === null) return JSON.stringify(value)
      const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
      return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${written(each)}`).join(',')}}`
    }
    fc.assert(
      fc.property(fc.jsonValue(), (given) => {
        const inputSchema = JSON.parse(JSON.stringify(given)) ?? {}
        const text = `a||||${written(inputSchema)}`
        expect(hashTool({ name: 'a', inputSchema })).toBe(createHash('sha256').update(text).digest('hex'))
      }),
    )
  })

  test('a schema with more keys or values than a call has room for is hashed', () => {
    const keys = Array.from({ length: 300_000 }, (_, at) => `p${at}`)
    const properties = Object.fromEntries(keys.map((key) => [key, 1]))
    const same = hashTool({ name: 'a', inputSchema: { properties, required: keys } })
    const last = { ...properties, p299999: 2 }
    expect(hashTool({ name: 'a', inputSchema: { properties: last, required: keys } })).not.toBe(same)
  })

  test('a schema deeper than the stack and a key called __proto__ are hashed', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`)
    expect(hashTool({ name: 'a', inputSchema: deep })).toMatch(/^[0-9a-f]{64}$/)
    expect(hashTool({ name: 'a', inputSchema: JSON.parse('{"__proto__":{"x":1}}') })).not.toBe(
      hashTool({ name: 'a', inputSchema: {} }),
    )
  })
})
