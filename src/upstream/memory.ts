/**
 * The facts that servers told of themselves, kept on disk between runs, so that a client sees its tools before slow servers have started.
 * One file a server, named by a hash of its configuration: a changed configuration starts from nothing.
 */

import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../observe/log.ts'
import type { Era } from '../protocol/eras.ts'
import { hasCode, messageOf } from '../protocol/errors.ts'
import { isObject, type JsonObject, own, setOwn } from '../protocol/json.ts'
import { LIST_KINDS, type ListKind } from './contract.ts'

/** The facts of one server. `lists` are kept by variant: clients of like capabilities see the same lists. */
interface Page {
  initialize?: JsonObject
  eras: SpokenEras
  /** Why its process serves one client alone. Absent: it was not seen to need that. */
  personal?: string
  /** Why it gave nothing when it was asked last. Absent: it did, or was never asked. */
  failure?: string
  lists: Map<string, Map<ListKind, JsonObject[]>>
}

/** Whether a server speaks an era; absent: it was not asked yet. */
export type SpokenEras = Partial<Record<Era, boolean>>

/** Variants of its lists kept of a server, newest last: a person has a handful of clients. */
const MAX_VARIANTS = 8
const VERSION = 2

export class Memory {
  readonly #folder: string | undefined
  readonly #files = new Map<string, string>()
  readonly #pages = new Map<string, Page>()
  readonly #logger: Logger
  readonly #writing = new Map<string, Promise<void>>()

  /** Reads at once; without `dataDir` it remembers for this run only. `servers` are configurations by name. */
  constructor(dataDir: string | undefined, servers: Readonly<Record<string, object>>, logger: Logger) {
    this.#logger = logger
    this.#folder = dataDir === undefined ? undefined : join(dataDir, 'servers')
    for (const [server, config] of Object.entries(servers)) this.meet(server, config)
  }

  /** A server of this configuration is called so from now on. */
  meet(server: string, config: object): void {
    this.#files.set(server, `${nameOfServer(config)}.json`)
    this.#pages.set(server, this.#read(server) ?? { eras: {}, lists: new Map() })
  }

  /** No server is called so any more. The facts on disk stay: the server may come back. */
  leave(server: string): void {
    this.#files.delete(server)
    this.#pages.delete(server)
  }

  initialize(server: string): JsonObject | undefined {
    return this.#pages.get(server)?.initialize
  }

  list(server: string, variant: string, kind: ListKind): JsonObject[] | undefined {
    return this.#pages.get(server)?.lists.get(variant)?.get(kind)
  }

