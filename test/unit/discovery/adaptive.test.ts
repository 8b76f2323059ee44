import { describe, expect } from 'vitest'
import { cutAdaptively, mergeAnswers } from '../../../src/discovery/adaptive.ts'
import type { Found } from '../../../src/discovery/search.ts'
import { verifies } from '../../support/verifies.ts'

const ranking = (...scores: number[]): Found[] => scores.map((score, index) => ({ index, score }))

describe('how many tools a question gets', () => {
  verifies('S1.68', 'those near the best, no fewer and no more than set', () => {
    const limit = { ratio: 0.8, least: 2, most: 4 }
    expect(cutAdaptively(ranking(1, 0.9, 0.8, 0.79), limit)).toHaveLength(3)
    expect(cutAdaptively(ranking(1, 0.1, 0.1), limit)).toHaveLength(2)
    expect(cutAdaptively(ranking(1, 1, 1, 1, 1, 1), limit)).toHaveLength(4)
    expect(cutAdaptively(ranking(0.3), limit)).toHaveLength(1)
    expect(cutAdaptively([], limit)).toEqual([])
  })
})

describe('several questions in one', () => {
  const answers: Record<string, Found[]> = {
    mail: [
      { index: 3, score: 0.5 },
      { index: 1, score: 0.4 },
    ],
    event: [
      { index: 7, score: 0.9 },
      { index: 3, score: 0.8 },
    ],
  }

  verifies('S1.69', 'each tool comes once with its best score, the first of each answer first', () => {
    expect(mergeAnswers([answers.mail ?? [], answers.event ?? [], []])).toEqual([
      { index: 3, score: 0.8 },
      { index: 7, score: 0.9 },
      { index: 1, score: 0.4 },
    ])
    expect(mergeAnswers([])).toEqual([])
  })
})
