import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { faultsOf } from '../../../src/engine/schema-check.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'

const schema: JsonObject = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: {
    path: { type: 'string' },
    depth: { type: 'integer', minimum: 1 },
    mode: { enum: ['a', 'b'] },
    at: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
  },
  required: ['path'],
}

describe('arguments that are not what the schema asks for', () => {
  test.each([
    [{ path: 'x' }, []],
    [{ path: 'x', depth: 3, mode: 'b', at: { x: 1.5 } }, []],
    [{}, ['path is missing']],
    [{ pth: 'x' }, ['path is missing', 'there is no pth (did you mean path?)']],
    [{ path: 5 }, ['path must be string (got 5)']],
    [{ path: 'x', depth: 'three' }, ['depth must be integer (got "three")']],
    [{ path: 'x', mode: 'c' }, ['mode must be one of "a", "b" (got "c")']],
    [{ path: 'x', at: {} }, ['at.x is missing']],
    [{ path: 'x', at: { x: '1' } }, ['at.x must be number (got "1")']],
  ])('%j: %j', (args, faults) => {
    expect(faultsOf(args as JsonObject, schema)).toEqual(faults)
  })

  test('a name that a strict schema does not know is told with the one that is near', () => {
    expect(faultsOf({ path: 'x', dept: 1 }, { ...schema, additionalProperties: false })).toEqual([
      'there is no dept (did you mean depth?)',
    ])
  })

  test('a name that the schema leaves free is a fault only beside another', () => {
    expect(faultsOf({ path: 'x', colour: 'red' }, schema)).toEqual([])
  })

  test('reports a few problems, however many there are', () => {
    const args = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`p${n}`, 1]))
    expect(faultsOf(args, { ...schema, additionalProperties: false })).toHaveLength(5)
  })
})

describe('hostile schemas', () => {
  test.each([
    ['no schema at all', { type: 'nonsense' }],
    ['a reference to nowhere', { $ref: '#/definitions/none' }],
    ['an answer that is a promise', { $async: true, type: 'object', required: ['x'] }],
    ['more than is compiled', { description: 'x'.repeat(200_001), required: ['x'] }],
  ])('%s leaves the arguments to the server', (_, given) => {
    expect(faultsOf({}, given as JsonObject)).toEqual([])
  })

  test('a pattern that backtracks for ever is matched in linear time', () => {
    const hostile = { properties: { s: { type: 'string', pattern: '^(a+)+$' } } }
    expect(faultsOf({ s: `${'a'.repeat(5000)}!` }, hostile)).toHaveLength(1)
    expect(faultsOf({ s: 'aaa' }, hostile)).toEqual([])
    expect(faultsOf({ s: 'b' }, { properties: { s: { pattern: '^(?=a)b' } } })).toEqual([])
  })

  test('millions of parameters are left to the server, at once when it is asked again', () => {
    const keys = Array.from({ length: 200_000 }, (_, at) => `parameter${at}`)
    const huge = { properties: Object.fromEntries(keys.map((key) => [key, {}])), required: keys }
    expect(faultsOf({}, huge)).toEqual([])
    expect(faultsOf({}, huge)).toEqual([])
  })

  test('reports the first of many wrong items, and the next wrong parameter', () => {
    const list = { properties: { ids: { type: 'array', items: { type: 'string' } }, n: { type: 'number' } } }
    const faults = faultsOf({ ids: Array.from({ length: 20_000 }, (_, at) => at), n: 'x' }, list)
    expect(faults).toEqual(['ids.0 must be string (got 0)', 'n must be number (got "x")'])
  })

  test('parameters called like members of every object are parameters', () => {
    const odd = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"integer"}},"required":["__proto__","constructor"]}',
    )
    expect(faultsOf(JSON.parse('{"__proto__":"a","constructor":1}'), odd)).toEqual([])
    expect(faultsOf({}, odd)).toEqual(['__proto__ is missing', 'constructor is missing'])
    expect(faultsOf(JSON.parse('{"__proto__":"a","constructor":"x"}'), odd)).toEqual([
      'constructor must be integer (got "x")',
    ])
  })

  test('the same schema of another client is judged the same', () => {
    const copy = JSON.parse(JSON.stringify(schema))
    expect(faultsOf({}, copy)).toEqual(faultsOf({}, schema))
  })

  test('a circle in the schema ends where the arguments end', () => {
    const tree = {
      properties: { tree: { $ref: '#/$defs/node' } },
      $defs: { node: { type: 'object', properties: { child: { $ref: '#/$defs/node' } }, required: ['id'] } },
    }
    expect(faultsOf({ tree: { id: 1, child: { id: 2, child: {} } } }, tree)).toEqual([
      'tree.child.child.id is missing',
    ])
  })

  test('whatever the arguments are, there is an answer', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (args) => {
        for (const fault of faultsOf(args as JsonObject, schema)) expect(fault).toMatch(/\S/)
      }),
    )
  })
})
