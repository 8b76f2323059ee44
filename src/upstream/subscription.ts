/**
 * The one subscription to a modern server (MCP 2026-07-28, `subscriptions/listen`): changes of its lists, and of the resources
 * that clients watch. It is opened again when what is watched changes and when it ends.
 */
import { metaOf, withMeta } from '../protocol/content.ts'
import { MODERN_META } from '../protocol/eras.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Client } from '../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import { type Limits, limitWords } from '../protocol/limits.ts'
import type { Notification, RequestId } from '../protocol/message.ts'
import { type BackoffOptions, backoff, type Later } from './backoff.ts'
import type { Established } from './handshake.ts'

/** Members of the filter, by the capability with the `listChanged` that makes them worth asking for. */
const LIST_FILTERS = {
  toolsListChanged: 'tools',
  promptsListChanged: 'prompts',
  resourcesListChanged: 'resources',
} as const

export interface SubscriptionOptions {
  envelope: JsonObject
  limits: Limits
  backoff: BackoffOptions
  random(): number
  later: Later
  /** The subscription was interrupted: the server told nothing of what changed meanwhile. */
  interrupted(): void
}

/** Milliseconds a new subscription may take before who waits for it goes on without. */
const PATIENCE_MS = 5000

/** Subscriptions that may wait for their acknowledgement: there are servers that give none. Beyond, the oldest goes. */
const MAX_UNACKNOWLEDGED = 4

interface Stream {
  readonly controller: AbortController
  id: RequestId | undefined
  acknowledged: boolean
}

export class Subscription {
  readonly #options: SubscriptionOptions
  readonly #watchers = new Map<string, Set<Client>>()
  readonly #streams = new Set<Stream>()
  #established: Established | undefined
  #failures = 0
  #planned = false
  #waiting: (() => void)[] = []

  constructor(options: SubscriptionOptions) {
    this.#options = options
  }

  /** The server is connected, for the first time or again. */
  began(established: Established): void {
    this.#established = established
    this.#failures = 0
    for (const stream of this.#streams) stream.controller.abort()
    this.#streams.clear()
    this.#open()
  }

  ended(): void {
    this.#established = undefined
  }

  /** True when changes of this list are told. */
  hears(capability: string): boolean {
    const acknowledged = [...this.#streams].some((stream) => stream.acknowledged)
    return acknowledged && announces(this.#established, capability)
  }

  /** Resolves when changes of the resource are told to the client, or nothing more can be done about it. */
  async watch(client: Client, uri: string): Promise<void> {
    const { limits } = this.#options
    if (this.#watchers.size >= limits.serverWatchedResources && !this.#watchers.has(uri))
      throw new RpcError(
        RPC.internalError,
        `No more resources of this server can be watched: ${limitWords('serverWatchedResources', limits)}`,
      )
    const watchers = this.#watchers.get(uri) ?? new Set()
    this.#watchers.set(uri, watchers.add(client))
    if (watchers.size === 1) await this.#renew()
  }

  unwatch(client: Client, uri: string): void {
    const watchers = this.#watchers.get(uri)
    if (!watchers?.delete(client) || watchers.size > 0) return
    this.#watchers.delete(uri)
    void this.#renew()
  }

  /** The client left. */
  forget(client: Client): void {
    for (const uri of [...this.#watchers.keys()]) this.unwatch(client, uri)
  }

  /** The clients that watch the resource. */
  watchersOf(uri: unknown): readonly Client[] {
    return typeof uri === 'string' ? [...(this.#watchers.get(uri) ?? [])] : []
  }

  /** A subscription was acknowledged: those before it are no longer needed. */
  acknowledged(notification: Notification, via: RequestId | undefined): void {
    // Some servers give a number back as a string.
    const id = String(via ?? own(metaOf(notification.params) ?? {}, MODERN_META.subscriptionId))
    const stream = [...this.#streams].find((one) => String(one.id) === id)
    if (!stream) return
    stream.acknowledged = true
    this.#failures = 0
    for (const older of this.#streams) {
      if (older === stream) break
      this.#streams.delete(older)
      older.controller.abort()
    }
    this.#release()
  }

  /** Changes of one moment are one new subscription. */
  #renew(): Promise<void> {
    if (!this.#planned) {
      this.#planned = true
      queueMicrotask(() => {
        this.#planned = false
        this.#open()
      })
    }
    return new Promise((resolve) => {
      const stop = this.#options.later(PATIENCE_MS, resolve)
      this.#waiting.push(() => {
        stop()
        resolve()
      })
    })
  }

  #release(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }

  #open(): void {
    const established = this.#established
    const notifications = this.#filter(established)
    if (established === undefined || Object.keys(notifications).length === 0) {
      for (const stream of this.#streams) stream.controller.abort()
      this.#streams.clear()
      this.#release()
      return
    }
    this.#makeRoom()
    const stream: Stream = { controller: new AbortController(), id: undefined, acknowledged: false }
    this.#streams.add(stream)
    established.peer
      .request(
        {
          method: 'subscriptions/listen',
          params: withMeta({ notifications }, this.#options.envelope),
        },
        {
          signal: stream.controller.signal,
          onId: (id) => {
            stream.id = id
          },
        },
      )
      .then(
        () => this.#lost(established, stream, undefined),
        (error: unknown) => this.#lost(established, stream, error),
      )
  }

  #makeRoom(): void {
    const waiting = [...this.#streams].filter(({ acknowledged }) => !acknowledged)
    for (const stream of waiting.slice(0, Math.max(0, waiting.length + 1 - MAX_UNACKNOWLEDGED))) {
      this.#streams.delete(stream)
      stream.controller.abort()
    }
  }

  #lost(established: Established, stream: Stream, error: unknown): void {
    if (!this.#streams.delete(stream) || this.#established !== established) return
    this.#release()
    if (error instanceof RpcError && error.code === RPC.methodNotFound) return
    this.#failures++
    const delay = backoff(this.#failures, this.#options.backoff, this.#options.random)
    this.#options.later(delay, () => {
      if (this.#established !== established || this.#streams.size > 0) return
      this.#open()
      this.#options.interrupted()
    })
  }

  #filter(established: Established | undefined): JsonObject {
    const filter: JsonObject = {}
    for (const [member, capability] of Object.entries(LIST_FILTERS))
      if (announces(established, capability)) filter[member] = true
    if (this.#watchers.size > 0) filter.resourceSubscriptions = [...this.#watchers.keys()]
    return filter
  }
}

function announces(established: Established | undefined, capability: string): boolean {
  const capabilities = established && own(established.initialize, 'capabilities')
  const one = isObject(capabilities) ? own(capabilities, capability) : undefined
  return isObject(one) && one.listChanged === true
}

/** A notification as a legacy client knows it: without the subscription it came on. */
export function withoutSubscription(notification: Notification): Notification {
  const { _meta, ...params } = notification.params ?? {}
  const meta = Object.entries(isObject(_meta) ? _meta : {}).filter(
    ([key]) => key !== MODERN_META.subscriptionId,
  )
  return {
    ...notification,
    params: meta.length > 0 ? { ...params, _meta: Object.fromEntries(meta) } : params,
  }
}
