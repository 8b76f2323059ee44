/** The threads that run programs: started on first use, used again, and ended when a program overruns. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { Signal } from '../../protocol/message.ts'
import {
  BUSY_SINCE,
  CLOCK_SIZE,
  type Ended,
  type FromMachine,
  type Run,
  THREAD_ID,
  type ToMachine,
  threadMs,
  USED,
} from './protocol.ts'

export interface Machines {
  /**
   * Runs a program when it is its turn. Resolves with how it ended, never rejects: a program that was ended has `failed`.
   * `answer` gives what the program asks for, as JSON; what it throws is told to the program.
   */
  run(program: Run, by: Asker): Promise<Ended>
  close(): Promise<void>
}

/** The owner of the program, and the bridge that answers it. */
export interface Asker {
  /** Agents take turns. */
  readonly agent: string
  readonly signal: Signal
  /** Milliseconds for which it has waited for its client: they are not counted. */
  waited(): number
  answer(ask: string, args: string, bytes: Uint8Array<SharedArrayBuffer> | undefined): Promise<string>
}

interface MachinesOptions {
  /** Programs at once. */
  readonly most: number
  readonly memoryBytes: number
}

/** Milliseconds between looks at a program that runs, and how much longer than allowed it may go on before its thread is ended. */
const LOOK_MS = 100
const GRACE_MS = 500
/** MB of objects of the thread itself: what crosses is copied there. */
const THREAD_HEAP_MB = 256
/** Milliseconds without a program after which threads are ended. */
const IDLE_MS = 60_000

interface Thread {
  readonly worker: Worker
  readonly clock: Float64Array
  readonly ready: Promise<void>
  busy: boolean
  gone: boolean
  heard: (message: FromMachine) => void
  lost: (why: string) => void
}

interface Waiting {
  readonly agent: string
  readonly begin: () => void
}

export function createMachines({ most, memoryBytes }: MachinesOptions): Machines {
  const threads = new Set<Thread>()
  const running = new Map<string, number>()
  const waiting: Waiting[] = []
  let inUse = 0
  let wasm: Promise<WebAssembly.Module> | undefined
  let idle: NodeJS.Timeout | undefined
  let isClosed = false

  function start(module: WebAssembly.Module): Thread {
    const clock = new SharedArrayBuffer(CLOCK_SIZE * Float64Array.BYTES_PER_ELEMENT)
    const worker = new Worker(threadFile(), {
      workerData: { wasm: module, clock, memoryBytes },
      resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MB },
      env: {},
      stdin: false,
      // Standard output belongs to the protocol.
      stdout: true,
      stderr: true,
    })
    worker.unref()
    let begin: () => void = () => {}
    const ready = new Promise<void>((resolve) => {
      begin = resolve
    })
    const thread: Thread = {
      worker,
      clock: new Float64Array(clock),
      ready,
      busy: false,
      gone: false,
      heard: () => {},
      lost: () => {},
    }
    worker.on('message', (message: FromMachine) => ('ready' in message ? begin() : thread.heard(message)))
    worker.on('error', ({ message }) => leave(thread, message))
    worker.on('exit', () => leave(thread, 'its thread ended'))
    threads.add(thread)
    return thread
  }

  function leave(thread: Thread, why: string): void {
    threads.delete(thread)
    thread.gone = true
    thread.lost(why)
  }

  async function take(): Promise<Thread> {
    clearTimeout(idle)
    const free = [...threads].find(({ busy }) => !busy)
    wasm ??= compileWasm()
    const thread = free ?? start(await wasm)
    thread.busy = true
    return thread
  }

  function release(thread: Thread): void {
    thread.busy = false
    if (isClosed) void thread.worker.terminate()
    clearTimeout(idle)
    idle = setTimeout(() => {
      for (const one of threads) if (!one.busy) void one.worker.terminate()
    }, IDLE_MS).unref()
  }

  /** The turn of the agent with the fewest programs under way; of several, of who asked first. */
  function turn(): void {
    while (inUse < most && waiting.length > 0) {
      const fewest = waiting.reduce((one, other) => (count(other) < count(one) ? other : one))
      waiting.splice(waiting.indexOf(fewest), 1)
      inUse++
      running.set(fewest.agent, count(fewest) + 1)
      fewest.begin()
    }
  }

  const count = ({ agent }: Pick<Waiting, 'agent'>): number => running.get(agent) ?? 0

  function done(agent: string): void {
    inUse--
    const left = count({ agent }) - 1
    if (left > 0) running.set(agent, left)
    else running.delete(agent)
    turn()
  }

  /** False: the time is over before its turn came. */
  function myTurn({ agent, signal }: Pick<Asker, 'agent' | 'signal'>, patience: number): Promise<boolean> {
    return new Promise((resolve) => {
      const mine: Waiting = { agent, begin: () => settle(true) }
      const timer = setTimeout(() => settle(false), patience)
      const aborted = (): void => settle(false)
      function settle(isMine: boolean): void {
        clearTimeout(timer)
        signal.removeEventListener('abort', aborted)
        const at = waiting.indexOf(mine)
        if (at >= 0) waiting.splice(at, 1)
        resolve(isMine)
      }
      signal.addEventListener('abort', aborted)
      waiting.push(mine)
      if (signal.aborted) settle(false)
      turn()
    })
  }

  return {
    async run(program, by) {
      const until = performance.now() + program.timeoutMs
      if (isClosed || !(await myTurn(by, program.timeoutMs)))
        return failed(by.signal.aborted ? 'It was cancelled.' : BUSY)
      try {
        const thread = await take()
        await thread.ready
        const ended = await runIn(thread, program, by, until)
        // One that overran takes a moment to end.
        if (thread.gone) threads.delete(thread)
        else release(thread)
        return ended
      } catch (error) {
        return failed(`The sandbox could not be started: ${String(error)}`)
      } finally {
        done(by.agent)
      }
    },
    async close() {
      isClosed = true
      clearTimeout(idle)
      await Promise.all([...threads].map(({ worker }) => worker.terminate()))
    },
  }
}

