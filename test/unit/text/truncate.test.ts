import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TRUNCATED, truncate, truncateAll } from '../../../src/text/shorten.ts'
import { runs } from '../../support/runs.ts'
import { verifies } from '../../support/verifies.ts'

const text = 'abcdefghij'.repeat(100)
const fixed = 50 + TRUNCATED.length

describe('truncation', () => {
  verifies('S1.56', 'keeps the start, a mark and the last 50 characters, as long as asked for', () => {
    expect(TRUNCATED).toBe(' <truncated by smart mcp proxy> ')
    for (const max of [fixed + 1, 100, 500, 999]) {
      const cut = truncate(text, max)
      expect(cut).toHaveLength(max)
      expect(cut).toBe(text.slice(0, max - fixed) + TRUNCATED + text.slice(-50))
    }
  })

  verifies('S1.56', 'is the head alone where there is no room for more', () => {
    for (const max of [0, 1, 50, fixed]) expect(truncate(text, max)).toBe(text.slice(0, max))
  })

  verifies('S1.57', 'leaves what fits as it is', () => {
    for (const max of [text.length, text.length + 1]) expect(truncate(text, max)).toBe(text)
    expect(truncate('', 0)).toBe('')
    expect(truncateAll(['', text, ''], text.length)).toEqual(['', text, ''])
  })

  verifies('S1.56', 'never splits a character, and is never longer', () => {
    const unit = fc.constantFrom('a', '😀', 'é', '\n')
    fc.assert(
      fc.property(fc.string({ unit, minLength: 60, maxLength: 300 }), fc.nat(320), (given, max) => {
        const cut = truncate(given, max)
        expect(cut).not.toMatch(/\p{Surrogate}/u)
        expect(cut.length).toBeLessThanOrEqual(Math.max(max, 0))
        // At most one character is missing at each cut.
        expect(cut.length).toBeGreaterThanOrEqual(Math.min(given.length, max) - 2)
      }),
      { numRuns: runs(500) },
    )
  })

  test('several texts are cut as one', () => {
    expect(truncateAll(['start'.repeat(20), 'middle'.repeat(20), 'end'.repeat(20)], fixed + 20)).toEqual([
      `startstartstartstart${TRUNCATED}`,
      undefined,
      'end'.repeat(20).slice(-50),
    ])
    expect(truncateAll(['a'.repeat(20), text, 'b'.repeat(10)], fixed + 30)).toEqual([
      'a'.repeat(20),
      `${text.slice(0, 10)}${TRUNCATED}${text.slice(-40)}`,
      'b'.repeat(10),
    ])
    expect(truncateAll([text, text], 10)).toEqual([text.slice(0, 10), undefined])
  })

  test('several texts are together what they would be as one', () => {
    const part = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 200 })
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), fc.nat(700), (texts, max) => {
        const cut = truncateAll(texts, max)
        expect(cut).toHaveLength(texts.length)
        expect(cut.map((one) => one ?? '').join('')).toBe(truncate(texts.join(''), max))
        for (const [at, one] of texts.entries()) if (one === '') expect(cut[at]).toBeDefined()
      }),
      { numRuns: runs(500) },
    )
  })
})
