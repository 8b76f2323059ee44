/**
 * The thread that runs programs: one machine at a time, of QuickJS in WebAssembly. Nothing of the host is in it but one function that takes
 * a text; all that crosses is JSON. The thread may be ended at any moment.
 */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { constants, gunzipSync, gzipSync } from 'node:zlib'
import { type JSValueHandle, QuickJS, type QuickJSOptions } from 'quickjs-wasi'
import { textBlock } from '../../protocol/content.ts'
import { sharedBytes } from '../../text/shared-bytes.ts'
import { GUEST, INTERFACE } from './guest.ts'
import {
  BUSY_SINCE,
  type Ended,
  type FromMachine,
  type MachineData,
  type Run,
  THREAD_ID,
  type ToMachine,
  threadMs,
  USED,
} from './protocol.ts'
import { type Prepared, prepare, writtenPlace } from './source.ts'

const { wasm, clock, memoryBytes } = workerData as MachineData
const usage = new Float64Array(clock)

/** Bytes of stack for the program: beyond it a recursion is an error that the program can catch. */
const STACK_BYTES = 256 * 1024
/** The memory of a machine beside the memory that its program may have. */
const MACHINE_BYTES = 16 * 1024 * 1024

/** The memory of a machine with its handles, as it is kept. */
interface Frozen {
  readonly answer: number
  readonly run: number
  readonly begin: number
}

/** A machine and the functions in it that are called from here. */
interface Machine {
  readonly vm: QuickJS
  readonly functions: Readonly<Record<keyof Frozen, JSValueHandle>>
}

/** The number of this thread, where the system tells it (Linux). Otherwise 0. */
const THREAD = threadNumber()

/** The running program. */
let program: Program | undefined
/** Made while nothing is asked, so that the next program does not wait for it. */
let spare: Promise<Machine> | undefined

const say = (message: FromMachine): void => parentPort?.postMessage(message)

parentPort?.on('message', (message: ToMachine) => {
  if ('run' in message) void start(message.run)
  else program?.answer(message)
})
usage[THREAD_ID] = THREAD
yieldToOthers()
makeSpare()
spare?.then(
  () => say({ ready: true }),
  () => say({ ready: true }),
)

function makeSpare(): void {
  spare ??= build(undefined, memoryBytes)
  spare.catch(() => {})
}

/** How much less than the rest of the proxy: a tenth of a processor that both want. */
const NICENESS = 10

/** Programs compute at length: the event loop of the proxy goes first, where threads can have a priority of their own. */
function yieldToOthers(): void {
  try {
    if (THREAD > 0) setPriority(THREAD, NICENESS)
  } catch {
    // Not where a process may not.
  }
}

async function start(run: Run): Promise<void> {
  usage[BUSY_SINCE] = performance.timeOrigin + performance.now()
  const prepared = prepare(run.code, run.session !== undefined)
  usage[BUSY_SINCE] = 0
  if ('error' in prepared) return say({ failed: { text: prepared.error }, console: '', cut: 0 })
  let machine: Machine
  try {
    const made =
      run.snapshot === undefined ? (spare ?? build(undefined, memoryBytes)) : build(run.snapshot, memoryBytes)
    if (run.snapshot === undefined) spare = undefined
    machine = await made
  } catch (error) {
    const text = `The session cannot be taken up: ${String(error)}. Use another name for a new one.`
    return say({ failed: { text }, console: '', cut: 0 })
  }
  program = new Program(machine, run, prepared)
  const ended = await program.run()
  program = undefined
  machine.vm.dispose()
  say(ended)
  makeSpare()
}

