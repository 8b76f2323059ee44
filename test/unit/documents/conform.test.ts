import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { canConform, conform } from '../../../src/documents/conform.ts'
import { isObject, type JsonObject, type JsonValue } from '../../../src/protocol/json.ts'
import { patience, runs } from '../../support/runs.ts'
import { verifies } from '../../support/verifies.ts'

// Hundreds of schemas are compiled, on machines that may be busy with other tests.
vi.setConfig({ testTimeout: patience(180_000) })

const issue: JsonObject = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    state: { enum: ['open', 'closed'] },
    title: { type: 'string' },
    created: { type: 'string', format: 'date-time' },
    url: { type: 'string', format: 'uri' },
    labels: { type: 'array', items: { type: 'string', pattern: '^[a-z]+$' } },
  },
  required: ['id', 'state', 'title', 'created'],
}

const issues: JsonObject = {
  type: 'object',
  properties: { total: { type: 'integer' }, items: { type: 'array', items: { $ref: '#/$defs/issue' } } },
  required: ['total', 'items'],
  additionalProperties: false,
  $defs: { issue },
}

function issueOf(id: number): JsonObject {
  return {
    id,
    state: id % 2 ? 'open' : 'closed',
    title: `Title ${id} `.repeat(90),
    created: '2026-01-02T03:04:05Z',
    url: `https://example.org/issues/${id}`,
    labels: ['bug', 'docs'],
  }
}

const validator = (schema: JsonObject) =>
  new Ajv2020({ strict: false, validateFormats: false, logger: false }).compile(schema)

describe('conform', () => {
  verifies('S3.10', 'a shortened list of records is still what the schema promises', () => {
    const value = { total: 1000, items: Array.from({ length: 1000 }, (_, i) => issueOf(i)) }
    const short = conform(value, issues, 2000)
    expect(validator(issues)(short)).toBe(true)
    expect(JSON.stringify(short).length).toBeLessThanOrEqual(2000)
    expect(short).toMatchObject({
      total: 1000,
      items: expect.arrayContaining([
        expect.objectContaining({ id: 0, url: 'https://example.org/issues/0' }),
      ]),
    })
    expect(JSON.stringify(short)).toContain('characters left out')
    expect(value.items).toHaveLength(1000)
  })

  test('required keys stay whatever the budget, optional ones leave before nothing is possible', () => {
    expect(conform({ total: 1, items: [issueOf(1)] }, issues, 30)).toEqual({ total: 1, items: [] })
    expect(conform({ total: 1, items: [issueOf(1)] }, issues, 10)).toBeUndefined()
  })

  test('enumerated, patterned and formatted strings are never cut', () => {
    const long = 'a'.repeat(3000)
    for (const keyword of [
      { pattern: '^a+$' },
      { format: 'uri' },
      { minLength: 10 },
      { const: long },
      { enum: [long] },
    ]) {
      const schema = { type: 'object', properties: { x: { type: 'string', ...keyword } } }
      expect(conform({ x: long }, schema, 1000)).toEqual({})
      expect(conform({ x: long }, { ...schema, required: ['x'] }, 1000)).toBeUndefined()
    }
  })

  test('keeps minItems and takes a map for what it is', () => {
    const schema = {
      type: 'object',
      properties: { list: { type: 'array', minItems: 2, items: { type: 'string' } } },
      required: ['list'],
      additionalProperties: { type: 'number' },
    }
    const value: JsonObject = { list: Array.from({ length: 99 }, () => 'x'.repeat(999)) }
    for (let i = 0; i < 500; i++) value[`key ${i}`] = i
    const short = conform(value, schema, 300)
    expect(validator(schema)(short)).toBe(true)
    expect(isObject(short) && short.list).toHaveLength(2)
  })

  test('a value that was never valid, and a schema that is none, give nothing', () => {
    expect(conform({ total: 'many' }, issues, 1000)).toBeUndefined()
    expect(conform({}, { type: 'no such type' }, 1000)).toBeUndefined()
    expect(conform({}, { $async: true, type: 'string' }, 1000)).toBeUndefined()
  })

  test('hostile names are data, and endless nesting is refused', () => {
    const hostile: JsonObject = JSON.parse('{"__proto__":{"polluted":"yes"},"constructor":1}')
    expect(JSON.stringify(conform(hostile, { type: 'object' }, 200))).toBe(JSON.stringify(hostile))
    let deep: JsonValue = 'x'
    for (let i = 0; i < 100_000; i++) deep = [deep]
    expect(conform({ deep }, { type: 'object' }, 1000)).toBeUndefined()
  })

  test('an older draft is read as what is common to all', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { a: { $ref: '#/definitions/a' } },
      definitions: { a: { type: 'string' } },
    }
    expect(canConform(schema)).toBe(true)
    expect(conform({ a: 'x'.repeat(5000) }, schema, 500)).toMatchObject({
      a: expect.stringContaining('left out'),
    })
  })
})

