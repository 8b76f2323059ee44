import { LRUCache } from 'lru-cache'
import { beginsAt, type GrowingBytes } from '../protocol/stream.ts'
import { differThroughout, hashInSlices, hashOf } from './content.ts'
import type { Answer, Engine, Missing, ReadAheadTask, Source, Task } from './contract.ts'
import { compiled, type Worker } from './process.ts'
import { createSchedule, type ScheduleOptions, type Wanted } from './schedule.ts'

/** How many workers there are, and what each may take. */
export interface EngineOptions {
  /** Processes. Each keeps views of its own, so one result is asked about in one worker, as long as that has the time. */
  workers: number
  /** Milliseconds a digest or query may run. */
  queryTimeout: number
  /** Heap of each worker in MB. */
  heapMb: number
  /** MB of each worker in all. Default: no limit. */
  workerMb?: number
  /** Module of the workers. Default: the compiled `worker.ts`. */
  worker?: URL
  /** How a worker is started. Default: as a process. */
  start?: ScheduleOptions['start']
}

/** Two workers, on few cores as well: a new result does not wait for a long query. The second starts when the first is busy. */
export const ENGINE_DEFAULTS = { workers: 2, heapMb: 2048 } as const

/** The most contents that are remembered with their worker. A forgotten one is opened once more, in any worker. */
const REMEMBERED = 10_000

/** Shorter content is hashed by the worker. */
const LONG = 128 * 1024

/** Milliseconds without questions after which a result that was only looked at is opened for questions that may come. */
const IDLE = 1000

/** Milliseconds without questions after which workers give back what they do not need. */
const REST = 10_000

/** In place of content that a worker has open. */
const OPEN = new Uint8Array()

interface Home {
  worker: Worker
  isOpen: boolean
}

