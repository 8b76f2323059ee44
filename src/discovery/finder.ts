/** Finds tools for whoever asks, by words, by meaning, or by both: what the engines have in common. */
import type { JsonObject } from '../protocol/json.ts'
import type { Catalogue } from './catalogue/catalogue.ts'
import { type KnownTool, keyOf } from './catalogue/known-tool.ts'
import type { SearchedTool } from './fields.ts'
import { indexReading, WEIGHTS } from './lexical.ts'
import type { Meaning } from './meaning.ts'
import { type Reading, readTools } from './postings.ts'
import type { Found, ToolSearch } from './search.ts'
import type { Near } from './vectors/vector-index.ts'

/** A tool that can be found, with the name its server gave it. */
export interface FindableTool extends SearchedTool {
  readonly original: string
}

export interface Finder {
  /** The search over these tools; its indexes are places in this list. Made at once: what takes time is done when it is asked. */
  over(tools: readonly FindableTool[]): Search
  /**
   * Nobody sees the tools of this search any more. What no other list of their servers has is forgotten: now, where the lists have
   * `changed`; where only a client left, when they do, so that nothing is embedded again if it comes back.
   */
  release(search: Search, changed: boolean): void
  /** Forgets all servers but these. */
  retain(servers: readonly string[]): void
  /** Waits for what is being saved. */
  close(): Promise<void>
}

export type Search = (question: string, limit: number, signal?: AbortSignal) => Promise<Found[]>

interface FinderParts {
  /** Remembers tools for the next run. */
  catalogue: Catalogue
  /** Absent: the words alone decide. */
  meaning?: Meaning
  engine?: 'hybrid' | 'meaning'
}

