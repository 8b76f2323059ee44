/**
 * Which task runs in which worker, and when. Agents take turns, and short tasks come before long ones. A task that runs long while
 * another agent waits gives its worker up. It runs again later, with more time.
 */
import { cancelled, messageOf, ProxyError } from '../protocol/errors.ts'
import type { Signal } from '../protocol/message.ts'
import { unlessAborted } from '../protocol/sharing.ts'
import type { Work } from './contract.ts'
import { startWorker, type Worker, WorkerGone, type WorkerOptions } from './process.ts'

export interface ScheduleOptions extends WorkerOptions {
  workers: number
  /** How a worker is started. Default: as a process. */
  start?: (options: WorkerOptions) => Worker
}

/** A task as it is handed in. */
export interface Wanted {
  /** Made when it is known which worker runs it. */
  task: (worker: Worker) => unknown
  /** The owner. Default: the proxy's own. */
  agent?: string
  /** The name of the task in the message of a time limit. */
  name?: string
  /** Where what it needs is open already. Another worker takes it when that one is busy. */
  home?: Worker | undefined
  signal?: Signal | undefined
  /** Before other tasks of its agent: a call is under way for it. */
  urgent?: boolean
  /** Refused when too many of its agent wait. */
  limited?: boolean
  /** No caller waits for it: it runs after all others, or before them where it is urgent. In its home alone, where it has one. */
  background?: boolean
}

export interface Done {
  answer: unknown
  worker: Worker
}

/** Tasks are pure: each may be stopped at any moment and run again. */
export interface Schedule {
  /**
   * Rejects with ProxyError: CANCELLED, QUERY_TIMEOUT, QUERY_BUSY, or QUERY_FAILED when the task threw or needed too much memory.
   */
  run(wanted: Wanted): Promise<Done>
  /** A worker that has nothing to do, and nothing waits for it. */
  free(): Worker | undefined
  /** Tasks running in it. */
  load(worker: Worker): number
  /** How much there is to do now. */
  work(): Work
  /** Starts a worker when there is none. */
  warm(): void
  /** Ends the workers; what runs and waits rejects. */
  close(): void
}

/**
 * Milliseconds. A task that runs longer than the first counts as long. After the second, a task no longer waits for its home or for a
 * worker that runs.
 */
const SLICE = 500
const HELD_BACK = 150
/** Milliseconds in which an agent is expected to ask for more long tasks after one. */
const SUSPECT = 10_000
/** Questions of one agent that may wait. */
export const MOST_WAITING = 64
/** Workers that may be ended by others while they run a task, before it is given up, and so many more before they begin. */
const TRIES = 5
const STARTS = 20
/** Milliseconds a worker may take to start: some tenths of a second, on a busy machine many seconds. */
const START_LIMIT = 60_000
/** Milliseconds that a task waits for a worker that starts, before another one is started. */
const START_PATIENCE = 5_000
/** Milliseconds without a task after which a worker ends. Its open results are opened again. */
export const WORKER_IDLE = 120_000

interface Job extends Wanted {
  agent: string
  resolve(done: Done): void
  reject(error: unknown): void
  queued: number
  /** It had to give up a worker, or is taken to be long. */
  long: boolean
  tries: number
  /** The worker that it runs in had other results open: what it needs may be there without them. */
  isCrowded: boolean
}

/** The place of a worker. */
interface Slot {
  worker: Worker | undefined
  job: Job | undefined
  /** When the job began; infinite while the worker starts. */
  begun: number
  /** Ends what runs, for this reason. */
  stop: (reason: unknown) => void
  idle: NodeJS.Timeout | undefined
}

/** The reason for which a job that runs long gives up its worker. */
const GIVEN_UP = Symbol('given up')

