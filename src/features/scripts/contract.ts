/** What scripts of this machine may ask. `scripts.ts` answers; `endpoint.ts` carries it over HTTP. */
import type { JsonObject } from '../../protocol/json.ts'

/** Everything that can be wrong, with its HTTP status. */
export const BRIDGE_ERRORS = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  payload_too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
  internal_error: 500,
  server_failed: 502,
  shutting_down: 503,
  server_timeout: 504,
} as const

/** What a script decides by. */
export type BridgeErrorCode = keyof typeof BRIDGE_ERRORS

/** A refusal that the script reads: `{ "error": { "code", "message" } }`. */
export class BridgeError extends Error {
  override readonly name = 'BridgeError'
  readonly code: BridgeErrorCode

  constructor(code: BridgeErrorCode, message: string) {
    super(message)
    this.code = code
  }

  get status(): number {
    return BRIDGE_ERRORS[this.code]
  }

  toJSON(): JsonObject {
    return { error: { code: this.code, message: this.message } }
  }
}

/** What a script can ask for: the last part of the address. */
export const BRIDGE_ACTIONS = ['list', 'search', 'call', 'batch'] as const

/** One of them. */
export type BridgeAction = (typeof BRIDGE_ACTIONS)[number]

/** `path`: a part of what the result holds. `payload`: what it holds, without the result around it. Neither: the result as it came. */
export interface BridgePart {
  readonly path?: string | undefined
  readonly payload: boolean
}

/** What a kept result, or a part of it, is sent as. */
export interface BridgeContent {
  /** Of MIME. */
  readonly type: string
  readonly bytes: Uint8Array
}

/** Rejects with BridgeError alone. */
export interface Bridge {
  answer(action: BridgeAction, params: JsonObject, signal: AbortSignal): Promise<JsonObject>
  /** A result that was kept. */
  result(id: string, part: BridgePart, signal: AbortSignal): Promise<BridgeContent>
}
