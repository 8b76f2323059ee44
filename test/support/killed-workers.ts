/** Workers that are killed while they answer. */
import { createHash } from 'node:crypto'
import { expect, onTestFinished } from 'vitest'
import type { Source } from '../../src/engine/contract.ts'
import { createEngine } from '../../src/engine/pool.ts'
import { startWorker, type Worker, type WorkerOptions } from '../../src/engine/process.ts'

const NEVER = new AbortController().signal
const RECORDS = 400
/** Results, and questions under way at any time. */
const RESULTS = 6
const AT_ONCE = 8

/** Kills a worker so many times while questions are asked, and expects the right answer to each of them. */
export async function killsLoseNothing(kills: number): Promise<void> {
  const workers: Worker[] = []
  const start = (options: WorkerOptions): Worker => {
    const made = startWorker(options)
    workers.push(made)
    return made
  }
  const engine = createEngine({ workers: 2, queryTimeout: 120_000, heapMb: 256, start })
  onTestFinished(() => engine.close())
  const sources = Array.from({ length: RESULTS }, (_, nth) => sourceOf(nth))
  const before = sources.map(hashNow)
  let killed = 0
  let answered = 0
  /** Each asks on until enough workers were killed, and then once more. */
  const asking = Array.from({ length: AT_ONCE }, async (_, who) => {
    for (let nth = 0, last = false; !last; nth++) {
      last = killed >= kills
      const which = (who + nth) % RESULTS
      const source = sources[which] as Source
      const query = {
        kind: 'filter',
        params: { where: `id >= ${nth % 100}`, aggregate: 'count, sum(of)' },
        budget: 2000,
      } as const
      const text = (await engine.query([{ ...source, owner: `agent ${who % 3}` }], query, NEVER)).text.join(
        '',
      )
      const count = RECORDS - (nth % 100)
      expect(text).toContain(`{"count":${count},"sum(of)":${count * which}}`)
      answered++
    }
  })
  const killing = (async () => {
    for (let seen = 0; killed < kills; ) {
      // Some answers between two kills, so that the load goes on.
      await new Promise((resolve) => setTimeout(resolve, 5))
      const living = workers.filter(({ isGone }) => !isGone)
      const victim = living[killed % Math.max(1, living.length)]
      if (answered < seen + 4 || victim?.pid === undefined) continue
      seen = answered
      process.kill(victim.pid, 'SIGKILL')
      killed++
    }
  })()
  await Promise.all([...asking, killing])
  expect(killed).toBe(kills)
  expect(sources.map(hashNow)).toEqual(before)
}

function sourceOf(nth: number): Source {
  const text = JSON.stringify(Array.from({ length: RECORDS }, (_, id) => ({ id, of: nth })))
  const json = Buffer.from(JSON.stringify({ content: [{ type: 'text', text }] }))
  const content = new Uint8Array(new SharedArrayBuffer(json.byteLength))
  content.set(json)
  return { handle: `${nth}`.padStart(12, '0'), hash: hashNow({ content }), content, tool: 'shop_orders' }
}

function hashNow({ content }: Pick<Source, 'content'>): string {
  return createHash('sha256').update(content).digest('hex')
}
