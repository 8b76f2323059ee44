/**
 * The table of tools on disk. No process ever opens the file itself: it is read and changed as a copy, which then takes its place.
 * So a kill leaves a good file, and two proxies on one directory never wait for each other. If both write at once, the next start finds
 * again what was lost: the file is a cache.
 */

import { constants, copyFile } from 'node:fs/promises'
import { setImmediate as breathe } from 'node:timers/promises'
import type { Logger } from '../../observe/log.ts'
import { hasCode, messageOf } from '../../protocol/errors.ts'
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import { removeStale, replaceFile, setAside, usePartial } from '../own-files.ts'
import type { KnownTool } from './known-tool.ts'

/** Rows between two looks at the event loop: some 10 ms in WebAssembly. */
const SLICE = 100

/** The rows to write. */
interface TableChanges {
  readonly put: readonly KnownTool[]
  readonly remove: readonly Pick<KnownTool, 'server' | 'name'>[]
}

export interface ToolsFile {
  /** All tools. A missing file has none; a broken one has none and is set aside. */
  read(): Promise<KnownTool[]>
  /** Applies the changes; without them, or where there is no file to change, writes `all`. Rejects when it cannot be written. */
  write(changes: TableChanges | undefined, all: () => readonly KnownTool[]): Promise<void>
}

/** `load` gives SQLite when it is needed for the first time. */
export function toolsFile(path: string, load: () => Promise<OpenSqlite>, logger: Logger): ToolsFile {
  return {
    async read() {
      await removeStale(path, Date.now())
      try {
        const open = await load()
        return await usePartial(path, async (copy) => {
          await copyFile(path, copy, constants.COPYFILE_FICLONE)
          return await withDatabase(open, copy, readAll)
        })
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return []
        const aside = await setAside(path)
        logger.warn(
          { file: path, aside, error: messageOf(error) },
          'the file of tools was unreadable; it is made again',
        )
        return []
      }
    },

    async write(changes, all) {
      const open = await load()
      if (changes) {
        try {
          await replaceFile(path, async (copy) => {
            await copyFile(path, copy, constants.COPYFILE_FICLONE)
            await withDatabase(open, copy, (database) => apply(database, changes))
          })
          return
        } catch {
          // Missing, or broken meanwhile. What prevents any writing is met again below, and thrown.
        }
      }
      await replaceFile(path, (fresh) =>
        withDatabase(open, fresh, async (database) => {
          createTable(database)
          await apply(database, { put: all(), remove: [] })
        }),
      )
    },
  }
}

async function withDatabase<T>(
  open: OpenSqlite,
  path: string,
  use: (database: Sqlite) => Promise<T>,
): Promise<T> {
  const database = open(path)
  try {
    // No other process has this file, and after a failure it is thrown away.
    database.exec('PRAGMA journal_mode = OFF')
    // Without this, WebAssembly makes and removes its folder for every statement.
    database.exec('PRAGMA locking_mode = EXCLUSIVE')
    return await use(database)
  } finally {
    database.close()
  }
}

async function readAll(database: Sqlite): Promise<KnownTool[]> {
  checkTable(database)
  const tools: KnownTool[] = []
  for (let above = 0; Number.isFinite(above); ) {
    const page = readTools(database, above, SLICE)
    for (const tool of page.tools) tools.push(tool)
    above = page.last
    await breathe()
  }
  return tools
}

async function apply(database: Sqlite, { put, remove }: TableChanges): Promise<void> {
  checkTable(database)
  database.exec('BEGIN')
  for (const tool of remove) removeTool(database, tool)
  for (let at = 0; at < put.length; at += SLICE) {
    for (const tool of put.slice(at, at + SLICE)) putTool(database, tool)
    await breathe()
  }
  database.exec('COMMIT')
}

// The table of tools and its statements. Only the column `definition` is more than what the table is known
// for.

/** Raised when the table changes: a file of another version is made again, for it is a cache. */
const VERSION = 1

const SCHEMA = `
CREATE TABLE tools (
  id              INTEGER PRIMARY KEY,
  name            TEXT NOT NULL,
  description     TEXT,
  hash            TEXT NOT NULL,
  server_name     TEXT NOT NULL,
  faiss_vector_id INTEGER UNIQUE,
  params_json     TEXT,
  definition      TEXT NOT NULL
);
CREATE INDEX idx_tools_hash ON tools(hash);
CREATE UNIQUE INDEX idx_tools_server_name ON tools(server_name, name);
PRAGMA user_version = ${VERSION};
`

const PUT = `
INSERT INTO tools (name, description, hash, server_name, faiss_vector_id, params_json, definition) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (server_name, name) DO UPDATE SET description = excluded.description, hash = excluded.hash,
  faiss_vector_id = excluded.faiss_vector_id, params_json = excluded.params_json, definition = excluded.definition`

