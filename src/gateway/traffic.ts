/** What passes between clients and servers beside exchanges goes through the modules as well: notifications of both directions, and questions of servers. */
import type { Notice } from '../module-runtime/module.ts'
import type { Stack } from '../module-runtime/stack.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Client } from '../protocol/exchange.ts'
import type { Notification } from '../protocol/message.ts'
import type { Tell } from '../server/audience.ts'
import type { Backend } from '../server/legacy.ts'
import type { UpstreamEvents, Upstreams } from '../upstream/contract.ts'

/** Tells a client what a server or the proxy says. */
export function tellThrough(stack: Stack): Tell {
  return (client, notification, server) => {
    if (server !== undefined && !stack.reaches(server, client.profile)) return
    void stack.notify({ ...notification, toward: 'client', client, server }, (notice) =>
      client.notify(notificationOf(notice)),
    )
  }
}

/** Tells servers what a client says. */
export function notifyThrough(stack: Stack, upstreams: Upstreams): Backend['notified'] {
  return (client, notification) => {
    void stack.notify({ ...notification, toward: 'server', client }, (notice) =>
      upstreams.broadcast(notificationOf(notice), client),
    )
  }
}

/** Puts a question of a server to a client. */
export function askThrough(stack: Stack): NonNullable<UpstreamEvents['ask']> {
  return async (server, client, request, signal) => {
    if (!stack.reaches(server, client.profile))
      throw new RpcError(RPC.methodNotFound, `Method not found: ${request.method}`)
    return stack.ask(
      { request, client, agent: client.agent, signal, server, notify: client.notify },
      (asked, until) => client.ask(asked, until),
    )
  }
}

function notificationOf({ method, params }: Notice): Notification {
  return params === undefined ? { method } : { method, params }
}

/** Tells those who listen that a client is gone. */
export function createDepartures(): {
  listen(heard: (client: Client) => void): void
  announce(client: Client): void
} {
  const listeners: ((client: Client) => void)[] = []
  return {
    listen: (heard) => void listeners.push(heard),
    announce(client) {
      for (const heard of listeners) heard(client)
    },
  }
}
