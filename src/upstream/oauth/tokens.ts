/** Tokens: asking for them at the token endpoint, and how long they are good for. */

import type { AddClientAuthentication, OAuthTokens } from '@modelcontextprotocol/client'
import type { OAuthSettings } from '../../config/auth-options.ts'
import { type JsonObject, own } from '../../protocol/json.ts'
import type { Account, ClientIdentity, Realm, Tokens } from './account.ts'
import type { Sdk } from './discovery.ts'
import type { Fetch } from './fetch.ts'

/** A token is renewed so long before it expires, or in the second half of its life when that is short. */
const MARGIN_MS = 60_000

export interface TokenRequest {
  sdk: Sdk
  realm: Realm
  client: ClientIdentity
  settings: OAuthSettings
  fetchFn: Fetch
  /** Milliseconds since the epoch. */
  now(): number
}

/** The `Authorization` header of a token (RFC 6750, 2.1). */
export function bearer({ access }: Tokens): string {
  return `Bearer ${access}`
}

export function expired({ expiresAt }: Tokens, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now
}

/** True when it is time to renew it. */
export function dueSoon({ expiresAt, obtainedAt }: Tokens, now: number): boolean {
  if (expiresAt === undefined) return false
  return expiresAt - Math.min(MARGIN_MS, (expiresAt - obtainedAt) / 2) <= now
}

/** What was granted: an answer without a scope grants what was asked for (RFC 6749, 5.1). */
export function grantedScope({ scope, asked }: Tokens): string | undefined {
  return scope ?? asked
}

/** A code for tokens (RFC 6749, 4.1.3; RFC 7636). `iss` is checked before the code is sent (RFC 9207). */
export async function redeemCode(
  request: TokenRequest,
  answer: {
    code: string
    iss: string | undefined
    verifier: string
    redirectUri: string
    scope: string | undefined
  },
): Promise<Tokens> {
  const { sdk, realm, now } = request
  const given = await sdk.exchangeAuthorization(realm.url, {
    ...common(request),
    clientInformation: request.client,
    authorizationCode: answer.code,
    ...(answer.iss !== undefined && { iss: answer.iss }),
    codeVerifier: answer.verifier,
    redirectUri: answer.redirectUri,
  })
  return tokensOf(given, 'sign-in', answer.scope, now())
}

/** A refresh token for new tokens; what the answer does not say stays as it was (RFC 6749, 6). */
export async function renew(request: TokenRequest, tokens: Tokens & { refresh: string }): Promise<Tokens> {
  const { sdk, realm, now } = request
  const given = await sdk.refreshAuthorization(realm.url, {
    ...common(request),
    clientInformation: request.client,
    refreshToken: tokens.refresh,
  })
  const scope = given.scope ?? tokens.scope
  return { ...tokensOf(given, 'refresh', tokens.asked, now()), ...(scope !== undefined && { scope }) }
}

/** Tokens for the proxy itself (RFC 6749, 4.4). */
export async function ownTokens(request: TokenRequest, scope: string | undefined): Promise<Tokens> {
  const { sdk, realm, now, client } = request
  const { addClientAuthentication, ...rest } = common(request)
  const given = await sdk.fetchToken(
    {
      redirectUrl: undefined,
      clientMetadata: { redirect_uris: [] },
      clientInformation: () => ({ ...client, issuer: realm.issuer }),
      ...(addClientAuthentication && { addClientAuthentication }),
      prepareTokenRequest: () =>
        new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== undefined && { scope }) }),
      tokens: () => undefined,
      saveTokens: () => {},
      redirectToAuthorization: () => {},
      saveCodeVerifier: () => {},
      codeVerifier: () => '',
    },
    realm.url,
    rest,
  )
  return tokensOf(given, 'sign-in', scope, now())
}

function common({ sdk, realm, settings, fetchFn }: TokenRequest) {
  const addClientAuthentication = keyAuthentication(sdk, settings)
  return {
    fetchFn,
    ...(realm.metadata && { metadata: realm.metadata }),
    ...(realm.resource !== undefined && { resource: realm.resource }),
    ...(addClientAuthentication && { addClientAuthentication }),
  }
}

