/** `proxySettings.auth`: how clients over HTTP say who they are. The options, and what must hold between them. */

import * as z from 'zod'
import type { JsonValue } from '../protocol/json.ts'
import { isLoopback, isSafeAddress } from './loopback.ts'
import { flag, integer, oneOf, text } from './option.ts'
import type { Path, Report } from './report.ts'

const introspection = z.object({
  url: text('The address at which the issuer checks tokens that are not JWTs (RFC 7662).').optional(),
  clientId: text('The client id that the proxy uses there.').optional(),
  clientSecret: text(
    'The secret for this client id. Write ${A_VARIABLE} instead of the secret itself.',
  ).optional(),
})

export const authSchema = z.object({
  tokens: text(
    'The file of `mcp-rlm-proxy token add`. Not set: tokens.json in the data directory, if it exists.',
  ).optional(),
  issuer: text(
    'The OAuth authorization server of accepted access tokens, exactly as in `iss` of its tokens.',
  ).optional(),
  issuers: z.array(z.string().min(1)).meta({ description: 'The same if there are several.' }).default([]),
  audience: text(
    'The `aud` that access tokens must have. Not set: the address at which clients reach the proxy.',
  ).optional(),
  jwksUri: text(
    'The address of the keys of the issuer. Not set: the address in its metadata (RFC 8414).',
  ).optional(),
  introspection: introspection.prefault({}).meta({ description: 'Asks the issuer about opaque tokens.' }),
  requiredScopes: z
    .array(z.string().regex(/^[\x21\x23-\x5B\x5D-\x7E]+$/))
    .meta({ description: 'Scopes that an access token must have, all of them.' })
    .default([]),
  profileScopes: text(
    'The prefix of scopes that name profiles. With `profile:`, an access token with the scope `profile:notes` may use the profile `notes`, and no profile without such a scope. Not set: a token may use all profiles.',
  ).optional(),
  publicUrl: text(
    'The address at which clients reach the proxy, with its path: https://tools.example.com/mcp. Not set: `host` and `port`.',
  ).optional(),
})

type AuthSettings = z.output<typeof authSchema>

/** The issuers, each once. */
export function issuersOf({
  issuer,
  issuers,
}: {
  issuer?: string | undefined
  issuers: readonly string[]
}): string[] {
  return [...new Set([...(issuer === undefined ? [] : [issuer]), ...issuers])]
}

/** True when access tokens of an authorization server are accepted. */
export function usesOauth(auth: {
  issuer?: string | undefined
  issuers: readonly string[]
  introspection: { url?: string | undefined }
}): boolean {
  return issuersOf(auth).length > 0 || auth.introspection.url !== undefined
}

/** Reports what does not fit together. `at`: where `auth` lies. */
export function checkAuth(
  auth: AuthSettings,
  host: string,
  overHttp: boolean,
  at: Path,
  report: Report,
): void {
  const wrong = (path: Path, message: string, remedy: string): void =>
    report.addAt('error', [...at, ...path], { message, remedy })
  const { introspection, jwksUri, publicUrl } = auth
  const addresses: [Path, string | undefined][] = [
    [['issuer'], auth.issuer],
    ...auth.issuers.map((issuer, index): [Path, string] => [['issuers', index], issuer]),
    [['jwksUri'], jwksUri],
    [['introspection', 'url'], introspection.url],
  ]
  for (const [path, address] of addresses) {
    // An attacker who can change these answers can let in any client.
    if (address !== undefined && !isSafeAddress(address))
      wrong(path, 'is no https address', 'Write https://…; http is for this machine alone.')
  }
  if (publicUrl !== undefined && !isResource(publicUrl))
    wrong(['publicUrl'], 'is no address of the web', 'Write for example https://tools.example.com/mcp.')
  if (jwksUri !== undefined && issuersOf(auth).length !== 1)
    wrong(['jwksUri'], 'needs exactly one issuer', 'Remove it: the keys are found without it.')
  const { clientId, clientSecret, url } = introspection
  if (url === undefined && (clientId ?? clientSecret) !== undefined)
    wrong(['introspection', 'url'], 'is missing', 'Name the address to ask, or remove "introspection".')
  if (overHttp && usesOauth(auth) && publicUrl === undefined && !isLoopback(host))
    wrong(
      ['publicUrl'],
      `is missing: on ${host} the proxy cannot know at which address clients reach it`,
      'Write that address, for example https://tools.example.com/mcp.',
    )
}

