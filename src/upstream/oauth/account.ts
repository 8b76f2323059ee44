/** What is known about signing in to one server: who gives tokens, who the proxy is there, and the tokens. */
import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client'
import { isObject, type JsonObject, own } from '../../protocol/json.ts'

/** Who gives tokens for the server, as discovery found it (RFC 9728, RFC 8414). */
export interface Realm {
  /** Identifies the authorization server; clients and tokens belong to it. */
  issuer: string
  /** Its address, for endpoints that metadata does not name. */
  url: string
  /** Absent: it has no metadata document, and default endpoints are used (MCP 2025-03-26). */
  metadata: AuthorizationServerMetadata | undefined
  /** The resource indicator as the server wrote it (RFC 8707). Absent: the server has no metadata document. */
  resource: string | undefined
  /** What the server says can be asked for. */
  scopes: string | undefined
}

/** Who the proxy is at an authorization server. */
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
  /** What was granted. */
  scope?: string
  /** What was asked for when a person, or the proxy for itself, last signed in. */
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
