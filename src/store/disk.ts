import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import * as z from 'zod'
import { makePrivateDirectory, PARTIAL, readShared, writeWhole } from '../data/private-files.ts'
import { messageOf, ProxyError } from '../protocol/errors.ts'
import { type Handle, isHandle } from './handles.ts'
import { metadataSchema } from './metadata.ts'
import type { Entry, EntryInfo, Store } from './store.ts'

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

/** Milliseconds after which no process is still writing the other half of an entry. */
const ABANDONED = 10 * 60_000

/** Entries that a start may have to look at one by one. */
const UNTOLD = 1000

/**
 * When a pinned entry was last used, in milliseconds since 1970: the year 2200. No age is reached from there, and all others go first where
 * room is made.
 */
const PINNED = Date.UTC(2200)

/** A whole entry, as it counts for the limits. */
interface Known {
  /** Bytes of content. */
  size: number
  /** When it was last used, in milliseconds since 1970: the time its files were given. */
  used: number
}

const memoSchema = z.array(z.tuple([z.string(), z.number().nonnegative(), z.number()]))

/**
 * Keeps entries as files that outlive the process: `<handle>.content`, `<handle>.json` and, written last, a file in `by-content` that
 * is named by owner and hash and holds the handle. They carry `lastAccessed` as their file time, and pinned ones a time that does not come. Rejects with ProxyError STORE_FAILED
 * when the file system refuses.
 *
 * What was put outlives the end of the process, however it ends. Nothing is synced: after a loss of power, entries of the last half
 * minute may be gone. Each that is there is whole, because a read compares content with its hash.
 */
