/** The directory for files of this process alone: made on first use, gone when the process is. */

import { randomBytes } from 'node:crypto'
import { type BigIntStats, constants, rmSync } from 'node:fs'
import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PARTIAL } from '../data/private-files.ts'
import { isGone, noteOfThis, readNote } from '../data/process-notes.ts'
import { hasCode } from '../protocol/errors.ts'
import { placeOf } from './confined.ts'

/** A file that was written, known again whatever lies under its name later. */
export interface Written {
  path: string
  /** The directory, as `realpath` gave it. */
  real: string
  device: bigint
  inode: bigint
}

export interface SpillDirectory {
  readonly path: string
  /** Writes a file whole or not at all. Rejects when the disk refuses; a directory that is gone is made again. */
  write(name: string, content: Uint8Array): Promise<Written>
  /** True while the file is there as it was written. */
  has(file: Written): Promise<boolean>
  remove(name: string): Promise<void>
  close(): Promise<void>
}

/** `<pid>-<random>`: what else lies beside them is left alone. */
const OURS = /^\d{1,10}-[0-9a-f]{8}$/

const CHUNK = 1024 * 1024
const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants

/** `base`: the directory under which each process has its own. */
export function createSpillDirectory(base: string): SpillDirectory {
  const path = join(base, `${process.pid}-${randomBytes(4).toString('hex')}`)
  /** Its real path. */
  let made: Promise<string> | undefined
  let isClosed = false
  let parts = 0
  const writing = new Set<Promise<unknown>>()
  const removeNow = (): void => {
    try {
      // A file that is being written may come into the directory while it is emptied.
      rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
    } catch {
      // The next process sweeps it.
    }
  }

  async function make(): Promise<string> {
    // One that is there already may be everybody's, as /tmp is: its rights stay what they are.
    await mkdir(base, { recursive: true, mode: 0o700 })
    await mkdir(path, { mode: 0o700 })
    try {
      await sign(path)
      // Also without a `close` before: on an immediate exit.
      process.removeListener('exit', removeNow)
      process.once('exit', removeNow)
      return await realpath(path)
    } catch (error) {
      await rm(path, { recursive: true, force: true })
      throw error
    }
  }

  async function writeOnce(name: string, content: Uint8Array): Promise<Written> {
    made ??= make()
    const real = await made.catch((error: unknown) => {
      made = undefined
      throw error
    })
    const partial = join(path, `${name}.${parts++}${PARTIAL}`)
    const file = await open(partial, O_WRONLY | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0), 0o600)
    try {
      if (dirname(await placeOf(file, partial)) !== real)
        throw new Error(`${path} is not the directory that was made there`)
      await writeAll(file, content)
      const { dev, ino } = await file.stat({ bigint: true })
      await file.close()
      await rename(partial, join(path, name))
      return { path: join(path, name), real, device: dev, inode: ino }
    } catch (error) {
      await file.close().catch(() => {})
      await rm(partial, { force: true }).catch(() => {})
      throw error
    }
  }

  async function write(name: string, content: Uint8Array): Promise<Written> {
    const before = made
    try {
      return await writeOnce(name, content)
    } catch (error) {
      const isGone = hasCode(error, 'ENOENT') && before !== undefined
      if (isClosed || !isGone) throw error
      // Somebody tidied up.
      if (made === before) made = undefined
      return writeOnce(name, content)
    }
  }

  return {
    path,
    async write(name, content) {
      if (isClosed) throw new Error('the spill directory is closed')
      const done = write(name, content)
      writing.add(done)
      return done.finally(() => writing.delete(done))
    },
    async has(file) {
      return isSame(file, await lstat(file.path, { bigint: true }).catch(() => undefined))
    },
    remove: (name) => rm(join(path, name), { force: true }),
    async close() {
      isClosed = true
      await Promise.allSettled([...writing, made])
      process.removeListener('exit', removeNow)
      await rm(path, { recursive: true, force: true })
    },
  }
}

/** In pieces: the disk may refuse at any of them, and the event loop breathes between them. */
async function writeAll(file: FileHandle, content: Uint8Array): Promise<void> {
  for (let at = 0; at < content.byteLength; ) {
    const { bytesWritten } = await file.write(content, at, Math.min(CHUNK, content.byteLength - at))
    at += bytesWritten
  }
}

export function isSame({ device, inode }: Written, stat: BigIntStats | undefined): boolean {
  return stat?.isFile() === true && stat.dev === device && stat.ino === inode
}

/** Removes the directories of processes that are gone. Never rejects. */
export async function sweepSpills(base: string, now: number): Promise<void> {
  const names = await readdir(base).catch(() => [])
  for (const name of names.filter((one) => OURS.test(one))) {
    const directory = join(base, name)
    if (await isAbandoned(directory, now))
      await rm(directory, { recursive: true, force: true }).catch(() => {})
  }
}

// The owner of a directory of files: the process that wrote a note into it.

const NOTE = '.owner'

/** Milliseconds without a new file after which a directory of another machine is taken to be left behind. */
const ABANDONED = 7 * 24 * 3600_000

async function sign(directory: string): Promise<void> {
  await writeFile(join(directory, NOTE), JSON.stringify(noteOfThis()), { mode: 0o600, flag: 'wx' })
}

/** True when a process wrote its note there and is gone. False without a note. Never rejects. */
async function isAbandoned(directory: string, now: number): Promise<boolean> {
  try {
    const place = await lstat(directory)
    if (!place.isDirectory()) return false
    const owner = readNote(JSON.parse(await readFile(join(directory, NOTE), 'utf8')))
    return owner !== undefined && (isGone(owner) ?? now - place.mtimeMs > ABANDONED)
  } catch {
    return false
  }
}
