/** The tools a client could call, as something to search: what is not the proxy's own of its list. */
import type { FindableTool, Finder, Search } from '../discovery/finder.ts'
import { plain } from '../protocol/content.ts'
import type { Client, Exchange, Handler } from '../protocol/exchange.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import { originOf } from '../protocol/origin.ts'
import { type Meaning, spellingsOf } from '../protocol/spellings.ts'
import { RESERVED_NAMES } from './own-tools.ts'

export interface Shelf {
  readonly tools: readonly FindableTool[]
  readonly search: Search
  find(name: string): FindableTool | undefined
  /** The tools that a name may mean as models write it: one, several, or none. */
  readonly meant: Meaning<FindableTool>
}

/** A shelf and the list it was made from, with what else stood in that. */
export interface Listing {
  readonly shelf: Shelf
  /** The proxy's own tools that the router listed. */
  readonly own: readonly JsonObject[]
  /** The list as it came. */
  readonly result: JsonObject
}

export interface Shelves {
  of(exchange: Exchange): Promise<Listing>
  /**
   * The list as it would come without the servers' tools, which waits for no server. The shelf is made soon afterwards, so that the first
   * question need not wait for it.
   */
  own(exchange: Exchange): Promise<Omit<Listing, 'shelf'>>
}

/** What is known, and what happens, beside the exchanges. */
export interface ShelfEvents {
  /** All servers of a client, also those that list nothing now. */
  servers?(client: Client): readonly string[]
  /** Calls back when a client is gone. */
  left(heard: (client: Client) => void): void
  /** Calls back when the tools of a server changed, as often as that is. */
  toolsChanged(heard: () => void): void
}

/** Milliseconds in which changes are gathered before anybody looks at the new list. */
const SOON_MS = 200
/** Milliseconds that servers have for it. */
const PATIENCE_MS = 60_000

/**
 * Kept per client, and shared by clients that see the same. When tools change, the shelf of the client that asked last is made anew behind
 * its back, so that its next question waits neither for an index nor for vectors.
 */
export function createShelves(
  next: Handler,
  ownTools: ReadonlySet<string>,
  finder: Finder,
  events?: ShelfEvents,
): Shelves {
  const withheld = new Set([...ownTools, ...Object.values(RESERVED_NAMES).flat()])
  /** The client that asked last is last. */
  const byClient = new Map<Client, Shelf>()
  const gone = new WeakSet<Client>()
  let latest: Shelf | undefined
  let looking = false

  function shelfOf(items: readonly JsonObject[], client: Client): Shelf {
    const tools = items.map(shelved)
    const before = byClient.get(client)
    const known = [before, latest].find((shelf) => shelf && sameTools(shelf.tools, tools))
    const shelf = known ?? createShelf(tools, finder, meaning(tools, client))
    const old = new Set([before, latest])
    byClient.delete(client)
    // A question may outlive who asked it.
    if (!gone.has(client)) byClient.set(client, shelf)
    latest = shelf
    for (const one of old) releaseUnused(one, true)
    return shelf
  }

  /** Worked out when the first name is not a listed one. */
  function meaning(tools: readonly FindableTool[], client: Client): Meaning<FindableTool> {
    let made: Meaning<FindableTool> | undefined
    return (name) => {
      made ??= spellingsOf(tools, {
        servers: events?.servers?.(client) ?? [],
        isTaken: (own) => withheld.has(own),
      })
      return made(name)
    }
  }

  function releaseUnused(shelf: Shelf | undefined, changed: boolean): void {
    if (shelf === undefined || shelf === latest) return
    if (![...byClient.values()].includes(shelf)) finder.release(shelf.search, changed)
  }

  const isOwn = ({ name }: JsonObject): boolean => typeof name === 'string' && ownTools.has(name)

  async function listed(exchange: Exchange): Promise<{ result: JsonObject; items: JsonObject[] }> {
    const { _meta } = exchange.params
    const params = _meta === undefined ? {} : { _meta }
    const result = plain(await next({ ...exchange, method: 'tools/list', params }))
    return { result, items: Array.isArray(result.tools) ? result.tools.filter(isObject) : [] }
  }

  async function of(exchange: Exchange): Promise<Listing> {
    const { result, items } = await listed(exchange)
    return {
      shelf: shelfOf(
        items.filter((item) => typeof item.name === 'string' && !isOwn(item)),
        exchange.client,
      ),
      own: items.filter(isOwn),
      result,
    }
  }

  async function own(exchange: Exchange): Promise<Omit<Listing, 'shelf'>> {
    const { client } = exchange
    // Layers remember what each client was listed: this is not what the client may call.
    const { result, items } = await listed({ ...exchange, client: Object.create(client), listing: 'own' })
    if (!byClient.has(client)) setTimeout(() => void lookFor(client), SOON_MS).unref()
    return { own: items.filter(isOwn), result }
  }

  async function look(): Promise<void> {
    looking = false
    const client = [...byClient.keys()].at(-1)
    if (client !== undefined) await lookFor(client)
  }

  async function lookFor(client: Client): Promise<void> {
    if (gone.has(client)) return
    const signal = AbortSignal.timeout(PATIENCE_MS)
    // Who asks next hears of what is wrong.
    await of({ method: 'tools/list', params: {}, client, agent: client.agent, signal, notify() {} }).catch(
      () => {},
    )
  }

  events?.toolsChanged(() => {
    if (looking) return
    looking = true
    setTimeout(() => void look(), SOON_MS).unref()
  })
  events?.left((client) => {
    const shelf = byClient.get(client)
    gone.add(client)
    byClient.delete(client)
    releaseUnused(shelf, false)
  })
  return { of, own }
}

function createShelf(tools: readonly FindableTool[], finder: Finder, meant: Meaning<FindableTool>): Shelf {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  return { tools, search: finder.over(tools), find: (name) => byName.get(name), meant }
}

function shelved(definition: JsonObject): FindableTool {
  const name = String(definition.name)
  const origin = originOf(definition)
  // A module gave it another name: then its server's own is nobody's any more.
  const isRenamed = origin?.listed !== undefined && origin.listed !== name
  const original = origin && !isRenamed ? origin.name : name
  return { name, original, server: origin?.server ?? '', definition }
}

/** Members that say what a tool is and does. */
const told = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const

/** Layers copy definitions; what they do not change in them stays the same object. */
function sameTools(before: readonly FindableTool[], now: readonly FindableTool[]): boolean {
  return (
    before.length === now.length &&
    before.every((tool, index) => {
      const other = now[index]
      return (
        other !== undefined &&
        tool.name === other.name &&
        told.every((member) => tool.definition[member] === other.definition[member])
      )
    })
  )
}
