/**
 * Where the browser comes back to after a sign-in: an HTTP server on this machine alone, for one answer (RFC 8252, 7.3). It
 * also has a short address that leads to the authorization server, because that is easier to tell than the long one, and
 * holds nothing that a log must not.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { page } from './page.ts'

const HOST = '127.0.0.1'
const CALLBACK = '/callback'

export interface Receiver {
  /** Where the authorization server sends the browser. */
  readonly redirectUri: string
  /** The short address to begin at. */
  readonly link: string
  /** What the answer has to carry to be ours (RFC 6749, 10.12). */
  readonly state: string
  /** True once somebody followed the short address. */
  readonly visited: boolean
  /**
   * From now on the short address leads to `authorizationUrl`, and the first answer with the right state goes to `accept`,
   * whose words the person then reads.
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
      // What was just answered is still on its way; connections that say nothing are not waited for.
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
