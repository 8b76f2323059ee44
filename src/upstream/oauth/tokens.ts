/** The tokens for one server: on disk, in memory, and renewed in time; shared with other proxies that keep the same account. */

import type { AddClientAuthentication, OAuthTokens } from '@modelcontextprotocol/client'
import type { OAuthSettings } from '../../config/auth-options.ts'
import type { Logger } from '../../observe/log.ts'
import { createRedactor } from '../../observe/redact.ts'
import { messageOf } from '../../protocol/errors.ts'
import { type JsonObject, own } from '../../protocol/json.ts'
import {
  type Account,
  type AccountPlace,
  type ClientIdentity,
  type Realm,
  SIGNED_OUT,
  type Tokens,
} from './account.ts'
import { loadSdk, type Sdk, sameIssuer } from './discovery.ts'
import type { Fetch } from './fetch.ts'

interface KeyringOptions {
  settings: OAuthSettings
  file: AccountPlace
  fetchFn: Fetch
  logger: Logger
  /** Milliseconds since the epoch. */
  now(): number
  /** Aborts when the proxy ends. */
  ending: AbortSignal
  /** There are other tokens, which came from elsewhere. */
  adopted(): void
}

/** After a renewal failed, the token is used up first. */
const RENEW_PAUSE_MS = 10_000
/** RFC 6749, 5.2 and 4.1.2.1: it may work later. */
const TRANSIENT = new Set<string>(['server_error', 'temporarily_unavailable', 'too_many_requests'])
const NO_CLIENT = new Set<string>(['invalid_client', 'unauthorized_client'])

export class Keyring {
  readonly #options: KeyringOptions
  #account: Account | undefined
  #loaded: Promise<boolean> | undefined
  #renewing: Promise<boolean> | undefined
  #renewAfter = 0
  #stopWatching: (() => void) | undefined

  constructor(options: KeyringOptions) {
    this.#options = options
  }

  get account(): Account | undefined {
    return this.#account
  }

