/** What follows from who a client is. */
import type { Agent } from '../protocol/exchange.ts'
import type { Principal } from './authenticate.ts'

/** The owner of what is kept: the client that authenticated, else `otherwise`. */
export function agentOf(principal: Principal | undefined, otherwise: Agent): Agent {
  return principal ? { id: principal.id, kind: 'principal' } : otherwise
}

/** Milliseconds since 1970 after which the client has to say anew who it is. */
export function expiryOf(principal: Principal | undefined): number | undefined {
  return principal?.expiresAt === undefined ? undefined : principal.expiresAt * 1000
}
