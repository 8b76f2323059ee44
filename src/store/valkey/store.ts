/** Keeps entries in Valkey or Redis, where every proxy with the same address and key finds them. */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { ProxyError } from '../../protocol/errors.ts'
import { type Handle, isHandle } from '../handles.ts'
import { metadataSchema } from '../metadata.ts'
import type { Entry, EntryInfo, Store, StoreStats } from '../store.ts'
import { createCipher } from './cipher.ts'
import { openConnection, type Script } from './connection.ts'
import { COUNT, FIND, LIST, LOOK, PUT, REMOVE, RENEW, TAKE } from './scripts.ts'
import { createSharedValues, type SharedValues } from './values.ts'

/** How a store in Valkey is reached and limited. */
export interface ValkeyStoreOptions {
  url: string
  /** Makes unguessable names, and seals what is stored. Undefined: neither. */
  key: string | undefined
  /** Goes into the name of each owner: proxies with another scope have other owners, whatever they are called. Empty: all proxies have the same. */
  scope: string
  /** Milliseconds since its last use after which an entry is gone. */
  maxAge: number
  /** The most bytes of one owner, as they lie there; beyond it the entry that was used longest ago goes first. */
  maxBytesPerOwner: number
  now: () => number
  /** The server can be asked, for the first time or again. */
  onUp: () => void
  /** It cannot be asked any more, for this reason. */
  onAway: (reason: string) => void
  /** Default: what a person would wait for. */
  commandMs?: number
  backoffMs?: number
}

export interface ValkeyStore extends Store {
  /** Without credentials. */
  readonly place: string
  /** How often it was connected. The server may have lost the state that an earlier connection saw. */
  readonly generation: number
  /** The values there beside results. */
  readonly values: SharedValues
}

/** An entry is larger than any may be there, or than all of its owner. */
export class TooLarge extends ProxyError {
  constructor(size: number, place: string) {
    super(
      'STORE_FAILED',
      `A result of ${size} bytes is too large for the shared store at ${place}`,
      'This proxy keeps it alone. `store.blobs` names a directory where all proxies find such results.',
    )
  }
}

const PREFIX = 'mcp-rlm-proxy:'
const CHUNK = 1024 * 1024
const MOST_BYTES = 64 * CHUNK
/** Of what is known of an entry: the arguments of a call are part of it. */
const MOST_METADATA = CHUNK
/** Chunks on their way at a time. */
const AT_ONCE = 4
const MOST_LISTED = 1000
const REMEMBERED = 10_000
const COMMAND_MS = 2_000
const BACKOFF_MS = 250

