import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toJson } from '../../../../src/documents/json/stringify.ts'
import type { JsonValue } from '../../../../src/protocol/json.ts'

const LEVELS = 200_000

/** A value inside so many arrays and objects that `JSON.stringify` fails. */
function deep(value: JsonValue): JsonValue {
  let held = value
  for (let level = 0; level < LEVELS; level++) held = level % 2 === 0 ? [held] : { a: held }
  return held
}

test('a value that is too deep for JSON.stringify is written as that would write it', () => {
  expect(() => JSON.stringify(deep(1))).toThrow(RangeError)
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const inner = value as JsonValue
      const text = toJson(deep(inner))
      const [before, after] = ['{"a":['.repeat(LEVELS / 2), ']}'.repeat(LEVELS / 2)]
      expect(text.startsWith(before)).toBe(true)
      expect(text.endsWith(after)).toBe(true)
      expect(text.slice(before.length, -after.length)).toBe(JSON.stringify(inner))
    }),
    { numRuns: 20 },
  )
})

test('a deep value is written the same each time', () => {
  const value = deep([1, { b: null }])
  const text = toJson(value)
  expect(toJson(value) === text).toBe(true)
  expect(toJson({ c: value } as JsonValue)).toBe(`{"c":${text}}`)
})
