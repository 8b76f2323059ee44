import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bareName, wordsInName } from '../../../../src/text/words/bare-name.ts'

test.each([
  ['order_status', ['order', 'status']],
  ['orderStatus', ['order', 'status']],
  ['Order-STATUS', ['order', 'status']],
  ['HTTPStatus', ['http', 'status']],
  ['sc-win32-status', ['sc', 'win', '32', 'status']],
  ['größeNeu', ['größe', 'neu']],
  ['', []],
])('%j has the words %j', (name, words) => {
  expect(wordsInName(name)).toEqual(words)
})

test('the words of a name of Latin letters and digits have all of them, in their order', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-z0-9_ -]{0,30}$/), (name) => {
      expect(wordsInName(name).join('')).toBe(bareName(name))
    }),
  )
})
