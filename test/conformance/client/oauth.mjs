/** A client that authorises itself, for the runs without a proxy: the provider that the SDK asks for, and the way around. */
import {
  ClientCredentialsProvider,
  PrivateKeyJwtProvider,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { follow } from './consent.mjs'

const REDIRECT = 'http://localhost:3999/callback'

/** How often one action may be authorised again: once to begin with, once for a wider scope. */
const ATTEMPTS = 3

/** @param context of the scenario: credentials, if it has some */
export function createProvider(scenario, context = {}) {
  const { client_id: clientId, client_secret: clientSecret, private_key_pem: privateKey } = context
  if (privateKey !== undefined) {
    return new PrivateKeyJwtProvider({ clientId, privateKey, algorithm: context.signing_algorithm })
  }
  if (scenario === 'auth/client-credentials-basic')
    return new ClientCredentialsProvider({ clientId, clientSecret })
  return createCodeProvider(scenario, context)
}

/** For the authorization code grant. Its findings about the server are not kept: they may change between two requests. */
function createCodeProvider(scenario, { client_id, client_secret, issuer }) {
  const registered = client_id === undefined ? undefined : { client_id, client_secret, issuer }
  const kept = { information: registered, tokens: undefined, verifier: undefined }
  return {
    callback: undefined,
    redirectUrl: REDIRECT,
    ...(scenario === 'auth/basic-cimd' && { clientMetadataUrl: CLIENT_METADATA_URL }),
    clientMetadata: {
      client_name: 'conformance-client',
      redirect_uris: [REDIRECT],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    clientInformation: () => kept.information,
    saveClientInformation: (information) => {
      kept.information = information
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens) => {
      kept.tokens = tokens
    },
    codeVerifier: () => kept.verifier,
    saveCodeVerifier: (verifier) => {
      kept.verifier = verifier
    },
    async redirectToAuthorization(url) {
      this.callback = await follow(url, REDIRECT)
    },
  }
}

/** The document that the scenario for client id metadata documents expects (SEP-991). */
export const CLIENT_METADATA_URL = 'https://conformance-test.local/client-metadata.json'

/** Does the action, and again when the provider was sent to the authorization server meanwhile. */
export async function authorized(provider, transport, action) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await action()
    } catch (error) {
      const callback = provider?.callback
      if (callback === undefined || attempt === ATTEMPTS || !isUnauthorized(error)) throw error
      provider.callback = undefined
      await transport().finishAuth(callback.searchParams)
    }
  }
}

const isUnauthorized = (error) =>
  error instanceof UnauthorizedError || (error.cause !== undefined && isUnauthorized(error.cause))
