/** A request sent and not yet answered: its time limit, its progress, its cancellation. */
import type { JsonObject } from './json.ts'
import type { RequestId } from './message.ts'
import type { RequestOptions } from './peer.ts'
import type { Result } from './result.ts'

/** Who sent it. */
export interface PendingOwner {
  /** It is settled, however that came. */
  settled(pending: Pending): void
  /** Nobody waits for the answer any more: the other side may stop. */
  givenUp(pending: Pending, reason: string): void
}

/** Rejects a request that got no answer in time. */
export class RequestTimeout extends Error {
  override readonly name = 'RequestTimeout'
}

/** There is one for every call, so it is an object that listens itself, and not a handful of functions. */
export class Pending {
  readonly id: number
  readonly method: string
  readonly relatedRequestId: RequestId | undefined
  readonly #options: RequestOptions
  readonly #owner: PendingOwner
  readonly #resolve: (result: Result) => void
  readonly #reject: (error: Error) => void
  readonly #timer: NodeJS.Timeout | undefined

  constructor(
    { id, method, options }: { id: number; method: string; options: RequestOptions },
    owner: PendingOwner,
    resolve: (result: Result) => void,
    reject: (error: Error) => void,
  ) {
    this.id = id
    this.method = method
    this.relatedRequestId = options.relatedRequestId
    this.#options = options
    this.#owner = owner
    this.#resolve = resolve
    this.#reject = reject
    options.signal?.addEventListener('abort', this)
    if (options.timeoutMs !== undefined) this.#timer = setTimeout(expire, options.timeoutMs, this)
  }

  resolve(result: Result): void {
    this.#finish()
    this.#resolve(result)
  }

  reject(error: Error): void {
    this.#finish()
    this.#reject(error)
  }

  /** The other side is at work: the time limit begins anew. Who was given no token has no progress to tell. */
  progressed(params: JsonObject): void {
    const { onProgress } = this.#options
    if (onProgress === undefined) return
    this.#timer?.refresh()
    onProgress(params)
  }

  /** The time limit was reached. */
  expired(): void {
    const { paused, timeoutMs = 0 } = this.#options
    if (paused?.()) this.#timer?.refresh()
    else this.#giveUp('timeout', new RequestTimeout(`no answer within ${timeoutMs / 1000} s`))
  }

  /** The signal aborted. */
  handleEvent(): void {
    const { signal } = this.#options
    this.#giveUp('the client cancelled', signal ? abortError(signal) : new Error('cancelled'))
  }

  #giveUp(reason: string, error: Error): void {
    this.reject(error)
    this.#owner.givenUp(this, reason)
  }

  #finish(): void {
    clearTimeout(this.#timer)
    this.#options.signal?.removeEventListener('abort', this)
    this.#owner.settled(this)
  }
}

/** What an aborted request rejects with. */
export function abortError(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('cancelled')
}

function expire(pending: Pending): void {
  pending.expired()
}
