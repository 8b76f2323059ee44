import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SpanList, type Spans } from '../../../src/text/spans.ts'
import { countTermsOf, tokenize } from '../../../src/text/words/tokenize.ts'
import { runs } from '../../support/runs.ts'

function joined(texts: readonly string[]): { text: string; parts: Spans } {
  const list = new SpanList()
  let offset = 0
  for (const text of texts) {
    list.add(offset, offset + text.length)
    offset += text.length + 1
  }
  return { text: texts.join('\n'), parts: list.spans() }
}

function expectCounted(texts: readonly string[]): void {
  const { text, parts } = joined(texts)
  expect([...countTermsOf(text, parts)]).toEqual(texts.map((each) => tokenize(each).length))
}

test('every way a word of ASCII can fall apart is counted', () => {
  const unit = fc.constantFrom('a', 'B', '1', '_', ' ')
  fc.assert(fc.property(fc.array(fc.string({ unit, maxLength: 12 }), { maxLength: 6 }), expectCounted), {
    numRuns: runs(500),
  })
})

test('characters of any script are counted as they are taken apart', () => {
  const unit = fc.constantFrom(
    'a',
    'B',
    '1',
    '_',
    ' ',
    'é',
    'É',
    'ǅ',
    '́',
    '٣',
    '東',
    'カ',
    '𝐀',
    '😀',
    '\ud800',
    '\n',
  )
  fc.assert(fc.property(fc.array(fc.string({ unit }), { maxLength: 6 }), expectCounted), {
    numRuns: runs(300),
  })
})

test('words of more characters than are taken apart stay whole', () => {
  for (const length of [63, 64, 65])
    expectCounted([`${'a'.repeat(length - 2)}_b`, `É${'a'.repeat(length - 2)}B`])
})

test('parts lie anywhere in a text that is read in blocks, and may be longer than one', () => {
  const length = fc.constantFrom(0, 1, 7, 400, 9_000, 32_767, 32_768, 32_769, 70_000)
  const pattern = fc.constantFrom('getName ', 'ab', 'user_id=7;', 'é 東京 ', 'HTTPServer2 and 😀 ')
  const part = fc.tuple(pattern, length).map(([each, size]) => each.repeat(size).slice(0, size))
  fc.assert(fc.property(fc.array(part, { maxLength: 4 }), expectCounted), { numRuns: runs(10) })
})
