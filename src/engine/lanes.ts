import { LRUCache } from 'lru-cache'
import type { Engine } from './engine.ts'
import { createLane, type Lane } from './lane.ts'
import type { Answer, Task } from './task.ts'

export interface EngineOptions {
  /** Worker threads. Each keeps views of its own, so one result is asked about in one lane. */
  lanes: number
  /** Milliseconds a digest or query may run. */
  queryTimeout: number
  /** Heap of each worker in MB. Default: Node's own. */
  maxOldGenerationMb?: number
  /** Module of the workers. Default: the compiled `worker.ts`. */
  worker?: URL
}

/** Two workers, on few cores as well: a new result does not wait for a long query. The second starts when the first is busy. */
export const ENGINE_DEFAULTS = {
  lanes: 2,
  queryTimeout: 20_000,
} as const

/** Contents whose lane is remembered. One that is forgotten is opened once more, somewhere. */
const REMEMBERED = 10_000

/** An engine of worker threads. They start on first use and never hold the process. */
export function createEngine(options: EngineOptions): Engine {
  const { maxOldGenerationMb, worker = compiledWorker() } = options
  const lanes = Array.from({ length: Math.max(1, options.lanes) }, () =>
    createLane({
      worker,
      timeLimit: options.queryTimeout,
      ...(maxOldGenerationMb !== undefined && { maxOldGenerationMb }),
    }),
  )
  /** Where content, by its hash, was last opened. */
  const homes = new LRUCache<string, Lane>({ max: REMEMBERED })

  const idlest = (): Lane => lanes.reduce((best, lane) => (lane.load < best.load ? lane : best))

  async function run<T extends Task>(
    lane: Lane,
    task: T,
    signal?: AbortSignal,
    urgent = false,
  ): Promise<Answer<T>> {
    return (await lane.run(task, signal, urgent)) as Answer<T>
  }

  return {
    async digest({ content, tool }, digestOptions, signal) {
      const lane = idlest()
      const task = { kind: 'digest', arrival: { content, tool }, options: digestOptions } as const
      // A call is under way for it; a question may wait a little longer.
      const digest = await run(lane, task, signal, true)
      homes.set(digest.hash, lane)
      return digest
    },
    async query(entries, query, signal) {
      const sources = entries.map(({ handle, hash, content, tool }) => ({ handle, hash, content, tool }))
      const first = sources[0]?.hash ?? ''
      const lane = homes.get(first) ?? idlest()
      for (const { hash } of sources) if (!homes.has(hash)) homes.set(hash, lane)
      const answer = await run(lane, { kind: 'query', sources, query }, signal)
      if (answer.whole !== undefined) homes.set(answer.whole.hash, lane)
      return answer
    },
    countTokens: (texts) => run(idlest(), { kind: 'count', texts }),
    forget(hash) {
      const lane = homes.get(hash)
      homes.delete(hash)
      // A worker that fails here has lost its views anyway.
      if (lane !== undefined) run(lane, { kind: 'forget', hash }).catch(() => {})
    },
    warm: () => idlest().warm(),
    async close() {
      await Promise.all(lanes.map((lane) => lane.close()))
    },
  }
}

/** Beside this file in `dist`; from `src`, as tests run it, in the bundle, for threads cannot load TypeScript. */
function compiledWorker(): URL {
  const compiled = import.meta.url.endsWith('.js')
  return new URL(compiled ? './worker.js' : '../../dist/bundle/worker.js', import.meta.url)
}
