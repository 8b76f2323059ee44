import fc from 'fast-check'
import { expect, test } from 'vitest'
import { placesOver } from '../../../src/text/spread.ts'

test('places are in order, within the count, and as many as are wanted where there are so many', () => {
  fc.assert(
    fc.property(fc.nat(5000), fc.integer({ min: 1, max: 300 }), (count, least) => {
      const places = [...placesOver(count, least)]
      expect(places.every((at, nth) => at < count && at > (places[nth - 1] ?? -1))).toBe(true)
      expect(places.length).toBeGreaterThanOrEqual(Math.min(count, least) - 1)
      expect(places.length).toBeLessThanOrEqual(2 * least)
    }),
  )
})

test.each([2, 3, 4, 5, 8, 10, 16])('places meet each of %d records that take turns', (period) => {
  const met = new Set([...placesOver(period * 300, 200)].map((at) => at % period))
  expect(met.size).toBe(period)
})
