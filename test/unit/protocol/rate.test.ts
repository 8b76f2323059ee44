import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TokenBucket } from '../../../src/protocol/rate.ts'
import { runs } from '../../support/runs.ts'
import { verifies } from '../../support/verifies.ts'

function world(rate: number, burst: number) {
  const clock = { now: 5000 }
  return { clock, bucket: new TokenBucket({ rate, burst, now: () => clock.now }) }
}

describe('the token bucket', () => {
  verifies('S1.59', 'allows a burst, then one at a time at the rate', () => {
    const { clock, bucket } = world(2, 3)
    for (let call = 0; call < 3; call++) expect(bucket.take()).toEqual({ allowed: true })
    expect(bucket.take()).toEqual({ allowed: false, retryAfter: 500 })
    clock.now += 499
    expect(bucket.take()).toEqual({ allowed: false, retryAfter: 1 })
    clock.now += 1
    expect(bucket.take()).toEqual({ allowed: true })
    expect(bucket.take()).toEqual({ allowed: false, retryAfter: 500 })
  })

  test('saves no more than a burst', () => {
    const { clock, bucket } = world(10, 2)
    clock.now += 1_000_000
    expect([bucket.take(), bucket.take(), bucket.take()].map(({ allowed }) => allowed)).toEqual([
      true,
      true,
      false,
    ])
  })

  test('is not confused by a clock that is set back', () => {
    const { clock, bucket } = world(1, 1)
    bucket.take()
    clock.now -= 10_000
    expect(bucket.take()).toEqual({ allowed: false, retryAfter: 1000 })
    clock.now += 1000
    expect(bucket.take()).toEqual({ allowed: true })
  })

  test('refuses a rate that never gives a token', () => {
    for (const [rate, burst] of [
      [0, 1],
      [-1, 1],
      [Number.NaN, 1],
      [1, 0],
      [1, 0.5],
    ] as const)
      expect(() => world(rate, burst)).toThrow(RangeError)
  })

  verifies(
    'S1.59',
    'never gives more than burst + rate · time, and keeps its word on when to come again',
    () => {
      const waits = fc.array(fc.nat(3000), { maxLength: 40 })
      fc.assert(
        fc.property(
          fc.integer({ min: 1, max: 20 }),
          fc.integer({ min: 1, max: 5 }),
          waits,
          (rate, burst, all) => {
            const { clock, bucket } = world(rate, burst)
            const start = clock.now
            let given = 0
            for (const wait of all) {
              clock.now += wait
              const answer = bucket.take()
              if (!answer.allowed) {
                clock.now += answer.retryAfter
                expect(bucket.take()).toEqual({ allowed: true })
              }
              given++
              expect(given).toBeLessThanOrEqual(burst + ((clock.now - start) / 1000) * rate + 1e-6)
            }
          },
        ),
        { numRuns: runs(200) },
      )
    },
  )
})
