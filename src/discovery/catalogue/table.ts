/** The table of tools and its statements. Only the column `definition` is more than what the table is known for. */
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import type { KnownTool } from './known-tool.ts'
import type { Sqlite, SqlRow } from './sqlite.ts'

/** Raised when the table changes: a file of another version is made anew, for it is a cache. */
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

export function createTable(database: Sqlite): void {
  database.exec(SCHEMA)
}

/** Throws what is wrong with a file that has not this table. */
export function checkTable(database: Sqlite): void {
  const version = database.all('PRAGMA user_version')[0]?.user_version
  if (version !== VERSION) throw new TypeError(`the file is of version ${String(version)}, not ${VERSION}`)
}

/** Up to `limit` tools with greater ids, in the order of their ids; rows that make no sense are left out. */
export function readTools(
  database: Sqlite,
  above: number,
  limit: number,
): { tools: KnownTool[]; last: number } {
  const rows = database.all('SELECT * FROM tools WHERE id > ? ORDER BY id LIMIT ?', [above, limit])
  const last = rows.at(-1)?.id
  return {
    tools: rows.map(toolOf).filter((tool) => tool !== undefined),
    last: rows.length < limit || typeof last !== 'number' ? Number.POSITIVE_INFINITY : last,
  }
}

export function putTool(database: Sqlite, { server, name, hash, vectorId, definition }: KnownTool): void {
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

export function removeTool(database: Sqlite, { server, name }: Pick<KnownTool, 'server' | 'name'>): void {
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
