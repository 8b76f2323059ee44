/** How servers are, and what became of them: told to people. */
import type { JsonObject } from '../protocol/json.ts'

/** `waiting`: lost, and connecting again after a pause. */
export type ConnectionState = 'idle' | 'connecting' | 'ready' | 'waiting' | 'closed'

/** The view of a server in `status` and `doctor`. */
export interface ServerStatus {
  server: string
  state: ConnectionState
  /** `stdio`, `streamable-http`, `sse`, `in-process`: what the transport calls itself. */
  transport: string
  /** `serverInfo`, `capabilities`, `instructions`, `protocolVersion` of its last initialize result. */
  initialize?: JsonObject
  tools?: number
  /** When its tools were last fetched, by the clock that was handed in. Absent: not in this run. */
  listed?: number
  lastError?: string
  /** Milliseconds for which its oldest connection has been there. Absent: there is none. */
  upMs?: number
  /** How often it was connected again in this run, after a loss or because it was asked for. Absent: never. */
  restarts?: number
}

/** The changes of the servers, by name. */
export interface Reconfigured {
  readonly added: readonly string[]
  /** The name existed before, but the server is reached in another way. */
  readonly changed: readonly string[]
  readonly removed: readonly string[]
}
