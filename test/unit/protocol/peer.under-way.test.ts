import fc from 'fast-check'
import { expect, test } from 'vitest'
import { UnderWay } from '../../../src/protocol/peer.ts'

test('holds what a Map holds, in the same order, whatever comes and goes', () => {
  const step = fc.tuple(
    fc.constantFrom('set', 'delete', 'clear', 'set', 'set', 'delete'),
    fc.oneof(fc.nat(9), fc.string({ maxLength: 1 })),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const map = new Map<string | number, number>()
      const underWay = new UnderWay<string | number, number>()
      for (const [value, [what, key]] of steps.entries()) {
        if (what === 'clear') for (const table of [map, underWay]) table.clear()
        else if (what === 'delete') for (const table of [map, underWay]) table.delete(key)
        else for (const table of [map, underWay]) table.set(key, value)
        expect(underWay.values()).toEqual([...map.values()])
        expect(underWay.size).toBe(map.size)
        expect(underWay.has(key)).toBe(map.has(key))
        expect(underWay.get(key)).toBe(map.get(key))
      }
    }),
  )
})
