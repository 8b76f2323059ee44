/** A server that a person has to sign in to first: a client that can show an address is asked to. */
import { randomUUID } from 'node:crypto'
import { type ProxyError, RPC, RpcError } from '../../protocol/errors.ts'
import type { Client } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import { AuthorizationNeeded } from '../../upstream/authorizer.ts'

/**
 * What the client is answered in place of the failure: a result that asks for a visit (MCP 2026-07-28, multi round-trip requests), or an
 * error thrown that does (2025-11-25, client/elicitation, "URL Elicitation Required Error"). Undefined: it is about something
 * else, or the client cannot show addresses.
 */
export function askToSignIn({ cause, text }: ProxyError, client: Client): JsonObject | undefined {
  if (!(cause instanceof AuthorizationNeeded) || !showsAddresses(client)) return undefined
  const visit = { mode: 'url', message: text, url: cause.url }
  if (client.era === 'modern')
    return {
      resultType: 'input_required',
      inputRequests: { 'sign-in': { method: 'elicitation/create', params: visit } },
    }
  throw new RpcError(RPC.urlElicitationRequired, text, {
    elicitations: [{ ...visit, elicitationId: randomUUID() }],
  })
}

function showsAddresses({ capabilities }: Client): boolean {
  const elicitation = own(capabilities, 'elicitation')
  return isObject(elicitation) && isObject(own(elicitation, 'url'))
}
