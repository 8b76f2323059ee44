/** The facts for signing in to one server: who gives tokens, who the proxy is there, and the tokens. */

import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client'
import { writeDurably } from '../../data/private-files.ts'
import type { Logger } from '../../observe/log.ts'
import { hasCode, messageOf } from '../../protocol/errors.ts'
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import type { Later } from '../backoff.ts'

/** The authorization server of the server, as discovery found it (RFC 9728, RFC 8414). */
export interface Realm {
  /** Identifies the authorization server; clients and tokens belong to it. */
  issuer: string
  /** Its address, for endpoints that metadata does not name. */
  url: string
  /** Absent: it has no metadata document, and default endpoints are used (MCP 2025-03-26). */
  metadata: AuthorizationServerMetadata | undefined
  /** The resource indicator as the server wrote it (RFC 8707). Absent: the server has no metadata document. */
  resource: string | undefined
  /** The scopes that the server offers. */
  scopes: string | undefined
}

/** The registration of the proxy at an authorization server. */
export interface ClientIdentity {
  client_id: string
  client_secret?: string
  /** As the server decided when it registered the proxy (RFC 7591). */
  token_endpoint_auth_method?: string
  /** Seconds since the epoch; 0 or absent: never. */
  client_secret_expires_at?: number
  /** The one redirect address it was registered with. */
  redirectUri?: string
}

export interface Tokens {
  access: string
  refresh?: string
  /** The granted scope. */
  scope?: string
  /** The scope that was asked for when a person, or the proxy for itself, last signed in. */
  asked?: string
  /** How the access token was come by. */
  by: 'sign-in' | 'refresh'
  /** Milliseconds since the epoch. */
  obtainedAt: number
  /** Milliseconds since the epoch. Absent: the server did not say. */
  expiresAt?: number
}

export interface Account {
  realm: Realm
  /** Absent: registered by hand, in the configuration. */
  client?: ClientIdentity
  tokens?: Tokens
}

const VERSION = 1

/** The account as it is written to a file. */
export function accountToJson(account: Account): string {
  return JSON.stringify({ version: VERSION, ...account })
}

/** Throws when the text is not what `accountToJson` writes. */
export function accountFromJson(text: string): Account {
  const value: unknown = JSON.parse(text)
  if (!isObject(value) || value.version !== VERSION) throw new SyntaxError('it is of another version')
  const { client, tokens } = value
  const account: Account = { realm: realmOf(value.realm) }
  if (isObject(client) && typeof client.client_id === 'string') {
    account.client = {
      client_id: client.client_id,
      ...texts(client, CLIENT_TEXTS),
      ...numbers(client, CLIENT_NUMBERS),
    }
  }
  if (isObject(tokens) && typeof tokens.access === 'string' && typeof tokens.obtainedAt === 'number') {
    const { access, obtainedAt } = tokens
    const by = tokens.by === 'refresh' ? 'refresh' : 'sign-in'
    account.tokens = {
      access,
      obtainedAt,
      by,
      ...texts(tokens, TOKEN_TEXTS),
      ...numbers(tokens, ['expiresAt']),
    }
  }
  return account
}

const CLIENT_TEXTS = ['client_secret', 'token_endpoint_auth_method', 'redirectUri'] as const
const CLIENT_NUMBERS = ['client_secret_expires_at'] as const
const TOKEN_TEXTS = ['refresh', 'scope', 'asked'] as const

function realmOf(value: unknown): Realm {
  if (!isObject(value) || typeof value.issuer !== 'string' || !isWeb(value.url)) {
    throw new SyntaxError('it names no authorization server')
  }
  const metadata = isObject(value.metadata) ? metadataOf(value.metadata) : undefined
  const { resource, scopes } = {
    resource: undefined,
    scopes: undefined,
    ...texts(value, ['resource', 'scopes']),
  }
  return { issuer: value.issuer, url: String(value.url), metadata, resource, scopes }
}

/** Only what renewing and revoking need is relied upon. */
function metadataOf(value: JsonObject): AuthorizationServerMetadata {
  const methods = own(value, 'token_endpoint_auth_methods_supported')
  if (typeof value.issuer !== 'string' || !isWeb(value.token_endpoint))
    throw new SyntaxError('its metadata is damaged')
  if (methods !== undefined && !Array.isArray(methods)) throw new SyntaxError('its metadata is damaged')
  return value as unknown as AuthorizationServerMetadata
}

