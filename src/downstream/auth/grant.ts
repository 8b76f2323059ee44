/** What a token is worth once it has been checked, and how checking fails. */
import type { Principal } from '../authenticate.ts'

export interface Grant {
  principal: Principal
  /** What it may be used for (RFC 6749, 3.3). Undefined: everything. */
  scopes: readonly string[] | undefined
}

/** Knows tokens of one kind. */
export interface Verifier {
  /**
   * What the token is worth to somebody who asks for one of these audiences. Undefined: it is of another kind. Throws
   * TokenRefused and VerifierUnavailable.
   */
  verify(token: string, audiences: readonly string[]): Promise<Grant | undefined>
}

/** The token opens nothing. The message says why, for the log and the client; it holds nothing of the token. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused'
}

/** Whether the token is good cannot be found out now. */
export class VerifierUnavailable extends Error {
  override readonly name = 'VerifierUnavailable'
}