/** A resource identifier (RFC 9728, 1.2), but for http, which proxies in front of this one may have taken off. */
function isResource(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hash, search, username, password } = new URL(address)
  return /^https?:$/.test(protocol) && `${hash}${search}${username}${password}` === ''
}

// `oauth` of a server: how the proxy signs in there (OAuth 2.1; MCP specification, basic/authorization).

/** One entry as written. `true` and `false` stand for `{ "enabled": … }`. */
export const oauthSchema = z
  .object({
    enabled: flag('Sign in if the server asks for it. `"oauth": false` means never.').default(true),
    clientId: text(
      'The client id, if a person registered the proxy by hand. Not set: the proxy registers itself.',
    ).optional(),
    clientSecret: text('The secret that belongs to it.').optional(),
    scope: text(
      'The scopes to ask for, with spaces between. Not set: the scopes that the server names.',
    ).optional(),
    grant: oneOf(
      ['authorization_code', 'client_credentials'],
      'authorization_code: a person signs in, in the browser. client_credentials: the proxy acts for itself.',
    ).default('authorization_code'),
    privateKey: text(
      'A private key (PEM, PKCS#8) that signs in place of a secret (private_key_jwt).',
    ).optional(),
    algorithm: oneOf(
      ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'],
      'How that key signs.',
    ).default('RS256'),
    issuer: text(
      'The only authorization server that may see the client id and secret. Not set: the first one that the server names.',
    ).optional(),
    redirectPort: integer('The port on 127.0.0.1 to which the browser returns. 0: any free one.', {
      min: 0,
      max: 65_535,
    }).default(0),
    clientMetadataUrl: text(
      'The address of your client id metadata document. It is the client id if the server accepts such documents.',
    ).optional(),
    clientName: text('The name under which the proxy registers itself.').default('mcp-rlm-proxy'),
    account: text(
      'A label of your own. Entries with different labels sign in to the same server with different accounts.',
    ).optional(),
  })
  .meta({
    description: 'How the proxy signs in there. true: whenever the server asks for it; false: never.',
    allowed: 'true, false or an object { … }',
  })

/** Complete: what can have a default has it. */
export type OAuthSettings = z.output<typeof oauthSchema>

/** `proxySettings.oauth`. */
export const signInSchema = z.object({
  open: oneOf(
    ['auto', 'never'],
    'Whether the proxy opens a browser to sign in. auto: if a person can probably see it. The proxy always gives the address.',
  ).default('auto'),
})

/** Something wrong between the keys. `key` is where to point at. */
interface OAuthFault {
  key: keyof OAuthSettings
  message: string
  remedy: string
}

/** `true` and `false` in the long form; anything else as it is. */
export function longForm(written: JsonValue): JsonValue {
  return typeof written === 'boolean' ? { enabled: written } : written
}

/** Rules between the keys of one entry. */
export function oauthFaults(settings: OAuthSettings): OAuthFault[] {
  const { clientId, clientSecret, privateKey, grant, issuer, clientMetadataUrl } = settings
  const faults: OAuthFault[] = []
  const add = (key: keyof OAuthSettings, message: string, remedy: string): void => {
    faults.push({ key, message, remedy })
  }
  if (clientId === undefined) {
    const needs = 'Add "clientId".'
    if (clientSecret !== undefined) add('clientSecret', 'has no clientId beside it', needs)
    if (privateKey !== undefined) add('privateKey', 'has no clientId beside it', needs)
    if (grant === 'client_credentials') add('grant', 'is client_credentials without a clientId', needs)
  } else if (grant === 'client_credentials' && clientSecret === undefined && privateKey === undefined) {
    add('grant', 'is client_credentials without a secret', 'Add "clientSecret" or "privateKey".')
  }
  if (issuer !== undefined && !isWeb(issuer, ['https:', 'http:'])) {
    add('issuer', 'is not an address', 'Write the issuer as its metadata gives it, "https://…".')
  }
  if (
    clientMetadataUrl !== undefined &&
    (!isWeb(clientMetadataUrl, ['https:']) || new URL(clientMetadataUrl).pathname === '/')
  ) {
    add('clientMetadataUrl', 'is not an https address with a path', 'Write "https://host/path.json".')
  }
  return faults
}

/** True when the headers of a server already answer who asks: then OAuth stays out of it. */
export function hasAuthorization(url: string, headers: Readonly<Record<string, string>>): boolean {
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')) return true
  return URL.canParse(url) && new URL(url).username + new URL(url).password !== ''
}

function isWeb(address: string, protocols: readonly string[]): boolean {
  return URL.canParse(address) && protocols.includes(new URL(address).protocol)
}
