/** The token that a request presents (RFC 6750, 2.1). */

import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { LRUCache } from 'lru-cache'
import { requestUrl } from '../http/request.ts'

type Credentials =
  | { kind: 'none' }
  | { kind: 'token'; token: string }
  /** `reason` is for the client and holds nothing of what it sent. */
  | { kind: 'malformed'; reason: string }

/** `token68` of RFC 9110, 11.2, after a scheme in any case. */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i

/** A token in the address is refused: addresses are logged by everything they pass (RFC 9700, 4.3.2; MCP basic/authorization). */
export function credentialsOf(request: IncomingMessage): Credentials {
  if (requestUrl(request).searchParams.has('access_token'))
    return {
      kind: 'malformed',
      reason: 'a token belongs into the Authorization header, not into the address',
    }
  return parseAuthorization(request.headersDistinct.authorization)
}

/** `headers`: the values of all `Authorization` headers. */
export function parseAuthorization(headers: readonly string[] = []): Credentials {
  const [header, ...others] = headers
  if (header === undefined) return { kind: 'none' }
  if (others.length > 0) return { kind: 'malformed', reason: 'there is more than one Authorization header' }
  const token = BEARER.exec(header)?.[1]
  return token === undefined
    ? { kind: 'malformed', reason: 'the Authorization header is not "Bearer <token>"' }
    : { kind: 'token', token }
}

// Slows down who tries tokens: so many failures a minute for one address.

interface FailureOptions {
  /** Failures at once, and a minute. */
  perMinute: number
  /** Addresses remembered; the one heard of longest ago is forgotten first. */
  maxAddresses: number
  /** Milliseconds. */
  now: () => number
}

export interface Failures {
  /** Seconds to wait before the next try; 0: none. */
  wait(address: string): number
  add(address: string): void
}

/** A token bucket for each address. */
export function createFailures({ perMinute, maxAddresses, now }: FailureOptions): Failures {
  const buckets = new LRUCache<string, { left: number; at: number }>({ max: maxAddresses })
  const each = 60_000 / perMinute

  function current(key: string): { left: number; at: number } {
    const { left, at } = buckets.get(key) ?? { left: perMinute, at: now() }
    const passed = Math.max(0, now() - at)
    return { left: Math.min(perMinute, left + passed / each), at: now() }
  }

  return {
    wait(address) {
      const { left } = current(networkOf(address))
      return left >= 1 ? 0 : Math.max(1, Math.ceil(((1 - left) * each) / 1000))
    },
    add(address) {
      const key = networkOf(address)
      const { left, at } = current(key)
      buckets.set(key, { left: Math.max(0, left - 1), at })
    },
  }
}

/** The network that one person is given: an IPv4 address, or the first 64 bits of an IPv6 address. */
export function networkOf(address: string): string {
  const v4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (v4 !== undefined) return v4
  const bare = address.replace(/%.*$/, '')
  if (!isIPv6(bare)) return address
  const [head = '', tail] = new URL(`http://[${bare}]`).hostname.slice(1, -1).split('::')
  const groups = head.split(':').filter((group) => group !== '')
  const last = tail?.split(':').filter((group) => group !== '') ?? []
  const zeros = tail === undefined ? [] : new Array<string>(8 - groups.length - last.length).fill('0')
  return `${[...groups, ...zeros, ...last].slice(0, 4).join(':')}::/64`
}
