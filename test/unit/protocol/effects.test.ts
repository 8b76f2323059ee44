import { expect, test } from 'vitest'
import { annotationsOf, covers, EFFECTS, effectOf } from '../../../src/protocol/effects.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'

test.each([
  [{ readOnlyHint: true }, 'read'],
  [{ readOnlyHint: true, destructiveHint: false }, 'read'],
  [{ readOnlyHint: true, destructiveHint: true }, 'destructive'],
  [JSON.parse('{"__proto__":{"readOnlyHint":true}}'), 'destructive'],
  [Object.create({ readOnlyHint: true }), 'destructive'],
  [{ destructiveHint: false }, 'write'],
  [{ readOnlyHint: false, destructiveHint: false }, 'write'],
  [{}, 'destructive'],
  [{ readOnlyHint: false }, 'destructive'],
  [{ readOnlyHint: 'true' }, 'destructive'],
  [{ destructiveHint: 0 }, 'destructive'],
  [['readOnlyHint'], 'destructive'],
  [null, 'destructive'],
])('annotations %j: %s', (annotations, effect) => {
  expect(effectOf({ name: 'a', annotations } as JsonObject)).toBe(effect)
})

test('treats a tool without annotations of its own as destructive', () => {
  expect(effectOf({ name: 'a' })).toBe('destructive')
  expect(effectOf(JSON.parse('{"__proto__":{"annotations":{"readOnlyHint":true}}}'))).toBe('destructive')
})

test('each effect allows those before it, and says so of itself', () => {
  const table = EFFECTS.map((allowed) => EFFECTS.map((effect) => covers(allowed, effect)))
  expect(table).toEqual([
    [true, false, false],
    [true, true, false],
    [true, true, true],
  ])
  for (const effect of EFFECTS) expect(effectOf({ annotations: annotationsOf(effect, 'open') })).toBe(effect)
})
