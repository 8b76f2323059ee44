/**
 * Sessions at HTTP servers that connections of several processes have in common. The calls of one client come to one replica and then to
 * another. It still has one session at a server, as it would have without the proxy.
 */
import type { Client } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/json.ts'

/** A session that a server gave, and what it said in its handshake. */
export interface ServerSession {
  readonly id: string
  readonly initialize: JsonObject
}

/** The session that another process may know, wanted now. */
export type FoundSession =
  /** There is one: go on with it. */
  | { readonly known: ServerSession }
  /** There is none. Other processes begin none until `begun` is called. It resolves with true when the others know the new session. */
  | { begun(session: ServerSession | undefined): Promise<boolean> }

/** The sessions of all clients at all servers. Nothing of it rejects: what cannot be shared is not. */
export interface SharedSessions {
  /**
   * The session of this client at this server. Waits a while for another process that is beginning one. `gone`: the id of one that the server
   * has forgotten.
   */
  find(client: Client, server: string, gone: string | undefined): Promise<FoundSession>
}

/** The same, for one connection. */
export interface SharedSession {
  find(gone: string | undefined): Promise<FoundSession>
  /** True: other processes may go on with the session. */
  mayStay(): boolean
}

/** A transport with a session at its server. */
export interface ResumableSession {
  /** Undefined: the server gave none. */
  readonly id: string | undefined
  /** From now on messages belong to this session, which the server gave earlier. Undefined: to none, until a handshake. */
  resume(session: { id: string; version: string } | undefined): void
  /** Hears what belongs to no request, as after a handshake. */
  listen(): void
  /** Asked when the connection closes. True: the session stays at the server. */
  mayStay: () => boolean
}
