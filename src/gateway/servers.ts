/** The servers of the configuration, and what is done with what they say unasked. */
import { identityOf } from '../config/identity.ts'
import type { Config } from '../config/schema.ts'
import type { ServerConfig } from '../config/servers.ts'
import { packageVersion } from '../config/version.ts'
import type { Audience } from '../downstream/audience.ts'
import type { AddressBook } from '../pipeline/address-book.ts'
import { PROXY_NAME } from '../protocol/chain.ts'
import type { Client } from '../protocol/exchange.ts'
import type { Logger } from '../telemetry/log.ts'
import type { Authorizer } from '../upstream/authorizer.ts'
import type { Arriving } from '../upstream/envelope.ts'
import type { ServerOptions, UpstreamsOptions } from '../upstream/options.ts'
import { createUpstreams } from '../upstream/pool.ts'
import type { UpstreamEvents, Upstreams } from '../upstream/upstreams.ts'

export interface ServersParts {
  audience: Audience
  book: AddressBook
  /** Who signs in at a server; undefined: nobody. */
  authorizer(server: string): Authorizer | undefined
  logger: Logger
  /** Milliseconds since any moment, by a clock that nobody sets. */
  now(): number
  /** Longest message taken from a server, in bytes. */
  maxMessageBytes: number
  /** Told of long responses while they come. */
  arriving: Arriving | undefined
  /** Those of the servers that are there for a client. */
  reached: NonNullable<UpstreamsOptions['reached']>
  /** Asks a client that no request under way belongs to. */
  ask: NonNullable<UpstreamEvents['ask']>
}

export function openUpstreams(config: Config, parts: ServersParts): Upstreams {
  const { audience, book, authorizer, logger, now, maxMessageBytes } = parts
  const { settings } = config
  const limit = Math.min(settings.maxResponseSize, settings.maxResponseTokens ?? Number.POSITIVE_INFINITY)
  const isReached = (server: string, client: Client): boolean => parts.reached([server], client).length > 0
  return createUpstreams({
    servers: serverOptionsOf(config),
    defaults: {
      listWaitMs: settings.connect.listWaitMs,
      ...(settings.connect.idleMs !== undefined && { idleMs: settings.connect.idleMs }),
      // What is not longer than the limit in bytes cannot exceed it in characters, so it is parsed and passes.
      largeBytes: limit,
      maxMessageBytes,
    },
    identity: identityOf(config),
    clientInfo: { name: PROXY_NAME, version: packageVersion() },
    events: {
      changed: (server, kind, concerns) =>
        audience.announce(
          kind === 'resourceTemplates' ? 'resources' : kind,
          (client) => concerns(client) && isReached(server, client),
        ),
      notification: (server, notification, client) =>
        audience.notify(notification, {
          client,
          server,
          as: (receiver) => book.notification(server, notification, receiver),
        }),
      ask: parts.ask,
    },
    logger,
    arriving: parts.arriving,
    dataDir: settings.dataDir,
    now,
    authorizer,
    reached: parts.reached,
  })
}

/** By name. Everything that may change while the proxy runs. */
export function serverOptionsOf({ servers, settings: { connect } }: Config): Record<string, ServerOptions> {
  const limits = { connectTimeoutMs: connect.timeoutMs, lazy: connect.lazy }
  return Object.fromEntries(servers.map((server) => [server.name, { ...toServerOptions(server), ...limits }]))
}

function toServerOptions(server: ServerConfig): ServerOptions {
  const { instance, callTimeoutMs: timeoutMs } = server
  if (server.transport === 'stdio') {
    const { command, args, env, cwd } = server
    return { command, args, env, cwd, instance, timeoutMs }
  }
  if (server.transport === 'in-process') {
    const { id, serve } = server
    return { id: `in-process:${id}`, serve, instance, timeoutMs }
  }
  const { url, headers, transport, oauth } = server
  return { url, headers, instance, timeoutMs, oauth, ...(transport !== 'auto' && { type: transport }) }
}
