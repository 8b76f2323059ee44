import { expect, test } from 'vitest'
import { chooseFrom, selectionOf } from '../../../src/processors/selection.ts'

test('what is chosen knows its places in the list, what is chosen of that too', () => {
  const list = ['a', 'b', 'c', 'd']
  const chosen = chooseFrom(list, Uint32Array.of(3, 1, 2))
  expect(chosen).toEqual(['d', 'b', 'c'])
  expect(selectionOf(list)).toBeUndefined()
  expect(selectionOf(chosen)).toEqual({ list, positions: Uint32Array.of(3, 1, 2) })
  const fewer = chooseFrom(chosen, Uint32Array.of(2, 0))
  expect(fewer).toEqual(['c', 'd'])
  expect(selectionOf(fewer)).toEqual({ list, positions: Uint32Array.of(2, 3) })
  expect(selectionOf(fewer)?.list).toBe(list)
})
