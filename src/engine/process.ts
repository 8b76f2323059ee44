/**
 * A worker: a process of its own, for V8 ends a whole process when a thread of it needs more memory than it may have. Its memory is free
 * again as soon as it is ended.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { whyNotStarted } from '../text/start-failure.ts'
import { createWire } from './wire.ts'

/** How workers are started. */
export interface WorkerOptions {
  /** The module that answers tasks; it exports `run(task, told)`, where `told(step)` says what it is about to do. */
  worker: URL
  /** Milliseconds a task may run before its worker is ended. */
  timeLimit: number
  /** MB of the objects that V8 keeps in it. */
  heapMb: number
  /** MB that it holds in all, byte arrays and columns of numbers among it, where the system can hold it to that. Default: no limit. */
  memoryMb?: number | undefined
}

/**
 * Why a worker is gone without an answer. `memory`: V8 ended it; `killed`: somebody else did; `unstarted`: the system gave no process;
 * `broken`: it never began, or left.
 */
export class WorkerGone extends Error {
  override readonly name = 'WorkerGone'
  readonly why: 'memory' | 'killed' | 'unstarted' | 'broken'
  constructor(why: WorkerGone['why'], how: string) {
    const { stackTraceLimit } = Error
    // A stack holds what its functions hold, results among it, and this is kept for as long as the worker is remembered.
    Error.stackTraceLimit = 0
    super(how)
    Error.stackTraceLimit = stackTraceLimit
    this.why = why
  }
}

/** One task at a time. */
export interface Worker {
  readonly pid: number | undefined
  /** Resolves when its modules are loaded. Rejects with WorkerGone. */
  readonly ready: Promise<void>
  readonly isGone: boolean
  /** Resolves with the answer; rejects with what the task threw, or with WorkerGone. `told`: what it is about to do. */
  run(task: unknown, told?: (step: string) => void): Promise<unknown>
  /** Ends it at once. Waiting calls are rejected. */
  kill(): void
}

/** MB of a half of the room for new objects; there are three of them. */
const SEMI_SPACE_MB = 8

/** KB of stack for JSON that is deep. Windows gives no more than it does without asking. */
const STACK_KB = process.platform === 'win32' ? 984 : 6800

/** Signals by which V8 and Node end a process that is beyond help, most often for want of memory. */
const FATAL = new Set<string | null>(['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGSEGV', 'SIGBUS'])
/** The same as exit codes: of a shell, and of Node on Windows. */
const FATAL_CODES = new Set<number | null>([132, 133, 134, 139, 0xc0000005, 0x80000003])

/** KB that a process of Node 20 has the right to and never touches: the stacks of its threads. */
const UNTOUCHED_KB = 96 * 1024
/** The share of these KB that this process lacks: it has no stack of `STACK_KB` and fewer threads. */
const MORE_UNTOUCHED_KB = 64 * 1024

/** The same of this version of Node: version 24 asks for 500 MB more at its start, which this process shows. */
function untouchedKb(): number {
  const status = readFileSync('/proc/self/status', 'utf8')
  const [data = 0, touched = 0] = ['VmData', 'RssAnon'].map((name) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0),
  )
  return Math.max(UNTOUCHED_KB, data - touched + MORE_UNTOUCHED_KB)
}
/** A shell that sets the limit of what it then becomes. Elsewhere than on Linux that limit does not count what V8 takes. */
const SHELL = '/bin/sh'

let untouched: number | undefined

/** The command line under which it may hold so much. Where there is no such limit, the heap alone is limited. */
function limited(memoryMb: number | undefined, args: string[]): [string, string[]] {
  if (memoryMb === undefined || process.platform !== 'linux' || !existsSync(SHELL))
    return [process.execPath, args]
  untouched ??= untouchedKb()
  const most = String(memoryMb * 1024 + untouched)
  return [SHELL, ['-c', 'ulimit -d "$0"; exec "$@"', most, process.execPath, ...args]]
}

interface Said {
  ready?: true
  step?: string
  thrown?: string
  value?: unknown
}

