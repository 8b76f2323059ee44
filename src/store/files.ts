/** Private files, written whole or not at all. */
import { createHash, randomUUID } from 'node:crypto'
import { chmod, mkdir, open, rename, rm, utimes, writeFile } from 'node:fs/promises'

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
