import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inOrder } from '../../../../src/processors/steps/sort.ts'

/** Ranks that are counted, and some far apart, which are compared. */
const rank = fc.oneof(fc.nat(4), fc.constantFrom(0, 70_000, 90_000))

test('records go by their ranks, the first of several first, and equals stay in their order', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(rank, rank, rank)), (rows) => {
      const ranks = [0, 1, 2].map((nth) => {
        const own = Uint32Array.from(rows, (row) => row[nth] ?? 0)
        return { ranks: own, codes: undefined, count: Math.max(0, ...own) + 1 }
      })
      const expected = rows
        .map((row, at) => [...row, at])
        .sort((a, b) => a.map((one, nth) => one - (b[nth] ?? 0)).find((difference) => difference !== 0) ?? 0)
        .map((row) => row[3])
      expect([...inOrder(ranks, rows.length)]).toEqual(expected)
    }),
  )
})

test('ranks are found by the codes of records', () => {
  const ranks = { ranks: Uint32Array.of(2, 0, 1), codes: Uint32Array.of(0, 1, 2, 1), count: 3 }
  expect([...inOrder([ranks], 4)]).toEqual([1, 3, 2, 0])
  expect([...inOrder([], 2)]).toEqual([0, 1])
})
