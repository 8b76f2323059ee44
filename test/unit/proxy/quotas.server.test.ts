import { expect } from 'vitest'
import { createQuotas } from '../../../src/proxy/quotas.ts'
import { verifies } from '../../support/verifies.ts'

verifies(
  'S1.59',
  'a server that has had its calls is spared, the others are not, and the time that is told is enough',
  () => {
    let now = 0
    const take = createQuotas({ a: { rps: 1, burst: 2 }, b: { rps: 1 / 60 } }, () => now)
    expect([take('a'), take('a')]).toEqual([undefined, undefined])
    expect(take('a')).toMatch(/Server `a` .* try again in 1 s/)
    expect(take('c')).toBeUndefined()
    expect(take('b')).toBeUndefined()
    expect(take('b')).toMatch(/try again in 60 s/)
    now = 1000
    expect(take('a')).toBeUndefined()
    expect(take('a')).toMatch(/try again/)
  },
)
