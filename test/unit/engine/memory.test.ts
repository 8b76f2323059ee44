import fc from 'fast-check'
import { expect, test } from 'vitest'
import { availableMb, memoryPlan } from '../../../src/engine/memory.ts'

/** Less than this is not enough. */
const LEAST_MB = 512

test('the shares are never more than the whole memory', () => {
  fc.assert(
    fc.property(fc.integer({ min: LEAST_MB, max: 1_000_000 }), (memoryMb) => {
      const { worstMb, heapMb } = memoryPlan(memoryMb)
      expect(worstMb).toBeLessThanOrEqual(memoryMb)
      expect(heapMb).toBeGreaterThanOrEqual(64)
    }),
  )
})

test('more memory is more for each part, up to a limit', () => {
  const [small, middle, large, huge] = [512, 2048, 16_384, 1_000_000].map((mb) => memoryPlan(mb))
  expect([small?.workers, middle?.workers]).toEqual([1, 2])
  expect(middle?.heapMb).toBeGreaterThan(small?.heapMb ?? 0)
  expect(large?.heapMb).toBeGreaterThan(middle?.heapMb ?? 0)
  expect(large).toMatchObject({ messageBytes: 256 * 1024 * 1024, keptBytes: 1024 * 1024 * 1024 })
  expect(huge?.heapMb).toBe(4096)
})

test('there is some memory', () => {
  expect(availableMb()).toBeGreaterThan(64)
})
