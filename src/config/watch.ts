/** Tells when the configuration file is another: written again, or replaced by one of the same name. */
import { type FSWatcher, realpathSync, statSync, watch } from 'node:fs'
import { dirname } from 'node:path'

export interface FileWatch {
  close(): void
}

interface WatchOptions {
  /** Milliseconds after the last change in which editors and tools finish what they write. */
  settleMs?: number
  /** The outcome of `stampOf` when the file was read: later changes are told as well. Not given: what is written from now on. */
  since?: string | undefined
}

/**
 * Calls back when the file was written, also by a rename over it and behind a link that is pointed elsewhere. Its folder is watched,
 * for a file that is replaced takes its watch along. Does not keep the process. Throws where nothing can be watched.
 */
export function watchFile(
  file: string,
  changed: () => void,
  { settleMs = 150, since = stampOf(file) }: WatchOptions = {},
): FileWatch {
  let last = since
  let timer: NodeJS.Timeout | undefined

  function look(): void {
    const now = stampOf(file)
    // Gone: about to be replaced, or removed for good, and then there is nothing new to take.
    if (now === undefined || now === last) return
    last = now
    changed()
  }

  function lookSoon(): void {
    clearTimeout(timer)
    timer = setTimeout(look, settleMs).unref()
  }

  // Others write in the folder as well: that costs a look.
  const watchers = foldersOf(file).map((folder): FSWatcher => watch(folder, { persistent: false }, lookSoon))
  for (const watcher of watchers) watcher.on('error', () => watcher.close())
  if (stampOf(file) !== last) lookSoon()
  return {
    close() {
      clearTimeout(timer)
      for (const watcher of watchers) watcher.close()
    },
  }
}

/** Where the file is named, and where it lies. */
function foldersOf(file: string): string[] {
  return [...new Set([dirname(file), dirname(realpathSync(file))])]
}

// Tells one state of a file from another without reading it.

/** Another for another file, and for the same after it was written; undefined where there is none. */
export function stampOf(file: string): string | undefined {
  try {
    const { ino, size, mtimeNs } = statSync(file, { bigint: true })
    return `${ino} ${size} ${mtimeNs}`
  } catch {
    return undefined
  }
}