/** A new machine, or one as it was kept. */
async function build(snapshot: Uint8Array | undefined, memoryLimit: number): Promise<Machine> {
  const options: QuickJSOptions = {
    wasm,
    memoryLimit,
    maxStackSize: STACK_BYTES,
    timezoneOffset: 0,
    interruptHandler: () => program?.isOver() ?? false,
  }
  const send = function (this: JSValueHandle, text?: JSValueHandle): JSValueHandle {
    program?.hear(text?.toString() ?? '')
    return this.vm.undefined
  }
  if (snapshot !== undefined) {
    const { tokens, image } = unpack(snapshot, memoryLimit + MACHINE_BYTES)
    const vm = await QuickJS.restore(QuickJS.deserializeSnapshot(image), options)
    vm.registerHostCallback('send', send)
    return {
      vm,
      functions: {
        answer: vm.importHandle(tokens.answer),
        run: vm.importHandle(tokens.run),
        begin: vm.importHandle(tokens.begin),
      },
    }
  }
  const vm = await QuickJS.create(options)
  const make = vm.evalCode(GUEST, 'machine')
  const made = vm.callFunction(make, vm.undefined, vm.newFunction('send', send))
  const functions = {
    answer: made.getProp('answer'),
    run: made.getProp('run'),
    begin: made.getProp('begin'),
  }
  return { vm, functions }
}

/** A program that runs. */
class Program {
  readonly vm: QuickJS
  readonly #machine: Machine
  readonly #run: Run
  readonly #prepared: Prepared
  readonly #waiting = new Set<number>()
  readonly #timers = new Map<number, NodeJS.Timeout>()
  #console = ''
  #cut = 0
  /** Code units of the console that the proxy has. */
  #flushed = 0
  #bridged = 0
  readonly #begun = threadMs(THREAD) ?? 0
  #entered = 0
  #used = 0
  #why: string | undefined
  #ended: Ended | undefined
  #wake: () => void = () => {}

  constructor(machine: Machine, run: Run, prepared: Prepared) {
    this.vm = machine.vm
    this.#machine = machine
    this.#run = run
    this.#prepared = prepared
  }

  /** True when nothing of it may run any more. Asked all the time while it computes. */
  isOver(): boolean {
    if (this.#why !== undefined) return true
    if (this.#used + performance.now() - this.#entered <= this.#run.cpuMs) return false
    // Time passes for a thread that does not get a processor, too.
    const computed = threadMs(THREAD)
    if (computed !== undefined && computed - this.#begun <= this.#run.cpuMs) {
      this.#used = computed - this.#begun
      this.#entered = performance.now()
      return false
    }
    this.#why = `it computed for longer than ${this.#run.cpuMs / 1000} s. Let d.group, d.count or where do the work on all records`
    return true
  }

  /** Resolves when it has ended, in whatever way. */
  async run(): Promise<Ended> {
    const { vm } = this
    const ended = new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    this.#inside(() => {
      const { begin, run } = this.#machine.functions
      vm.callFunction(
        begin,
        vm.undefined,
        vm.hostToHandle([...this.#run.ids]),
        vm.newString(INTERFACE),
      ).dispose()
      const code = vm.evalCode(`(async () => {\n${this.#prepared.body}\n})`, 'program.js')
      vm.callFunction(run, vm.undefined, code).dispose()
    })
    await ended
    for (const timer of this.#timers.values()) clearTimeout(timer)
    const outcome = this.#ended ?? {
      failed: { text: 'The program ended without a word.' },
      console: '',
      cut: 0,
    }
    return { ...outcome, ...this.#frozen(outcome) }
  }

  answer(message: Exclude<ToMachine, { run: Run }>): void {
    const { vm } = this
    if (!this.#waiting.delete(message.answer)) return
    const text = message.error ?? message.json
    this.#bridge(text.length)
    this.#inside(() => {
      const error = message.error === undefined ? vm.undefined : vm.newString(message.error)
      const json = message.error === undefined ? vm.newString(message.json) : vm.undefined
      vm.callFunction(
        this.#machine.functions.answer,
        vm.undefined,
        vm.newNumber(message.answer),
        error,
        json,
      ).dispose()
    })
  }

  /** Takes a message of the program, in the middle of its running. */
  hear(text: string): void {
    const said = JSON.parse(text) as Record<string, unknown>
    if (typeof said.log === 'string') return this.#log(said.log)
    this.#bridge(text.length)
    if (typeof said.ask === 'string') {
      const id = Number(said.id)
      this.#waiting.add(id)
      say({ ask: said.ask, id, ...asked(said.args) })
    } else if (said.timer !== undefined) this.#sleep(Number(said.timer), Number(said.ms))
    else if (said.cleared !== undefined) this.#cleared(Number(said.cleared))
    else if (said.failed !== undefined) {
      const failure = said.failed as Failure
      this.#end({ failed: this.#told(failure), ...seenIn(failure.seen) })
    } else if ('done' in said) this.#end({ done: answerOf(said.done), ...seenIn(said.seen) })
  }

  #sleep(id: number, ms: number): void {
    if (this.#timers.size >= 1000) return
    const timer = setTimeout(
      () => {
        this.#timers.delete(id)
        const { vm } = this
        this.#inside(() =>
          vm
            .callFunction(
              this.#machine.functions.answer,
              vm.undefined,
              vm.newString(`t${id}`),
              vm.undefined,
              vm.undefined,
            )
            .dispose(),
        )
      },
      Math.min(Math.max(0, ms || 0), this.#run.timeoutMs + 1000),
    )
    this.#timers.set(id, timer)
  }

  #cleared(id: number): void {
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
  }

  #log(line: string): void {
    const room = this.#run.consoleLength - this.#console.length
    this.#console += `${line.slice(0, Math.max(0, room))}${room > 0 ? '\n' : ''}`
    this.#cut += Math.max(0, line.length - Math.max(0, room))
  }

