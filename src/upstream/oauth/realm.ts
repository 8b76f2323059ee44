/** Who gives tokens for a server (RFC 9728, RFC 8414, OpenID Connect Discovery). */
import type { Realm } from './account.ts'
import type { Fetch } from './bounded-fetch.ts'
import type { Sdk } from './sdk.ts'

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

/** True when nothing at all says that there is an authorization server. */
export function isGuess({ metadata, resource }: Realm): boolean {
  return metadata === undefined && resource === undefined
}

/** A slash at the end makes no difference (RFC 8414, 3.3, as the SDK reads it). */
export function sameIssuer(a: Pick<Realm, 'issuer'>, b: Pick<Realm, 'issuer'>): boolean {
  return a.issuer.replace(/\/$/, '') === b.issuer.replace(/\/$/, '')
}
