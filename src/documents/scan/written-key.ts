/** A key as it is written, from the quote that opens it to the colon, compared four bytes at a time. */
const WORD = 4

export class WrittenKey {
  /** In bytes; a word at least. */
  readonly length: number
  /** The words one after the other, and the last one, which may overlap the one before. */
  readonly #words: Int32Array

  constructor(bytes: Uint8Array) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.length = bytes.length
    const last = bytes.length - WORD
    this.#words = Int32Array.from({ length: Math.ceil(bytes.length / WORD) }, (_, index) =>
      view.getInt32(Math.min(index * WORD, last), true),
    )
  }

  /** True when it is written at this offset of a view of `size` bytes. */
  isAt(view: DataView, size: number, at: number): boolean {
    const words = this.#words
    const last = words.length - 1
    const end = at + this.length
    if (end > size) return false
    for (let index = 0; index < last; index++)
      if (view.getInt32(at + index * WORD, true) !== words[index]) return false
    return view.getInt32(end - WORD, true) === words[last]
  }
}