function isWeb(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
}

function texts<K extends string>(from: JsonObject, keys: readonly K[]): { [P in K]?: string } {
  return pick(from, keys, (value) => typeof value === 'string') as { [P in K]?: string }
}

function numbers<K extends string>(from: JsonObject, keys: readonly K[]): { [P in K]?: number } {
  return pick(from, keys, (value) => typeof value === 'number') as { [P in K]?: number }
}

function pick(from: JsonObject, keys: readonly string[], fits: (value: unknown) => boolean): object {
  return Object.fromEntries(keys.map((key) => [key, own(from, key)]).filter(([, value]) => fits(value)))
}

// Where an account lies between runs: a file of its own (0600) in a folder of its own (0700), written in one
// piece. Several proxies may share it; who is about to use up a refresh token holds the lock.

/** A lock older than this was left behind: no renewal takes that long. */
const STALE_MS = 60_000
const RETRY_MS = 100

/** Somebody signed out, at another replica perhaps: what is remembered counts no more. */
export const SIGNED_OUT = 'signed out'

/** Where an account lies between runs. */
export interface AccountPlace {
  /** Undefined where there is none, or none that can be read; the latter is told. */
  read(): Promise<Account | typeof SIGNED_OUT | undefined>
  /** Whole or not at all: a refresh token that was spent must not come back. A failure is told; the account then lasts as long as the proxy. */
  write(account: Account): Promise<void>
  remove(): Promise<void>
  /** Runs `work` while no other proxy does the like. Where no lock can be had, it runs all the same. */
  locked<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
  /** Hears that another replica may have put an account in its place. Returns what ends it. */
  watch?(heard: () => void): () => void
}

interface AccountFileOptions {
  /** Undefined: nothing is kept. */
  path: string | undefined
  logger: Logger
  later: Later
}

/** Names the account for what `about` describes; equal descriptions share one. */
export function accountId(about: Readonly<Record<string, string | undefined>>): string {
  const entries = Object.entries(about).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(entries)).digest('hex').slice(0, 32)
}

/** The file of an account. */
export function accountPath(dataDir: string, id: string): string {
  return join(dataDir, 'oauth', `${id}.json`)
}

export class AccountFile implements AccountPlace {
  readonly #options: AccountFileOptions

  constructor(options: AccountFileOptions) {
    this.#options = options
  }

  async read(): Promise<Account | undefined> {
    const { path, logger } = this.#options
    if (path === undefined) return undefined
    try {
      return accountFromJson(await readFile(path, 'utf8'))
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) {
        // The parser's message would quote the file.
        const reason = error instanceof SyntaxError ? 'it is damaged' : messageOf(error)
        logger.warn({ file: path, reason }, 'a kept sign-in cannot be read and is ignored')
      }
      return undefined
    }
  }

  async write(account: Account): Promise<void> {
    const { path, logger } = this.#options
    if (path === undefined) return
    try {
      writeDurably(path, accountToJson(account))
    } catch (error) {
      logger.warn({ file: path, reason: messageOf(error) }, 'a sign-in could not be kept')
    }
  }

  async remove(): Promise<void> {
    if (this.#options.path !== undefined) await rm(this.#options.path, { force: true })
  }

  async locked<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { path } = this.#options
    if (path === undefined) return await work()
    const lock = `${path}.lock`
    const held = await this.#acquire(lock, signal)
    try {
      return await work()
    } finally {
      if (held) await rm(lock, { force: true }).catch(() => {})
    }
  }

  async #acquire(lock: string, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      try {
        await mkdir(dirname(lock), { recursive: true, mode: 0o700 })
        await (await open(lock, 'wx', 0o600)).close()
        return true
      } catch (error) {
        if (!hasCode(error, 'EEXIST')) return false
      }
      // By the clock of the file system alone, so that neither clocks apart nor a sleep matter much.
      const age = await stat(lock).then(
        ({ mtimeMs }) => Date.now() - mtimeMs,
        () => 0,
      )
      if (age > STALE_MS) await rm(lock, { force: true }).catch(() => {})
      else await this.#pause(signal)
    }
  }

  #pause(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = this.#options.later(RETRY_MS, () => {
        signal.removeEventListener('abort', leave)
        resolve()
      })
      const leave = (): void => {
        stop()
        reject(signal.reason)
      }
      if (signal.aborted) leave()
      else signal.addEventListener('abort', leave, { once: true })
    })
  }
}
