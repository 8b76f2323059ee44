import { LRUCache } from 'lru-cache'
import type { Tinypool } from 'tinypool'
import { beginsAt, type GrowingBytes } from '../protocol/bytes.ts'
import { cancelled, hasCode, messageOf, ProxyError } from '../protocol/errors.ts'
import { unlessAborted } from '../protocol/sharing.ts'
import { hashInSlices, hashOf } from './content.ts'
import type { Answer, Engine, ReadAheadTask, Source, Task } from './contract.ts'

/** How many workers there are, and what each may take. */
export interface EngineOptions {
  /** Worker threads. Each keeps views of its own, so one result is asked about in one worker. */
  workers: number
  /** Milliseconds a digest or query may run. */
  queryTimeout: number
  /** Heap of each worker in MB. Default: Node's own. */
  maxOldGenerationMb?: number
  /** Module of the workers. Default: the compiled `worker.ts`. */
  worker?: URL
}

/** Two workers, on few cores as well: a new result does not wait for a long query. The second starts when the first is busy. */
export const ENGINE_DEFAULTS = { workers: 2 } as const

/** Contents whose worker is remembered. One that is forgotten is opened once more, somewhere. */
const REMEMBERED = 10_000

/** Shorter content is hashed by the worker. */
const LONG = 128 * 1024

/** Milliseconds without questions after which a result that was only looked at is opened for those that may come. */
const IDLE = 1000

/** Milliseconds without questions after which workers give back what they do not need. */
const REST = 10_000

/** An engine of worker threads. They start on first use and never hold the process. */
export function createEngine(options: EngineOptions): Engine {
  const { maxOldGenerationMb, worker = compiledWorker() } = options
  const queues = Array.from({ length: Math.max(1, options.workers) }, () =>
    createWorkerQueue({
      worker,
      timeLimit: options.queryTimeout,
      ...(maxOldGenerationMb !== undefined && { maxOldGenerationMb }),
    }),
  )
  /** Where content, by its hash, was last opened. */
  const homes = new LRUCache<string, WorkerQueue>({ max: REMEMBERED })

  const idle = createIdle(IDLE)
  const rest = createIdle(REST)
  const used = new Set<WorkerQueue>()
  let isWarm = false
  let arrivals = 0

  const shortest = (): WorkerQueue => queues.reduce((best, queue) => (queue.load < best.load ? queue : best))

  async function run<T extends Task>(
    queue: WorkerQueue,
    task: T,
    signal?: AbortSignal,
    urgent = false,
  ): Promise<Answer<T>> {
    idle.disturb()
    used.add(queue)
    rest.later('rest', giveBack)
    return (await queue.run(task, signal, urgent)) as Answer<T>
  }

  /** By the workers that were asked something since the last time. */
  function giveBack(): void {
    for (const queue of used) background(queue, { kind: 'rest' })
    used.clear()
  }

  const readAheads = createReadAheads({
    free: () => queues.find((queue) => queue.load === 0),
    look: run,
  })

  /** Nobody waits for it, and a worker that fails here fails again where it is told. */
  function background(queue: WorkerQueue, task: Task): void {
    queue.run(task).catch(() => {})
  }

  /** What is previewed is asked about, most often, and the last one first. It takes longer to open than to preview. */
  function openLater(queue: WorkerQueue, source: Pick<Source, 'hash' | 'content'>, tokens: number): void {
    background(queue, { kind: 'counted', hash: source.hash, tokens })
    idle.later('open', () => {
      if (homes.has(source.hash)) background(queue, { kind: 'open', source })
    })
  }

  /** Where the first of them was opened the others are, too. */
  function inOneQueue(entries: readonly Source[]): { sources: Source[]; queue: WorkerQueue } {
    const sources = entries.map(({ handle, hash, content, tool }) => ({ handle, hash, content, tool }))
    const queue = homes.get(sources[0]?.hash ?? '') ?? shortest()
    for (const { hash } of sources) if (!homes.has(hash)) homes.set(hash, queue)
    return { sources, queue }
  }

  return {
    arriving: readAheads.arriving,
    async digest({ content, tool }, digestOptions, signal) {
      const begun = readAheads.of(content)
      const queue = begun?.queue ?? shortest()
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
      const digest = await run(queue, task, signal, true)
      const { unopened, shaped, tokens } = digest
      const hash = digest.hash || ((await hashing) ?? hashOf(content))
      homes.set(hash, queue)
      if (shaped && !unopened && isLong) background(queue, { kind: 'named', name, hash })
      if (!unopened) return { ...digest, hash }
      if (shaped) openLater(queue, { hash, content }, tokens)
      return { ...digest, hash }
    },
    async query(entries, query, signal) {
      const { sources, queue } = inOneQueue(entries)
      const answer = await run(queue, { kind: 'query', sources, query }, signal)
      if (answer.whole !== undefined) homes.set(answer.whole.hash, queue)
      return answer
    },
    async fill(entries, filling, signal) {
      const { sources, queue } = inOneQueue(entries)
      return run(queue, { kind: 'fill', sources, filling }, signal)
    },
    export: (content, toon, signal) => run(shortest(), { kind: 'export', content, toon }, signal),
    readback: (content, isResult, wanted, signal) =>
      run(shortest(), { kind: 'readback', content, isResult, wanted }, signal),
    change: (content, change, signal) => run(shortest(), { kind: 'change', content, change }, signal, true),
    countTokens: (texts) => run(shortest(), { kind: 'count', texts }),
    forget(hash) {
      const queue = homes.get(hash)
      homes.delete(hash)
      // A worker that fails here has lost its views anyway.
      if (queue !== undefined) background(queue, { kind: 'forget', hash })
    },
    warm() {
      const queue = shortest()
      queue.warm()
      // Not while servers start and the client lists their tools.
      if (!isWarm) idle.later('rehearse', () => background(queue, { kind: 'rehearse' }))
      isWarm = true
    },
    async close() {
      idle.close()
      rest.close()
      await Promise.all(queues.map((queue) => queue.close()))
    },
  }
}

