/** The contract of everything that holds vectors and finds the nearest. One suite of tests runs over all. */
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

// Vectors in one piece of memory, scaled to length 1, so that a cosine is a sum of products: 10,000 × 384
// take about 3 ms.

export class VectorMatrix {
  /** Numbers a vector; 0 while there is none. */
  dimension = 0
  readonly ids: number[] = []
  readonly #rows = new Map<number, number>()
  #values = new Float32Array(0)

  /** All vectors one after the other, in the order of `ids`. */
  get values(): Float32Array {
    return this.#values.subarray(0, this.ids.length * this.dimension)
  }

  has(id: number): boolean {
    return this.#rows.has(id)
  }

  /** All or none. */
  put(vectors: readonly IdentifiedVector[]): void {
    const dimension = this.dimension || (vectors[0]?.vector.length ?? 0)
    for (const { vector } of vectors) checkVector(vector, dimension)
    this.dimension = dimension
    this.#reserve(this.ids.length + vectors.length)
    for (const { id, vector } of vectors) {
      const row = this.#rows.get(id) ?? this.ids.push(id) - 1
      this.#rows.set(id, row)
      this.#values.set(toUnit(vector), row * dimension)
    }
  }

  /** True when something was removed. */
  keep(ids: ReadonlySet<number>): boolean {
    const before = this.ids.length
    let next = 0
    for (let row = 0; row < before; row++) {
      const id = this.ids[row] ?? 0
      if (!ids.has(id)) {
        this.#rows.delete(id)
        continue
      }
      this.#values.copyWithin(next * this.dimension, row * this.dimension, (row + 1) * this.dimension)
      this.#rows.set(id, next)
      this.ids[next++] = id
    }
    this.ids.length = next
    if (next === 0) this.dimension = 0
    return next < before
  }

  search(query: Float32Array, limit: number): Near[] {
    const { dimension, ids } = this
    if (limit < 1 || ids.length === 0) return []
    checkQuery(query, dimension)
    const unit = toUnit(query)
    if (unit.every((value) => value === 0)) return []
    const values = this.#values
    const found: Near[] = []
    for (let row = 0, at = 0; row < ids.length; row++) {
      let sum = 0
      for (let column = 0; column < dimension; column++)
        sum += (unit[column] as number) * (values[at++] as number)
      insert(found, { id: ids[row] as number, similarity: Math.min(1, Math.max(-1, sum)) }, limit)
    }
    return found
  }

  #reserve(rows: number): void {
    if (rows * this.dimension <= this.#values.length) return
    const values = new Float32Array(Math.max(rows, 2 * this.ids.length) * this.dimension)
    values.set(this.values)
    this.#values = values
  }
}

/** Of length 1, as a copy; zeros stay zeros. */
export function toUnit(vector: Float32Array): Float32Array {
  // Scaled first: the square of a large number is out of the range of what follows.
  let largest = 0
  for (const value of vector) largest = Math.max(largest, Math.abs(value))
  if (largest === 0 || !Number.isFinite(largest)) return new Float32Array(vector.length)
  let squares = 0
  for (const value of vector) squares += (value / largest) * (value / largest)
  const scale = largest * Math.sqrt(squares)
  const unit = new Float32Array(vector.length)
  for (let at = 0; at < unit.length; at++) unit[at] = (vector[at] as number) / scale
  return unit
}

/** Keeps the best `limit` in their order. Most come too late to be among them. */
function insert(best: Near[], next: Near, limit: number): void {
  const last = best.at(-1)
  if (best.length >= limit && last && !isBefore(next, last)) return
  if (best.length >= limit) best.pop()
  let at = best.length
  for (let above = best[at - 1]; above && isBefore(next, above); above = best[at - 1]) at--
  best.splice(at, 0, next)
}

function isBefore(a: Near, b: Near): boolean {
  return a.similarity > b.similarity || (a.similarity === b.similarity && a.id < b.id)
}
