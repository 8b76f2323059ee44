/** Strikes secrets out of what is logged: by name, by known value, in addresses and in headers. */
import { isSecretField } from './secret.ts'

/** What stands in place of a secret. */
const STRUCK = '***'

/** Deeper than this, and longer, a log line helps nobody. */
const MAX_DEPTH = 8
const MAX_ITEMS = 100
const MAX_TEXT = 8_192

/** All repetitions are bounded, so the time is linear in the text. */
const USERINFO = /([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#"'<>@]{1,512}@/gi
const QUERY = /([a-z][a-z0-9+.-]{0,20}:\/\/[^\s?#"'<>]{0,2048})[?#][^\s"'<>]{1,8192}/gi
const SCHEME = /\b(bearer|basic)\s{1,4}[\w.~+/=-]{6,}/gi
const ASSIGNMENT =
  /((?:token|secret|password|passwd|api[_-]?key|cookie|authorization)["']?\s{0,4}[:=]\s{0,4})(?:"[^"]{1,8192}"|'[^']{1,8192}'|[^\s"',;&]{1,8192})/gi

/** Keys that tell by their prefix what they are: what a server writes to standard error may hold them. */
const PREFIXED =
  /(?<![A-Za-z0-9])(?:gh[opsru]_|github_pat_|glpat-|xox[abeoprs]-|[sr]k_(?:live|test)_|sk-|AKIA|ASIA|AIza|npm_|hf_|eyJ)[\w.-]{16,4096}/g

/** Without one of these there is nothing to replace. To look for them is far quicker. */
const SCHEMES = ['bearer', 'basic']
const ASSIGNED = ['token', 'secret', 'passw', 'key', 'cookie', 'authorization']

export interface Redactor {
  /** More values that are struck out from now on. */
  strike(secrets: readonly string[]): void
  text(value: string): string
  /** A copy of a log line's fields. Errors become their type, message and stack. */
  fields(value: Record<string, unknown>): Record<string, unknown>
}

/** `secrets` are values that are struck out wherever they occur. */
export function createRedactor(secrets: readonly string[] = []): Redactor {
  let known: readonly string[] = []
  strike(secrets)

  function strike(more: readonly string[]): void {
    const all = new Set([...known, ...more])
    known = [...all].filter((secret) => secret !== '').sort((a, b) => b.length - a.length)
  }

  function text(value: string): string {
    let result = value
    for (const secret of known) result = result.replaceAll(secret, STRUCK)
    if (result.length > MAX_TEXT) result = `${result.slice(0, MAX_TEXT)}… (${value.length} characters)`
    if (result.includes('://'))
      result = result.replace(USERINFO, `$1${STRUCK}@`).replace(QUERY, `$1?${STRUCK}`)
    const lower = result.toLowerCase()
    if (SCHEMES.some((word) => lower.includes(word))) result = result.replace(SCHEME, `$1 ${STRUCK}`)
    if (ASSIGNED.some((word) => lower.includes(word))) result = result.replace(ASSIGNMENT, `$1${STRUCK}`)
    return result.replace(PREFIXED, STRUCK)
  }

  function any(value: unknown, depth: number, seen: readonly object[]): unknown {
    if (typeof value === 'string') return text(value)
    if (typeof value === 'bigint') return String(value)
    if (typeof value !== 'object' || value === null) return value
    if (seen.includes(value) || depth > MAX_DEPTH) return '…'
    const inner = [...seen, value]
    if (value instanceof Error) return error(value, depth, inner)
    if (value instanceof Date) return value
    if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`
    if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => any(item, depth + 1, inner))
    return object(value, depth, inner)
  }

  function object(value: object, depth: number, seen: readonly object[]): Record<string, unknown> {
    const entries = Object.entries(value).slice(0, MAX_ITEMS)
    return Object.fromEntries(
      entries.map(([name, item]) => [
        text(name),
        isSecretField(name, item) ? STRUCK : any(item, depth + 1, seen),
      ]),
    )
  }

  function error(value: Error, depth: number, seen: readonly object[]): Record<string, unknown> {
    const cause = value.cause === undefined ? {} : { cause: any(value.cause, depth + 1, seen) }
    return { type: value.name, message: text(value.message), stack: text(value.stack ?? ''), ...cause }
  }

  return { strike, text, fields: (value) => object(value, 0, [value]) }
}
