/** Kept results that are asked bad questions, and what must stay true of them. */
import { expect } from 'vitest'
import { report, timed } from './report.ts'
import { fixture, handleOf, type RunningProxy, startProxy, type ToolResult, textOf } from './world.ts'

export type Tool = 'filter' | 'search' | 'explore'
export type Arguments = Record<string, unknown>

export const BUDGET = 8000
/** An error is a few sentences, whatever it was given. */
export const SENTENCES = 1200
/** A path that would run code where paths are evaluated. */
export const code = '$[?(@.constructor.constructor("return process")().exit())]'

/** Names that every JavaScript object has without owning them. */
export const foreign = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']

/** Patterns that no linear engine knows: answered or refused, but soon. */
export const lookaround = [
  '(?<=x)(a+)+$',
  '(?=(x+x+)+y)',
  '^(?!.*(x+)+y).*$',
  '(.*)\\1\\1\\1y',
  '(?=(a+)+b)(a|aa)+$',
]

export interface World extends RunningProxy {
  json: string
  log: string
}

/** The proxy with a kept JSON of 2 MB and a kept log of 1 MB. */
export async function keptWorld(): Promise<World> {
  const proxy = await startProxy({ servers: { f: fixture('f') } })
  const lines = Array.from({ length: 15_000 }, (_, n) => {
    const time = new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString()
    return `${time} ${n % 50 ? 'INFO' : 'ERROR'} job ${n} ${'a'.repeat(30)}!`
  })
  const text = { content: [{ type: 'text', text: lines.join('\n') }] }
  const [json, log] = [
    await proxy.call('f_records', { count: 9000, pad: 60 }),
    await proxy.call('f_give', { result: text }),
  ]
  return { ...proxy, json: handleOf(json), log: handleOf(log) }
}

/** Questions with answers that must not change, whatever was asked in between. */
export async function control({ call, json, log }: World): Promise<string[]> {
  const answers = [
    await call('proxy_filter', { cache_id: json, group_by: 'state', aggregate: ['count', 'sum(price)'] }),
    await call('proxy_filter', { cache_id: json, where: ['id = 8999'] }),
    await call('proxy_explore', { cache_id: json }),
    await call('proxy_search', { cache_id: log, pattern: 'ERROR job 14950' }),
    await call('proxy_filter', { cache_id: log, group_by: 'level', aggregate: 'count' }),
  ]
  expect(answers.map(({ isError }) => isError ?? false)).toEqual(answers.map(() => false))
  return answers.map(textOf)
}

/** Remembers the slowest answers. */
export function stopwatch() {
  const all: { ms: number; what: string }[] = []
  return {
    async time(what: string, work: () => Promise<ToolResult>): Promise<ToolResult> {
      const { value, ms } = await timed(work)
      all.push({ ms, what })
      return value
    },
    slowest(): { ms: number; what: string } {
      return all.reduce((worst, one) => (one.ms > worst.ms ? one : worst), { ms: 0, what: '' })
    },
    tell(name: string): void {
      const { ms, what } = this.slowest()
      const times = all.map((one) => one.ms).sort((a, b) => a - b)
      const median = Math.round(times[Math.floor(times.length / 2)] ?? 0)
      report(name, { answers: all.length, 'median ms': median, 'slowest ms': Math.round(ms), at: what })
    },
  }
}

/** A question in a line. */
export const shortly = (tool: string, args: Arguments): string =>
  `${tool} ${JSON.stringify(args).slice(0, 120)}`
