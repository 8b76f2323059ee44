/**
 * Whose a resource is, for one client, and what its URI is there. URIs are kept as servers give them. Only where two servers use
 * the same one, or templates of the same pattern, the later server's gets a prefix of its own:
 *
 * | the server's | the client's |
 * |---|---|
 * | `note://1` | `note+{server}://1` |
 * | `urn:isbn:1` | `urn+{server}:isbn:1` |
 * | `ui://app/main.html` | `ui://{server}/app/main.html`: hosts know views by their scheme (MCP Apps) |
 * | `readme`, `{+path}` | `mcp+{server}:readme`, `mcp+{server}:{+path}` |
 *
 * What matches a template that moved moves with it. A URI once given to a client keeps its meaning as long as its server lists it.
 */
import type { JsonObject } from '../protocol/json.ts'
import { indexOf, type UriIndex, type UriKind } from './uri-index.ts'
import { labelledPrefixOf, prefixOf, replacementsOf } from './uri-prefix.ts'
import type { UriTemplate } from './uri-template.ts'

/** A resource by its server's own URI. */
export interface Address {
  readonly server: string
  readonly uri: string
}

/** What servers list, by server, in the order in which they get a contested URI. */
export type UriLists = ReadonlyMap<string, Readonly<Partial<Record<UriKind, readonly JsonObject[]>>>>

/** One prefix that stands for another: both ways by cutting one off and putting the other before. */
interface Rule {
  readonly server: string
  /** As the server writes it: `note:`, `ui://` or nothing. */
  readonly from: string
  /** As the client sees it. No URI of any server begins like this unless it was moved itself. */
  readonly to: string
}

/** What moved of one server. */
interface Moves {
  readonly uris: Set<string>
  /** What the client knew before a template moved that matches it. */
  readonly staying: Set<string>
  readonly templates: Map<string, UriTemplate>
}

/** What the client knew before. */
interface Past {
  readonly map: UriMap | undefined
  readonly moves: ReadonlyMap<string, Moves>
}

/** Everything one server lists, of all kinds. */
interface Holder {
  readonly server: string
  readonly indexes: readonly UriIndex[]
}

export class UriMap {
  readonly #holders: readonly Holder[]
  readonly #moves = new Map<string, Moves>()
  /** By `to`. */
  readonly #rules: Map<string, Rule>
  /** By server and `from`. */
  readonly #ruleOf: Map<string, Rule>

