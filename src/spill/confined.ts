/**
 * Opens files by paths that a model wrote. The check looks at the opened file, not at the path: it must be a regular file in one of the
 * allowed directories. All else is refused in the same words, which tell nothing about the file system.
 */
import type { BigIntStats } from 'node:fs'
import { constants, type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants

/** A path that is not for reading, or nothing there. */
export class Refused extends Error {}

export const REFUSED =
  'No such file, or none that may be read here. Use a resultFile or cache_id from a reply of this session.'

/** Longest path that any file system takes. */
const longestPath = 4096

/** The shortages of a system that last for a while. It has nothing to do with the path. */
const SHORTAGES: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'ENOMEM'])

/** Where files may be read: a directory as `realpath` gives it, and those in it that are not meant. */
export interface Root {
  readonly place: string
  readonly without?: readonly string[]
}

/** The caller closes the file. Throws `Refused`, for everything. A root that is a path is what it leads to now. */
export async function openConfined(path: string, roots: readonly (string | Root)[]): Promise<FileHandle> {
  if (!isAbsolute(path) || path.length > longestPath || path.includes('\0')) throw new Refused(REFUSED)
  let file: FileHandle | undefined
  let reason = REFUSED
  try {
    // Where it leads is found out first, so that nothing outside is ever opened: opening alone can have effects (devices, pipes).
    const place = await realpath(path)
    const found = await rootsOf(roots)
    const isAllowed = (one: string): boolean => found.some((root) => allows(root, one))
    if (isAllowed(place) && (await lstat(place)).isFile()) {
      file = await open(place, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0))
      const stat = await file.stat()
      // A second name may be the first of a file elsewhere: a link made to it is as good as a path to it.
      const isOne = stat.isFile() && stat.nlink === 1
      if (isOne && isAllowed(await placeOf(file, path))) return file
    }
  } catch (error) {
    // The same answer, whatever is there.
    const { code } = error as NodeJS.ErrnoException
    if (SHORTAGES.has(code)) reason = `The file cannot be opened now (${code}). Ask again in a moment.`
  }
  await file?.close().catch(() => {})
  throw new Refused(reason)
}

/** The bytes of such a file, up to `maxBytes`. Throws `Refused`. `isMeant`: false for one that was put in the place of another. */
export async function readConfined(
  path: string,
  roots: readonly (string | Root)[],
  maxBytes: number,
  isMeant: (stat: BigIntStats) => boolean = () => true,
): Promise<Uint8Array<SharedArrayBuffer>> {
  const file = await openConfined(path, roots)
  try {
    const stat = await file.stat({ bigint: true })
    if (!isMeant(stat)) throw new Refused(REFUSED)
    const size = Number(stat.size)
    if (size > maxBytes)
      throw new Refused(`The file has ${size} bytes; ${maxBytes} are the most that are read.`)
    const content = new Uint8Array(new SharedArrayBuffer(size))
    for (let at = 0; at < size; ) {
      const { bytesRead } = await file.read(content, at, Math.min(1024 * 1024, size - at), at)
      if (bytesRead === 0) throw new Refused(REFUSED)
      at += bytesRead
    }
    return content
  } finally {
    await file.close()
  }
}

/**
 * Directories that an operator allows, without `ownDirs` in them: what each was when it was first used. A link that is put in its place later
 * leads nowhere.
 */
export function createAllowed(dirs: readonly string[], ownDirs: readonly string[]): () => Promise<Root[]> {
  const places = new Map<string, string>()
  return async () => {
    const now = await Promise.all(
      dirs.map(async (one) => [one, await realpath(one).catch(() => '')] as const),
    )
    for (const [one, place] of now) if (place !== '' && !places.has(one)) places.set(one, place)
    return withoutOwn(
      [...places.values()].map((place) => ({ place })),
      ownDirs,
    )
  }
}

/** Where the open file lies. A folder on its way may have been swapped since it was looked up. */
export async function placeOf(file: FileHandle, path: string): Promise<string> {
  const told = process.platform === 'linux' ? await readlink(`/proc/self/fd/${file.fd}`).catch(() => '') : ''
  if (told !== '') return told
  const place = await realpath(path)
  const [one, other] = await Promise.all([file.stat({ bigint: true }), lstat(place, { bigint: true })])
  if (one.dev !== other.dev || one.ino !== other.ino) throw new Refused(REFUSED)
  return place
}

/** True for a place below one of the directories, or (`orItself`) for one of them. */
async function isWithinAny(
  place: string,
  roots: readonly (string | Root)[],
  orItself = false,
): Promise<boolean> {
  const found = await rootsOf(roots)
  return found.some((root) => allows(root, place, orItself))
}

/** Directories as they are now, without those of `own` in them. One inside of an own directory was named for itself, and is meant. */
export async function withoutOwn(roots: readonly (string | Root)[], own: readonly string[]): Promise<Root[]> {
  const places = await Promise.all(own.map((one) => realpath(one).catch(() => one)))
  const found = await rootsOf(roots)
  return found.map(({ place }) => ({ place, without: places.filter((one) => !isWithin(place, one)) }))
}

/** The real paths of directories; missing ones are left out. */
async function rootsOf(roots: readonly (string | Root)[]): Promise<Root[]> {
  const found = await Promise.all(
    roots.map(async (root) => {
      if (typeof root !== 'string') return root
      const place = await realpath(root).catch(() => undefined)
      return place === undefined ? [] : { place }
    }),
  )
  return found.flat()
}

function allows({ place: directory, without = [] }: Root, place: string, orItself = false): boolean {
  const isIn = (one: string): boolean => place === one || isWithin(place, one)
  return (orItself ? isIn(directory) : isWithin(place, directory)) && !without.some(isIn)
}

/** Both real paths. False for the directory itself. */
function isWithin(place: string, directory: string): boolean {
  const way = relative(directory, place)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

// Opens directories by paths that a model wrote, in the allowed places only.

export interface ConfinedDirectory {
  /** The path of an entry. Its file stays in this directory, whatever is done to the way there (on Linux). */
  at(name: string): string
  /** The directory itself, in the same way. */
  readonly path: string
  close(): Promise<void>
}

/** Throws `Refused` for all that is not one of `roots` or below them, and for what is not there. The caller closes it. */
export async function openDirectoryConfined(
  path: string,
  roots: readonly (string | Root)[],
): Promise<ConfinedDirectory> {
  if (!isAbsolute(path) || path.includes('\0')) throw new Refused(REFUSED)
  const place = await realpath(path).catch(() => '')
  if (place === '' || !(await isWithinAny(place, roots, true))) throw new Refused(REFUSED)
  const directory = await open(place, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_DIRECTORY ?? 0)).catch(() => {
    throw new Refused(REFUSED)
  })
  try {
    const isLinux = process.platform === 'linux'
    const own = `/proc/self/fd/${directory.fd}`
    // A folder on its way may have been swapped since it was looked up.
    const opened = isLinux ? await readlink(own) : await realpath(place)
    if (!(await isWithinAny(opened, roots, true))) throw new Refused(REFUSED)
    const base = isLinux ? own : opened
    return { path: `${base}/`, at: (name) => join(base, name), close: () => directory.close() }
  } catch (error) {
    await directory.close()
    throw error instanceof Refused ? error : new Refused(REFUSED)
  }
}
