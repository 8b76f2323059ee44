import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { makePrivateDirectory, PARTIAL, readShared, writeWhole } from '../data/private-files.ts'
import { messageOf, ProxyError } from '../protocol/errors.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import { type Entry, type EntryInfo, type Handle, isHandle, type Store } from './store.ts'

/** How a disk store is limited. */
export interface DiskStoreOptions {
  /** A directory for this store alone; it is made when missing. Several processes may share it. */
  directory: string
  /** The most bytes of content; beyond it the entry that was used longest ago goes first. */
  maxBytes: number
  /** Milliseconds since its last use after which an entry is gone. */
  maxAge: number
  now: () => number
}

/** Entries of one owner that are listed. */
const MOST_LISTED = 1000

/** Where there is too much, entries leave until this part of the limit is left. */
const LOW_MARK = 0.9

/** Milliseconds after which nobody is still writing the other half of an entry. */
const ABANDONED = 10 * 60_000

const metadataSchema = z.object({
  handle: z.string(),
  owner: z.string(),
  hash: z.string(),
  tool: z.string(),
  arguments: z.custom<JsonObject>(isObject),
  size: z.number().int().nonnegative(),
  created: z.number(),
  lastAccessed: z.number(),
  accessCount: z.number().int(),
  ttl: z.number(),
  shape: z.string().optional(),
  tokens: z.number().optional(),
})

/**
 * Keeps entries as files that outlive the process: `<handle>.content`, `<handle>.json` and, written last, a file in `by-content` that
 * is named by owner and hash and holds the handle. They carry `lastAccessed` as their file time. Rejects with ProxyError STORE_FAILED
 * when the file system refuses.
 */
