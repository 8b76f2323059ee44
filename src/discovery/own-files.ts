/** Files that are caches: written whole beside their place and renamed, for the owner alone, set aside when they are broken. */
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** A partial file this old (ms) was left behind by a process that was killed. */
const STALE = 600_000
const PARTIAL = '.partial'
/** Ninety days, in milliseconds. */
const UNUSED = 90 * 24 * 3600_000

/**
 * Lets `fill` write a file under another name and puts it in the place of `path`. A reader of any process sees the old file or the new
 * one, even if this process is killed. Throws what went wrong; `path` is then as it was.
 */
export async function replaceFile(path: string, fill: (partial: string) => Promise<void>): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await usePartial(path, async (partial) => {
    await writeFile(partial, '', { mode: 0o600, flag: 'wx' })
    await fill(partial)
    await rename(partial, path)
  })
}

/** A unique name beside `path`; a file left there at the end is removed. */
export async function usePartial<T>(path: string, use: (partial: string) => Promise<T>): Promise<T> {
  const partial = `${path}.${randomUUID()}${PARTIAL}`
  try {
    return await use(partial)
  } finally {
    await rm(partial, { force: true }).catch(() => {})
    await rm(`${partial}-journal`, { force: true }).catch(() => {})
    await rm(`${partial}.lock`, { force: true, recursive: true }).catch(() => {})
  }
}

/** Moves a broken file out of the way, in place of the one before, and gives its new name; undefined when it cannot be moved. */
export async function setAside(path: string): Promise<string | undefined> {
  const aside = `${path}.broken`
  try {
    await rm(aside, { force: true, recursive: true })
    await rename(path, aside)
    return aside
  } catch {
    return undefined
  }
}

/** Removes what killed processes left beside `path`. */
export async function removeStale(path: string, now: number): Promise<void> {
  const folder = dirname(path)
  const names = await readdir(folder).catch((): string[] => [])
  for (const name of names) {
    if (!name.startsWith(`${basename(path)}.`) || !name.includes(PARTIAL)) continue
    const file = join(folder, name)
    const written = await stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => now,
    )
    if (now - written > STALE) await rm(file, { force: true, recursive: true }).catch(() => {})
  }
}

/** Marks a folder as used now. */
export async function touch(folder: string): Promise<void> {
  const now = new Date()
  await utimes(folder, now, now).catch(() => {})
}

/** Removes caches from a folder that were not used for long. One that is needed after all is made again. */
export async function removeUnused(folder: string, now = Date.now()): Promise<void> {
  for (const name of await readdir(folder).catch((): string[] => [])) {
    const path = join(folder, name)
    const used = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => now,
    )
    if (now - used > UNUSED) await rm(path, { force: true, recursive: true }).catch(() => {})
  }
}
