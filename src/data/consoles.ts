/** The consoles that are served with this data directory: a private file for each, by the id of its process. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode, messageOf } from '../protocol/errors.ts'
import { isObject } from '../protocol/json.ts'

export interface NotedConsole {
  readonly url: string
  /** The configuration. Absent: it is no file. */
  readonly file?: string | undefined
  /** Milliseconds since 1970. */
  readonly started: number
}

const FOLDER = 'consoles'

/** Notes the console of this process, and gives what forgets it. `failed`: told why it could not be noted. */
export function noteConsole(
  directory: string,
  console: NotedConsole,
  failed: (reason: string) => void,
): () => void {
  const path = join(directory, FOLDER, `${process.pid}.json`)
  try {
    mkdirSync(join(directory, FOLDER), { recursive: true, mode: 0o700 })
    writeFileSync(path, `${JSON.stringify(console)}\n`, { mode: 0o600 })
  } catch (error) {
    failed(messageOf(error))
  }
  return () => rmSync(path, { force: true })
}

/** The consoles that are served now, the newest first. Files of ended processes are removed. */
export function notedConsoles(directory: string): NotedConsole[] {
  let names: string[]
  try {
    names = readdirSync(join(directory, FOLDER))
  } catch {
    return []
  }
  return names
    .flatMap((name): NotedConsole[] => {
      const path = join(directory, FOLDER, name)
      const pid = Number(/^(\d+)\.json$/.exec(name)?.[1])
      if (!Number.isInteger(pid)) return []
      if (!isRunning(pid)) {
        rmSync(path, { force: true })
        return []
      }
      return readNote(path)
    })
    .sort((one, other) => other.started - one.started)
}

function readNote(path: string): NotedConsole[] {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (!isObject(value)) return []
    const { url, file, started } = value
    if (
      typeof url !== 'string' ||
      !/^http:\/\/[\w.:[\]-]+\/console$/.test(url) ||
      typeof started !== 'number'
    )
      return []
    return [{ url, started, ...(typeof file === 'string' && { file }) }]
  } catch {
    return []
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It is there, and another user's.
    return hasCode(error, 'EPERM')
  }
}
