/** Signs the proxy in at servers that want it: one authorizer for each, made when a connection first asks for it. */

import { hasAuthorization, type OAuthSettings, oauthSchema } from '../../config/auth-options.ts'
import { type Logger, withFields } from '../../observe/log.ts'
import { ProxyError } from '../../protocol/errors.ts'
import type { SharedMap } from '../../protocol/shared-map.ts'
import { openBrowser } from '../../services/browser.ts'
import { type Later, later } from '../backoff.ts'
import { sameJson } from '../memory.ts'
import { AuthorizationNeeded, type Authorizer, type Refusal } from '../transport.ts'
import { type Account, AccountFile, accountId, accountPath, type Realm, type Tokens } from './account.ts'
import {
  type Challenge,
  discoverRealm,
  isGuess,
  loadSdk,
  parseChallenge,
  type Sdk,
  sameIssuer,
} from './discovery.ts'
import { boundedFetch, checkFor, environmentFetch, type Fetch, isPublic } from './fetch.ts'
import { SharedAccount } from './shared-account.ts'
import type { SignIn, SignInRequest } from './sign-in.ts'
import { abortable, grantedScope, Keyring, revoke } from './tokens.ts'

/** The facts of a server over HTTP. */
export interface ProtectedServer {
  name: string
  url: string
  headers: Readonly<Record<string, string>>
  oauth: OAuthSettings | undefined
}

export interface AuthorizersOptions
  extends Pick<AuthorizerOptions, 'dataDir' | 'shared' | 'now' | 'interactive' | 'fetch' | 'later'> {
  servers: readonly ProtectedServer[]
  logger: Logger
  /** Milliseconds in which a server has to be connected: a refused call waits for a person a little less. */
  connectTimeoutMs: number
  /** `never`: no browser is opened. */
  open: 'auto' | 'never'
  environment: Readonly<Record<string, string | undefined>>
  /** As `process.platform` tells it. */
  platform: string
  /** Told the address of every sign-in that begins. */
  tell?: ((server: string, link: string) => void) | undefined
}

export interface Authorizers {
  /** Undefined: the server answers for itself with a header, has no address, or is not to be signed in to. */
  for(server: string): Authorizer | undefined
  /** Throws a ProxyError when the server is not one to be signed in to. */
  signOut(server: string): Promise<SignedOut>
  /** Sets the servers from now on. Unchanged servers go on with what they have. */
  configure(servers: readonly ProtectedServer[]): void
  close(): Promise<void>
}

/** So much of the time to connect is left for telling where to sign in. */
const REST = 0.2

export function createAuthorizers(options: AuthorizersOptions): Authorizers {
  const { logger, connectTimeoutMs, open, environment, platform, tell, ...rest } = options
  let { servers } = options
  const made = new Map<string, OAuthAuthorizer | undefined>()
  /** Of servers that are others now: connections that end still have them. */
  const replaced: OAuthAuthorizer[] = []

  function make({ name, url, headers, oauth }: ProtectedServer): OAuthAuthorizer | undefined {
    if (oauth?.enabled === false || hasAuthorization(url, headers) || !URL.canParse(url)) return undefined
    const log = withFields(logger, { server: name })
    const failed = (error: Error): void => log.warn({ error: error.message }, 'no browser could be opened')
    return createAuthorizer({
      fetch: environmentFetch(environment),
      ...rest,
      server: name,
      url,
      settings: oauth,
      logger: log,
      waitMs: connectTimeoutMs * (1 - REST),
      open:
        open === 'never' ? undefined : (address) => openBrowser(address, { environment, platform, failed }),
      tell: tell && ((link) => tell(name, link)),
    })
  }

  function authorizerOf(name: string): OAuthAuthorizer | undefined {
    if (!made.has(name)) {
      const server = find(servers, name)
      made.set(name, server && make(server))
    }
    return made.get(name)
  }

  return {
    for: authorizerOf,
    configure(now) {
      for (const [name, authorizer] of made) {
        if (sameJson(find(servers, name), find(now, name))) continue
        made.delete(name)
        if (authorizer) replaced.push(authorizer)
      }
      servers = now
    },
    async signOut(name) {
      const authorizer = authorizerOf(name)
      if (authorizer === undefined) {
        const message = `server \`${name}\` is not one that the proxy signs in to`
        throw new ProxyError(
          'CONFIG_INVALID',
          message,
          'Name a server with a "url" and no Authorization header.',
        )
      }
      return await authorizer.signOut()
    },
    async close() {
      await Promise.all([...made.values(), ...replaced].map((authorizer) => authorizer?.close()))
    },
  }
}

