/** Savings of past runs: one small JSON file in the data directory, one entry a day. */
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { mergeRows, type SavingsDay, type SavingsReport } from './savings-report.ts'

export const LEDGER_FILE = 'ledger.json'

/** Days that are kept, the latest first to stay. */
const MAX_DAYS = 400

const amount = z.number().int().nonnegative()
const daySchema = z.object({
  day: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
  tools: z.array(
    z.object({
      tool: z.string(),
      kind: z.enum(['call', 'proxy-tool', 'definitions']),
      calls: amount,
      originalTokens: amount,
      deliveredTokens: amount,
      unmeasuredCharacters: amount.optional(),
    }),
  ),
})
const fileSchema = z.object({ version: z.literal(1), days: z.array(daySchema) })

/** Days in their order. A file that is missing or broken is no days. */
export async function readLedger(directory: string): Promise<SavingsDay[]> {
  try {
    const parsed: unknown = JSON.parse(await readFile(join(directory, LEDGER_FILE), 'utf8'))
    return fileSchema.parse(parsed).days
  } catch {
    return []
  }
}

/** Adds a run to the file. Written whole beside it and renamed, so a reader never sees half of it. */
export async function addToLedger(directory: string, report: SavingsReport): Promise<void> {
  if (report.tools.length === 0) return
  const days = mergeDays([...(await readLedger(directory)), ...report.days]).slice(-MAX_DAYS)
  const partial = join(directory, `${LEDGER_FILE}.${randomUUID()}`)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  try {
    await writeFile(partial, `${JSON.stringify({ version: 1, days })}\n`, { mode: 0o600 })
    await rename(partial, join(directory, LEDGER_FILE))
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

function mergeDays(days: readonly SavingsDay[]): SavingsDay[] {
  const names = [...new Set(days.map(({ day }) => day))].sort()
  return names.map((day) => ({
    day,
    tools: mergeRows(days.filter((one) => one.day === day).flatMap(({ tools }) => tools)),
  }))
}