function tokensOf(given: OAuthTokens, by: Tokens['by'], asked: string | undefined, now: number): Tokens {
  const { access_token: access, refresh_token: refresh, token_type: type, expires_in: seconds, scope } = given
  // RFC 6749, 7.1: a token of a type that is not understood must not be used. Header values hold no spaces or controls.
  if (type.toLowerCase() !== 'bearer')
    throw new Error(`the token is of the type ${JSON.stringify(type.slice(0, 40))}`)
  if (!/^[\x21-\x7e]+$/.test(access)) throw new Error('the token is not one that a header can carry')
  return {
    access,
    by,
    obtainedAt: now,
    ...(refresh !== undefined && { refresh }),
    ...(scope !== undefined && { scope }),
    ...(asked !== undefined && { asked }),
    ...(seconds !== undefined && Number.isFinite(seconds) && { expiresAt: now + seconds * 1000 }),
  }
}

// Telling the authorization server that tokens are no longer needed (RFC 7009).

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

// Who the proxy is at an authorization server: by configuration, by a metadata document, or registered (RFC
// 7591).

/** The identity that was registered by hand. Undefined: none was. */
export function configuredIdentity({ clientId, clientSecret }: OAuthSettings): ClientIdentity | undefined {
  if (clientId === undefined) return undefined
  return { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) }
}

/** True when a registered identity can be used again with this redirect address. `now` is in milliseconds. */
export function stillValid(client: ClientIdentity, redirectUri: string, now: number): boolean {
  const { client_secret_expires_at: expires = 0 } = client
  return client.redirectUri === redirectUri && (expires === 0 || expires * 1000 > now)
}

/** A new identity for a person's sign-in. Throws the SDK's RegistrationRejectedError when the server does not want one. */
export async function newIdentity(
  sdk: Sdk,
  realm: Realm,
  settings: OAuthSettings,
  { redirectUri, scope, fetchFn }: { redirectUri: string; scope: string | undefined; fetchFn: Fetch },
): Promise<ClientIdentity> {
  const { metadata } = realm
  const { clientMetadataUrl, clientName } = settings
  if (clientMetadataUrl !== undefined && metadata?.client_id_metadata_document_supported === true) {
    return { client_id: clientMetadataUrl, redirectUri }
  }
  const registered = await sdk.registerClient(realm.url, {
    ...(metadata && { metadata }),
    clientMetadata: {
      client_name: clientName,
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      application_type: 'native',
      token_endpoint_auth_method: authMethod(metadata?.token_endpoint_auth_methods_supported),
    },
    ...(scope !== undefined && { scope }),
    fetchFn,
  })
  const { client_id, client_secret, client_secret_expires_at, token_endpoint_auth_method } = registered
  return {
    client_id,
    redirectUri,
    ...(client_secret !== undefined && { client_secret }),
    ...(client_secret_expires_at !== undefined && { client_secret_expires_at }),
    ...(token_endpoint_auth_method !== undefined && { token_endpoint_auth_method }),
  }
}

/** Signs token requests with the configured key (RFC 7523, 2.2). Undefined: there is none. */
function keyAuthentication(
  sdk: Sdk,
  { clientId, privateKey, algorithm }: OAuthSettings,
): AddClientAuthentication | undefined {
  if (clientId === undefined || privateKey === undefined) return undefined
  return sdk.createPrivateKeyJwtAuth({
    issuer: clientId,
    subject: clientId,
    // From the environment a key often comes on one line.
    privateKey: privateKey.includes('\n') ? privateKey : privateKey.replaceAll('\\n', '\n'),
    alg: algorithm,
  })
}

/** A program on a person's machine keeps no secret (RFC 8252, 8.4), so it asks for none where that is allowed. */
function authMethod(supported: readonly string[] | undefined): string {
  if (supported === undefined || supported.includes('none')) return 'none'
  return ['client_secret_basic', 'client_secret_post'].find((method) => supported.includes(method)) ?? 'none'
}