  /** The header to send now. The file is read once; then nothing is waited for unless a token is about to expire. */
  async header(signal: AbortSignal | undefined): Promise<string | undefined> {
    this.#loaded ??= this.#load()
    await this.#loaded
    const { now } = this.#options
    const tokens = this.#account?.tokens
    if (tokens === undefined) return undefined
    if (dueSoon(tokens, now()) && now() >= this.#renewAfter) await abortable(this.#renewEarly(tokens), signal)
    return this.current()
  }

  /** The header of the token that is good now. */
  current(): string | undefined {
    const tokens = this.#account?.tokens
    return tokens === undefined || expired(tokens, this.#options.now()) ? undefined : bearer(tokens)
  }

  async #load(): Promise<boolean> {
    this.#stopWatching = this.#options.file.watch?.(() => void this.adopt())
    return await this.adopt()
  }

  /** Takes over what is kept when it is news: somebody signed in or out, or another proxy renewed. True: there are other tokens. */
  async adopt(): Promise<boolean> {
    const kept = await this.#options.file.read()
    const mine = this.#account?.tokens
    if (kept === SIGNED_OUT) {
      if (mine !== undefined) this.#account = undefined
      return false
    }
    if (kept?.tokens === undefined || kept.tokens.access === mine?.access) return false
    if (mine !== undefined && mine.obtainedAt > kept.tokens.obtainedAt) return false
    this.#account = kept
    this.#options.adopted()
    return true
  }

  async keep(account: Account): Promise<void> {
    this.#account = account
    this.#renewAfter = 0
    if (account.tokens !== undefined) await this.#options.file.write(account)
  }

  /** Removes the account and returns it. */
  async forget(): Promise<Account | undefined> {
    const kept = await this.#options.file.read()
    const account = kept === SIGNED_OUT ? undefined : (kept ?? this.#account)
    this.#account = undefined
    await this.#options.file.remove()
    return account
  }

  /** True: there are new tokens. False: they cannot be renewed. Rejects when it is not known whether they can. */
  async renew(realm: Realm, tokens: Tokens): Promise<boolean> {
    const { settings, file, ending, now } = this.#options
    const sdk = await loadSdk()
    if (settings.grant === 'client_credentials') return await this.obtainOwn(sdk, realm, tokens.asked)
    return await file.locked(async () => {
      await this.adopt()
      const account = this.#account
      const newest = account?.tokens
      if (account === undefined || newest === undefined) return false
      if (newest.access !== tokens.access && !dueSoon(newest, now())) return true
      const { refresh } = newest
      const request = this.request(sdk, realm, account)
      if (refresh === undefined || request === undefined || !sameIssuer(account.realm, realm)) return false
      try {
        const renewed = await renew(request, { ...newest, refresh })
        await this.keep({ ...account, realm, tokens: renewed })
        return true
      } catch (error) {
        if (!(error instanceof sdk.OAuthError) || TRANSIENT.has(error.code)) throw this.worded(sdk, error)
        // The refresh token is spent, or the client unknown. The access token may still do for its last minute.
        const { refresh: _, ...rest } = newest
        const { client, ...others } = account
        const known = client !== undefined && !NO_CLIENT.has(error.code)
        await this.keep({ ...others, ...(known && { client }), tokens: rest })
        return false
      }
    }, ending)
  }

  /** Tokens for the proxy itself, by the client credentials of the configuration. */
  async obtainOwn(sdk: Sdk, realm: Realm, scope: string | undefined): Promise<boolean> {
    const request = this.request(sdk, realm, undefined)
    if (request === undefined) return false
    await this.keep({ realm, tokens: await ownTokens(request, scope) })
    return true
  }

  /** The parts of a request to a token endpoint. Undefined: the proxy is not registered there yet. */
  request(sdk: Sdk, realm: Realm, account: Account | undefined): TokenRequest | undefined {
    const { settings, fetchFn, now } = this.#options
    const client = configuredIdentity(settings) ?? account?.client
    return client && { sdk, realm, client, settings, fetchFn, now }
  }

  /** An error for the person, without the secrets that are known here. */
  worded(sdk: Sdk, error: unknown): SignInFailed {
    if (error instanceof SignInFailed) return error
    const { tokens, client } = this.#account ?? {}
    const { clientSecret, privateKey } = this.#options.settings
    const secrets = [tokens?.access, tokens?.refresh, client?.client_secret, clientSecret, privateKey]
    return new SignInFailed(failureWords(sdk, error, secrets))
  }

  /** Resolves when nothing is under way. */
  async close(): Promise<void> {
    this.#stopWatching?.()
    await this.#renewing
  }

  /** One renewal at a time, for all that send meanwhile. A failure is no reason not to use the token that still is. */
  async #renewEarly(tokens: Tokens): Promise<void> {
    const { realm } = this.#account ?? {}
    if (realm === undefined) return
    this.#renewing ??= this.renew(realm, tokens)
      .catch((error: unknown) => {
        this.#renewAfter = this.#options.now() + RENEW_PAUSE_MS
        this.#options.logger.debug({ reason: messageOf(error) }, 'a token could not be renewed in time')
        return false
      })
      .finally(() => {
        this.#renewing = undefined
      })
    await this.#renewing
  }
}

/** The promise, or a rejection with the signal's reason as soon as it aborts; what others wait for goes on. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise<T>((resolve, reject) => {
    const leave = (): void => reject(signal.reason)
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}

// Why a sign-in failed, in one line. A text of a server in it is cut, and holds no secrets and no control characters.

const LONGEST = 300

/** No token could be had. The message follows "server `x`: ". */
class SignInFailed extends Error {
  override readonly name = 'SignInFailed'

  constructor(reason: string) {
    super(`wants a sign-in, and that failed: ${reason}`)
  }
}

/** `secrets` are struck out wherever they stand. */
function failureWords(sdk: Sdk, error: unknown, secrets: readonly (string | undefined)[]): string {
  const known = secrets.filter((secret) => secret !== undefined)
  const text = createRedactor(known).text(reason(sdk, error))
  return text.replaceAll(/[\p{Cc}\s]+/gu, ' ').slice(0, LONGEST)
}

function reason(sdk: Sdk, error: unknown): string {
  if (error instanceof sdk.RegistrationRejectedError) {
    return (
      `the authorization server does not register the proxy (HTTP ${error.status}); ` +
      `set "oauth": { "clientId": … } to an id that was registered by hand. It said: ${error.body}`
    )
  }
  if (error instanceof sdk.OAuthError) {
    const { code, message } = error
    return `the authorization server said ${code}${message === code ? '' : `: ${message}`}`
  }
  const below = error instanceof Error && error.cause !== undefined ? `: ${messageOf(error.cause)}` : ''
  return `${messageOf(error)}${below}`
}

// The requests to a token endpoint.

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

/** The granted scope: an answer without a scope grants the scope that was asked for (RFC 6749, 5.1). */
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

// The proxy's client at an authorization server: by configuration, by a metadata document, or registered (RFC
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
