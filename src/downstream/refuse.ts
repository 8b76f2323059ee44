import type { ServerResponse } from 'node:http'

/** Answers with an HTTP status and a JSON-RPC error that belongs to no request. */
export function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message } }))
}
