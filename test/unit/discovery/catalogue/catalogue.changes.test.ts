import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  changesBetween,
  isEmpty,
  type KnownTool,
  keyOf,
} from '../../../../src/discovery/catalogue/catalogue.ts'
import { runs } from '../../../support/runs.ts'
import { verifies } from '../../../support/verifies.ts'

const known = fc.record({
  server: fc.constantFrom('a', 'b', '__proto__'),
  name: fc.constantFrom('x', 'y', '__proto__', '","', ''),
  hash: fc.constantFrom('1', '2'),
  vectorId: fc.constant(undefined),
  definition: fc.constantFrom({ name: 'x' }, { name: 'x', title: 'X' }),
}) as fc.Arbitrary<KnownTool>
const list = fc.uniqueArray(known, { selector: keyOf, maxLength: 10 })

verifies('S1.24', 'what changed makes the new list out of the old one', () => {
  fc.assert(
    fc.property(list, list, (before, after) => {
      const { added, changed, removed, unchanged } = changesBetween(before, after)
      const made = new Map(before.map((tool) => [keyOf(tool), tool]))
      for (const tool of removed) expect(made.delete(keyOf(tool))).toBe(true)
      for (const tool of changed) expect(made.get(keyOf(tool))).not.toEqual(tool)
      for (const tool of added) expect(made.has(keyOf(tool))).toBe(false)
      for (const tool of [...changed, ...added]) made.set(keyOf(tool), tool)
      expect(made).toEqual(new Map(after.map((tool) => [keyOf(tool), tool])))
      expect(added.length + changed.length + unchanged).toBe(after.length)
    }),
    { numRuns: runs(300) },
  )
})

test('a list does not differ from itself', () => {
  fc.assert(
    fc.property(list, (tools) => {
      expect(isEmpty(changesBetween(tools, structuredClone(tools)))).toBe(true)
    }),
    { numRuns: runs(100) },
  )
})
