/** HTTP servers of a test's own, and transports to them. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { silentLogger } from '../../src/observe/log.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { LIMIT_DEFAULTS } from '../../src/protocol/limits.ts'
import type { JsonRpcMessage, RequestId } from '../../src/protocol/message.ts'
import { later } from '../../src/upstream/backoff.ts'
import type { HttpOptions } from '../../src/upstream/http/endpoint.ts'
import { HttpTransport } from '../../src/upstream/http/transport.ts'

/** A request as the server saw it. */
export interface Seen {
  method: string
  url: string
  headers: IncomingHttpHeaders
  /** The JSON of the body; empty when there is none. */
  body: JsonObject
}

export interface Loopback {
  /** Without a path. */
  url: string
  seen: Seen[]
  stop(): Promise<void>
}

export type Answer = (seen: Seen, response: ServerResponse) => void

/** A server on a free port of 127.0.0.1 for the time of a test. */
export async function loopback(answer: Answer): Promise<Loopback> {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const { method = '', url = '', headers } = request
    const one: Seen = { method, url, headers, body: text === '' ? {} : (JSON.parse(text) as JsonObject) }
    seen.push(one)
    answer(one, response)
  })
  // An idle connection is not closed while a busy machine takes its time to use it.
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = async (): Promise<void> => {
    if (!server.listening) return
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  onTestFinished(stop)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, stop }
}

/** One JSON document. */
export function json(response: ServerResponse, value: unknown, status = 200, headers: object = {}): void {
  const body = typeof value === 'string' ? value : JSON.stringify(value)
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}

/** Begins a stream of events with these; it stays open. */
export function events(response: ServerResponse, ...texts: string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(`: hello\n\n${texts.join('')}`)
}

/** An event that carries a message. */
export function event(message: object, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`
}

/** The answer to a request. */
export function resultFor({ body }: Seen, result: JsonObject = { done: true }): JsonObject {
  return { jsonrpc: '2.0', id: body.id ?? null, result }
}

export function request(
  id: RequestId,
  method = 'tools/call',
  params: JsonObject = { name: 'x' },
): JsonRpcMessage {
  return { jsonrpc: '2.0', id, method, params }
}

export function notification(method: string, params: JsonObject = {}): JsonRpcMessage {
  return { jsonrpc: '2.0', method, params }
}

export interface Received {
  message: JsonRpcMessage
  via: RequestId | undefined
}

export type TestTransport = HttpTransport & { received: Received[]; troubles: string[] }

/** A started transport for the time of a test. */
export async function transport(url: string, options: Partial<HttpOptions> = {}): Promise<TestTransport> {
  const made = createTransport(url, options)
  const received: Received[] = []
  const troubles: string[] = []
  made.onmessage = (message, via) => received.push({ message, via })
  made.onerror = (error) => troubles.push(error.message)
  await made.start()
  return Object.assign(made, { received, troubles })
}

/** A transport for the time of a test, to be started. */
export function createTransport(url: string, options: Partial<HttpOptions> = {}): HttpTransport {
  const made = new HttpTransport({
    url: new URL(url),
    headers: {},
    type: 'streamable-http',
    era: 'legacy',
    largeBytes: 256 * 1024,
    maxMessageBytes: 16 * 1024 * 1024,
    limits: LIMIT_DEFAULTS,
    graceMs: 2000,
    conceal: (text) => text,
    logger: silentLogger,
    environment: {},
    later,
    random: () => 0,
    ...options,
  })
  onTestFinished(() => made.close())
  return made
}

/** Does what connection.ts does: initialize, the revision, notifications/initialized. */
export async function shakeHands(to: TestTransport): Promise<void> {
  await to.send(request('init', 'initialize', {}))
  to.setProtocolVersion('2025-11-25')
  await to.send(notification('notifications/initialized'))
}

/** A server of the legacy era with a session; `answer` has what it does not answer itself. */
export function legacyServer(answer: Answer, session = 'session-1'): Promise<Loopback> {
  return loopback((seen, response) => {
    const { method, body } = seen
    if (body.method === 'initialize') json(response, resultFor(seen), 200, { 'mcp-session-id': session })
    else if (body.method === 'notifications/initialized') response.writeHead(202).end()
    else if (method === 'DELETE') response.writeHead(200).end()
    else answer(seen, response)
  })
}
