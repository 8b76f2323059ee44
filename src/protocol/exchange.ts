/** The vocabulary of the onion: an exchange, the handler that answers it, the middleware around it. */

import type { ClientRule } from './client-rules.ts'
import type { Result } from './content.ts'
import type { Destination, Limit } from './effects.ts'
import type { Era } from './eras.ts'
import type { JsonObject } from './json.ts'
import type { Notification, Request, RequestId, Signal } from './message.ts'
import type { Origin } from './origin.ts'
import type { Timed } from './timing.ts'

/** The owner of kept results: an authenticated principal, an HTTP session, the one local client, or an unknown owner. */
export interface Agent {
  readonly id: string
  readonly kind: 'principal' | 'session' | 'local' | 'anonymous'
  /** The name of the token of a principal, for people who read the log. */
  readonly name?: string
}

/**
 * Which servers a client may use: the ones that every limit lets a client with this profile reach. The limits change with the
 * configuration.
 */
export interface Reach {
  readonly limits: readonly ((server: string, profile: string | undefined) => boolean)[]
}

/** One connected client, as everything inside the proxy sees it. */
export interface Client {
  /** Unique among the clients of this proxy, also over time. */
  readonly id: string
  readonly agent: Agent
  /** The era of the protocol that it speaks. A modern client has no session: requests with the same owner and `clientInfo` are one client. */
  readonly era: Era
  /** `clientInfo` of its initialize request or (modern) of the request, unchanged. */
  readonly info: JsonObject
  /** The behaviour of this client with tools and results. Absent: it is not in the table of clients. */
  readonly rule?: ClientRule | undefined
  /** The capabilities that it declares, in the same place. */
  readonly capabilities: JsonObject
  readonly protocolVersion: string
  /** The profile that it chose by where it connected. Absent: it chose none. */
  readonly profile?: string
  /** When the client is a proxy: the proxies that its requests have come through. */
  readonly via?: readonly string[]
  /** False while the client has no stream open and no request under way: it may have vanished. Absent: its connection tells when it leaves. */
  isListening?(): boolean
  /** True: after its session has ended here the client may come back to it, at this proxy or another. Absent: it cannot. */
  mayReturn?(): boolean
  /** Sends a notification that belongs to no request. Never throws; a client that left gets nothing. */
  notify(notification: Notification): void
  /**
   * Asks the client (sampling, elicitation, roots, ping). Rejects with RpcError when it refuses, and always in the modern era,
   * where a server asks by its result.
   */
  ask(request: Request, signal?: Signal): Promise<Result>
}

/** The cost of an answer for its reader, and the cost of the whole result, as it was counted. */
export interface Savings {
  readonly originalTokens?: number
  readonly originalCharacters?: number
  readonly deliveredTokens?: number
  /** The result was held out: it passed whole where others get a preview, for comparison. */
  readonly isHeldOut?: boolean
  /** Of a query: sizes in characters, counts and errors by step. */
  readonly steps?: JsonObject
}

/** The kinds of lists, by the member of the result that holds them. */
export type ListKind = 'tools' | 'prompts' | 'resources' | 'resourceTemplates'

/** Tells when a remembered list is no longer true. */
export interface ListSource {
  /** How often servers, modules or settings have announced other lists of this kind. */
  changes(kind: ListKind): number
  /** The lists of the servers for this client now: the same object as long as they list the same. Undefined: unknown. */
  current(kind: ListKind, exchange: Exchange): Promise<object | undefined>
}

/** The source of a list. It travels with the request; the router fills in `servers`. */
export interface ListBasis {
  /** `ListSource.changes` when the list was asked for. */
  readonly changes: number | undefined
  /** `ListSource.current` as it was put into the list. */
  servers?: object
}

/** A request to a server on behalf of an exchange. */
export interface Sent {
  readonly server: string
  readonly request: Request
  /** The server is a process of this machine, or of this one. */
  readonly local: boolean
  /** The revision that was agreed with the server, where it said one. */
  readonly protocolVersion: string | undefined
}

