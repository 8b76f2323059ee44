/** Writes lines to a stream, and waits with whoever waits until it takes more. */

/** The part of a writable stream that is used here. */
export interface LineOutput {
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
