/** Where records begin, and before every few of them how many bytes are no characters of the text. Four bytes a record, and a little. */
const FIRST_ROOM = 1024
const MOST_ROOM = 4_000_000
/** Records from one mark to the next. */
const STEP = 16

export class Offsets {
  count = 0
  #froms: Int32Array
  /** Bytes that are no characters, before records 0, 16, 32. */
  #marks: Int32Array

  /** `expected`: how many records there may be, about. */
  constructor(expected = 0) {
    const room = Math.min(MOST_ROOM, Math.max(FIRST_ROOM, Math.ceil(expected * 1.1)))
    this.#froms = new Int32Array(room)
    this.#marks = new Int32Array(Math.ceil(room / STEP))
  }

  /** `saved`: bytes before it that are no characters. */
  add(from: number, saved: number): void {
    const { count } = this
    if (count === this.#froms.length) this.#grow()
    this.#froms[count] = from
    if (count % STEP === 0) this.#marks[count / STEP] = saved
    this.count = count + 1
  }

  /** The first byte of a record. */
  from(index: number): number {
    return this.#froms[index] as number
  }

  /** The last mark at or before a character of the text, which begins at byte `start`: a record's first byte and its character. */
  before(character: number, start: number): { byte: number; character: number } | undefined {
    let low = 0
    let high = Math.ceil(this.count / STEP) - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#character(middle, start) <= character) low = middle
      else high = middle - 1
    }
    const at = this.#character(low, start)
    return at <= character ? { byte: this.from(low * STEP), character: at } : undefined
  }

  /** The first byte of the first marked record at or behind a character; undefined when there is none. */
  behind(character: number, start: number): number | undefined {
    const marks = Math.ceil(this.count / STEP)
    let low = 0
    let high = marks
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#character(middle, start) >= character) high = middle
      else low = middle + 1
    }
    return low < marks ? this.from(low * STEP) : undefined
  }

  #character(mark: number, start: number): number {
    return (this.#froms[mark * STEP] as number) - (this.#marks[mark] as number) - start
  }

  #grow(): void {
    const larger = (array: Int32Array): Int32Array<ArrayBuffer> => {
      const copy = new Int32Array(array.length * 2)
      copy.set(array)
      return copy
    }
    this.#froms = larger(this.#froms)
    this.#marks = larger(this.#marks)
  }
}
