import fc from 'fast-check'
import { expect, test } from 'vitest'
import { editDistance, nearest } from '../../../../src/text/words/edit-distance.ts'

const names = ['state', 'status', 'title', 'user.login', 'comments', 'created_at']

test('finds the names that look alike, best first', () => {
  expect(nearest('stat', names, 2)).toEqual(['state', 'status'])
  expect(nearest('titel', names)).toEqual(['title'])
  expect(nearest('c', ['a', 'b'])).toEqual([])
  expect(nearest('ok', ['no', 'id'])).not.toContain('id')
  expect(nearest('login', names)).toEqual(['user.login'])
  expect(nearest('COMMENT', names)).toEqual(['comments'])
})

test('offers nothing far-fetched', () => {
  expect(nearest('xyzzy', names)).toEqual([])
  expect(nearest('', names)).toEqual([])
  expect(nearest('a', [])).toEqual([])
})

test('is bounded on long names and long lists', () => {
  const long = 'n'.repeat(1_000_000)
  expect(nearest(long, [long, 'short'], 1)).toEqual([long])
  const many = Array.from({ length: 20_000 }, (_, index) => `field${index}`)
  expect(nearest('field7', many, 1)).toEqual(['field7'])
})

test('distance is symmetric, blind to case, and zero for the same', () => {
  const word = fc.string({ maxLength: 30 })
  fc.assert(
    fc.property(word, word, (a, b) => {
      expect(editDistance(a, b)).toBe(editDistance(b, a))
      expect(editDistance(a, a.toUpperCase().toLowerCase())).toBe(
        editDistance(a.toUpperCase().toLowerCase(), a),
      )
      expect(editDistance(a, a)).toBe(0)
    }),
  )
})
