/** The token that a request presents (RFC 6750, 2.1). */
import type { IncomingMessage } from 'node:http'
import { requestUrl } from '../request-url.ts'

export type Credentials =
  | { kind: 'none' }
  | { kind: 'token'; token: string }
  /** `reason` is for the client and holds nothing of what it sent. */
  | { kind: 'malformed'; reason: string }

/** `token68` of RFC 9110, 11.2, after a scheme in any case. */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i

/** A token in the address is refused: addresses are logged by everything they pass (RFC 9700, 4.3.2; MCP basic/authorization). */
export function credentialsOf(request: IncomingMessage): Credentials {
  if (requestUrl(request).searchParams.has('access_token'))
    return {
      kind: 'malformed',
      reason: 'a token belongs into the Authorization header, not into the address',
    }
  return parseAuthorization(request.headersDistinct.authorization)
}

/** `headers`: the values of all `Authorization` headers. */
export function parseAuthorization(headers: readonly string[] = []): Credentials {
  const [header, ...others] = headers
  if (header === undefined) return { kind: 'none' }
  if (others.length > 0) return { kind: 'malformed', reason: 'there is more than one Authorization header' }
  const token = BEARER.exec(header)?.[1]
  return token === undefined
    ? { kind: 'malformed', reason: 'the Authorization header is not "Bearer <token>"' }
    : { kind: 'token', token }
}
