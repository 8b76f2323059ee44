/** The messages of replicas of this proxy to each other about sessions. Without it, each replica knows what it has seen itself. */
import type { JsonRpcMessage, Request, RequestId } from '../protocol/message.ts'

/** Something of a session that another replica may have to hear. */
export type Told =
  /** From the client: it may belong to a request that another replica sent or serves. */
  | { to: 'proxy'; message: JsonRpcMessage }
  /** To the client: another replica may have its stream. */
  | { to: 'client'; message: JsonRpcMessage }
  /** The client wants what comes after this event of a stream, which another replica began. */
  | { to: 'stream'; event: string }
  /** The events of the stream at the replica that began it. `isOver`: nothing more comes. */
  | { to: 'reader'; stream: string; events: readonly ToldEvent[]; isOver: boolean }
  /** Of the client: a request that set something up at another replica. */
  | { to: 'session'; request: Request }
  /** The client has ended the session. */
  | { to: 'end' }

/** A message of a stream, as JSON, with the id of its event and of the request that it answers. */
export interface ToldEvent {
  readonly id: string
  readonly text: string
  readonly answers?: RequestId | undefined
}

/** The events of the streams of a session, kept so that another replica can go on with them. */
export interface KeptStreams {
  /** Keeps an event of a stream for a while. */
  keep(stream: string, event: ToldEvent): void
  /** The kept events of a stream, the oldest first, whether the process that began it is there or not. */
  kept(stream: string): Promise<readonly ToldEvent[]>
}

/** Nothing of it rejects or throws: where the store cannot be asked, each replica knows what it has seen itself. */
export interface Replicas {
  /** The requests that set up a session, in no order, or the fact that its client has ended it. */
  recall(session: string): Promise<readonly Request[] | 'ended'>
  /** Remembers a request that set something up, and tells the others: from then on they know it. */
  note(session: string, request: Request): Promise<void>
  /**
   * Begins a request that a balancer sends again where its connection broke. Returns what tells that it is answered; undefined: a replica
   * has begun it before. `request`: the same each time it is sent, and only then.
   */
  begin(request: string): Promise<(() => void) | undefined>
  /** From now on no replica finds the session. */
  end(session: string): Promise<void>
  /** Tells the others. */
  tell(session: string, told: Told): void
  /** The streams of a session. */
  streams(session: string): KeptStreams
  /** Hears what others tell, in the order in which each of them told it. */
  listen(heard: (session: string, told: Told) => Promise<void>): void
}
