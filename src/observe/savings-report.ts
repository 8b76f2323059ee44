/** Savings in numbers and in words. */

import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { type Trial, trialSchema } from './holdout.ts'

/**
 * `call`: a tool of a server. `proxy-tool`: an answer of the proxy's own tools. `definitions`: the proxy's own tool
 * definitions and instructions, as a client receives them. The last two are pure cost.
 */
export type SavingsKind = 'call' | 'proxy-tool' | 'definitions'

/** The sums of the calls of one tool, in tokens of o200k_base. */
export interface SavingsRow {
  tool: string
  kind: SavingsKind
  calls: number
  originalTokens: number
  deliveredTokens: number
  /** Characters that are not in the tokens: there was no time to count so much as a sample. Absent: none. */
  unmeasuredCharacters?: number | undefined
}

/** Sums in tokens of o200k_base. */
export interface SavingsTotals {
  /** Calls of the servers' tools, what their results came to, and what of it went to the model. */
  calls: number
  originalTokens: number
  deliveredTokens: number
  /** The cost of the answers of the proxy's own tools, and of its definitions and instructions. */
  proxyToolCalls: number
  proxyToolTokens: number
  definitionTokens: number
  /** Original − delivered − both costs. Negative: the proxy cost more than it saved. */
  savedTokens: number
}

/** The savings and the cost of the proxy, as `stats` prints them. */
export interface SavingsReport {
  totals: SavingsTotals
  tools: SavingsRow[]
  /** Agents by a short hash of their id. */
  agents: ({ agent: string } & SavingsTotals)[]
  days: SavingsDay[]
  /** Characters of results with uncounted tokens; they count as nothing above. */
  unmeasuredCharacters: number
  /** Calls with large results; see `holdout.ts`. */
  trials: readonly Trial[]
}

/** The sums of a day. */
export interface SavingsDay {
  /** UTC, `2026-11-20`. */
  day: string
  tools: SavingsRow[]
}

/** Characters that none of the figures include. */
export function unmeasuredOf(rows: readonly SavingsRow[]): number {
  return rows.reduce((sum, { unmeasuredCharacters = 0 }) => sum + unmeasuredCharacters, 0)
}

export function totalsOf(rows: readonly SavingsRow[]): SavingsTotals {
  const sum = (kind: SavingsKind, field: 'calls' | 'originalTokens' | 'deliveredTokens'): number =>
    rows.filter((row) => row.kind === kind).reduce((total, row) => total + row[field], 0)
  const originalTokens = sum('call', 'originalTokens')
  const deliveredTokens = sum('call', 'deliveredTokens')
  const proxyToolTokens = sum('proxy-tool', 'deliveredTokens')
  const definitionTokens = sum('definitions', 'deliveredTokens')
  return {
    calls: sum('call', 'calls'),
    originalTokens,
    deliveredTokens,
    proxyToolCalls: sum('proxy-tool', 'calls'),
    proxyToolTokens,
    definitionTokens,
    savedTokens: originalTokens - deliveredTokens - proxyToolTokens - definitionTokens,
  }
}

/** Adds up rows of the same tool. */
export function mergeRows(rows: readonly SavingsRow[]): SavingsRow[] {
  const merged = new Map<string, SavingsRow>()
  for (const row of rows) {
    const key = `${row.kind} ${row.tool}`
    const there = merged.get(key)
    if (there === undefined) merged.set(key, { ...row })
    else {
      there.calls += row.calls
      there.originalTokens += row.originalTokens
      there.deliveredTokens += row.deliveredTokens
      if (row.unmeasuredCharacters !== undefined)
        there.unmeasuredCharacters = (there.unmeasuredCharacters ?? 0) + row.unmeasuredCharacters
    }
  }
  return [...merged.values()]
}

