import { describe, expect, test } from 'vitest'
import { TimeLimitError, withinTime } from '../../../src/text/time-limit.ts'

const cell = new Int32Array(new SharedArrayBuffer(4))
/** Waits without computing, as a process does that the machine has no time for. */
const wait = (ms: number): void => void Atomics.wait(cell, 0, 0, ms)

describe('a time limit', () => {
  test('gives what the work gives, and throws what it throws', () => {
    expect(withinTime(1000, () => 7)).toBe(7)
    const thrown = () =>
      withinTime(1000, () => {
        throw new RangeError('no')
      })
    expect(thrown).toThrow(RangeError)
  })

  test('stops what computes for too long', () => {
    let begun = 0
    const endless = () => {
      begun++
      for (;;) if (begun < 0) return
    }
    expect(() => withinTime(50, endless)).toThrow(TimeLimitError)
    // Again only where the machine gave it less than half of the time.
    expect(begun).toBeLessThanOrEqual(4)
  })

  test('stops a pattern that goes back and forth', () => {
    expect(() => withinTime(50, () => /^(a+)+$/.test(`${'a'.repeat(40)}!`))).toThrow(TimeLimitError)
  })

  test('begins again what was kept from running, and not for ever', () => {
    let begun = 0
    const slowOnce = () => {
      if (begun++ === 0) wait(60_000)
      return begun
    }
    expect(withinTime(400, slowOnce)).toBe(2)
    begun = 0
    const slow = () => {
      begun++
      wait(60_000)
    }
    expect(() => withinTime(400, slow)).toThrow(TimeLimitError)
    expect(begun).toBe(4)
  })
})
