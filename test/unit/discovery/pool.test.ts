import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { freshness, ToolPool, ToolPools } from '../../../src/discovery/pool.ts'
import { SETTINGS } from '../../support/defaults.ts'
import { runs } from '../../support/runs.ts'
import { verifies } from '../../support/verifies.ts'

const minute = 60_000

function world(limit: number) {
  const clock = { now: 1_000_000 }
  return { clock, pool: new ToolPool({ ...SETTINGS.retrieve.pool, limit, now: () => clock.now }) }
}
const hits = (scores: Record<string, number>) =>
  Object.entries(scores).map(([name, score]) => ({ name, score }))

verifies('S1.53', 'freshness falls from 1 to 0 in 1,800 seconds', () => {
  expect([0, 900, 1799, 1800, 10_000, -5].map((age) => freshness(age * 1000, 1800))).toEqual([
    1,
    0.5,
    expect.closeTo(1 / 1800, 10),
    0,
    0,
    1,
  ])
})

describe('the pool', () => {
  verifies('S1.52', 'evicts the least 0.7 · score + 0.3 · freshness', () => {
    const { clock, pool } = world(3)
    pool.admit(hits({ old: 0.6 }))
    clock.now += 30 * minute
    pool.admit(hits({ half: 0.3 }))
    clock.now += 15 * minute
    pool.admit(hits({ fresh: 0.1 }))
    expect(pool.weight('old')).toBeCloseTo(0.42)
    expect(pool.weight('half')).toBeCloseTo(0.21 + 0.15)
    expect(pool.weight('fresh')).toBeCloseTo(0.07 + 0.3)
    expect(pool.weight('nobody')).toBeUndefined()
    expect(pool.admit(hits({ next: 0.05 })).evicted).toEqual(['half'])
    expect(pool.admit(hits({ after: 0.05 })).evicted).toEqual(['next'])
    expect(pool.names).toEqual(['old', 'fresh', 'after'])
  })

  verifies('S1.52', 'of equals the one that was registered first goes first', () => {
    const { pool } = world(3)
    pool.admit(hits({ a: 0.5, b: 0.5, c: 0.5 }))
    pool.admit(hits({ a: 0.5 }))
    expect(pool.admit(hits({ d: 0.5, e: 0.5 })).evicted).toEqual(['a', 'b'])
    expect(pool.names).toEqual(['c', 'd', 'e'])
  })

  verifies('S1.54', 'keeps high scores', () => {
    const { clock, pool } = world(2)
    pool.admit(hits({ high: 1, low: 0.2 }))
    clock.now += 60 * minute
    expect(pool.admit(hits({ new: 0.1 })).evicted).toEqual(['low'])
    expect(pool.admit(hits({ newer: 0.1 })).evicted).toEqual(['new'])
    expect(pool.has('high')).toBe(true)
  })

  verifies('S1.54', 'a call keeps a tool fresh', () => {
    const { clock, pool } = world(2)
    pool.admit(hits({ called: 0.5, idle: 0.5 }))
    clock.now += 30 * minute
    pool.used('called')
    pool.used('nobody')
    expect(pool.weight('called')).toBeCloseTo(0.65)
    expect(pool.weight('idle')).toBeCloseTo(0.35)
    expect(pool.admit(hits({ new: 0 })).evicted).toEqual(['idle'])
    expect(pool.has('nobody')).toBe(false)
  })

  verifies('S1.54', 'never evicts what the same search found, also when that is more than it holds', () => {
    const { pool } = world(3)
    pool.admit(hits({ a: 1, b: 1, c: 1 }))
    expect(pool.admit(hits({ d: 0, e: 0 }))).toEqual({
      registered: ['d', 'e'],
      evicted: ['a', 'b'],
      omitted: [],
    })
    expect(pool.admit(hits({ f: 0.9, g: 0.8, h: 0.7, i: 0.6, c: 0.5 }))).toEqual({
      registered: ['f', 'g', 'h'],
      evicted: ['d', 'e', 'c'],
      omitted: ['i', 'c'],
    })
  })

  verifies(
    'S1.11',
    'registers nothing twice: found again, a tool is as good as it ever was, and fresh',
    () => {
      const { clock, pool } = world(3)
      expect(pool.admit([...hits({ a: 0.5 }), ...hits({ a: 0.9 })]).registered).toEqual(['a'])
      clock.now += 30 * minute
      expect(pool.admit(hits({ a: 0.2 }))).toEqual({ registered: [], evicted: [], omitted: [] })
      expect(pool.weight('a')).toBeCloseTo(0.7 * 0.9 + 0.3)
      expect(pool.names).toEqual(['a'])
    },
  )

  test('scores out of range count as the nearest in range, what is no number as 0', () => {
    const { pool } = world(5)
    pool.admit(hits({ big: 40, less: -1, none: Number.NaN }))
    expect(['big', 'less', 'none'].map((name) => pool.weight(name))).toEqual([1, 0.3, 0.3])
  })

  test('tools that are gone are taken out', () => {
    const { pool } = world(5)
    pool.admit(hits({ a: 1, b: 1, __proto__x: 1 }))
    expect(pool.remove((name) => name !== 'b')).toEqual(['a', '__proto__x'])
    expect(pool.remove((name) => name === 'a')).toEqual([])
    expect(pool.names).toEqual(['b'])
  })

  verifies(
    'S1.15 S1.54',
    'whatever is found and called: within the limit, this search inside, all accounted for',
    () => {
      const name = fc.constantFrom(...'abcdefgh')
      const search = fc.array(fc.record({ name, score: fc.double({ min: 0, max: 1, noNaN: true }) }), {
        maxLength: 6,
      })
      const steps = fc.array(fc.record({ search, called: name, passes: fc.nat(40 * minute) }), {
        maxLength: 12,
      })
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 5 }), steps, (limit, all) => {
          const { clock, pool } = world(limit)
          for (const { search: found, called, passes } of all) {
            const before = new Set(pool.names)
            const { registered, evicted, omitted } = pool.admit(found)
            const after = new Set(pool.names)
            expect(after.size).toBeLessThanOrEqual(limit)
            for (const one of registered) expect(!before.has(one) && after.has(one)).toBe(true)
            for (const one of evicted) expect(before.has(one) && !after.has(one)).toBe(true)
            const distinct = [...new Set(found.map((hit) => hit.name))]
            for (const one of distinct.slice(0, limit)) expect(after.has(one)).toBe(true)
            for (const one of distinct) expect(after.has(one)).not.toBe(omitted.includes(one))
            expect([...before].filter((one) => !after.has(one)).sort()).toEqual([...evicted].sort())
            pool.used(called)
            clock.now += passes
          }
        }),
        { numRuns: runs(200) },
      )
    },
  )
})

describe('the pools', () => {
  const make = (maxAgents: number) =>
    new ToolPools({ ...SETTINGS.retrieve.pool, limit: 2, now: () => 0, maxAgents })

  verifies('S1.17', 'each agent has its own', () => {
    const pools = make(10)
    pools.of('one').admit(hits({ a: 1 }))
    expect(pools.of('two').names).toEqual([])
    expect(pools.of('one').names).toEqual(['a'])
    expect(pools.peek('three')).toBeUndefined()
    pools.drop('one')
    expect(pools.of('one').names).toEqual([])
  })

  test('the agent that was idle for longest loses its pool', () => {
    const pools = make(2)
    for (const agent of ['one', 'two', 'one', 'three']) pools.of(agent).admit(hits({ [agent]: 1 }))
    expect(pools.peek('two')).toBeUndefined()
    expect(pools.peek('one')?.names).toEqual(['one'])
  })

  test('tools that are gone are taken out of all, and who had them is told', () => {
    const pools = make(5)
    pools.of('one').admit(hits({ a: 1, b: 1 }))
    pools.of('two').admit(hits({ b: 1 }))
    expect(pools.remove((name) => name === 'a')).toEqual(['one'])
  })
})
