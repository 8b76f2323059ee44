import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scopeOf } from '../../../../src/features/package/index.ts'
import { runs } from '../../../support/runs.ts'
import { verifies } from '../../../support/verifies.ts'

const all = ['a', 'b', '@org/c'] as const
const reached = (servers: string[] | undefined, patterns: string[]): string[] =>
  all.filter((server) => scopeOf(servers, patterns).reaches(server))

verifies('S2.22 S2.38', 'a package is about the servers that its options name', () => {
  expect(reached(undefined, [])).toEqual(['a', 'b', '@org/c'])
  expect(reached(['a'], ['b/*'])).toEqual(['a'])
  expect(reached([], [])).toEqual([])
  expect(reached(undefined, ['a/read', 'a/write'])).toEqual(['a'])
  expect(reached(undefined, ['@org/c/read'])).toEqual(['@org/c'])
  expect(reached(undefined, ['b/note://*'])).toEqual(['b'])
  // Addresses name no server, and a bare name may be any server's.
  expect(reached(undefined, ['note://1', 'file:///x'])).toEqual(['a', 'b', '@org/c'])
  expect(reached(undefined, ['a/read', 'b_read'])).toEqual(['a', 'b', '@org/c'])
})

test('what no pattern decides is held by the servers that are named', () => {
  const bare = scopeOf(undefined, ['a/read', 'b_read'])
  expect([bare.holds('a'), bare.holds('b'), bare.holds(undefined)]).toEqual([true, false, false])
  expect(bare.isOpen).toBe(false)
  const open = scopeOf(undefined, ['read'])
  expect([open.holds('a'), open.holds(undefined), open.isOpen]).toEqual([true, true, true])
})

test('a server whose item a pattern names is always reached', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'b', '-', '.'), minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(name, name, fc.array(name), (server, tool, others) => {
      const scope = scopeOf(undefined, [`${server}/${tool}`, ...others.map((other) => `${other}/x`)])
      expect(scope.reaches(server)).toBe(true)
      expect(scope.holds(server)).toBe(true)
    }),
    { numRuns: runs(100) },
  )
})