export async function createDiskStore(options: DiskStoreOptions): Promise<Store> {
  const { directory, maxBytes, maxAge, now } = options
  const contentPath = (handle: Handle): string => join(directory, contentName(handle))
  const metadataPath = (handle: Handle): string => join(directory, metadataName(handle))
  const index = join(directory, 'by-content')
  const indexPath = (owner: string, hash: string): string =>
    join(index, `${indexKey(owner)}-${indexKey(hash)}`)
  await reporting('open', () => makePrivateDirectory(directory))
  await reporting('open', () => makePrivateDirectory(index))
  let indexSwept = Number.NEGATIVE_INFINITY
  /** Whole entries at the last look, and those written since; what other processes write is seen at the next look. */
  let known = new Map<Handle, { size: number; used: number }>()
  /** Of those, and of what is being written. */
  let bytes = 0
  let scanned = Number.NEGATIVE_INFINITY
  /** Written or removed since the look began. */
  const noted = new Set<Handle>()
  let making: Promise<void> | undefined
  let sweeping: Promise<void> | undefined
  let sweptFiles = false
  // Nobody waits for it but who writes: results can be read before it is known what there is.
  const loaded: Promise<unknown> = look().catch(() => {})

  /** Finds what there is, and keeps what was written meanwhile. */
  async function look(): Promise<readonly Found[]> {
    noted.clear()
    const files = await scan(directory)
    const before = known
    known = new Map(
      files.filter(({ whole }) => whole).map(({ handle, size, used }) => [handle, { size, used }]),
    )
    for (const handle of noted) {
      const entry = before.get(handle)
      if (entry) known.set(handle, entry)
      else known.delete(handle)
    }
    bytes = writing
    for (const { size } of known.values()) bytes += size
    scanned = now()
    return files
  }

  /** What is being written, and its bytes. */
  const underway = new Set<Promise<void>>()
  let writing = 0

  function note(handle: Handle, size: number, used: number): void {
    bytes += size - (known.get(handle)?.size ?? 0)
    known.set(handle, { size, used })
    noted.add(handle)
  }

  function unnote(handle: Handle): void {
    bytes -= known.get(handle)?.size ?? 0
    known.delete(handle)
    noted.add(handle)
  }

  /** Room for what is about to be written: one at a time removes the longest unused, and all others wait for it. */
  async function reserve(size: number): Promise<void> {
    await loaded
    while (bytes + size > maxBytes) {
      if (known.size > 0) await removeOldest(size)
      else if (underway.size > 0) await Promise.race(underway)
      // A result that is larger than the limit by itself.
      else break
    }
    bytes += size
    writing += size
  }

  function removeOldest(size: number): Promise<void> {
    making ??= (async () => {
      const oldest = [...known].sort(([, a], [, b]) => a.used - b.used)
      for (const [handle] of oldest) {
        if (bytes + size <= maxBytes * LOW_MARK) return
        await remove(handle)
      }
    })().finally(() => {
      making = undefined
    })
    return making
  }

  async function put(entry: Entry): Promise<void> {
    const { content, ...metadata } = entry
    if (!isHandle(entry.handle)) throw new Error(`'${entry.handle}' is not a handle`)
    // A handle is never given twice, so content that is there is this content.
    const there = await stat(contentPath(entry.handle)).catch(() => undefined)
    const size = content.byteLength
    if (there?.size !== size) {
      await reserve(size)
      const written = writeWhole(contentPath(entry.handle), content, entry.lastAccessed)
      const settled = written.catch(() => {})
      underway.add(settled)
      try {
        await written
      } finally {
        underway.delete(settled)
        writing -= size
        bytes -= size
      }
    }
    note(entry.handle, size, entry.lastAccessed)
    await writeWhole(metadataPath(entry.handle), JSON.stringify(metadata), entry.lastAccessed)
    await writeWhole(indexPath(entry.owner, entry.hash), entry.handle, entry.lastAccessed)
  }

  async function getEntry(handle: Handle): Promise<Entry | undefined> {
    if (!isHandle(handle)) return undefined
    const file = await stat(metadataPath(handle)).catch(() => undefined)
    if (file === undefined) return undefined
    const entry = now() - file.mtimeMs <= maxAge ? await read(handle).catch(() => undefined) : undefined
    // Who asks is told that it is gone, also where it cannot be removed.
    if (entry === undefined) await remove(handle).catch(() => {})
    return entry
  }

  /** Rejects, or resolves to nothing, when the files are not what was written. */
  async function read(handle: Handle): Promise<Entry | undefined> {
    const metadata = await readInfo(handle)
    const { content, hash } = await readShared(contentPath(handle))
    return metadata.handle === handle && metadata.hash === hash ? { ...metadata, content } : undefined
  }

  /** Rejects when there is none that can be read. */
  async function readInfo(handle: Handle): Promise<EntryInfo> {
    return metadataSchema.parse(JSON.parse(await readFile(metadataPath(handle), 'utf8')))
  }

  /** By its file time and metadata alone: whether the content is whole shows when it is read. */
  async function info(handle: Handle): Promise<EntryInfo | undefined> {
    if (!isHandle(handle)) return undefined
    const file = await stat(metadataPath(handle)).catch(() => undefined)
    if (file === undefined || now() - file.mtimeMs > maxAge) return undefined
    const found = await readInfo(handle).catch(() => undefined)
    return found?.handle === handle ? found : undefined
  }

  async function handleIn(path: string): Promise<Handle | undefined> {
    const handle = await readFile(path, 'utf8').catch(() => '')
    return isHandle(handle) ? handle : undefined
  }

  async function handleOf(owner: string, hash: string): Promise<Handle | undefined> {
    const handle = await handleIn(indexPath(owner, hash))
    const found = handle === undefined ? undefined : await info(handle)
    return found?.owner === owner && found.hash === hash ? handle : undefined
  }

  async function list(owner: string): Promise<EntryInfo[]> {
    const entries: EntryInfo[] = []
    for (const name of await readdir(index)) {
      if (!name.startsWith(`${indexKey(owner)}-`)) continue
      if (entries.length === MOST_LISTED) break
      const handle = await handleIn(join(index, name))
      const entry = handle === undefined ? undefined : await info(handle)
      if (entry?.owner === owner) entries.push(entry)
    }
    return entries
  }

  async function remove(handle: Handle): Promise<boolean> {
    if (!isHandle(handle)) return false
    unnote(handle)
    const there = await stat(metadataPath(handle)).catch(() => undefined)
    const { owner = '', hash = '' } = (there && (await readInfo(handle).catch(() => undefined))) ?? {}
    if ((await handleIn(indexPath(owner, hash))) === handle) await rm(indexPath(owner, hash), { force: true })
    await rm(metadataPath(handle), { force: true })
    await rm(contentPath(handle), { force: true })
    return there !== undefined
  }

  /** Looks at all files only once in a while: what this process wrote it knows. */
  async function sweep(): Promise<void> {
    await loaded
    if (!sweptFiles || now() - scanned > ABANDONED) await sweepFiles()
    for (const [handle, { used }] of known) if (now() - used > maxAge) await remove(handle)
    if (bytes > maxBytes) await removeOldest(0)
    if (now() - indexSwept > ABANDONED) await sweepIndex()
  }

  async function sweepFiles(): Promise<void> {
    const files = await look()
    sweptFiles = true
    for (const file of files) {
      if (Date.now() - file.changed <= ABANDONED) continue
      await Promise.all(file.partial.map((path) => rm(path, { force: true })))
      if (!file.whole) await remove(file.handle)
    }
  }

  /** Removes what is left in the index of entries that were lost in another way than by `remove`. Rare, so not part of each sweep. */
  async function sweepIndex(): Promise<void> {
    indexSwept = now()
    for (const name of await readdir(index)) {
      const file = await stat(join(index, name)).catch(() => undefined)
      const isDead = name.endsWith(PARTIAL)
        ? Date.now() - (file?.ctimeMs ?? 0) > ABANDONED
        : now() - (file?.mtimeMs ?? 0) > maxAge
      if (isDead) await rm(join(index, name), { force: true })
    }
  }

  async function wholeFiles(): Promise<Found[]> {
    return (await scan(directory)).filter((file) => file.whole)
  }

  return {
    put: (entry) => reporting('write', () => put(entry)),
    get: async (handle) => (await getEntry(handle))?.content,
    getEntry: (handle) => reporting('read', () => getEntry(handle)),
    info: (handle) => reporting('read', () => info(handle)),
    handleOf: (owner, hash) => reporting('read', () => handleOf(owner, hash)),
    list: (owner) => reporting('read', () => list(owner)),
    remove: (handle) => reporting('remove', () => remove(handle)),
    clear: () =>
      reporting('remove', async () => {
        for (const { handle } of await scan(directory)) await remove(handle)
        for (const name of await readdir(index)) await rm(join(index, name), { force: true })
        known.clear()
        bytes = writing
      }),
    size: async () => (await wholeFiles()).length,
    async stats() {
      const files = await wholeFiles()
      return { entries: files.length, bytes: sum(files) }
    },
    sweep() {
      sweeping ??= reporting('sweep', sweep).finally(() => {
        sweeping = undefined
      })
      return sweeping
    },
    // What is still looked for must not outlive the directory.
    close: async () => void (await loaded),
  }
}

function sum(files: readonly Found[]): number {
  return files.reduce((bytes, file) => bytes + file.size, 0)
}

async function reporting<T>(what: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    throw new ProxyError(
      'STORE_FAILED',
      `Could not ${what} kept results on disk: ${messageOf(error)}`,
      'Check the rights and the free space of the data directory.',
      { cause: error },
    )
  }
}

// What lies in a disk store's directory, without opening any file.

/** The files of one handle. */
interface Found {
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

/** Everything named by a handle. Files with other names are not ours and stay unseen. */
async function scan(directory: string): Promise<Found[]> {
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
  return [...found.values()]
}

/** Owners may be any text; a file name may not. */
function indexKey(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24)
}

function contentName(handle: Handle): string {
  return `${handle}.content`
}

function metadataName(handle: Handle): string {
  return `${handle}.json`
}
