import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { indexLines } from '../../../src/text/lines.ts'
import {
  paragraphAround,
  paragraphPassages,
  recordPassages,
  sentenceAround,
} from '../../../src/text/passages.ts'
import { type Spans, spanAfter } from '../../../src/text/spans.ts'
import { verifies } from '../../support/verifies.ts'

const texts = (text: string, spans: Spans): string[] =>
  Array.from({ length: spans.count }, (_, index) => text.slice(spans.start(index), spans.end(index)))
const paragraphs = (text: string): string[] => texts(text, paragraphPassages(text, indexLines(text)))
const records = (text: string): string[] => texts(text, recordPassages(text, indexLines(text)))

describe('passages', () => {
  verifies('S3.22', 'are paragraphs; a heading stays with what follows', () => {
    expect(paragraphs('# Title\n\nFirst\nline.\n\n\nSecond.\n')).toEqual([
      '# Title\n\nFirst\nline.',
      'Second.',
    ])
    expect(paragraphs('# A\n\n# B\n\ntext')).toEqual(['# A', '# B\n\ntext'])
  })

  verifies('S3.22', 'are records of a log, with the lines that continue them', () => {
    expect(records('10:00 Error: x\n  at f()\nCaused by: y\n10:01 ok\n')).toEqual([
      '10:00 Error: x\n  at f()\nCaused by: y',
      '10:01 ok',
    ])
  })

  test('are cut between words where they are long', () => {
    const long = paragraphs('word '.repeat(1_000))
    expect(long.length).toBeGreaterThan(2)
    for (const passage of long) {
      expect(passage.length).toBeLessThanOrEqual(1_500)
      expect(passage).toMatch(/^word.*word ?$/)
    }
  })

  verifies('S3.22', 'never overlap, and hold everything that is not blank', () => {
    const line = fc.oneof(
      fc.constantFrom(
        '',
        ' ',
        '# h',
        'a b',
        '  indented',
        'x'.repeat(900),
        'y '.repeat(900),
        '😀'.repeat(800),
      ),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const text = lines.join('\n')
        for (const cut of [paragraphPassages, recordPassages]) {
          const spans = cut(text, indexLines(text))
          let end = 0
          for (let index = 0; index < spans.count; index++) {
            expect(text.slice(end, spans.start(index)).trim()).toBe('')
            expect(spans.end(index)).toBeGreaterThan(spans.start(index))
            end = spans.end(index)
            expect(spanAfter(spans, end - 1)).toBe(index)
          }
          expect(text.slice(end).trim()).toBe('')
        }
      }),
    )
  })
})

describe('the paragraph around a line', () => {
  test('reaches to the blank lines before and after', () => {
    const lines = indexLines('a\nb\n\nc\n \nd')
    expect(paragraphAround(lines, 1)).toEqual({ first: 0, last: 1 })
    expect(paragraphAround(lines, 3)).toEqual({ first: 3, last: 3 })
    expect(paragraphAround(lines, 4)).toEqual({ first: 4, last: 4 })
  })
})

describe('the sentence around a place', () => {
  const sentence = (text: string, word: string): string => {
    const start = text.indexOf(word)
    const span = sentenceAround(text, { start, end: start + word.length }, 0, text.length)
    return text.slice(span.start, span.end)
  }

  verifies('S3.24', 'ends at full stops, and goes on over wrapped lines', () => {
    const text = 'First one. The second\nis wrapped! And a third?'
    expect(sentence(text, 'First')).toBe('First one.')
    expect(sentence(text, 'wrapped')).toBe('The second\nis wrapped!')
    expect(sentence(text, 'one. The')).toBe('First one. The second\nis wrapped!')
  })

  test('does not cross headings and list items', () => {
    const text = '## Use\nIt runs\n- one item\n- other item'
    expect(sentence(text, 'runs')).toBe('It runs')
    expect(sentence(text, 'one')).toBe('- one item')
    expect(sentence(text, 'Use')).toBe('## Use')
  })

  test('always holds a short place, and stays within its borders', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '.', ' ', '\n', 'B', '!'), minLength: 1, maxLength: 60 }),
        fc.nat(),
        (text, at) => {
          const start = at % text.length
          fc.pre(text.charAt(start).trim() !== '')
          const span = sentenceAround(text, { start, end: start + 1 }, 0, text.length)
          expect(span.start).toBeGreaterThanOrEqual(0)
          expect(span.start).toBeLessThanOrEqual(start)
          expect(span.end).toBeGreaterThan(start)
          expect(span.end).toBeLessThanOrEqual(text.length)
        },
      ),
    )
  })
})
