/** Strikes secrets out of what is logged: by name, by known value, in addresses and in headers. */
import { createHash } from 'node:crypto'
import { findForms, LOOSE_KEY } from '../text/change/forms.ts'
import { type Finding, scan } from '../text/change/scan.ts'

/** A deeper or longer log line is not readable. */
const MAX_DEPTH = 8
const MAX_ITEMS = 100
const MAX_TEXT = 8_192

/** Texts that are remembered as free of secrets: their length, and how many they are. */
const SHORT = 100
const MOST_CLEAN = 1_000

export interface Redactor {
  /** More values that are struck out from now on. */
  strike(secrets: readonly string[]): void
  text(value: string): string
  /** The same for a text of any length; a log cuts a long one. */
  whole(value: string): string
  /** A copy of a log line's fields. Errors become their type, message and stack. */
  fields(value: Record<string, unknown>): Record<string, unknown>
}

/** `secrets` are values that are struck out wherever they occur. */
export function createRedactor(secrets: readonly string[] = []): Redactor {
  let known: readonly string[] = []
  /** Short texts that were looked through: names of fields, tools and clients are in every line. */
  let clean = new Set<string>()
  strike(secrets)

  function strike(more: readonly string[]): void {
    const all = new Set([...known, ...more])
    known = [...all].filter((secret) => secret !== '').sort((a, b) => b.length - a.length)
    clean = new Set()
  }

  function text(value: string): string {
    if (clean.has(value)) return value
    const result = struck(value)
    if (result === value && value.length <= SHORT) {
      if (clean.size >= MOST_CLEAN) clean = new Set()
      clean.add(value)
    }
    return result
  }

  function struck(value: string, most = MAX_TEXT): string {
    let result = value
    for (const secret of known) result = result.replaceAll(secret, STRUCK)
    if (result.length > most) result = `${result.slice(0, most)}… (${value.length} characters)`
    return strikeLoosely(result)
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

  /** Most lines have nothing to strike out, and a copy by `Object.fromEntries` costs several times as much. */
  function object(value: object, depth: number, seen: readonly object[]): Record<string, unknown> {
    const copy: Record<string, unknown> = { ...value }
    Object.keys(copy).forEach((name, index) => {
      const item = copy[name]
      const shown = isSecretField(name, item) ? STRUCK : any(item, depth + 1, seen)
      const named = text(name)
      if (named !== name || index >= MAX_ITEMS) delete copy[name]
      if (index < MAX_ITEMS && (named !== name || shown !== item)) copy[named] = shown
    })
    return copy
  }

  function error(value: Error, depth: number, seen: readonly object[]): Record<string, unknown> {
    const cause = value.cause === undefined ? {} : { cause: any(value.cause, depth + 1, seen) }
    return { type: value.name, message: text(value.message), stack: text(value.stack ?? ''), ...cause }
  }

  const whole = (value: string): string => struck(value, Number.POSITIVE_INFINITY)
  return { strike, text, whole, fields: (value) => object(value, 0, [value]) }
}

/** Stands for an id that is a key: enough to tell two apart, and nothing to open anything with. */
export function fingerprint(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 8)
}

/** Secrets that a server entry may hold. */
export interface SecretHolder {
  readonly name?: string
  readonly args?: readonly string[] | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly url?: string | undefined
  readonly oauth?:
    | { readonly clientSecret?: string | undefined; readonly privateKey?: string | undefined }
    | undefined
}

/** Shorter values are too common in ordinary text to be struck out. */
const SHORTEST = 5

/** Secret values of these entries: by the name of the variable, header or option, and whatever stands in a url's userinfo or query. */
export function secretsOf(holders: readonly SecretHolder[]): string[] {
  const found = holders.flatMap(({ env = {}, headers = {}, url, args = [], oauth = {} }) => [
    ...secretsOfArgs(args),
    ...[...Object.entries(env), ...Object.entries(headers)]
      .filter(([name]) => isSecretName(name))
      .flatMap(([, value]) => [value, value.replace(/^(?:bearer|basic|token)\s+/i, '')]),
    ...(url === undefined ? [] : secretsOfUrl(url)),
    ...[oauth.clientSecret, oauth.privateKey].filter((value) => value !== undefined),
  ])
  return [...new Set(found)].filter((value) => value.length >= SHORTEST)
}

/** `--api-key=x` and `--api-key x`. */
const OPTION = /^--?([A-Za-z][\w.-]{0,99})(?:=([\s\S]*))?$/

function secretsOfArgs(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    const [, name, value] = OPTION.exec(arg) ?? []
    if (name === undefined) return secretsOfUrl(arg)
    if (!isSecretName(name)) return value === undefined ? [] : secretsOfUrl(value)
    const next = args[index + 1]
    if (value !== undefined) return [value]
    return next === undefined || OPTION.test(next) ? [] : [next]
  })
}

