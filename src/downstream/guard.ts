import type { IncomingMessage, ServerResponse } from 'node:http'
import { LOOPBACK, nameOfHost } from '../config/loopback.ts'
import { refuse } from './refuse.ts'

/** Every address of the machine. */
const ANY = ['0.0.0.0', '[::]']

/**
 * Refuses requests that a web page sent by DNS rebinding: `Host` and `Origin` must name this server (MCP specification,
 * basic/transports, "Security Warning"). A server bound to every address cannot know its names and checks `Origin` alone.
 * `publicUrl`: where clients reach it through a proxy in front, which may pass on that name.
 */
export function createGuard(
  host: string,
  publicUrl?: string,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const name = nameOfHost(host)
  const outside = publicUrl === undefined ? [] : [new URL(publicUrl).hostname]
  const names = new Set([...LOOPBACK, name, ...outside])
  const hostAllowed = ANY.includes(name) ? () => true : remembering((value) => names.has(hostnameOf(value)))
  // Not `null`, which opaque pages send, and no other scheme: those have no host.
  const originAllowed = remembering((value) => names.has(hostnameOf(value, true)))
  return (request, response) => {
    const { host: sentHost = '', origin = '' } = request.headers
    if (!hostAllowed(sentHost)) return forbid(response, `Invalid Host: ${sentHost}`)
    // Only web pages send one.
    if (origin !== '' && !originAllowed(origin)) return forbid(response, `Invalid Origin: ${origin}`)
    return true
  }
}

/** The answer for the last value that was right: a client's requests all have the same. */
function remembering(allowed: (value: string) => boolean): (value: string) => boolean {
  let right: string | undefined
  return (value) => {
    if (value === right) return true
    if (!allowed(value)) return false
    right = value
    return true
  }
}

/** The name in a `Host` or (`whole`) an `Origin`, as URLs spell it; '' when there is none. */
function hostnameOf(value: string, whole = false): string {
  const address = whole ? value : `http://${value}`
  return URL.canParse(address) ? new URL(address).hostname : ''
}

function forbid(response: ServerResponse, message: string): false {
  refuse(response, 403, message)
  return false
}