function createTable(database: Sqlite): void {
  database.exec(SCHEMA)
}

/** Throws what is wrong with a file that has not this table. */
function checkTable(database: Sqlite): void {
  const version = database.all('PRAGMA user_version')[0]?.user_version
  if (version !== VERSION) throw new TypeError(`the file is of version ${String(version)}, not ${VERSION}`)
}

/** Up to `limit` tools with greater ids, in the order of their ids; rows that make no sense are left out. */
function readTools(database: Sqlite, above: number, limit: number): { tools: KnownTool[]; last: number } {
  const rows = database.all('SELECT * FROM tools WHERE id > ? ORDER BY id LIMIT ?', [above, limit])
  const last = rows.at(-1)?.id
  return {
    tools: rows.map(toolOf).filter((tool) => tool !== undefined),
    last: rows.length < limit || typeof last !== 'number' ? Number.POSITIVE_INFINITY : last,
  }
}

function putTool(database: Sqlite, { server, name, hash, vectorId, definition }: KnownTool): void {
  const description = own(definition, 'description')
  database.run(PUT, [
    name,
    typeof description === 'string' ? description : null,
    hash,
    server,
    vectorId ?? null,
    JSON.stringify(own(definition, 'inputSchema') ?? {}),
    JSON.stringify(definition),
  ])
}

function removeTool(database: Sqlite, { server, name }: Pick<KnownTool, 'server' | 'name'>): void {
  database.run('DELETE FROM tools WHERE server_name = ? AND name = ?', [server, name])
}

function toolOf(row: SqlRow): KnownTool | undefined {
  const { name, server_name: server, hash, faiss_vector_id: id } = row
  const definition = parse(row.definition)
  if (typeof name !== 'string' || typeof server !== 'string' || typeof hash !== 'string') return undefined
  if (definition === undefined || own(definition, 'name') !== name) return undefined
  const vectorId = typeof id === 'number' && Number.isSafeInteger(id) ? id : undefined
  return { server, name, hash, vectorId, definition }
}

function parse(text: unknown): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(String(text))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

// SQLite as little as needed, over whatever there is: the one built into Node (22.13 and newer), else
// WebAssembly. Neither has an install script.

type SqlValue = string | number | null
type SqlRow = Readonly<Record<string, unknown>>

/** An open file. Every call is synchronous and throws what SQLite says. */
interface Sqlite {
  exec(sql: string): void
  run(sql: string, values: readonly SqlValue[]): void
  all(sql: string, values?: readonly SqlValue[]): SqlRow[]
  close(): void
}

/** Opens a file, making it when it is missing. The file must be this process's own: WebAssembly locks by a folder beside it. */
export type OpenSqlite = (path: string) => Sqlite

/** The used part of `node:sqlite`: its types come with later releases of Node. */
interface BuiltIn {
  DatabaseSync: new (
    path: string,
  ) => {
    exec(sql: string): void
    prepare(sql: string): { run(...values: SqlValue[]): unknown; all(...values: SqlValue[]): unknown[] }
    close(): void
  }
}

/** The library, loaded on first use because most of the time of a start goes into loading. */
export async function loadSqlite(builtIn = builtInSqlite()): Promise<OpenSqlite> {
  return builtIn ? openBuiltIn(builtIn) : openWasm(await import('node-sqlite3-wasm'))
}

/** undefined where Node has none, or only behind a flag. */
export function builtInSqlite(): BuiltIn | undefined {
  const find = process.getBuiltinModule as ((name: string) => unknown) | undefined
  return find?.('node:sqlite') as BuiltIn | undefined
}

function openBuiltIn({ DatabaseSync }: BuiltIn): OpenSqlite {
  return (path) => {
    const database = new DatabaseSync(path)
    const prepared = cached((sql) => database.prepare(sql))
    return {
      exec: (sql) => database.exec(sql),
      run: (sql, values) => void prepared(sql).run(...values),
      all: (sql, values = []) => prepared(sql).all(...values) as SqlRow[],
      close: () => database.close(),
    }
  }
}

function openWasm(module: typeof import('node-sqlite3-wasm')): OpenSqlite {
  // A CommonJS module: its names are on the default export when it is imported.
  const { Database } = 'Database' in module ? module : (module as { default: typeof module }).default
  return (path) => {
    const database = new Database(path)
    const prepared = cached((sql) => database.prepare(sql))
    return {
      exec: (sql) => database.exec(sql),
      run: (sql, values) => void prepared(sql).run([...values]),
      all: (sql, values = []) => prepared(sql).all([...values]) as SqlRow[],
      // Finalizes what was prepared as well.
      close: () => database.close(),
    }
  }
}

function cached<T>(make: (sql: string) => T): (sql: string) => T {
  const known = new Map<string, T>()
  return (sql) => {
    const found = known.get(sql) ?? make(sql)
    known.set(sql, found)
    return found
  }
}
