/** What replicas of this proxy tell each other of sessions. Without it, each replica knows what it has seen itself. */
import type { JsonRpcMessage, Request } from '../protocol/message.ts'

/** Something of a session that another replica may have to hear. */
export type Told =
  /** From the client: it may belong to a request that another replica sent or serves. */
  | { to: 'proxy'; message: JsonRpcMessage }
  /** To the client: another replica may have its stream. */
  | { to: 'client'; message: JsonRpcMessage }
  /** Of the client: a request that set something up at another replica. */
  | { to: 'session'; request: Request }
  /** The client has ended the session. */
  | { to: 'end' }

/** Nothing of it rejects or throws: where the store cannot be asked, each replica knows what it has seen itself. */
export interface Replicas {
  /** What is set up in a session, in no order, or that its client has ended it. */
  recall(session: string): Promise<readonly Request[] | 'ended'>
  /** Remembers a request that set something up, and tells the others: from then on they know it. */
  note(session: string, request: Request): Promise<void>
  /** From now on no replica finds the session. */
  end(session: string): Promise<void>
  /** Tells the others. */
  tell(session: string, told: Told): void
  /** Hears what others tell, in the order in which each of them told it. */
  listen(heard: (session: string, told: Told) => Promise<void>): void
}
