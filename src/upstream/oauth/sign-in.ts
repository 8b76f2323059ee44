/** A person signs in: the authorization code flow with PKCE over a redirect to this machine (RFC 6749, 4.1; RFC 7636; RFC 8252). */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { OAuthSettings } from '../../config/auth-options.ts'
import type { Later } from '../backoff.ts'
import type { Account, ClientIdentity, Realm } from './account.ts'
import type { Sdk } from './discovery.ts'
import type { Fetch } from './fetch.ts'
import { configuredIdentity, newIdentity, redeemCode, stillValid } from './tokens.ts'

export interface SignInRequest {
  sdk: Sdk
  server: string
  realm: Realm
  /** The client that an earlier sign-in at this realm left. */
  client: ClientIdentity | undefined
  scope: string | undefined
  settings: OAuthSettings
  fetchFn: Fetch
  now(): number
  later: Later
  /** Milliseconds until the sign-in is given up. */
  expiryMs: number
}

export interface SignIn {
  /** The short address to open, on this machine. */
  readonly link: string
  readonly client: ClientIdentity
  /** Rejects when it was refused, failed, or did not happen in time. */
  readonly done: Promise<Account>
  /** No answer came, although the address was opened: perhaps the authorization server does not know the client any more. */
  readonly stuck: boolean
  /** With an account: the user signed in elsewhere, and this sign-in is no longer needed. */
  close(account?: Account): void
}

/** No answer came in time, or the proxy ends. */
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
      const text = 'The proxy says why, in its log and in its answer to the call. The next call begins again.'
      return { done: false, title: `Not signed in to ${server}`, text }
    } finally {
      end()
    }
  }

  const cancelExpiry = later(expiryMs, () => {
    expired = true
    end()
    fail(new SignInEnded('no user signed in in time'))
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

/** The code of an answer. Before an error's words are read, its issuer is checked (RFC 9207, 2.4). */
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

// Where the browser comes back to after a sign-in: an HTTP server on this machine alone, for one answer (RFC
// 8252, 7.3). It also has a short address that leads to the authorization server. That is easier to tell than the long one, and it holds
// nothing that a log must not have.

const HOST = '127.0.0.1'
const CALLBACK = '/callback'

export interface Receiver {
  /** Where the authorization server sends the browser. */
  readonly redirectUri: string
  /** The short address to begin at. */
  readonly link: string
  /** The value that the answer has to carry to be ours (RFC 6749, 10.12). */
  readonly state: string
  /** True once somebody followed the short address. */
  readonly visited: boolean
  /**
   * From now on the short address leads to `authorizationUrl`, and the first answer with the right state goes to `accept`. The person then
   * reads what `accept` returns.
   */
  begin(authorizationUrl: URL, accept: (answer: URLSearchParams) => Promise<Verdict>): void
  close(): void
}

export interface Verdict {
  done: boolean
  title: string
  text: string
}

/** Listens at once. Port 0: any free one. Rejects with the error of `listen`. */
export async function receiveRedirect(port: number): Promise<Receiver> {
  const state = randomBytes(32).toString('base64url')
  const start = `/${randomBytes(16).toString('base64url')}`
  let target: URL | undefined
  let accept: ((answer: URLSearchParams) => Promise<Verdict>) | undefined
  let visited = false

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await listen(server, port)
  const { port: actual } = server.address() as AddressInfo
  const origin = `http://${HOST}:${actual}`

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Only under its own name: a page elsewhere that points a name of its own here is not answered.
    if (request.headers.host !== `${HOST}:${actual}`) return send(response, 421, 'Not here', '')
    if (request.method !== 'GET') return send(response, 405, 'Not like this', '')
    const url = new URL(request.url ?? '/', origin)
    if (url.pathname === start && target !== undefined) {
      visited = true
      response.writeHead(302, { Location: target.href, ...HEADERS }).end()
      return
    }
    if (url.pathname !== CALLBACK) return send(response, 404, 'Nothing here', '')
    if (!equal(url.searchParams.get('state') ?? '', state)) {
      return send(
        response,
        400,
        'Not the sign-in that was asked for',
        'Use the address that the proxy gave last.',
      )
    }
    const take = accept
    if (take === undefined) return send(response, 410, 'Used already', 'You can close this window.')
    accept = undefined
    const { done, title, text } = await take(url.searchParams)
    send(response, done ? 200 : 400, title, text)
  }

  return {
    redirectUri: `${origin}${CALLBACK}`,
    link: `${origin}${start}`,
    state,
    get visited() {
      return visited
    },
    begin(authorizationUrl, taking) {
      target = authorizationUrl
      accept = taking
    },
    close() {
      accept = undefined
      server.close()
      // The last answer is still on its way; connections that say nothing are not waited for.
      server.closeIdleConnections()
    },
  }
}

const HEADERS = {
  Connection: 'close',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const

function send(response: ServerResponse, status: number, title: string, text: string): void {
  response.writeHead(status, {
    ...HEADERS,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  })
  response.end(page(title, text))
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, HOST, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** In a time that does not depend on where they differ. */
function equal(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}

// The page a person sees after a sign-in. It needs nothing from anywhere and runs no script.

export function page(title: string, text: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>
:root { color-scheme: light dark; font: 1.1rem/1.5 system-ui, sans-serif }
body { max-width: 32rem; margin: 20vh auto 0; padding: 0 1rem }
h1 { font-size: 1.5rem }
</style>
<h1>${escaped(title)}</h1>
<p>${escaped(text)}</p>
</html>
`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** The words may be a server's. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
