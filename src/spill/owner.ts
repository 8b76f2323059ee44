/**
 * Whose a directory of files is: the process that wrote a note into it. A process number alone does not tell. It is used again, in a
 * container it is most often the same, and on a shared disk it may be that of another machine.
 */
import { lstat, readFile, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { hasCode } from '../protocol/errors.ts'

interface Owner {
  pid: number
  host: string
  /** When the process began, where the system tells it (Linux: ticks since the start of the machine). */
  started?: string
  /** The same as the process itself knows it, milliseconds since 1970. */
  born: number
}

const NOTE = '.owner'

/** Milliseconds without a new file after which a directory of another machine is taken to be left behind. */
const ABANDONED = 7 * 24 * 3600_000

export async function sign(directory: string): Promise<void> {
  const { pid } = process
  const started = await startOf(pid)
  const owner: Owner = { pid, host: hostname(), born: performance.timeOrigin, ...(started && { started }) }
  await writeFile(join(directory, NOTE), JSON.stringify(owner), { mode: 0o600, flag: 'wx' })
}

/** True when a process wrote its note there and is gone. What has no note is nobody's. Never rejects. */
export async function isAbandoned(directory: string, now: number): Promise<boolean> {
  try {
    const place = await lstat(directory)
    const owner = place.isDirectory() ? ownerIn(await readFile(join(directory, NOTE), 'utf8')) : undefined
    if (owner === undefined) return false
    if (owner.host !== hostname()) return now - place.mtimeMs > ABANDONED
    if (owner.pid !== process.pid && !isAlive(owner.pid)) return true
    const started = await startOf(owner.pid)
    if (owner.started !== undefined && started !== undefined) return started !== owner.started
    return owner.pid === process.pid && owner.born !== performance.timeOrigin
  } catch {
    return false
  }
}

function ownerIn(text: string): Owner | undefined {
  const { pid, host, started, born } = JSON.parse(text) as Partial<Owner>
  if (typeof pid !== 'number' || typeof host !== 'string' || typeof born !== 'number') return undefined
  return { pid, host, born, ...(typeof started === 'string' && { started }) }
}

/** Whoever owns it: a process that may not be asked is alive. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

/** Field 22 of `/proc/<pid>/stat` (proc_pid_stat(5)); the name before it may hold anything, a bracket too. */
async function startOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
}