  /** The list as the server gave it last to any client. */
  anyList(server: string, kind: ListKind): JsonObject[] | undefined {
    const variants = [...(this.#pages.get(server)?.lists.values() ?? [])]
    return variants.findLast((lists) => lists.has(kind))?.get(kind)
  }

  /** Why the server gave nothing when it was asked last, in this run or the one before. */
  failure(server: string): string | undefined {
    return this.#pages.get(server)?.failure
  }

  /** `undefined`: it answers. */
  saveFailure(server: string, failure: string | undefined): void {
    const page = this.#pages.get(server)
    if (!page || page.failure === failure) return
    if (failure === undefined) delete page.failure
    else page.failure = failure
    this.#write(server)
  }

  /** Why its process serves one client alone, as it was seen in this run or an earlier one. */
  personal(server: string): string | undefined {
    return this.#pages.get(server)?.personal
  }

  savePersonal(server: string, why: string): void {
    const page = this.#pages.get(server)
    if (!page || page.personal !== undefined) return
    page.personal = why
    this.#write(server)
  }

  /** The eras that the server is known to speak. */
  eras(server: string): Readonly<SpokenEras> {
    return this.#pages.get(server)?.eras ?? {}
  }

  saveEra(server: string, era: Era, spoken: boolean): void {
    const page = this.#pages.get(server)
    if (!page || page.eras[era] === spoken) return
    page.eras[era] = spoken
    this.#write(server)
  }

  saveInitialize(server: string, initialize: JsonObject): void {
    const page = this.#pages.get(server)
    if (!page || sameJson(page.initialize, initialize)) return
    // Another release may have learned another era.
    if (!sameJson(page.initialize?.serverInfo, initialize.serverInfo)) {
      page.eras = {}
      delete page.personal
    }
    page.initialize = initialize
    this.#write(server)
  }

  saveList(server: string, variant: string, kind: ListKind, items: JsonObject[]): void {
    const page = this.#pages.get(server)
    const lists = page?.lists.get(variant) ?? new Map<ListKind, JsonObject[]>()
    if (!page || sameJson(lists.get(kind), items)) return
    lists.set(kind, items)
    page.lists.delete(variant)
    page.lists.set(variant, lists)
    const [oldest] = page.lists.keys()
    if (page.lists.size > MAX_VARIANTS && oldest !== undefined) page.lists.delete(oldest)
    this.#write(server)
  }

  /** Resolves when everything is on disk. */
  async close(): Promise<void> {
    await Promise.all(this.#writing.values())
  }

  #path(server: string): string | undefined {
    const file = this.#files.get(server)
    return this.#folder === undefined || file === undefined ? undefined : join(this.#folder, file)
  }

  #read(server: string): Page | undefined {
    const path = this.#path(server)
    if (path === undefined) return undefined
    try {
      return pageOf(JSON.parse(readFileSync(path, 'utf8')))
    } catch (error) {
      const absent = hasCode(error, 'ENOENT')
      if (!absent) this.#logger.warn({ server, error: messageOf(error) }, 'forgot what was known of a server')
      return undefined
    }
  }

  /** One write at a time; what changes meanwhile is in the next. */
  #write(server: string): void {
    const path = this.#path(server)
    // Now: the name may be another server's when it is written.
    const page = this.#pages.get(server)
    if (path === undefined || page === undefined) return
    const before = this.#writing.get(path) ?? Promise.resolve()
    const next = before.then(async () => {
      if (this.#writing.get(path) === next) await this.#store(server, path, page)
    })
    this.#writing.set(path, next)
  }

  /** Atomic: a reader sees the old file or the new one. Only the owner may read it (0600). */
  async #store(server: string, path: string, page: Page): Promise<void> {
    const temporary = `${path}.${randomUUID()}`
    try {
      mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 })
      await writeFile(temporary, JSON.stringify(jsonOf(page)), { mode: 0o600 })
      await rename(temporary, path)
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {})
      this.#logger.warn({ server, error: messageOf(error) }, 'could not remember a server')
    }
  }
}

/** Names what makes a server the one it is: how it is reached, not how long anybody waits for it. */
export function nameOfServer(config: object): string {
  const limits = ['timeoutMs', 'connectTimeoutMs', 'lazy']
  return digest(Object.fromEntries(Object.entries(config).filter(([name]) => !limits.includes(name))))
}

/** A name for a value: equal JSON gives equal names, whatever the order of keys. */
export function digest(value: unknown): string {
  return createHash('sha256').update(stable(value)).digest('hex').slice(0, 32)
}

/** True when both are the same JSON, key order included: what goes out must be what came in. */
export function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function stable(value: unknown): string {
  return (
    JSON.stringify(value, (_, member: unknown) =>
      isObject(member)
        ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
        : member,
    ) ?? ''
  )
}

function jsonOf(page: Page): JsonObject {
  const lists: JsonObject = {}
  for (const [variant, kinds] of page.lists) setOwn(lists, variant, Object.fromEntries(kinds))
  return {
    version: VERSION,
    eras: { ...page.eras },
    ...(page.initialize && { initialize: page.initialize }),
    ...(page.failure !== undefined && { failure: page.failure }),
    ...(page.personal !== undefined && { personal: page.personal }),
    lists,
  }
}

function pageOf(value: unknown): Page {
  if (!isObject(value) || value.version !== VERSION) throw new SyntaxError('the file is of another version')
  const page: Page = { eras: {}, lists: new Map() }
  for (const era of ['legacy', 'modern'] as const) {
    const spoken = isObject(value.eras) ? value.eras[era] : undefined
    if (typeof spoken === 'boolean') page.eras[era] = spoken
  }
  if (isObject(value.initialize)) page.initialize = value.initialize
  if (typeof value.failure === 'string') page.failure = value.failure
  if (typeof value.personal === 'string') page.personal = value.personal
  for (const [variant, kinds] of Object.entries(isObject(value.lists) ? value.lists : {})) {
    const lists = new Map<ListKind, JsonObject[]>()
    for (const kind of LIST_KINDS) {
      const items = isObject(kinds) ? own(kinds, kind) : undefined
      if (Array.isArray(items)) lists.set(kind, items.filter(isObject))
    }
    page.lists.set(variant, lists)
  }
  return page
}
