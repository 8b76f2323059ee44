/**
 * Bytes that come piece by piece, on memory that threads share: nothing is copied once more when the last one is there, and another
 * thread can read what came so far.
 */

/** Address space is set aside for so many times of what there is, and for this much at least; memory is not. */
const AHEAD = 4
const LEAST = 64 * 1024 * 1024
/** Memory is asked for in steps. */
const STEP = 512 * 1024
/** In front of the bytes stands how many of them came. */
const HEADER = 8

/** Told of a long message that has begun to come. Answers what is called whenever more of it has come. */
export type Watch = (bytes: GrowingBytes) => (() => void) | undefined

/** Bytes to which more are added at the end. It moves when it has no room left, with all that came. */
export class GrowingBytes {
  readonly #most: number
  #length = 0
  #buffer: SharedArrayBuffer
  #bytes: Uint8Array<SharedArrayBuffer>
  #arrived: Int32Array<SharedArrayBuffer>

  /** `most`: bytes that come at most. */
  constructor(most: number) {
    this.#most = most
    this.#buffer = this.#room(0)
    this.#bytes = new Uint8Array(this.#buffer)
    this.#arrived = new Int32Array(this.#buffer, 0, 1)
  }

  /** Where they are. It is another one after they had to be moved. */
  get buffer(): SharedArrayBuffer {
    return this.#buffer
  }

  get length(): number {
    return this.#length
  }

  append(part: Uint8Array): void {
    const length = this.#length + part.length
    const needed = HEADER + length
    if (needed > this.#buffer.maxByteLength) this.#move(length)
    if (needed > this.#buffer.byteLength)
      this.#buffer.grow(Math.min(Math.ceil(needed / STEP) * STEP, this.#buffer.maxByteLength))
    this.#bytes.set(part, HEADER + this.#length)
    this.#length = length
    Atomics.store(this.#arrived, 0, length)
  }

  /** What came so far. */
  whole(): Buffer<SharedArrayBuffer> {
    return Buffer.from(this.#buffer, HEADER, this.#length)
  }

  #move(length: number): void {
    const before = this.whole()
    this.#buffer = this.#room(length)
    this.#buffer.grow(HEADER + before.length)
    this.#bytes = new Uint8Array(this.#buffer)
    this.#bytes.set(before, HEADER)
    this.#arrived = new Int32Array(this.#buffer, 0, 1)
    Atomics.store(this.#arrived, 0, before.length)
  }

  #room(length: number): SharedArrayBuffer {
    const ahead = Math.max(LEAST, length * AHEAD)
    const maxByteLength = HEADER + Math.max(length, Math.min(ahead, this.#most))
    return new SharedArrayBuffer(HEADER, { maxByteLength })
  }
}

/** How many bytes came to the buffer of `GrowingBytes`, as any thread may ask. */
export function arrivedIn(buffer: SharedArrayBuffer): number {
  return Atomics.load(new Int32Array(buffer, 0, 1), 0)
}

/** Bytes `from` to `to` of those that came to such a buffer. */
export function partOf(buffer: SharedArrayBuffer, from: number, to: number): Uint8Array<SharedArrayBuffer> {
  return new Uint8Array(buffer, HEADER + from, to - from)
}

/** Whether bytes are those of such a buffer from byte `from` on. */
export function beginsAt(bytes: Uint8Array, from: number): boolean {
  return bytes.byteOffset === HEADER + from
}
