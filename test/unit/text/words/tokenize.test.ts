import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countTerms, eachWord, tokenize, wordAt } from '../../../../src/text/words/tokenize.ts'

const words = (text: string): string[] => {
  const found: string[] = []
  eachWord(text, (start, end) => found.push(text.slice(start, end)))
  return found
}

describe('words', () => {
  test('are runs of letters, digits and underscores of any script', () => {
    expect(words('Café_1, naïve-ish: Ångström')).toEqual(['Café_1', 'naïve', 'ish', 'Ångström'])
    expect(words('𝐀𝐁 😀 ok')).toEqual(['𝐀𝐁', 'ok'])
  })

  test('are single ideographs', () => {
    expect(words('東京 and カナ')).toEqual(['東', '京', 'and', 'カ', 'ナ'])
  })

  test('agree with the class of Unicode letters, digits and marks', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('a', 'Z', '9', '_', 'é', 'ß', '́', '-', ' ', '\n', '😀', '\ud800'),
        }),
        (text) => {
          expect(words(text)).toEqual(text.match(/[\p{L}\p{N}\p{M}_]+/gu) ?? [])
        },
      ),
    )
  })

  test('are found from any character in them', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'B', '1', ' ', '東', '𝐀') }), (text) => {
        eachWord(text, (start, end) => {
          for (let at = start; at < end; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) {
            expect(wordAt(text, at, 0, text.length)).toEqual({ start, end })
          }
        })
      }),
    )
  })
})

describe('tokenize', () => {
  test('gives words in lower case, and the pieces of identifiers', () => {
    expect(tokenize('The getUserName')).toEqual(['the', 'getusername', 'get', 'user', 'name'])
    expect(tokenize('HTTP_PORT')).toEqual(['http_port', 'http', 'port'])
    expect(tokenize('HTTPServer2')).toEqual(['httpserver2', 'http', 'server2'])
    expect(tokenize('utf8 v2')).toEqual(['utf8', 'v2'])
  })

  test('leaves long runs whole', () => {
    const base64 = 'aGVsbG8gd29ybGQ'.repeat(10)
    expect(tokenize(base64)).toEqual([base64.toLowerCase()])
  })

  test('is counted without making the terms', () => {
    const unit = fc.constantFrom('a', 'b', 'A', 'B', '1', '_', ' ', 'É', 'é', '東')
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        expect(countTerms(text, 0, text.length)).toBe(tokenize(text).length)
      }),
    )
  })
})
