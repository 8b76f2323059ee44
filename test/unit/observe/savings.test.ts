import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createLedger, type Ledger, type SavingsRecord } from '../../../src/observe/savings.ts'
import { formatSavings, totalsOf } from '../../../src/observe/savings-report.ts'
import { verifies } from '../../support/verifies.ts'

/** Every three characters are a token, and the moment is always the same. */
const DAY = Date.UTC(2026, 1, 3, 12)
const inThrees = async (texts: readonly string[]): Promise<number[]> => texts.map((text) => text.length / 3)

function ledger(options: { countTokens?: typeof inThrees; now?: () => number } = {}): Ledger {
  return createLedger({ countTokens: inThrees, now: () => DAY, random: () => 0.9, ...options })
}

const shaped: SavingsRecord = {
  agent: 'one',
  tool: 'a_big',
  kind: 'call',
  originalTokens: 10_000,
  deliveredTokens: 500,
  originalCharacters: 30_000,
  deliveredCharacters: 1_500,
}
const answer: SavingsRecord = {
  agent: 'one',
  tool: 'proxy_filter',
  kind: 'proxy-tool',
  originalTokens: 0,
  deliveredTokens: 200,
  originalCharacters: 0,
  deliveredCharacters: 600,
}
const definitions: SavingsRecord = {
  agent: 'one',
  tool: '(definitions)',
  kind: 'definitions',
  originalTokens: 0,
  originalCharacters: 0,
  deliveredCharacters: 6_000,
  sample: () => 'x'.repeat(6_000),
}
const passing = (text: string, tool = 'a_small', agent = 'two'): SavingsRecord => ({
  agent,
  tool,
  kind: 'call',
  originalCharacters: text.length,
  deliveredCharacters: text.length,
  sample: () => text,
})

