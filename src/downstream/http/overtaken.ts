/**
 * Cancellations that arrived before their request. Each message of a client has an HTTP request of its own, so a
 * `notifications/cancelled` can overtake the request it means; unheeded, the call would run to its time limit.
 */
import type { JsonRpcMessage, RequestId } from '../../protocol/message.ts'

/** Milliseconds in which the request of a cancellation must follow it. */
const FOLLOWS_MS = 10_000

/** Cancellations kept at once, and answered ids known: a client can send any number of either. */
const KEPT = 256

export class Overtaken {
  readonly #cancelled = new Map<RequestId, { message: JsonRpcMessage; since: number }>()
  readonly #answered = new Set<RequestId>()
  readonly #now: () => number

  /** @param now milliseconds since any fixed time */
  constructor(now: () => number) {
    this.#now = now
  }

  /** The request has its answer: a cancellation that comes now came too late, and says nothing of a later use of its id. */
  answered(id: RequestId): void {
    this.#answered.delete(id)
    this.#answered.add(id)
    keepNewest(this.#answered)
  }

  /** Keeps the cancellation of a request that is not under way. */
  keep(id: RequestId, message: JsonRpcMessage): void {
    if (this.#answered.has(id)) return
    this.#cancelled.set(id, { message, since: this.#now() })
    keepNewest(this.#cancelled)
  }

  /** The cancellation that overtook this request, once. */
  claim(id: RequestId): JsonRpcMessage | undefined {
    const kept = this.#cancelled.get(id)
    if (!kept) return undefined
    this.#cancelled.delete(id)
    const age = this.#now() - kept.since
    return age >= 0 && age <= FOLLOWS_MS ? kept.message : undefined
  }
}

function keepNewest(kept: Set<RequestId> | Map<RequestId, unknown>): void {
  if (kept.size > KEPT) kept.delete(kept.keys().next().value as RequestId)
}
