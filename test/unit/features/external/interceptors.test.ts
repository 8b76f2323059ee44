import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isLongerThan } from '../../../../src/features/external/interceptors.ts'
import type { JsonValue } from '../../../../src/protocol/json.ts'
import { RawJson } from '../../../../src/protocol/json.ts'

const MAX = 1_000

test('what it finds too long is, and what is far too long it finds', () => {
  const text = fc.oneof(fc.string({ maxLength: 600 }), fc.string({ unit: 'binary', maxLength: 600 }))
  const value = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' })
  fc.assert(
    fc.property(fc.oneof(value, fc.array(text), fc.dictionary(text, text)), fc.nat(2_000), (json, max) => {
      const bytes = Buffer.byteLength(JSON.stringify(json))
      const isLonger = isLongerThan(json as JsonValue, max)
      if (isLonger) expect(bytes).toBeGreaterThan(max)
      // A character has six bytes of JSON at most, a number some twenty.
      else expect(bytes).toBeLessThanOrEqual((max + 1) * 24)
    }),
  )
})

test('at any depth, and under any name', () => {
  let deep: JsonValue = 'x'.repeat(MAX)
  for (let depth = 0; depth < 200_000; depth++) deep = [deep]
  expect(isLongerThan(deep, 300_000)).toBe(true)
  expect(isLongerThan(JSON.parse(`{"__proto__":"${'x'.repeat(MAX)}"}`), MAX)).toBe(true)
  expect(isLongerThan({ raw: RawJson.in(Buffer.alloc(MAX, ' ')) }, MAX)).toBe(true)
  expect(isLongerThan({}, MAX)).toBe(false)
})
