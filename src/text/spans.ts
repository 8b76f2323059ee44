/** Parts of a text by position, in order and without overlap: 8 bytes a part, however many there are. */
export interface Spans {
  readonly count: number
  /** Offset of the first character of part `index`; the offset after its last. */
  start(index: number): number
  end(index: number): number
}

/** Collects the borders of parts; `spans()` when all are known. */
export class SpanList {
  #borders = new Int32Array(64)
  #length = 0

  add(start: number, end: number): void {
    if (this.#length + 2 > this.#borders.length) {
      const larger = new Int32Array(this.#borders.length * 2)
      larger.set(this.#borders)
      this.#borders = larger
    }
    this.#borders[this.#length++] = start
    this.#borders[this.#length++] = end
  }

  spans(): Spans {
    return bordered(this.#borders.slice(0, this.#length))
  }
}

/** Outside of the class, so that the list it was made of is not kept. */
function bordered(borders: Int32Array): Spans {
  return {
    count: borders.length / 2,
    start: (index) => borders[index * 2] ?? 0,
    end: (index) => borders[index * 2 + 1] ?? 0,
  }
}

/** Collects the beginnings of parts that one character separates: half the memory of `SpanList`. */
export class StartList {
  #starts = new Int32Array(64)
  #length = 0

  add(start: number): void {
    if (this.#length === this.#starts.length) {
      const larger = new Int32Array(this.#length * 2)
      larger.set(this.#starts)
      this.#starts = larger
    }
    this.#starts[this.#length++] = start
  }

  /** `next`: where a further part would begin. */
  spans(next: number): Spans {
    this.add(next)
    return separated(this.#starts.slice(0, this.#length))
  }
}

function separated(starts: Int32Array): Spans {
  return {
    count: starts.length - 1,
    start: (index) => starts[index] ?? 0,
    end: (index) => (starts[index + 1] ?? 1) - 1,
  }
}

/** The first part from `from` on that ends after `offset`; `count` when there is none. Near parts are found in few steps. */
export function spanAfter(spans: Spans, offset: number, from = 0): number {
  let low = from
  let step = 1
  while (low + step < spans.count && spans.end(low + step) <= offset) {
    low += step
    step *= 2
  }
  let high = Math.min(spans.count, low + step)
  while (low < high) {
    const middle = (low + high) >> 1
    if (spans.end(middle) > offset) high = middle
    else low = middle + 1
  }
  return low
}