describe('ledger', () => {
  verifies('S3.39', "counts calls, and the proxy's own tools and definitions as cost", async () => {
    const savings = ledger()
    for (const record of [shaped, answer, definitions, passing('y'.repeat(300))]) savings.record(record)
    const { totals, unmeasuredCharacters } = await savings.report()
    expect(totals).toEqual({
      calls: 2,
      originalTokens: 10_100,
      deliveredTokens: 600,
      proxyToolCalls: 1,
      proxyToolTokens: 200,
      definitionTokens: 2_000,
      savedTokens: 10_100 - 600 - 200 - 2_000,
    })
    expect(unmeasuredCharacters).toBe(0)
  })

  verifies('S3.39', 'tells tools and agents apart, without writing down the id of an agent', async () => {
    const savings = ledger()
    savings.record(shaped)
    savings.record({ ...shaped, agent: 'session-id-of-somebody' })
    savings.record(passing('z'.repeat(30)))
    const report = await savings.report()
    expect(report.tools.map(({ tool, calls }) => [tool, calls])).toEqual([
      ['a_big', 2],
      ['a_small', 1],
    ])
    expect(report.agents.map(({ calls, savedTokens }) => [calls, savedTokens])).toEqual([
      [1, 9_500],
      [1, 9_500],
      [1, 0],
    ])
    expect(JSON.stringify(report)).not.toContain('session-id-of-somebody')
  })

  test('reckons what was not counted by the ratio of the samples of that tool', async () => {
    const byTool = async (texts: readonly string[]): Promise<number[]> =>
      texts.map((text) => text.length / (text.startsWith('d') ? 2 : 5))
    const savings = ledger({ countTokens: byTool })
    for (let call = 0; call < 100; call++) {
      savings.record(passing('d'.repeat(100), 'dense'))
      savings.record(passing('s'.repeat(100), 'sparse'))
    }
    const { tools } = await savings.report()
    expect(tools.map(({ tool, originalTokens }) => [tool, originalTokens])).toEqual([
      ['dense', 5_000],
      ['sparse', 2_000],
    ])
  })

  test('counts once in the background, so that a report need not wait for what counts to be loaded', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const counted: number[] = []
    const savings = ledger({
      countTokens: async (texts) => {
        counted.push(texts.length)
        return inThrees(texts)
      },
    })
    savings.record(definitions)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(counted).toEqual([])
    savings.record(passing('one'))
    savings.record(passing('two'))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(counted.length).toBe(1)
    await savings.report()
    expect(counted.length).toBe(1)
  })

  test('asks for few samples, and short ones', async () => {
    const counted: string[] = []
    const text = 'long '.repeat(10_000)
    let asked = 0
    const savings = ledger({
      countTokens: async (texts) => {
        counted.push(...texts)
        return inThrees(texts)
      },
    })
    for (let call = 0; call < 1000; call++) {
      const sample = (): string => {
        asked++
        return text
      }
      savings.record({ ...passing(text), sample })
    }
    await savings.report()
    await savings.report()
    expect(asked).toBeLessThan(20)
    expect(counted).toHaveLength(8)
    expect(Math.max(...counted.map((text) => text.length))).toBeLessThanOrEqual(2048)
  })

  test('a counter that fails leaves tokens unknown, and says so', async () => {
    const savings = ledger({ countTokens: () => Promise.reject(new Error('no tokenizer')) })
    savings.record(passing('y'.repeat(300)))
    savings.record(definitions)
    const report = await savings.report()
    expect(report).toMatchObject({ totals: { originalTokens: 0 }, unmeasuredCharacters: 6_300 })
    expect(formatSavings(report.tools)).toContain('Not in these figures: 6,300 characters')
    // As soon as anything was counted, all can be reckoned.
    savings.record(shaped)
    const later = await savings.report()
    expect(later).toMatchObject({ totals: { originalTokens: 10_100 }, unmeasuredCharacters: 0 })
    expect(formatSavings(later.tools)).not.toContain('Not in these figures')
  })

  test('days are UTC days of the clock it was handed', async () => {
    let now = Date.UTC(2026, 1, 3, 23, 59, 59)
    const savings = ledger({ now: () => now })
    savings.record(shaped)
    now += 1_000
    savings.record(shaped)
    expect((await savings.report()).days.map(({ day }) => day)).toEqual(['2026-02-03', '2026-02-04'])
  })

  test('holds a bounded number of names', async () => {
    const savings = ledger()
    for (let index = 0; index < 2_500; index++)
      savings.record({ ...shaped, tool: `t${index}`, agent: `a${index}` })
    const { totals, tools, agents } = await savings.report()
    expect(totals.calls).toBe(2_500)
    expect(tools.length).toBe(2_001)
    expect(agents.length).toBe(2_001)
  })

  test('saved = original − delivered − cost, whatever was recorded', async () => {
    const record = fc.record({
      agent: fc.constantFrom('a', 'b'),
      tool: fc.constantFrom('x', 'y', '__proto__'),
      kind: fc.constantFrom('call', 'proxy-tool', 'definitions'),
      originalTokens: fc.nat(),
      deliveredTokens: fc.nat(),
      originalCharacters: fc.nat(),
      deliveredCharacters: fc.nat(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(record as fc.Arbitrary<SavingsRecord>), async (records) => {
        const savings = ledger()
        for (const one of records) savings.record(one)
        const { totals, tools, agents } = await savings.report()
        const sum = (kind: string, field: 'originalTokens' | 'deliveredTokens'): number =>
          records.filter((one) => one.kind === kind).reduce((all, one) => all + (one[field] ?? 0), 0)
        expect(totals.savedTokens).toBe(
          sum('call', 'originalTokens') -
            sum('call', 'deliveredTokens') -
            sum('proxy-tool', 'deliveredTokens') -
            sum('definitions', 'deliveredTokens'),
        )
        expect(totalsOf(tools)).toEqual(totals)
        expect(agents.reduce((all, agent) => all + agent.savedTokens, 0)).toBe(totals.savedTokens)
      }),
    )
  })
})

describe('summary', () => {
  verifies('S3.39', 'is a few lines, the largest tools first', async () => {
    const savings = ledger()
    for (const record of [passing('y'.repeat(300)), shaped, answer, definitions]) savings.record(record)
    expect(formatSavings((await savings.report()).tools)).toBe(
      [
        'Savings: 2 calls, 10,100 → 600 tokens.',
        'Cost of the proxy: 200 tokens in 1 answer of its own tools, 2,000 for definitions.',
        'Saved in all: 7,300 tokens (72 %).',
        '  tool     calls  original  delivered',
        '  a_big        1    10,000        500',
        '  a_small      1       100        100',
      ].join('\n'),
    )
    expect(formatSavings([])).toBe('Savings: no calls.')
  })
})
