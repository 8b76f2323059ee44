/** What is wrong with a configuration, in the words of the person who has to mend it. */

export type Path = readonly (string | number)[]

export interface Problem {
  severity: 'error' | 'warning'
  /** Where it was written: `mcp.json:7:15`, `environment variable MCPPROXY_PORT`, `option --port`. */
  place: string
  /** Which value: `proxySettings.port`. Empty: the file as a whole. */
  path: string
  /** What is wrong: `is "abc", but must be a whole number from 0 to 65535`. */
  message: string
  /** What to do. */
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
])

/** A value for a message: values that may hold a secret are told by their type alone. */
export function showSafely(value: unknown, path: Path): string {
  if (!path.some((key) => SECRET_PLACES.has(String(key)))) return showValue(value)
  if (value === null || value === undefined) return showValue(value)
  if (value === '') return 'empty'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value === 'string' ? 'text' : typeof value}`
}
