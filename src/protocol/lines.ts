/** Cuts a byte stream into lines, in time linear in its length, whatever the sizes of lines and chunks. */
import { type Edges, MessageBytes, type Watch } from './bytes.ts'

/** A line that was thrown away. */
export interface DiscardedLine extends Edges {
  /** Length in bytes without the newline. */
  length: number
}

interface LineReaderOptions {
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

// Writes lines to a stream, and waits with whoever waits until it takes more.

/** The part of a writable stream that is used here. */
interface LineOutput {
  write(chunk: string | Uint8Array): boolean
  cork(): void
  uncork(): void
  once(event: 'drain' | 'close', listener: () => void): unknown
  off(event: 'drain' | 'close', listener: () => void): unknown
}

const TAKEN = Promise.resolve()

/**
 * What is written in one turn of the event loop goes out at once at its end: every write of its own is a system call, and wakes
 * whoever reads. With many requests under way that is most of what a proxy does.
 */
export class LineWriter {
  readonly #output: LineOutput
  #gathering = false
  #draining: Promise<void> | undefined

  constructor(output: LineOutput) {
    this.#output = output
  }

  /** Lines whole or in parts, with their newlines. Resolves when the stream can take more, or is closed. */
  write(...parts: readonly (string | Uint8Array)[]): Promise<void> {
    this.#gather()
    let taken = true
    for (const part of parts) taken = this.#output.write(part)
    return taken ? TAKEN : this.#drained()
  }

  /** Hands over what was gathered, for an end that comes before the turn's. */
  flush(): void {
    if (!this.#gathering) return
    this.#gathering = false
    this.#output.uncork()
  }

  #gather(): void {
    if (this.#gathering) return
    this.#gathering = true
    this.#output.cork()
    process.nextTick(() => this.flush())
  }

  /** One promise for all who wait: a reader that is slow must not gather listeners. */
  #drained(): Promise<void> {
    this.#draining ??= new Promise<void>((resolve) => {
      const done = (): void => {
        this.#output.off('drain', done)
        this.#output.off('close', done)
        this.#draining = undefined
        resolve()
      }
      this.#output.once('drain', done)
      this.#output.once('close', done)
    })
    return this.#draining
  }
}
