/**
 * The table of tools on disk. No process ever opens the file itself: it is read and changed as a copy, which then takes its place.
 * So a kill leaves a good file, two proxies on one directory never wait for each other, and what is lost when both write at once is
 * found again at the next start: the file is a cache.
 */
import { constants, copyFile } from 'node:fs/promises'
import { setImmediate as breathe } from 'node:timers/promises'
import { hasCode, messageOf } from '../../protocol/errors.ts'
import type { Logger } from '../../telemetry/log.ts'
import { removeStale, replaceFile, setAside, usePartial } from '../own-files.ts'
import type { KnownTool } from './known-tool.ts'
import type { OpenSqlite, Sqlite } from './sqlite.ts'
import { checkTable, createTable, putTool, readTools, removeTool } from './table.ts'

/** Rows between two looks at the event loop: some 10 ms in WebAssembly. */
const SLICE = 100

/** What to write. */
export interface TableChanges {
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
          'the file of tools was unreadable; it is made anew',
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
    // Nobody else has this file, and after a failure it is thrown away.
    database.exec('PRAGMA journal_mode = OFF')
    // Else WebAssembly makes and removes its folder for every statement.
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
