/** How often each fault happened and what became of it. */
import { expect } from 'vitest'
import { type ToolResult, textOf } from '../world.ts'
import type { Agent, CallOptions } from './agent.ts'

/** Milliseconds after which a call counts as stuck: far more than any limit that is set for it, on a machine that is busy, too. */
const STUCK_MS = 150_000

/** The work, or a rejection when it seems never to end. */
export async function unstuck<T>(what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const stuck = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`stuck: ${what}`)), STUCK_MS)
  })
  return Promise.race([work, stuck]).finally(() => clearTimeout(timer))
}

/** The end of a call. `words`: of the error, or the text of the result. */
export interface Outcome {
  ended: 'result' | 'error' | 'cancelled'
  words: string
}

export async function outcomeOf(
  what: string,
  call: Promise<ToolResult>,
  signal?: AbortSignal,
): Promise<Outcome> {
  try {
    const result = await unstuck(what, call)
    return { ended: result.isError ? 'error' : 'result', words: textOf(result) }
  } catch (error) {
    if (String(error).includes('stuck: ')) throw error
    return { ended: signal?.aborted ? 'cancelled' : 'error', words: String(error) }
  }
}

interface Row {
  times: number
  error: number
  result: number
  cancelled: number
  recovered: number
  worstMs: number
}

/** A fault by the transport and era that it happened on. */
export class Tally {
  readonly #rows = new Map<string, Row>()

  add(key: string, { ended }: Outcome, recoveredMs: number): void {
    const row = this.#rows.get(key) ?? {
      times: 0,
      error: 0,
      result: 0,
      cancelled: 0,
      recovered: 0,
      worstMs: 0,
    }
    this.#rows.set(key, row)
    row.times++
    row[ended]++
    row.recovered++
    row.worstMs = Math.max(row.worstMs, Math.round(recoveredMs))
  }

  rows(): [string, Row][] {
    return [...this.#rows].sort(([a], [b]) => a.localeCompare(b))
  }

  print(): void {
    const lines = this.rows().map(
      ([key, { times, error, result, cancelled, recovered, worstMs }]) =>
        `  ${key.padEnd(62)}${[times, error, result, cancelled, recovered, worstMs].map((n) => String(n).padStart(10)).join('')}`,
    )
    const head = ['times', 'error', 'result', 'cancelled', 'recovered', 'worst ms'].map((name) =>
      name.padStart(10),
    )
    process.stdout.write(`  ${'fault'.padEnd(62)}${head.join('')}\n${lines.join('\n')}\n`)
  }
}

/** The next call of this client to that server works, at the first try. Resolves to the milliseconds it took. */
export async function recovers(
  agent: Agent,
  server: string,
  after: string,
  options?: CallOptions,
): Promise<number> {
  const marker = `${agent.name}/after ${after}`
  const begun = performance.now()
  const result = await unstuck(`the call after ${after}`, agent.call(`${server}_echo`, { marker }, options))
  expect(textOf(result), `the call after ${after}`).toBe(marker)
  return performance.now() - begun
}
