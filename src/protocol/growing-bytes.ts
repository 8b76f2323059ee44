/** Bytes that come piece by piece, on memory that threads share: nothing is copied once more when the last one is there. */

/** Address space is set aside for so many times of what there is, and for this much at least; memory is not. */
const AHEAD = 4
const LEAST = 64 * 1024 * 1024
/** Memory is asked for in steps. */
const STEP = 512 * 1024

export class GrowingBytes {
  readonly #most: number
  #length = 0
  #buffer: SharedArrayBuffer
  #bytes: Uint8Array<SharedArrayBuffer>

  /** `most`: bytes that come at most. */
  constructor(most: number) {
    this.#most = most
    this.#buffer = this.#room(0)
    this.#bytes = new Uint8Array(this.#buffer)
  }

  append(part: Uint8Array): void {
    const length = this.#length + part.length
    if (length > this.#buffer.maxByteLength) this.#move(length)
    if (length > this.#buffer.byteLength)
      this.#buffer.grow(Math.min(Math.ceil(length / STEP) * STEP, this.#buffer.maxByteLength))
    this.#bytes.set(part, this.#length)
    this.#length = length
  }

  /** What came so far. */
  whole(): Buffer<SharedArrayBuffer> {
    return Buffer.from(this.#buffer, 0, this.#length)
  }

  #move(length: number): void {
    const before = this.whole()
    this.#buffer = this.#room(length)
    this.#buffer.grow(before.length)
    this.#bytes = new Uint8Array(this.#buffer)
    this.#bytes.set(before)
  }

  #room(length: number): SharedArrayBuffer {
    const ahead = Math.max(LEAST, length * AHEAD)
    return new SharedArrayBuffer(0, { maxByteLength: Math.max(length, Math.min(ahead, this.#most)) })
  }
}