export async function createDiskStore(options: DiskStoreOptions): Promise<Store> {
  const { directory, maxBytes, maxAge, now } = options
  const contentPath = (handle: Handle): string => join(directory, contentName(handle))
  const metadataPath = (handle: Handle): string => join(directory, metadataName(handle))
  const index = join(directory, 'by-content')
  const memoPath = join(index, 'known')
  const indexPath = (owner: string, hash: string): string =>
    join(index, `${indexKey(owner)}-${indexKey(hash)}`)
  await reporting('open', () => makePrivateDirectory(directory))
  await reporting('open', () => makePrivateDirectory(index))
  let indexSwept = Number.NEGATIVE_INFINITY
  /** Whole entries at the last look, and those written since; what other processes write is seen at the next look. */
  let known = new Map<Handle, Known>()
  /** Of those, and of what is being written. */
  let bytes = 0
  let scanned = Number.NEGATIVE_INFINITY
  /** Of each look under way, the handles written or removed meanwhile. */
  const looks = new Set<Set<Handle>>()
  /** Entries that came or left since the memo was written. */
  let changes = 0
  let making: Promise<void> | undefined
  let sweeping: Promise<void> | undefined
  let sweptFiles = false
  // Only writers wait for it: results can be read before the folder is listed.
  const loaded: Promise<unknown> = recall()
    .then(look)
    .catch(() => {})

  /** The index of the last process, so that a start does not look at every file. */
  async function recall(): Promise<void> {
    const memo = memoSchema.parse(JSON.parse(await readFile(memoPath, 'utf8').catch(() => '[]')))
    known = new Map(memo.map(([handle, size, used]) => [handle, { size, used }]))
  }

  async function memorize(): Promise<void> {
    changes = 0
    const memo = [...known].map(([handle, { size, used }]) => [handle, size, used])
    await writeWhole(memoPath, JSON.stringify(memo), now())
  }

  /** Lists the entries, reads only the ones that are new here, and keeps what was written meanwhile. */
  async function look(): Promise<Map<Handle, string[]>> {
    const noted = new Set<Handle>()
    looks.add(noted)
    try {
      const there = await namesIn(directory)
      const found = new Map<Handle, Known>()
      for (const [handle, names] of there) {
        const entry = isWhole(handle, names) ? (known.get(handle) ?? (await measure(handle))) : undefined
        if (entry) found.set(handle, entry)
      }
      for (const handle of noted) {
        const entry = known.get(handle)
        if (entry) found.set(handle, entry)
        else found.delete(handle)
      }
      take(found)
      return there
    } finally {
      looks.delete(noted)
    }
  }

  function take(found: Map<Handle, Known>): void {
    known = found
    bytes = writing
    for (const { size } of known.values()) bytes += size
    scanned = now()
  }

  async function measure(handle: Handle): Promise<Known | undefined> {
    changes++
    try {
      const { size } = await stat(contentPath(handle))
      return { size, used: (await stat(metadataPath(handle))).mtimeMs }
    } catch {
      return undefined
    }
  }

  /** The writes under way, and their bytes. */
  const underway = new Set<Promise<void>>()
  let writing = 0

  function note(handle: Handle, entry: Known | undefined): void {
    bytes += (entry?.size ?? 0) - (known.get(handle)?.size ?? 0)
    if (entry) known.set(handle, entry)
    else known.delete(handle)
    for (const noted of looks) noted.add(handle)
    changes++
  }

  /**
   * Room for what is about to be written: one at a time removes the longest unused, and all others wait for it. Returns what gives the
   * room back.
   */
  async function reserve(size: number): Promise<() => void> {
    await loaded
    while (bytes + size > maxBytes) {
      if (known.size > 0) await makeRoom(size)
      else if (underway.size > 0) await Promise.race(underway)
      // A result that is larger than the limit by itself.
      else break
    }
    bytes += size
    writing += size
    let settle: () => void = () => {}
    const reservation = new Promise<void>((resolve) => {
      settle = resolve
    })
    underway.add(reservation)
    return () => {
      bytes -= size
      writing -= size
      underway.delete(reservation)
      settle()
    }
  }

  function makeRoom(size: number): Promise<void> {
    const oldest = [...known].sort(([, a], [, b]) => a.used - b.used)
    making ??= removeEach(oldest, () => bytes + size <= maxBytes * LOW_MARK).finally(() => {
      making = undefined
    })
    return making
  }

  /** Until there is enough. An entry that cannot be removed does not keep others from removal; rejects when it was needed. */
  async function removeEach(entries: Iterable<[Handle, Known]>, isEnough: () => boolean): Promise<void> {
    let refused: { error: unknown } | undefined
    for (const [handle, { used }] of entries) {
      if (isEnough()) return
      const file = await stat(metadataPath(handle)).catch(() => undefined)
      const entry = known.get(handle)
      // Another process used it meanwhile.
      if (entry && file && file.mtimeMs >= used + 1) note(handle, { ...entry, used: file.mtimeMs })
      else
        await remove(handle).catch((error) => {
          refused = { error }
        })
    }
    if (refused && !isEnough()) throw refused.error
  }

  async function put(entry: Entry): Promise<void> {
    const { content, ...metadata } = entry
    const used = entry.pinned ? PINNED : entry.lastAccessed
    if (!isHandle(entry.handle)) throw new Error(`'${entry.handle}' is not a handle`)
    // A handle is never given twice, so content that is there is this content.
    const there = await stat(contentPath(entry.handle)).catch(() => undefined)
    const size = content.byteLength
    const isNew = there?.size !== size
    if (isNew) {
      const release = await reserve(size)
      await writeWhole(contentPath(entry.handle), content, used).finally(release)
    }
    note(entry.handle, { size, used })
    try {
      await writeWhole(metadataPath(entry.handle), JSON.stringify(metadata), used)
      await writeWhole(indexPath(entry.owner, entry.hash), entry.handle, used)
    } catch (error) {
      if (isNew) await remove(entry.handle).catch(() => {})
      throw error
    }
  }

  async function getEntry(handle: Handle, owner: string): Promise<Entry | undefined> {
    if (!isHandle(handle)) return undefined
    const file = await stat(metadataPath(handle)).catch(unlessRefused)
    if (file === undefined) return undefined
    const entry = now() - file.mtimeMs <= maxAge ? await read(handle).catch(unlessRefused) : undefined
    // The answer is that it is gone, also where it cannot be removed.
    if (entry === undefined) await remove(handle).catch(() => {})
    return entry?.owner === owner ? entry : undefined
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

  /** An unreadable entry has no owner, and is removed. */
  async function removeOf(owner: string, handle: Handle): Promise<boolean> {
    if (!isHandle(handle)) return false
    const found = await readInfo(handle).catch(() => undefined)
    return (found === undefined || found.owner === owner) && remove(handle)
  }

  /** Of any owner. */
  async function remove(handle: Handle): Promise<boolean> {
    const there = await stat(metadataPath(handle)).catch(() => undefined)
    const { owner = '', hash = '' } = (there && (await readInfo(handle).catch(() => undefined))) ?? {}
    if ((await handleIn(indexPath(owner, hash))) === handle) await rm(indexPath(owner, hash), { force: true })
    await rm(metadataPath(handle), { force: true })
    await rm(contentPath(handle), { force: true })
    note(handle, undefined)
    return there !== undefined
  }

  /** Looks into the directory only once in a while: what this process wrote it knows. */
  async function sweep(): Promise<void> {
    await loaded
    if (!sweptFiles || now() - scanned > ABANDONED) await sweepFiles()
    const old = [...known].filter(([, { used }]) => now() - used > maxAge)
    await removeEach(old, () => false)
    if (bytes > maxBytes) await makeRoom(0)
    if (now() - indexSwept > ABANDONED) await sweepIndex()
    if (changes > Math.max(UNTOLD, known.size / 10)) await memorize()
  }

  /** Removes abandoned parts of files. */
  async function sweepFiles(): Promise<void> {
    for (const [handle, names] of await look()) {
      const whole = isWhole(handle, names)
      for (const name of names) {
        if (whole && !name.endsWith(PARTIAL)) continue
        const file = await stat(join(directory, name)).catch(() => undefined)
        if (file && Date.now() - file.ctimeMs > ABANDONED) await rm(join(directory, name), { force: true })
      }
    }
    sweptFiles = true
  }

  /**
   * Removes what is left in the index of entries that were lost in another way than by `remove`. Rare, so not part of each sweep, and only
   * where the index is larger than the number of entries.
   */
  async function sweepIndex(): Promise<void> {
    indexSwept = now()
    const names = (await readdir(index)).filter((name) => name !== basename(memoPath))
    const isMore = names.length > known.size
    for (const name of names.filter((name) => isMore || name.endsWith(PARTIAL))) {
      const file = await stat(join(index, name)).catch(() => undefined)
      const isDead = name.endsWith(PARTIAL)
        ? Date.now() - (file?.ctimeMs ?? 0) > ABANDONED
        : now() - (file?.mtimeMs ?? 0) > maxAge
      if (isDead) await rm(join(index, name), { force: true })
    }
  }

  return {
    put: (entry) => reporting('write', () => put(entry)),
    get: async (handle, owner) => (await getEntry(handle, owner))?.content,
    getEntry: (handle, owner) => reporting('read', () => getEntry(handle, owner)),
    async info(handle, owner) {
      const found = await reporting('read', () => info(handle))
      return found?.owner === owner ? found : undefined
    },
    handleOf: (owner, hash) => reporting('read', () => handleOf(owner, hash)),
    list: (owner) => reporting('read', () => list(owner)),
    async pinned() {
      await loaded
      const there = [...known].filter(([, { used }]) => used >= PINNED)
      const found = await Promise.all(there.map(([handle]) => info(handle)))
      return found.flatMap((one) => (one?.pinned ? [one] : []))
    },
    remove: (handle, owner) => reporting('remove', () => removeOf(owner, handle)),
    clear: () =>
      reporting('remove', async () => {
        for (const handle of (await namesIn(directory)).keys()) await remove(handle)
        for (const name of await readdir(index)) await rm(join(index, name), { force: true })
        known.clear()
        bytes = writing
      }),
    async size() {
      await look()
      return known.size
    },
    async stats() {
      await look()
      return { entries: known.size, bytes: bytes - writing }
    },
    sweep() {
      sweeping ??= reporting('sweep', sweep).finally(() => {
        sweeping = undefined
      })
      return sweeping
    },
    async close() {
      // A search that still runs must not outlive the directory.
      await loaded
      if (changes > 0) await memorize().catch(() => {})
    },
  }
}

/** Nothing for files that are not there or damaged; rejects when the system could not tell: then nothing must be taken for lost. */
function unlessRefused(error: unknown): undefined {
  const isAnswer = !isErrno(error) || DAMAGED.has(error.code)
  if (!isAnswer) throw error
}

/** As of a name that is none, or of a folder where a file was written. */
const DAMAGED: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR'])

function isErrno(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
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

/** Everything named by a handle, with the names of its files. Files with other names are not ours and stay unseen. */
async function namesIn(directory: string): Promise<Map<Handle, string[]>> {
  const found = new Map<Handle, string[]>()
  for (const name of await readdir(directory)) {
    const handle = name.slice(0, name.indexOf('.'))
    if (!isHandle(handle)) continue
    const names = found.get(handle)
    if (names) names.push(name)
    else found.set(handle, [name])
  }
  return found
}

/** Content and metadata are both there, as far as names tell. */
function isWhole(handle: Handle, names: readonly string[]): boolean {
  return names.includes(contentName(handle)) && names.includes(metadataName(handle))
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
