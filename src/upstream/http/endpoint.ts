/** The address of a server and how requests get there. */

import type { Dispatcher } from 'undici'
import type { Logger } from '../../observe/log.ts'
import { metaOf } from '../../protocol/content.ts'
import { type Era, MODERN_META } from '../../protocol/eras.ts'
import { encodeHeaderValue, nameOf } from '../../protocol/headers.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Later } from '../backoff.ts'
import type { Arriving, ReadLimits } from '../incoming.ts'
import type { Authorizer } from '../transport.ts'

export interface Endpoint {
  readonly url: URL
  readonly dispatcher: Dispatcher
  /** Path and query, where a permanent redirect may have moved it. */
  path: string
  /** Absent too when the configuration says how to authorise. */
  readonly authorizer: Authorizer | undefined
  readonly postHeaders: HeaderList
  readonly streamHeaders: HeaderList
  conceal(text: string): string
}

/** Rejects when a configured header cannot be sent. */
export async function createEndpoint(options: HttpOptions): Promise<Endpoint> {
  const { url, headers, authorizer, environment, conceal } = options
  const { post, stream, authorized } = ownHeaders(url, headers)
  return {
    url,
    dispatcher: await dispatcherFor(url, environment),
    path: `${url.pathname}${url.search}`,
    authorizer: authorized ? undefined : authorizer,
    postHeaders: post,
    streamHeaders: stream,
    conceal,
  }
}

// The options of an HTTP transport.

export interface HttpOptions extends ReadLimits {
  /** Without name and password. */
  url: URL
  headers: Readonly<Record<string, string>>
  /** `auto`: streamable HTTP, and SSE when the server answers initialize as one that does not know it. */
  type: 'streamable-http' | 'sse' | 'auto'
  era: Era
  /** A message longer than this many bytes is thrown away; the request it answers fails. */
  maxMessageBytes: number
  /** Told of long responses while they come. */
  arriving?: Arriving | undefined
  /** Milliseconds to wait for the server to end the session. */
  graceMs: number
  /** Strikes this server's secrets out of messages, which are told to clients and models. */
  conceal(text: string): string
  logger: Logger
  /** The sign-in at the server. A configured `Authorization` header is sent in its place. */
  authorizer?: Authorizer | undefined
  /** Where `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` are looked up. */
  environment: Readonly<Record<string, string | undefined>>
  later: Later
  /** Yields [0, 1). */
  random(): number
}

// The headers of requests. Lists of names and values in turn, as undici takes them without a copy.

export type HeaderList = readonly string[]

