/** Embeddings made on this machine by @huggingface/transformers, which everybody who wants them installs beside the proxy. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve, win32 } from 'node:path'
import { messageOf, ProxyError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/json.ts'
import { head } from '../../text/shorten.ts'
import { type ImportOptional, importOptional } from '../import-optional.ts'
import { toUnit } from '../vectors/vector-index.ts'
import { checkVectors, type Embedder, embeddable, failed, type Purpose } from './embedder.ts'

export interface HfOptions {
  /** MCPPROXY_HF_MODEL; a name without an owner is one of sentence-transformers, a path a folder with a model. */
  model?: string | undefined
  /** Where a path that begins with a dot starts from: the folder of the configuration. */
  directory?: string | undefined
  load?: ImportOptional
}

export const HF_PACKAGE = '@huggingface/transformers'
export const HF_MODEL = 'sentence-transformers/all-MiniLM-L6-v2'
/** Texts in one run of the model, all made as long as the longest of them: memory grows with both. */
const BATCH = 8
/** Characters of a text that are read: what a tool is for is said by then. */
const longestText = 1_200

type Extractor = ((texts: string[], options: object) => Promise<unknown>) & {
  dispose?: () => Promise<unknown>
}

/** How each family of models expects its texts. The first entry with a pattern that matches the name of the model applies. */
interface Manner {
  readonly pooling: 'mean' | 'cls'
  /** The words before a text. */
  readonly before: Readonly<Record<Purpose, string>>
}

const RETRIEVAL = 'Represent this sentence for searching relevant passages: '
const MANNERS: readonly (readonly [RegExp, Manner])[] = [
  [/e5-/i, { pooling: 'mean', before: { question: 'query: ', tool: 'passage: ' } }],
  [/nomic-embed/i, { pooling: 'mean', before: { question: 'search_query: ', tool: 'search_document: ' } }],
  [/bge-m3/i, { pooling: 'cls', before: { question: '', tool: '' } }],
  [/bge-|mxbai-embed|arctic-embed/i, { pooling: 'cls', before: { question: RETRIEVAL, tool: '' } }],
]
const PLAIN: Manner = { pooling: 'mean', before: { question: '', tool: '' } }

/** Loads package and model, which is downloaded when it is used for the first time. Rejects with a `ProxyError` that says what to install. */
export async function createHfEmbedder({
  model,
  directory,
  load = importOptional,
}: HfOptions): Promise<Embedder> {
  const name = fullName(model?.trim() || HF_MODEL)
  const folder = folderOf(name, directory)
  const { extractor, dtype } = await extractorFor(
    folder ?? name,
    folder !== undefined,
    await load(HF_PACKAGE, 'The embedder hf'),
  )
  const { pooling, before } = MANNERS.find(([pattern]) => pattern.test(name))?.[1] ?? PLAIN
  let length = 0

  return {
    model: `${name} ${dtype}${folder === undefined ? '' : ` ${bytesOf(folder)}`}`,
    async embed(texts, signal, as = 'tool') {
      const cut = texts.map((text) => before[as] + head(embeddable(text), longestText))
      // Texts of like length run together, so that little is computed for what fills up the shorter ones.
      const order = cut.map((_, at) => at).sort((a, b) => (cut[a]?.length ?? 0) - (cut[b]?.length ?? 0))
      const vectors = new Array<Float32Array>(texts.length)
      for (let at = 0; at < order.length; at += BATCH) {
        signal?.throwIfAborted()
        const some = order.slice(at, at + BATCH)
        const made = await run(
          extractor,
          some.map((place) => cut[place] as string),
          pooling,
        )
        checkVectors(made, some.length, length)
        length ||= made[0]?.length ?? 0
        for (const [nth, place] of some.entries()) vectors[place] = toUnit(made[nth] as Float32Array)
      }
      signal?.throwIfAborted()
      return vectors
    },
    close: async () => void (await extractor.dispose?.()),
  }
}

/** Both spellings of the default are one model; a path stays what it is. */
export function fullName(model: string): string {
  return model.includes('/') || isPath(model) ? model : `sentence-transformers/${model}`
}

function isPath(model: string): boolean {
  return isAbsolute(model) || win32.isAbsolute(model) || /^\.{1,2}[\\/]/.test(model)
}

/** The folder that a path means; undefined for a name of the hub. */
function folderOf(model: string, directory = '.'): string | undefined {
  return isPath(model) ? resolve(directory, model) : undefined
}

/** Of the files of a model: vectors of one that was exchanged for another cannot be compared with its own. */
function bytesOf(folder: string): string {
  const hash = createHash('sha256')
  for (const directory of [folder, join(folder, 'onnx')])
    for (const file of existsSync(directory) ? readdirSync(directory).sort() : [])
      if (/\.(?:onnx|onnx_data|json)$/.test(file))
        hash.update(file).update(readFileSync(join(directory, file)))
  return hash.digest('hex').slice(0, 16)
}

/** Of eight bits where the model has it so: a quarter of the memory. Many have the numbers of 32 bits alone. */
const PRECISIONS = ['q8', 'fp32'] as const

async function extractorFor(
  name: string,
  isLocal: boolean,
  { pipeline, env }: Record<string, unknown>,
): Promise<{ extractor: Extractor; dtype: string }> {
  if (typeof pipeline !== 'function') throw broken('it has no function "pipeline"')
  // Elsewhere than under POSIX the package takes no absolute path for a local one.
  const place = isLocal ? basename(name) : name
  if (isLocal && typeof env === 'object' && env !== null)
    Object.assign(env, { localModelPath: dirname(name), allowLocalModels: true })
  let cause: unknown
  for (const dtype of PRECISIONS)
    try {
      const given = isLocal ? { dtype, local_files_only: true } : { dtype }
      return { extractor: (await pipeline('feature-extraction', place, given)) as Extractor, dtype }
    } catch (error) {
      cause = error
    }
  throw new ProxyError(
    'EMBEDDING_FAILED',
    `The model ${name} could not be loaded: ${messageOf(cause)}`,
    'Check index.model (MCPPROXY_HF_MODEL) and the connection to the hub.',
    { cause },
  )
}

async function run(
  extractor: Extractor,
  texts: string[],
  pooling: Manner['pooling'],
): Promise<Float32Array[]> {
  let tensor: unknown
  try {
    tensor = await extractor(texts, { pooling, normalize: true })
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
