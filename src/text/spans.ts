/** Parts of a text by position, in order and without overlap: 8 bytes a part, however many there are. */
export interface Spans {
  readonly count: number
  /** Offset of the first character of part `index`; the offset after its last. */
  start(index: number): number
  end(index: number): number
}

/** Whole numbers from 0 to 2³² - 1, as many as come: four bytes each. */
export class NumberList {
  #numbers = new Uint32Array(64)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** How many there are with this one. */
  add(number: number): number {
    if (this.#length === this.#numbers.length) {
      const larger = new Uint32Array(this.#length * 2)
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    this.#numbers[this.#length++] = number
    return this.#length
  }

  /** All of them, without spare room. */
  array(): Uint32Array {
    return this.#numbers.slice(0, this.#length)
  }
}

/** Collects the borders of parts; `spans()` when all are known. */
export class SpanList {
  readonly #borders = new NumberList()

  add(start: number, end: number): void {
    this.#borders.add(start)
    this.#borders.add(end)
  }

  spans(): Spans {
    return bordered(this.#borders.array())
  }
}

/** Outside of the class, so that the list it was made of is not kept. */
function bordered(borders: Uint32Array): Spans {
  return {
    count: borders.length / 2,
    start: (index) => borders[index * 2] ?? 0,
    end: (index) => borders[index * 2 + 1] ?? 0,
  }
}

/** Collects the beginnings of parts that one character separates: a third of the memory of `SpanList`. */
export class StartList {
  readonly #starts = new NumberList()

  add(start: number): void {
    this.#starts.add(start)
  }

  /** `next`: where a further part would begin. */
  spans(next: number): Spans {
    this.add(next)
    const starts = this.#starts.array()
    return (
      inBlocks(starts) ?? {
        count: starts.length - 1,
        start: (index) => starts[index] ?? 0,
        end: (index) => (starts[index + 1] ?? 1) - 1,
      }
    )
  }
}

/** Parts that are placed from the first of their block. */
const BLOCK_BITS = 4
const FARTHEST = 0xffff

/** The same in two bytes a part and a little; undefined where parts are too long for that. */
function inBlocks(starts: Uint32Array): Spans | undefined {
  const blocks = new Uint32Array(Math.ceil(starts.length / 2 ** BLOCK_BITS))
  const within = new Uint16Array(starts.length)
  for (let block = 0; block < blocks.length; block++) blocks[block] = starts[block << BLOCK_BITS] ?? 0
  for (let index = 0; index < starts.length; index++) {
    const distance = (starts[index] ?? 0) - (blocks[index >> BLOCK_BITS] ?? 0)
    if (distance > FARTHEST) return undefined
    within[index] = distance
  }
  return blockwise(blocks, within)
}

function blockwise(blocks: Uint32Array, within: Uint16Array): Spans {
  const startOf = (index: number): number => (blocks[index >> BLOCK_BITS] ?? 0) + (within[index] ?? 0)
  return { count: within.length - 1, start: startOf, end: (index) => startOf(index + 1) - 1 }
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