  /** `past`: the map that the client knows until now. */
  constructor(lists: UriLists, past?: UriMap) {
    this.#holders = holdersOf(lists)
    this.#rules = new Map(past ? past.#rules : [])
    this.#ruleOf = new Map(past ? past.#ruleOf : [])
    if (this.#holders.length < 2 && this.#rules.size === 0) return
    const before: Past = past ? { map: past, moves: past.#moves } : { map: undefined, moves: new Map() }
    this.#moveTemplates(before)
    this.#moveUris(before)
  }

  /** True when this server's URIs have to be looked at. */
  moved(server: string): boolean {
    return this.#moves.has(server)
  }

  /** The client's URI for a server's. */
  outward(server: string, uri: string): string {
    const moves = this.#moves.get(server)
    if (!moves) return uri
    if (moves.uris.has(uri)) return this.#apply(server, uri, uri)
    if (moves.staying.has(uri)) return uri
    for (const [text, template] of moves.templates) {
      if (template.matches(uri)) return this.#apply(server, text, uri)
    }
    return uri
  }

  /** The client's template for a server's. */
  outwardTemplate(server: string, template: string): string {
    return this.#moves.get(server)?.templates.has(template)
      ? this.#apply(server, template, template)
      : template
  }

  /** The server's URI or template for one of the client's that moved; undefined for all others. */
  inward(uri: string): Address | undefined {
    const rule = this.#rules.get(labelledPrefixOf(uri))
    return rule && { server: rule.server, uri: rule.from + uri.slice(rule.to.length) }
  }

  /** The server that lists this URI, or this template, under that very text. */
  owner(uri: string): string | undefined {
    return this.#holders.find(
      (holder) =>
        (lists(holder, uri) && this.outward(holder.server, uri) === uri) ||
        (listsTemplate(holder, uri) && this.outwardTemplate(holder.server, uri) === uri),
    )?.server
  }

  /** True when this server listed the URI, and the client knew it by that. */
  knew(server: string, uri: string): boolean {
    const holder = this.#holders.find((one) => one.server === server)
    return holder !== undefined && lists(holder, uri) && this.outward(server, uri) === uri
  }

  /** The servers with a template that this URI may be made of, the most exact first. */
  byTemplate(uri: string): string[] {
    const found = this.#holders.flatMap(({ server, indexes }) => {
      const moved = this.#moves.get(server)?.templates
      let literals = -1
      for (const [text, template] of templatesOf(indexes)) {
        if (template.literals > literals && !moved?.has(text) && template.matches(uri))
          literals = template.literals
      }
      return literals < 0 ? [] : [{ server, literals }]
    })
    return found.sort((a, b) => b.literals - a.literals).map(({ server }) => server)
  }

  #moveTemplates(past: Past): void {
    // What moved before comes first: of two templates that match a URI, the same one is to move it again.
    for (const { server, indexes } of this.#holders) {
      for (const [text, template] of past.moves.get(server)?.templates ?? []) {
        if (indexes.some(({ templates }) => templates.has(text)))
          this.#movesOf(server).templates.set(text, template)
      }
    }
    const owners = past.map ? past.map.#ownersOfPatterns() : new Map<string, string>()
    const rivals = new Map<string, Set<string>>()
    const each = (visit: (server: string, text: string, template: UriTemplate) => void): void => {
      for (const { server, indexes } of this.#holders) {
        for (const [text, template] of templatesOf(indexes)) visit(server, text, template)
      }
    }
    const free = (server: string, text: string): boolean =>
      !this.#rules.has(labelledPrefixOf(text)) && past.moves.get(server)?.templates.has(text) !== true
    each((server, text, { pattern }) => {
      if (free(server, text)) rivals.set(pattern, (rivals.get(pattern) ?? new Set()).add(server))
    })
    each((server, text, template) => {
      const all = rivals.get(template.pattern) ?? new Set()
      const before = owners.get(template.pattern)
      const [first] = before !== undefined && all.has(before) ? [before] : all
      if (free(server, text) && first === server) return
      this.#movesOf(server).templates.set(text, template)
      this.#ruleFor(server, text)
    })
  }

  #ownersOfPatterns(): Map<string, string> {
    const owners = new Map<string, string>()
    for (const { server, indexes } of this.#holders) {
      for (const [text, { pattern }] of templatesOf(indexes)) {
        if (!this.#moves.get(server)?.templates.has(text) && !owners.has(pattern)) owners.set(pattern, server)
      }
    }
    return owners
  }

  #moveUris(past: Past): void {
    const free = (server: string, uri: string): boolean =>
      !this.#rules.has(labelledPrefixOf(uri)) && past.moves.get(server)?.uris.has(uri) !== true
    for (const { server, indexes } of this.#holders) {
      for (const uri of urisOf(indexes)) {
        if (free(server, uri)) {
          const matched = this.#byMovedTemplate(server, uri)
          if (matched && past.map?.knew(server, uri) !== true) continue
          if (this.#isFirst(server, uri, free, past)) {
            if (matched) this.#movesOf(server).staying.add(uri)
            continue
          }
        }
        this.#movesOf(server).uris.add(uri)
        this.#ruleFor(server, uri)
      }
    }
  }

  /** True for who had the URI before, else for the first that lists it. */
  #isFirst(server: string, uri: string, free: (server: string, uri: string) => boolean, past: Past): boolean {
    const others = this.#holders.filter((holder) => holder.server !== server && lists(holder, uri))
    if (others.length === 0) return true
    const before = past.map?.owner(uri)
    const rivals = this.#holders.filter(
      (holder) =>
        lists(holder, uri) &&
        free(holder.server, uri) &&
        (holder.server === before || !this.#byMovedTemplate(holder.server, uri)),
    )
    const first = rivals.find((rival) => rival.server === before) ?? rivals[0]
    return first === undefined || first.server === server
  }

  #byMovedTemplate(server: string, uri: string): boolean {
    const templates = this.#moves.get(server)?.templates.values() ?? []
    for (const template of templates) if (template.matches(uri)) return true
    return false
  }

  #movesOf(server: string): Moves {
    const known = this.#moves.get(server)
    if (known) return known
    const moves: Moves = { uris: new Set(), staying: new Set(), templates: new Map() }
    this.#moves.set(server, moves)
    return moves
  }

  /** Puts the prefix that `like` gets before a URI that begins like it. */
  #apply(server: string, like: string, uri: string): string {
    const { from, to } = this.#ruleFor(server, like)
    return to + uri.slice(from.length)
  }

  #ruleFor(server: string, uri: string): Rule {
    const from = prefixOf(uri)
    const key = `${from}\n${server}`
    const known = this.#ruleOf.get(key)
    if (known) return known
    for (const to of replacementsOf(from, server)) {
      if (this.#rules.has(to) || this.#begins(to)) continue
      const rule = { server, from, to }
      this.#rules.set(to, rule)
      this.#ruleOf.set(key, rule)
      return rule
    }
    throw new Error('there is always one more')
  }

  /** True when something that a server lists begins like this. */
  #begins(text: string): boolean {
    return this.#holders.some(({ indexes }) =>
      indexes.some(({ uris, templates }) => some(uris, text) || some(templates.keys(), text)),
    )
  }
}

function some(texts: Iterable<string>, start: string): boolean {
  for (const text of texts) if (text.startsWith(start)) return true
  return false
}

/** Servers without resources have no part in any of it. */
function holdersOf(lists: UriLists): Holder[] {
  return [...lists].flatMap(([server, { tools, resources, resourceTemplates }]) => {
    const indexes = [
      indexOf('resources', resources),
      indexOf('resourceTemplates', resourceTemplates),
      indexOf('tools', tools),
    ].filter(({ uris, templates }) => uris.size + templates.size > 0)
    return indexes.length === 0 ? [] : [{ server, indexes }]
  })
}

function lists({ indexes }: Holder, uri: string): boolean {
  return indexes.some(({ uris }) => uris.has(uri))
}

function listsTemplate({ indexes }: Holder, text: string): boolean {
  return indexes.some(({ templates }) => templates.has(text))
}

function* urisOf(indexes: readonly UriIndex[]): Iterable<string> {
  for (const { uris } of indexes) yield* uris
}

function* templatesOf(indexes: readonly UriIndex[]): Iterable<[string, UriTemplate]> {
  for (const { templates } of indexes) yield* templates
}
