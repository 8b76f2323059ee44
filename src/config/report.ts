/** Collects all problems of a configuration together with the places they come from. */
import type { JsoncFile } from './jsonc.ts'
import { formatPath, type Path, type Problem } from './problem.ts'

export interface Report {
  readonly problems: readonly Problem[]
  /** A problem with the value at a path of the file as it was written. */
  add(severity: Problem['severity'], written: Path, words: { message: string; remedy: string }): void
  /** A problem with the value at a path of the schema, whoever set it. Only the first error of a value is kept: it is the cause. */
  addAt(severity: Problem['severity'], path: Path, words: { message: string; remedy: string }): void
  /** Takes over problems found by others. */
  take(problems: readonly Problem[]): void
  /** The value at `path` of the schema was written at another path of the file. */
  moved(path: Path, written: Path): void
  /** The value at `path` of the schema was set from outside the file: `environment variable MCPPROXY_PORT`. */
  given(path: Path, by: string): void
  /** The path as it was written in the file. */
  origin(path: Path): Path
}

export function createReport(file: Pick<JsoncFile, 'locate'>): Report {
  const problems: Problem[] = []
  const written = new Map<string, Path>()
  const failed = new Set<string>()
  const setBy = new Map<string, string>()
  const key = (path: Path): string => JSON.stringify(path)

  function origin(path: Path): Path {
    for (let length = path.length; length > 0; length--) {
      const from = written.get(key(path.slice(0, length)))
      if (from !== undefined) return [...from, ...path.slice(length)]
    }
    return path
  }

  function add(severity: Problem['severity'], path: Path, words: { message: string; remedy: string }): void {
    problems.push({ severity, place: file.locate(path), path: formatPath(path), ...words })
  }

  return {
    problems,
    add,
    addAt(severity, path, words) {
      if (severity === 'error') {
        if (failed.has(key(path))) return
        failed.add(key(path))
      }
      const by = setBy.get(key(path))
      if (by === undefined) add(severity, origin(path), words)
      else problems.push({ severity, place: by, path: formatPath(path), ...words })
    },
    take: (found) => problems.push(...found),
    moved: (path, from) => written.set(key(path), from),
    given: (path, by) => setBy.set(key(path), by),
    origin,
  }
}