interface OwnHeaders {
  /** Of a POST. */
  post: HeaderList
  /** Of the GET of an event stream, and of a DELETE. */
  stream: HeaderList
  /** The configuration says how to authorise. */
  authorized: boolean
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** RFC 9110, 5.5: no control characters; what is beyond Latin-1 cannot be sent. */
const VALUE = /^[\t\u{20}-\u{7e}\u{80}-\u{ff}]*$/u

/** Belong to this transport or to the connection; `accept` is merged. */
const RESERVED = new Set([
  ...['accept', 'content-type', 'content-length', 'mcp-session-id', 'mcp-protocol-version', 'last-event-id'],
  ...['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'expect', 'te', 'trailer'],
])
/** The headers that a message may not set for itself: they are told from the message, or from the connection. */
const RESERVED_FOR_MESSAGES = new Set([
  ...['authorization', 'host', 'accept-encoding', 'user-agent', 'mcp-method', 'mcp-name'],
  ...RESERVED,
])

/** The headers of every request to a server. Throws on a header that cannot be sent, without telling its value. */
function ownHeaders(url: URL, configured: Readonly<Record<string, string>>): OwnHeaders {
  const names = new Map<string, readonly [name: string, value: string]>()
  for (const [name, value] of Object.entries(configured)) {
    const trimmed = value.trim()
    if (!TOKEN.test(name)) throw new Error('invalid header name in the configuration')
    if (!VALUE.test(trimmed)) {
      throw new Error(
        `invalid header value: \`${name}\` has a line break or another character no header may have`,
      )
    }
    names.set(name.toLowerCase(), [name, trimmed])
  }
  const accept = names.get('accept')?.[1]
  const kept = [...names].filter(([name]) => !RESERVED.has(name)).flatMap(([, pair]) => pair)
  // Servers behind some gateways refuse who does not introduce himself.
  if (!names.has('user-agent')) kept.push('user-agent', 'mcp-rlm-proxy')
  const types = (...own: string[]): string =>
    [...new Set([...(accept?.split(/\s*,\s*/) ?? []), ...own])].join(', ')
  const post = [...kept, 'content-type', 'application/json']
  if (!isLoopback(url) && !names.has('accept-encoding')) post.push('accept-encoding', 'gzip')
  return {
    post: [...post, 'accept', types('application/json', 'text/event-stream')],
    stream: [...kept, 'accept', types('text/event-stream')],
    authorized: names.has('authorization'),
  }
}

/** A request of the modern era says in headers what it is (MCP 2026-07-28, "Standard Headers"). */
export function modernHeaders(
  post: HeaderList,
  method: string,
  params: JsonObject | undefined,
  version: string | undefined,
): HeaderList {
  const claimed = metaOf(params)?.[MODERN_META.protocolVersion]
  const headers = post.concat('mcp-method', encodeHeaderValue(method))
  const said = typeof claimed === 'string' ? claimed : version
  if (said !== undefined) headers.push('mcp-protocol-version', encodeHeaderValue(said))
  const name = nameOf(method, params)
  if (name !== undefined) headers.push('mcp-name', encodeHeaderValue(name))
  return headers
}

/** With the headers of one message, which replace none of the transport's own. */
export function withMessageHeaders(
  headers: HeaderList,
  extra: Readonly<Record<string, string>> | undefined,
): HeaderList {
  if (extra === undefined) return headers
  return headers.concat(
    ...Object.entries(extra).filter(([name]) => !RESERVED_FOR_MESSAGES.has(name.toLowerCase())),
  )
}

// The pool of connections to all HTTP servers, through a proxy where the environment names one.

type Environment = Readonly<Record<string, string | undefined>>

/**
 * No limit to silence: a call may think for long and a stream of events lives for days; who waits has limits of its own. TCP
 * keep-alive finds out that a peer is gone. An idle connection is kept for undici's 4 seconds, or as long as the server says. If it were
 * kept longer than the server keeps it, the call that is sent on it would be lost.
 */
const LIMITS = {
  headersTimeout: 0,
  bodyTimeout: 0,
  // Milliseconds before the end a server names: on a busy machine a call takes its time from here to there.
  keepAliveTimeoutThreshold: 2000,
  connect: { keepAlive: true, keepAliveInitialDelay: 30_000 },
}

/**
 * For requests that stand alone, such as those of a sign-in: each is made once, and minutes lie between them. None of them uses a
 * connection that the other side may be about to close.
 */
const ALONE = { ...LIMITS, pipelining: 0 }

/** One for each set of proxies and kind of requests; idle connections end by themselves and keep no process alive. */
const dispatchers = new Map<string, Promise<Dispatcher>>()

/** The dispatcher that sends requests to this address; `alone`: each over a connection of its own. */
export function dispatcherFor(url: URL, environment: Environment, alone = false): Promise<Dispatcher> {
  const proxies = isLoopback(url) ? undefined : proxiesOf(environment)
  const key = JSON.stringify([proxies, alone])
  const known = dispatchers.get(key)
  if (known !== undefined) return known
  const limits = alone ? ALONE : LIMITS
  // Loaded here, so that only configurations with an address pay for it.
  const made = import('undici').then(({ Agent, EnvHttpProxyAgent }) =>
    proxies === undefined ? new Agent(limits) : new EnvHttpProxyAgent({ ...limits, ...proxies }),
  )
  dispatchers.set(key, made)
  return made
}

/** True for this machine: never behind a proxy, and nothing is gained by compression. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}

function proxiesOf(
  environment: Environment,
): { httpProxy?: string; httpsProxy?: string; noProxy: string } | undefined {
  const read = (name: string): string => environment[name] || environment[name.toUpperCase()] || ''
  const [httpProxy, httpsProxy, noProxy] = [read('http_proxy'), read('https_proxy'), read('no_proxy')]
  if (httpProxy === '' && httpsProxy === '') return undefined
  return { ...(httpProxy !== '' && { httpProxy }), ...(httpsProxy !== '' && { httpsProxy }), noProxy }
}
