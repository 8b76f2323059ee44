/** The shared suite of all vector indexes. */
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { VectorIndex } from '../../src/discovery/vectors/vector-index.ts'
import { runs } from '../support/runs.ts'
import { verifies } from '../support/verifies.ts'

const vector = (...numbers: number[]) => Float32Array.from(numbers)

/** Cosine by the book, in doubles. */
function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array) =>
    x.reduce((sum, value, at) => sum + value * (y[at] ?? 0), 0)
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))
}

export function vectorsContract(name: string, open: () => Promise<VectorIndex>): void {
  describe(`vector index contract: ${name}`, () => {
    let index: VectorIndex
    beforeEach(async () => {
      index = await open()
    })
    afterEach(() => index.close())

    verifies('S1.66', 'finds the nearest by angle, not by length, best first', async () => {
      await index.put([
        { id: 1, vector: vector(1, 0, 0) },
        { id: 2, vector: vector(0, 50, 0) },
        { id: 3, vector: vector(-3, 0, 0) },
        { id: 4, vector: vector(2, 2, 0) },
      ])
      const found = await index.search(vector(0.1, 0, 0), 10)
      expect(found.map(({ id }) => id)).toEqual([1, 4, 2, 3])
      expect(found.map(({ similarity }) => similarity)).toEqual([
        expect.closeTo(1, 5),
        expect.closeTo(Math.SQRT1_2, 5),
        expect.closeTo(0, 5),
        expect.closeTo(-1, 5),
      ])
      expect((await index.search(vector(0.1, 0, 0), 2)).map(({ id }) => id)).toEqual([1, 4])
    })

    test('equals come by number', async () => {
      await index.put([9, 3, 7].map((id) => ({ id, vector: vector(1, 1) })))
      expect((await index.search(vector(1, 1), 2)).map(({ id }) => id)).toEqual([3, 7])
    })

    verifies('S1.24', 'replaces a vector, and knows which it has', async () => {
      await index.put([{ id: 1, vector: vector(1, 0) }])
      await index.put([
        { id: 1, vector: vector(0, 1) },
        { id: 2 ** 52 - 1, vector: vector(1, 0) },
      ])
      expect(await index.has([1, 2, 2 ** 52 - 1])).toEqual(new Set([1, 2 ** 52 - 1]))
      expect((await index.search(vector(0, 1), 1))[0]).toEqual({ id: 1, similarity: expect.closeTo(1, 5) })
      expect(await index.search(vector(0, 1), 10)).toHaveLength(2)
    })

    verifies('S1.25 S1.26', 'keeps the named vectors and removes the rest', async () => {
      await index.put([1, 2, 3, 4].map((id) => ({ id, vector: vector(id, 1) })))
      await index.keep(new Set([2, 4, 99]))
      expect((await index.search(vector(1, 0), 10)).map(({ id }) => id)).toEqual([4, 2])
      expect(await index.has([1, 2, 3, 4, 99])).toEqual(new Set([2, 4]))
      await index.keep(new Set())
      expect(await index.search(vector(1, 0), 10)).toEqual([])
      await index.put([{ id: 5, vector: vector(1, 2, 3) }])
      expect(await index.has([5])).toEqual(new Set([5]))
    })

    test('refuses vectors that cannot be compared and keeps the stored ones', async () => {
      await index.put([{ id: 1, vector: vector(1, 0) }])
      for (const bad of [
        vector(1, 0, 0),
        vector(),
        vector(1, Number.NaN),
        vector(Number.POSITIVE_INFINITY, 0),
      ]) {
        await expect(
          index.put([
            { id: 2, vector: vector(0, 1) },
            { id: 3, vector: bad },
          ]),
        ).rejects.toThrow(TypeError)
      }
      expect(await index.has([1, 2, 3])).toEqual(new Set([1]))
    })

    test('a question of another length is refused; of nothing there is nothing', async () => {
      expect(await index.search(vector(1, 0), 5)).toEqual([])
      await index.put([])
      await index.put([
        { id: 1, vector: vector(1, 0) },
        { id: 2, vector: vector(0, 0) },
      ])
      await expect(index.search(vector(1, 0, 0), 5)).rejects.toThrow('3 numbers, the tools have 2')
      expect(await index.search(vector(0, 0), 5)).toEqual([])
      expect(await index.search(vector(1, 0), 0)).toEqual([])
      expect((await index.search(vector(-1, 0), 5)).map(({ id, similarity }) => [id, similarity])).toEqual([
        [2, 0],
        [1, expect.closeTo(-1, 5)],
      ])
    })

    test('stops for a signal', async () => {
      await expect(index.search(vector(1), 1, AbortSignal.abort(new Error('enough')))).rejects.toThrow(
        'enough',
      )
    })

    verifies('S1.66', 'is exact: every similarity is the cosine, in falling order', async () => {
      const number = fc.integer({ min: -50, max: 50 }).map((value) => value || 1)
      const vectors = fc.array(fc.array(number, { minLength: 4, maxLength: 4 }), {
        minLength: 1,
        maxLength: 12,
      })
      await fc.assert(
        fc.asyncProperty(vectors, async (given) => {
          await index.keep(new Set())
          const all = given.map((numbers, id) => ({ id, vector: vector(...numbers) }))
          await index.put(all)
          const query = vector(3, -1, 2, 5)
          const found = await index.search(query, 100)
          expect(found).toHaveLength(all.length)
          for (const { id, similarity } of found)
            expect(similarity).toBeCloseTo(cosine(all[id]?.vector ?? vector(), query), 5)
          const order = found.map(({ similarity }) => similarity)
          expect(order).toEqual([...order].sort((a, b) => b - a))
        }),
        { numRuns: runs(30) },
      )
    })
  })
}
