import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { ProxyError } from '../protocol/errors.ts'
import { createGuard, isLoopback } from './guard.ts'
import { refuse } from './refuse.ts'
import { requestUrl } from './request-url.ts'
import type { Backend } from './session.ts'
import type { SessionsOptions } from './sessions.ts'

export interface HttpOptions extends SessionsOptions {
  host: string
  /** 0: any free port. */
  port: number
  backend: Backend
}

export interface HttpListener {
  /** Where clients connect. */
  readonly url: string
  close(): Promise<void>
}

/** What a transport serves. */
export interface Service {
  /** Where clients connect. */
  path: string
  /** A request that came from no foreign web page. */
  handle(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void>
  closeSessions(): Promise<void>
}

/** Clients that vanished without a word are noticed by the operating system, and their streams end. */
const KEEP_ALIVE: ServerOptions = { keepAlive: true, keepAliveInitialDelay: 60_000 }

/** Listens, answers `/healthz`, refuses what a web page sent, and leaves the rest to the service. */
export async function listen(options: HttpOptions, service: Service): Promise<HttpListener> {
  const { host, port, backend } = options
  const { path } = service
  const guard = createGuard(host)
  const server = createServer(KEEP_ALIVE, (request, response) => {
    const url = requestUrl(request)
    if (url.pathname === '/healthz') return void response.end('ok\n')
    if (!guard(request, response)) return
    service.handle(request, response, url).catch((error) => {
      backend.logger.error({ err: error }, 'HTTP request failed')
      if (!response.headersSent) refuse(response, 500, 'Internal error')
      else response.destroy()
    })
  })
  await begin(server, host, port)
  server.on('error', (error) => backend.logger.error({ err: error }, 'HTTP server'))
  const bound = (server.address() as AddressInfo).port
  const url = `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${bound}${path}`
  if (!isLoopback(host))
    backend.logger.warn({ url }, 'reachable from other machines, and nobody has to authenticate')
  return {
    url,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      await service.closeSessions()
      server.closeAllConnections()
      await closed
    },
  }
}

function begin(server: Server, host: string, port: number): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(host, port, error)))
    server.listen(port, host.replace(/^\[|\]$/g, ''), resolve)
  })
}

function cannotListen(host: string, port: number, error: NodeJS.ErrnoException): ProxyError {
  const next =
    error.code === 'EADDRINUSE'
      ? 'Another program uses this port: choose one with --port, or --port 0 for any free one.'
      : 'Choose an address of this machine with --host and a port with --port.'
  return new ProxyError('LISTEN_FAILED', `cannot listen on ${host}:${port}: ${error.message}`, next, {
    cause: error,
  })
}
