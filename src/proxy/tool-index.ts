/** The tools a client could call, as something to search: what is not the proxy's own of its list. */
import type { FindableTool, Finder, Search } from '../discovery/finder.ts'
import type { Client, Exchange, Listed, Lists } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/json.ts'
import { onceForEach } from '../protocol/lists.ts'
import { originOf } from '../protocol/origin.ts'
import { type Meaning, spellingsOf } from '../protocol/spellings.ts'
import { RESERVED_NAMES } from './own-tools.ts'

export interface ToolIndex {
  readonly tools: readonly FindableTool[]
  readonly search: Search
  find(name: string): FindableTool | undefined
  /** The tools that a name may mean as models write it: one, several, or none. */
  readonly meant: Meaning<FindableTool>
}

/** An index and the list it was made from, with what else stood in that. */
export interface Listing {
  readonly index: ToolIndex
  /** The proxy's own tools that the router listed. */
  readonly own: readonly JsonObject[]
  /** The list as it came. */
  readonly result: JsonObject
}

export interface ToolIndexes {
  /** Over what is listed now, as it is remembered while that is the same. */
  of(exchange: Exchange): Promise<Listing>
  /** Over a list that the servers give now, for a client that asks for the list itself. */
  anew(exchange: Exchange): Promise<Listing>
  /**
   * The list as it would come without the servers' tools, which waits for no server. The index is made soon afterwards, so that the first
   * question need not wait for it.
   */
  own(exchange: Exchange): Promise<Omit<Listing, 'index'>>
}

/** The knowledge and the events beside the exchanges. */
export interface ToolIndexEvents {
  /** All servers of a client, also the servers that list nothing now. */
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
 * Kept per client, and shared by clients that see the same. When tools change, the index of the client that asked last is made again in
 * the background. So its next question waits neither for an index nor for vectors.
 */
export function createToolIndexes(
  inside: Lists,
  ownTools: ReadonlySet<string>,
  finder: Finder,
  events?: ToolIndexEvents,
): ToolIndexes {
  const withheld = new Set([...ownTools, ...Object.values(RESERVED_NAMES).flat()])
  /** The client that asked last is last. */
  const byClient = new Map<Client, ToolIndex>()
  const gone = new WeakSet<Client>()
  let latest: ToolIndex | undefined
  let looking = false
  const partsOf = onceForEach(({ items, result }) => ({
    tools: items.filter((item) => typeof item.name === 'string' && !isOwn(item)).map(findable),
    own: items.filter(isOwn),
    result,
  }))

  function indexOver(tools: readonly FindableTool[], client: Client): ToolIndex {
    const before = byClient.get(client)
    const known = [before, latest].find((index) => index && sameTools(index.tools, tools))
    const index = known ?? createToolIndex(tools, finder, meaning(tools, client))
    const old = new Set([before, latest])
    byClient.delete(client)
    // A question may outlive who asked it.
    if (!gone.has(client)) byClient.set(client, index)
    latest = index
    for (const one of old) releaseUnused(one, true)
    return index
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

  function releaseUnused(index: ToolIndex | undefined, changed: boolean): void {
    if (index === undefined || index === latest) return
    if (![...byClient.values()].includes(index)) finder.release(index.search, changed)
  }

  const isOwn = ({ name }: JsonObject): boolean => typeof name === 'string' && ownTools.has(name)

  function over(listed: Listed, { client }: Exchange): Listing {
    const { tools, own, result } = partsOf(listed)
    return { index: indexOver(tools, client), own, result }
  }

  async function of(exchange: Exchange): Promise<Listing> {
    return over(await inside.current('tools', exchange), exchange)
  }

  async function anew(exchange: Exchange): Promise<Listing> {
    return over(await inside.fresh('tools', exchange), exchange)
  }

  async function own(exchange: Exchange): Promise<Omit<Listing, 'index'>> {
    const { client } = exchange
    // Layers remember what each client was listed: this is not what the client may call.
    const asked: Exchange = { ...exchange, client: Object.create(client), listing: 'own' }
    const listed = await inside.fresh('tools', asked)
    if (!byClient.has(client)) setTimeout(() => void lookFor(client), SOON_MS).unref()
    const { own, result } = partsOf(listed)
    return { own, result }
  }

  async function look(): Promise<void> {
    looking = false
    const client = [...byClient.keys()].at(-1)
    if (client !== undefined) await lookFor(client)
  }

  async function lookFor(client: Client): Promise<void> {
    if (gone.has(client)) return
    const signal = AbortSignal.timeout(PATIENCE_MS)
    // The next request reports the failure.
    const asked = { method: 'tools/list', params: {}, client, agent: client.agent, signal, notify() {} }
    await of(asked).catch(() => {})
  }

  events?.toolsChanged(() => {
    if (looking) return
    looking = true
    setTimeout(() => void look(), SOON_MS).unref()
  })
  events?.left((client) => {
    const index = byClient.get(client)
    gone.add(client)
    byClient.delete(client)
    releaseUnused(index, false)
  })
  return { of, anew, own }
}

function createToolIndex(
  tools: readonly FindableTool[],
  finder: Finder,
  meant: Meaning<FindableTool>,
): ToolIndex {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  return { tools, search: finder.over(tools), find: (name) => byName.get(name), meant }
}

function findable(definition: JsonObject): FindableTool {
  const name = String(definition.name)
  const origin = originOf(definition)
  // A module gave it another name: then no tool has its server's own name any more.
  const isRenamed = origin?.listed !== undefined && origin.listed !== name
  const original = origin && !isRenamed ? origin.name : name
  return { name, original, server: origin?.server ?? '', definition }
}

/** Members that say what a tool is and does. */
const told = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const

/** Layers copy definitions; what they do not change in them stays the same object. */
function sameTools(before: readonly FindableTool[], now: readonly FindableTool[]): boolean {
  if (before === now) return true
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
