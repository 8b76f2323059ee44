/**
 * The registry of names: what a client calls a tool or prompt, and which server has it. Calls are routed by this map, never by
 * splitting a name: a server's name may hold the separator.
 */
import { shortHash } from '../text/short-hash.ts'

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
  /** The listed items, in the order of the servers and of their lists. */
  readonly all: readonly Named[]
  /** The exposed name of a server's item. */
  exposed(server: string, original: string): string | undefined
  /** By exposed name: every name that was given out, those of items no longer listed included, the oldest of these first. */
  readonly given: ReadonlyMap<string, Named>
}

/** Names of items that are no longer listed and are still known: servers that make up new names all the time are cut here. */
const MAX_PAST = 5000

export interface NameList {
  server: string
  names: readonly string[]
}

/**
 * Gives every item a name that is unique and legal, and in every run the same for the same lists. Earlier servers get a contested
 * name. A name of `past` stays with its item, even while the item is gone and when other items come. A client that learned a name must
 * not reach another server by it.
 */
export function nameAll(
  lists: readonly NameList[],
  options: NamingOptions,
  reserved: readonly string[] = [],
  past?: Names,
): Names {
  const owners = countOwners(lists)
  const all: Named[] = []
  const byServer = new Map<string, Map<string, Named>>()
  const taken = new Set([...reserved, ...(past?.given.keys() ?? [])])
  const keptBy = byServerAndOriginal(past)
  for (const { server, names } of lists) {
    const mine = byServer.get(server) ?? new Map<string, Named>()
    byServer.set(server, mine)
    for (const original of names) {
      if (mine.has(original)) continue
      const named = keptBy.get(server)?.get(original) ?? {
        exposed: unique(
          wantedName(server, original, options, (owners.get(original) ?? 0) > 1),
          server,
          original,
          options,
          taken,
        ),
        server,
        original,
      }
      taken.add(named.exposed)
      all.push(named)
      mine.set(original, named)
    }
  }
  return {
    all,
    given: givenNames(all, past),
    exposed: (server, original) => byServer.get(server)?.get(original)?.exposed,
  }
}

function byServerAndOriginal(past: Names | undefined): Map<string, Map<string, Named>> {
  const found = new Map<string, Map<string, Named>>()
  for (const named of past?.given.values() ?? []) {
    const mine = found.get(named.server) ?? new Map<string, Named>()
    found.set(named.server, mine.set(named.original, named))
  }
  return found
}

function givenNames(all: readonly Named[], past: Names | undefined): Map<string, Named> {
  const now = new Map(all.map((named) => [named.exposed, named]))
  const gone = [...(past?.given ?? [])].filter(([exposed]) => !now.has(exposed)).slice(-MAX_PAST)
  return gone.length === 0 ? now : new Map([...gone, ...now])
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
  // Prefix `never` promises the servers' own names; the later of two still needs one that names its server.
  const base =
    legal === legalise(original, options.charset) ? `${legalise(server, options.charset)}_${legal}` : legal
  if (base !== legal && base.length <= options.maxLength && !taken.has(base)) return base
  for (let salt = 0; ; salt++) {
    const suffix = `_${shortHash(`${server}\n${original}\n${salt || ''}`)}`
    const candidate = base.slice(0, options.maxLength - suffix.length) + suffix
    if (!taken.has(candidate)) return candidate
  }
}

function legalise(name: string, charset: NamingOptions['charset']): string {
  if (charset === 'default') return name.replace(/[^A-Za-z0-9_-]/gu, '_') || '_'
  const lower = name.toLowerCase().replace(/[^a-z0-9_]/gu, '_')
  return /^[a-z_]/u.test(lower) ? lower : `_${lower}`
}

/** True for a name that the server's tools would have, as far as the prefix tells. */
export function isPrefixed(name: string, server: string, { separator, charset }: NamingOptions): boolean {
  return name.startsWith(legalise(`${server}${separator}`, charset))
}

function ownName(map: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined
}
