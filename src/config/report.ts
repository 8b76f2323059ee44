/** The problems of a configuration, in the words of the person who has to mend it, with their places. */

export interface Report {
  readonly problems: readonly Problem[]
  /** A problem with the value at a path of the file as it was written. */
  add(severity: Problem['severity'], written: Path, words: { message: string; remedy: string }): void
  /** A problem with the value at a path of the schema, from any source. Only the first error of a value is kept: it is the cause. */
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

export function createReport(file: { locate(path: Path): string }): Report {
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

export type Path = readonly (string | number)[]

/** A problem of a configuration, with its place. */
export interface Problem {
  severity: 'error' | 'warning'
  /** Where it was written: `mcp.json:7:15`, `environment variable MCPPROXY_PORT`, `option --port`. */
  place: string
  /** Which value: `proxySettings.port`. Empty: the file as a whole. */
  path: string
  /** The problem: `is "abc", but must be a whole number from 0 to 65535`. */
  message: string
  /** The next step. */
  remedy: string
}

/** A path as it would be written in JavaScript: `mcpServers["my docs"].args[0]`. */
export function formatPath(path: Path): string {
  return path
    .map((key, index) => {
      if (typeof key === 'number') return `[${key}]`
      if (!/^[\w$@-]+$/.test(key)) return `[${JSON.stringify(key)}]`
      return index === 0 ? key : `.${key}`
    })
    .join('')
}

/** Two lines a problem: where and what, then the remedy. */
export function formatProblem({ severity, place, path, message, remedy }: Problem): string {
  const what = path === '' ? message : `${path} ${message}`
  const subject = severity === 'warning' ? `(warning) ${what}` : what
  return `  ${place}: ${subject}\n    → ${remedy}`
}

/** A value as it was written, cut where it is long. */
function showValue(value: unknown): string {
  if (value === undefined) return 'missing'
  const json = JSON.stringify(value) ?? String(value)
  return json.length <= 60 ? json : `${json.slice(0, 57)}…`
}

const SECRET_PLACES = new Set([
  'env',
  'headers',
  'url',
  'args',
  'command',
  'clientSecret',
  'privateKey',
  'token',
  'vectorStore',
  'store',
  'key',
])

/** A value for a message: values that may hold a secret are told by their type alone. */
export function showSafely(value: unknown, path: Path): string {
  if (!path.some((key) => SECRET_PLACES.has(String(key)))) return showValue(value)
  if (value === null || value === undefined) return showValue(value)
  if (value === '') return 'empty'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value === 'string' ? 'text' : typeof value}`
}
