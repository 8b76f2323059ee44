/** Tokens: asking for them at the token endpoint, and how long they are good for. */
import type { OAuthTokens } from '@modelcontextprotocol/client'
import type { OAuthSettings } from '../../config/oauth-settings.ts'
import type { ClientIdentity, Realm, Tokens } from './account.ts'
import type { Fetch } from './bounded-fetch.ts'
import { keyAuthentication } from './client-identity.ts'
import type { Sdk } from './sdk.ts'

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
