import { LRUCache } from 'lru-cache'
import type { Tinypool } from 'tinypool'
import { beginsAt, type GrowingBytes } from '../protocol/bytes.ts'
import { cancelled, hasCode, messageOf, ProxyError } from '../protocol/errors.ts'
import { unlessAborted } from '../protocol/sharing.ts'
import { hashInSlices, hashOf } from './content.ts'
import type { AheadTask, Answer, Engine, Source, Task } from './contract.ts'

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
export const ENGINE_DEFAULTS = { lanes: 2 } as const

/** Contents whose lane is remembered. One that is forgotten is opened once more, somewhere. */
const REMEMBERED = 10_000

/** Shorter content is hashed by the worker. */
const LONG = 128 * 1024

/** Milliseconds without questions after which a result that was only looked at is opened for those that may come. */
const QUIET = 1000

/** Milliseconds without questions after which workers give back what they do not need. */
const REST = 10_000

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
  const rest = createQuiet(REST)
  const used = new Set<Lane>()
  let isWarm = false
  let arrivals = 0

  const idlest = (): Lane => lanes.reduce((best, lane) => (lane.load < best.load ? lane : best))

  async function run<T extends Task>(
    lane: Lane,
    task: T,
    signal?: AbortSignal,
    urgent = false,
  ): Promise<Answer<T>> {
    quiet.disturb()
    used.add(lane)
    rest.later('rest', giveBack)
    return (await lane.run(task, signal, urgent)) as Answer<T>
  }

  /** By the workers that were asked something since the last time. */
  function giveBack(): void {
    for (const lane of used) background(lane, { kind: 'rest' })
    used.clear()
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
      const isLong = content.byteLength >= LONG
      const name = `arrival ${++arrivals}`
      const task = {
        kind: 'digest',
        arrival: { content, tool },
        options: digestOptions,
        ...(begun && { ahead: begun.id }),
        ...(isLong && { name }),
      } as const
      // A call is under way for it; a question may wait a little longer.
      const hashing = isLong ? hashInSlices(content) : undefined
      const digest = await run(lane, task, signal, true)
      const { unopened, shaped, tokens } = digest
      const hash = digest.hash || ((await hashing) ?? hashOf(content))
      homes.set(hash, lane)
      if (shaped && !unopened && isLong) background(lane, { kind: 'named', name, hash })
      if (!unopened) return { ...digest, hash }
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
      rest.close()
      await Promise.all(lanes.map((lane) => lane.close()))
    },
  }
}

/** Beside this file in `dist`; from `src`, as tests run it, in the bundle, for threads cannot load TypeScript. */
function compiledWorker(): URL {
  const compiled = import.meta.url.endsWith('.js')
  return new URL(compiled ? './worker.js' : '../../dist/bundle/worker.js', import.meta.url)
}

// One worker and the queue before it.

/** How a lane runs its worker. */
export interface LaneOptions {
  /** The worker's module; it exports `run(task)`, and `ready()`, which does nothing. */
  worker: URL
  /** Milliseconds a task may run before its worker is killed. Waiting in the queue and the start of a worker do not count. */
  timeLimit: number
  /** Heap of the worker in MB. Default: Node's own. */
  maxOldGenerationMb?: number
}

/** Tasks are pure, one runs at a time, and each may be stopped at any moment without harm to the others. */
export interface Lane {
  /**
   * Rejects with ProxyError: CANCELLED, QUERY_TIMEOUT, or QUERY_FAILED when the worker threw or died. What is `urgent` goes
   * before all that waits and is not.
   */
  run(task: unknown, signal?: AbortSignal, urgent?: boolean): Promise<unknown>
  /** Tasks running and waiting. */
  readonly load: number
  /** Starts the worker when there is none. */
  warm(): void
  /** Kills the worker, within a second at most; what still waits rejects. */
  close(): Promise<void>
}

/** A task with whoever waits for it. Never rejects. */
type Job = () => Promise<void>

/** Deep JSON needs a deep stack; the default is 4. */
const STACK_MB = 16

/** Milliseconds a worker may take to start: some tenths of a second, on a busy machine many seconds. */
const START_LIMIT = 60_000

