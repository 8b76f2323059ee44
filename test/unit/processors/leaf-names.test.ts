import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nameReader } from '../../../src/processors/search/searchable.ts'
import { isObject, type JsonValue } from '../../../src/protocol/json.ts'

function namesOf(...values: JsonValue[]): string[] {
  const names: string[] = []
  const read = nameReader((name) => names.push(name))
  for (const value of values) read(value)
  return names
}

/** The same, told by looking for leaves below each name. */
function expected(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(expected)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => (hasLeaf(inner) ? [name, ...expected(inner)] : []))
}

function hasLeaf(value: JsonValue): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(hasLeaf)
  return value !== null
}

test('names are those on the way to a leaf', () => {
  expect(namesOf({ a: { b: null, c: [] }, d: [{ e: 1 }, { e: 2 }], f: { g: { h: '' } } })).toEqual([
    'd',
    'e',
    'e',
    'f',
    'g',
    'h',
  ])
  expect(namesOf('alone', null, [], { a: {} }, { b: 1 })).toEqual(['b'])
})

test('names of any tree come in order, whatever was read before', () => {
  const { value: tree } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<JsonValue>(null, 1, true, ''),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom('id', 'name', '7', '__proto__', 'constructor'), tie('value'), {
        maxKeys: 4,
      }),
    ),
  }))
  fc.assert(
    fc.property(fc.array(tree, { maxLength: 4 }), (values) => {
      expect(namesOf(...values)).toEqual(values.flatMap(expected))
    }),
  )
})
