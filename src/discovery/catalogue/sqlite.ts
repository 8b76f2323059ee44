/**
 * SQLite as little as needed, over whatever there is: the one built into Node (22.13 and newer), else WebAssembly. Neither has an
 * install script.
 */

export type SqlValue = string | number | null
export type SqlRow = Readonly<Record<string, unknown>>

/** An open file. Every call is synchronous and throws what SQLite says. */
export interface Sqlite {
  exec(sql: string): void
  run(sql: string, values: readonly SqlValue[]): void
  all(sql: string, values?: readonly SqlValue[]): SqlRow[]
  close(): void
}

/** Opens a file, making it when it is missing. The file must be this process's own: WebAssembly locks by a folder beside it. */
export type OpenSqlite = (path: string) => Sqlite

/** What is used of `node:sqlite`, whose types come with later releases of Node. */
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
