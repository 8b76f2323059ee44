/** Finds tools by words, by meaning, or by both: what the engines have in common. */
import type { JsonObject } from '../protocol/json.ts'
import type { Signal } from '../protocol/message.ts'
import type { Catalogue } from './catalogue/catalogue.ts'
import { type KnownTool, keyOf } from './catalogue/known-tool.ts'
import type { SearchedTool } from './fields.ts'
import { indexReading, WEIGHTS } from './lexical.ts'
import type { Meaning } from './meaning.ts'
import { type Reading, readTools } from './postings.ts'
import type { Found, ToolSearch } from './search.ts'
import type { Usage } from './usage.ts'
import type { Near } from './vectors/vector-index.ts'
import type { WordVectors } from './word-vectors.ts'

/** A tool that can be found, with the name its server gave it. */
export interface FindableTool extends SearchedTool {
  readonly original: string
}

export interface Finder {
  /** The search over these tools; its indexes are places in this list. Made at once: what takes time is done when it is asked. */
  over(tools: readonly FindableTool[]): Search
  /**
   * No client sees the tools of this search any more. A tool that no other list of its server has is forgotten at once where the lists
   * have `changed`. After a client left, it is forgotten at the next change, so that its return embeds nothing again.
   */
  release(search: Search, changed: boolean): void
  /** Knowledge from use; absent: there is none. */
  readonly usage?: Usage
  /** Forgets all servers but these. */
  retain(servers: readonly string[]): void
  /** Waits for what is being saved. */
  close(): Promise<void>
}

export type Search = (question: string, limit: number, signal?: Signal) => Promise<Found[]>

interface FinderParts {
  /** Remembers tools for the next run. */
  catalogue: Catalogue
  /** Absent: the words alone decide. */
  meaning?: Meaning
  engine?: 'hybrid' | 'meaning'
  usage?: Usage
  /** Static vectors, beside the words and a model; absent or undefined from it: without them. */
  vectors?: () => WordVectors | undefined
}

export function createFinder({ catalogue, meaning, engine = 'hybrid', vectors, usage }: FinderParts): Finder {
  // The vectors of earlier runs are searched before a server has answered.
  if (meaning && catalogue.tools().length > 0) void meaning.refresh(catalogue.tools())

  /** Of the list that came last: the next one has most of its tools. */
  let latest: Reading | undefined
  /** The lists that clients see now, the newest last. They may differ: a server can offer each client other tools. */
  const seen = new Map<Search, readonly FindableTool[]>()
  /** Servers with changed lists. */
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
    ...(usage && { usage }),
    over(tools) {
      latest = readTools(tools, WEIGHTS, latest)
      const lexical = indexInTime(latest, vectors)
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
      await Promise.all([catalogue.close(), meaning?.close(), usage?.close()])
    },
  }
}

/** Tools read at a time, and words stemmed: a few milliseconds, between which others are served. */
const BATCH = 100

/** An index that is there when the first question comes: what it takes is done meanwhile, piece by piece. */
function indexInTime(reading: Reading, vectors: FinderParts['vectors']): ToolSearch {
  let index: ToolSearch | undefined
  const made = (): ToolSearch => {
    index ??= indexReading(reading, { vectors: vectors?.() })
    return index
  }
  const prepare = (most: number): boolean =>
    reading.read(most).tools < reading.tools.length || reading.stems.prepare(most) || made().prepare(most)
  const proceed = (): void => {
    if (prepare(BATCH)) setImmediate(proceed).unref()
  }
  setImmediate(proceed).unref()
  return { prepare, search: (...question) => made().search(...question) }
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

// Words and a model as one search: static vectors count beside the model.

/** The number of tools that the model is asked for: further ones are as good as far away. */
const DEPTH = 200

interface HybridParts {
  /** The tools that both searches cover, in the order of the lexical index. */
  tools: readonly Pick<KnownTool, 'vectorId'>[]
  lexical: ToolSearch
  /** `Meaning.near`; undefined from it: the words alone decide. */
  near: (question: string, limit: number, signal?: Signal) => Promise<readonly Near[] | undefined>
  /** `meaning`: the words decide only where the meaning cannot. */
  engine: 'hybrid' | 'meaning'
}

/** Like `ToolSearch`, for searches that ask somebody else. */
type SearchByMeaning = (question: string, limit: number, signal?: Signal) => Promise<Found[]>

export function createHybrid({ tools, lexical, near, engine }: HybridParts): SearchByMeaning {
  const places = new Map(
    tools.flatMap(({ vectorId }, index) => (vectorId === undefined ? [] : [[vectorId, index]])),
  )

  return async (question, limit, signal) => {
    const nearest = await near(question, Math.max(DEPTH, limit), signal)
    if (nearest === undefined) return lexical.search(question, limit)
    // A tool that was removed meanwhile has no place.
    const byMeaning = nearest.flatMap(({ id, similarity }) => {
      const index = places.get(id)
      return index === undefined ? [] : [{ index, score: similarity }]
    })
    if (engine === 'meaning') return byMeaning.slice(0, limit)
    const cosines = new Float32Array(tools.length)
    for (const { index, score } of byMeaning) cosines[index] = score
    return lexical.search(question, limit, cosines)
  }
}
