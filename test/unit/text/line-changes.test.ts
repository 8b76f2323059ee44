import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lineChanges } from '../../../src/text/line-changes.ts'

const some = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 })

/** Length of the longest list that is part of both, by the table of all beginnings. */
function common(one: readonly string[], other: readonly string[]): number {
  let row = new Array<number>(other.length + 1).fill(0)
  for (const line of one) {
    const next = [0]
    for (const [at, candidate] of other.entries())
      next.push(line === candidate ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0))
    row = next
  }
  return row.at(-1) ?? 0
}

test('what neither list alone has is the same in both, and no more lines are named than must be', () => {
  fc.assert(
    fc.property(some, some, (before, after) => {
      const changes = lineChanges(before, after, 60)
      if (changes === undefined) throw new Error('60 are enough for any two lists of 30')
      const [removed, added] = [new Set(changes.removed), new Set(changes.added)]
      expect(before.filter((_, at) => !removed.has(at))).toEqual(after.filter((_, at) => !added.has(at)))
      expect(removed.size).toBe(before.length - common(before, after))
      expect(added.size).toBe(after.length - common(before, after))
      expect([...changes.removed]).toEqual([...changes.removed].sort((one, other) => one - other))
      expect([...changes.added]).toEqual([...changes.added].sort((one, other) => one - other))
    }),
  )
})

test('gives up where more lines differ than it may look for', () => {
  const lines = (name: string): string[] => Array.from({ length: 50 }, (_, at) => `${name} ${at}`)
  expect(lineChanges(lines('a'), lines('b'), 99)).toBeUndefined()
  expect(lineChanges(lines('a'), lines('b'), 100)?.added).toHaveLength(50)
  expect(lineChanges([], lines('a'), 10)).toBeUndefined()
})