/** A few lines for a terminal: the sums, then the tools with the largest results. */
export function formatSavings(rows: readonly SavingsRow[], largest = 5): string {
  const totals = totalsOf(rows)
  if (totals.calls + totals.proxyToolCalls === 0) return 'Savings: no calls.'
  const head = [
    `Savings: ${counted(totals.calls, 'call')}, ${number(totals.originalTokens)} → ${number(totals.deliveredTokens)} tokens.`,
    `Cost of the proxy: ${number(totals.proxyToolTokens)} tokens in ${counted(totals.proxyToolCalls, 'answer')} of its own tools, ` +
      `${number(totals.definitionTokens)} for definitions.`,
    `Saved in all: ${number(totals.savedTokens)} tokens${percent(totals.savedTokens, totals.originalTokens)}.`,
  ]
  const left = unmeasuredOf(rows)
  if (left > 0)
    head.push(
      `Not in these figures: ${number(left)} characters of short runs that ended before any were counted.`,
    )
  const shown = rows
    .filter(({ kind }) => kind === 'call')
    .sort((a, b) => b.originalTokens - a.originalTokens || (a.tool < b.tool ? -1 : 1))
    .slice(0, largest)
  return [...head, ...columns([HEADINGS, ...shown.map(cells)])].join('\n')
}

const HEADINGS = ['tool', 'calls', 'original', 'delivered']

function cells(row: SavingsRow): string[] {
  return [row.tool, number(row.calls), number(row.originalTokens), number(row.deliveredTokens)]
}

/** The first column to the left, numbers to the right. */
function columns(rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 1) return []
  const widths = HEADINGS.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, index) =>
        index === 0 ? `  ${cell.padEnd(widths[0] ?? 0)}` : cell.padStart((widths[index] ?? 0) + 2),
      )
      .join(''),
  )
}

function number(value: number): string {
  return value.toLocaleString('en')
}

function counted(value: number, noun: string): string {
  return `${number(value)} ${noun}${value === 1 ? '' : 's'}`
}

function percent(part: number, whole: number): string {
  return whole <= 0 ? '' : ` (${Math.round((100 * part) / whole)} %)`
}

// Savings of past runs: one small JSON file in the data directory, one entry a day.

export const LEDGER_FILE = 'ledger.json'

/** Days and trials that are kept, the latest first to stay. */
const MAX_DAYS = 400
const MAX_TRIALS = 5_000

const amount = z.number().int().nonnegative()
/** Rows as they are written. */
export const rowsSchema = z.array(
  z.object({
    tool: z.string(),
    kind: z.enum(['call', 'proxy-tool', 'definitions']),
    calls: amount,
    originalTokens: amount,
    deliveredTokens: amount,
    unmeasuredCharacters: amount.optional(),
  }),
)
const daySchema = z.object({ day: z.string().regex(/^\d{4}-\d{2}-\d{2}$/), tools: rowsSchema })
const fileSchema = z.object({
  version: z.literal(1),
  days: z.array(daySchema),
  trials: z.array(trialSchema).default([]),
})

/** Days in their order. A file that is missing or broken is no days. */
export async function readLedger(directory: string): Promise<{ days: SavingsDay[]; trials: Trial[] }> {
  try {
    const parsed: unknown = JSON.parse(await readFile(join(directory, LEDGER_FILE), 'utf8'))
    return fileSchema.parse(parsed)
  } catch {
    return { days: [], trials: [] }
  }
}

/** Adds a run to the file. Written whole beside it and renamed, so a reader never sees half of it. */
export async function addToLedger(directory: string, report: SavingsReport): Promise<void> {
  if (report.tools.length === 0) return
  const before = await readLedger(directory)
  const days = mergeDays([...before.days, ...report.days]).slice(-MAX_DAYS)
  const trials = [...before.trials, ...report.trials].slice(-MAX_TRIALS)
  const partial = join(directory, `${LEDGER_FILE}.${randomUUID()}`)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  try {
    await writeFile(partial, `${JSON.stringify({ version: 1, days, trials })}\n`, { mode: 0o600 })
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
