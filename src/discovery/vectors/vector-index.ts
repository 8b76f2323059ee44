/** The contract of everything that holds vectors and finds those that point the same way. One suite of tests runs over all. */
export interface VectorIndex {
  /** Which of these numbers have a vector. */
  has(ids: readonly number[]): Promise<ReadonlySet<number>>
  /** Adds or replaces. Rejects a vector of another length than the others (`DimensionError`), or with a part that is no number. */
  put(vectors: readonly IdentifiedVector[]): Promise<void>
  /** Removes all but these. */
  keep(ids: ReadonlySet<number>): Promise<void>
  /** The nearest by cosine, best first, equals by number; none for zeros. Rejects a query of another length than the vectors (`DimensionError`). */
  search(query: Float32Array, limit: number, signal?: AbortSignal): Promise<Near[]>
  /** Resolves when everything is where it outlives this run. */
  close(): Promise<void>
}

export interface IdentifiedVector {
  /** A whole number up to 2^53 - 1, never used for anything else. */
  readonly id: number
  readonly vector: Float32Array
}

export interface Near {
  readonly id: number
  /** Cosine, from -1 to 1; 0 where a vector is all zeros. */
  readonly similarity: number
}

/** Vectors of another length: the model of a name is not what it was. */
export class DimensionError extends TypeError {}

/** Throws for a query that cannot be compared. */
export function checkQuery(query: Float32Array, dimension: number): void {
  if (query.length !== dimension)
    throw new DimensionError(
      `the question has a vector of ${query.length} numbers, the tools have ${dimension}`,
    )
}

/** Throws for a vector that cannot be compared with those of `dimension` numbers (0: with any). */
export function checkVector(vector: Float32Array, dimension: number): void {
  if (vector.length === 0 || (dimension > 0 && vector.length !== dimension))
    throw new DimensionError(`a vector has ${vector.length} numbers, the others have ${dimension}`)
  for (const value of vector)
    if (!Number.isFinite(value)) throw new TypeError('a vector holds what is no number')
}
