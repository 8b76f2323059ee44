/** The words of a command line as arguments of a tool. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { argumentsOf } from '../../../src/cli/ask.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'

const schema: JsonObject = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    head: { type: 'number' },
    deep: { type: 'boolean' },
    tags: { type: 'array' },
    where: { type: ['array', 'string'] },
    pattern: { type: ['string', 'array'] },
  },
}

describe('words of a command line', () => {
  test.each<[what: string, words: string[], plain: string | undefined, meant: JsonObject]>([
    ['nothing', [], undefined, {}],
    ['one JSON object', ['{"path": "a", "head": 3}'], undefined, { path: 'a', head: 3 }],
    ['a text that looks like a number', ['path=5'], undefined, { path: '5' }],
    ['a number', ['head=5'], undefined, { head: 5 }],
    ['true', ['deep=true'], undefined, { deep: true }],
    ['one element of a list', ['tags=a'], undefined, { tags: ['a'] }],
    ['a list', ['tags=["a","b"]'], undefined, { tags: ['a', 'b'] }],
    ['a key twice', ['tags=a', 'tags=b'], undefined, { tags: ['a', 'b'] }],
    ['a key that the schema lacks', ['more={"a":1}'], undefined, { more: { a: 1 } }],
    ['an empty value', ['path='], undefined, { path: '' }],
    ['a value with an equals sign', ['path=a=b'], undefined, { path: 'a=b' }],
    ['a name that objects have', ['__proto__=1'], undefined, JSON.parse('{"__proto__": 1}') as JsonObject],
    ['a condition', ['state = open'], 'where', { where: 'state = open' }],
    ['a condition without spaces', ['state=open'], 'where', { where: 'state=open' }],
    ['two conditions and a parameter', ['a=1', 'b>2', 'head=3'], 'where', { where: ['a=1', 'b>2'], head: 3 }],
    ['a pattern', ['a=b'], 'pattern', { pattern: 'a=b' }],
    [
      'a parameter that is not known, after the pattern',
      ['x', 'limit=3'],
      'pattern',
      { pattern: 'x', limit: 3 },
    ],
  ])('are %s', (_, words, plain, meant) => {
    expect(argumentsOf(words, schema, plain)).toEqual(meant)
  })

  test.each<[what: string, words: string[], says: string]>([
    ['a word without a key', ['README.md'], 'names no argument'],
    ['JSON that breaks off', ['{"path": '], 'no JSON object'],
    ['a word behind a JSON object', ['{}', 'path=a'], 'no JSON object'],
  ])('are refused with what to write: %s', (_, words, says) => {
    expect(() => argumentsOf(words, schema)).toThrow(says)
  })

  test('texts arrive as they were written, whatever they hold', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(argumentsOf([`path=${text}`], schema)).toEqual({ path: text })
      }),
    )
  })
})
