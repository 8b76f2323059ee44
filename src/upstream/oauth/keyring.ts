/** The tokens for one server: on disk, in memory, and renewed in time; shared with other proxies that keep the same account. */
import type { OAuthSettings } from '../../config/auth-options.ts'
import type { Logger } from '../../observe/log.ts'
import { createRedactor } from '../../observe/redact.ts'
import { messageOf } from '../../protocol/errors.ts'
import type { Account, AccountFile, Realm, Tokens } from './account.ts'
import { loadSdk, type Sdk, sameIssuer } from './discovery.ts'
import type { Fetch } from './fetch.ts'
import {
  bearer,
  configuredIdentity,
  dueSoon,
  expired,
  ownTokens,
  renew,
  type TokenRequest,
} from './tokens.ts'

interface KeyringOptions {
  settings: OAuthSettings
  file: AccountFile
  fetchFn: Fetch
  logger: Logger
  /** Milliseconds since the epoch. */
  now(): number
  /** Aborts when the proxy ends. */
  ending: AbortSignal
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

  constructor(options: KeyringOptions) {
    this.#options = options
  }

  get account(): Account | undefined {
    return this.#account
  }

  /** The header to send now. The file is read once; then nothing is waited for unless a token is about to expire. */
  async header(signal: AbortSignal | undefined): Promise<string | undefined> {
    this.#loaded ??= this.adopt()
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

  /** Takes over what is on disk when it is news: somebody signed in, or another proxy renewed. True: it was. */
  async adopt(): Promise<boolean> {
    const kept = await this.#options.file.read()
    const mine = this.#account?.tokens
    if (kept?.tokens === undefined || kept.tokens.access === mine?.access) return false
    if (mine !== undefined && mine.obtainedAt > kept.tokens.obtainedAt) return false
    this.#account = kept
    return true
  }

  async keep(account: Account): Promise<void> {
    this.#account = account
    this.#renewAfter = 0
    if (account.tokens !== undefined) await this.#options.file.write(account)
  }

  /** What there was. */
  async forget(): Promise<Account | undefined> {
    const account = (await this.#options.file.read()) ?? this.#account
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

  /** What a request to a token endpoint is made of. Undefined: the proxy is nobody there yet. */
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

// Why a sign-in failed, in one line. What a server said in it is cut, and holds no secrets and no control
// characters.

const LONGEST = 300

/** No token could be had. The message follows "server `x`: ". */
class SignInFailed extends Error {
  override readonly name = 'SignInFailed'

  constructor(reason: string) {
    super(`wants a sign-in, and that failed: ${reason}`)
  }
}

/** `secrets` are struck out, whoever repeats them. */
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