/** Milliseconds a killed worker has to be gone. */
const CLOSE_LIMIT = 800

/** The worker starts with the first task, and again after each that was stopped. */
export function createLane(options: LaneOptions): Lane {
  const closing = new AbortController()
  let pool: Promise<Tinypool> | undefined
  let stopCurrent: ((reason: unknown) => void) | undefined
  const urgentJobs: Job[] = []
  const jobs: Job[] = []
  let running = false
  /** The worker has not said yet that it is there. */
  let fresh = true
  let load = 0

  function open(): Promise<Tinypool> {
    pool ??= import('tinypool').then(({ Tinypool }) => {
      const opened = new Tinypool({
        filename: options.worker.href,
        name: 'run',
        minThreads: 1,
        maxThreads: 1,
        // Between tasks the worker's event loop runs: what was put off until the answer was out is done there.
        useAtomics: false,
        resourceLimits: {
          stackSizeMb: STACK_MB,
          ...(options.maxOldGenerationMb !== undefined && {
            maxOldGenerationSizeMb: options.maxOldGenerationMb,
          }),
        },
      })
      // A worker that dies before it took the task says so here and nowhere else.
      opened.on('error', (error) => stopCurrent?.(error))
      return opened
    })
    return pool
  }

  async function execute(task: unknown, signal: AbortSignal | undefined): Promise<unknown> {
    const stop = new AbortController()
    // The caller has left by then.
    const cancel = (): void => stop.abort(signal?.reason)
    const end = (): void => stop.abort(closed())
    const stopAfter = (limit: number, reason: () => ProxyError): NodeJS.Timeout =>
      setTimeout(() => stop.abort(reason()), limit)
    let timer: NodeJS.Timeout | undefined
    stopCurrent = (reason) => stop.abort(failed(reason))
    signal?.addEventListener('abort', cancel, { once: true })
    closing.signal.addEventListener('abort', end, { once: true })
    try {
      const worker = await open()
      // What a worker needs to start is no part of the task's time.
      if (fresh) {
        timer = stopAfter(START_LIMIT, () => failed('its thread did not start'))
        await worker.run(undefined, { name: 'ready', signal: stop.signal })
        clearTimeout(timer)
        fresh = false
      }
      timer = stopAfter(options.timeLimit, () => tookTooLong(options.timeLimit))
      return await worker.run(task, { signal: stop.signal })
    } catch (error) {
      // A task that throws leaves its worker; one that is stopped does not.
      fresh ||= stop.signal.aborted
      throw stop.signal.aborted ? stop.signal.reason : failed(error)
    } finally {
      clearTimeout(timer)
      stopCurrent = undefined
      signal?.removeEventListener('abort', cancel)
      closing.signal.removeEventListener('abort', end)
    }
  }

  async function work(): Promise<void> {
    if (running) return
    running = true
    for (let job = next(); job !== undefined; job = next()) await job()
    running = false
  }

  const next = (): Job | undefined => urgentJobs.shift() ?? jobs.shift()

  return {
    run(task, signal, urgent = false) {
      load++
      const done = new Promise<unknown>((resolve, reject) => {
        const job = async (): Promise<void> => {
          try {
            if (signal?.aborted) throw cancelled(signal)
            if (closing.signal.aborted) throw closed()
            resolve(await execute(task, signal))
          } catch (error) {
            reject(error)
          } finally {
            load--
          }
        }
        if (urgent) urgentJobs.push(job)
        else jobs.push(job)
      })
      void work()
      // A call that is cancelled while it waits in the queue need not wait for its turn.
      return unlessAborted(done, signal)
    },
    get load() {
      return load
    },
    warm() {
      if (!closing.signal.aborted) void open()
    },
    async close() {
      closing.abort()
      const opened = await pool
      if (opened === undefined) return
      const patience = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_LIMIT).unref())
      await Promise.race([opened.destroy(), patience])
    },
  }
}

function closed(): ProxyError {
  return new ProxyError('CANCELLED', 'The proxy ends, and the query with it.', '')
}

