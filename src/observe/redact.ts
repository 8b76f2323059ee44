/** Strikes secrets out of what is logged: by name, by known value, in addresses and in headers. */
import { createHash } from 'node:crypto'
import { isSecretField, isSecretName, STRUCK, strikeLoosely } from '../text/sensitive/loose.ts'

/** Deeper than this, and longer, a log line helps nobody. */
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

  function struck(value: string): string {
    let result = value
    for (const secret of known) result = result.replaceAll(secret, STRUCK)
    if (result.length > MAX_TEXT) result = `${result.slice(0, MAX_TEXT)}… (${value.length} characters)`
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

/** Stands for an id that is a key: enough to tell two apart, and nothing to open anything with. */
export function fingerprint(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 8)
}

/** What a server entry may hold that nobody else should read. */
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
