/** Cuts a byte stream into lines, in time linear in its length, whatever the sizes of lines and chunks. */
import type { Watch } from './growing-bytes.ts'
import { type Edges, MessageBytes } from './message-bytes.ts'

/** A line that was thrown away. */
export interface DiscardedLine extends Edges {
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
  /** Told of long lines while they come. */
  watch?: Watch | undefined
}

const NEWLINE = 0x0a

/** The newline is searched only in the chunk that just came. */
export class LineReader {
  readonly #options: LineReaderOptions
  readonly #line: MessageBytes

  constructor(options: LineReaderOptions) {
    this.#options = options
    this.#line = new MessageBytes(options.maxBytes, options.watch)
  }

  /** Bytes of the line that has no end yet. */
  get unfinished(): number {
    return this.#line.length
  }

  push(chunk: Buffer): void {
    let start = 0
    let end = chunk.indexOf(NEWLINE)
    while (end !== -1) {
      this.#line.add(chunk.subarray(start, end))
      this.#finish()
      start = end + 1
      end = chunk.indexOf(NEWLINE, start)
    }
    if (start < chunk.length) this.#line.add(start === 0 ? chunk : chunk.subarray(start))
  }

  #finish(): void {
    if (this.#line.length === 0) return
    const { parts, length, edges } = this.#line.take()
    if (edges !== undefined) this.#options.onDiscarded({ ...edges, length })
    else this.#options.onLine(parts, length)
  }
}
