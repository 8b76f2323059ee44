/** Vectors in memory, each compared with the query, kept in a file between runs. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode, messageOf } from '../../protocol/errors.ts'
import type { Logger } from '../../telemetry/log.ts'
import { removeStale, replaceFile, setAside } from '../own-files.ts'
import { VectorMatrix } from './matrix.ts'
import { decodeVectors, encodeVectors } from './side-car.ts'
import type { VectorIndex } from './vector-index.ts'

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
      'the file of vectors was unreadable; it is made anew',
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
