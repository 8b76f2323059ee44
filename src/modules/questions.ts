/** One question that a server asks by its result, on its way through the modules: to the client, and its answer back. */
import { RPC, RpcError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Request } from '../protocol/message.ts'
import { plain, type Result } from '../protocol/result.ts'
import type { Answer } from './stack.ts'

/** Takes a question through the modules; what they let through comes to `answer`, and the end is what the server gets. */
export type Through = (answer: Answer) => Promise<Result>

/** A question as the modules left it, and who waits for its answer. */
interface Open {
  readonly request: Request
  answer(result: JsonObject): void
}

export class Question {
  readonly key: string
  readonly #outcome: Promise<Result>
  readonly #signal: AbortSignal
  #open: Open | undefined
  #opened: Promise<void> = Promise.resolve()
  #wake: () => void = () => {}

  constructor(key: string, through: Through, signal: AbortSignal) {
    this.key = key
    this.#signal = signal
    this.#close()
    this.#outcome = through((request) => this.#ask(request))
    this.#outcome.catch(() => {})
  }

  /** What the client is to be asked. Undefined: it was not let through yet, or has its answer. */
  get request(): Request | undefined {
    return this.#open?.request
  }

  /** Resolves when the client has to be asked, or nobody any more. Rejects when it was refused. */
  async moved(): Promise<void> {
    await Promise.race([this.#opened, this.#outcome])
  }

  /** What the server gets. */
  async result(): Promise<JsonObject> {
    return plain(await this.#outcome)
  }

  answer(result: JsonObject): void {
    this.#open?.answer(result)
  }

  /** A module may ask more than once; the last time counts. */
  #ask(request: Request): Promise<Result> {
    const signal = this.#signal
    return new Promise((resolve, reject) => {
      const withdraw = (): void => {
        this.#open = undefined
        reject(new RpcError(RPC.cancelled, 'the question was withdrawn'))
      }
      if (signal.aborted) return withdraw()
      signal.addEventListener('abort', withdraw, { once: true })
      const answer = (result: JsonObject): void => {
        signal.removeEventListener('abort', withdraw)
        this.#close()
        resolve(result)
      }
      this.#open = { request, answer }
      this.#wake()
    })
  }

  #close(): void {
    this.#open = undefined
    this.#opened = new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}
