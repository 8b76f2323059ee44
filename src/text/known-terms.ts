/** What was found for the terms of the last queries: the next page asks for them again, and so does a sharper query. */

/** The passages that hold a term, and how often each does. */
export interface Occurrences {
  readonly passages: Uint32Array
  readonly times: Uint8Array | Uint32Array
}

/** Terms that are remembered, those that occur nowhere counted. */
const MOST = 256

/** Terms with where they occur, as many as there is room for; the ones longest not asked for go first. */
export class KnownTerms {
  readonly #mostBytes: number
  readonly #known = new Map<string, Occurrences>()
  #bytes = 0

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  get(term: string): Occurrences | undefined {
    const found = this.#known.get(term)
    if (found === undefined) return undefined
    this.#known.delete(term)
    this.#known.set(term, found)
    return found
  }

  add(term: string, found: Occurrences): void {
    const bytes = bytesOf(found)
    if (bytes > this.#mostBytes || this.#known.has(term)) return
    this.#known.set(term, found)
    this.#bytes += bytes
    for (const [oldest, one] of this.#known) {
      if (this.#bytes <= this.#mostBytes && this.#known.size <= MOST) return
      this.#known.delete(oldest)
      this.#bytes -= bytesOf(one)
    }
  }
}

const bytesOf = ({ passages, times }: Occurrences): number => passages.byteLength + times.byteLength
