/** `oauth` of a server: how the proxy signs in there (OAuth 2.1; MCP specification, basic/authorization). */
import * as z from 'zod'
import type { JsonValue } from '../protocol/json.ts'
import { flag, integer, oneOf, text } from './option.ts'

/** One entry as written. `true` and `false` stand for `{ "enabled": … }`. */
export const oauthSchema = z
  .object({
    enabled: flag('Sign in where the server asks for it. `"oauth": false` is short for never.').default(true),
    clientId: text(
      'The client id, where one was registered by hand. Not set: the proxy registers itself.',
    ).optional(),
    clientSecret: text('The secret that belongs to it.').optional(),
    scope: text('What to ask for, words apart by spaces. Not set: what the server says.').optional(),
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
      'The only authorization server that may see the client id and secret. Not set: the first one that is met.',
    ).optional(),
    redirectPort: integer('The port on 127.0.0.1 to which the browser returns. 0: any free one.', {
      min: 0,
      max: 65_535,
    }).default(0),
    clientMetadataUrl: text(
      'Where a client id metadata document of yours lies; it is the client id where the server takes one.',
    ).optional(),
    clientName: text('The name under which the proxy registers itself.').default('mcp-rlm-proxy'),
    account: text('A word of your own, to be signed in to one server under several names.').optional(),
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
    'Whether a browser is opened to sign in: where one is likely to be seen, or never. The address is always told.',
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
