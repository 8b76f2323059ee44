import { ProxyError } from '../../protocol/errors.ts'
import { head } from '../../text/shorten.ts'

/** The contract of everything that turns texts into vectors. One suite of tests runs over all. */
export interface Embedder {
  /** Names what the vectors depend on: vectors of other names cannot be compared with these. */
  readonly model: string
  /**
   * One vector for each text, in their order, all of one length, each of length 1 in space. Rejects with a `ProxyError` when that
   * cannot be had, and with the signal's reason when it is aborted.
   *
   * @param as what the texts are, for models that tell questions from what answers them; default: tools
   */
  embed(texts: readonly string[], signal?: AbortSignal, as?: Purpose): Promise<Float32Array[]>
  close(): Promise<void>
}

export type Purpose = 'question' | 'tool'

/** Characters of a text that are embedded: models read some 256 to 8,000 tokens, and some servers refuse what is longer. */
export const LONGEST_TEXT = 6_000

/** The part of a text that is sent: never empty, which servers refuse. */
export function embeddable(text: string): string {
  return head(text, LONGEST_TEXT).trim() || '-'
}

/** Throws what is wrong with vectors that somebody else made: for `count` texts, each of `dimension` numbers (0: as the first). */
export function checkVectors(vectors: readonly Float32Array[], count: number, dimension: number): void {
  if (vectors.length !== count) throw failed(`there are ${vectors.length} vectors for ${count} texts`)
  for (const vector of vectors) {
    const expected = dimension || (vectors[0]?.length ?? 0)
    if (vector.length === 0 || vector.length !== expected)
      throw failed(`a vector has ${vector.length} numbers where ${expected} were expected`)
    if (!vector.every(Number.isFinite)) throw failed('a vector holds what is no number')
  }
}

export function failed(what: string, cause?: unknown): ProxyError {
  return new ProxyError(
    'EMBEDDING_FAILED',
    `Embedding failed: ${what}`,
    'Tools are found by their words meanwhile.',
    { cause },
  )
}
