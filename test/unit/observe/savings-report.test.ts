import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  addToLedger,
  LEDGER_FILE,
  readLedger,
  type SavingsReport,
  totalsOf,
} from '../../../src/observe/savings-report.ts'
import { verifies } from '../../support/verifies.ts'

function directory(): string {
  const made = mkdtempSync(join(tmpdir(), 'ledger-test-'))
  onTestFinished(() => rmSync(made, { recursive: true }))
  return made
}

function run(day: string, tool: string, originalTokens: number): SavingsReport {
  const tools = [{ tool, kind: 'call' as const, calls: 1, originalTokens, deliveredTokens: 10 }]
  return {
    totals: totalsOf(tools),
    tools,
    agents: [],
    days: [{ day, tools }],
    unmeasuredCharacters: 0,
    trials: [],
  }
}

describe('ledger file', () => {
  verifies('S3.39', 'adds runs up by day and tool', async () => {
    const path = directory()
    await addToLedger(path, run('2026-02-04', 'a', 100))
    await addToLedger(path, run('2026-02-03', 'b', 100))
    await addToLedger(path, run('2026-02-04', 'a', 50))
    const row = { kind: 'call' }
    expect((await readLedger(path)).days).toEqual([
      {
        day: '2026-02-03',
        tools: [{ ...row, tool: 'b', calls: 1, originalTokens: 100, deliveredTokens: 10 }],
      },
      {
        day: '2026-02-04',
        tools: [{ ...row, tool: 'a', calls: 2, originalTokens: 150, deliveredTokens: 20 }],
      },
    ])
  })

  test('keeps what could not be counted', async () => {
    const path = directory()
    const hasty = run('2026-02-04', 'a', 0)
    for (const report of [hasty, run('2026-02-04', 'a', 100), hasty]) {
      const tools = report.tools.map((row) =>
        report === hasty ? { ...row, unmeasuredCharacters: 300 } : row,
      )
      await addToLedger(path, { ...report, tools, days: [{ day: '2026-02-04', tools }] })
    }
    const [day] = (await readLedger(path)).days
    expect(day?.tools).toMatchObject([{ calls: 3, originalTokens: 100, unmeasuredCharacters: 600 }])
  })

  test('is private and leaves nothing half-written behind', async () => {
    const path = directory()
    await addToLedger(join(path, 'new'), run('2026-02-04', 'a', 100))
    expect(readdirSync(join(path, 'new'))).toEqual([LEDGER_FILE])
    expect(statSync(join(path, 'new', LEDGER_FILE)).mode & 0o777).toBe(0o600)
  })

  test('ignores and replaces a broken file', async () => {
    const path = directory()
    for (const broken of ['{', '[]', '{"version":1,"days":[{"day":"x"}]}', '{"version":2,"days":[]}']) {
      writeFileSync(join(path, LEDGER_FILE), broken)
      expect(await readLedger(path)).toEqual({ days: [], trials: [] })
    }
    await addToLedger(path, run('2026-02-04', 'a', 100))
    expect((await readLedger(path)).days).toHaveLength(1)
  })

  test('a run without calls writes nothing', async () => {
    const path = directory()
    await addToLedger(path, { ...run('2026-02-04', 'a', 1), tools: [] })
    expect(readdirSync(path)).toEqual([])
  })

  test('the latest calls with large results stay', async () => {
    const path = directory()
    const trials = Array.from({ length: 3_000 }, (_, nth) => ({
      tool: 't',
      isWhole: false,
      originalTokens: nth,
      costTokens: 1,
    }))
    for (const day of ['2026-02-03', '2026-02-04']) await addToLedger(path, { ...run(day, 'a', 1), trials })
    const kept = (await readLedger(path)).trials
    expect([kept.length, kept[0]?.originalTokens, kept.at(-1)?.originalTokens]).toEqual([5_000, 1_000, 2_999])
  })

  test('the latest days stay', async () => {
    const path = directory()
    const days = Array.from({ length: 450 }, (_, index) => ({
      day: new Date(Date.UTC(2025, 0, 1 + index)).toISOString().slice(0, 10),
      tools: [],
    }))
    await addToLedger(path, { ...run('2026-02-04', 'a', 1), days })
    const kept = (await readLedger(path)).days
    expect(kept).toHaveLength(400)
    expect(kept.at(-1)).toEqual(days.at(-1))
  })
})