/** One JSON-RPC request under way. `S`: an AbortSignal for code of an embedding program. */
export interface Exchange<S extends Signal = Signal> {
  readonly method: string
  /** As received, never mutated: a middleware that changes something passes a copy on. */
  readonly params: JsonObject
  readonly client: Client
  readonly agent: Agent
  /** Aborts when the client cancels or leaves. */
  readonly signal: S
  /** `client`: a request of a server to a client (sampling, elicitation, roots), on its way through the modules. */
  readonly toward?: 'client'
  /** The server that asks, of such a request. */
  readonly server?: string
  /** Progress and log messages, back to this requester, on this request's stream. `server`: the server that sent them. */
  notify(notification: Notification, server?: string): void
  /** Sampling, elicitation and roots, to this requester, on this request's stream. Absent in the modern era. */
  ask?(request: Request, signal?: Signal, server?: string): Promise<Result>
  /** Set by the proxy's own tools: keep the result whatever its size. */
  readonly keep?: true
  /** Set by the proxy's own tools: follow the pages of a collection, and answer with all of it. */
  readonly all?: true
  /** Called with words that say whether a collection is complete, after its pages were followed. */
  readonly onCollected?: ((standing: string) => void) | undefined
  /**
   * A layer that strikes something out of the texts of the result says here how it does so, as `TextChange` in
   * `src/text/change/change-rules.ts`. A layer further out then changes text from a file in the same way.
   */
  readonly onStruck?: ((change: object) => void) | undefined
  /** Told under which handle the result is kept. A statement about that in `_meta` is for clients: a server can write there, too. */
  readonly onKept?: ((handle: string) => void) | undefined
  /** Called with what the answer saves, by the layer that made it smaller. Not in `_meta`: some clients show that to their model. */
  readonly onSaved?: ((savings: Savings) => void) | undefined
  /** Called with the time that each layer and the server took. Absent: nothing is timed. */
  onTimed?(part: Timed): void
  /**
   * Sends each request to a server on behalf of this exchange: the one in `sent`, or one that says more in its `_meta`. `onId` is told the
   * JSON-RPC id. Absent: requests go out as they are.
   */
  sending?(
    sent: Sent,
    send: (request: Request, onId?: (id: RequestId) => void) => Promise<Result>,
  ): Promise<Result>
  /** Told of each request to a server on behalf of this exchange, once it is over. Without a result: it failed. */
  readonly onServed?: ((server: string, request: Request, result?: Result) => void) | undefined
  /** Set by the proxy's own tools: JSON of the arguments, which are not shown. Those in `params` are what may be, and stand for them. */
  readonly supplied?: Uint8Array<SharedArrayBuffer>
  /**
   * Called when it is known where the request ends, before it is sent to the server. Lists tell the owner of a name only as far as servers
   * answered. An error that it throws is the answer.
   */
  admit?(destination: Destination): void | Promise<void>
  /** Set where a tool calls another: the most that the other may do. The router holds the call to it. */
  readonly limit?: Limit
  /** Set by the modules: the client no longer waits for this call. No server is asked; what is held for it is given up. */
  readonly isOver?: true
  /** Set by an exposure that hides the servers' tools: the proxy's own are listed, and no server is waited for. */
  readonly listing?: 'own'
  /** Of a request for a list: what the list is made from. Set where the list is remembered first. */
  readonly basis?: ListBasis
  /** Set for programs: a server that failed is an error, not a result with words for a model. */
  readonly failing?: 'throws'
}

/** Answers an exchange. Rejects with RpcError what the client is to read, with ProxyError what went wrong here. */
export type Handler<S extends Signal = Signal> = (exchange: Exchange<S>) => Promise<Result>

/** One list as a client gets it at a place of the onion. */
export interface Listed {
  readonly kind: ListKind
  /** As it came, which may be bytes. */
  readonly passing: Result
  /** The same as an object. Throws when its bytes are no JSON. */
  readonly result: JsonObject
  /** The items that are objects. */
  readonly items: readonly JsonObject[]
  /** The items by name or URI; of two with one name the last. */
  readonly byName: ReadonlyMap<string, JsonObject>
}

/** The lists at one place of the onion, remembered for each client. All reject as the request for the list does. */
export interface Lists {
  /** Makes the list that this request asks for, and remembers it. */
  ask(exchange: Exchange): Promise<Listed>
  /** The list that came last, however old; undefined when this client has got none. */
  last(kind: ListKind, client: Client): Listed | undefined
  /** The list that came last, made when there is none. For what has to agree with what the client was told. */
  known(kind: ListKind, exchange: Exchange): Listed | Promise<Listed>
  /** The list that came last, made again when other lists were announced since. Asks no server where nothing was announced. */
  unchanged(kind: ListKind, exchange: Exchange): Listed | Promise<Listed>
  /** The current list: as remembered while servers list the same and nothing was announced, else made again. */
  current(kind: ListKind, exchange: Exchange): Promise<Listed>
  /** The list as it is made again. */
  fresh(kind: ListKind, exchange: Exchange): Promise<Listed>
  /** The item of this name in the last list, or in a new one when it is not there; undefined when it is not listed. */
  find(
    kind: ListKind,
    name: string,
    exchange: Exchange,
  ): JsonObject | undefined | Promise<JsonObject | undefined>
  /** The server that has what a request uses, as `find`; undefined when it is not listed, or the request uses no item. */
  origin(exchange: Exchange): Promise<Origin | undefined>
}

/**
 * The list that a layer makes of another: the items as they are listed outside of it, the very same array where it changes none. `inside`
 * are the lists that it is made from.
 */
export type ShowList<S extends Signal = Signal> = (
  listed: Listed,
  exchange: Exchange<S>,
  inside: Lists,
) => readonly JsonObject[] | Promise<readonly JsonObject[]>

/**
 * One layer of the onion. The first in the list is outermost: it sees a request first and its result last. Its lists are remembered
 * further out until servers list something else, other lists are announced, or the client asks for its list again.
 */
export interface Middleware<S extends Signal = Signal> {
  readonly name: string
  /** Methods it wants to see, for example `tools/call`. Absent: all. */
  readonly methods?: readonly string[]
  /** The lists among these methods, as it changes them. Absent: `wrap` sees the requests for them, and answers as it likes. */
  readonly list?: ShowList<S>
  /** `inside`: what is listed inside of this layer. No layer sends a request for a list on its own. */
  wrap(next: Handler, inside: Lists): Handler<S>
}
