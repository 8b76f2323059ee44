import { describe, expect, test } from 'vitest'
import { indexTools } from '../../../src/discovery/lexical.ts'
import data from '../../../src/discovery/thesaurus.json' with { type: 'json' }
import { alikeTo, withoutPhrases } from '../../../src/discovery/thesaurus.ts'
import { stemOf, wordsOf } from '../../../src/text/words.ts'

const alike = (word: string) => alikeTo(stemOf(word))

describe('words that may stand for others', () => {
  test('everyday words stand for those of tools, not the other way round', () => {
    expect(alike('louder')).toContain(stemOf('volume'))
    expect(alike('volume')).not.toContain(stemOf('louder'))
    expect(alike('lamp')).toContain('light')
  })

  test('words of one family stand for one another', () => {
    expect(alike('subscriber')).toContain(stemOf('subscription'))
    expect(alike('subscription')).toContain(stemOf('subscriber'))
  })

  test('every line holds, whichever word is asked for first', () => {
    for (const line of [...data.everyday, ...data.families]) {
      const [left = '', right = left] = line.split(' > ')
      for (const word of left.split(' ')) {
        const stem = stemOf(word)
        const expected = right.split(' ').map(stemOf)
        expect(alikeTo(stem), line).toEqual(expect.arrayContaining(expected.filter((each) => each !== stem)))
      }
    }
  })

  test('no word stands for itself, and most for none', () => {
    expect(alike('search')).not.toContain('search')
    for (const word of ['', 'zorblatt', 'constructor', '__proto__', '7', 'слово'])
      expect(alike(word)).toEqual([])
  })

  test('a tool is found by what people call its work', () => {
    const named = (name: string, description: string) => ({
      server: 's',
      name,
      definition: { name, description },
    })
    const tools = [
      named('list_disputes', 'Lists disputes.'),
      named('set_volume', 'Sets the volume of a player.'),
      named('transcribe', 'Makes a transcript of a recording.'),
    ]
    const index = indexTools(tools)
    const found = (question: string) => tools[index.search(question, 1)[0]?.index ?? -1]?.name
    expect(found('who contested something')).toBe('list_disputes')
    expect(found('make it louder')).toBe('set_volume')
    expect(found('a transcription please')).toBe('transcribe')
  })
})

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
