/** `initialize` of the legacy era (MCP ≤ 2025-11-25, basic/lifecycle). */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Result } from '../protocol/content.ts'
import { LEGACY_VERSIONS } from '../protocol/eras.ts'
import type { Agent } from '../protocol/exchange.ts'
import { isObject, type JsonObject, own, setOwn } from '../protocol/json.ts'
import type { Notification, Request, RequestId, Signal } from '../protocol/message.ts'
import type { AnnouncedList } from './audience.ts'

/** The client's version when we speak it, else our newest (basic/lifecycle, "Version Negotiation"). */
export function negotiateVersion(wanted: unknown): string {
  return LEGACY_VERSIONS.find((version) => version === wanted) ?? LEGACY_VERSIONS[0]
}

/** The capabilities that are offered while nothing is known of the servers yet: a list may then turn out empty, but nothing is missing. */
const EVERYTHING: JsonObject = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
}

/** Capabilities with lists that can change under the proxy whatever their server says: it may be restarted. */
const LISTS = new Set(['resources', 'prompts'])

/**
 * The capabilities of all servers in one. `tools` and `resources` are always there: the proxy has its own tools, and clients read kept
 * results as `rlm://…` (MCP server/resources, "Capabilities"). Each other one is there when a server has it or is still unknown.
 * A capability of one server is not taken back by another that lacks it.
 */
export function joinCapabilities(servers: readonly (JsonObject | undefined)[]): JsonObject {
  if (servers.some((initialize) => initialize === undefined)) return EVERYTHING
  const joined: JsonObject = { tools: { listChanged: true }, resources: {} }
  for (const initialize of servers) {
    if (!isObject(initialize?.capabilities)) continue
    for (const [name, value] of Object.entries(initialize.capabilities)) {
      if (name === 'tools' || !isObject(value)) continue
      const before = own(joined, name)
      const both = { ...(isObject(before) ? before : {}) }
      for (const [part, able] of Object.entries(value)) if (able !== false) setOwn(both, part, able)
      setOwn(joined, name, LISTS.has(name) ? { ...both, listChanged: true } : both)
    }
  }
  return joined
}

/** Which changes of lists a client that was told these capabilities waits for. */
export function hearsOf(capabilities: JsonObject): (list: AnnouncedList) => boolean {
  return (list) => {
    const capability = own(capabilities, list)
    return isObject(capability) && own(capability, 'listChanged') === true
  }
}

// Requests of the modern era (MCP 2026-07-28), whatever carried them. Contract; `modern.ts` implements it.

/** Where a request came from. */
export interface Requester {
  agent: Agent
  /** The address that it comes from, over HTTP. */
  address?: string | undefined
  /** The profile that it chose by where it sent it. */
  profile?: string | undefined
  id: RequestId
  /** Aborts when the client cancels or leaves: over HTTP by closing the stream. */
  signal: Signal
  /** Sends on the stream of this request. */
  notify(notification: Notification): void
}

export interface ModernService {
  /**
   * Answers one request: `server/discover`, `subscriptions/listen` (which lasts until the signal aborts or the proxy closes) and
   * everything the onion answers. Rejects with RpcError only: -32602 for a broken envelope, -32022 for a revision we do not
   * speak, -32601 for a method that is none.
   */
  serve(request: Request, requester: Requester): Promise<Result>
  /** The input schema of a tool under the name this client knows it by; undefined when there is no such tool. */
  toolSchema(name: string, request: Request, requester: Requester): Promise<JsonObject | undefined>
  /** Ends the subscriptions, each with its result. */
  close(): Promise<void>
}

// Identifies a client over HTTP. Contract; `auth/` implements it, the listener asks it.

/** An authenticated client. */
export interface Principal {
  /** The same for every request of the same client, unique among clients: kept results belong to it. */
  readonly id: string
  /** The name of its token, for people who read the log. */
  readonly name?: string
  /** Seconds since 1970 after which the token no longer counts; absent: it does not expire. */
  readonly expiresAt?: number
  /** The profiles that it may use, and nothing else; absent: everything. */
  readonly profiles?: readonly string[]
}

/** The sender of a request, and its address. */
export interface Visitor {
  /** Undefined: clients need not authenticate. */
  readonly principal: Principal | undefined
  /** The profile that the address names. */
  readonly profile: string | undefined
}

export interface Authenticator {
  /**
   * The sender of the request, from its headers alone. Undefined: unknown, and the response has been written (401 or 403
   * with `WWW-Authenticate`, RFC 6750).
   */
  authenticate(request: IncomingMessage, response: ServerResponse): Promise<Principal | undefined>
  /**
   * Answers a request for a document about authorization (RFC 9728, protected resource metadata) that needs no token. False:
   * it was for something else.
   */
  serve(request: IncomingMessage, response: ServerResponse, url: URL): boolean
}
