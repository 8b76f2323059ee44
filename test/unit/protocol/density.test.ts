import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tooDense } from '../../../src/protocol/density.ts'
import { readingRuns } from '../../support/runs.ts'

/** Values and keys, and how deep they lie. An empty list or object counts as if it held one. */
function count(value: unknown): { values: number; depth: number } {
  if (typeof value !== 'object' || value === null) return { values: 1, depth: 0 }
  const parts = Object.entries(value).map(([, part]) => count(part))
  const keys = Array.isArray(value) ? 0 : parts.length
  return {
    values: 1 + keys + Math.max(1 - parts.length, 0) + parts.reduce((sum, part) => sum + part.values, 0),
    depth: 1 + Math.max(0, ...parts.map((part) => part.depth)),
  }
}

const TIGHT = { values: 1, depth: 1 }

test('never refuses what a parser finds within the limits, whatever the strings hold', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const { values, depth } = count(value)
      const bytes = Buffer.from(JSON.stringify(value))
      expect(tooDense(bytes, { values: values + depth, depth: Math.max(depth, 1) })).toBeUndefined()
    }),
    { numRuns: readingRuns, examples: [[[{}, [], {}]]] },
  )
})

test('refuses lists, objects and levels past the limit, in short texts as well', () => {
  expect(tooDense(Buffer.from('[1,2,3]'), { values: 3, depth: 9 })).toBe('values')
  expect(tooDense(Buffer.from('{"a":1,"b":2}'), { values: 4, depth: 9 })).toBe('values')
  expect(tooDense(Buffer.from('[[[]]]'), { values: 9, depth: 2 })).toBe('depth')
  expect(tooDense(Buffer.from('"[[[,,,\\"{{{"'), TIGHT)).toBeUndefined()
})

test('reads no further than the limit', () => {
  const bytes = new Proxy(Buffer.from(`[${'1,'.repeat(10_000)}1]`), {
    get(target, key) {
      if (typeof key === 'string' && Number(key) > 100) throw new Error('read on')
      return Reflect.get(target, key, target)
    },
  })
  expect(tooDense(bytes, { values: 20, depth: 9 })).toBe('values')
})
