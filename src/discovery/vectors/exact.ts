/** Vectors in memory, each compared with the query, kept in a file between runs. */

import { webcrypto } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../../observe/log.ts'
import { hasCode, messageOf } from '../../protocol/errors.ts'
import { removeStale, replaceFile, setAside } from '../own-files.ts'
import { type IdentifiedVector, type VectorIndex, VectorMatrix } from './vector-index.ts'

export const VECTORS_FILE = 'tools.vectors'

export interface ExactOptions {
  /** Where the file lies; undefined: nothing outlives this run. */
  directory: string | undefined
  /** Starts from nothing. */
  reset?: boolean
  logger: Logger
}

/** Never rejects: with a missing or damaged file it starts from nothing. */
export async function openExactIndex({ directory, reset, logger }: ExactOptions): Promise<VectorIndex> {
  const path = directory === undefined ? undefined : join(directory, VECTORS_FILE)
  if (path !== undefined && reset) await rm(path, { force: true, recursive: true }).catch(() => {})
  const matrix = new VectorMatrix()
  if (path !== undefined) await load(matrix, path, logger)
  const saving = new Saving(matrix, path, logger)

  return {
    async has(ids) {
      return new Set(ids.filter((id) => matrix.has(id)))
    },
    async put(vectors) {
      if (vectors.length === 0) return
      matrix.put(vectors)
      saving.request()
    },
    async keep(ids) {
      if (matrix.keep(ids)) saving.request()
    },
    async search(query, limit, signal) {
      signal?.throwIfAborted()
      return matrix.search(query, limit)
    },
    close: () => saving.finish(),
  }
}

async function load(matrix: VectorMatrix, path: string, logger: Logger): Promise<void> {
  await removeStale(path, Date.now())
  try {
    matrix.put(await decodeVectors(await readFile(path)))
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return
    const aside = await setAside(path)
    logger.warn(
      { file: path, aside, error: messageOf(error) },
      'the file of vectors was unreadable; it is made again',
    )
  }
}

/** One write at a time; what changes meanwhile is in the next. */
class Saving {
  readonly #matrix: VectorMatrix
  readonly #path: string | undefined
  readonly #logger: Logger
  #wanted = false
  #failed = false
  #running: Promise<void> | undefined

  constructor(matrix: VectorMatrix, path: string | undefined, logger: Logger) {
    this.#matrix = matrix
    this.#path = path
    this.#logger = logger
  }

  request(): void {
    if (this.#path === undefined) return
    this.#wanted = true
    this.#running ??= this.#run(this.#path)
  }

  async finish(): Promise<void> {
    await this.#running
  }

  async #run(path: string): Promise<void> {
    // Several batches come one after the other.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#wanted) {
      this.#wanted = false
      try {
        const bytes = await encodeVectors(this.#matrix)
        await replaceFile(path, (partial) => writeFile(partial, bytes))
        this.#failed = false
      } catch (error) {
        if (!this.#failed)
          this.#logger.warn(
            { error: messageOf(error) },
            'vectors could not be saved; they are kept in memory',
          )
        this.#failed = true
      }
    }
    this.#running = undefined
  }
}

// The file of vectors beside the table of tools: a header, the numbers, the vectors, a digest of all that.
// Little-endian: `MCPV`, version, numbers a vector, vectors (4 bytes each); a double for each number; a float
// for each part; SHA-256.

const MAGIC = 0x5650434d
const VERSION = 1
const HEADER = 16
const DIGEST = 32
/** Floats are copied as they lie in memory; all machines that Node runs on but a few are little-endian. */
const LITTLE = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1

/** The bytes of the file. */
export async function encodeVectors({ ids, dimension, values }: VectorMatrix): Promise<Uint8Array> {
  const body = HEADER + ids.length * 8 + values.length * 4
  const bytes = new Uint8Array(body + DIGEST)
  const view = new DataView(bytes.buffer)
  for (const [index, value] of [MAGIC, VERSION, dimension, ids.length].entries())
    view.setUint32(index * 4, value, true)
  for (const [index, id] of ids.entries()) view.setFloat64(HEADER + index * 8, id, true)
  const start = HEADER + ids.length * 8
  if (LITTLE) new Float32Array(bytes.buffer, start, values.length).set(values)
  else for (const [index, value] of values.entries()) view.setFloat32(start + index * 4, value, true)
  // Off the event loop, unlike createHash.
  bytes.set(new Uint8Array(await webcrypto.subtle.digest('SHA-256', bytes.subarray(0, body))), body)
  return bytes
}

/** Throws what is wrong with the bytes. */
export async function decodeVectors(file: Uint8Array): Promise<IdentifiedVector[]> {
  // A copy that begins where floats may begin.
  const bytes = new Uint8Array(file)
  const view = new DataView(bytes.buffer)
  if (bytes.length < HEADER + DIGEST || view.getUint32(0, true) !== MAGIC)
    throw new TypeError('no file of vectors')
  if (view.getUint32(4, true) !== VERSION) throw new TypeError('a file of vectors of another version')
  const dimension = view.getUint32(8, true)
  const count = view.getUint32(12, true)
  const body = HEADER + count * 8 + count * dimension * 4
  if (body + DIGEST !== bytes.length) throw new TypeError('the file of vectors is not complete')
  const digest = new Uint8Array(await webcrypto.subtle.digest('SHA-256', bytes.subarray(0, body)))
  if (!digest.every((byte, index) => byte === bytes[body + index]))
    throw new TypeError('the file of vectors is damaged')
  return Array.from({ length: count }, (_, index) => ({
    id: view.getFloat64(HEADER + index * 8, true),
    vector: floats(view, HEADER + count * 8 + index * dimension * 4, dimension),
  }))
}

function floats(view: DataView<ArrayBuffer>, at: number, count: number): Float32Array {
  if (LITTLE) return new Float32Array(view.buffer, at, count)
  return Float32Array.from({ length: count }, (_, index) => view.getFloat32(at + index * 4, true))
}
