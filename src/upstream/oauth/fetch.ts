/**
 * `fetch` for a sign-in. Requests go through a proxy where the environment names one, as calls of servers do, each over a
 * connection of its own. Authorization servers are strangers: an answer has a largest size and a longest time.
 */
import { lookup } from 'node:dns/promises'
import { BlockList, isIP, isIPv6 } from 'node:net'
import type { Response as UndiciResponse } from 'undici'
import { dispatcherFor } from '../http/endpoint.ts'

export function environmentFetch(environment: Readonly<Record<string, string | undefined>>): typeof fetch {
  return async (target, init = {}) => {
    const { fetch } = await import('undici')
    const url = new URL(target instanceof Request ? target.url : target)
    const { method = 'GET', body, redirect = 'follow', signal } = init
    const answer: UndiciResponse = await fetch(url, {
      method,
      redirect,
      headers: [...new Headers(init.headers)],
      dispatcher: await dispatcherFor(url, environment, true),
      ...(body instanceof URLSearchParams || typeof body === 'string' ? { body: String(body) } : {}),
      ...(signal && { signal }),
    })
    return answer as unknown as Response
  }
}

/** Metadata and tokens are a few kilobytes. */
const MAX_BYTES = 1024 * 1024
const TIMEOUT_MS = 20_000
/** Statuses of responses without a body (Fetch standard, "null body status"). */
const BODILESS = new Set([101, 204, 205, 304])

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** Redirects of one document that are followed. */
const MOST_REDIRECTS = 5

/**
 * The same fetch; an answer is read whole, up to a limit, before it is given out. `signal` ends all of it. `check` rejects for an address
 * that is not to be asked, and also sees the address of each redirect. The headers and the body of a request are never sent on to the
 * target of a redirect.
 */
export function boundedFetch(
  inner: typeof fetch,
  signal: AbortSignal,
  check: (url: URL) => Promise<void>,
): Fetch {
  return async (target, init) => {
    const signals = [signal, AbortSignal.timeout(TIMEOUT_MS), ...(init?.signal ? [init.signal] : [])]
    let url = new URL(target)
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      await check(url)
      const response = await inner(url, { ...init, redirect: 'manual', signal: AbortSignal.any(signals) })
      const { status, statusText, headers } = response
      const next = headers.get('location')
      if (status < 300 || status >= 400 || next === null) {
        const body = BODILESS.has(status) ? null : await readAll(response, url)
        return new Response(body, { status, statusText, headers })
      }
      await response.body?.cancel()
      if ((init?.method ?? 'GET') !== 'GET' || !URL.canParse(next, url.href)) break
      url = new URL(next, url)
    }
    throw new Error(`${url.origin} leads elsewhere, and that is not followed`)
  }
}

// Which addresses are asked at all. A server names its authorization server, and that one its endpoints: neither must make the proxy ask
// what only the proxy reaches.

/** The nearness of an address: reached by everybody, by a network of one's own, or by this machine. */
type Nearness = 0 | 1 | 2

const OWN_NETWORK = blocks('10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 fc00::/7')
const THIS_MACHINE = blocks('127.0.0.0/8 ::1/128')
/** Link-local addresses (where clouds tell secrets to their machines), multicast and unspecified ones. */
const NOBODY = blocks(
  '0.0.0.0/8 169.254.0.0/16 192.0.0.0/24 192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3 ' +
    '::/128 100::/64 2001:db8::/32 2002::/16 fe80::/10 fec0::/10 ff00::/8',
)

function blocks(text: string): BlockList {
  const list = new BlockList()
  for (const block of text.split(' ')) {
    const [net = '', bits] = block.split('/')
    list.addSubnet(net, Number(bits), isIPv6(net) ? 'ipv6' : 'ipv4')
  }
  return list
}

type Lookup = (host: string) => Promise<readonly string[]>

const lookupName: Lookup = async (host) => (await lookup(host, { all: true })).map(({ address }) => address)

/**
 * The nearest of its addresses; undefined for an address that no host has. A name that is unknown here is left to the resolver of the
 * request.
 */
async function nearness({ hostname }: URL, resolve: Lookup): Promise<Nearness | undefined> {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (host === 'localhost' || host.endsWith('.localhost')) return 2
  const addresses = isIP(host) === 0 ? await resolve(host).catch(() => []) : [host]
  let nearest: Nearness = 0
  for (const address of addresses) {
    const kind = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (NOBODY.check(address, kind)) return undefined
    if (THIS_MACHINE.check(address, kind)) nearest = 2
    else if (OWN_NETWORK.check(address, kind) && nearest === 0) nearest = 1
  }
  return nearest
}

/** True for https to what everybody reaches. */
export async function isPublic(url: URL, resolve = lookupName): Promise<boolean> {
  return url.protocol === 'https:' && (await nearness(url, resolve)) === 0
}

/**
 * Rejects for an address that is not to be asked on behalf of the server. Its own origin is allowed, and that of the issuer in the
 * configuration. Others are allowed by https if they are public, or if they are no nearer than the server itself. A server on this
 * machine may name another one there. Of the server that is believed which its address says, since what its name leads to is for others
 * to change.
 */
export function checkFor(
  server: URL,
  issuer: string | undefined,
  resolve = lookupName,
): (url: URL) => Promise<void> {
  const own = new Set([server.origin, ...(URL.canParse(issuer ?? '') ? [new URL(issuer ?? '').origin] : [])])
  return async (url) => {
    if (own.has(url.origin)) return
    const [there, here] = [await nearness(url, resolve), await nearness(server, async () => [])]
    const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && there === 2)
    if (isSafe && there !== undefined && there <= (here ?? 0)) return
    throw new Error(
      `${url.origin} is not asked: it is neither the server's own nor a public https address. If it is right, name its issuer in the server's "oauth": { "issuer": … }`,
    )
  }
}

async function readAll(response: Response, url: string | URL): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > MAX_BYTES) throw new Error(`${new URL(url).origin} sent more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}
