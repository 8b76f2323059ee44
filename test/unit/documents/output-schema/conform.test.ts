import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { formFor, frameFor, promisedBy, withText } from '../../../../src/documents/output-schema/conform.ts'
import { isObject, type JsonObject, type JsonValue } from '../../../../src/protocol/json.ts'
import { patience, runs } from '../../../support/runs.ts'
import { verifies } from '../../../support/verifies.ts'

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

/** The same schema with a field for a text at its top. */
function withField(schema: JsonObject): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {}
  return { ...schema, properties: { ...properties, content: { type: 'string' } } }
}

const at = ['content']

describe('what stands beside a preview', () => {
  verifies('S3.10', 'it fits the schema, without records that would look like all of them', () => {
    const schema = withField(issues)
    const value = {
      total: 1000,
      items: Array.from({ length: 1000 }, (_, i) => issueOf(i)),
      content: 'long',
    }
    const frame = frameFor(value, { schema, at }, 'the preview', 1000)
    expect(frame).toEqual({ total: 1000, items: [], content: '' })
    expect(validator(schema)(withText(frame ?? {}, at, 'the preview'))).toBe(true)
    expect(value.items).toHaveLength(1000)
  })

  test('the text need not be there, and the value may be missing', () => {
    const schema = withField({ type: 'object' })
    expect(frameFor(undefined, { schema, at }, 'p', 1000)).toEqual({ content: '' })
    expect(frameFor({ n: 1, content: 'x' }, { schema, at }, 'p', 1000)).toEqual({ content: '' })
  })

  test('required keys stay whatever the budget', () => {
    const schema = withField(issues)
    expect(frameFor({ total: 1, items: [issueOf(1)] }, { schema, at }, 'p', 10)).toBeUndefined()
  })

  test('enumerated, patterned and formatted strings are never cut, others say what is missing', () => {
    const long = 'a'.repeat(3000)
    for (const keyword of [
      { pattern: '^a+$' },
      { format: 'uri' },
      { minLength: 10 },
      { const: long },
      { enum: [long] },
    ]) {
      const schema = withField({ type: 'object', properties: { x: { type: 'string', ...keyword } } })
      expect(frameFor({ x: long }, { schema, at }, 'p', 1000)).toEqual({})
      expect(frameFor({ x: long }, { schema: { ...schema, required: ['x'] }, at }, 'p', 1000)).toBeUndefined()
    }
    const schema = withField({ type: 'object', properties: { x: { type: 'string' } }, required: ['x'] })
    expect(frameFor({ x: long }, { schema, at }, 'p', 1000)?.x).toContain('characters left out')
  })

  test('keeps minItems and takes a map for what it is', () => {
    const schema = withField({
      type: 'object',
      properties: { list: { type: 'array', minItems: 2, items: { type: 'string' } } },
      required: ['list'],
      additionalProperties: { type: 'number' },
    })
    const value: JsonObject = { list: Array.from({ length: 99 }, () => 'x'.repeat(999)) }
    for (let i = 0; i < 500; i++) value[`key ${i}`] = i
    const frame = frameFor(value, { schema, at }, 'p', 300)
    expect(validator(schema)(frame)).toBe(true)
    expect(frame?.list).toHaveLength(2)
  })

  test('a value that was never valid, and a schema that is none, give nothing', () => {
    expect(frameFor({ total: 'many' }, { schema: withField(issues), at }, 'p', 1000)).toBeUndefined()
    expect(frameFor({}, { schema: { type: 'no such type' }, at }, 'p', 1000)).toBeUndefined()
    expect(frameFor({}, { schema: { $async: true, type: 'object' }, at }, 'p', 1000)).toBeUndefined()
  })

  test('hostile names are data, and endless nesting is refused', () => {
    const hostile: JsonObject = JSON.parse('{"__proto__":"x","constructor":1}')
    const open = { type: 'object', required: ['__proto__', 'constructor', 'content'] }
    const frame = frameFor(hostile, { schema: open, at }, 'p', 200)
    expect(JSON.stringify(frame)).toBe('{"__proto__":"x","constructor":1,"content":""}')
    let deep: JsonValue = 'x'
    for (let i = 0; i < 100_000; i++) deep = [deep]
    const nested = { type: 'array', minItems: 1, items: { $ref: '#/properties/deep' } }
    const schema = { type: 'object', properties: { deep: nested }, required: ['deep'] }
    expect(frameFor({ deep }, { schema, at }, 'p', 1000)).toBeUndefined()
  })
})

