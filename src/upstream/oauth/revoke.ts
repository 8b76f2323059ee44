/** Telling the authorization server that tokens are no longer needed (RFC 7009). */
import { type JsonObject, own } from '../../protocol/json.ts'
import type { Account, Realm } from './account.ts'
import { keyAuthentication } from './client-identity.ts'
import type { TokenRequest } from './tokens.ts'

/**
 * Revokes the refresh token, or the access token where there is none. False: the server has no such endpoint, or refused;
 * the tokens then last as long as they last.
 */
export async function revoke(account: Account, request: Omit<TokenRequest, 'now'>): Promise<boolean> {
  const { tokens, realm } = account
  const { sdk, client, settings, fetchFn } = request
  const endpoint = own(fieldsOf(realm), 'revocation_endpoint')
  if (tokens === undefined || typeof endpoint !== 'string' || !URL.canParse(endpoint)) return false
  try {
    const url = sdk.assertSecureTokenEndpoint(endpoint)
    const body = new URLSearchParams({
      token: tokens.refresh ?? tokens.access,
      token_type_hint: tokens.refresh === undefined ? 'access_token' : 'refresh_token',
    })
    const headers = new Headers({ 'Content-Type': 'application/x-www-form-urlencoded' })
    const sign = keyAuthentication(sdk, settings)
    if (sign) await sign(headers, body, url, realm.metadata)
    else authenticate(headers, body, sdk.selectClientAuthMethod(client, methods(request)), client)
    return (await fetchFn(url, { method: 'POST', headers, body, redirect: 'error' })).ok
  } catch {
    return false
  }
}

function methods({ realm }: Pick<TokenRequest, 'realm'>): string[] {
  const fields = fieldsOf(realm)
  const supported =
    own(fields, 'revocation_endpoint_auth_methods_supported') ??
    own(fields, 'token_endpoint_auth_methods_supported')
  return Array.isArray(supported) ? supported.filter((method) => typeof method === 'string') : []
}

/** The metadata as it was sent: the two kinds of documents have these fields in common, their types do not. */
function fieldsOf({ metadata }: Realm): JsonObject {
  return (metadata ?? {}) as JsonObject
}

/** RFC 6749, 2.3.1. */
function authenticate(
  headers: Headers,
  body: URLSearchParams,
  method: string,
  { client_id: id, client_secret: secret = '' }: TokenRequest['client'],
): void {
  if (method === 'client_secret_basic') {
    headers.set('Authorization', `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`)
    return
  }
  body.set('client_id', id)
  if (method === 'client_secret_post') body.set('client_secret', secret)
}
