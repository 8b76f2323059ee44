/**
 * Opening files whose paths a model wrote. A file is read when what was opened, not what the path said a moment ago, is a regular
 * file in one of the allowed directories; all else is refused in the same words, which tell nothing of what is there.
 */
import { constants, type FileHandle, open, readlink, realpath } from 'node:fs/promises'
import { isAbsolute, relative, sep } from 'node:path'

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants

/** A path that is not for reading, or nothing there. */
export class Refused extends Error {}

export const REFUSED =
  'No such file, or none that may be read here. Use a resultFile or cache_id from a reply of this session.'

/** Longest path that any file system takes. */
const longestPath = 4096

/** The caller closes the file. Throws `Refused`, for everything. */
export async function openConfined(path: string, roots: readonly string[]): Promise<FileHandle> {
  if (!isAbsolute(path) || path.length > longestPath || path.includes('\0')) throw new Refused(REFUSED)
  let file: FileHandle | undefined
  try {
    // Where it leads is found out first, so that nothing outside is ever opened: opening alone can have effects (devices, pipes).
    const place = await realpath(path)
    if (!(await isWithinAny(place, roots))) throw new Refused(REFUSED)
    file = await open(place, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0))
    const stat = await file.stat()
    // A second name may be the first of a file elsewhere: a link made to it is as good as a path to it.
    const isOne = stat.isFile() && stat.nlink === 1
    if (isOne && (await isWithinAny(await placeOf(file, path), roots))) return file
  } catch {
    // The same answer, whatever the reason.
  }
  await file?.close().catch(() => {})
  throw new Refused(REFUSED)
}

/** Where the open file lies. A folder on its way may have been swapped since it was looked up. */
async function placeOf(file: FileHandle, path: string): Promise<string> {
  if (process.platform === 'linux') return readlink(`/proc/self/fd/${file.fd}`)
  const place = await realpath(path)
  const again = await open(place, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0))
  try {
    const [one, other] = await Promise.all([file.stat({ bigint: true }), again.stat({ bigint: true })])
    if (one.dev !== other.dev || one.ino !== other.ino) throw new Refused(REFUSED)
    return place
  } finally {
    await again.close()
  }
}

/** True for a place below one of the directories, or (`orItself`) for one of them. */
export async function isWithinAny(
  place: string,
  roots: readonly string[],
  orItself = false,
): Promise<boolean> {
  for (const root of roots) {
    const real = await realpath(root).catch(() => undefined)
    if (real === undefined) continue
    const way = relative(real, place)
    if (way === '' && orItself) return true
    if (way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)) return true
  }
  return false
}
