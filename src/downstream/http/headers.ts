/** What HTTP headers say in this transport (MCP specification, basic/transports, "Streamable HTTP"). */
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'

/** A header's value without the white space around it (RFC 9110, 5.5); a repeated one is its values with commas between. */
export function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' ? value.trim() : undefined
}

/** True when the body says it is JSON, whatever parameters follow. */
export function isJson(request: IncomingMessage): boolean {
  const type = request.headers['content-type']
  if (type === undefined || type === 'application/json') return type !== undefined
  const [essence = '', ...parameters] = type.split(';')
  return essence.trim().toLowerCase() === 'application/json' && !parameters.join(';').includes(',')
}

export function accepts(request: IncomingMessage, ...types: string[]): boolean {
  const accept = request.headers.accept
  return accept !== undefined && types.every((type) => accept.includes(type))
}

/** Of a stream of events that nobody on the way may hold back or change. */
export const STREAM_HEADERS: OutgoingHttpHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}
