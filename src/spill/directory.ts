/** The directory for files of this process alone: made on first use, gone when the process is. */
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makePrivateDirectory, writeWhole } from '../store/files.ts'

export interface SpillDirectory {
  readonly path: string
  /** Writes a file whole or not at all and gives its path. Rejects when the disk refuses. */
  write(name: string, content: Uint8Array): Promise<string>
  remove(name: string): Promise<void>
  close(): Promise<void>
}

/** `<pid>-<random>`: whose files these are. */
const OWNED = /^(\d{1,10})-[0-9a-f]{8}$/

/** `base`: the directory under which each process has its own. What processes that are dead left there is removed. */
export function createSpillDirectory(base: string): SpillDirectory {
  const path = join(base, `${process.pid}-${randomBytes(4).toString('hex')}`)
  let made: Promise<void> | undefined
  let isClosed = false
  const removeNow = (): void => rmSync(path, { recursive: true, force: true })

  async function make(): Promise<void> {
    await makePrivateDirectory(base)
    await makePrivateDirectory(path)
    // Also when nobody waits for `close`: an exit that is asked for at once.
    process.once('exit', removeNow)
  }

  return {
    path,
    async write(name, content) {
      if (isClosed) throw new Error('the spill directory is closed')
      made ??= make()
      await made.catch((error: unknown) => {
        made = undefined
        throw error
      })
      const file = join(path, name)
      await writeWhole(file, content, Date.now())
      return file
    },
    remove: (name) => rm(join(path, name), { force: true }),
    async close() {
      isClosed = true
      await made?.catch(() => {})
      process.removeListener('exit', removeNow)
      await rm(path, { recursive: true, force: true })
    },
  }
}

/** Removes the directories of processes that are gone. Never rejects. */
export async function sweepSpills(base: string): Promise<void> {
  const names = await readdir(base).catch(() => [])
  for (const name of names) {
    const pid = Number(OWNED.exec(name)?.[1] ?? Number.NaN)
    if (Number.isInteger(pid) && pid !== process.pid && !isAlive(pid))
      await rm(join(base, name), { recursive: true, force: true }).catch(() => {})
  }
}

/** Whoever owns it: a process that may not be asked is alive. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
