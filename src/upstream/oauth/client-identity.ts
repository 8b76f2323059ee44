/** Who the proxy is at an authorization server: by configuration, by a metadata document, or registered (RFC 7591). */
import type { AddClientAuthentication } from '@modelcontextprotocol/client'
import type { OAuthSettings } from '../../config/oauth-settings.ts'
import type { ClientIdentity, Realm } from './account.ts'
import type { Fetch } from './bounded-fetch.ts'
import type { Sdk } from './sdk.ts'

/** The identity that was registered by hand. Undefined: none was. */
export function configuredIdentity({ clientId, clientSecret }: OAuthSettings): ClientIdentity | undefined {
  if (clientId === undefined) return undefined
  return { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) }
}

/** True when a registered identity can be used again with this redirect address. `now` is in milliseconds. */
export function stillValid(client: ClientIdentity, redirectUri: string, now: number): boolean {
  const { client_secret_expires_at: expires = 0 } = client
  return client.redirectUri === redirectUri && (expires === 0 || expires * 1000 > now)
}

/** A new identity for a person's sign-in. Throws the SDK's RegistrationRejectedError when the server does not want one. */
export async function newIdentity(
  sdk: Sdk,
  realm: Realm,
  settings: OAuthSettings,
  { redirectUri, scope, fetchFn }: { redirectUri: string; scope: string | undefined; fetchFn: Fetch },
): Promise<ClientIdentity> {
  const { metadata } = realm
  const { clientMetadataUrl, clientName } = settings
  if (clientMetadataUrl !== undefined && metadata?.client_id_metadata_document_supported === true) {
    return { client_id: clientMetadataUrl, redirectUri }
  }
  const registered = await sdk.registerClient(realm.url, {
    ...(metadata && { metadata }),
    clientMetadata: {
      client_name: clientName,
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      application_type: 'native',
      token_endpoint_auth_method: authMethod(metadata?.token_endpoint_auth_methods_supported),
    },
    ...(scope !== undefined && { scope }),
    fetchFn,
  })
  const { client_id, client_secret, client_secret_expires_at, token_endpoint_auth_method } = registered
  return {
    client_id,
    redirectUri,
    ...(client_secret !== undefined && { client_secret }),
    ...(client_secret_expires_at !== undefined && { client_secret_expires_at }),
    ...(token_endpoint_auth_method !== undefined && { token_endpoint_auth_method }),
  }
}

/** Signs token requests with the configured key (RFC 7523, 2.2). Undefined: there is none. */
export function keyAuthentication(
  sdk: Sdk,
  { clientId, privateKey, algorithm }: OAuthSettings,
): AddClientAuthentication | undefined {
  if (clientId === undefined || privateKey === undefined) return undefined
  return sdk.createPrivateKeyJwtAuth({
    issuer: clientId,
    subject: clientId,
    // From the environment a key often comes on one line.
    privateKey: privateKey.includes('\n') ? privateKey : privateKey.replaceAll('\\n', '\n'),
    alg: algorithm,
  })
}

/** A program on a person's machine keeps no secret (RFC 8252, 8.4), so it asks for none where that is allowed. */
function authMethod(supported: readonly string[] | undefined): string {
  if (supported === undefined || supported.includes('none')) return 'none'
  return ['client_secret_basic', 'client_secret_post'].find((method) => supported.includes(method)) ?? 'none'
}