function find(servers: readonly ProtectedServer[], name: string): ProtectedServer | undefined {
  return servers.find((server) => server.name === name)
}

// One server: it answers 401, and the authorizer has tokens, gets some, or says where a person has to sign in.

export interface AuthorizerOptions {
  /** The server's name in the configuration. */
  server: string
  url: string
  /** Undefined: nothing was said; OAuth is tried where the server asks for it. */
  settings: OAuthSettings | undefined
  /** Where accounts are kept. Undefined: for this run only. */
  dataDir: string | undefined
  /** Where replicas keep accounts together. Absent: each has its own. */
  shared?: SharedMap | undefined
  logger: Logger
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds that a refused call waits for a person, before it is told where to sign in. */
  waitMs: number
  /** False: no sign-in begins here; the person is told the command that does it. */
  interactive?: boolean
  /** Shows a person an address; false when it could not. Absent: addresses are told only. */
  open?: ((address: string) => boolean) | undefined
  /** Told the address of every sign-in that begins. */
  tell?: ((link: string) => void) | undefined
  fetch?: typeof fetch | undefined
  later?: Later
}

/** The fate of the kept account. */
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

interface OpenSignIn {
  signIn: SignIn
  /** Resolves once the tokens are in use. */
  finished: Promise<void>
}

class ServerAuthorizer implements OAuthAuthorizer {
  readonly #options: AuthorizerOptions
  readonly #settings: OAuthSettings
  readonly #url: URL
  readonly #later: Later
  readonly #attempts: Attempts
  readonly #ending = new AbortController()
  readonly #fetch: Fetch
  readonly #keys: Keyring
  #answering: Promise<boolean | OpenSignIn> | undefined
  #open: OpenSignIn | undefined
  /** The browser is opened once; who closed it is told the address from then on. */
  #shown = false

