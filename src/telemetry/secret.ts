/** Which names belong to secrets, and which values of a configuration are secret because of their name. */
import { createHash } from 'node:crypto'

const ENDINGS = /(?:token|secret|password|passwd|passphrase|apikey|cookie|credential|authorization)s?$/
const WORDS = new Set(['auth', 'bearer', 'jwt', 'pass', 'pwd', 'pat', 'key', 'keys'])

/** Stands for an id that is a key: enough to tell two apart, and nothing to open anything with. */
export function fingerprint(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 8)
}

/** True for `API_KEY`, `clientSecret`, `X-Auth-Token`, `password`: names are compared word by word, in any spelling. */
export function isSecretName(name: string): boolean {
  return words(name).some((word) => WORDS.has(word) || ENDINGS.test(word))
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

/** What a server entry may hold that nobody else should read. */
export interface SecretHolder {
  readonly name?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly url?: string
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
