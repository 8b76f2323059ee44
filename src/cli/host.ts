/** The options of a command and the world that it runs in, handed in so that tests can build their own. */
import { homedir, tmpdir } from 'node:os'
import { text } from 'node:stream/consumers'
import type { Config } from '../config/schema.ts'
import type { Gateway, GatewayParts } from '../gateway.ts'

/** The options that every command gets. */
export interface Invocation {
  /** `--config`. */
  config: string | undefined
  /** Settings given as flags, texts by flag name. */
  flags: Readonly<Record<string, string | undefined>>
  /** The command to wrap, with its arguments. Undefined: there is none. */
  wrapped: readonly string[] | undefined
}

/** The world that a command runs in. */
export interface Host {
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  home: string
  /** Directory for temporary files. */
  temporary: string
  /** As `process.platform` tells it: where clients keep their files depends on it. */
  platform: string
  /** All of standard input, as text. */
  readInput(): Promise<string>
  /** Whether somebody sits at standard input. */
  terminal?: boolean
  /** `isTTY`: somebody looks at it. */
  stdout: { write(text: string): unknown; readonly isTTY?: boolean }
  stderr: { write(text: string): unknown; readonly isTTY?: boolean }
  /** Milliseconds, for latencies. */
  now: () => number
  /** Events of the process: signals and uncaught errors. */
  events: ProcessEvents
  exit(code: number): void
  createGateway(config: Config, parts: GatewayParts): Promise<Gateway>
}

export interface ProcessEvents {
  on(event: string, listener: (reason: unknown) => void): unknown
  off(event: string, listener: (reason: unknown) => void): unknown
}

/** The reader of the output may stop early (`… | head`): that is no failure and prints no stack trace. */
function writeOut(text: string): boolean {
  if (!watched) {
    watched = true
    process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      process.exit()
    })
  }
  return process.stdout.write(text)
}
let watched = false

/** The real one. The gateway is loaded when a command first needs it. */
export function processHost(): Host {
  return {
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    temporary: tmpdir(),
    platform: process.platform,
    terminal: process.stdin.isTTY === true,
    readInput: () => text(process.stdin),
    stdout: { write: writeOut, isTTY: process.stdout.isTTY === true },
    stderr: process.stderr,
    now: () => performance.now(),
    events: process,
    exit: (code) => process.exit(code),
    createGateway: async (config, parts) => (await import('../gateway.ts')).createGateway(config, parts),
  }
}
