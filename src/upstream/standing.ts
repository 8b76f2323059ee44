/** What a client set up on a server and would lose with the connection: its log level and its subscriptions. */
import { own } from '../protocol/json.ts'
import type { Request } from '../protocol/message.ts'

/** Subscriptions that are set up again, the newest. */
const MAX_SUBSCRIPTIONS = 1000

export class Standing {
  readonly #requests = new Map<string, Request>()

  /** Takes note of a request that succeeded. */
  note(request: Request): void {
    const uri = request.params && own(request.params, 'uri')
    if (request.method === 'logging/setLevel') this.#requests.set('', request)
    if (typeof uri !== 'string') return
    if (request.method === 'resources/unsubscribe') this.#requests.delete(`uri ${uri}`)
    if (request.method === 'resources/subscribe') {
      this.#requests.set(`uri ${uri}`, request)
      const [oldest] = this.#requests.keys()
      if (this.#requests.size > MAX_SUBSCRIPTIONS && oldest !== undefined) this.#requests.delete(oldest)
    }
  }

  /** The requests that set it all up again. */
  get requests(): readonly Request[] {
    return [...this.#requests.values()]
  }
}
