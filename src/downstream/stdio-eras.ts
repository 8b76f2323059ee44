/** One connection that serves both eras of the protocol: the first request that commits to one decides. */
import { claimsModern } from '../protocol/eras.ts'
import type { Request } from '../protocol/message.ts'
import { type Incoming, Peer } from '../protocol/peer.ts'
import type { Result } from '../protocol/result.ts'
import { createLegacy } from './legacy.ts'
import { isSound, unsupportedVersion } from './modern/envelope.ts'
import { DISCOVER, LISTEN } from './modern/methods.ts'
import type { ModernService } from './modern-service.ts'
import type { Session, SessionOptions } from './session.ts'

export interface ErasOptions extends SessionOptions {
  modern: ModernService
}

/** Methods that only the modern era has: without an envelope they are told what they lack. */
const MODERN: ReadonlySet<string> = new Set([DISCOVER, LISTEN])

export async function openEras({ id, agent, transport, backend, modern }: ErasOptions): Promise<Session> {
  let end: () => void
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })

  /** Of all requests, once the era is decided; a client may look at both before. */
  let serve = (request: Request, incoming: Incoming): Promise<Result> => {
    if (isModern(request)) {
      if (request.method !== DISCOVER && isSound(request.params)) serve = serveModern
      return serveModern(request, incoming)
    }
    if (request.method === 'initialize') serve = legacy.serve
    return legacy.serve(request, incoming)
  }

  const serveModern = (request: Request, incoming: Incoming): Promise<Result> =>
    request.method === 'initialize' && !isSound(request.params)
      ? Promise.reject(unsupportedVersion(request.params?.protocolVersion))
      : modern.serve(request, { agent, id: incoming.id, signal: incoming.signal, notify: incoming.notify })

  const peer = new Peer(transport, {
    onRequest: (request, incoming) => serve(request, incoming),
    onNotification: (notification) => legacy.noted(notification),
    onClose: () => {
      legacy.closed()
      end()
    },
    onError: (error) => backend.logger.debug({ err: error, session: id }, 'client connection'),
  })
  const legacy = createLegacy({ id, agent, backend }, peer)
  await peer.start()
  return { id, ended, close: () => peer.close() }
}

/** `initialize` is the handshake of the other era, unless it names this one in all form: then it is a method that is gone. */
function isModern({ method, params }: Request): boolean {
  if (method === 'initialize') return isSound(params)
  return MODERN.has(method) || claimsModern(params)
}
