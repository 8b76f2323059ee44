/** The messages between the proxy and the thread of a program: texts of JSON, and bytes. */
import { readFileSync } from 'node:fs'

/** Characters of code. More is no program that a model wrote. */
export const LONGEST_CODE = 200_000

/** A program to run, with its limits. */
export interface Run {
  readonly code: string
  /** Of what `d` is. */
  readonly ids: readonly string[]
  /** Its variables are to last. */
  readonly session?: string
  /** The machine as the last program of the session left it. */
  readonly snapshot?: Uint8Array
  /** Milliseconds. */
  readonly cpuMs: number
  readonly timeoutMs: number
  /** UTF-16 code units. */
  readonly bridgeLength: number
  readonly consoleLength: number
  /** Of a session, compressed. */
  readonly sessionBytes: number
}

export type ToMachine =
  | { readonly run: Run }
  | { readonly answer: number; readonly json: string; readonly error?: undefined }
  | { readonly answer: number; readonly error: string }

/** `args`: JSON. `bytes`: what is to be kept, as the JSON of a CallToolResult. */
export type FromMachine =
  | { readonly ready: true }
  /** What the program wrote to its console since the last time. */
  | { readonly line: string }
  | {
      readonly ask: string
      readonly id: number
      readonly args: string
      readonly bytes?: Uint8Array<SharedArrayBuffer>
    }
  | Ended

/** One of `done` and `failed` is there. */
export interface Ended {
  /** The returned value; `length` 0: nothing. A long one as the JSON of a CallToolResult. */
  readonly done?: {
    readonly length: number
    readonly text?: string
    readonly bytes?: Uint8Array<SharedArrayBuffer>
  }
  readonly failed?: {
    readonly text: string
    /** A name that the program used and that is not there. */
    readonly missing?: string
  }
  /** Where it failed or gave nothing: the fields of the rows that it read last, and what a tool gave it last. */
  readonly seen?: { readonly fields: readonly string[]; readonly gave: string }
  readonly console: string
  /** Code units of the console that were dropped. */
  readonly cut: number
  readonly snapshot?: Uint8Array
  /** Why the session is not kept. */
  readonly unfrozen?: string
}

export interface MachineData {
  readonly wasm: WebAssembly.Module
  /** Two numbers that the proxy looks at while a program runs. */
  readonly clock: SharedArrayBuffer
  readonly memoryBytes: number
}

/** Places in the clock: since when the program computes (milliseconds since 1970, 0: it waits), and for how long before that. */
export const BUSY_SINCE = 0
export const USED = 1
/** The number of the thread; 0: unknown. */
export const THREAD_ID = 2

/** Numbers in the clock. */
export const CLOCK_SIZE = 3

/** Milliseconds that a thread of this process has computed, by its number. Undefined: the system does not tell. */
export function threadMs(thread: number): number | undefined {
  if (thread === 0) return undefined
  try {
    const [nanoseconds] = readFileSync(`/proc/self/task/${thread}/schedstat`, 'latin1').split(' ')
    return Number(nanoseconds) / 1e6
  } catch {
    return undefined
  }
}
