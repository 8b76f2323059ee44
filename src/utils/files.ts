/** Looking at files and writing them, in some directories and nowhere else. */
import { constants, lstat, open, readdir, unlink } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { openConfined, REFUSED, Refused, withoutOwn } from '../spill/confined.ts'
import { type ConfinedDirectory, openDirectoryConfined } from '../spill/confined-directory.ts'

const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants

export interface FilesOptions {
  /** Where relative paths begin, and the only place that is written to. */
  root: string | undefined
  /** Other directories that may be read. */
  readable: readonly string[]
  /** Directories of the proxy itself: what it keeps of others lies there. */
  own: readonly string[]
}

export interface FileEntry {
  /** Path below the directory that was listed. */
  name: string
  type: 'file' | 'directory' | 'other'
  /** Bytes; of files alone. */
  size?: number
  modified?: string
}

/** Paths are absolute, or relative to `root`. Everything rejects with `Refused` for what is elsewhere or not there. */
export interface Files {
  /** Entries in the order of their names; `isWhole` is false when there are more. Links are named and not followed. */
  list(path: string, recursive: boolean): Promise<{ entries: FileEntry[]; isWhole: boolean }>
  info(path: string): Promise<FileEntry>
  /** The text of a file. */
  read(path: string): Promise<string>
  /** Writes a file anew, or (`append`) goes on where it ends; gives its size in bytes. */
  write(path: string, content: string, append: boolean): Promise<number>
  remove(path: string): Promise<void>
}

const MAX_ENTRIES = 10_000
const MAX_BYTES = 64 * 1024 * 1024

export function createFiles({ root, readable, own }: FilesOptions): Files {
  const written = root === undefined ? [] : [root]
  const read = [...written, ...readable]
  const full = (path: string): string => resolve(written[0] ?? read[0] ?? '/', path)

  /** Works in the directory of a path, with the name of what the path means there. */
  async function beside<T>(
    path: string,
    roots: readonly string[],
    work: (directory: ConfinedDirectory, name: string) => Promise<T>,
  ): Promise<T> {
    const place = full(path)
    const directory = await openDirectoryConfined(dirname(place), await withoutOwn(roots, own))
    try {
      return await work(directory, basename(place))
    } catch (error) {
      throw error instanceof Refused ? error : refusal(error)
    } finally {
      await directory.close()
    }
  }

  return {
    async list(path, recursive) {
      const entries: FileEntry[] = []
      const waiting = ['']
      for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
        const roots = await withoutOwn(read, own)
        const directory = await openDirectoryConfined(join(full(path), at), roots).catch((error: unknown) => {
          // What is below may be gone, or the proxy's own.
          if (at === '') throw error
        })
        if (!directory) continue
        try {
          for (const name of (await readdir(directory.path)).sort()) {
            if (entries.length === MAX_ENTRIES) return { entries, isWhole: false }
            const entry = await entryOf(directory.at(name), join(at, name)).catch(() => undefined)
            if (entry === undefined) continue
            entries.push(entry)
            if (recursive && entry.type === 'directory') waiting.push(entry.name)
          }
        } finally {
          await directory.close()
        }
      }
      return { entries, isWhole: true }
    },
    info: async (path) =>
      read.includes(full(path))
        ? { name: basename(full(path)), type: 'directory' }
        : beside(path, read, async (directory, name) => entryOf(directory.at(name), name)),
    async read(path) {
      const file = await openConfined(full(path), await withoutOwn(read, own))
      try {
        const { size } = await file.stat()
        if (size > MAX_BYTES)
          throw new Refused(`The file has ${size} bytes; ${MAX_BYTES} are the most that are read.`)
        const bytes = await file.readFile()
        return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
      } catch (error) {
        if (error instanceof TypeError) throw new Refused('The file is not text in UTF-8.')
        throw error
      } finally {
        await file.close()
      }
    },
    write: (path, content, append) =>
      beside(path, written, async (directory, name) => {
        const flags = O_WRONLY | O_CREAT | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0) | (append ? O_APPEND : 0)
        const file = await open(directory.at(name), flags, 0o644)
        try {
          const stat = await file.stat()
          // A second name may be the first of a file elsewhere.
          if (!stat.isFile() || stat.nlink !== 1) throw new Refused(REFUSED)
          if (!append) await file.truncate(0)
          await file.writeFile(content)
          return (await file.stat()).size
        } finally {
          await file.close()
        }
      }),
    remove: (path) =>
      beside(path, written, async (directory, name) => {
        if (!(await lstat(directory.at(name))).isFile()) throw new Refused(REFUSED)
        await unlink(directory.at(name))
      }),
  }
}

async function entryOf(place: string, name: string): Promise<FileEntry> {
  const stat = await lstat(place)
  const type = stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other'
  return { name, type, ...(type === 'file' && { size: stat.size }), modified: stat.mtime.toISOString() }
}

/** What the disk says of itself may be told; what it says of other places may not. */
function refusal(error: unknown): Error {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOSPC' || code === 'EROFS'
    ? new Refused(`Nothing was written: ${code}.`)
    : new Refused(REFUSED)
}
