/**
 * Runs a command of the user's after lists of tools changed, for clients that do not hear of it (`MCPPROXY_LIST_CHANGED_EXEC`).
 * It runs in a shell: the author of the configuration is trusted, and no one else can set it.
 */

import { spawn } from 'node:child_process'
import type { Config } from '../config/schema.ts'
import type { Logger } from '../observe/log.ts'
import { messageOf } from '../protocol/errors.ts'

const FAILED = 'the command for changed lists failed'
/** Milliseconds in which changes are gathered: a little longer than clients wait to be told. */
const GATHER_MS = 100
const WINDOWS = process.platform === 'win32'

export interface ListChangedCommand {
  /** Runs it soon, once for all changes of a moment, and once more for all that come while it runs. Never waits, never throws. */
  run(): void
  /** Ends what runs. */
  close(): void
}

/** Undefined where it is not configured, or where a change at the servers cannot change the list that clients see. */
export function openListChangedCommand(
  { exposure, retrieve }: Config['settings'],
  logger: Logger,
): ListChangedCommand | undefined {
  const { listChangedExec, listChangedExecTimeoutMs } = retrieve
  const changes = exposure !== 'retrieve' || retrieve.routing === 'dynamic' || retrieve.listWithinTokens > 0
  return listChangedExec === undefined || !changes
    ? undefined
    : createListChangedCommand(listChangedExec, logger, listChangedExecTimeoutMs)
}

/** `limitMs`: how long the command may take. */
export function createListChangedCommand(
  command: string,
  logger: Logger,
  limitMs: number,
): ListChangedCommand {
  let stop: (() => void) | undefined
  let soon: NodeJS.Timeout | undefined
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
      if (stop !== undefined) again = true
      else
        soon ??= setTimeout(() => {
          soon = undefined
          start()
        }, GATHER_MS).unref()
    },
    close() {
      closed = true
      clearTimeout(soon)
      stop?.()
    },
  }
}