  #bridge(length: number): void {
    this.#bridged += length
    if (this.#bridged > this.#run.bridgeLength)
      this.#why ??= `more than ${this.#run.bridgeLength.toLocaleString('en')} characters went into and out of it. Take fewer rows and fields, or let d.group and d.count work where the document is`
  }

  /** Runs something in the machine, and all that follows from it. */
  #inside(work: () => void): void {
    if (this.#ended !== undefined) return
    this.#entered = performance.now()
    usage[BUSY_SINCE] = this.#entered + performance.timeOrigin
    usage[USED] = this.#used
    try {
      work()
      while (this.#ended === undefined && this.#why === undefined && this.vm.executePendingJobs() > 0);
    } catch (error) {
      if (this.#why === undefined) this.#end({ failed: this.#told(failureOf(error)) })
    }
    this.#used += performance.now() - this.#entered
    usage[USED] = this.#used
    usage[BUSY_SINCE] = 0
    if (this.#ended !== undefined) return
    // Should the thread be ended while the program waits, this is not lost.
    if (this.#flushed < this.#console.length) say({ line: this.#console.slice(this.#flushed) })
    this.#flushed = this.#console.length
    if (this.#why !== undefined) this.#end({ failed: { text: `The program was stopped: ${this.#why}.` } })
    else if (this.#waiting.size === 0 && this.#timers.size === 0)
      this.#end({
        failed: { text: 'The program waits for something that never comes: a promise that nothing settles.' },
      })
  }

  #end(outcome: Pick<Ended, 'done' | 'failed' | 'seen'>): void {
    if (this.#ended !== undefined) return
    this.#ended = { ...outcome, console: this.#console, cut: this.#cut }
    this.#wake()
  }

  /** A failure as the model reads it: where, what, and what may have been meant. */
  #told(failure: Failure): NonNullable<Ended['failed']> {
    const { name, message, stack } = failure
    const place = /program\.js:(\d+):(\d+)/.exec(stack)
    // The first line is that of the function around the program.
    const at =
      place && Number(place[1]) > 1
        ? writtenPlace(this.#prepared, Number(place[1]) - 1, Number(place[2]))
        : undefined
    const line = at && this.#run.code.split('\n')[at.line - 1]?.trim().slice(0, 160)
    const where = at ? `Line ${at.line}, column ${at.column}: ` : ''
    const isFull = /out of memory/.test(message)
    const hint = isFull ? ' Take fewer rows or fields, or d.each: it keeps one page at a time.' : ''
    const missing = /^'?([\w$]+)'? is not defined$/.exec(message)?.[1]
    return {
      text: `${where}${name === 'Error' ? '' : `${name}: `}${message}${hint}${line ? `\n${line}` : ''}`,
      ...(missing !== undefined && { missing }),
    }
  }

  /** The machine as it is now, for a session: nothing in it may be waiting. */
  #frozen(outcome: Ended): { snapshot?: Uint8Array; unfrozen?: string } {
    if (this.#run.session === undefined || outcome.done === undefined) return {}
    if (this.#waiting.size > 0 || this.#timers.size > 0)
      return { unfrozen: 'calls were still under way when the program ended; await them' }
    const { vm } = this
    vm.runGC()
    const { answer, run, begin } = this.#machine.functions
    const tokens: Frozen = {
      answer: vm.exportHandle(answer),
      run: vm.exportHandle(run),
      begin: vm.exportHandle(begin),
    }
    const packed = pack(tokens, QuickJS.serializeSnapshot(vm.snapshot()))
    return packed.byteLength > this.#run.sessionBytes
      ? {
          unfrozen: `its variables take ${packed.byteLength.toLocaleString('en')} bytes, and ${this.#run.sessionBytes.toLocaleString('en')} are the most; hold less in them`,
        }
      : { snapshot: packed }
  }
}

/** A value to keep is written here as a result, so that the event loop need not do it. */
function asked(args: unknown): Pick<Extract<FromMachine, { ask: string }>, 'args' | 'bytes'> {
  const { json, ...rest } = (args ?? {}) as { json?: unknown }
  return {
    args: JSON.stringify(rest),
    ...(typeof json === 'string' && { bytes: asResult(json) }),
  }
}

/** Code units of a name that the program was given, and of what a tool gave. */
const [LONGEST_NAME, LONGEST_GIFT] = [60, 400]

function seenIn(seen: unknown): Pick<Ended, 'seen'> {
  const { fields, gave } = (seen ?? {}) as { fields?: unknown; gave?: unknown }
  const names = Array.isArray(fields) ? fields.map((field) => String(field).slice(0, LONGEST_NAME)) : []
  const given = typeof gave === 'string' ? gave.slice(0, LONGEST_GIFT) : ''
  return names.length === 0 && given === '' ? {} : { seen: { fields: names, gave: given } }
}

/** Longer answers are written as a result here. */
const SHORT = 8000

/** The value that the program returned: JSON, or a text as it is. */
function answerOf(done: unknown): NonNullable<Ended['done']> {
  const { json, text } = (done ?? {}) as { json?: unknown; text?: unknown }
  const written = typeof text === 'string' ? text : typeof json === 'string' ? json : undefined
  if (written === undefined) return { length: 0 }
  const { length } = written
  return length <= SHORT ? { length, text: written } : { length, bytes: asResult(written) }
}

function asResult(text: string): Uint8Array<SharedArrayBuffer> {
  return sharedBytes(JSON.stringify({ content: [textBlock(text)] }))
}

function threadNumber(): number {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1)) || 0
  } catch {
    return 0
  }
}

interface Failure {
  readonly name: string
  readonly message: string
  readonly stack: string
  readonly seen?: unknown
}

function failureOf(error: unknown): Failure {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
  return { name, message, stack: stack ?? '' }
}

// A machine that is kept: its tokens, then its memory, together compressed.

const TOKENS = 12

function pack({ answer, run, begin }: Frozen, image: Uint8Array): Uint8Array {
  const whole = Buffer.alloc(TOKENS + image.byteLength)
  whole.writeUInt32LE(answer, 0)
  whole.writeUInt32LE(run, 4)
  whole.writeUInt32LE(begin, 8)
  whole.set(image, TOKENS)
  return gzipSync(whole, { level: constants.Z_BEST_SPEED })
}

/** @param most bytes that it may have when it is not compressed */
function unpack(packed: Uint8Array, most: number): { tokens: Frozen; image: Uint8Array } {
  const whole = gunzipSync(packed, { maxOutputLength: most })
  return {
    tokens: { answer: whole.readUInt32LE(0), run: whole.readUInt32LE(4), begin: whole.readUInt32LE(8) },
    image: whole.subarray(TOKENS),
  }
}
