/** Who a client over HTTP is. Contract; `auth/` implements it, the listener asks it. */
import type { IncomingMessage, ServerResponse } from 'node:http'

/** An authenticated client. */
export interface Principal {
  /** The same for every request of the same client, unique among clients: kept results belong to it. */
  readonly id: string
  /** Seconds since 1970 after which the token no longer counts; absent: it does not expire. */
  readonly expiresAt?: number
  /** The profiles that it may use, and nothing else; absent: everything. */
  readonly profiles?: readonly string[]
}

/** Who sends a request, and where to. */
export interface Visitor {
  /** Undefined: nobody has to say who they are. */
  readonly principal: Principal | undefined
  /** The profile that the address names. */
  readonly profile: string | undefined
}

export interface Authenticator {
  /**
   * Who sends the request, from its headers alone. Undefined: nobody we know, and the response has been written (401 or 403
   * with `WWW-Authenticate`, RFC 6750).
   */
  authenticate(request: IncomingMessage, response: ServerResponse): Promise<Principal | undefined>
  /**
   * Answers a request for a document about authorization (RFC 9728, protected resource metadata) that needs no token. False:
   * it was for something else.
   */
  serve(request: IncomingMessage, response: ServerResponse, url: URL): boolean
}
