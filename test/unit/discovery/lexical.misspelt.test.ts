import { expect, test } from 'vitest'
import { indexSpellings } from '../../../src/discovery/lexical.ts'

const spellingsOf = (...vocabulary: string[]) =>
  indexSpellings((letter) => vocabulary.filter((word) => word.startsWith(letter)))

const words = (word: string, ...vocabulary: string[]) =>
  spellingsOf(...vocabulary)
    .near(word)
    .map((near) => near.word)

test('one slip, two in long words, best first', () => {
  expect(words('isues', 'issue', 'issues', 'users')).toEqual(['issues'])
  expect(words('serach', 'search', 'sea', 'starch')).toEqual(['search'])
  expect(words('reposetoyr', 'repository')).toEqual(['repository'])
})

test('neighbours that changed places are one slip, at the beginning, too', () => {
  expect(words('emial', 'email')).toEqual(['email'])
  expect(words('eamil', 'email')).toEqual(['email'])
  expect(words('meail', 'email')).toEqual(['email'])
})

test('short words, another beginning and the word itself are left alone', () => {
  expect(words('lst', 'list')).toEqual([])
  expect(words('book', 'look', 'book')).toEqual([])
})

test('the nearer, the more it counts', () => {
  const [first, second] = spellingsOf('repository', 'reposito').near('repositry')
  expect(first?.similarity).toBeGreaterThan(second?.similarity ?? 0)
  expect(first?.similarity).toBeLessThan(1)
})
