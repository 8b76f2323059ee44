/** All tools of all servers, as last seen, also by runs before this one. */

import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../../observe/log.ts'
import { messageOf } from '../../protocol/errors.ts'
import { type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { type KnownTool, keyOf, vectorIdOf } from './known-tool.ts'
import { loadSqlite, type OpenSqlite, type ToolsFile, toolsFile } from './tools-file.ts'

export const TOOLS_FILE = 'proxy.db'

interface CatalogueOptions {
  /** Where the file lies; undefined: nothing outlives this run. */
  directory: string | undefined
  /** The configured servers: tools of others are forgotten at the start. */
  servers: readonly string[]
  /** Names the embedder's model; undefined: tools get no vectors. */
  model?: string | undefined
  /** Starts from nothing. */
  reset?: boolean
  logger: Logger
  /** For tests. */
  sqlite?: () => Promise<OpenSqlite>
}

export interface Catalogue {
  /** All tools: servers in the order in which they were first seen, tools in their servers' order. A new list after each change. */
  tools(): readonly KnownTool[]
  /** Takes what a server lists now. Saved soon after; `close` waits for that. */
  refresh(server: string, definitions: readonly JsonObject[]): Changes
  /** Forgets all servers but these. */
  retain(servers: readonly string[]): Changes
  /** Resolves when everything is on disk. Never rejects. */
  close(): Promise<void>
}

/** Reads what is on disk: search can begin before a server answers. Never rejects: what cannot be read is learned again. */
export async function openCatalogue(options: CatalogueOptions): Promise<Catalogue> {
  const { directory, model, logger, sqlite = once(loadSqlite) } = options
  const path = directory === undefined ? undefined : join(directory, TOOLS_FILE)
  if (path !== undefined && options.reset) await rm(path, { force: true, recursive: true }).catch(() => {})
  const file = path === undefined ? undefined : toolsFile(path, sqlite, logger)

  const byServer = new Map<string, readonly KnownTool[]>()
  let all: readonly KnownTool[] | undefined
  const saving = saver(file, () => tools(), logger)

  function tools(): readonly KnownTool[] {
    all ??= [...byServer.values()].flat()
    return all
  }

  function replace(server: string, next: readonly KnownTool[]): Changes {
    const changes = changesBetween(byServer.get(server) ?? [], next)
    if (next.length > 0) byServer.set(server, next)
    else byServer.delete(server)
    all = undefined
    if (!isEmpty(changes)) saving.add(changes)
    return changes
  }

  function retain(servers: readonly string[]): Changes {
    const gone = [...byServer.keys()].filter((server) => !servers.includes(server))
    const removed = gone.flatMap((server) => replace(server, []).removed)
    return { added: [], changed: [], removed, unchanged: tools().length }
  }

  for (const tool of (await file?.read()) ?? []) {
    const known = byServer.get(tool.server) as KnownTool[] | undefined
    if (known) known.push(tool)
    else byServer.set(tool.server, [tool])
  }
  retain(options.servers)
  // Another model, or none any more: the numbers of all vectors are others.
  for (const [server, known] of byServer) {
    const now = known.map((tool) => numbered(tool, model))
    if (now.some((tool, at) => tool !== known[at])) replace(server, now)
  }

  return {
    tools,
    refresh: (server, definitions) =>
      replace(server, toolsOf(server, definitions, model, byServer.get(server) ?? [])),
    retain,
    close: saving.finish,
  }
}

/**
 * The tools of a listing. One without a name, with the name of one before, or nested deeper than JSON can be written is left out. Those
 * of `before` that are the same stay the same objects: a hash takes longer than a look.
 */
function toolsOf(
  server: string,
  definitions: readonly JsonObject[],
  model: string | undefined,
  before: readonly KnownTool[],
): KnownTool[] {
  const known = new Map(before.map((tool) => [tool.name, tool]))
  const found = new Map<string, KnownTool>()
  for (const definition of definitions) {
    const name = own(definition, 'name')
    if (typeof name !== 'string' || name === '' || found.has(name)) continue
    const json = written(definition)
    if (json === undefined) continue
    const same = known.get(name)
    if (same && written(same.definition) === json) found.set(name, same)
    else
      found.set(
        name,
        numbered({ server, name, definition, hash: hashTool(definition), vectorId: undefined }, model),
      )
  }
  return [...found.values()]
}

function written(definition: JsonObject): string | undefined {
  try {
    return JSON.stringify(definition)
  } catch {
    return undefined
  }
}

function numbered(tool: KnownTool, model: string | undefined): KnownTool {
  const vectorId = model === undefined ? undefined : vectorIdOf(model, tool)
  return vectorId === tool.vectorId ? tool : { ...tool, vectorId }
}

/** One write at a time; what changes meanwhile is in the next. After a failure the next write has all. */
function saver(file: ToolsFile | undefined, all: () => readonly KnownTool[], logger: Logger) {
  const put = new Map<string, KnownTool>()
  const remove = new Map<string, KnownTool>()
  let running: Promise<void> | undefined
  let failed = false

  async function run(target: ToolsFile): Promise<void> {
    // Several servers answer at about the same time.
    await new Promise((resolve) => setImmediate(resolve))
    while (put.size + remove.size > 0) {
      const changes = failed ? undefined : { put: [...put.values()], remove: [...remove.values()] }
      put.clear()
      remove.clear()
      try {
        await target.write(changes, all)
        failed = false
      } catch (error) {
        if (!failed)
          logger.warn({ error: messageOf(error) }, 'the tools could not be saved; they are kept in memory')
        failed = true
      }
    }
    running = undefined
  }

  return {
    add(changes: Changes): void {
      for (const tool of changes.removed) {
        put.delete(keyOf(tool))
        remove.set(keyOf(tool), tool)
      }
      for (const tool of [...changes.added, ...changes.changed]) {
        remove.delete(keyOf(tool))
        put.set(keyOf(tool), tool)
      }
      if (file) running ??= run(file)
    },
    async finish(): Promise<void> {
      await running
    },
  }
}

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined
  return () => {
    loaded ??= load()
    return loaded
  }
}

