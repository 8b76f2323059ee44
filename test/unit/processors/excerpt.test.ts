import fc from 'fast-check'
import { expect, test } from 'vitest'
import { excerpt } from '../../../src/text/shorten.ts'
import { runs } from '../../support/runs.ts'
import { verifies } from '../../support/verifies.ts'

/** Half of a character beyond the basic plane. */
const half = /[\ud800-\udfff]/u

const prose =
  'The gateway reconnects automatically after interruptions, notwithstanding configuration. '.repeat(9)

test('cuts fall between words, and what was found is whole', () => {
  const words = new Set(prose.split(/\s+/))
  const found = prose.indexOf('interruptions', 300)
  for (let width = 100; width < 300; width++) {
    const shown = excerpt(prose, { start: found, end: found + 13 }, width)
    expect(shown).toContain('interruptions')
    for (const word of shown.replaceAll('…', ' ').trim().split(/\s+/)) expect(words).toContain(word)
  }
})

test('a number is not cut, a word without end is', () => {
  const numbers = '1234.5678, '.repeat(40)
  expect(excerpt(numbers, { start: 200, end: 201 }, 60).replaceAll('…', '').trim()).toMatch(
    /^(?:1234\.5678,\s*)+$/,
  )
  expect(excerpt('x'.repeat(500), { start: 250, end: 252 }, 100)).toBe(`…${'x'.repeat(100)}…`)
})

verifies(
  'S3.21 S3.22',
  'an excerpt is a part of the text with what was found in it, and no longer than asked',
  () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'word', ' ', '\n', '.', '😀', '3.14', 'é'), { maxLength: 200 }),
        fc.nat(300),
        fc.nat(20),
        fc.integer({ min: 24, max: 120 }),
        (parts, at, length, width) => {
          const text = parts.join('')
          const start = Math.min(at, text.length)
          const end = Math.min(start + length, text.length)
          const shown = excerpt(text, { start, end }, width)
          const bare = shown.replace(/^…/, '').replace(/…$/, '')
          expect(text).toContain(bare)
          expect(bare.length).toBeLessThanOrEqual(width)
          expect(bare).not.toMatch(half)
          const found = text.slice(start, end)
          if (!half.test(found)) expect(bare).toContain(found)
        },
      ),
      { numRuns: runs(300) },
    )
  },
)
