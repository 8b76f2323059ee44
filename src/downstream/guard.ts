import type { IncomingMessage, ServerResponse } from 'node:http'
import { hostHeaderValidation, originValidation } from '@modelcontextprotocol/node'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** True for addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

/**
 * Refuses requests that a web page sent by DNS rebinding: `Host` and `Origin` must name this server (MCP specification,
 * basic/transports, "Security Warning"). A server bound to every address cannot know its names and checks `Origin` alone.
 */
export function createGuard(host: string): (request: IncomingMessage, response: ServerResponse) => boolean {
  const names = isLoopback(host) ? LOOPBACK : [...LOOPBACK, host]
  const originAllowed = originValidation(names)
  if (host === '0.0.0.0' || host === '::') return originAllowed
  const hostAllowed = hostHeaderValidation(names)
  return (request, response) => hostAllowed(request, response) && originAllowed(request, response)
}
