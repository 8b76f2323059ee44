/** The world a command runs in, handed in so that tests can build their own. */
import { homedir, tmpdir } from 'node:os'
import type { Config } from '../config/schema.ts'
import type { Gateway, GatewayParts } from '../gateway.ts'

export interface Host {
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  home: string
  /** Directory for temporary files. */
  temporary: string
  /** As `process.platform` tells it: where clients keep their files depends on it. */
  platform: string
  /** Whether somebody sits at standard input. */
  terminal?: boolean
  stdout: { write(text: string): unknown }
  stderr: { write(text: string): unknown }
  /** Milliseconds, for latencies. */
  now: () => number
  /** Events of the process: signals and what nobody caught. */
  events: ProcessEvents
  exit(code: number): void
  createGateway(config: Config, parts: GatewayParts): Promise<Gateway>
}

export interface ProcessEvents {
  on(event: string, listener: (reason: unknown) => void): unknown
  off(event: string, listener: (reason: unknown) => void): unknown
}

/** Whoever reads the output may have read enough (`… | head`): that is no failure, and no stack trace. */
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
    stdout: { write: writeOut },
    stderr: process.stderr,
    now: () => performance.now(),
    events: process,
    exit: (code) => process.exit(code),
    createGateway: async (config, parts) => (await import('../gateway.ts')).createGateway(config, parts),
  }
}
