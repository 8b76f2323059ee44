/** Finds tools by what they mean: the vectors of their texts, kept up to date, and compared with that of a question. */
import type { Logger } from '../observe/log.ts'
import { messageOf } from '../protocol/errors.ts'
import { isObject, type JsonValue, own } from '../protocol/json.ts'
import type { Signal } from '../protocol/message.ts'
import { abortSignalOf } from '../protocol/peer.ts'
import type { KnownTool } from './catalogue/known-tool.ts'
import type { Embedder } from './embed/embedder.ts'
import { DimensionError, type IdentifiedVector, type Near, type VectorIndex } from './vectors/vector-index.ts'

export interface MeaningOptions {
  embedder: Embedder
  vectors: VectorIndex
  logger: Logger
  /** Cosine below which a tool does not fit: something is always nearest. */
  leastSimilarity?: number
  /** Milliseconds for the vector of a question. */
  patience?: number
  now?: () => number
}

export interface Meaning {
  /**
   * Makes the vectors that are missing and removes those of other tools; gives how many texts were embedded. One at a time, in
   * order. A failure is logged; what is missing is made with the next refresh, or when a question comes after a while.
   */
  refresh(tools: readonly KnownTool[], signal?: AbortSignal): Promise<number>
  /** The nearest tools by number of their vectors, best first; undefined while the embedder does not work or no vectors are there. */
  near(question: string, limit: number, signal?: Signal): Promise<readonly Near[] | undefined>
  close(): Promise<void>
}

/** Texts between two saves: what a run that is cut short has paid for is kept. */
const BATCH = 128
/** After a failure questions are not sent for this long (ms): each would wait in vain. */
const REST = 30_000

export function createMeaning(options: MeaningOptions): Meaning {
  const { embedder, vectors, logger, leastSimilarity = 0.2, patience = 3_000, now = Date.now } = options
  const ending = new AbortController()
  let failedAt: number | undefined
  let ready = false
  /** The tools that were to be refreshed, and could not be. */
  let unfinished: readonly KnownTool[] | undefined
  let latest: readonly KnownTool[] = []
  let last: Promise<unknown> = Promise.resolve()

  function works(): void {
    if (failedAt !== undefined) logger.info({ model: embedder.model }, 'tools are found by meaning again')
    failedAt = undefined
  }

  function fails(error: unknown): void {
    if (failedAt === undefined)
      logger.warn({ model: embedder.model, error: messageOf(error) }, 'tools are found by their words alone')
    failedAt = now()
  }

  async function fill(tools: readonly KnownTool[], signal: AbortSignal, anew = false): Promise<number> {
    if (anew) await vectors.keep(new Set())
    const wanted = new Map(
      tools.flatMap((tool) => (tool.vectorId === undefined ? [] : [[tool.vectorId, tool]])),
    )
    await vectors.keep(new Set(wanted.keys()))
    const present = await vectors.has([...wanted.keys()])
    const missing = [...wanted.values()].filter(({ vectorId }) => !present.has(vectorId ?? Number.NaN))
    for (let at = 0; at < missing.length; at += BATCH) {
      const some = missing.slice(at, at + BATCH)
      const made = await embedder.embed(some.map(textOf), signal)
      const added = some.map(({ vectorId }, index) => ({ id: vectorId, vector: made[index] }))
      try {
        await vectors.put(added as IdentifiedVector[])
      } catch (error) {
        // The stored vectors are of another model with the same name.
        if (anew || !(error instanceof DimensionError)) throw error
        return fill(tools, signal, true)
      }
    }
    return missing.length
  }

  function refresh(tools: readonly KnownTool[], signal?: AbortSignal, anew = false): Promise<number> {
    latest = tools
    const next = last.then(async () => {
      const stop = signal ? AbortSignal.any([signal, ending.signal]) : ending.signal
      try {
        const embedded = await fill(tools, stop, anew)
        ready = tools.length > 0
        unfinished = undefined
        if (embedded > 0) works()
        return embedded
      } catch (error) {
        unfinished = tools
        if (!stop.aborted) fails(error)
        return 0
      }
    })
    last = next
    return next
  }

  /** The nearest; undefined where all that are there have to be made again. */
  async function nearest(
    vector: Float32Array,
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<readonly Near[] | undefined> {
    try {
      return await vectors.search(vector, limit, signal)
    } catch (error) {
      if (!(error instanceof DimensionError)) throw error
      // Questions that come at the same time make them again once.
      if (ready) void refresh(latest, undefined, true)
      ready = false
      return undefined
    }
  }

  return {
    refresh: (tools, signal) => refresh(tools, signal),

    async near(question, limit, signal) {
      if (failedAt !== undefined && now() - failedAt < REST) return undefined
      if (unfinished) {
        const tools = unfinished
        unfinished = undefined
        void refresh(tools)
      }
      if (!ready) return undefined
      const until = signal && abortSignalOf(signal)
      const limits = [AbortSignal.timeout(patience), ending.signal, ...(until ? [until] : [])]
      try {
        const [vector] = await embedder.embed([question], AbortSignal.any(limits), 'question')
        const found = vector ? await nearest(vector, limit, until) : []
        works()
        return found?.filter(({ similarity }) => similarity >= leastSimilarity)
      } catch (error) {
        signal?.throwIfAborted()
        fails(error)
        return undefined
      }
    },

    async close() {
      ending.abort()
      await last
      await Promise.allSettled([vectors.close(), embedder.close()])
    },
  }
}

/** The text of a tool that is embedded: its name first, the rest in the order of its weight, for long texts are cut. */
export function textOf({
  server,
  name,
  definition,
}: Pick<KnownTool, 'server' | 'name' | 'definition'>): string {
  const schema = own(definition, 'inputSchema')
  const properties = isObject(schema) ? own(schema, 'properties') : undefined
  const parameters = isObject(properties) ? Object.keys(properties).map(spaced).join(', ') : ''
  const called = [...new Set([text(own(definition, 'title')), spaced(name)])].filter((part) => part !== '')
  return [`${called.join(', ')} (${spaced(server)})`, text(own(definition, 'description')), parameters]
    .filter((part) => part !== '')
    .join('\n')
}

/** An identifier as words: models know few words that are written together. */
function spaced(identifier: string): string {
  return identifier
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[_\-./\s]+/g, ' ')
    .trim()
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value.trim() : ''
}
