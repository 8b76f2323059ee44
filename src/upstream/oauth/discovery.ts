/** Finds the authorization server of a server (RFC 9728, RFC 8414, OpenID Connect Discovery). */
import type { Realm } from './account.ts'
import type { Fetch } from './fetch.ts'

/**
 * Asks the server and then the authorization server it names; a server that names none is taken for its own
 * (MCP 2025-03-26). Throws when one of them cannot be reached, speaks for another resource or under another issuer.
 */
export async function discoverRealm(
  sdk: Sdk,
  server: URL,
  resourceMetadataUrl: URL | undefined,
  fetchFn: Fetch,
): Promise<Realm> {
  const found = await sdk.discoverOAuthServerInfo(server, {
    fetchFn,
    ...(resourceMetadataUrl && { resourceMetadataUrl }),
  })
  const { authorizationServerUrl: url, authorizationServerMetadata: metadata, resourceMetadata } = found
  if (resourceMetadata !== undefined) {
    const requestedResource = sdk.resourceUrlFromServerUrl(server)
    const { resource: configuredResource } = resourceMetadata
    if (!sdk.checkResourceAllowed({ requestedResource, configuredResource })) {
      throw new Error(`the server speaks for another resource, ${configuredResource.slice(0, 200)}`)
    }
  }
  return {
    issuer: metadata?.issuer ?? url,
    url,
    metadata,
    // Verbatim: `URL` would add a slash to an address without a path, which some servers refuse.
    resource: resourceMetadata?.resource,
    scopes: resourceMetadata?.scopes_supported?.join(' ') || undefined,
  }
}

/** True when no answer names an authorization server. */
export function isGuess({ metadata, resource }: Realm): boolean {
  return metadata === undefined && resource === undefined
}

/** A slash at the end makes no difference (RFC 8414, 3.3, as the SDK reads it). */
export function sameIssuer(a: Pick<Realm, 'issuer'>, b: Pick<Realm, 'issuer'>): boolean {
  return a.issuer.replace(/\/$/, '') === b.issuer.replace(/\/$/, '')
}

// The demands of a refusal: the `WWW-Authenticate` header (RFC 9110, 11.6.1; RFC 6750, 3; RFC 9728, 5.1).

/** The parameters of a Bearer challenge that matter here; each absent where the server did not give it. */
export interface Challenge {
  /** Where the resource says who gives tokens for it. */
  resourceMetadata?: URL
  /** The scopes that would do, apart by spaces. */
  scope?: string
  /** `invalid_token`, `insufficient_scope` … */
  error?: string
}

/** Longer headers are not read: a server sends one or two challenges of a few hundred characters. */
const LONGEST = 8_192
const TOKEN = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y
const QUOTED = /"((?:[^"\\]|\\.)*)"/y
const SPACE = /[ \t]*/y

/** The Bearer challenge of a header, wherever it stands among others. Nothing is thrown: what cannot be read is absent. */
export function parseChallenge(header: string | undefined): Challenge {
  if (header === undefined || header.length > LONGEST) return {}
  const parameters = bearerParameters(header)
  const text = (name: string): string | undefined => parameters.get(name) || undefined
  const [metadata, scope, error] = [text('resource_metadata'), text('scope'), text('error')]
  const web = metadata !== undefined && URL.canParse(metadata) ? new URL(metadata) : undefined
  return {
    ...(web && /^https?:$/.test(web.protocol) && { resourceMetadata: web }),
    ...(scope !== undefined && { scope }),
    ...(error !== undefined && { error }),
  }
}

/** Reads challenge after challenge; commas separate both challenges and their parameters. */
function bearerParameters(header: string): Map<string, string> {
  const found = new Map<string, string>()
  let scheme = ''
  let at = 0
  const read = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const match = pattern.exec(header)
    if (match === null) return undefined
    at = pattern.lastIndex
    return match[1] ?? match[0]
  }
  while (at < header.length) {
    read(SPACE)
    const word = read(TOKEN)
    if (word === undefined) {
      at++
      continue
    }
    read(SPACE)
    if (header[at] !== '=') {
      scheme = word.toLowerCase()
      continue
    }
    at++
    read(SPACE)
    const value = header[at] === '"' ? unquoted(read(QUOTED)) : read(/[^\s,]*/y)
    const name = word.toLowerCase()
    if (scheme === 'bearer' && value !== undefined && !found.has(name)) found.set(name, value)
  }
  return found
}

function unquoted(text: string | undefined): string | undefined {
  return text?.replaceAll(/\\(.)/g, '$1')
}

// The OAuth functions of the MCP SDK, loaded when a server first asks for a token.

export type Sdk = typeof import('@modelcontextprotocol/client')

export function loadSdk(): Promise<Sdk> {
  return import('@modelcontextprotocol/client')
}