function tookTooLong(milliseconds: number): ProxyError {
  return new ProxyError(
    'QUERY_TIMEOUT',
    `The query took longer than ${milliseconds / 1000} s and was stopped. The kept result is unchanged.`,
    'Do not repeat it as it is: give a narrower path (without ..), a simpler pattern or fewer fields.',
  )
}

function failed(error: unknown): ProxyError {
  const outOfMemory = hasCode(error, 'ERR_WORKER_OUT_OF_MEMORY')
  return new ProxyError(
    'QUERY_FAILED',
    outOfMemory
      ? 'The query needed more memory than it may have and was stopped. The kept result is unchanged.'
      : `The query broke off: ${messageOf(error)}. The kept result is unchanged.`,
    'Ask for a smaller part: give a narrower path, fewer fields or a smaller limit.',
    { cause: error },
  )
}

// Results are looked at while they arrive, so that most of it is done when the last byte is there. The side
// of the event loop.

/** A result that is looked at before all of it is there. */
interface Ahead {
  readonly id: number
  readonly lane: Lane
  /** The first byte of the result in its message. */
  readonly start: number
  underWay: boolean
}

interface AheadOptions {
  /** A lane that has nothing to do, if there is one. */
  idle(): Lane | undefined
  /** Bytes of the message that were looked at; -1: it must wait until all is there. */
  look(lane: Lane, task: AheadTask): Promise<number>
}

/** What a digest goes on with. */
interface Begun {
  id: number
  lane: Lane
}

interface Aheads {
  /** A message begins to arrive, whose result begins at `start`. Answers what is called whenever there is more of it. */
  arriving(bytes: GrowingBytes, start: number): () => void
  /** What was begun of a result, when its worker has nothing else to do. */
  of(content: Uint8Array): Begun | undefined
}

/** The first look is taken when this much is there, and then one when so much more is. */
const FIRST = 1024 * 1024
const STEP = 256 * 1024

export function createAheads({ idle, look }: AheadOptions): Aheads {
  const begun = new WeakMap<object, Ahead>()
  let lastId = 0

  async function lookOn(ahead: Ahead, buffer: SharedArrayBuffer): Promise<number> {
    const { id, lane, start } = ahead
    ahead.underWay = true
    try {
      return await look(lane, { kind: 'ahead', id, buffer, start })
    } catch {
      // A worker that is gone took with it what it had begun.
      return -1
    } finally {
      ahead.underWay = false
    }
  }

  return {
    arriving(bytes, start) {
      let ahead: Ahead | undefined
      let next = FIRST
      return () => {
        if (bytes.length < next || ahead?.underWay) return
        if (ahead === undefined) {
          const lane = idle()
          if (lane === undefined) return
          ahead = { id: ++lastId, lane, start, underWay: false }
        }
        begun.set(bytes.buffer, ahead)
        void lookOn(ahead, bytes.buffer).then((read) => {
          next = read < 0 ? Number.POSITIVE_INFINITY : read + STEP
        })
      }
    },
    of(content) {
      const ahead = begun.get(content.buffer)
      if (ahead === undefined || !beginsAt(content, ahead.start)) return undefined
      const { id, lane } = ahead
      return lane.load <= (ahead.underWay ? 1 : 0) ? { id, lane } : undefined
    },
  }
}

/** Work that can wait until nothing has been asked for a while. */
interface Quiet {
  /** Something is asked for: the quiet begins anew. */
  disturb(): void
  /** Does the work in the next quiet, unless other work takes this place before. */
  later(place: string, work: () => void): void
  close(): void
}

/** `delay`: milliseconds without a disturbance. The timer never holds the process. */
export function createQuiet(delay: number): Quiet {
  const works = new Map<string, () => void>()
  let timer: NodeJS.Timeout | undefined

  function arm(): void {
    clearTimeout(timer)
    timer = works.size === 0 ? undefined : setTimeout(begin, delay).unref()
  }

  function begin(): void {
    timer = undefined
    const due = [...works.values()]
    works.clear()
    for (const work of due) work()
  }

  return {
    disturb: arm,
    later(place, work) {
      works.set(place, work)
      arm()
    },
    close() {
      works.clear()
      clearTimeout(timer)
    },
  }
}
