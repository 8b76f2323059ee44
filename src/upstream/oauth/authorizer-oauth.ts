/**
 * Answers for the proxy at one server with OAuth 2.1 (MCP specification, basic/authorization): keeps tokens, renews them, and
 * asks a person where that is needed. One for a server, however many connections it has.
 */
import { type OAuthSettings, oauthSchema } from '../../config/oauth-settings.ts'
import type { Logger } from '../../telemetry/log.ts'
import { AuthorizationNeeded, type Authorizer, type Refusal } from '../authorizer.ts'
import { type Later, later } from '../backoff.ts'
import { abortable } from './abortable.ts'
import type { Account, Realm, Tokens } from './account.ts'
import { AccountFile, accountPath } from './account-file.ts'
import { Attempts } from './attempts.ts'
import { boundedFetch, type Fetch } from './bounded-fetch.ts'
import { type Challenge, parseChallenge } from './challenge.ts'
import { configuredIdentity } from './client-identity.ts'
import { failureWords, SignInFailed } from './failure-words.ts'
import { discoverRealm, isGuess, sameIssuer } from './realm.ts'
import { revoke } from './revoke.ts'
import { chooseScope, moreScopesHelp } from './scope-choice.ts'
import { loadSdk, type Sdk } from './sdk.ts'
import type { SignIn } from './sign-in.ts'
import { bearer, dueSoon, expired, ownTokens, renew, type TokenRequest } from './tokens.ts'

export interface AuthorizerOptions {
  /** The server's name in the configuration. */
  server: string
  url: string
  /** Undefined: nothing was said; OAuth is tried where the server asks for it. */
  settings: OAuthSettings | undefined
  /** Where accounts are kept. Undefined: for this run only. */
  dataDir: string | undefined
  logger: Logger
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds that a refused call waits for a person, before it is told where to sign in. */
  waitMs: number
  /** False: no sign-in begins here; the person is told the command that does it. */
  interactive?: boolean
  /** Shows a person an address; false when it could not. Absent: addresses are told only. */
  open?: ((address: string) => boolean) | undefined
  /** Told of every sign-in that begins. */
  tell?: ((signIn: Pick<SignIn, 'link' | 'authorizationUrl'>) => void) | undefined
  fetch?: typeof fetch | undefined
  later?: Later
}

/** What became of what was kept. */
export type SignedOut = 'revoked' | 'forgotten' | 'nothing kept'

export interface OAuthAuthorizer extends Authorizer {
  /** Forgets tokens and registration, and tells the authorization server where it can be told. */
  signOut(): Promise<SignedOut>
}

/** Nothing happens, and nothing is loaded, before the first request. */
export function createAuthorizer(options: AuthorizerOptions): OAuthAuthorizer {
  return new ServerAuthorizer(options)
}

/** How long a person has. */
const SIGN_IN_MS = 5 * 60_000
/** A token that is refused so soon after it was got is not made better by getting another in the same way. */
const FRESH_MS = 10_000
/** After a renewal failed the token is used up first. */
const RENEW_PAUSE_MS = 10_000

interface OpenSignIn {
  signIn: SignIn
  /** Resolves once the tokens are in use. */
  finished: Promise<void>
}

class ServerAuthorizer implements OAuthAuthorizer {
  readonly #options: AuthorizerOptions
  readonly #settings: OAuthSettings
  readonly #url: URL
  readonly #file: AccountFile
  readonly #later: Later
  readonly #attempts: Attempts
  readonly #ending = new AbortController()
  readonly #fetch: Fetch
  #loaded: Promise<void> | undefined
  #account: Account | undefined
  #renewing: Promise<boolean> | undefined
  #renewAfter = 0
  #answering: Promise<boolean | OpenSignIn> | undefined
  #open: OpenSignIn | undefined
  /** The browser is opened once; who closed it is told the address from then on. */
  #shown = false