  constructor(options: AuthorizerOptions) {
    const { url, dataDir, shared, logger, now, fetch: inner = fetch } = options
    const settings = options.settings ?? oauthSchema.parse({})
    this.#options = options
    this.#settings = settings
    this.#url = new URL(url)
    this.#url.hash = ''
    this.#later = options.later ?? later
    this.#attempts = new Attempts(now)
    this.#fetch = boundedFetch(inner, this.#ending.signal, checkFor(this.#url, settings.issuer))
    const { clientId, grant, clientMetadataUrl, account } = settings
    const id = accountId({ url: this.#url.href, clientId, grant, clientMetadataUrl, account })
    const path = dataDir === undefined ? undefined : accountPath(dataDir, id)
    const file = new AccountFile({ path, logger, later: this.#later })
    this.#keys = new Keyring({
      settings,
      file: shared ? new SharedAccount({ file, map: shared, id, logger, now }) : file,
      logger,
      now,
      fetchFn: this.#fetch,
      ending: this.#ending.signal,
      adopted: () => this.#open?.signIn.close(this.#keys.account),
    })
  }

  async header(signal?: AbortSignal): Promise<string | undefined> {
    return await this.#keys.header(signal)
  }

  async refused(refusal: Refusal, signal?: AbortSignal): Promise<boolean> {
    const challenge = parseChallenge(refusal.challenge)
    const stepUp = refusal.status === 403 && challenge.error === 'insufficient_scope'
    if (this.#ending.signal.aborted || (refusal.status !== 401 && !stepUp)) return false
    await this.#keys.adopt()
    const current = this.#keys.current()
    if (current !== undefined && current !== refusal.sent) return true
    this.#answering ??= this.#answer(challenge, stepUp).finally(() => {
      this.#answering = undefined
    })
    const outcome = await abortable(this.#answering, signal)
    return typeof outcome === 'boolean' ? outcome : await this.#person(outcome, signal)
  }

  async signOut(): Promise<SignedOut> {
    this.#open?.signIn.close()
    const account = await this.#keys.forget()
    if (account?.tokens === undefined) return account === undefined ? 'nothing kept' : 'forgotten'
    const request = this.#keys.request(await loadSdk(), account.realm, account)
    return request && (await revoke(account, request)) ? 'revoked' : 'forgotten'
  }

  async close(): Promise<void> {
    this.#ending.abort(new Error('the proxy ends'))
    this.#open?.signIn.close()
    await Promise.allSettled([this.#answering, this.#open?.finished, this.#keys.close()])
  }

  /** The answer to a refusal, once for all calls that meet it. */
  async #answer(challenge: Challenge, stepUp: boolean): Promise<boolean | OpenSignIn> {
    if (this.#open) return this.#open
    const { now, logger } = this.#options
    const before = this.#keys.account
    if (stepUp && !moreScopesHelp(before?.tokens, challenge.scope, now())) return false
    if (!this.#attempts.add()) {
      logger.warn({}, 'the server refuses every token it is given; no more are got for now')
      return false
    }
    const sdk = await loadSdk()
    try {
      const realm = await discoverRealm(sdk, this.#url, await this.#followed(challenge), this.#fetch)
      this.#checkIssuer(realm, before)
      const tokens = before && sameIssuer(before.realm, realm) ? before.tokens : undefined
      const scope = chooseScope(this.#settings, realm, challenge, stepUp ? tokens : undefined)
      if (!stepUp && tokens && this.#justGot(tokens, 'sign-in')) return false
      if (this.#settings.grant === 'client_credentials') return await this.#keys.obtainOwn(sdk, realm, scope)
      const renewable = !stepUp && tokens !== undefined && !this.#justGot(tokens, 'refresh')
      if (renewable && (await this.#keys.renew(realm, tokens))) return true
      return await this.#begin(sdk, realm, scope)
    } catch (error) {
      throw error instanceof AuthorizationNeeded ? error : this.#keys.worded(sdk, error)
    }
  }

  /** Where the server says its metadata lies. Elsewhere than with itself only where everybody reaches it and a person may sign in. */
  async #followed({ resourceMetadata }: Challenge): Promise<URL | undefined> {
    if (resourceMetadata === undefined || resourceMetadata.origin === this.#url.origin)
      return resourceMetadata
    if (this.#options.open && (await isPublic(resourceMetadata))) return resourceMetadata
    const { logger } = this.#options
    logger.debug({ at: resourceMetadata.origin }, 'the server names metadata elsewhere, which is not asked')
    return undefined
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

  /** A person is asked. False: there is nothing to ask for. */
  async #begin(sdk: Sdk, realm: Realm, scope: string | undefined): Promise<boolean | OpenSignIn> {
    const { server, settings, logger, now, interactive = true } = this.#options
    const guess = settings === undefined && isGuess(realm)
    if (!interactive) {
      if (guess) return false
      throw new AuthorizationNeeded(`needs you to sign in: run \`mcp-rlm-proxy login ${server}\``, realm.url)
    }
    const { account } = this.#keys
    const here = account && sameIssuer(account.realm, realm) ? account : { realm }
    const { beginSignIn } = await import('./sign-in.ts')
    const request: SignInRequest = {
      ...{ sdk, server, realm, scope, now, client: here.client, settings: this.#settings },
      ...{ fetchFn: this.#fetch, later: this.#later, expiryMs: SIGN_IN_MS },
    }
    const signIn = await beginSignIn(request).catch((error: unknown) => {
      if (!guess) throw error
      const { message } = this.#keys.worded(sdk, error)
      logger.debug({ reason: message }, 'the server wants a token that OAuth does not give')
    })
    if (signIn === undefined) return false
    if (this.#ending.signal.aborted) signIn.close()
    // The client is kept with its first tokens; until then it is remembered here, so that it is registered once.
    if (this.#settings.clientId === undefined) await this.#keys.keep({ ...here, client: signIn.client })
    this.#open = { signIn, finished: this.#finish(sdk, signIn) }
    this.#open.finished.catch(() => {})
    this.#announce(signIn, realm)
    return this.#open
  }

  async #finish(sdk: Sdk, signIn: SignIn): Promise<void> {
    const { logger } = this.#options
    try {
      const account = await signIn.done
      if (account !== this.#keys.account) await this.#keys.keep(account)
      this.#shown = false
      logger.info({}, 'signed in')
    } catch (error) {
      const { client: _, ...rest } = this.#keys.account ?? {}
      if (signIn.stuck && 'realm' in rest) await this.#keys.keep(rest)
      const worded = this.#keys.worded(sdk, error)
      logger.warn({ reason: worded.message }, 'no user is signed in')
      throw worded
    } finally {
      this.#open = undefined
    }
  }

  /** Tells where to sign in; nothing that is told here is secret. */
  #announce(signIn: SignIn, realm: Realm): void {
    const { logger, open, tell } = this.#options
    if (!this.#shown) this.#shown = open?.(signIn.link) ?? false
    const fields = { open: signIn.link, at: new URL(realm.url).host }
    logger.warn(fields, 'the server needs you to sign in: open the address')
    tell?.(signIn.link)
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
}

// Keeps a server that is never content from sending the proxy round in circles.

const MOST = 5
const WINDOW_MS = 60_000

class Attempts {
  readonly #now: () => number
  #times: number[] = []

  /** `now` gives milliseconds. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Counts one more. False: there were too many lately, and this one is not to be made. */
  add(): boolean {
    const now = this.#now()
    this.#times = this.#times.filter((time) => now - time < WINDOW_MS)
    if (this.#times.length >= MOST) return false
    this.#times.push(now)
    return true
  }
}

// Which scopes to ask for, and when asking for more is of use (MCP specification, basic/authorization, "Scope
// Selection Strategy").

/** Scopes that a person did not grant are not asked for again so soon. */
const ASK_AGAIN_MS = 60_000

/** `more`: the tokens to which something is to be added. Undefined: nothing is asked for by name. */
function chooseScope(
  { scope, grant }: Pick<OAuthSettings, 'scope' | 'grant'>,
  { metadata, scopes }: Realm,
  challenge: Challenge,
  more: Tokens | undefined,
): string | undefined {
  const wanted =
    more === undefined
      ? (scope ?? challenge.scope ?? scopes)
      : unionOfScopes(scope, grantedScope(more), challenge.scope)
  if (wanted === undefined || grant === 'client_credentials') return wanted
  // Without it some servers give no refresh token (OpenID Connect Core, 11).
  const offline = metadata?.scopes_supported?.includes('offline_access') === true
  return offline ? unionOfScopes(wanted, 'offline_access') : wanted
}

/** False when the server wants scopes that it was given, does not name, or that a person has just not granted. */
function moreScopesHelp(tokens: Tokens | undefined, wanted: string | undefined, now: number): boolean {
  if (wanted === undefined) return false
  if (tokens === undefined) return true
  if (coversScopes(grantedScope(tokens), wanted)) return false
  return !coversScopes(tokens.asked, wanted) || now - tokens.obtainedAt >= ASK_AGAIN_MS
}

// Scopes: sets of words, written apart by spaces (RFC 6749, 3.3).

/** Every word once, in the order of first appearance. Undefined: there are none. */
export function unionOfScopes(...scopes: readonly (string | undefined)[]): string | undefined {
  const words = new Set(scopes.flatMap(wordsOf))
  return words.size === 0 ? undefined : [...words].join(' ')
}

/** True when everything wanted is there already. */
export function coversScopes(there: string | undefined, wanted: string | undefined): boolean {
  const words = new Set(wordsOf(there))
  return wordsOf(wanted).every((word) => words.has(word))
}

function wordsOf(scope: string | undefined): string[] {
  return (scope ?? '').split(/\s+/).filter((word) => word !== '')
}
