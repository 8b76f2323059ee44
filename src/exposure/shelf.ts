/** The tools a client could call, as something to search: what is not the proxy's own of its list. */

import type { FindableTool, Finder, Search } from '../discovery/finder.ts'
import type { Client, Exchange, Handler } from '../protocol/exchange.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import { originOf } from '../protocol/origin.ts'
import { plain } from '../protocol/result.ts'

export interface Shelf {
  readonly tools: readonly FindableTool[]
  readonly search: Search
  find(name: string): FindableTool | undefined
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
}

/** Kept per client, and shared by clients that see the same: an index is made when a list changes, not when somebody asks. */
export function createShelves(next: Handler, ownTools: ReadonlySet<string>, finder: Finder): Shelves {
  const byClient = new WeakMap<Client, Shelf>()
  let latest: Shelf | undefined

  function shelfOf(items: readonly JsonObject[], client: Client): Shelf {
    const tools = items.map(shelved)
    const known = [byClient.get(client), latest].find((shelf) => shelf && sameTools(shelf.tools, tools))
    const shelf = known ?? createShelf(tools, finder)
    byClient.set(client, shelf)
    latest = shelf
    return shelf
  }

  return {
    async of(exchange) {
      const { _meta } = exchange.params
      const params = _meta === undefined ? {} : { _meta }
      const result = plain(await next({ ...exchange, method: 'tools/list', params }))
      const items = Array.isArray(result.tools) ? result.tools.filter(isObject) : []
      const isOwn = ({ name }: JsonObject): boolean => typeof name === 'string' && ownTools.has(name)
      return {
        shelf: shelfOf(
          items.filter((item) => typeof item.name === 'string' && !isOwn(item)),
          exchange.client,
        ),
        own: items.filter(isOwn),
        result,
      }
    },
  }
}

function createShelf(tools: readonly FindableTool[], finder: Finder): Shelf {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  return { tools, search: finder.over(tools), find: (name) => byName.get(name) }
}

function shelved(definition: JsonObject): FindableTool {
  const name = String(definition.name)
  const origin = originOf(definition)
  return { name, original: origin?.name ?? name, server: origin?.server ?? '', definition }
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
