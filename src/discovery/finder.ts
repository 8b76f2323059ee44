/** Finds tools for whoever asks, by words, by meaning, or by both: what the engines have in common. */
import type { JsonObject } from '../protocol/json.ts'
import type { Catalogue } from './catalogue/catalogue.ts'
import { keyOf } from './catalogue/known-tool.ts'
import { fieldsOf, type SearchedTool } from './fields.ts'
import { createHybrid } from './hybrid.ts'
import { indexTools } from './lexical.ts'
import type { Meaning } from './meaning.ts'
import type { Found, ToolSearch } from './search.ts'

/** A tool that can be found, with the name its server gave it. */
export interface FindableTool extends SearchedTool {
  readonly original: string
}

export interface Finder {
  /** The search over these tools; its indexes are places in this list. Made at once: what takes time is done when it is asked. */
  over(tools: readonly FindableTool[]): Search
  /** Forgets all servers but these. */
  retain(servers: readonly string[]): void
  /** Waits for what is being saved. */
  close(): Promise<void>
}

export type Search = (question: string, limit: number, signal?: AbortSignal) => Promise<Found[]>

export interface FinderParts {
  /** Remembers tools for the next run. */
  catalogue: Catalogue
  /** Absent: the words alone decide. */
  meaning?: Meaning
  engine?: 'hybrid' | 'meaning'
}

export function createFinder({ catalogue, meaning, engine = 'hybrid' }: FinderParts): Finder {
  // What was embedded by earlier runs is searched before a server has answered.
  if (meaning && catalogue.tools().length > 0) void meaning.refresh(catalogue.tools())

  /** The numbers of their vectors, in the order of the tools. */
  function learn(tools: readonly FindableTool[]): { vectorId: number | undefined }[] {
    for (const [server, own] of byServer(tools)) catalogue.refresh(server, own.map(asListed))
    const known = new Map(catalogue.tools().map((tool) => [keyOf(tool), tool.vectorId]))
    if (meaning) void meaning.refresh(catalogue.tools())
    return tools.map(({ server, original }) => ({ vectorId: known.get(keyOf({ server, name: original })) }))
  }

  return {
    over(tools) {
      const lexical = indexInTime(tools)
      const numbered = learn(tools)
      if (!meaning) return async (question, limit) => lexical.search(question, limit)
      return createHybrid({
        tools: numbered,
        lexical,
        near: (question, limit, signal) => meaning.near(question, limit, signal),
        engine,
      })
    },
    retain(servers) {
      const { removed } = catalogue.retain(servers)
      if (removed.length > 0) void meaning?.refresh(catalogue.tools())
    },
    async close() {
      await Promise.all([catalogue.close(), meaning?.close()])
    },
  }
}

/** Tools read at a time: a few milliseconds, between which others are served. */
const BATCH = 100

/** An index that is there when the first question comes: the words of the tools are read meanwhile, piece by piece. */
function indexInTime(tools: readonly FindableTool[]): ToolSearch {
  let index: ToolSearch | undefined
  let read = 0
  const proceed = (): void => {
    if (index !== undefined) return
    for (const tool of tools.slice(read, read + BATCH)) fieldsOf(tool)
    read += BATCH
    if (read < tools.length) setImmediate(proceed).unref()
  }
  setImmediate(proceed).unref()
  return {
    search(question, limit) {
      index ??= indexTools(tools)
      return index.search(question, limit)
    },
  }
}

function byServer(tools: readonly FindableTool[]): Map<string, FindableTool[]> {
  const servers = new Map<string, FindableTool[]>()
  for (const tool of tools) {
    const known = servers.get(tool.server)
    if (known) known.push(tool)
    else servers.set(tool.server, [tool])
  }
  return servers
}

function asListed({ definition, original }: FindableTool): JsonObject {
  return definition.name === original ? definition : { ...definition, name: original }
}
