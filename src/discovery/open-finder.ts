/** A finder from settings: its catalogue, its vectors and what makes them. */

import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../observe/log.ts'
import { openCatalogue } from './catalogue/catalogue.ts'
import type { Embedder } from './embed/embedder.ts'
import { createFinder, type Finder } from './finder.ts'
import { createMeaning } from './meaning.ts'
import { removeUnused, touch } from './own-files.ts'
import type { VectorIndex } from './vectors/vector-index.ts'

export interface FinderOptions {
  engine: 'bm25' | 'hf' | 'openai' | 'hybrid'
  /** Of the engines hf and openai, and of the one that hybrid uses. */
  model: string | undefined
  /** `postgres://…` of a database with pgvector; undefined: vectors are kept in a file and compared in memory. */
  vectorStore: string | undefined
  /** Undefined: nothing outlives this run. */
  dataDir: string | undefined
  /** Names the configuration: what one has learned is not forgotten by another that has other servers. */
  part: string
  reset: boolean
  /** The configured servers; tools of others are forgotten. */
  servers: readonly string[]
  /** OPENAI_API_KEY and OPENAI_BASE_URL. */
  environment: Readonly<Record<string, string | undefined>>
  logger: Logger
}

/** Rejects with a `ProxyError` that says what to install or to set, for an engine that cannot work here. */
export async function openFinder(options: FinderOptions): Promise<Finder> {
  const { engine, reset, servers, logger } = options
  const embedder = await embedderOf(options)
  const directory = await directoryOf(options)
  const catalogue = await openCatalogue({ directory, servers, model: embedder?.model, reset, logger })
  if (!embedder) return createFinder({ catalogue })
  const vectors = await vectorsOf(options, directory, spaceOf(embedder.model, servers))
  const meaning = createMeaning({ embedder, vectors, logger })
  return createFinder({ catalogue, meaning, engine: engine === 'hybrid' ? 'hybrid' : 'meaning' })
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

/** `hybrid` takes the embedder that there is a key for, else the one of this machine. */
async function embedderOf({ engine, model, environment }: FinderOptions): Promise<Embedder | undefined> {
  if (engine === 'bm25') return undefined
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl } = environment
  if (engine === 'openai' || (engine === 'hybrid' && apiKey?.trim())) {
    const { createOpenAiEmbedder } = await import('./embed/openai.ts')
    return createOpenAiEmbedder({ apiKey, baseUrl, model })
  }
  const { createHfEmbedder } = await import('./embed/hf.ts')
  return createHfEmbedder({ model })
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
