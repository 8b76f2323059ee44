/** Cuts a byte stream into lines, in time linear in its length, whatever the sizes of lines and chunks. */

/** What is kept of a line that was thrown away: enough to see whose answer it was. */
export interface DiscardedLine {
  /** Its first bytes, at most `EDGE_BYTES`. */
  head: Buffer
  /** Its last bytes, at most `EDGE_BYTES`. */
  tail: Buffer
  /** Length in bytes without the newline. */
  length: number
}

export interface LineReaderOptions {
  /** Longest line that is kept, in bytes. */
  maxBytes: number
  /** A whole line as the chunks it came in, without the newline; `length` is their sum in bytes. */
  onLine(parts: readonly Buffer[], length: number): void
  /** A line longer than `maxBytes`, once its end was seen. */
  onDiscarded(line: DiscardedLine): void
}

/** Room for the envelope of a JSON-RPC response on either side of its result. */
export const EDGE_BYTES = 512

const NEWLINE = 0x0a
const RUN = 1024
const SMALL_CHUNK = 4096

/**
 * The newline is searched only in the chunk that just came and chunks are kept, not joined: joining at every chunk,
 * as `Buffer.concat` in a loop does, is quadratic and takes seconds for 50 MB.
 */
export class LineReader {
  readonly #options: LineReaderOptions
  #parts: Buffer[] = []
  #length = 0
  /** How many of `#parts` have been through `#compact`. */
  #settled = 0
  #discarding: { head: Buffer; tail: Buffer } | undefined

  constructor(options: LineReaderOptions) {
    this.#options = options
  }

  /** Bytes of the line that has no end yet. */
  get unfinished(): number {
    return this.#length
  }

  push(chunk: Buffer): void {
    let start = 0
    let end = chunk.indexOf(NEWLINE)
    while (end !== -1) {
      this.#add(chunk.subarray(start, end))
      this.#finish()
      start = end + 1
      end = chunk.indexOf(NEWLINE, start)
    }
    if (start < chunk.length) this.#add(start === 0 ? chunk : chunk.subarray(start))
  }

  #add(part: Buffer): void {
    if (part.length === 0) return
    this.#length += part.length
    if (this.#discarding !== undefined) {
      this.#discarding.tail = edgeOfEnd([this.#discarding.tail, part])
      return
    }
    this.#parts.push(part)
    if (this.#length > this.#options.maxBytes) {
      this.#discarding = { head: edgeOfStart(this.#parts), tail: edgeOfEnd(this.#parts) }
      this.#parts = []
      this.#settled = 0
    } else {
      this.#compact()
    }
  }

  #finish(): void {
    const length = this.#length
    const parts = this.#parts
    const discarded = this.#discarding
    this.#parts = []
    this.#length = 0
    this.#settled = 0
    this.#discarding = undefined
    if (discarded !== undefined) this.#options.onDiscarded({ ...discarded, length })
    else if (length > 0) this.#options.onLine(parts, length)
  }

  /** A sender that writes byte by byte must not cost an object a byte: runs of small chunks are joined, once each. */
  #compact(): void {
    if (this.#parts.length - this.#settled < RUN) return
    const run = this.#parts.slice(this.#settled)
    const bytes = run.reduce((sum, part) => sum + part.length, 0)
    if (bytes < RUN * SMALL_CHUNK) this.#parts.splice(this.#settled, run.length, Buffer.concat(run, bytes))
    this.#settled = this.#parts.length
  }
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
