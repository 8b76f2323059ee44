import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareTrials, createTrials, netByTool, type Trial } from '../../../src/observe/holdout.ts'

test('a call with a large result costs its preview, what was asked about it, and what its tool answered until the next', () => {
  const { note, all } = createTrials()
  const at = { agent: 'a', tool: 's_list', deliveredCharacters: 0 }
  const large = (handle: string | undefined, isWhole = false) => ({ originalTokens: 1_000, isWhole, handle })
  note({ ...at, deliveredTokens: 100, large: large('h1') })
  note({ ...at, tool: 'proxy_filter', deliveredTokens: 20, about: ['h1'] })
  note({ ...at, tool: 's_other', deliveredTokens: 999 })
  note({ ...at, agent: 'b', deliveredTokens: 999 })
  note({ ...at, deliveredCharacters: 35 })
  note({ ...at, deliveredTokens: 1_000, large: large(undefined, true) })
  note({ ...at, tool: 'proxy_search', deliveredTokens: 5, about: ['h1'] })
  note({ ...at, tool: 'proxy_filter', deliveredTokens: 7, about: ['last'] })
  const of = { tool: 's_list', originalTokens: 1_000 }
  expect(all).toEqual([
    { ...of, isWhole: false, costTokens: 100 + 20 + 10 + 5 },
    { ...of, isWhole: true, costTokens: 1_000 + 7 },
  ])
})

const trial = (isWhole: boolean, costTokens: number, originalTokens = 1_000): Trial => ({
  tool: 't',
  isWhole,
  originalTokens,
  costTokens,
})

test('few calls are not compared', () => {
  const few = [...Array(4).fill(trial(true, 1_000)), ...Array(9).fill(trial(false, 100))]
  expect(compareTrials(few)).toEqual({
    previews: { calls: 9, originalTokens: 9_000, costTokens: 900 },
    whole: { calls: 4, originalTokens: 4_000, costTokens: 4_000 },
  })
})

test('the interval holds what previews saved, is narrow where calls are alike, and the same each time', () => {
  const alike = [...Array(20).fill(trial(true, 1_000)), ...Array(20).fill(trial(false, 100))]
  expect(compareTrials(alike).saved).toEqual({ share: 0.9, low: 0.9, high: 0.9 })
  const mixed = [
    ...Array.from({ length: 20 }, () => trial(true, 1_000)),
    ...Array.from({ length: 20 }, (_, nth) => trial(false, nth % 2 ? 100 : 2_100)),
  ]
  const { saved } = compareTrials(mixed)
  // Half of the previews cost twice the whole: nothing is saved for sure.
  expect(saved?.share).toBeCloseTo(-0.1)
  expect(saved?.low).toBeLessThan(-0.3)
  expect(saved?.high).toBeGreaterThan(0.1)
  expect(compareTrials(mixed)).toEqual(compareTrials(mixed))
})

test('an interval covers what is true of most samples', () => {
  // Results of all sizes, each of which costs from nothing to half of its size: a quarter on average.
  let covered = 0
  const samples = fc.sample(
    fc.array(fc.tuple(fc.integer({ min: 100, max: 100_000 }), fc.double({ min: 0, max: 0.5, noNaN: true })), {
      minLength: 40,
      maxLength: 40,
    }),
    { numRuns: 60, seed: 7 },
  )
  for (const sample of samples) {
    const sum = sample.reduce((all, [size]) => all + size, 0)
    const truth = 1 - sample.reduce((all, [size, share]) => all + size * share, 0) / sum
    const { saved } = compareTrials([
      ...sample.map(([size]) => trial(true, size, size)),
      ...sample.map(([size, share]) => trial(false, size * share, size)),
    ])
    if (saved && saved.low <= truth && truth <= saved.high) covered++
  }
  expect(covered).toBe(60)
})

test('tools are told that cost more with previews than without', () => {
  expect(
    netByTool([
      trial(false, 1_500),
      trial(false, 100),
      { ...trial(false, 1_200), tool: 'u' },
      trial(true, 9),
    ]),
  ).toEqual([
    { tool: 'u', calls: 1, savedTokens: -200 },
    { tool: 't', calls: 2, savedTokens: 400 },
  ])
})
