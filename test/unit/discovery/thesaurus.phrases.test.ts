import { describe, expect, test } from 'vitest'
import { withoutPhrases } from '../../../src/discovery/thesaurus.ts'
import { wordsOf } from '../../../src/discovery/words.ts'

const read = (question: string) => withoutPhrases(wordsOf(question))

describe('verbs of two words', () => {
  test('stand for what they mean, also with words between', () => {
    expect(read('call off the meeting')).toEqual(wordsOf('cancel meeting'))
    expect(read('shut the old machine down')).toEqual(wordsOf('stop old machine'))
    expect(read('setting up two servers, then backing them up')).toEqual(wordsOf('create server backup'))
  })

  test('other words stay as they are, in their order', () => {
    for (const question of [
      'call the office',
      'turn off the light',
      'off call',
      'call the big red noisy train off',
      '',
    ])
      expect(read(question)).toEqual(wordsOf(question))
  })

  test('what was given is not changed', () => {
    const words = wordsOf('look up a word')
    const before = [...words]
    withoutPhrases(words)
    expect(words).toEqual(before)
  })
})
