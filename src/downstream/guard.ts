import type { IncomingMessage, ServerResponse } from 'node:http'
import { hostHeaderValidation, originValidation } from '@modelcontextprotocol/node'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** Every address of the machine. */
const ANY = ['0.0.0.0', '[::]']

/** An address as `Host` and `Origin` spell it: lower case, IPv6 short and in brackets. */
function nameOf(host: string): string {
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  return URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname : name
}

/** True for addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  const name = nameOf(host)
  return LOOPBACK.includes(name) || /^127\.\d+\.\d+\.\d+$/.test(name)
}

/**
 * Refuses requests that a web page sent by DNS rebinding: `Host` and `Origin` must name this server (MCP specification,
 * basic/transports, "Security Warning"). A server bound to every address cannot know its names and checks `Origin` alone.
 */
export function createGuard(host: string): (request: IncomingMessage, response: ServerResponse) => boolean {
  const name = nameOf(host)
  const names = [...new Set([...LOOPBACK, name])]
  const originAllowed = originValidation(names)
  if (ANY.includes(name)) return originAllowed
  const hostAllowed = hostHeaderValidation(names)
  return (request, response) => hostAllowed(request, response) && originAllowed(request, response)
}
