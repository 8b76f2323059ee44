/** A person signs in: the authorization code flow with PKCE over a redirect to this machine (RFC 6749, 4.1; RFC 7636; RFC 8252). */
import type { OAuthSettings } from '../../config/oauth-settings.ts'
import type { Later } from '../backoff.ts'
import type { Account, ClientIdentity, Realm } from './account.ts'
import type { Fetch } from './bounded-fetch.ts'
import { configuredIdentity, newIdentity, stillValid } from './client-identity.ts'
import { type Receiver, receiveRedirect, type Verdict } from './redirect-receiver.ts'
import type { Sdk } from './sdk.ts'
import { redeemCode } from './tokens.ts'

export interface SignInRequest {
  sdk: Sdk
  server: string
  realm: Realm
  /** What an earlier sign-in at this realm left. */
  client: ClientIdentity | undefined
  scope: string | undefined
  settings: OAuthSettings
  fetchFn: Fetch
  now(): number
  later: Later
  /** Milliseconds until nobody is expected any more. */
  expiryMs: number
}

export interface SignIn {
  /** The short address to open, on this machine. */
  readonly link: string
  readonly client: ClientIdentity
  /** Rejects when it was refused, failed, or nobody came. */
  readonly done: Promise<Account>
  /** Nobody came, although the address was opened: perhaps the authorization server does not know the client any more. */
  readonly stuck: boolean
  /** With an account: somebody signed in elsewhere, and nobody is expected here any more. */
  close(account?: Account): void
}

/** Nobody came in time, or the proxy ends. */
export class SignInEnded extends Error {
  override readonly name = 'SignInEnded'
}

/** Begins to listen, registers where needed, and says where the person has to go. */
export async function beginSignIn(request: SignInRequest): Promise<SignIn> {
  const { sdk, realm, scope, settings, fetchFn } = request
  const receiver = await listenForRedirect(request)
  try {
    const { redirectUri, state } = receiver
    const client =
      configuredIdentity(settings) ??
      (request.client && stillValid(request.client, redirectUri, request.now())
        ? request.client
        : await newIdentity(sdk, realm, settings, { redirectUri, scope, fetchFn }))
    const { authorizationUrl, codeVerifier } = await sdk.startAuthorization(realm.url, {
      ...(realm.metadata && { metadata: realm.metadata }),
      clientInformation: client,
      redirectUrl: redirectUri,
      state,
      ...(scope !== undefined && { scope }),
      ...(realm.resource !== undefined && { resource: realm.resource }),
    })
    // The same rule as for the token endpoint: https, or this machine.
    sdk.assertSecureTokenEndpoint(authorizationUrl)
    return wait(request, { receiver, client, authorizationUrl, verifier: codeVerifier })
  } catch (error) {
    receiver.close()
    throw error
  }
}

interface Begun {
  receiver: Receiver
  client: ClientIdentity
  authorizationUrl: URL
  verifier: string
}

function wait(request: SignInRequest, { receiver, client, authorizationUrl, verifier }: Begun): SignIn {
  const { sdk, server, realm, scope, settings, fetchFn, now, later, expiryMs } = request
  let finish: (account: Account) => void = () => {}
  let fail: (error: Error) => void = () => {}
  let expired = false
  const done = new Promise<Account>((resolve, reject) => {
    finish = resolve
    fail = reject
  })
  done.catch(() => {})

  async function accept(answer: URLSearchParams): Promise<Verdict> {
    try {
      const code = codeOf(sdk, realm, answer)
      const iss = answer.get('iss') ?? undefined
      const { redirectUri } = receiver
      const parts = { sdk, realm, client, settings, fetchFn, now }
      const tokens = await redeemCode(parts, { code, iss, verifier, redirectUri, scope })
      finish({ realm, tokens, ...(configuredIdentity(settings) === undefined && { client }) })
      return { done: true, title: `Signed in to ${server}`, text: 'You can close this window.' }
    } catch (error) {
      fail(error instanceof Error ? error : new Error(String(error)))
      const text = 'The proxy says why, in its log and in its answer to the call. The next call begins anew.'
      return { done: false, title: `Not signed in to ${server}`, text }
    } finally {
      end()
    }
  }

  const cancelExpiry = later(expiryMs, () => {
    expired = true
    end()
    fail(new SignInEnded('nobody signed in in time'))
  })
  function end(): void {
    cancelExpiry()
    receiver.close()
  }
  receiver.begin(authorizationUrl, accept)
  return {
    link: receiver.link,
    client,
    done,
    get stuck() {
      return expired && receiver.visited
    },
    close(account) {
      end()
      if (account !== undefined) finish(account)
      fail(new SignInEnded('the sign-in was broken off'))
    },
  }
}

/** The code of an answer. Before an error's words are read, it is made sure whose they are (RFC 9207, 2.4). */
function codeOf(sdk: Sdk, { metadata }: Realm, answer: URLSearchParams): string {
  sdk.validateAuthorizationResponseIssuer({
    iss: answer.get('iss') ?? undefined,
    expectedIssuer: metadata?.issuer,
    issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
  })
  const [code, error] = [answer.get('code'), answer.get('error')]
  if (error !== null) throw new sdk.OAuthError(error, answer.get('error_description') ?? error)
  if (code === null || code === '') throw new Error('the answer of the authorization server holds no code')
  return code
}

/** On the configured port, or on the one that the client is registered with, where that is still free. */
async function listenForRedirect({ settings, client }: SignInRequest): Promise<Receiver> {
  const { redirectPort } = settings
  if (redirectPort !== 0) {
    return await receiveRedirect(redirectPort).catch((error: unknown) => {
      throw new Error(`oauth.redirectPort ${redirectPort} cannot be listened on`, { cause: error })
    })
  }
  const registered = client?.redirectUri === undefined ? 0 : Number(new URL(client.redirectUri).port)
  return await receiveRedirect(registered).catch((error: unknown) => {
    if (registered === 0) throw error
    return receiveRedirect(0)
  })
}