/** A copy of a command line without the values of its secret options. */
export function concealArgs(args: readonly string[], struck: string): string[] {
  const isSecret = (arg: string | undefined): boolean => isSecretName(OPTION.exec(arg ?? '')?.[1] ?? '')
  return args.map((arg, index) => {
    const before = args[index - 1]
    if (isSecret(arg)) return arg.includes('=') ? arg.replace(/=[\s\S]*$/, `=${struck}`) : arg
    return isSecret(before) && !before?.includes('=') && !OPTION.test(arg) ? struck : arg
  })
}

function secretsOfUrl(url: string): string[] {
  if (!URL.canParse(url)) return []
  const { password, searchParams } = new URL(url)
  const named = [...searchParams].filter(([name]) => isSecretName(name)).map(([, value]) => value)
  return [password, decoded(password), ...named]
}

/** Percent-decoded, or as it is when it was not encoded. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

// A lower threshold than `src/text/change/strike.ts` has: a line of a log loses too much rather than too little. Whole values are
// struck where the careful detector looks at them first.

/** The text in place of a secret. */
export const STRUCK = '***'

/** All repetitions are bounded, so the time is linear in the text. */
const USERINFO = /([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#"'<>@]{1,512}@/gi
const QUERY = /([a-z][a-z0-9+.-]{0,20}:\/\/[^\s?#"'<>]{0,2048})[?#][^\s"'<>]{1,8192}/gi
const SCHEME = /\b(bearer|basic)\s{1,4}[\w.~+/=-]{6,}/gi
const ASSIGNMENT =
  /((?:token|secret|password|passwd|api[_-]?key|cookie|authorization)["']?\s{0,4}[:=]\s{0,4})(?:"[^"]{1,8192}"|'[^']{1,8192}'|[^\s"',;&]{1,8192})/gi

/** Without one of these there is nothing to replace. To look for them is far quicker. */
const SCHEMES = ['bearer', 'basic']
const ASSIGNED = ['token', 'secret', 'passw', 'key', 'cookie', 'authorization']
const PEM = 'PRIVATE KEY'

/** A text without addresses' passwords and queries, values behind `Bearer` or `token=`, and keys that tell by their form. */
export function strikeLoosely(text: string): string {
  let result = text.includes(PEM) ? withoutPem(text) : text
  if (result.includes('://')) result = result.replace(USERINFO, `$1${STRUCK}@`).replace(QUERY, `$1?${STRUCK}`)
  const lower = result.toLowerCase()
  if (SCHEMES.some((word) => lower.includes(word))) result = result.replace(SCHEME, `$1 ${STRUCK}`)
  if (ASSIGNED.some((word) => lower.includes(word))) result = result.replace(ASSIGNMENT, `$1${STRUCK}`)
  return result.replace(LOOSE_KEY, STRUCK)
}

/** Of the forms that the careful detector knows, those of several lines. */
function withoutPem(text: string): string {
  const findings: Finding[] = []
  findForms(text, { ...scan(text), words: [], names: [], schemes: [] }, findings)
  let result = ''
  let copied = 0
  for (const { start, end } of findings.sort((a, b) => a.start - b.start)) {
    result += text.slice(copied, Math.max(copied, start)) + STRUCK
    copied = Math.max(copied, end)
  }
  return result + text.slice(copied)
}

// Which names belong to secrets, in any spelling.

const ENDINGS = /(?:token|secret|password|passwd|passphrase|apikey|cookie|credential|authorization)s?$/
const WORDS = new Set(['auth', 'bearer', 'jwt', 'pass', 'pwd', 'pat', 'key', 'keys'])

const judged = new Map<string, boolean>()
const MAX_JUDGED = 2_000

/** True for `API_KEY`, `clientSecret`, `X-Auth-Token`, `password`: names are compared word by word, in any spelling. */
export function isSecretName(name: string): boolean {
  const known = judged.get(name)
  if (known !== undefined) return known
  const found = words(name).some((word) => WORDS.has(word) || ENDINGS.test(word))
  if (name.length <= 200) {
    if (judged.size >= MAX_JUDGED) judged.clear()
    judged.set(name, found)
  }
  return found
}

/** `maxTokens: 4000` counts something; it hides nothing. */
export function isSecretField(name: string, value: unknown): boolean {
  if (typeof value === 'boolean' || value === null || value === undefined) return false
  if (typeof value === 'number' && /token|key/i.test(name)) return false
  return isSecretName(name)
}

function words(name: string): string[] {
  return name
    .slice(0, 200)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
}
