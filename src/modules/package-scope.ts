/** Which servers a package is about, by what its options name. */
import { fitsGlob, matcherOf } from '../text/glob.ts'

export interface Scope {
  /** False: nothing of this server belongs to it. */
  reaches(server: string): boolean
  /** True: what no pattern of its own kind decides belongs to it, by its server. */
  holds(server: string | undefined): boolean
  /** True: it is about all servers. */
  readonly isOpen: boolean
}

/** `servers`: as written. `patterns`: those of all kinds, by name or as `server/name`. */
export function scopeOf(servers: readonly string[] | undefined, patterns: readonly string[]): Scope {
  if (servers !== undefined) {
    const fits = matcherOf(servers)
    return { reaches: fits, holds: (server) => server !== undefined && fits(server), isOpen: false }
  }
  const named = patterns.map(serversIn)
  const all = named.flat()
  if (all.length === 0) return { reaches: () => true, holds: () => true, isOpen: true }
  const isNamed = (server: string): boolean => all.some((glob) => fitsGlob(server, glob))
  // A name without its server may be any server's.
  const isExact = named.every((some) => some.length > 0)
  return {
    reaches: isExact ? isNamed : () => true,
    holds: (server) => server !== undefined && isNamed(server),
    isOpen: false,
  }
}

/** The servers that `server/name` may mean, for servers may have a `/` in their names. None: the pattern names none. */
function serversIn(pattern: string): string[] {
  const found: string[] = []
  for (let at = pattern.indexOf('/'); at > 0; at = pattern.indexOf('/', at + 1)) {
    const server = pattern.slice(0, at)
    if (server.includes(':') || at + 1 === pattern.length) break
    found.push(server)
  }
  return found
}