describe('canConform', () => {
  const object = (x: JsonValue, required = true): JsonObject => ({
    type: 'object',
    properties: { x },
    ...(required && { required: ['x'] }),
  })

  test.each<[string, JsonObject, boolean]>([
    ['records behind a reference', issues, true],
    ['anything at all', { type: 'object' }, true],
    ['a text', object({ type: 'string' }), true],
    ['a text with a pattern', object({ type: 'string', pattern: 'a' }), false],
    ['a text with a pattern that may be absent', object({ type: 'string', pattern: 'a' }, false), true],
    ['a text with a format of any length', object({ type: 'string', format: 'uri' }), false],
    ['a date', object({ type: 'string', format: 'date-time' }), true],
    ['one of a few words', object({ enum: ['a', 'b'] }), true],
    ['a short text', object({ type: 'string', pattern: 'a', maxLength: 40 }), true],
    ['a list of patterned texts', object({ type: 'array', items: { type: 'string', pattern: 'a' } }), true],
    [
      'at least one of them',
      object({ type: 'array', minItems: 1, items: { type: 'string', pattern: 'a' } }),
      false,
    ],
    ['at least one text', object({ type: 'array', minItems: 1, items: { type: 'string' } }), true],
    ['a text or nothing', object({ anyOf: [{ type: 'string' }, { type: 'null' }] }), true],
    [
      'a patterned text or nothing',
      object({ anyOf: [{ type: 'string', pattern: 'a' }, { type: 'null' }] }),
      false,
    ],
    ['a number', object({ type: ['number', 'null'], minimum: 1 }), true],
    ['itself', { ...object({ type: 'array', items: { $ref: '#' } }) }, true],
    ['itself without end', { ...object({ $ref: '#' }) }, false],
    ['a reference to elsewhere', object({ $ref: 'https://example.org/schema' }), false],
    ['a condition', { type: 'object', if: {}, else: { required: ['x'] } }, false],
    ['a keyword nobody knows', { type: 'object', sizeOf: 3 }, false],
    ['more keys than are required', { type: 'object', minProperties: 1 }, false],
  ])('%s: %#', (_, schema, expected) => {
    expect(canConform(schema)).toBe(expected)
  })
})

/** Schemas with a value that is valid by them. */
const { pair } = fc.letrec<{ pair: { schema: JsonObject; value: JsonValue } }>((tie) => ({
  pair: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.string({ maxLength: 300 }).map((value) => ({ schema: { type: 'string' }, value })),
    fc.string({ maxLength: 60 }).map((value) => ({ schema: { enum: [value, 'other'] }, value })),
    fc.integer().map((value) => ({ schema: { type: 'number' }, value })),
    fc.constantFrom<JsonValue>(null, true).map((value) => ({ schema: {}, value })),
    fc.record({ one: tie('pair'), count: fc.nat(40), min: fc.nat(2) }).map(({ one, count, min }) => ({
      schema: { type: 'array', items: one.schema, minItems: Math.min(min, count) },
      value: Array.from({ length: count }, () => one.value),
    })),
    fc
      .dictionary(fc.string({ maxLength: 8 }), fc.record({ one: tie('pair'), required: fc.boolean() }), {
        maxKeys: 6,
      })
      .map((fields) => {
        const names = Object.keys(fields)
        const pick = (part: 'schema' | 'value') =>
          Object.fromEntries(names.map((n) => [n, fields[n]?.one[part] ?? null]))
        return {
          schema: {
            type: 'object',
            properties: pick('schema') as JsonObject,
            required: names.filter((name) => fields[name]?.required),
            additionalProperties: false,
          },
          value: pick('value'),
        }
      }),
  ),
}))

verifies('S3.10', 'what conforms validates and is within its budget, for any schema and value', () => {
  fc.assert(
    fc.property(pair, fc.integer({ min: 0, max: 3000 }), ({ schema, value }, budget) => {
      const before = JSON.stringify(value)
      const short = conform(value, schema, budget)
      expect(JSON.stringify(value)).toBe(before)
      if (short === undefined) return
      expect(JSON.stringify(short).length).toBeLessThanOrEqual(budget)
      expect(validator(schema)(short)).toBe(true)
    }),
    { numRuns: runs(50) },
  )
})

test('a schema that can conform does so when there is room for what it requires', () => {
  fc.assert(
    fc.property(pair, ({ schema, value }) => {
      if (canConform(schema)) expect(conform(value, schema, 20_000)).toBeDefined()
    }),
    { numRuns: runs(50) },
  )
})