/** Beside this file in `dist`; from `src`, as tests run it, in the bundle, for threads cannot load TypeScript. */
function compiledWorker(): URL {
  const compiled = import.meta.url.endsWith('.js')
  return new URL(compiled ? './worker.js' : '../../dist/bundle/worker.js', import.meta.url)
}

// One worker and the queue before it.

/** How a queue runs its worker. */
export interface QueueOptions {
  /** The worker's module; it exports `run(task)`, and `ready()`, which does nothing. */
  worker: URL
  /** Milliseconds a task may run before its worker is killed. Waiting in the queue and the start of a worker do not count. */
  timeLimit: number
  /** Heap of the worker in MB. Default: Node's own. */
  maxOldGenerationMb?: number
}

/** Tasks are pure, one runs at a time, and each may be stopped at any moment without harm to the others. */
export interface WorkerQueue {
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
export function createWorkerQueue(options: QueueOptions): WorkerQueue {
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
  readonly queue: WorkerQueue
  /** The first byte of the result in its message. */
  readonly start: number
  underWay: boolean
}

interface ReadAheadOptions {
  /** A worker that has nothing to do, if there is one. */
  free(): WorkerQueue | undefined
  /** Bytes of the message that were looked at; -1: it must wait until all is there. */
  look(queue: WorkerQueue, task: ReadAheadTask): Promise<number>
}

/** What a digest goes on with. */
interface Begun {
  id: number
  queue: WorkerQueue
}

interface ReadAheads {
  /** A message begins to arrive, whose result begins at `start`. Answers what is called whenever there is more of it. */
  arriving(bytes: GrowingBytes, start: number): () => void
  /** What was begun of a result, when its worker has nothing else to do. */
  of(content: Uint8Array): Begun | undefined
}

/** The first look is taken when this much is there, and then one when so much more is. */
const FIRST = 1024 * 1024
const STEP = 256 * 1024

export function createReadAheads({ free, look }: ReadAheadOptions): ReadAheads {
  const begun = new WeakMap<object, Ahead>()
  let lastId = 0

  async function lookOn(ahead: Ahead, buffer: SharedArrayBuffer): Promise<number> {
    const { id, queue, start } = ahead
    ahead.underWay = true
    try {
      return await look(queue, { kind: 'read-ahead', id, buffer, start })
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
          const queue = free()
          if (queue === undefined) return
          ahead = { id: ++lastId, queue, start, underWay: false }
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
      const { id, queue } = ahead
      return queue.load <= (ahead.underWay ? 1 : 0) ? { id, queue } : undefined
    },
  }
}

/** Work that can wait until nothing has been asked for a while. */
interface Idle {
  /** Something is asked for: the quiet begins anew. */
  disturb(): void
  /** Does the work in the next quiet, unless other work takes this place before. */
  later(place: string, work: () => void): void
  close(): void
}

/** `delay`: milliseconds without a disturbance. The timer never holds the process. */
export function createIdle(delay: number): Idle {
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
