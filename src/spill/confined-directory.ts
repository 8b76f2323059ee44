/** Directories whose paths a model wrote, opened where they may be and nowhere else. */
import { open, readlink, realpath } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { isWithinAny, O_DIRECTORY, O_NOFOLLOW, O_RDONLY, REFUSED, Refused, type Root } from './confined.ts'

export interface ConfinedDirectory {
  /** The path of an entry. What it stands for stays in this directory, whatever is done to the way there (on Linux). */
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
