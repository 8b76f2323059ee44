import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RpcError } from '../../../src/protocol/errors.ts'
import {
  buildParamHeaders,
  decodeHeaderValue,
  encodeHeaderValue,
  nameOf,
  scanParamHeaders,
  validateParamHeaders,
} from '../../../src/protocol/headers.ts'
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts'
import { runs } from '../../support/runs.ts'

/** Every code point but halves of surrogate pairs, which UTF-8 cannot say. */
const wellFormed = fc.string({ unit: 'binary' })
const property = (name: JsonValue, type: JsonValue = 'string'): JsonObject => ({ type, 'x-mcp-header': name })
const schemaOf = (properties: JsonObject): JsonObject => ({ type: 'object', properties })

/** `headers` as a server sees them. */
const reader =
  (headers: Readonly<Record<string, string>>) =>
  (name: string): string | undefined =>
    Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]

describe('values', () => {
  test('come back as they were, whatever they are', () => {
    fc.assert(
      fc.property(wellFormed, (text) => {
        const sent = encodeHeaderValue(text)
        expect(sent).toMatch(/^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/)
        expect(decodeHeaderValue(sent)).toBe(text)
      }),
      { numRuns: runs(500) },
    )
  })

  test.each([
    ['read_file', 'read_file'],
    ['a b\tc', 'a b\tc'],
    ['', '=?base64??='],
    [' padded', '=?base64?IHBhZGRlZA==?='],
    ['über', '=?base64?w7xiZXI=?='],
    ['a\r\nX: 1', '=?base64?YQ0KWDogMQ==?='],
    ['=?base64?YQ==?=', '=?base64?PT9iYXNlNjQ/WVE9PT89?='],
    ['=?base64?=', '=?base64?PT9iYXNlNjQ/PQ==?='],
    ['\u{feff}x', '=?base64?77u/eA==?='],
  ])('%j is sent as %j', (value, sent) => {
    expect(encodeHeaderValue(value)).toBe(sent)
    expect(decodeHeaderValue(sent)).toBe(value)
  })

  test.each(['=?base64?YQ?=', '=?base64?Y Q==?=', '=?base64?/w==?=', '=?base64?=', '=?base64?YR==?='])(
    '%j is refused',
    (sent) => expect(decodeHeaderValue(sent)).toBeUndefined(),
  )
})

describe('annotations', () => {
  test('are found at any depth below properties', () => {
    const inner = schemaOf({ __proto__: property('No'), b: property('B', 'integer') })
    const schema = schemaOf({ a: property('A'), deep: inner, plain: { type: 'string' } })
    expect(scanParamHeaders(schema)).toEqual({
      declared: [
        { path: ['a'], name: 'A', type: 'string' },
        { path: ['deep', 'b'], name: 'B', type: 'integer' },
      ],
    })
  })

  test.each<[string, JsonObject]>([
    ['at the root', { 'x-mcp-header': 'A', type: 'string' }],
    ['under items', schemaOf({ list: { type: 'array', items: property('A') } })],
    ['under anyOf', schemaOf({ x: { anyOf: [property('A')] } })],
    ['in properties under allOf', { allOf: [schemaOf({ x: property('A') })] }],
    ['in definitions', { $defs: { one: property('A') } }],
    ['that is empty', schemaOf({ x: property('') })],
    ['that is no string', schemaOf({ x: property(7) })],
    ['with a line break', schemaOf({ x: property('A\r\nB') })],
    ['on an object', schemaOf({ x: property('A', 'object') })],
    ['on several types', schemaOf({ x: property('A', ['string', 'null']) })],
    ['on a number', schemaOf({ x: property('A', 'number') })],
    ['used twice', schemaOf({ x: property('A'), y: property('a') })],
  ])('%s make the tool invalid', (_, schema) => {
    expect(scanParamHeaders(schema).reason).toMatch(/x-mcp-header/)
  })

  test('a schema of any depth and breadth is walked to its end', () => {
    let schema: JsonObject = property('A')
    for (let i = 0; i < 100_000; i++) schema = schemaOf({ p: schema })
    expect(scanParamHeaders(schema).reason).toMatch(/levels deep/)
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`p${i}`, property(`P${i}`)]))
    expect(scanParamHeaders(schemaOf(many)).reason).toMatch(/times/)
  })

  test('whatever a server calls a schema does not throw', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (schema) => {
        expect(scanParamHeaders(schema as JsonValue).declared).toEqual([])
      }),
    )
  })
})