const BUSY =
  'Nothing was run: other programs took all the time there was. Run it again in a moment, or ask proxy_filter.'

function failed(text: string): Ended {
  return { failed: { text }, console: '', cut: 0 }
}

/** Asks what the program asks, and looks at the time. A thread that does not end by itself is ended. */
function runIn(thread: Thread, program: Run, by: Asker, until: number): Promise<Ended> {
  const { worker, clock } = thread
  const before = threadMs(clock[THREAD_ID] ?? 0) ?? 0
  let console = ''
  return new Promise((resolve) => {
    const timer = setInterval(look, LOOK_MS)
    const stop = (why: string): void => {
      finish({ failed: { text: `The program was stopped: ${why}.` }, console, cut: 0 })
      thread.gone = true
      void worker.terminate()
    }
    const cancelled = (): void => stop('the call was cancelled')
    by.signal.addEventListener('abort', cancelled)

    function look(): void {
      const since = clock[BUSY_SINCE] ?? 0
      const used = (clock[USED] ?? 0) + (since === 0 ? 0 : performance.timeOrigin + performance.now() - since)
      if (used > program.cpuMs + GRACE_MS && hasComputed(program.cpuMs + GRACE_MS))
        stop(`it computed for longer than ${program.cpuMs / 1000} s`)
      else if (performance.now() - by.waited() > until)
        stop(
          `it took longer than ${program.timeoutMs / 1000} s in all. Call fewer tools, or several at once with Promise.all`,
        )
    }

    /** Time passes for a thread that does not get a processor, too. */
    function hasComputed(ms: number): boolean {
      const computed = threadMs(clock[THREAD_ID] ?? 0)
      return computed === undefined || computed - before > ms
    }

    function finish(ended: Ended): void {
      clearInterval(timer)
      by.signal.removeEventListener('abort', cancelled)
      thread.heard = () => {}
      thread.lost = () => {}
      resolve(ended)
    }

    thread.lost = (why) => finish({ failed: { text: `The program was stopped: ${why}.` }, console, cut: 0 })
    thread.heard = (message) => {
      if ('ready' in message) return
      if ('line' in message) {
        console += message.line
        return
      }
      if (!('ask' in message)) return finish(message)
      const { ask, id, args, bytes } = message
      by.answer(ask, args, bytes).then(
        (json) => post(worker, { answer: id, json }),
        (error: unknown) =>
          post(worker, { answer: id, error: error instanceof Error ? error.message : String(error) }),
      )
    }
    if (thread.gone) return thread.lost('its thread ended')
    if (by.signal.aborted) return cancelled()
    clock[BUSY_SINCE] = 0
    clock[USED] = 0
    post(worker, { run: program })
  })
}

function post(worker: Worker, message: ToMachine): void {
  worker.postMessage(message)
}

async function compileWasm(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await readFile(fileURLToPath(import.meta.resolve('quickjs-wasi/quickjs.wasm'))))
}

/** Beside this file where that was compiled; in tests, which run the sources, as it was bundled. */
function threadFile(): URL {
  const { url } = import.meta
  if (url.endsWith('/machines.js')) return new URL('./machine.js', url)
  return new URL(url.endsWith('.js') ? './code-machine.js' : '../../../dist/bundle/code-machine.js', url)
}
