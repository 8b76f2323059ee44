/** Tells one state of a file from another without reading it. */
import { statSync } from 'node:fs'

/** Another for another file, and for the same after it was written; undefined where there is none. */
export function stampOf(file: string): string | undefined {
  try {
    const { ino, size, mtimeNs } = statSync(file, { bigint: true })
    return `${ino} ${size} ${mtimeNs}`
  } catch {
    return undefined
  }
}
