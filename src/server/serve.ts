/** From the configured transport to a listener. The HTTP parts are loaded when they are wanted: most clients are local. */

import type { Readable, Writable } from 'node:stream'
import type { ModernService } from './backend.ts'
import type { HttpOptions } from './http/listen.ts'
import type { SocketOptions } from './socket.ts'
import { openEras, StdioTransport } from './stdio.ts'

/** The options of serving, whatever the transport. */
export interface ServeOptions extends HttpOptions {
  transport: 'stdio' | 'socket' | 'streamable-http' | 'sse'
  modern: ModernService
  input: Readable
  output: Writable
  maxMessageBytes: number
  /** Of the transport of that name. */
  socket?: SocketOptions | undefined
}

/** A listener that serves until it is closed. */
export interface Listener {
  /** Where clients connect; undefined over stdio. */
  readonly url: string | undefined
  /** Resolves when no client can come any more: the local client left, or the listener was closed. */
  readonly ended: Promise<void>
  /** Over HTTP alone: takes no connection from now on. */
  stopListening?(): void
  close(): Promise<void>
}

/** Rejects with ProxyError when the address cannot be listened on. */
export async function serve(options: ServeOptions): Promise<Listener> {
  if (options.transport === 'stdio') return serveStdio(options)
  if (options.transport === 'socket') {
    if (options.socket === undefined) throw new Error('the transport "socket" needs a place')
    return (await import('./socket.ts')).serveSocket(options, options.socket)
  }
  const { url, close, stopListening } =
    options.transport === 'sse'
      ? await (await import('./http/sse.ts')).serveSse(options)
      : await (await import('./http/streamable.ts')).serveHttp(options)
  let end: () => void = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return { url, ended, stopListening, close: () => close().finally(end) }
}

async function serveStdio(options: ServeOptions): Promise<Listener> {
  const { input, output, maxMessageBytes, limits, backend, modern } = options
  const transport = new StdioTransport({ input, output, maxMessageBytes, ...(limits && { limits }) })
  const agent = { id: 'local', kind: 'local' } as const
  const session = await openEras({ id: 'stdio', agent, transport, backend, modern })
  return { url: undefined, ended: session.ended, close: () => session.close() }
}