/** An engine of worker processes. They start on first use and never hold the process. */
export function createEngine(options: EngineOptions): Engine {
  const { worker = compiled('worker.js') } = options
  const schedule = createSchedule({
    worker,
    workers: options.workers,
    timeLimit: options.queryTimeout,
    heapMb: options.heapMb,
    memoryMb: options.workerMb,
    ...(options.start && { start: options.start }),
  })
  /** The worker that content, by its hash, was last sent to, and whether it has it open. */
  const homes = new LRUCache<string, Home>({ max: REMEMBERED })

  /** Content that a worker made and has open, by its buffer. */
  const joined = new WeakMap<ArrayBufferLike, { readonly hash: string; readonly worker: Worker }>()

  const idle = createIdle(IDLE)
  const rest = createIdle(REST)
  const used = new Set<Worker>()
  let isWarm = false
  let arrivals = 0

  async function run<T extends Task>(
    task: (worker: Worker) => T,
    wanted: Omit<Wanted, 'task'>,
  ): Promise<{ answer: Answer<T>; worker: Worker }> {
    idle.disturb()
    const { answer, worker } = await schedule.run({ ...wanted, task })
    used.add(worker)
    rest.later('rest', giveBack)
    return { answer: answer as Answer<T>, worker }
  }

  /** By the workers that were asked something since the last time. */
  function giveBack(): void {
    for (const home of used) void background(home, { kind: 'rest' })
    used.clear()
  }

  const readAheads = createReadAheads({
    free: schedule.free,
    load: schedule.load,
    async look(home, task) {
      const isThere = (at: Worker): ReadAheadTask => {
        if (at !== home) throw new Error('the worker is gone')
        return task
      }
      return (await run(isThere, { home, urgent: true })).answer
    },
  })

  /** No caller waits for it, and a worker that fails here fails again where the error is reported. */
  async function background(home: Worker | undefined, task: Task, urgent = false): Promise<void> {
    if (home?.isGone) return
    await schedule.run({ task: () => task, home, background: true, urgent }).catch(() => {})
  }

  /** One after the other, so that a call waits for one at most. Rejects where the worker ends. */
  async function rehearseAll(): Promise<void> {
    let home: Worker | undefined
    for (let nth = 0, more = true; more; nth++) {
      const done = await schedule.run({ task: () => ({ kind: 'rehearse', nth }), home, background: true })
      home = done.worker
      more = done.answer as boolean
    }
  }

  /** A previewed result is asked about, most often, and the last one first. It takes longer to open than to preview. */
  function openLater(home: Worker, source: Pick<Source, 'hash' | 'content'>, tokens: number): void {
    void background(home, { kind: 'counted', hash: source.hash, tokens }, true)
    idle.later('open', () => {
      if (homes.get(source.hash)?.worker !== home) return
      // When that failed, the worker says that it has not got it.
      void background(home, { kind: 'open', source }).then(() => {
        if (homes.get(source.hash)?.worker === home) homes.set(source.hash, { worker: home, isOpen: true })
      })
    })
  }

  /** Asks about kept results where the first of them is open. A result that is not open there is sent along. */
  async function ask<T extends Task>(
    entries: readonly Source[],
    task: (sources: Source[]) => T,
    wanted: Pick<Wanted, 'signal' | 'limited' | 'name'>,
  ): Promise<{ answer: Exclude<Answer<T>, Missing>; worker: Worker }> {
    const [first] = entries
    for (let all = false; ; all = true) {
      const made = (at: Worker): T =>
        task(
          entries.map(({ handle, hash, content, tool }) => {
            const home = homes.get(hash)
            const isOpen = !all && home?.isOpen === true && home.worker === at
            return { handle, hash, tool, content: isOpen ? OPEN : content }
          }),
        )
      const agent = first?.owner
      const home = homes.get(first?.hash ?? '')?.worker
      const done = await run(made, { ...wanted, home, ...(agent !== undefined && { agent }) })
      if (isMissing(done.answer)) continue
      for (const { hash } of entries) homes.set(hash, { worker: done.worker, isOpen: true })
      return done as { answer: Exclude<Answer<T>, Missing>; worker: Worker }
    }
  }

  return {
    arriving: readAheads.arriving,
    work: schedule.work,
    unpack: async ({ content, owner }, wanted, signal) =>
      (
        await run(() => ({ kind: 'unpack', content, ...wanted }), {
          signal,
          urgent: true,
          name: 'the reading of files',
          ...(owner !== undefined && { agent: owner }),
        })
      ).answer,
    async digest({ content, tool, owner }, digestOptions, signal) {
      const open = joined.get(content.buffer)
      const begun = open ?? readAheads.of(content)
      const isLong = open === undefined && content.byteLength >= LONG
      const name = `arrival ${++arrivals}`
      const common = { kind: 'digest', options: digestOptions, ...(isLong && { name }) } as const
      // A call is under way for it; a question may wait a little longer.
      const hashing = isLong ? hashInSlices(content) : undefined
      const wanted = {
        signal,
        urgent: true,
        name: 'the preview',
        ...(owner !== undefined && { agent: owner }),
      }
      const digested = (ahead: typeof begun) =>
        run(
          (at) => {
            const bytes = content.byteLength
            if (ahead === undefined || at !== ahead.worker) return { ...common, arrival: { content, tool } }
            return 'hash' in ahead
              ? { ...common, arrival: { content: OPEN, tool }, open: { hash: ahead.hash, bytes } }
              : { ...common, arrival: { content: ahead.rest, tool }, ahead: { id: ahead.id, bytes } }
          },
          { ...wanted, home: ahead?.worker },
        )
      let { answer, worker: home } = await digested(begun)
      if (isMissing(answer)) ({ answer, worker: home } = await digested(undefined))
      if (isMissing(answer)) throw new Error('the worker lost what it was sent')
      const digest = answer
      const { unopened, shaped, tokens } = digest
      const hash = digest.hash || ((await hashing) ?? hashOf(content))
      if (shaped) homes.set(hash, { worker: home, isOpen: !unopened })
      if (shaped && !unopened && isLong) void background(home, { kind: 'named', name, hash }, true)
      if (shaped && unopened) openLater(home, { hash, content }, tokens)
      return { ...digest, hash }
    },
    async query(entries, query, signal) {
      const name = { filter: 'the filter', search: 'the search', explore: 'the structure' }[query.kind]
      const wanted = { signal, limited: true, name }
      const { answer, worker: home } = await ask(
        entries,
        (sources) => ({ kind: 'query', sources, query }),
        wanted,
      )
      if (answer.whole !== undefined) homes.set(answer.whole.hash, { worker: home, isOpen: true })
      return answer
    },
    async read(entries, wanted, signal) {
      const limits = { signal, limited: true, name: 'the program' }
      return (await ask(entries, (sources) => ({ kind: 'read', sources, wanted }), limits)).answer
    },
    async compare(before, after, budget, signal) {
      // Both would be read for nothing.
      if (differThroughout(before.content, after.content)) return {}
      const limits = { signal, limited: true, name: 'the comparison' }
      return (await ask([after, before], (sources) => ({ kind: 'compare', sources, budget }), limits)).answer
    },
    async fill(entries, filling, signal) {
      const wanted = { signal, name: 'the references' }
      return (await ask(entries, (sources) => ({ kind: 'fill', sources, filling }), wanted)).answer
    },
    export: async (content, toon, signal) =>
      (await run(() => ({ kind: 'export', content, toon }), { signal })).answer,
    readback: async (content, isResult, wanted, signal) =>
      (await run(() => ({ kind: 'readback', content, isResult, wanted }), { signal })).answer,
    change: async (content, change, signal) =>
      (await run(() => ({ kind: 'change', content, change }), { signal, urgent: true })).answer,
    page: async (content, asked, signal) =>
      (await run(() => ({ kind: 'page', content, asked }), { signal, urgent: true })).answer,
    async join(contents, place, signal) {
      const task = { kind: 'join', lengths: contents.map(({ length }) => length), place } as const
      // One long array goes beside the message; many short ones would be copied into it.
      const content = concatenated(contents)
      const { answer, worker } = await run(() => ({ ...task, content }), { signal, urgent: true })
      if (answer.hash !== undefined) joined.set(answer.content.buffer, { hash: answer.hash, worker })
      return answer
    },
    countTokens: async (texts) => (await run(() => ({ kind: 'count', texts }), {})).answer,
    forget(hash) {
      const home = homes.get(hash)?.worker
      homes.delete(hash)
      if (home !== undefined) void background(home, { kind: 'forget', hash }, true)
    },
    warm() {
      // Not while servers start and the client lists their tools.
      idle.later('warm', () => {
        schedule.warm()
        if (!isWarm) void rehearseAll().catch(() => {})
        isWarm = true
      })
    },
    async close() {
      idle.close()
      rest.close()
      schedule.close()
    },
  }
}

