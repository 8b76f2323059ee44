/**
 * Runs a command of the user's after lists of tools changed, for clients that do not hear of it (seed S1: MCPPROXY_LIST_CHANGED_EXEC).
 * It runs in a shell: whoever writes the configuration is trusted, and nobody else can set it.
 */
import { spawn } from 'node:child_process'
import { messageOf } from '../protocol/errors.ts'
import type { Logger } from '../telemetry/log.ts'

/** Milliseconds a command may take. */
const LIMIT_MS = 5_000
const FAILED = 'the command for changed lists failed'
const WINDOWS = process.platform === 'win32'

export interface ListChangedCommand {
  /** Runs it, once for all changes that come while it runs. Never waits, never throws. */
  run(): void
  /** Ends what runs. */
  close(): void
}

export function createListChangedCommand(
  command: string,
  logger: Logger,
  limitMs = LIMIT_MS,
): ListChangedCommand {
  let stop: (() => void) | undefined
  let again = false
  let closed = false

  function start(): void {
    again = false
    try {
      watch()
    } catch (error) {
      // Node refuses some commands before a shell sees them.
      logger.warn({ error: messageOf(error) }, FAILED)
    }
  }

  function watch(): void {
    // A group of its own, so that what the shell started ends with it.
    const child = spawn(command, { shell: true, stdio: 'ignore', detached: !WINDOWS })
    const kill = (): void => {
      try {
        if (WINDOWS || child.pid === undefined) child.kill('SIGKILL')
        else process.kill(-child.pid, 'SIGKILL')
      } catch {
        // It has ended in this moment.
      }
    }
    const timer = setTimeout(() => {
      logger.warn({ limitMs }, 'the command for changed lists took too long and was ended')
      kill()
    }, limitMs)
    stop = kill
    const over = (fault?: object): void => {
      clearTimeout(timer)
      if (stop === undefined) return
      stop = undefined
      if (fault && !closed) logger.warn(fault, FAILED)
      if (again && !closed) start()
    }
    child.once('error', (error) => over({ error: messageOf(error) }))
    child.once('exit', (code, signal) => over(code === 0 ? undefined : { code, signal }))
    child.unref()
  }

  return {
    run() {
      if (closed) return
      if (stop === undefined) start()
      else again = true
    },
    close() {
      closed = true
      stop?.()
    },
  }
}
