/** A listener on loopback with a backend made for the test, and clients that speak to it over real sockets. */

import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { onTestFinished } from 'vitest'
import { silentLogger } from '../../../../src/observe/log.ts'
import type { Client, Handler } from '../../../../src/protocol/exchange.ts'
import type { HttpOptions } from '../../../../src/server/http/listen.ts'
import { serveHttp } from '../../../../src/server/http/streamable.ts'
import type { Backend } from '../../../../src/server/legacy.ts'

export const ACCEPT_BOTH = 'application/json, text/event-stream'

export interface Message {
  id?: string | number | null
  method?: string
  params?: Record<string, unknown>
  result?: Record<string, unknown>
  error?: { code: number; message: string; data?: unknown }
}

export interface Event {
  id?: string
  data: string
  retry?: string
}

export async function served(options: Partial<HttpOptions> & { handler?: Handler } = {}) {
  const { handler = async () => ({}), ...rest } = options
  const clients: Client[] = []
  const gone: Client[] = []
  const logged: { message: string; fields: object }[] = []
  const backend: Backend = {
    handler,
    describe: () => ({ capabilities: {}, serverInfo: { name: 'proxy', version: '1' }, instructions: '' }),
    opened: (client) => void clients.push(client),
    closed: (client) => void gone.push(client),
    notified: () => {},
    identity: 'tested',
    logger: { ...silentLogger, error: (fields, message) => void logged.push({ fields, message }) },
    ...rest.backend,
  }
  const listener = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    maxSessions: 100,
    sessionIdleMs: 1e6,
    now: Date.now,
    ...rest,
    backend,
  })
  onTestFinished(() => listener.close())
  const { url } = listener

  const send = (method: string, headers: Record<string, string> = {}, body?: string | Buffer) =>
    fetch(url, { method, headers, ...(body !== undefined && { body: new Uint8Array(Buffer.from(body)) }) })

  const post = (message: object, headers: Record<string, string> = {}): Promise<Response> => {
    const full = Array.isArray(message) ? message.map(versioned) : versioned(message)
    return send(
      'POST',
      { 'content-type': 'application/json', accept: ACCEPT_BOTH, ...headers },
      JSON.stringify(full),
    )
  }

  /** Headers that belong to a new session. */
  const open = async (
    protocolVersion = '2025-11-25',
    headers: Record<string, string> = {},
  ): Promise<Record<string, string>> => {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'c', version: '1' } }
    const response = await post({ id: 'open', method: 'initialize', params }, headers)
    await response.text()
    const session = response.headers.get('mcp-session-id')
    if (session === null) throw new Error(`no session: ${response.status}`)
    return { 'mcp-session-id': session, 'mcp-protocol-version': protocolVersion, ...headers }
  }

  return { url, listener, clients, gone, logged, send, post, open }
}

function versioned(message: object): object {
  return { jsonrpc: '2.0', ...message }
}

/** The events of a stream as they come; comments are passed over. */
export async function* eventsOf(response: Response): AsyncGenerator<Event> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const event = eventOf(text.slice(0, end))
      text = text.slice(end + 2)
      if (event) yield event
    }
  }
  if (text !== '') throw new Error(`the stream ended inside of an event: ${text.slice(0, 100)}`)
}

function eventOf(block: string): Event | undefined {
  const fields: Record<string, string> = {}
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^(\w*): ?(.*)$/s.exec(line) ?? []
    if (name !== '') fields[name] = value
  }
  return 'data' in fields ? (fields as unknown as Event) : undefined
}

export async function allOf(response: Response): Promise<Event[]> {
  const events: Event[] = []
  for await (const event of eventsOf(response)) events.push(event)
  return events
}

export const messageOf = (event: Event | undefined): Message => JSON.parse(event?.data ?? 'null')

/** A client that sends a request, reads the head of the response, and no byte of its body until told. */
export function holding(
  url: string,
  headers: Record<string, string>,
  message?: object,
): Promise<{ request: ClientRequest; response: IncomingMessage }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      agent: false,
      method: message === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', accept: ACCEPT_BOTH, ...headers },
    })
    sent.once('error', reject)
    sent.once('response', (response) => {
      response.socket.pause()
      response.on('error', () => {})
      sent.on('error', () => {})
      resolve({ request: sent, response })
    })
    onTestFinished(() => void sent.destroy())
    sent.end(message === undefined ? undefined : JSON.stringify(versioned(message)))
  })
}

/** Resolves when the condition holds. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}
