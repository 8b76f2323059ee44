import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { signatureOf } from '../../../src/discovery/signature.ts'
import type { JsonValue } from '../../../src/protocol/json.ts'
import { verifies } from '../../support/verifies.ts'

const object = (properties: Record<string, JsonValue>, required: string[] = []): JsonValue => ({
  type: 'object',
  properties,
  required,
})

describe('signature of a tool', () => {
  verifies('S1.9', 'tells types, what is required, defaults and allowed values', () => {
    const schema = object(
      { mode: { enum: ['a', 'b'] }, depth: { type: 'integer', default: 3 }, path: { type: 'string' } },
      ['path'],
    )
    expect(signatureOf('read', schema)).toBe('read(path: string, mode?: "a"|"b", depth?: integer = 3)')
  })

  test('nested objects, lists, maps and unions', () => {
    const schema = object(
      {
        edits: {
          type: 'array',
          items: object({ from: { type: 'string' }, all: { type: 'boolean' } }, ['from']),
        },
        env: { type: 'object', additionalProperties: { type: 'string' } },
        id: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
        ids: { type: 'array', items: { type: ['string', 'integer'] } },
      },
      ['edits', 'id'],
    )
    expect(signatureOf('edit', schema)).toBe(
      'edit(edits: {from: string, all?: boolean}[], id: string|integer, env?: {[key]: string}, ids?: (string|integer)[])',
    )
  })

  test('null says nothing where a parameter may be left out, and something where it may not', () => {
    const either = { anyOf: [{ type: 'string' }, { type: 'null' }], default: null }
    expect(signatureOf('a', object({ x: either }))).toBe('a(x?: string)')
    expect(signatureOf('a', object({ x: either }, ['x']))).toBe('a(x: string|null)')
    expect(signatureOf('a', object({ x: { type: ['string', 'null'] } }))).toBe('a(x?: string)')
  })

  test('local references are followed; circles end', () => {
    const schema = {
      type: 'object',
      properties: { tree: { $ref: '#/$defs/Node' }, loop: { $ref: '#/$defs/Loop' } },
      $defs: {
        Node: {
          type: 'object',
          properties: { name: { type: 'string' }, kids: { type: 'array', items: { $ref: '#/$defs/Node' } } },
        },
        Loop: { $ref: '#/$defs/Loop' },
      },
    }
    expect(signatureOf('a', schema)).toBe(
      'a(tree?: {name?: string, kids?: {name?: string, kids?: {name?: string, kids?: object[]}[]}[]}, loop?: any)',
    )
  })

  test('no schema, no properties, an empty list of values', () => {
    expect(signatureOf('a', undefined)).toBe('a()')
    expect(signatureOf('a', { type: 'object' })).toBe('a()')
    expect(signatureOf('a', object({ x: { enum: [] } }))).toBe('a(x?: any)')
  })

  test('too long: optional parameters go, required ones are named', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`parameter${at}`, { type: 'string' }]),
    )
    const signature = signatureOf('a', object(properties, ['parameter39']), 100)
    expect(signature.length).toBeLessThanOrEqual(120)
    expect(signature).toMatch(/^a\(parameter39: string, parameter0\?: string, .*, …3\d more\)$/)
    const needed = signatureOf('a', object(properties, ['parameter1', 'parameter38', 'parameter39']), 30)
    for (const name of ['parameter1', 'parameter38', 'parameter39']) expect(needed).toContain(name)
  })

  test('hundreds of allowed values and names that are no identifiers stay short', () => {
    const values = Array.from({ length: 5_000 }, (_, at) => `value${at}`)
    expect(signatureOf('a', object({ x: { enum: values } })).length).toBeLessThan(150)
    expect(signatureOf('a', object({ 'x y': { type: 'string' }, 'b)': {} }))).toBe(
      'a("x y"?: string, "b)"?: any)',
    )
    expect(signatureOf('a', object(JSON.parse('{"__proto__":{"type":"string"}}')))).toBe(
      'a(__proto__?: string)',
    )
  })

  const keyword = fc.constantFrom(
    'type',
    'properties',
    'required',
    'items',
    'anyOf',
    'allOf',
    '$ref',
    'enum',
    'const',
    'default',
  )
  const { schema } = fc.letrec<{ schema: JsonValue }>((tie) => ({
    schema: fc.oneof(
      { depthSize: 'medium' },
      fc.constantFrom<JsonValue>('object', 'string', 'array', '#', '#/properties', '#/items', null, 3),
      fc.array(tie('schema'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(keyword, fc.string()), tie('schema'), { maxKeys: 5, noNullPrototype: true }),
    ) as fc.Arbitrary<JsonValue>,
  }))

  test('whatever the schema, a bounded line', () => {
    fc.assert(
      fc.property(fc.string(), schema, (name, given) => {
        const signature = signatureOf(name, given, 300)
        expect(signature.length).toBeLessThanOrEqual(4 * 300 + 400)
        expect(signature).toMatch(/\)$/)
      }),
    )
  })

  test('schemas that refer to themselves many times end soon', () => {
    const itself = { $ref: '#' }
    const wide = {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`p${at}`, itself])),
    }
    expect(signatureOf('a', wide).length).toBeLessThan(1_000)
    const union = { anyOf: Array.from({ length: 8 }, () => itself), properties: { x: itself } }
    expect(signatureOf('a', union).length).toBeLessThan(1_000)
    const list = { type: 'array', items: itself, properties: { x: itself } }
    expect(signatureOf('a', list).length).toBeLessThan(1_000)
  })
})