describe('the form for a schema', () => {
  const text = { type: 'string' }
  const fields = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
    type: 'object',
    properties,
    ...more,
  })

  test.each<[string, JsonObject, readonly string[] | undefined]>([
    ['a text alone', fields({ anything: text }, { required: ['anything'] }), ['anything']],
    ['a text among others', fields({ name: text, content: text, rows: { type: 'array' } }), ['content']],
    [
      'a name among others is no place for a preview',
      fields({ name: text, rows: { type: 'array' } }),
      undefined,
    ],
    ['a text of one form', fields({ content: { type: 'string', pattern: 'a' } }), undefined],
    ['a text of limited length', fields({ content: { type: 'string', maxLength: 9000 } }), undefined],
    ['anything', fields({ content: {} }), undefined],
    ['no text', fields({ rows: { type: 'array' } }), undefined],
    ['nothing said', { type: 'object' }, undefined],
  ])('%s', (_, schema, expected) => {
    expect(formFor(schema).at).toEqual(expected)
  })

  test('without a place for a text, clients get the schema of the envelope, and references still lead where they did', () => {
    const tree = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: 'https://example.org/tree',
      type: 'object',
      properties: {
        self: { $ref: '#' },
        leaf: { $ref: '#/definitions/leaf' },
        data: { const: { $ref: '#/not/a/reference' } },
      },
      required: ['leaf'],
      definitions: { leaf: { type: 'integer' } },
    }
    const listed = promisedBy(formFor(tree))
    expect(listed).toMatchObject({ type: 'object', $schema: tree.$schema })
    const { $schema: _, ...rest } = listed
    const valid = validator(rest)
    expect(valid({ cache_id: 'd93c068c38eb', preview: '…' })).toBe(true)
    expect(valid({ leaf: 1, self: { leaf: 2 }, data: { $ref: '#/not/a/reference' } })).toBe(true)
    expect(valid({ leaf: 'x' })).toBe(false)
    expect(valid({ leaf: 1, self: {} })).toBe(false)
    expect(valid({ cache_id: 'd93c068c38eb' })).toBe(false)
  })

  test('a schema with a place for a text is listed as it came', () => {
    const schema = fields({ content: text })
    expect(promisedBy(formFor(schema))).toBe(schema)
  })
})

describe('a schema of which values can be made short', () => {
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
    expect(formFor(withField(schema)).at !== undefined).toBe(expected)
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

verifies(
  'S3.10',
  'what stands beside a preview validates and is within its budget, for any schema and value',
  () => {
    fc.assert(
      fc.property(pair, fc.integer({ min: 0, max: 3000 }), fc.string(), (one, budget, preview) => {
        const schema = withField({ type: 'object', properties: { x: one.schema }, required: ['x'] })
        const value = { x: one.value }
        const before = JSON.stringify(value)
        const frame = frameFor(value, { schema, at }, preview, budget)
        expect(JSON.stringify(value)).toBe(before)
        if (frame === undefined) return
        expect(JSON.stringify(frame).length).toBeLessThanOrEqual(budget)
        expect(validator(schema)(withText(frame, at, preview))).toBe(true)
      }),
      { numRuns: runs(50) },
    )
  },
)

test('a schema with a place for a preview takes one when there is room for what it requires', () => {
  fc.assert(
    fc.property(pair, (one) => {
      const schema = withField({ type: 'object', properties: { x: one.schema }, required: ['x'] })
      const form = formFor(schema)
      if (form.at !== undefined) expect(frameFor({ x: one.value }, form, 'p', 20_000)).toBeDefined()
    }),
    { numRuns: runs(50) },
  )
})
