import type { IncomingMessage, ServerResponse } from 'node:http'
import { hostHeaderValidation, originValidation } from '@modelcontextprotocol/node'
import { LOOPBACK, nameOfHost } from '../config/loopback.ts'

export { isLoopback } from '../config/loopback.ts'

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
  const names = [...new Set([...LOOPBACK, name, ...outside])]
  const originAllowed = originValidation(names)
  if (ANY.includes(name)) return originAllowed
  const hostAllowed = hostHeaderValidation(names)
  return (request, response) => hostAllowed(request, response) && originAllowed(request, response)
}
