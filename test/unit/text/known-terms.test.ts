import { expect, test } from 'vitest'
import { KnownTerms, type Occurrences } from '../../../src/text/words/bm25.ts'

/** Five bytes for each passage. */
const inPassages = (count: number): Occurrences => ({
  passages: Uint32Array.from({ length: count }, (_, index) => index),
  times: new Uint8Array(count).fill(1),
})

test('what was found is known until there is no room', () => {
  const known = new KnownTerms(50)
  known.add('a', inPassages(4))
  known.add('b', inPassages(4))
  expect(known.get('a')).toEqual(inPassages(4))
  known.add('c', inPassages(4))
  // `b` is the one that was longest not asked for.
  expect(['a', 'b', 'c'].map((term) => known.get(term) !== undefined)).toEqual([true, false, true])
})

test('what needs more than all the room is not kept, and nothing goes for it', () => {
  const known = new KnownTerms(50)
  known.add('a', inPassages(10))
  known.add('b', inPassages(11))
  expect(known.get('a')).toEqual(inPassages(10))
  expect(known.get('b')).toBeUndefined()
})

test('terms that occur nowhere are known too, but not without end', () => {
  const known = new KnownTerms(0)
  for (let nth = 0; nth < 1_000; nth++) known.add(`${nth}`, inPassages(0))
  expect(known.get('999')).toEqual(inPassages(0))
  expect(known.get('0')).toBeUndefined()
})
