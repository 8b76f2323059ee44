/** One worker and the queue before it. */
import type { Tinypool } from 'tinypool'
import { cancelled, hasCode, messageOf, ProxyError } from '../protocol/errors.ts'
import { unlessAborted } from '../protocol/until.ts'

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