export function createSchedule(options: ScheduleOptions): Schedule {
  const { start = startWorker, workers: count } = options
  const slots = Array.from({ length: Math.max(1, count) }, (): Slot => {
    return { worker: undefined, job: undefined, begun: 0, stop: () => {}, idle: undefined }
  })
  /** In the order in which they came. */
  const waiting = new Set<Job>()
  /** When each agent had its last turn, and when a task of it last ran long. */
  const turns = new Map<string, number>()
  const ranLong = new Map<string, number>()
  let turn = 0
  /** Workers that have run a task. */
  const used = new WeakSet<Worker>()
  let timer: NodeJS.Timeout | undefined
  let closed = false
  /** Milliseconds that questions take, lately. */
  let usual = 100

  const now = (): number => performance.now()
  const isSlow = ({ job, begun }: Slot): boolean => job !== undefined && (job.long || now() - begun > SLICE)
  const isStarting = ({ job, begun }: Slot): boolean =>
    job !== undefined && begun === Number.POSITIVE_INFINITY
  const alive = (worker: Worker | undefined): boolean => worker !== undefined && !worker.isGone

  /**
   * To start another worker takes longer than most tasks. It starts when the running ones have been busy for a while. It does not start
   * while another one starts, and never for work that is done beforehand.
   */
  function mayStart({ background, queued }: Job): boolean {
    const running = slots.filter(({ worker }) => alive(worker))
    if (running.length === 0) return true
    if (background) return false
    if (running.some(isStarting)) return now() - queued >= START_PATIENCE
    return (
      now() - queued >= HELD_BACK ||
      running.every(({ job, begun }) => job !== undefined && now() - begun >= HELD_BACK)
    )
  }

  function mayBegin(job: Job, slot: Slot): boolean {
    const { home } = job
    if (!alive(slot.worker) && !mayStart(job)) return false
    if (alive(home) && slot.worker !== home) {
      if (job.background) return false
      const at = slots.find(({ worker }) => worker === home)
      if (at?.job === undefined || now() - job.queued < HELD_BACK) return false
    }
    if (!isLong(job)) return true
    return slots.filter(isSlow).length < Math.max(1, slots.length - 1)
  }

  /** It ran long, or its agent asks for what does, and others are there. */
  function isLong(job: Job): boolean {
    if (job.long) return true
    if (now() - (ranLong.get(job.agent) ?? Number.NEGATIVE_INFINITY) > SUSPECT) return false
    // Asked for each that waits: thousands must not be copied each time.
    for (const { agent, background } of waiting) if (!background && agent !== job.agent) return true
    return false
  }

  /** Short before long, then the agent with the oldest turn, then what is urgent, then what came first. */
  function next(slot: Slot): Job | undefined {
    let best: Job | undefined
    let bestRank: number[] = []
    for (const job of waiting) {
      if (!mayBegin(job, slot)) continue
      const rank = [
        job.background ? (job.urgent ? -1 : 2) : isLong(job) && now() - job.queued < 4 * SLICE ? 1 : 0,
        turns.get(job.agent) ?? 0,
        job.urgent ? 0 : 1,
      ]
      if (best === undefined || isBefore(rank, bestRank)) {
        best = job
        bestRank = rank
      }
    }
    return best
  }

  /** Work in advance for a worker that is gone is dropped, so that its result does not stay in memory. */
  function giveUpHomeless(): void {
    for (const job of waiting) {
      if (!job.background || job.home === undefined || alive(job.home)) continue
      waiting.delete(job)
      job.reject(new WorkerGone('killed', 'its worker is gone'))
    }
  }

  function dispatch(): void {
    if (closed) return
    giveUpHomeless()
    // Running workers come first: a new task begins where nothing has to be started.
    const idle = slots.filter(({ job }) => job === undefined)
    for (const slot of [
      ...idle.filter(({ worker }) => alive(worker)),
      ...idle.filter(({ worker }) => !alive(worker)),
    ]) {
      const job = next(slot)
      if (job === undefined) continue
      waiting.delete(job)
      if (!job.background) turns.set(job.agent, ++turn)
      void work(slot, job)
    }
    clearTimeout(timer)
    timer = undefined
    const someWait = [...waiting].some(({ background }) => !background)
    if (!someWait) return
    makeRoom()
    timer = setTimeout(dispatch, HELD_BACK).unref()
  }

  /** Where others wait, one worker at least is there for what is short. */
  function makeRoom(): void {
    if (slots.some(({ job }) => job === undefined)) return
    const held = slots.filter(
      (slot) => slot.begun !== Number.POSITIVE_INFINITY && now() - slot.begun > SLICE && !slot.job?.long,
    )
    const victim = held.findLast((slot) =>
      [...waiting].some((job) => !job.background && !isLong(job) && job.agent !== slot.job?.agent),
    )
    victim?.stop(GIVEN_UP)
  }

  async function work(slot: Slot, job: Job): Promise<void> {
    slot.job = job
    slot.begun = Number.POSITIVE_INFINITY
    clearTimeout(slot.idle)
    if (!alive(slot.worker)) slot.worker = start(options)
    const worker = slot.worker as Worker
    let stopped: unknown
    let step: string | undefined
    slot.stop = (reason) => {
      stopped ??= reason
      worker.kill()
    }
    const cancel = (): void => slot.stop(job.signal?.reason ?? 'cancelled')
    job.signal?.addEventListener('abort', cancel, { once: true })
    let limit = setTimeout(() => slot.stop(broken('its worker did not start')), START_LIMIT)
    try {
      await worker.ready
      clearTimeout(limit)
      slot.begun = now()
      limit = setTimeout(() => slot.stop(tookTooLong(options.timeLimit, step ?? job.name)), options.timeLimit)
      job.isCrowded = used.has(worker)
      used.add(worker)
      const answer = await worker.run(job.task(worker), (told) => {
        step = told
      })
      if (job.limited) usual += (now() - slot.begun - usual) / 8
      job.resolve({ answer, worker })
    } catch (error) {
      if (stopped === GIVEN_UP) again(job)
      else if (stopped !== undefined) job.reject(stopped)
      else if (mayRunAgain(error, job, slot.begun)) waiting.add(job)
      else
        job.reject(error instanceof WorkerGone ? brokenBy(error, step ?? job.name) : broken(messageOf(error)))
    } finally {
      clearTimeout(limit)
      job.signal?.removeEventListener('abort', cancel)
      if (now() - slot.begun > SLICE && job.limited) ranLong.set(job.agent, now())
      if (worker.isGone) slot.worker = undefined
      slot.job = undefined
      slot.stop = () => {}
      rest(slot)
      if (turns.size > 10_000) turns.clear()
      if (ranLong.size > 10_000) ranLong.clear()
      dispatch()
    }
  }

  /** A long task runs again once no other task needs the worker. */
  function again(job: Job): void {
    ranLong.set(job.agent, now())
    if (job.background) return job.reject(stoppedWord())
    job.long = true
    waiting.add(job)
  }

  function rest(slot: Slot): void {
    clearTimeout(slot.idle)
    slot.idle = setTimeout(() => {
      slot.worker?.kill()
      slot.worker = undefined
    }, WORKER_IDLE).unref()
  }

  return {
    run(wanted) {
      const { signal, agent = '', limited } = wanted
      if (signal?.aborted) return Promise.reject(cancelled(signal))
      if (closed) return Promise.reject(stoppedWord())
      if (limited) {
        const before = [...waiting].filter((job) => job.limited && job.agent === agent).length
        if (before >= MOST_WAITING) return Promise.reject(busy(before, (before * usual) / 1000))
      }
      let leave: () => void = () => {}
      const done = new Promise<Done>((resolve, reject) => {
        const job: Job = {
          ...wanted,
          agent,
          resolve,
          reject,
          queued: now(),
          long: false,
          tries: 0,
          isCrowded: false,
        }
        waiting.add(job)
        leave = () => void waiting.delete(job)
      })
      dispatch()
      // A call that is cancelled while it waits need not wait for its turn.
      return unlessAborted(done, signal, leave)
    },
    free() {
      if (closed || waiting.size > 0) return undefined
      const slot =
        slots.find(({ job, worker }) => job === undefined && alive(worker)) ??
        slots.find(({ job }) => job === undefined && !slots.some(isStarting))
      if (slot === undefined) return undefined
      if (!alive(slot.worker)) {
        slot.worker = start(options)
        rest(slot)
      }
      return slot.worker
    },
    work: () => ({
      workers: slots.filter(({ worker }) => alive(worker)).length,
      running: slots.filter(({ job }) => job !== undefined).length,
      waiting: waiting.size,
    }),
    load: (worker) => slots.filter((slot) => slot.worker === worker && slot.job !== undefined).length,
    warm() {
      if (!closed && !slots.some(({ worker }) => alive(worker))) this.free()
    },
    close() {
      closed = true
      clearTimeout(timer)
      for (const job of waiting) job.reject(stoppedWord())
      waiting.clear()
      for (const slot of slots) {
        clearTimeout(slot.idle)
        slot.stop(stoppedWord())
        slot.worker?.kill()
      }
    },
  }
}

