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

/** Paths, of which each folder has names of its own kind, and as many as it has. */
const folders = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    Array.from({ length: ((at * 37) % 90) + 10 }, (_, nth) =>
      at % 3 === 0
        ? `usr/lib/python3/dist-packages/module_${at}/${(nth * 7919 + at).toString(16).padStart(40, 'f')}.pyc\n`
        : `usr/share/doc/package-${at}/examples/chapter ${nth}/introduction.html\n`,
    ).join(''),
  ).join('')

verifies('S4.20', 'counts tokens as the tokenizer does, within a percent below 64 KB and three above', () => {
  for (const [text, tolerance] of [
    [rows(20), 0],
    [rows(900), 0.01],
    [rows(8000), 0.03],
    [folders(60), 0.03],
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