/** Starts a process. It never holds this one, and ends with it. Never throws: one that the system did not start is gone from the beginning. */
export function startWorker({ worker, timeLimit, heapMb, memoryMb }: WorkerOptions): Worker {
  const { TZ, LANG, SystemRoot } = process.env
  const args = [
    `--max-old-space-size=${heapMb}`,
    `--max-semi-space-size=${SEMI_SPACE_MB}`,
    `--stack-size=${STACK_KB}`,
    fileURLToPath(compiled('worker-process.js')),
    worker.href,
    String(timeLimit),
  ]
  let child: ChildProcess
  try {
    child = spawn(...limited(memoryMb, args), {
      serialization: 'advanced',
      env: { ...(TZ && { TZ }), ...(LANG && { LANG }), ...(SystemRoot && { SystemRoot }) },
      // Standard output belongs to the protocol.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc', 'pipe'],
    })
  } catch (error) {
    return unstarted(error as Error)
  }
  // Where too many files are open there is a child without pipes.
  if (child.stdio === undefined) {
    child.on('error', () => {})
    return unstarted(Object.assign(new Error(), { code: 'EMFILE' }))
  }
  const pipe = child.stdio[4] as unknown as Duplex & { unref(): void }
  let gone: WorkerGone | undefined
  let waiting:
    | { resolve(value: unknown): void; reject(error: Error): void; told?: (step: string) => void }
    | undefined
  let begin: () => void = () => {}
  let giveUp: (error: Error) => void = () => {}
  const ready = new Promise<void>((resolve, reject) => {
    begin = resolve
    giveUp = reject
  })
  ready.catch(() => {})

  function heard(body: unknown): void {
    const said = body as Said
    if (said.ready) return begin()
    if (said.step !== undefined) return waiting?.told?.(said.step)
    const one = waiting
    waiting = undefined
    if (said.thrown === undefined) one?.resolve(said.value)
    else one?.reject(new Error(said.thrown))
  }

  function leave(error: WorkerGone): void {
    if (gone !== undefined) return
    gone = error
    pipe.destroy()
    giveUp(error)
    waiting?.reject(error)
    waiting = undefined
  }

  const wire = createWire((message) => post(child, message), pipe, heard)
  child.on('message', wire.received)
  child.on('error', (error) =>
    leave(new WorkerGone(child.pid === undefined ? 'unstarted' : 'broken', whyNotStarted(error))),
  )
  child.on('exit', (code, signal) => leave(goneBy(code, signal)))
  pipe.on('error', () => {})
  pipe.unref()
  child.unref()
  child.channel?.unref()

  return {
    pid: child.pid,
    ready,
    get isGone() {
      return gone !== undefined
    },
    run(task, told) {
      if (gone !== undefined) return Promise.reject(gone)
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject, ...(told && { told }) }
        wire.send(task).catch((error: unknown) => {
          // A message that cannot be sent is the fault of the task; the exit of the process is told where it is seen.
          if (gone === undefined && child.connected && waiting?.resolve === resolve) {
            waiting = undefined
            reject(error instanceof Error ? error : new Error(String(error)))
          }
        })
      })
    },
    kill() {
      child.kill('SIGKILL')
      leave(new WorkerGone('killed', 'it was ended'))
    },
  }
}

function unstarted(error: Error): Worker {
  const gone = new WorkerGone('unstarted', whyNotStarted(error))
  const ready = Promise.reject(gone)
  ready.catch(() => {})
  return { pid: undefined, ready, isGone: true, run: () => Promise.reject(gone), kill() {} }
}

function post(child: ChildProcess, message: unknown): void {
  if (!child.connected) throw new Error('the worker is gone')
  // The exit says what happened to the process.
  child.send(message as object, () => {})
}

function goneBy(code: number | null, signal: string | null): WorkerGone {
  if (FATAL.has(signal) || FATAL_CODES.has(code))
    return new WorkerGone('memory', `it ended with ${signal ?? code}`)
  if (signal !== null) return new WorkerGone('killed', `it was ended by ${signal}`)
  return new WorkerGone('broken', `it ended with code ${code}`)
}

/** Beside this file in `dist`; from `src`, as tests run it, in the bundle, for Node cannot load TypeScript. */
export function compiled(file: string): URL {
  const isCompiled = import.meta.url.endsWith('.js')
  return new URL(isCompiled ? `./${file}` : `../../dist/bundle/${file}`, import.meta.url)
}
