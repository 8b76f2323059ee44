/** Readers of response bodies. */
import type { Watch } from '../../protocol/growing-bytes.ts'
import { MessageBytes, type TakenBytes } from '../../protocol/message-bytes.ts'

export interface BodyReader {
  data(chunk: Buffer): void
  /** The body is complete. Not called for one that broke off. */
  end(): void
}

/** Reads past a body that says nothing of interest, so that the connection can be used again. */
export const IGNORED: BodyReader = { data: () => {}, end: () => {} }

/** A whole body, when it is complete or, without its middle, as soon as it is longer than the limit. */
export class WholeBody implements BodyReader {
  readonly #bytes: MessageBytes
  readonly #whole: (body: TakenBytes) => void
  #done = false

  constructor(maxBytes: number, whole: (body: TakenBytes) => void, watch?: Watch) {
    this.#bytes = new MessageBytes(maxBytes, watch)
    this.#whole = whole
  }

  data(chunk: Buffer): void {
    if (this.#done) return
    this.#bytes.add(chunk)
    if (this.#bytes.tooLong) this.end()
  }

  end(): void {
    if (this.#done) return
    this.#done = true
    this.#whole(this.#bytes.take())
  }
}
