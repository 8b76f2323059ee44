/**
 * The registry of names: what a client calls a tool or prompt, and whose it is. Calls are routed by this map, never by
 * splitting a name: a server's name may hold the separator.
 */
import { createHash } from 'node:crypto'

export interface NamingOptions {
  /** `always`: `{server}_{name}`. `onConflict`: only where two servers use a name. `never`: as the servers say. */
  prefix: 'always' | 'onConflict' | 'never'
  separator: string
  /** Most characters of a name. Clients add a prefix of their own and some models stop at 64. */
  maxLength: number
  /** `default`: letters, digits, `_` and `-`. `gemini`: lower case, digits and `_`, no digit first. */
  charset: 'default' | 'gemini'
  /** `server/name` or the name as it would be, to the name it gets. */
  rename: Readonly<Record<string, string>>
}

/** A tool or prompt of a server, and the name clients know it by. */
export interface Named {
  readonly exposed: string
  readonly server: string
  readonly original: string
}

/** One generation of names; a new one is built when a list changes. */
export interface Names {
  /** In the order of the servers and of their lists. */
  readonly all: readonly Named[]
  /** By exposed name, or by original name where only one server uses it. */
  resolve(name: string): Named | undefined
  /** The exposed name of a server's item. */
  exposed(server: string, original: string): string | undefined
}

export interface NameList {
  server: string
  names: readonly string[]
}

/** Gives every item a name that is unique, legal and the same in every run. Earlier servers keep a contested name. */
export function nameAll(
  lists: readonly NameList[],
  options: NamingOptions,
  reserved: readonly string[] = [],
): Names {
  const owners = countOwners(lists)
  const byExposed = new Map<string, Named>()
  const byOriginal = new Map<string, Named | null>()
  const exposedBy = new Map<string, string>()
  const taken = new Set(reserved)
  for (const { server, names } of lists) {
    for (const original of new Set(names)) {
      const wanted = wantedName(server, original, options, (owners.get(original) ?? 0) > 1)
      const exposed = unique(wanted, server, original, options, taken)
      taken.add(exposed)
      const named = { exposed, server, original }
      byExposed.set(exposed, named)
      byOriginal.set(original, byOriginal.has(original) ? null : named)
      exposedBy.set(key(server, original), exposed)
    }
  }
  return {
    all: [...byExposed.values()],
    resolve: (name) => byExposed.get(name) ?? byOriginal.get(name) ?? undefined,
    exposed: (server, original) => exposedBy.get(key(server, original)),
  }
}

function countOwners(lists: readonly NameList[]): Map<string, number> {
  const owners = new Map<string, number>()
  for (const { names } of lists) {
    for (const name of new Set(names)) owners.set(name, (owners.get(name) ?? 0) + 1)
  }
  return owners
}

function wantedName(server: string, original: string, options: NamingOptions, contested: boolean): string {
  const prefixed = `${server}${options.separator}${original}`
  const renamed = ownName(options.rename, `${server}/${original}`) ?? ownName(options.rename, prefixed)
  if (renamed !== undefined) return renamed
  if (options.prefix === 'always' || (options.prefix === 'onConflict' && contested)) return prefixed
  return original
}

/** Legal, short and not taken: with a hash of server and name where the plain form is not. */
function unique(
  wanted: string,
  server: string,
  original: string,
  options: NamingOptions,
  taken: ReadonlySet<string>,
): string {
  const legal = legalise(wanted, options.charset)
  if (legal.length <= options.maxLength && !taken.has(legal)) return legal
  // Prefix `never` promises the servers' own names; the later of two still needs one that says whose it is.
  const base =
    legal === legalise(original, options.charset) ? `${legalise(server, options.charset)}_${legal}` : legal
  if (base !== legal && base.length <= options.maxLength && !taken.has(base)) return base
  for (let salt = 0; ; salt++) {
    const suffix = `_${hash(`${server}\n${original}\n${salt || ''}`)}`
    const candidate = base.slice(0, options.maxLength - suffix.length) + suffix
    if (!taken.has(candidate)) return candidate
  }
}

function legalise(name: string, charset: NamingOptions['charset']): string {
  if (charset === 'default') return name.replace(/[^A-Za-z0-9_-]/gu, '_') || '_'
  const lower = name.toLowerCase().replace(/[^a-z0-9_]/gu, '_')
  return /^[a-z_]/u.test(lower) ? lower : `_${lower}`
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 6)
}

function key(server: string, original: string): string {
  return JSON.stringify([server, original])
}

function ownName(map: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined
}
