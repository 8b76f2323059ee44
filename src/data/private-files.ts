/** Private files, written whole or not at all. */
import { createHash, randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { chmod, mkdir, open, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

const CHUNK = 1024 * 1024

/** Ending of a file that is still being written. */
export const PARTIAL = '.tmp'

/** Makes the directory, readable by its owner alone, also when it was there before with wider rights. */
export async function makePrivateDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  await chmod(path, 0o700)
}

/**
 * Writes under a name of its own, then renames: a reader sees the old file, the new one or none, never a part.
 * `modified` becomes the file's time, milliseconds since 1970.
 */
export async function writeWhole(
  path: string,
  content: Uint8Array | string,
  modified: number,
): Promise<void> {
  const partial = `${path}.${randomUUID()}${PARTIAL}`
  try {
    await writeFile(partial, content, { mode: 0o600, flag: 'wx' })
    await utimes(partial, modified / 1000, modified / 1000)
    await rename(partial, path)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

/** A file's bytes on a SharedArrayBuffer, and their SHA-256. Read in pieces, so that the event loop breathes. */
export async function readShared(
  path: string,
): Promise<{ content: Uint8Array<SharedArrayBuffer>; hash: string }> {
  const file = await open(path)
  try {
    const content = new Uint8Array(new SharedArrayBuffer((await file.stat()).size))
    const hash = createHash('sha256')
    let at = 0
    while (at < content.byteLength) {
      const { bytesRead } = await file.read(content, at, Math.min(CHUNK, content.byteLength - at), at)
      if (bytesRead === 0) throw new Error(`${path} became shorter while it was read`)
      hash.update(content.subarray(at, at + bytesRead))
      at += bytesRead
    }
    return { content, hash: hash.digest('hex') }
  } finally {
    await file.close()
  }
}

// The proxy's own files: private to this user, and always written whole.

/**
 * Whole or not at all, also when the machine loses its power: once it returns, the text stays. Readable by the user alone. Throws the
 * error of the file system; what was there before then stays.
 */
export function writeDurably(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${process.pid}${PARTIAL}`
  try {
    const to = openSync(temporary, 'w', 0o600)
    try {
      replaceDurably(temporary, file, to, text)
    } finally {
      closeSync(to)
    }
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** The same with a file that is open for writing already, at the path `from`. */
export function replaceDurably(from: string, file: string, to: number, text: string): void {
  writeFileSync(to, text)
  fsyncSync(to)
  renameSync(from, file)
  syncFolder(dirname(file))
}

/** So that a name is on the disk as well. Not every system opens folders or syncs them: there the name gets there in its own time. */
function syncFolder(path: string): void {
  try {
    const folder = openSync(path, 'r')
    try {
      fsyncSync(folder)
    } finally {
      closeSync(folder)
    }
  } catch {}
}
