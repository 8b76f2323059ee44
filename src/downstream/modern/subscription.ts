/** One `subscriptions/listen` under way: a stream of what the client asked to be told. */
import { MODERN_META, withMeta } from '../../protocol/eras.ts'
import { own } from '../../protocol/json.ts'
import type { Notification } from '../../protocol/message.ts'
import type { Requester } from '../modern-service.ts'
import { accepts, type Filter, writeFilter } from './filter.ts'

export class Subscription {
  readonly filter: Filter
  /** Resolves when the client left or `end` was called. */
  readonly over: Promise<void>
  readonly #requester: Requester
  /** What came before the acknowledgement, which has to be the first message: the last of each kind and resource. */
  #early: Map<string, Notification> | undefined = new Map()
  #end: () => void = () => {}

  constructor(filter: Filter, requester: Requester) {
    this.filter = filter
    this.#requester = requester
    const { signal } = requester
    this.over = new Promise((resolve) => {
      this.#end = () => {
        signal.removeEventListener('abort', this.#end)
        resolve()
      }
      signal.addEventListener('abort', this.#end, { once: true })
      if (signal.aborted) this.#end()
    })
  }

  /** Says what of the request is honoured. From now on notifications flow. */
  acknowledge(): void {
    const params = { notifications: writeFilter(this.filter) }
    this.#send({ method: 'notifications/subscriptions/acknowledged', params })
    const early = this.#early
    this.#early = undefined
    for (const notification of early?.values() ?? []) this.#send(notification)
  }

  /** Passes a notification on when it is one that was asked for. */
  tell(notification: Notification): void {
    if (!accepts(this.filter, notification)) return
    if (!this.#early) return this.#send(notification)
    const { method, params } = notification
    this.#early.set(`${method} ${String(params && own(params, 'uri'))}`, notification)
  }

  end(): void {
    this.#end()
  }

  /** Every message names the subscription by the id of its request, as it came. */
  #send({ method, params }: Notification): void {
    this.#requester.notify({
      method,
      params: withMeta(params, { [MODERN_META.subscriptionId]: this.#requester.id }),
    })
  }
}