export function createFinder({ catalogue, meaning, engine = 'hybrid' }: FinderParts): Finder {
  // What was embedded by earlier runs is searched before a server has answered.
  if (meaning && catalogue.tools().length > 0) void meaning.refresh(catalogue.tools())

  /** Of the list that came last: the next one has most of its tools. */
  let latest: Reading | undefined
  /** The lists that clients see now, the newest last. They may differ: a server can offer each client other tools. */
  const seen = new Map<Search, readonly FindableTool[]>()
  /** Servers whose lists are others. */
  const touched = new Set<string>()

  /** All changes of one turn at once: a list that takes the place of another comes before that goes. */
  function learnSoon(tools: readonly FindableTool[]): void {
    if (touched.size === 0) queueMicrotask(learn)
    for (const { server } of tools) touched.add(server)
  }

  function learn(): void {
    const now = new Map<string, JsonObject[]>()
    // Of two tools of one name the first counts, which is the newest here.
    for (const tools of [...seen.values()].reverse())
      for (const tool of tools) {
        if (!touched.has(tool.server)) continue
        const listed = now.get(tool.server)
        if (listed) listed.push(asListed(tool))
        else now.set(tool.server, [asListed(tool)])
      }
    for (const [server, listed] of now) catalogue.refresh(server, listed)
    touched.clear()
    if (meaning) void meaning.refresh(catalogue.tools())
  }

  /** By meaning, over what the catalogue has now: numbers of vectors change with the texts. */
  function byMeaning(tools: readonly FindableTool[], lexical: ToolSearch, { near }: Meaning): Search {
    let known: readonly KnownTool[] | undefined
    let search: Search | undefined
    return (question, limit, signal) => {
      if (search === undefined || known !== catalogue.tools()) {
        known = catalogue.tools()
        search = createHybrid({ tools: numbered(tools, known), lexical, near, engine })
      }
      return search(question, limit, signal)
    }
  }

  return {
    over(tools) {
      latest = readTools(tools, WEIGHTS, latest)
      const lexical = indexInTime(latest)
      const search: Search = meaning
        ? byMeaning(tools, lexical, meaning)
        : async (question, limit) => lexical.search(question, limit)
      seen.set(search, tools)
      learnSoon(tools)
      return search
    },
    release(search, changed) {
      const tools = seen.get(search)
      seen.delete(search)
      if (tools && changed) learnSoon(tools)
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

/** Tools read at a time, and words stemmed: a few milliseconds, between which others are served. */
const BATCH = 100

/** An index that is there when the first question comes: what it takes is done meanwhile, piece by piece. */
function indexInTime(reading: Reading): ToolSearch {
  let index: ToolSearch | undefined
  const proceed = (): void => {
    if (reading.read(BATCH).tools < reading.tools.length || reading.stems.prepare(BATCH))
      setImmediate(proceed).unref()
  }
  setImmediate(proceed).unref()
  return {
    search(question, limit) {
      index ??= indexReading(reading)
      return index.search(question, limit)
    },
  }
}

/** With the numbers of their vectors. */
function numbered(
  tools: readonly FindableTool[],
  known: readonly KnownTool[],
): { vectorId: number | undefined }[] {
  const ids = new Map(known.map((tool) => [keyOf(tool), tool.vectorId]))
  return tools.map(({ server, original }) => ({ vectorId: ids.get(keyOf({ server, name: original })) }))
}

function asListed({ definition, original }: FindableTool): JsonObject {
  return definition.name === original ? definition : { ...definition, name: original }
}

// Two searches as one, by the ranks that they give: their scores are of different kinds.

/**
 * Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009), with their constant. It tells how much the first places count
 * more than the following.
 */
const K = 60

/** What a search looks at of each ranking: what both have counts more than a place, so it must be seen in both. */
const DEPTH = 50

/**
 * One ranking out of several, best first, equals in their order. A score is between 0 and 1: 1 is the first place in all rankings.
 * `weights` tell how much each counts; 1 where none is given.
 */
export function fuse(
  rankings: readonly (readonly Pick<Found, 'index'>[])[],
  weights: readonly number[] = [],
): Found[] {
  const scores = new Map<number, number>()
  let most = 0
  for (const [place, ranking] of rankings.entries()) {
    const weight = weights[place] ?? 1
    most += weight / (K + 1)
    for (const [rank, { index }] of ranking.entries())
      scores.set(index, (scores.get(index) ?? 0) + weight / (K + rank + 1))
  }
  return [...scores]
    .filter(([, score]) => score > 0)
    .map(([index, score]) => ({ index, score: score / most }))
    .sort((a, b) => b.score - a.score || a.index - b.index)
}

interface HybridParts {
  /** What both searches are over, in the order of the lexical index. */
  tools: readonly Pick<KnownTool, 'vectorId'>[]
  lexical: ToolSearch
  /** `Meaning.near`; undefined from it: the words alone decide. */
  near: (question: string, limit: number, signal?: AbortSignal) => Promise<readonly Near[] | undefined>
  /** `meaning`: the words decide only where the meaning cannot. */
  engine: 'hybrid' | 'meaning'
}

/** Like `ToolSearch`, for searches that ask somebody else. */
type SearchByMeaning = (question: string, limit: number, signal?: AbortSignal) => Promise<Found[]>

export function createHybrid({ tools, lexical, near, engine }: HybridParts): SearchByMeaning {
  const places = new Map(
    tools.flatMap(({ vectorId }, index) => (vectorId === undefined ? [] : [[vectorId, index]])),
  )

  return async (question, limit, signal) => {
    const depth = Math.max(DEPTH, limit)
    const nearest = await near(question, depth, signal)
    if (nearest === undefined) return lexical.search(question, limit)
    // What was removed meanwhile has no place.
    const byMeaning = nearest.flatMap(({ id, similarity }) => {
      const index = places.get(id)
      return index === undefined ? [] : [{ index, score: similarity }]
    })
    if (engine === 'meaning') return byMeaning.slice(0, limit)
    return fuse([lexical.search(question, depth), byMeaning]).slice(0, limit)
  }
}
