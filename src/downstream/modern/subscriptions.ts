/** All `subscriptions/listen` that are open (MCP 2026-07-28, basic/subscriptions), and what servers watch for them. */
import { MODERN_META } from '../../protocol/eras.ts'
import { messageOf, RPC, RpcError } from '../../protocol/errors.ts'
import type { Agent, Client } from '../../protocol/exchange.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Notification } from '../../protocol/message.ts'
import type { Audience } from '../audience.ts'
import type { Requester } from '../modern-service.ts'
import type { Backend } from '../session.ts'
import { type Filter, honour, isEmpty, readFilter } from './filter.ts'
import { Subscription } from './subscription.ts'
import { createWatches, type Watches, type WatchMethod } from './watches.ts'

export interface SubscriptionsOptions {
  backend: Pick<Backend, 'handler' | 'describe' | 'logger' | 'toolsChange'>
  audience: Pick<Audience, 'add' | 'remove'>
}

export interface Subscriptions {
  /** Lasts until the client leaves, which rejects, or `close`, which gives its result. */
  listen(client: Client, params: JsonObject, requester: Requester): Promise<JsonObject>
  /** To the client's subscriptions that asked for it. */
  notify(client: Client, notification: Notification): void
  close(): void
}

/** Subscriptions in all, and of one agent that is known. */
const MAX_OPEN = 1024
const MAX_OF_AGENT = 64

/** Milliseconds that the acknowledgement waits for servers to begin watching: what changes after it must be told. */
const PATIENCE_MS = 5000

interface Listener {
  readonly subscriptions: Set<Subscription>
  readonly watches: Watches
}

export function createSubscriptions({ backend, audience }: SubscriptionsOptions): Subscriptions {
  const listeners = new Map<Client, Listener>()
  const watches = new WeakMap<Client, Watches>()

  function watchesOf(client: Client): Watches {
    const known = watches.get(client)
    if (known) return known
    const made = createWatches((method, uri) => watch(client, method, uri))
    watches.set(client, made)
    return made
  }

  /** False when no server takes it, which the client would not have learned from a server either. */
  async function watch(client: Client, method: WatchMethod, uri: string): Promise<boolean> {
    const params = { uri, _meta: envelopeOf(client) }
    const { signal } = new AbortController()
    try {
      await backend.handler({ method, params, client, agent: client.agent, signal, notify: () => {} })
      return true
    } catch (error) {
      backend.logger.debug({ method, uri, error: messageOf(error) }, 'a resource is not watched')
      return false
    }
  }

  function refuseTooMany(agent: Agent): void {
    const counts = [...listeners].map(([client, { subscriptions }]) => ({
      own: client.agent.kind === agent.kind && client.agent.id === agent.id,
      open: subscriptions.size,
    }))
    const sum = (some: typeof counts): number => some.reduce((total, { open }) => total + open, 0)
    // Clients that nobody can tell apart cannot use up each other's share.
    const mine = agent.kind === 'anonymous' ? 0 : sum(counts.filter(({ own }) => own))
    if (sum(counts) >= MAX_OPEN || mine >= MAX_OF_AGENT)
      throw new RpcError(RPC.internalError, 'Subscription limit reached: end another one first')
  }

  function open(client: Client, subscription: Subscription): Listener {
    const listener = listeners.get(client) ?? { subscriptions: new Set(), watches: watchesOf(client) }
    listener.subscriptions.add(subscription)
    if (listener.subscriptions.size > 1) return listener
    listeners.set(client, listener)
    audience.add(
      client,
      (list) =>
        (list !== 'tools' || backend.toolsChange?.(client) !== false) &&
        [...listener.subscriptions].some(({ filter }) => filter.lists.has(list)),
    )
    return listener
  }

  function drop(client: Client, listener: Listener, subscription: Subscription): void {
    listener.subscriptions.delete(subscription)
    for (const uri of subscription.filter.uris) listener.watches.remove(uri)
    if (listener.subscriptions.size > 0) return
    listeners.delete(client)
    audience.remove(client)
  }

  return {
    async listen(client, params, requester) {
      refuseTooMany(client.agent)
      const { capabilities, serverInfo } = backend.describe({ profile: client.profile })
      const filter = honour(readFilter(params), capabilities)
      const subscription = new Subscription(filter, requester)
      const listener = open(client, subscription)
      try {
        await watched(filter, listener.watches, subscription)
        if (!requester.signal.aborted) subscription.acknowledge()
        if (isEmpty(filter)) subscription.end()
        await subscription.over
      } finally {
        drop(client, listener, subscription)
      }
      if (requester.signal.aborted) throw new RpcError(RPC.cancelled, 'the client cancelled')
      const _meta = { [MODERN_META.subscriptionId]: requester.id, [MODERN_META.serverInfo]: serverInfo }
      return { resultType: 'complete', _meta }
    },
    notify(client, notification) {
      for (const subscription of listeners.get(client)?.subscriptions ?? []) subscription.tell(notification)
    },
    close() {
      for (const { subscriptions } of listeners.values())
        for (const subscription of subscriptions) subscription.end()
    },
  }
}

/** Resolves when the servers answered, or nobody waits for that any more. */
async function watched({ uris }: Filter, watches: Watches, { over }: Subscription): Promise<void> {
  const answers = [...uris].map((uri) => watches.add(uri))
  if (answers.length === 0) return
  let timer: NodeJS.Timeout | undefined
  const impatient = new Promise((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS).unref()
  })
  await Promise.race([Promise.all(answers), over, impatient])
  clearTimeout(timer)
}

/** What a request of the proxy's own says of the client it is made for. */
function envelopeOf({ protocolVersion, info, capabilities }: Client): JsonObject {
  return {
    [MODERN_META.protocolVersion]: protocolVersion,
    [MODERN_META.clientInfo]: info,
    [MODERN_META.clientCapabilities]: capabilities,
  }
}
