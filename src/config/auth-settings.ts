/** `proxySettings.auth`: how clients over HTTP say who they are. The options, and what must hold between them. */
import * as z from 'zod'
import { isLoopback, isSafeAddress } from './loopback.ts'
import { text } from './option.ts'
import type { Path } from './problem.ts'
import type { Report } from './report.ts'

const introspection = z.object({
  url: text('Where the issuer tells about tokens that are no JWT (RFC 7662).').optional(),
  clientId: text('The name under which the proxy asks there.').optional(),
  clientSecret: text(
    'The secret that belongs to it. Better ${A_VARIABLE} than the secret itself.',
  ).optional(),
})

export const authSchema = z.object({
  tokens: text(
    'The file of `mcp-rlm-proxy token add`. Not set: tokens.json in the data directory, when it is there.',
  ).optional(),
  issuer: text(
    'The OAuth authorization server whose access tokens are accepted, spelled as its tokens spell `iss`.',
  ).optional(),
  issuers: z.array(z.string().min(1)).meta({ description: 'The same where there are several.' }).default([]),
  audience: text(
    'The `aud` that access tokens must have. Not set: the address at which clients reach the proxy.',
  ).optional(),
  jwksUri: text('Where the keys of the issuer lie. Not set: where its metadata says (RFC 8414).').optional(),
  introspection: introspection.prefault({}).meta({ description: 'Asks the issuer about opaque tokens.' }),
  requiredScopes: z
    .array(z.string().regex(/^[\x21\x23-\x5B\x5D-\x7E]+$/))
    .meta({ description: 'Scopes that an access token must have, all of them.' })
    .default([]),
  profileScopes: text(
    'The beginning of scopes that name profiles: with `profile:` an access token with the scope `profile:notes` opens the profile `notes`, and each opens those alone that its scopes name. Not set: everything.',
  ).optional(),
  publicUrl: text(
    'The address at which clients reach the proxy, with its path: https://tools.example.com/mcp. Not set: `host` and `port`.',
  ).optional(),
})

export type AuthSettings = z.output<typeof authSchema>

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
    // Who can change what comes from there can let in anybody.
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
