import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import porter2 from 'wink-porter2-stemmer'
import { stemOf, wordsOf } from '../../../../src/text/words/words.ts'
import { runs } from '../../../support/runs.ts'
import { verifies } from '../../../support/verifies.ts'

describe('words of definitions and questions', () => {
  verifies('S1.4', 'one identifier is the same words in every style', () => {
    const styles = [
      'listPullRequests',
      'list_pull_requests',
      'list-pull-requests',
      'ListPullRequests',
      'list pull requests',
    ]
    for (const style of styles) expect(wordsOf(style), style).toEqual(['list', 'pull', 'request'])
  })

  test('acronyms and digits stay whole', () => {
    expect(wordsOf('parseHTTPResponse')).toEqual(['pars', 'http', 'respons'])
    expect(wordsOf('s3_getObject')).toEqual(['s3', 'get', 'object'])
  })

  test('forms of a word are one word, also where no rule of endings helps', () => {
    expect(wordsOf('written writes wrote')).toEqual([stemOf('write'), stemOf('write'), stemOf('write')])
    expect(stemOf('repositories')).toBe(stemOf('repository'))
    expect(stemOf('colours')).toBe(stemOf('color'))
    expect(stemOf('organising')).toBe(stemOf('organize'))
  })

  test('a word that is not sent through the rules is the stem that they give', () => {
    const endings = 'at ten enter mal ful bill tic gum ed ing ion ment ness ization y ies us x ck'.split(' ')
    const word = fc.oneof(
      fc.stringMatching(/^[a-z]{1,12}$/),
      fc.tuple(fc.stringMatching(/^[a-z]{0,6}$/), fc.constantFrom(...endings)).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(word, (each) => {
        // British spellings are changed before the rules see them.
        if (stemOf(each) === each && !/is|our|ogue|ence/.test(each)) expect(porter2(each)).toBe(each)
      }),
      { numRuns: runs(2_000) },
    )
  })

  test('what a question is wrapped in is left out', () => {
    expect(wordsOf('Can you please help me, I would like to delete a branch')).toEqual([
      stemOf('delete'),
      stemOf('branch'),
    ])
  })

  test('other scripts are words, too', () => {
    expect(wordsOf('Dateien прочитать')).toEqual(['dateien', 'прочитать'])
    expect(wordsOf('删除文件')).toEqual(['删', '除', '文', '件'])
  })

  test('accents make no difference, other signs do', () => {
    expect(wordsOf('búsqueda LÖSCHEN ångström')).toEqual(wordsOf('busqueda loschen angstrom'))
    expect(wordsOf('résumé')).toEqual(wordsOf('resume'))
    // Vowels of one script, voicing of another, syllables of a third.
    expect(wordsOf('हिन्दी 한국어 ガ')).toEqual(['हिन्दी', '한국어', 'ガ'])
  })

  test('any text gives short words in lower case, again and again the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        const words = wordsOf(text)
        for (const word of words) expect(word.length).toBeGreaterThan(0)
        for (const word of words) expect(word.length).toBeLessThanOrEqual(42)
        expect(wordsOf(text)).toEqual(words)
      }),
    )
  })

  test('names that objects have by themselves are words', () => {
    expect(wordsOf('constructor __proto__ toString')).toEqual(['constructor', 'proto', 'string'])
  })
})
