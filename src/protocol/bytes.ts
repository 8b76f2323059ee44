/** The bytes of one message while it arrives: kept as the chunks they came in, beyond a limit only their edges. */

/** What is kept of a message that was thrown away: enough to see whose answer it was. */
export interface Edges {
  /** Its first bytes, at most `EDGE_BYTES`. */
  head: Buffer
  /** Its last bytes, at most `EDGE_BYTES`. */
  tail: Buffer
}

/** A whole message. */
export interface TakenBytes {
  /** In order; one on shared memory when the message is long; empty when it was too long. */
  parts: readonly Buffer[]
  /** Their sum in bytes, or what it would be. */
  length: number
  /** Given when the message was longer than the limit. */
  edges: Edges | undefined
}

/** Room for the envelope of a JSON-RPC response on either side of its result. */
export const EDGE_BYTES = 512

/** From here on a message is put together while it arrives. */
const SHARED_FROM = 256 * 1024
const RUN = 1024
const SMALL_CHUNK = 4096

/**
 * Joining at every chunk, as `Buffer.concat` in a loop does, is quadratic and takes seconds for 50 MB. Short messages are kept as
 * chunks; of long ones each chunk goes to its place and is gone, so that the time for it passes while others come.
 */
export class MessageBytes {
  readonly #limit: number
  readonly #limitOf: ((head: Buffer) => number) | undefined
  /** That of this message. */
  #maxBytes: number
  #parts: Buffer[] = []
  #length = 0
  /** How many of `#parts` have been through `#compact`. */
  #settled = 0
  #edges: Edges | undefined
  /** In place of `#parts` once they are many bytes. */
  #long: GrowingBytes | undefined
  readonly #watch: Watch | undefined
  /** Called when more of a long one has come. */
  #grown: (() => void) | undefined

  /** `limitOf`: a lower limit for a message that begins like this, asked once the message is long. */
  constructor(maxBytes: number, watch?: Watch, limitOf?: (head: Buffer) => number) {
    this.#limit = maxBytes
    this.#maxBytes = maxBytes
    this.#watch = watch
    this.#limitOf = limitOf
  }

  /** Bytes so far, whether they were kept or not. */
  get length(): number {
    return this.#length
  }

  /** True once it is longer than the limit. */
  get tooLong(): boolean {
    return this.#edges !== undefined
  }

  add(part: Buffer): void {
    if (part.length === 0) return
    this.#length += part.length
    if (this.#edges !== undefined) {
      this.#edges.tail = edgeOfEnd([this.#edges.tail, part])
      return
    }
    if (this.#long === undefined) this.#parts.push(part)
    else if (this.#length <= this.#maxBytes) this.#long.append(part)
    if (this.#length > this.#maxBytes) {
      const parts = this.#long === undefined ? this.#parts : [this.#long.whole(), part]
      this.#edges = { head: edgeOfStart(parts), tail: edgeOfEnd(parts) }
      this.#drop()
    } else if (this.#long !== undefined) {
      this.#grown?.()
    } else if (this.#length >= SHARED_FROM) {
      if (this.#limitOf !== undefined)
        this.#maxBytes = Math.min(this.#limit, this.#limitOf(edgeOfStart(this.#parts)))
      const long = new GrowingBytes(Math.max(this.#maxBytes, this.#length))
      for (const some of this.#parts) long.append(some)
      this.#drop()
      this.#long = long
      this.#grown = this.#watch?.(long)
    } else if (this.#parts.length - this.#settled >= RUN) {
      this.#compact()
    }
  }

  /** Gives out what there is and begins anew. */
  take(): TakenBytes {
    const parts = this.#long === undefined ? this.#parts : [this.#long.whole()]
    const taken = { parts, length: this.#length, edges: this.#edges }
    this.#drop()
    this.#length = 0
    this.#edges = undefined
    this.#maxBytes = this.#limit
    return taken
  }

  #drop(): void {
    this.#parts = []
    this.#settled = 0
    this.#long = undefined
    this.#grown = undefined
  }

  /** A sender that writes byte by byte must not cost an object a byte: runs of small chunks are joined, once each. */
  #compact(): void {
    const run = this.#parts.slice(this.#settled)
    const bytes = run.reduce((sum, part) => sum + part.length, 0)
    if (bytes < RUN * SMALL_CHUNK) this.#parts.splice(this.#settled, run.length, Buffer.concat(run, bytes))
    this.#settled = this.#parts.length
  }
}

/** The text of a message, decoded once. */
export function textOfParts(parts: readonly Buffer[]): string {
  const [first] = parts
  return (parts.length === 1 && first ? first : Buffer.concat(parts)).toString('utf8')
}

/** The first `EDGE_BYTES` of a list of chunks, copied, so that the chunks can go. */
export function edgeOfStart(parts: readonly Buffer[]): Buffer {
  const taken: Buffer[] = []
  let room = EDGE_BYTES
  for (const part of parts) {
    if (room === 0) break
    taken.push(part.subarray(0, room))
    room -= Math.min(room, part.length)
  }
  return Buffer.concat(taken)
}

/** The last `EDGE_BYTES` of a list of chunks, copied. */
export function edgeOfEnd(parts: readonly Buffer[]): Buffer {
  const taken: Buffer[] = []
  let room = EDGE_BYTES
  for (let i = parts.length - 1; i >= 0 && room > 0; i--) {
    const part = parts[i] ?? Buffer.alloc(0)
    taken.unshift(part.subarray(Math.max(0, part.length - room)))
    room -= Math.min(room, part.length)
  }
  return Buffer.concat(taken)
}

// Bytes that come piece by piece, on memory that threads share: nothing is copied once more when the last one
// is there, and another thread can read what came so far.

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