  constructor(options: AuthorizerOptions) {
    const { url, settings, dataDir, logger, now, fetch: inner = fetch } = options
    this.#options = options
    this.#settings = settings ?? oauthSchema.parse({})
    this.#url = new URL(url)
    this.#later = options.later ?? later
    this.#attempts = new Attempts(now)
    this.#fetch = boundedFetch(inner, this.#ending.signal)
    const { clientId, grant, clientMetadataUrl, account } = this.#settings
    this.#url.hash = ''
    const about = { url: this.#url.href, clientId, grant, clientMetadataUrl, account }
    const path = dataDir === undefined ? undefined : accountPath(dataDir, about)
    this.#file = new AccountFile({ path, logger, later: this.#later })
  }

  async header(signal?: AbortSignal): Promise<string | undefined> {
    this.#loaded ??= this.#adopt()
    await this.#loaded
    const { now } = this.#options
    const tokens = this.#account?.tokens
    if (tokens === undefined) return undefined
    if (dueSoon(tokens, now()) && now() >= this.#renewAfter) await abortable(this.#renewEarly(tokens), signal)
    const latest = this.#account?.tokens
    return latest === undefined || expired(latest, now()) ? undefined : bearer(latest)
  }

  async refused(refusal: Refusal, signal?: AbortSignal): Promise<boolean> {
    const challenge = parseChallenge(refusal.challenge)
    const stepUp = refusal.status === 403 && challenge.error === 'insufficient_scope'
    if (this.#ending.signal.aborted || (refusal.status !== 401 && !stepUp)) return false
    await this.#adopt()
    const tokens = this.#account?.tokens
    if (tokens && bearer(tokens) !== refusal.sent && !expired(tokens, this.#options.now())) return true
    this.#answering ??= this.#answer(refusal, challenge).finally(() => {
      this.#answering = undefined
    })
    const outcome = await abortable(this.#answering, signal)
    return typeof outcome === 'boolean' ? outcome : await this.#person(outcome, signal)
  }

  async close(): Promise<void> {
    this.#ending.abort(new Error('the proxy ends'))
    this.#open?.signIn.close()
    await Promise.allSettled([this.#answering, this.#renewing, this.#open?.finished])
  }

  async signOut(): Promise<SignedOut> {
    this.#open?.signIn.close()
    const account = (await this.#file.read()) ?? this.#account
    this.#account = undefined
    await this.#file.remove()
    if (account?.tokens === undefined) return account === undefined ? 'nothing kept' : 'forgotten'
    const sdk = await loadSdk()
    const request = this.#request(sdk, account.realm, account)
    return request && (await revoke(account, request)) ? 'revoked' : 'forgotten'
  }

  /** Takes over what is on disk when it is news: somebody signed in, or another proxy renewed. */
  async #adopt(): Promise<void> {
    const kept = await this.#file.read()
    const mine = this.#account?.tokens
    if (kept?.tokens === undefined || kept.tokens.access === mine?.access) return
    if (mine !== undefined && mine.obtainedAt > kept.tokens.obtainedAt) return
    this.#account = kept
    this.#open?.signIn.close()
  }

  async #keep(account: Account): Promise<void> {
    this.#account = account
    this.#renewAfter = 0
    await this.#file.write(account)
  }

  /** One renewal at a time, for all that send meanwhile. A failure is no reason not to use the token that still is. */
  async #renewEarly(tokens: Tokens): Promise<void> {
    const { realm } = this.#account ?? {}
    if (realm === undefined) return
    this.#renewing ??= this.#renew(realm, tokens)
      .catch((error: unknown) => {
        this.#renewAfter = this.#options.now() + RENEW_PAUSE_MS
        this.#options.logger.debug({ reason: String(error) }, 'a token could not be renewed in time')
        return false
      })
      .finally(() => {
        this.#renewing = undefined
      })
    await this.#renewing
  }

  /** True: there are new tokens. False: they cannot be renewed. Rejects when it is not known whether they can. */
  async #renew(realm: Realm, tokens: Tokens): Promise<boolean> {
    const sdk = await loadSdk()
    if (this.#settings.grant === 'client_credentials') return await this.#own(sdk, realm, tokens.asked)
    return await this.#file.locked(async () => {
      await this.#adopt()
      const account = this.#account
      const newest = account?.tokens
      if (account === undefined || newest === undefined) return false
      if (newest.access !== tokens.access && !dueSoon(newest, this.#options.now())) return true
      const { refresh } = newest
      const request = this.#request(sdk, realm, account)
      if (refresh === undefined || request === undefined || !sameIssuer(account.realm, realm)) return false
      try {
        const renewed = await renew(request, { ...newest, refresh })
        await this.#keep({ ...account, realm, tokens: renewed })
        return true
      } catch (error) {
        if (!(error instanceof sdk.OAuthError) || TRANSIENT.has(error.code)) throw this.#worded(sdk, error)
        // The refresh token is spent, or the client unknown. The access token may still do for its last minute.
        const { refresh: _, ...rest } = newest
        const { client, ...others } = account
        const known = client !== undefined && !NO_CLIENT.has(error.code)
        await this.#keep({ ...others, ...(known && { client }), tokens: rest })
        return false
      }
    }, this.#ending.signal)
  }

  /** Tokens for the proxy itself. */
  async #own(sdk: Sdk, realm: Realm, scope: string | undefined): Promise<boolean> {
    const request = this.#request(sdk, realm, undefined)
    if (request === undefined) return false
    await this.#keep({ realm, tokens: await ownTokens(request, scope) })
    return true
  }

  /** What is to be done about a refusal, once for all calls that meet it. */
  async #answer(refusal: Refusal, challenge: Challenge): Promise<boolean | OpenSignIn> {
    if (this.#open) return this.#open
    const before = this.#account
    const stepUp = refusal.status === 403
    if (stepUp && !moreScopesHelp(before?.tokens, challenge.scope, this.#options.now())) return false
    if (!this.#attempts.add()) {
      this.#options.logger.warn({}, 'the server refuses every token it is given; no more are got for now')
      return false
    }
    const sdk = await loadSdk()
    try {
      const realm = await discoverRealm(sdk, this.#url, challenge.resourceMetadata, this.#fetch)
      const here = before && sameIssuer(before.realm, realm) ? before : undefined
      this.#checkIssuer(realm, before)
      if (!stepUp && here?.tokens && this.#justGot(here.tokens, 'sign-in')) return false
      const scope = chooseScope(this.#settings, realm, challenge, stepUp ? here?.tokens : undefined)
      if (this.#settings.grant === 'client_credentials') return await this.#own(sdk, realm, scope)
      if (!stepUp && here?.tokens && !this.#justGot(here.tokens, 'refresh')) {
        if (await this.#renew(realm, here.tokens)) return true
      }
      return await this.#signIn(sdk, realm, scope)
    } catch (error) {
      if (error instanceof AuthorizationNeeded || error instanceof SignInFailed) throw error
      throw this.#worded(sdk, error)
    }
  }

  #justGot({ by, obtainedAt }: Tokens, how: Tokens['by']): boolean {
    return by === how && this.#options.now() - obtainedAt < FRESH_MS
  }

  /** An id or a secret that was registered by hand is shown to one authorization server only. */
  #checkIssuer(realm: Realm, before: Account | undefined): void {
    const { clientId, issuer } = this.#settings
    if (clientId === undefined) return
    const expected = issuer ?? before?.realm.issuer
    if (expected === undefined || sameIssuer({ issuer: expected }, realm)) return
    const { server } = this.#options
    const next = issuer === undefined ? `run \`mcp-rlm-proxy logout ${server}\`` : 'correct "oauth.issuer"'
    throw new Error(`its authorization server is ${realm.issuer}, not ${expected}; if that is right, ${next}`)
  }

  async #signIn(sdk: Sdk, realm: Realm, scope: string | undefined): Promise<boolean | OpenSignIn> {
    const { server, settings, logger, now, interactive = true } = this.#options
    const here = this.#account && sameIssuer(this.#account.realm, realm) ? this.#account : undefined
    if (!interactive) {
      if (settings === undefined && isGuess(realm)) return false
      throw new AuthorizationNeeded(`needs you to sign in: run \`mcp-rlm-proxy login ${server}\``, realm.url)
    }
    const { beginSignIn } = await import('./sign-in.ts')
    let signIn: SignIn
    try {
      signIn = await beginSignIn({
        sdk,
        server,
        realm,
        scope,
        client: here?.client,
        settings: this.#settings,
        fetchFn: this.#fetch,
        now,
        later: this.#later,
        expiryMs: SIGN_IN_MS,
      })
    } catch (error) {
      if (settings !== undefined || !isGuess(realm)) throw error
      logger.debug(
        { reason: this.#worded(sdk, error).message },
        'the server wants a token that OAuth does not give',
      )
      return false
    }
    if (this.#ending.signal.aborted) signIn.close()
    this.#account = { ...(here ?? { realm }), client: signIn.client }
    this.#open = { signIn, finished: this.#finish(sdk, signIn) }
    this.#open.finished.catch(() => {})
    this.#announce(signIn, realm)
    return this.#open
  }

  async #finish(sdk: Sdk, signIn: SignIn): Promise<void> {
    const { logger } = this.#options
    try {
      await this.#keep(await signIn.done)
      this.#shown = false
      logger.info({}, 'signed in')
    } catch (error) {
      if (signIn.stuck && this.#account) {
        const { client: _, ...rest } = this.#account
        this.#account = rest
      }
      const worded = this.#worded(sdk, error)
      logger.warn({ reason: worded.message }, 'nobody is signed in')
      throw worded
    } finally {
      this.#open = undefined
    }
  }

  /** Tells where to sign in; nothing that is told here is secret. */
  #announce(signIn: SignIn, realm: Realm): void {
    const { logger, open, tell } = this.#options
    if (!this.#shown) this.#shown = open?.(signIn.link) ?? false
    logger.warn(
      { open: signIn.link, at: new URL(realm.url).host },
      'the server needs you to sign in: open the address',
    )
    tell?.(signIn)
  }

  /** Waits for the person, but not longer than a caller can. */
  async #person({ signIn, finished }: OpenSignIn, signal: AbortSignal | undefined): Promise<boolean> {
    let stop = (): void => {}
    const late = new Promise<never>((_, reject) => {
      stop = this.#later(this.#options.waitMs, () => {
        const message = `needs you to sign in: open ${signIn.link} and call again`
        reject(new AuthorizationNeeded(message, signIn.link))
      })
    })
    try {
      await abortable(Promise.race([finished, late]), signal)
      return true
    } finally {
      stop()
    }
  }

  #request(sdk: Sdk, realm: Realm, account: Account | undefined): TokenRequest | undefined {
    const client = configuredIdentity(this.#settings) ?? account?.client
    if (client === undefined) return undefined
    return { sdk, realm, client, settings: this.#settings, fetchFn: this.#fetch, now: this.#options.now }
  }

  #worded(sdk: Sdk, error: unknown): Error {
    const { tokens, client } = this.#account ?? {}
    const { clientSecret, privateKey } = this.#settings
    const secrets = [tokens?.access, tokens?.refresh, client?.client_secret, clientSecret, privateKey]
    return new SignInFailed(failureWords(sdk, error, secrets))
  }
}

/** RFC 6749, 5.2 and 4.1.2.1: it may work later. */
const TRANSIENT = new Set<string>(['server_error', 'temporarily_unavailable', 'too_many_requests'])
const NO_CLIENT = new Set<string>(['invalid_client', 'unauthorized_client'])
