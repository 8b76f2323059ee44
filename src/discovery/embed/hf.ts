/** Embeddings made on this machine by @huggingface/transformers, which everybody who wants them installs beside the proxy. */
import { messageOf, ProxyError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/json.ts'
import { type ImportOptional, importOptional } from '../import-optional.ts'
import { toUnit } from '../vectors/vector-index.ts'
import { checkVectors, type Embedder, embeddable, failed } from './embedder.ts'

export interface HfOptions {
  /** MCPPROXY_HF_MODEL; a name without an owner is one of sentence-transformers. */
  model?: string | undefined
  load?: ImportOptional
}

export const HF_PACKAGE = '@huggingface/transformers'
export const HF_MODEL = 'sentence-transformers/all-MiniLM-L6-v2'
/** Texts in one run of the model: memory grows with it. */
const BATCH = 32

type Extractor = ((texts: string[], options: object) => Promise<unknown>) & {
  dispose?: () => Promise<unknown>
}

/** Loads package and model, which is downloaded when it is used for the first time. Rejects with a `ProxyError` that says what to install. */
export async function createHfEmbedder({ model, load = importOptional }: HfOptions): Promise<Embedder> {
  const name = fullName(model?.trim() || HF_MODEL)
  const extractor = await extractorFor(name, await load(HF_PACKAGE, 'The embedder hf'))
  let length = 0

  return {
    model: name,
    async embed(texts, signal) {
      const vectors: Float32Array[] = []
      for (let at = 0; at < texts.length; at += BATCH) {
        signal?.throwIfAborted()
        const some = texts.slice(at, at + BATCH).map(embeddable)
        const made = await run(extractor, some)
        checkVectors(made, some.length, length)
        length ||= made[0]?.length ?? 0
        vectors.push(...made.map(toUnit))
      }
      signal?.throwIfAborted()
      return vectors
    },
    close: async () => void (await extractor.dispose?.()),
  }
}

/** Both spellings of the default are one model. */
export function fullName(model: string): string {
  return model.includes('/') ? model : `sentence-transformers/${model}`
}

async function extractorFor(name: string, module: Record<string, unknown>): Promise<Extractor> {
  const { pipeline } = module
  if (typeof pipeline !== 'function') throw broken('it has no function "pipeline"')
  try {
    // The form that all sentence transformers have on the hub.
    return (await pipeline('feature-extraction', name, { dtype: 'fp32' })) as Extractor
  } catch (cause) {
    throw new ProxyError(
      'EMBEDDING_FAILED',
      `The model ${name} could not be loaded: ${messageOf(cause)}`,
      'Check MCPPROXY_HF_MODEL and the connection to the hub, or choose MCPPROXY_EMBEDDER=BM25.',
      { cause },
    )
  }
}

async function run(extractor: Extractor, texts: string[]): Promise<Float32Array[]> {
  let tensor: unknown
  try {
    tensor = await extractor(texts, { pooling: 'mean', normalize: true })
  } catch (cause) {
    throw failed(messageOf(cause), cause)
  }
  if (!isObject(tensor)) throw broken('it gives no tensor')
  const { dims, data } = tensor as { dims?: unknown; data?: unknown }
  if (!Array.isArray(dims) || dims.length !== 2 || !(data instanceof Float32Array))
    throw broken('its tensor is not a list of vectors')
  const [rows = 0, columns = 0] = dims as number[]
  if (rows * columns !== data.length) throw broken('its tensor has not the size it tells')
  return Array.from({ length: rows }, (_, row) => data.slice(row * columns, (row + 1) * columns))
}

function broken(what: string): ProxyError {
  return new ProxyError(
    'EMBEDDING_FAILED',
    `The installed ${HF_PACKAGE} does not work with this proxy: ${what}`,
    `Install another version: npm install ${HF_PACKAGE}@4`,
  )
}
