/**
 * Which process wrote something, and whether it still lives. A process number alone does not tell. The system uses it again, and in a
 * container it is most often the same. On a shared disk it may be the number of another machine.
 */

import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { hasCode } from '../protocol/errors.ts'

/** A process as it is written down. */
export interface ProcessNote {
  pid: number
  host: string
  /** When the process began, where the system tells it (Linux: ticks since the start of the machine). */
  started?: string
  /** The same as this process itself knows it, milliseconds since 1970. */
  born: number
}

/** This process. */
export function noteOfThis(): ProcessNote {
  const { pid } = process
  const started = startOf(pid)
  return { pid, host: hostname(), born: performance.timeOrigin, ...(started && { started }) }
}

/** Undefined for what is no note. */
export function readNote(value: unknown): ProcessNote | undefined {
  const { pid, host, started, born } = (value ?? {}) as Partial<ProcessNote>
  if (typeof pid !== 'number' || typeof host !== 'string' || typeof born !== 'number') return undefined
  return { pid, host, born, ...(typeof started === 'string' && { started }) }
}

/** True when the process has ended. Undefined when it ran on another machine: this machine cannot tell. */
export function isGone(note: ProcessNote): boolean | undefined {
  if (note.host !== hostname()) return undefined
  if (note.pid !== process.pid && !isAlive(note.pid)) return true
  const started = startOf(note.pid)
  if (note.started !== undefined && started !== undefined) return started !== note.started
  return note.pid === process.pid && note.born !== performance.timeOrigin
}

/** Also one of another user: a process that refuses the signal is alive. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

/**
 * Field 22 of `/proc/<pid>/stat` (proc_pid_stat(5)); the name before it may hold anything, a bracket too. Undefined where there is no such
 * process, or the system does not tell.
 */
export function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