/** Rejects where the library is not installed. A server that is away is waited for in the background. */
export async function createValkeyStore(options: ValkeyStoreOptions): Promise<ValkeyStore> {
  const { scope, maxAge, maxBytesPerOwner, now } = options
  const cipher = createCipher(options.key)
  const connection = await openConnection({
    url: options.url,
    commandMs: options.commandMs ?? COMMAND_MS,
    backoffMs: options.backoffMs ?? BACKOFF_MS,
    now,
    onUp: options.onUp,
    onAway: options.onAway,
  })
  const { place } = connection
  /** Which were put already: of these, what is known of them may have changed, but not their content. */
  const there = new LRUCache<string, true>({ max: REMEMBERED })

  const tagOf = (owner: string): string => `${PREFIX}{${cipher.name('owner', scope, owner)}}`
  const nameOf = (owner: string, handle: Handle): string => cipher.name('entry', scope, owner, handle)
  const idOf = (owner: string, hash: string): string => cipher.name('content', scope, owner, hash)
  const chunkKey = (tag: string, name: string, nth: number): string => `${tag}:e:${name}:${nth}`

  function run(script: Script, tag: string, ...args: (string | Buffer)[]): Promise<unknown> {
    return connection.run(script, [`${tag}:i`, `${tag}:f`, `${tag}:b`], [String(maxAge), ...args])
  }

  async function put(entry: Entry): Promise<void> {
    const { content, ...info } = entry
    if (!isHandle(info.handle)) throw new Error(`'${info.handle}' is not a handle`)
    const [tag, name, id] = [tagOf(info.owner), nameOf(info.owner, info.handle), idOf(info.owner, info.hash)]
    const meta = await closedMetadata(info, tag, name)
    if (info.size > MOST_BYTES || meta.length > MOST_METADATA) throw new TooLarge(info.size, place)
    const pinned = info.pinned ? '1' : '0'
    if (there.has(name) && (await run(RENEW, tag, name, id, meta, pinned)) === 1) return
    const chunks = Math.max(1, Math.ceil(content.byteLength / CHUNK))
    const closed = (nth: number): Promise<Buffer> =>
      cipher.close(content.subarray(nth * CHUNK, (nth + 1) * CHUNK), `${tag} ${name} ${nth}`)
    let bytes = meta.length
    try {
      await inTurns(1, chunks, async (nth) => {
        const chunk = await closed(nth)
        bytes += chunk.length
        await connection.send(['SET', chunkKey(tag, name, nth), chunk, 'PX', String(maxAge)])
      })
      const first = await closed(0)
      bytes += first.length
      if (bytes > maxBytesPerOwner) throw new TooLarge(info.size, place)
      const numbers = [bytes, info.size, chunks, maxBytesPerOwner].map(String)
      const isWhole = await run(PUT, tag, name, id, ...numbers, meta, first, pinned)
      if (isWhole !== 1) throw new Error('the store lost a part of an entry while it was put')
    } catch (error) {
      // No entry names these chunks; the server forgets them by itself where it cannot be asked.
      const keys = Array.from({ length: chunks - 1 }, (_, at) => chunkKey(tag, name, at + 1))
      if (keys.length > 0) await connection.send(['UNLINK', ...keys]).catch(() => {})
      throw error
    }
    there.set(name, true)
  }

  async function closedMetadata(info: EntryInfo, tag: string, name: string): Promise<Buffer> {
    // By the clock of the server, so that proxies with other clocks agree on what is newest.
    const ahead = await connection.clockOffset()
    const times = { created: info.created + ahead, lastAccessed: info.lastAccessed + ahead }
    return cipher.close(Buffer.from(JSON.stringify({ ...info, ...times })), `${tag} ${name} meta`)
  }

  /** Undefined: it was changed, or is not what lies under this name. */
  async function openedMetadata(
    closed: unknown,
    owner: string,
    name: string,
  ): Promise<EntryInfo | undefined> {
    if (!Buffer.isBuffer(closed)) return undefined
    const ahead = await connection.clockOffset()
    try {
      const text = await cipher.open(closed, `${tagOf(owner)} ${name} meta`, MOST_METADATA)
      const info: EntryInfo = metadataSchema.parse(JSON.parse(text.toString('utf8')))
      if (info.owner !== owner || nameOf(owner, info.handle) !== name) return undefined
      return { ...info, created: info.created - ahead, lastAccessed: info.lastAccessed - ahead }
    } catch {
      return undefined
    }
  }

  async function getEntry(handle: Handle, owner: string): Promise<Entry | undefined> {
    if (!isHandle(handle)) return undefined
    const [tag, name] = [tagOf(owner), nameOf(owner, handle)]
    const answer = await run(TAKE, tag, name)
    if (!Array.isArray(answer)) return undefined
    const [meta, chunks, first] = answer as unknown[]
    const info = await openedMetadata(meta, owner, name)
    const content = info && (await contentOf(info, Number(String(chunks)), first, tag, name))
    if (info === undefined || content === undefined) {
      // A changed entry is not one any more; the model has to call the tool again.
      await run(REMOVE, tag, name)
      return undefined
    }
    there.set(name, true)
    return { ...info, content }
  }

  /** Undefined: a chunk is missing or changed. Rejects when the server is away. */
  async function contentOf(
    info: EntryInfo,
    chunks: number,
    first: unknown,
    tag: string,
    name: string,
  ): Promise<Uint8Array | undefined> {
    if (info.size > MOST_BYTES || chunks !== Math.max(1, Math.ceil(info.size / CHUNK))) return undefined
    const content = new Uint8Array(new SharedArrayBuffer(info.size))
    let isWhole = true
    await inTurns(0, chunks, async (nth) => {
      if (!isWhole) return
      const closed = nth === 0 ? first : await connection.send(['GET', chunkKey(tag, name, nth)])
      const start = nth * CHUNK
      const length = Math.min(CHUNK, info.size - start)
      const chunk = Buffer.isBuffer(closed)
        ? await cipher.open(closed, `${tag} ${name} ${nth}`, length).catch(() => undefined)
        : undefined
      if (chunk?.length === length) content.set(chunk, start)
      else isWhole = false
    })
    return isWhole && (await hashOf(content)) === info.hash ? content : undefined
  }

  async function info(handle: Handle, owner: string): Promise<EntryInfo | undefined> {
    if (!isHandle(handle)) return undefined
    const name = nameOf(owner, handle)
    return openedMetadata(await run(LOOK, tagOf(owner), name), owner, name)
  }

  async function handleOf(owner: string, hash: string): Promise<Handle | undefined> {
    const [found] = await opened(await run(FIND, tagOf(owner), idOf(owner, hash)), owner)
    return found?.hash === hash ? found.handle : undefined
  }

  async function list(owner: string): Promise<EntryInfo[]> {
    return opened(await run(LIST, tagOf(owner), String(MOST_LISTED)), owner)
  }

  /** Of an answer with name and metadata in turn. */
  async function opened(answer: unknown, owner: string): Promise<EntryInfo[]> {
    const pairs: unknown[] = Array.isArray(answer) ? answer : []
    const found: EntryInfo[] = []
    for (let at = 0; at + 1 < pairs.length; at += 2) {
      const info = await openedMetadata(pairs[at + 1], owner, String(pairs[at]))
      if (info) found.push(info)
    }
    return found
  }

  async function remove(handle: Handle, owner: string): Promise<boolean> {
    if (!isHandle(handle)) return false
    const name = nameOf(owner, handle)
    there.delete(name)
    return (await run(REMOVE, tagOf(owner), name)) === 1
  }

  /** The keys of all proxies that use this database of the server, some at a time. */
  async function* keys(pattern: string): AsyncGenerator<string[]> {
    let cursor = '0'
    do {
      const answer = await connection.send(['SCAN', cursor, 'MATCH', pattern, 'COUNT', '500'])
      const [next, found] = answer as [Buffer, Buffer[]]
      cursor = String(next)
      if (found.length > 0) yield found.map(String)
    } while (cursor !== '0')
  }

  async function stats(): Promise<StoreStats> {
    const tags = new Set<string>()
    for await (const found of keys(`${PREFIX}{*}:f`)) for (const key of found) tags.add(key.slice(0, -2))
    const sum = { entries: 0, bytes: 0 }
    for (const tag of tags) {
      const [entries, bytes] = (await run(COUNT, tag)) as [number, number]
      sum.entries += entries
      sum.bytes += bytes
    }
    return sum
  }

  return {
    isShared: scope === '',
    place,
    values: createSharedValues(connection, cipher),
    get generation() {
      return connection.generation
    },
    put,
    get: async (handle, owner) => (await getEntry(handle, owner))?.content,
    getEntry,
    info,
    handleOf,
    list,
    remove,
    async clear() {
      there.clear()
      for await (const found of keys(`${PREFIX}*`)) await connection.send(['UNLINK', ...found])
    },
    size: async () => (await stats()).entries,
    stats,
    close: () => connection.close(),
  }
}

/** From `start` to before `end`, a few at a time. */
async function inTurns(start: number, end: number, work: (nth: number) => Promise<void>): Promise<void> {
  let next = start
  const worker = async (): Promise<void> => {
    while (next < end) await work(next++)
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, end - start) }, worker))
}

/** In pieces, so that the event loop breathes. */
async function hashOf(content: Uint8Array): Promise<string> {
  const hash = createHash('sha256')
  for (let at = 0; at < content.byteLength; at += CHUNK) {
    hash.update(content.subarray(at, at + CHUNK))
    if (at + CHUNK < content.byteLength) await new Promise((resolve) => setImmediate(resolve))
  }
  return hash.digest('hex')
}
