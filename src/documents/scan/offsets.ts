/** Where records are written: from, to, and how many bytes before each are no characters of the text. 12 bytes a record. */
const FIRST_ROOM = 1024
const MOST_ROOM = 4_000_000

export class Offsets {
  count = 0
  #froms: Int32Array
  #ends: Int32Array
  #saved: Int32Array

  /** `expected`: how many records there may be, about. */
  constructor(expected = 0) {
    const room = Math.min(MOST_ROOM, Math.max(FIRST_ROOM, Math.ceil(expected * 1.1)))
    this.#froms = new Int32Array(room)
    this.#ends = new Int32Array(room)
    this.#saved = new Int32Array(room)
  }

  add(from: number, end: number, saved: number): void {
    if (this.count === this.#froms.length) this.#grow()
    this.#froms[this.count] = from
    this.#ends[this.count] = end
    this.#saved[this.count] = saved
    this.count += 1
  }

  from(index: number): number {
    return this.#froms[index] as number
  }

  end(index: number): number {
    return this.#ends[index] as number
  }

  /** The offset of a record among the characters of the text, which begins at byte `start`. */
  character(index: number, start: number): number {
    return (this.#froms[index] as number) - (this.#saved[index] as number) - start
  }

  /** The last record that begins at or before a character; 0 when there is none. */
  at(character: number, start: number): number {
    let low = 0
    let high = this.count - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.character(middle, start) <= character) low = middle
      else high = middle - 1
    }
    return low
  }

  #grow(): void {
    const larger = (array: Int32Array): Int32Array<ArrayBuffer> => {
      const copy = new Int32Array(array.length * 2)
      copy.set(array)
      return copy
    }
    this.#froms = larger(this.#froms)
    this.#ends = larger(this.#ends)
    this.#saved = larger(this.#saved)
  }
}
