import { LRUCache } from 'lru-cache'
import { createAheads } from './ahead.ts'
import type { Engine } from './engine.ts'
import { hashInSlices, hashOf } from './hash.ts'
import { createLane, type Lane } from './lane.ts'
import type { Source } from './operation.ts'
import { createQuiet } from './quiet.ts'
import type { Answer, Task } from './task.ts'

/** How many workers there are, and what each may take. */
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

/** Shorter content is hashed by the worker. */
const LONG = 128 * 1024

/** Milliseconds without questions after which a result that was only looked at is opened for those that may come. */
const QUIET = 1000

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

  const quiet = createQuiet(QUIET)
  let isWarm = false

  const idlest = (): Lane => lanes.reduce((best, lane) => (lane.load < best.load ? lane : best))

  async function run<T extends Task>(
    lane: Lane,
    task: T,
    signal?: AbortSignal,
    urgent = false,
  ): Promise<Answer<T>> {
    quiet.disturb()
    return (await lane.run(task, signal, urgent)) as Answer<T>
  }

  const aheads = createAheads({
    idle: () => lanes.find((lane) => lane.load === 0),
    look: run,
  })

  /** Nobody waits for it, and a worker that fails here fails again where it is told. */
  function background(lane: Lane, task: Task): void {
    lane.run(task).catch(() => {})
  }

  /** What is previewed is asked about, most often, and the last one first. It takes longer to open than to preview. */
  function openLater(lane: Lane, source: Pick<Source, 'hash' | 'content'>, tokens: number): void {
    background(lane, { kind: 'counted', hash: source.hash, tokens })
    quiet.later('open', () => {
      if (homes.has(source.hash)) background(lane, { kind: 'open', source })
    })
  }

  /** Where the first of them was opened the others are, too. */
  function inOneLane(entries: readonly Source[]): { sources: Source[]; lane: Lane } {
    const sources = entries.map(({ handle, hash, content, tool }) => ({ handle, hash, content, tool }))
    const lane = homes.get(sources[0]?.hash ?? '') ?? idlest()
    for (const { hash } of sources) if (!homes.has(hash)) homes.set(hash, lane)
    return { sources, lane }
  }

  return {
    arriving: aheads.arriving,
    async digest({ content, tool }, digestOptions, signal) {
      const begun = aheads.of(content)
      const lane = begun?.lane ?? idlest()
      const task = {
        kind: 'digest',
        arrival: { content, tool },
        options: digestOptions,
        ...(begun && { ahead: begun.id }),
      } as const
      // A call is under way for it; a question may wait a little longer.
      const hashing = content.byteLength < LONG ? undefined : hashInSlices(content)
      const digest = await run(lane, task, signal, true)
      const { unopened, shaped, tokens } = digest
      const hash = unopened ? ((await hashing) ?? hashOf(content)) : digest.hash
      homes.set(hash, lane)
      if (!unopened) return digest
      if (shaped) openLater(lane, { hash, content }, tokens)
      return { ...digest, hash }
    },
    async query(entries, query, signal) {
      const { sources, lane } = inOneLane(entries)
      const answer = await run(lane, { kind: 'query', sources, query }, signal)
      if (answer.whole !== undefined) homes.set(answer.whole.hash, lane)
      return answer
    },
    async fill(entries, filling, signal) {
      const { sources, lane } = inOneLane(entries)
      return run(lane, { kind: 'fill', sources, filling }, signal)
    },
    export: (content, toon, signal) => run(idlest(), { kind: 'export', content, toon }, signal),
    readback: (content, isResult, wanted, signal) =>
      run(idlest(), { kind: 'readback', content, isResult, wanted }, signal),
    change: (content, change, signal) => run(idlest(), { kind: 'change', content, change }, signal, true),
    countTokens: (texts) => run(idlest(), { kind: 'count', texts }),
    forget(hash) {
      const lane = homes.get(hash)
      homes.delete(hash)
      // A worker that fails here has lost its views anyway.
      if (lane !== undefined) background(lane, { kind: 'forget', hash })
    },
    warm() {
      const lane = idlest()
      lane.warm()
      // Not while servers start and the client lists their tools.
      if (!isWarm) quiet.later('rehearse', () => background(lane, { kind: 'rehearse' }))
      isWarm = true
    },
    async close() {
      quiet.close()
      await Promise.all(lanes.map((lane) => lane.close()))
    },
  }
}

/** Beside this file in `dist`; from `src`, as tests run it, in the bundle, for threads cannot load TypeScript. */
function compiledWorker(): URL {
  const compiled = import.meta.url.endsWith('.js')
  return new URL(compiled ? './worker.js' : '../../dist/bundle/worker.js', import.meta.url)
}
