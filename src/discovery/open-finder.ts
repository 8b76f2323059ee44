/** A finder from settings: its catalogue, its vectors and what makes them. */

import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../observe/log.ts'
import { messageOf, ProxyError } from '../protocol/errors.ts'
import { openCatalogue } from './catalogue/catalogue.ts'
import type { Embedder } from './embed/embedder.ts'
import { createFinder, type Finder } from './finder.ts'
import { createMeaning } from './meaning.ts'
import { removeUnused, touch } from './own-files.ts'
import { openUsage } from './usage.ts'
import type { VectorIndex } from './vectors/vector-index.ts'
import { type WordVectors, wordVectors } from './word-vectors.ts'

export interface FinderOptions {
  engine: 'static' | 'words' | 'hf' | 'openai' | 'hybrid'
  /** Of questions and tools, as ISO 639 names them. Of others than English there is a second table. */
  languages?: readonly string[]
  /** Of the engines hf and openai, and of the one that hybrid uses. */
  model: string | undefined
  /** Where the path of a model starts from: the folder of the configuration; undefined: where the proxy was started. */
  directory?: string | undefined
  /** `postgres://…` of a database with pgvector; undefined: vectors are kept in a file and compared in memory. */
  vectorStore: string | undefined
  /** Undefined: nothing outlives this run. */
  dataDir: string | undefined
  /** Names the configuration: what one has learned is not forgotten by another that has other servers. */
  part: string
  reset: boolean
  /** Whether the order of what is found learns from what is called. */
  learn?: boolean
  /** The configured servers; tools of others are forgotten. */
  servers: readonly string[]
  /** OPENAI_API_KEY and OPENAI_BASE_URL. */
  environment: Readonly<Record<string, string | undefined>>
  logger: Logger
}

/** Rejects with a `ProxyError` that says what to install or to set, for an engine that cannot work here. */
export async function openFinder(options: FinderOptions): Promise<Finder> {
  const { engine, reset, servers, logger } = options
  const embedder = await embedderOrWords(options)
  const directory = await directoryOf(options)
  const catalogue = await openCatalogue({ directory, servers, model: embedder?.model, reset, logger })
  const path = directory && join(directory, 'usage.json')
  const learning = options.learn ? { usage: await openUsage({ path, reset, logger }) } : {}
  const words = { vectors: () => tableOf(options) }
  if (!embedder) return createFinder({ catalogue, ...learning, ...words })
  const vectors = await vectorsOf(options, directory, spaceOf(embedder.model, servers))
  const meaning = createMeaning({ embedder, vectors, logger })
  return createFinder({
    catalogue,
    meaning,
    engine: engine === 'hybrid' ? 'hybrid' : 'meaning',
    ...learning,
    ...words,
  })
}

/** Undefined for the engine of words alone, and where the file of the package cannot be read: the words find tools without it. */
export function tableOf({
  engine,
  languages = [],
  logger,
}: Pick<FinderOptions, 'engine' | 'languages' | 'logger'>): WordVectors | undefined {
  if (engine === 'words') return undefined
  try {
    return wordVectors(languages.some((language) => language !== 'en') ? 'several' : 'english')
  } catch (error) {
    logger.warn({ error: messageOf(error) }, 'tools are found by their words alone')
    return undefined
  }
}

/** A folder for each configuration, and none that no configuration had a use for in months. */
async function directoryOf({ dataDir, part }: FinderOptions): Promise<string | undefined> {
  if (dataDir === undefined) return undefined
  const all = join(dataDir, 'tools')
  const directory = join(all, createHash('sha256').update(part).digest('hex').slice(0, 16))
  await mkdir(directory, { recursive: true, mode: 0o700 }).catch(() => {})
  await touch(directory)
  await removeUnused(all)
  return directory
}

/** Undefined, too, where the model cannot be loaded: words find tools without it, and the next start tries again. */
async function embedderOrWords(options: FinderOptions): Promise<Embedder | undefined> {
  try {
    return await embedderOf(options)
  } catch (error) {
    if (!(error instanceof ProxyError) || error.code !== 'EMBEDDING_FAILED') throw error
    options.logger.warn({ error: error.message, next: error.next }, 'tools are found by their words alone')
    return undefined
  }
}

/** `hybrid` takes the embedder with a key, otherwise the one of this machine. */
async function embedderOf({
  engine,
  model,
  directory,
  environment,
}: FinderOptions): Promise<Embedder | undefined> {
  if (engine === 'static' || engine === 'words') return undefined
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl } = environment
  if (engine === 'openai' || (engine === 'hybrid' && apiKey?.trim())) {
    const { createOpenAiEmbedder } = await import('./embed/openai.ts')
    return createOpenAiEmbedder({ apiKey, baseUrl, model })
  }
  const { createHfEmbedder } = await import('./embed/hf.ts')
  return createHfEmbedder({ model, directory })
}

async function vectorsOf(
  { vectorStore, part, reset, logger }: FinderOptions,
  directory: string | undefined,
  model: string,
): Promise<VectorIndex> {
  if (vectorStore === undefined) {
    const { openExactIndex } = await import('./vectors/exact.ts')
    return openExactIndex({ directory, reset, logger })
  }
  const { connectPg, openPgVector } = await import('./vectors/pgvector.ts')
  const vectors = await openPgVector({
    client: await connectPg(vectorStore),
    space: JSON.stringify([part, model]),
  })
  if (reset) await vectors.keep(new Set())
  return vectors
}

/** Proxies of the same servers and model share their vectors; what one of other servers does not know it would remove. */
function spaceOf(model: string, servers: readonly string[]): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([...servers].sort()))
    .digest('hex')
  return `${model} ${digest.slice(0, 16)}`
}
