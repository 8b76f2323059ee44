import { describe, expect, test } from 'vitest'
import { clusteredInterval, median, score } from './reading-parts.ts'

describe('scores', () => {
  test.each([
    [{ value: 'a' }, { answer: ['a'] }, 'right'],
    [{ value: 'a' }, { answer: ['a', 'b'] }, 'wrong'],
    [{ value: 5 }, { answer: '5' }, 'right'],
    [{ value: 'a' }, { none: true }, 'wrong'],
    [{ value: 'a' }, { unanswered: 'why' }, 'unanswered'],
    [{ number: 10 }, { answer: 10.0009 }, 'right'],
    [{ number: 10 }, { answer: 10.01 }, 'wrong'],
    [{ number: 0 }, { answer: null }, 'wrong'],
    [{ set: [1, 2] }, { answer: [2, 1] }, 'right'],
    [{ set: [1, 2] }, { answer: [1] }, 'wrong'],
    [{ set: [1, 2] }, { answer: [1, 2, 3] }, 'wrong'],
    [{ list: [1, 2] }, { answer: [2, 1] }, 'wrong'],
    [{ table: [['a', 1]] }, { answer: [['a', 1]] }, 'right'],
    [{ table: [['a', 1]] }, { answer: [['a', 2]] }, 'wrong'],
    [{ contains: 'a  b' }, { answer: 'x a b y' }, 'right'],
    [{ contains: 'say "a"' }, { answer: 'say \\"a\\"' }, 'right'],
    [{ contains: 'a b' }, { answer: 'b a' }, 'wrong'],
    [{ none: true }, { none: true }, 'right'],
    [{ none: true }, { answer: [] }, 'wrong'],
  ])('%j answered with %j is %s', (gold, answer, outcome) => {
    expect(score(gold, answer)).toBe(outcome)
  })
})

describe('statistics', () => {
  test('the median of an even number is the middle of both', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5)
  })

  test('an interval is that of the clusters, the same for the same seed, and none of one cluster', () => {
    const rows = ['a', 'a', 'b', 'b', 'c'].map((cluster) => ({ cluster, right: cluster !== 'b' }))
    const share = (some: typeof rows) => some.filter(({ right }) => right).length / some.length
    const of = (some: typeof rows) => clusteredInterval(some, ({ cluster }) => cluster, share, { seed: 3 })
    const [low, high] = of(rows) ?? []
    expect(low).toBeLessThan(0.6)
    expect(high).toBe(1)
    expect(of(rows)).toEqual(of(rows))
    expect(of(rows.slice(0, 2))).toBeUndefined()
  })
})
