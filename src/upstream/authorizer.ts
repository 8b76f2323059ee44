/** Who answers for the proxy at an HTTP server. Contract; `oauth/` implements it, the HTTP transport asks it. */

/** A refusal as the server gave it. */
export interface Refusal {
  /** 401, or 403 when the token lacks a scope. */
  status: number
  /** `WWW-Authenticate`, when there was one (RFC 9110, 11.6.1; RFC 9728, 5.1). */
  challenge: string | undefined
  /** The `Authorization` header that was refused. */
  sent: string | undefined
}

export interface Authorizer {
  /** The `Authorization` header to send now, renewed when it is about to expire; undefined while there is none. */
  header(signal?: AbortSignal): Promise<string | undefined>
  /**
   * The server refused. Resolves to true when there is something new to send, so that the request may be sent once more, and to
   * false when not. Rejects with AuthorizationNeeded when a person has to visit an address first.
   */
  refused(refusal: Refusal, signal?: AbortSignal): Promise<boolean>
  /** Ends what waits for a person. */
  close(): Promise<void>
}

/** A person has to sign in first. The message follows "server `x`: " and holds the address. */
export class AuthorizationNeeded extends Error {
  override readonly name = 'AuthorizationNeeded'
  /** Where to sign in. */
  readonly url: string

  constructor(message: string, url: string) {
    super(message)
    this.url = url
  }
}
