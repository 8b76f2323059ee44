/** Patterns in the options of modules that mean items of servers: one that fits none of them is most likely misspelt. */
import type { Client, Exchange, Handler, Lists } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/json.ts'
import { KINDS, type Kind, kindOfList, namesOf } from '../protocol/lists.ts'
import { originOf } from '../protocol/origin.ts'
import { matcherOf } from '../text/patterns/glob.ts'
import { nearest } from '../text/words/edit-distance.ts'

export const ALL_KINDS = Object.keys(KINDS) as Kind[]

/** A pattern in the options of a module that names items of servers. */
export interface NamingPattern {
  /** The option it stands in. */
  readonly option: string
  /** As it is written. */
  readonly pattern: string
  /** The kinds that it may mean, by the names of their lists: `tools`, `prompts`, `resources`, `resourceTemplates`. */
  readonly kinds: readonly Kind[]
  /** Whether it means this item of such a list. */
  fits(item: JsonObject, kind: Kind): boolean
}

/** A pattern for each of these, by the test that `fitsOf` makes of it. */
export function patternsIn(
  option: string,
  patterns: readonly string[] = [],
  kinds: readonly Kind[],
  fitsOf: (pattern: string) => NamingPattern['fits'] = byNames,
): NamingPattern[] {
  return patterns.map((pattern) => ({ option, pattern, kinds, fits: fitsOf(pattern) }))
}

/** By any of its names; a template as well by what it may stand for. */
function byNames(pattern: string): NamingPattern['fits'] {
  const fits = matcherOf([pattern])
  return (item, kind) =>
    namesOf(item, kind).some(fits) || (kind === 'resourceTemplates' && mayStandFor(item, pattern))
}

/** By the name of the server alone. */
export function byServer(pattern: string): NamingPattern['fits'] {
  const fits = matcherOf([pattern])
  return (item) => {
    const origin = originOf(item)
    return origin !== undefined && fits(origin.server)
  }
}

/**
 * True where a listed template may stand for what the pattern of URIs means. In doubt the answer is true, because no list names the
 * resources of a template.
 */
export function mayStandFor(template: JsonObject, pattern: string): boolean {
  const { uriTemplate } = template
  if (typeof uriTemplate !== 'string') return false
  const origin = originOf(template)
  const whose = origin === undefined ? '' : `${origin.server}/`
  const uri = whose !== '' && pattern.startsWith(whose) ? pattern.slice(whose.length) : pattern
  const [known, wanted] = [uriTemplate.replace(/\{.*$/s, ''), uri.replace(/[*?].*$/s, '')]
  return (
    known.toLowerCase().startsWith(wanted.toLowerCase()) ||
    wanted.toLowerCase().startsWith(known.toLowerCase())
  )
}

// Looks which of a module's patterns mean anything that servers list, from where the module stands.

/** A pattern that nothing fits. */
export interface Unmatched {
  readonly option: string
  readonly pattern: string
  /** A listed name that looks like it. */
  readonly meant?: string
}

export interface PatternWatch {
  /** Stands right inside of the module: remembers who was listed something last. */
  wrap(next: Handler, inside: Lists): Handler
  /** Lists for the client that got a list last, and drops the patterns that fit. False: no such client, or no pattern left. */
  look(isWorth?: (client: Client) => boolean): Promise<boolean>
  /** The patterns that no look has found anything for. */
  left(): readonly Unmatched[]
  /** From the beginning: servers may be others. */
  reset(): void
}

/** Patterns for which like names are looked up: each is compared with all that is listed. */
const MAX_MEANT = 20

/** `listed` hears that a list passed while there are patterns left. */
export function watchPatterns(patterns: readonly NamingPattern[], listed: () => void): PatternWatch {
  let left = new Set(patterns)
  let last: { client: Client; inside: Lists } | undefined
  const meant = new Map<NamingPattern, string>()

  async function lookFor(kind: Kind, client: Client, inside: Lists): Promise<void> {
    const asking = [...left].filter(({ kinds }) => kinds.includes(kind))
    if (asking.length === 0) return
    const items = await itemsOf(kind, client, inside)
    const unlike: NamingPattern[] = []
    for (const pattern of asking) {
      if (items.some((item) => pattern.fits(item, kind))) left.delete(pattern)
      else if (!meant.has(pattern) && !/[*?]/.test(pattern.pattern)) unlike.push(pattern)
    }
    for (const pattern of unlike.slice(0, MAX_MEANT)) {
      const [like] = nearest(pattern.pattern, namesLike(pattern.pattern, items, kind), 1)
      if (like !== undefined) meant.set(pattern, like)
    }
  }

  return {
    wrap: (next, inside) => (exchange) => {
      if (left.size > 0 && exchange.isOver !== true && kindOfList(exchange.method) !== undefined) {
        last = { client: exchange.client, inside }
        listed()
      }
      return next(exchange)
    },
    async look(isWorth = () => true) {
      const asked = last
      last = undefined
      if (asked === undefined || left.size === 0 || !isWorth(asked.client)) return false
      try {
        for (const kind of ALL_KINDS) await lookFor(kind, asked.client, asked.inside)
        return true
      } catch {
        // The requester left, or a module further in failed, which reports that itself.
        return false
      }
    },
    left: () =>
      [...left].map((pattern) => {
        const like = meant.get(pattern)
        return {
          option: pattern.option,
          pattern: pattern.pattern,
          ...(like !== undefined && { meant: like }),
        }
      }),
    reset() {
      left = new Set(patterns)
      meant.clear()
    },
  }
}

async function itemsOf(kind: Kind, client: Client, inside: Lists): Promise<readonly JsonObject[]> {
  const { signal } = new AbortController()
  const asking: Exchange = { method: '', params: {}, client, agent: client.agent, signal, notify() {} }
  return (await inside.fresh(kind, asking)).items
}

/** As the pattern is written: with the server, or as clients see them. */
function namesLike(pattern: string, items: readonly JsonObject[], kind: Kind): string[] {
  return items.flatMap((item) =>
    namesOf(item, kind).filter((name) => name.includes('/') === pattern.includes('/')),
  )
}