function concatenated(contents: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(contents.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const content of contents) {
    whole.set(content, at)
    at += content.length
  }
  return whole
}

/** The worker has not open what was left out. */
function isMissing(answer: unknown): answer is Missing {
  return typeof answer === 'object' && answer !== null && 'missing' in answer
}

// Results are looked at while they arrive, so that most of it is done when the last byte is there. The side
// of the event loop.

/** A result that is looked at before all of it is there. */
interface PartialRead {
  readonly id: number
  readonly worker: Worker
  /** The first byte of the result in its message. */
  readonly start: number
  /** Bytes of the message that the worker was sent. */
  sent: number
  underWay: boolean
}

interface ReadAheadOptions {
  /** A worker that has nothing to do, if there is one. */
  free(): Worker | undefined
  /** Tasks that run in a worker. */
  load(worker: Worker): number
  /** Bytes of the message that were looked at, or received. */
  look(worker: Worker, task: ReadAheadTask): Promise<number>
}

/** A task that a digest goes on with. */
interface Begun {
  id: number
  worker: Worker
  /** The bytes that the worker has not got yet. */
  rest: Uint8Array
}

interface ReadAheads {
  /** A message begins to arrive, and its result begins at `start`. Returns a function to call whenever more bytes came. */
  arriving(bytes: GrowingBytes, start: number): () => void
  /** The begun task of a result, when its worker has nothing else to do. */
  of(content: Uint8Array): Begun | undefined
}

/** The first look is taken when this much is there, and then one when so much more is. */
const FIRST = 1024 * 1024
const STEP = 256 * 1024

export function createReadAheads({ free, load, look }: ReadAheadOptions): ReadAheads {
  const begun = new WeakMap<object, PartialRead>()
  let lastId = 0

  async function lookOn(ahead: PartialRead, message: GrowingBytes): Promise<number> {
    const { id, worker, start, sent } = ahead
    ahead.underWay = true
    ahead.sent = message.length
    try {
      const bytes = message.whole().subarray(sent)
      return await look(worker, { kind: 'read-ahead', id, bytes, start })
    } catch {
      // A worker that is gone took with it what it had begun.
      return -1
    } finally {
      ahead.underWay = false
    }
  }

  return {
    arriving(bytes, start) {
      let ahead: PartialRead | undefined
      let next = FIRST
      return () => {
        if (bytes.length < next || ahead?.underWay) return
        if (ahead === undefined) {
          const worker = free()
          if (worker === undefined) return
          ahead = { id: ++lastId, worker, start, sent: 0, underWay: false }
        }
        begun.set(bytes.buffer, ahead)
        void lookOn(ahead, bytes).then((read) => {
          next = read < 0 ? Number.POSITIVE_INFINITY : read + STEP
        })
      }
    },
    of(content) {
      const ahead = begun.get(content.buffer)
      if (ahead === undefined || !beginsAt(content, ahead.start)) return undefined
      const { id, worker, start, sent } = ahead
      if (worker.isGone || load(worker) > (ahead.underWay ? 1 : 0)) return undefined
      return { id, worker, rest: content.subarray(Math.max(0, sent - start)) }
    },
  }
}

/** Work that can wait until nothing has been asked for a while. */
interface Idle {
  /** Something is asked for: the quiet begins again. */
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
