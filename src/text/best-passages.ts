/** The best of many passages by their scores, without sorting all. */

/** A passage, by its number, and how well it answers. */
export interface Ranked {
  index: number
  score: number
}

/** What was found: the best, first, equals in their order; and how many there are in all. */
export interface Found {
  best: Ranked[]
  count: number
}

/** Scores of all passages, and which of them hold a word of the query. */
export interface Scores {
  readonly values: Float64Array
  /** 1 for those that do: a score may round to nothing. */
  readonly held: Uint8Array
}

/**
 * At most `most` of those that were found. Of a passage and the ones after it that `goOn` (ascending), which are parts of one
 * thing, only the best counts.
 */
export function bestPassages({ values, held }: Scores, goOn: Uint32Array, most: number): Found {
  const best = new Best(values, most)
  let next = 0
  let candidate = -1
  for (let index = 0; index < values.length; index++) {
    if (goOn[next] === index) next++
    else if (candidate >= 0) {
      best.offer(candidate)
      candidate = -1
    }
    if (held[index] === 1 && (candidate < 0 || (values[index] ?? 0) > (values[candidate] ?? 0)))
      candidate = index
  }
  if (candidate >= 0) best.offer(candidate)
  return best.found()
}

/** Takes passages in their order and keeps the best. */
class Best {
  readonly #values: Float64Array
  readonly #most: number
  readonly #kept: number[] = []
  /** Equals that come later are no better than what there is enough of. */
  #enough = -1
  #count = 0

  constructor(values: Float64Array, most: number) {
    this.#values = values
    this.#most = most
  }

  offer(index: number): void {
    this.#count++
    if ((this.#values[index] ?? 0) <= this.#enough) return
    if (this.#kept.push(index) >= 2 * this.#most) this.#cut()
  }

  found(): Found {
    this.#cut()
    const best = this.#kept.map((index): Ranked => ({ index, score: this.#values[index] ?? 0 }))
    return { best, count: this.#count }
  }

  #cut(): void {
    const values = this.#values
    this.#kept.sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0) || a - b)
    if (this.#kept.length < this.#most) return
    this.#kept.length = this.#most
    this.#enough = values[this.#kept.at(-1) ?? 0] ?? 0
  }
}
