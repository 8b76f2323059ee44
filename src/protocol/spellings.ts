/**
 * Names as models write them. Clients show their model each tool under a prefix of their own (`mcp__proxy__X`, `mcp_proxy_X`, `proxy_X`,
 * `proxy-X`, `proxy__X`, `functions.X`). Models also write `server/X`, `server.X` or the server's own name. One function says which tool
 * is meant, for every place that takes a name.
 */
import { PROXY_NAME } from './chain.ts'

/** Something that has a listed name. `server` and `original`: of a server's tool, where it is and how that server names it. */
export interface Spelled {
  readonly name: string
  readonly server?: string
  readonly original?: string
}

export interface SpellingOptions {
  /** All servers of the client, also the servers that list nothing now. The servers of the items are known without it. */
  servers?: readonly string[]
  /** True for a name that belongs to something else, which is not offered here: hidden or blocked tools. */
  isTaken?(name: string): boolean
}

/** The items that a name may mean: one, several that only the caller can tell apart, or none. */
export type Meaning<T> = (name: string) => readonly T[]

/** The longest name that is looked at, in characters. */
const LONGEST = 500

/** Clients put these before a name where the proxy has one of the keys that its documentation uses. */
const OF_PROXY = new RegExp(
  `^(?:functions[./:])?(?:(?:mcp(?:__|[_./:-]))?(${PROXY_NAME}|${PROXY_NAME.replaceAll('-', '_')}|proxy)(?:__|[_./:-]))?(?=.)`,
  'u',
)
const SEPARATORS = '_-./:'
const MCP = 'mcp__'

/**
 * Says what a name means among these items. A listed name always means itself. Then counts the server's own name. Then counts either of
 * them after a prefix that clients put before a tool of this proxy. Last counts a listed name after any prefix and separator, or the
 * server's own name after the name of its server.
 * A prefix that names another server excludes an item, and so does another item that the name may mean.
 */
export function spellingsOf<T extends Spelled>(
  items: readonly T[],
  { servers = [], isTaken = () => false }: SpellingOptions = {},
): Meaning<T> {
  const byName = new Map<string, T>()
  const byOriginal = new Map<string, T[]>()
  const known = new Map(servers.map((server) => [server, segments(server)]))
  for (const item of items) {
    if (!byName.has(item.name)) byName.set(item.name, item)
    const { original, server } = item
    if (original !== undefined) byOriginal.set(original, [...(byOriginal.get(original) ?? []), item])
    if (server) known.set(server, segments(server))
  }

  /** Undefined: nothing has this name, listed or not. */
  function exactly(name: string): readonly T[] | undefined {
    const item = byName.get(name)
    if (item !== undefined) return [item]
    return isTaken(name) ? [] : byOriginal.get(name)
  }

  function namesAnother(prefix: string, { server, name }: T): boolean {
    if (!server || segments(name).startsWith(known.get(server) ?? '')) return false
    const said = segments(prefix.replace(/^mcp(?:__|[_./:-])/u, ''))
    return [...known].some(([other, segment]) => other !== server && said.includes(segment))
  }

  function afterPrefix(name: string): readonly T[] {
    const listed = new Set<T>()
    const owned = new Set<T>()
    const isMcp = name.startsWith(MCP)
    for (let at = 1; at < name.length; at++) {
      if (!SEPARATORS.includes(name.charAt(at - 1))) continue
      const rest = name.slice(at)
      const prefix = name.slice(0, at).replace(/[_\-./:]+$/u, '')
      if (prefix === '') continue
      const item = byName.get(rest)
      // Clients that begin so end their prefix with two underscores.
      const isListed = !isMcp || name.slice(0, at).endsWith('__')
      if (item === undefined && isTaken(rest)) return []
      if (item !== undefined && isListed && !namesAnother(prefix, item)) listed.add(item)
      for (const own of byOriginal.get(rest) ?? []) {
        const segment = own.server === undefined ? '' : known.get(own.server)
        if (segment && segments(prefix).endsWith(segment)) owned.add(own)
      }
    }
    return [...(listed.size > 0 ? listed : owned)]
  }

  return (written) => {
    const name = written.length > LONGEST ? '' : written.trim()
    const exact = exactly(written) ?? exactly(name)
    if (exact !== undefined) return exact
    const [prefix = '', key] = OF_PROXY.exec(name) ?? []
    const isOurs = prefix !== '' && !(key !== undefined && known.has(key))
    return (isOurs ? exactly(name.slice(prefix.length)) : undefined) ?? afterPrefix(name)
  }
}

/** Most names in an error. */
const SHOWN = 10

/** The possible meanings of a name, for an error: `a, b a, b and 3 more`. */
export function listedNames(items: readonly Spelled[]): string {
  const names = items.slice(0, SHOWN).map(({ name }) => name)
  const more = items.length > SHOWN ? ` and ${items.length - SHOWN} more` : ''
  return `${names.join(', ')}${more}`
}

/** `_my_server_`: the words of a name, whatever stands between them. */
function segments(name: string): string {
  return `_${name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/gu, '')}_`
}
