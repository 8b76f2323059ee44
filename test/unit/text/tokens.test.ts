import { countTokens as exact } from 'gpt-tokenizer/encoding/o200k_base'
import { expect } from 'vitest'
import { countTokens } from '../../../src/text/tokens.ts'
import { verifies } from '../../support/verifies.ts'

const rows = (count: number) =>
  JSON.stringify(
    Array.from({ length: count }, (_, id) => ({
      id,
      name: `user ${id}`,
      mail: `u${id}@example.com`,
      active: id % 3 === 0,
    })),
  )

verifies('S4.20', 'counts tokens as the tokenizer does, within a percent below 64 KB and three above', () => {
  for (const [text, tolerance] of [
    [rows(20), 0],
    [rows(900), 0.01],
    [rows(8000), 0.03],
  ] as const) {
    const expected = exact(text)
    expect(Math.abs(countTokens(text) - expected) / expected).toBeLessThanOrEqual(tolerance)
  }
})

verifies('S4.20', 'counts text that names special tokens, runs without a break and emoji', () => {
  expect(countTokens('')).toBe(0)
  expect(countTokens('<|endoftext|>')).toBeGreaterThan(1)
  expect(countTokens('😀'.repeat(40_000))).toBeGreaterThan(1000)
  expect(countTokens('a'.repeat(200_000))).toBeGreaterThan(1000)
})