describe('headers and body', () => {
  const schema = schemaOf({
    text: property('Text'),
    count: property('Count', 'integer'),
    flag: property('Flag', 'boolean'),
    ratio: property('Ratio', 'number'),
    in: schemaOf({ side: property('Side') }),
  })
  const { declared } = scanParamHeaders(schema)

  test('values become headers', () => {
    expect(buildParamHeaders(declared, { text: 'ü', count: -3, flag: false, in: { side: 'x' } })).toEqual({
      'Mcp-Param-Text': '=?base64?w7w=?=',
      'Mcp-Param-Count': '-3',
      'Mcp-Param-Flag': 'false',
      'Mcp-Param-Side': 'x',
    })
    expect(buildParamHeaders(declared, { text: null, count: 2 ** 60, flag: {}, in: 'side' })).toEqual({})
    expect(buildParamHeaders(declared, undefined)).toEqual({})
  })

  test('what was built is valid', () => {
    const args = fc.record(
      {
        text: wellFormed,
        count: fc.oneof(fc.integer(), fc.double()),
        flag: fc.boolean(),
        ratio: fc.oneof(fc.double(), wellFormed),
        in: fc.oneof(fc.record({ side: wellFormed }), fc.constant(null)),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(args, (value) => {
        const headers = buildParamHeaders(declared, value as JsonObject)
        expect(validateParamHeaders(schema, value as JsonObject, reader(headers))).toBeUndefined()
      }),
    )
  })

  test.each<[string, JsonObject, Record<string, string>]>([
    ['a missing header', { text: 'a' }, {}],
    ['another value', { text: 'a' }, { 'Mcp-Param-Text': 'b' }],
    ['bad Base64', { text: 'a' }, { 'Mcp-Param-Text': '=?base64?YQ?=' }],
    ['another number', { count: 42 }, { 'Mcp-Param-Count': '43' }],
    ['a number in no decimal notation', { count: 42 }, { 'Mcp-Param-Count': '0x2a' }],
    ['a number annotated against the rules', { ratio: 0.5 }, { 'Mcp-Param-Ratio': '0.6' }],
  ])('%s is refused', (_, args, headers) => {
    const error = validateParamHeaders(schema, args, reader(headers))
    expect(error).toBeInstanceOf(RpcError)
    expect(error?.code).toBe(-32020)
  })

  test.each<[string, JsonObject, Record<string, string>]>([
    ['another spelling of the number', { count: 42 }, { 'Mcp-Param-Count': '42.0' }],
    ['a header without a value', {}, { 'Mcp-Param-Text': 'whatever' }],
    ['Base64 where none was needed', { text: 'a' }, { 'Mcp-Param-Text': '=?base64?YQ==?=' }],
    ['another case of the name', { text: 'a' }, { 'mcp-param-TEXT': 'a' }],
  ])('%s passes', (_, args, headers) => {
    expect(validateParamHeaders(schema, args, reader(headers))).toBeUndefined()
  })
})

test('Mcp-Name repeats what the request is about', () => {
  expect(nameOf('tools/call', { name: 'read' })).toBe('read')
  expect(nameOf('prompts/get', { name: 'greet' })).toBe('greet')
  expect(nameOf('resources/read', { uri: 'a://b' })).toBe('a://b')
  expect(nameOf('tasks/get', { taskId: '7' })).toBe('7')
  expect(nameOf('tools/list', { name: 'read' })).toBeUndefined()
  expect(nameOf('tools/call', { name: 7 })).toBeUndefined()
  expect(nameOf('constructor', {})).toBeUndefined()
})
