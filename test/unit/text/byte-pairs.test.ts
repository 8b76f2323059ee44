import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, test } from 'vitest'
import { loadO200k } from '../../../src/text/byte-pairs.ts'

const encoding = loadO200k()
const exact = (text: string) => countTokens(text, { disallowedSpecial: new Set<string>() })

test.each([
  ['code', readFileSync(new URL('./byte-pairs.test.ts', import.meta.url), 'utf8')],
  ['German', 'Größere Übungen, die jährlich stattfinden: 1.234,56 € für 10 Äpfel.\r\n\r\n\tSo ist es.'],
  ['Chinese', '测试文本,没有空格的长句子。'.repeat(40)],
  ['emoji', '👩‍👩‍👧‍👦🇩🇪😀 '.repeat(30)],
  ['one letter', 'a'.repeat(4096)],
  ['white space', ' \n\n\t  \r\n   x   \n'],
  ['contractions', "I've we'll THEY'RE don't 'tis"],
  ['special tokens', '<|endoftext|> <|fim_prefix|>'],
  ['lone surrogates', 'a\ud800b \udc00'],
])('%s has the tokens that the package counts', (_, text) => {
  expect(encoding.count(text)).toBe(exact(text))
})

test('any text has the tokens that the package counts', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.base64String({ maxLength: 400 }),
    fc.json(),
    // Every kind of neighbours, wide ones among them.
    fc
      .array(fc.constantFrom(..."aZ09 \t\n\r\f'/.,-sdLl\u001c\u00a0\u2028éÉ٣一", "'ve", "'RE"), {
        maxLength: 60,
      })
      .map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(texts, (text) => encoding.count(text) === exact(text)),
    { numRuns: 1000 },
  )
})