function isBefore(rank: readonly number[], other: readonly number[]): boolean {
  const at = rank.findIndex((part, index) => part !== other[index])
  return at >= 0 && (rank[at] ?? 0) < (other[at] ?? 0)
}

/** Its worker was ended by somebody else, or over what others had left open in it. */
function mayRunAgain(error: unknown, job: Job, begun: number): boolean {
  if (!(error instanceof WorkerGone) || error.why === 'broken' || error.why === 'unstarted') return false
  if (error.why === 'memory') return job.isCrowded
  job.tries += begun === Number.POSITIVE_INFINITY ? TRIES / STARTS : 1
  return job.tries < TRIES
}

function stoppedWord(): ProxyError {
  return new ProxyError('CANCELLED', 'The proxy ends, and the query with it.', '')
}

const UNCHANGED = 'The kept result is unchanged.'
const SMALLER = 'Ask for a smaller part: give a narrower path, fewer fields or a smaller limit.'

function tookTooLong(milliseconds: number, step: string | undefined): ProxyError {
  return new ProxyError(
    'QUERY_TIMEOUT',
    `The query took longer than ${milliseconds / 1000} s and was stopped${step === undefined ? '' : ` at this step: ${step}`}. ${UNCHANGED}`,
    'Do not repeat it as it is: give a narrower path (without ..), a simpler pattern or fewer fields.',
  )
}

function brokenBy(gone: WorkerGone, step: string | undefined): ProxyError {
  const where = step === undefined ? '' : ` at this step: ${step}`
  if (gone.why === 'unstarted')
    return new ProxyError(
      'QUERY_FAILED',
      `The query could not begin, because no process could be started for it: ${gone.message}. ${UNCHANGED}`,
      'Ask it again later. The person who runs the proxy can raise the limits of the system on processes and open files.',
    )
  if (gone.why !== 'memory') return broken(`its worker is gone${where}: ${gone.message}`)
  return new ProxyError(
    'QUERY_FAILED',
    `The query needed more memory than it may have and was stopped${where}. ${UNCHANGED}`,
    SMALLER,
    { cause: gone },
  )
}

function broken(why: string): ProxyError {
  return new ProxyError('QUERY_FAILED', `The query broke off: ${why}. ${UNCHANGED}`, SMALLER)
}

function busy(waiting: number, seconds: number): ProxyError {
  const n = Math.max(1, Math.ceil(seconds))
  return new ProxyError(
    'QUERY_BUSY',
    `Busy: ${waiting} questions of yours wait for their turn already, so this one was not taken.`,
    `Ask it again in ${n} s, and fewer at once.`,
  )
}
