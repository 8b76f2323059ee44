/** What lies in a disk store's directory, without opening any file. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { PARTIAL } from './files.ts'
import { isHandle } from './handle.ts'
import type { Handle } from './store.ts'

/** The files of one handle. */
export interface Found {
  handle: Handle
  /** Content and metadata are both there, as far as names tell. */
  whole: boolean
  /** Bytes of content. */
  size: number
  /** When the entry was last used, in milliseconds since 1970: the time its files were given. */
  used: number
  /** When the file system last saw a change, by the machine's own clock. */
  changed: number
  /** Paths of files that are being written, or were when a process died. */
  partial: string[]
}

/** Everything named by a handle, longest unused first. Files with other names are not ours and stay unseen. */
export async function scan(directory: string): Promise<Found[]> {
  const found = new Map<Handle, Found & { names: Set<string> }>()
  for (const name of await readdir(directory)) {
    const handle = name.slice(0, name.indexOf('.'))
    const path = join(directory, name)
    const file = isHandle(handle) ? await stat(path).catch(() => undefined) : undefined
    if (file === undefined) continue
    const entry = found.get(handle) ?? {
      handle,
      whole: false,
      size: 0,
      used: 0,
      changed: 0,
      partial: [],
      names: new Set(),
    }
    found.set(handle, entry)
    entry.names.add(name)
    entry.changed = Math.max(entry.changed, file.ctimeMs)
    if (name.endsWith(PARTIAL)) entry.partial.push(path)
    else entry.used = Math.max(entry.used, file.mtimeMs)
    if (name === contentName(handle)) entry.size = file.size
    entry.whole = entry.names.has(contentName(handle)) && entry.names.has(metadataName(handle))
  }
  return [...found.values()].sort((a, b) => a.used - b.used)
}

export function contentName(handle: Handle): string {
  return `${handle}.content`
}

export function metadataName(handle: Handle): string {
  return `${handle}.json`
}