// The changes of a server's tools from one listing to the next.

interface Changes {
  readonly added: readonly KnownTool[]
  /** Those of a known name that are not what they were. */
  readonly changed: readonly KnownTool[]
  readonly removed: readonly KnownTool[]
  /** How many stayed as they are. */
  readonly unchanged: number
}

/** Compares two lists that name no tool twice. */
export function changesBetween(before: readonly KnownTool[], after: readonly KnownTool[]): Changes {
  const left = new Map(before.map((tool) => [keyOf(tool), tool]))
  const added: KnownTool[] = []
  const changed: KnownTool[] = []
  for (const tool of after) {
    const key = keyOf(tool)
    const known = left.get(key)
    left.delete(key)
    if (known === undefined) added.push(tool)
    else if (!same(known, tool)) changed.push(tool)
  }
  const removed = [...left.values()]
  return { added, changed, removed, unchanged: after.length - added.length - changed.length }
}

export function isEmpty({ added, changed, removed }: Changes): boolean {
  return added.length + changed.length + removed.length === 0
}

/** The hash leaves out what no search sees, such as annotations, and those are shown to clients as well. */
function same(a: KnownTool, b: KnownTool): boolean {
  if (a === b) return true
  return (
    a.hash === b.hash &&
    a.vectorId === b.vectorId &&
    JSON.stringify(a.definition) === JSON.stringify(b.definition)
  )
}

// Tells whether a tool is still what it was.

/**
 * SHA-256, in hex, of name, description and parameters with `||` between them. The parameters are the input schema as JSON
 * without spaces, its keys sorted by code units, so that a server may list them in any order.
 */
export function hashTool(definition: JsonObject): string {
  return createHash('sha256')
    .update(
      [
        text(own(definition, 'name')),
        text(own(definition, 'description')),
        sorted(own(definition, 'inputSchema') ?? {}),
      ].join('||'),
    )
    .digest('hex')
}

/** A list or an object that is being written. */
interface Open {
  readonly value: JsonValue[] | JsonObject
  /** In their order; undefined for a list. */
  readonly keys: readonly string[] | undefined
  next: number
}

/** Goes without recursion: a schema may be nested deeper than the stack. */
function sorted(root: JsonValue): string {
  if (!isContainer(root)) return JSON.stringify(root)
  const written: string[] = []
  const open = [begin(root)]
  for (let at = open.at(-1); at !== undefined; at = open.at(-1)) {
    const { value, keys } = at
    const place = at.next++
    if (place === 0) written.push(keys ? '{' : '[')
    if (place === (keys ?? (value as JsonValue[])).length) {
      written.push(keys ? '}' : ']')
      open.pop()
      continue
    }
    if (place > 0) written.push(',')
    const key = keys?.[place]
    if (key !== undefined) written.push(JSON.stringify(key), ':')
    const child = (key === undefined ? (value as JsonValue[])[place] : own(value as JsonObject, key)) ?? null
    if (isContainer(child)) open.push(begin(child))
    else written.push(JSON.stringify(child))
  }
  return written.join('')
}

function begin(value: JsonValue[] | JsonObject): Open {
  return { value, keys: Array.isArray(value) ? undefined : Object.keys(value).sort(), next: 0 }
}

function isContainer(value: JsonValue): value is JsonValue[] | JsonObject {
  return typeof value === 'object' && value !== null
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}
