/** The way to an external module, handed in: a connection that comes back by itself. */
import type { JsonObject } from '../../protocol/json.ts'
import type { Result } from '../../protocol/result.ts'

export interface LineRequest {
  method: string
  params: JsonObject
}

export interface LineLimits {
  signal?: AbortSignal | undefined
  /** Milliseconds. */
  timeoutMs: number
}

export interface Line {
  /** Connects when needed. Rejects with what the module answered or why there is no answer. */
  request(request: LineRequest, limits: LineLimits): Promise<Result>
  /** Connected: a request goes out at once. */
  isUp(): boolean
  /** Ends the connection that there is, so that a new one begins. */
  restart(): void
  close(): Promise<void>
}

/** Told by a line. */
export interface LineEvents {
  /** Connected, for the first time or again. */
  ready(): void
  lost(error: Error): void
}
