/** The headers of requests. Lists of names and values in turn, as undici takes them without a copy. */
import { MODERN_META, metaOf } from '../../protocol/eras.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { encodeHeaderValue, nameOf } from '../../protocol/param-headers.ts'
import { isLoopback } from './connector.ts'

export type HeaderList = readonly string[]

export interface OwnHeaders {
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
/** What a message may not set for itself: it is told from the message, or from the connection. */
const RESERVED_FOR_MESSAGES = new Set([
  ...['authorization', 'host', 'accept-encoding', 'user-agent', 'mcp-method', 'mcp-name'],
  ...RESERVED,
])

/** The headers of every request to a server. Throws on a header that cannot be sent, without telling its value. */
export function ownHeaders(url: URL, configured: Readonly<Record<string, string>>): OwnHeaders {
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
