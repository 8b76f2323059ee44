import type { Server, ServerOptions } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ProxyError } from '../protocol/errors.ts'
import { isLoopback } from './guard.ts'
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

/** Clients that vanished without a word are noticed by the operating system, and their streams end. */
export const KEEP_ALIVE: ServerOptions = { keepAlive: true, keepAliveInitialDelay: 60_000 }

export async function listen(
  server: Server,
  options: HttpOptions & { path: string; closeSessions(): Promise<void> },
): Promise<HttpListener> {
  const { host, port, path, backend } = options
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(host, port, error)))
    server.listen(port, host.replace(/^\[|\]$/g, ''), resolve)
  })
  server.on('error', (error) => backend.logger.error({ err: error }, 'HTTP server'))
  const bound = (server.address() as AddressInfo).port
  const url = `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${bound}${path}`
  if (!isLoopback(host))
    backend.logger.warn({ url }, 'reachable from other machines, and nobody has to authenticate')
  return {
    url,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      await options.closeSessions()
      server.closeAllConnections()
      await closed
    },
  }
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
