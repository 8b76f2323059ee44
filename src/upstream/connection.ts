/**
 * One connection to one server, for as long as somebody wants it: connects once at a time, on first use or when asked,
 * comes back after a loss, and keeps time limits.
 *
 * idle → connecting → ready → (lost) waiting → connecting …; `close` ends it in `closed` from anywhere.
 */
import type { Logger } from '../observe/log.ts'
import type { Result } from '../protocol/content.ts'
import type { Era } from '../protocol/eras.ts'
import { cancelled } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Notification, Request, RequestId } from '../protocol/message.ts'
import { Peer, type RequestOptions, RequestTimeout } from '../protocol/peer.ts'
import { unlessAborted } from '../protocol/sharing.ts'
import { type BackoffOptions, backoff, type Later } from './backoff.ts'
import { type ConnectionState, isLocal, SessionExpired, type UpstreamTransport } from './contract.ts'
import { connectFailed, connectionLost, connectTimedOut, requestFailed } from './errors.ts'
import { EraRefused, handshake, type Introduction, refusesEra } from './handshake.ts'

interface ConnectionHandlers {
  /** A request of the server. `via`: the request of ours on whose stream it came, where the transport can tell. */
  request(request: Request, signal: AbortSignal, via: RequestId | undefined): Promise<Result>
  notification(notification: Notification, via: RequestId | undefined): void
  /** The handshake is done, for the first time or again. */
  ready(session: Session): void
  /** It was lost, or could not be had. */
  lost(error: Error): void
}

export interface ConnectionOptions {
  server: string
  dial(): UpstreamTransport
  introduction: Introduction
  connectTimeoutMs: number
  backoff: BackoffOptions
  /** Comes back on its own after a loss, so that lists stay true. */
  revive: boolean
  handlers: ConnectionHandlers
  logger: Logger
  /** Milliseconds since any moment, by a clock that nobody sets. */
  now(): number
  random(): number
  later: Later
}

/** One handshake's worth of connection. A new one means that the server may have forgotten everything. */
export interface Session {
  readonly peer: Peer
  readonly transport: UpstreamTransport
  readonly initialize: JsonObject
}

/** A connection that lived this long was a good one: its loss starts the backoff from the beginning. */
const GOOD_MS = 10_000

export class Connection {
  readonly #options: ConnectionOptions
  #state: ConnectionState = 'idle'
  #session: Session | undefined
  #connecting: Promise<Session> | undefined
  #dialling: Peer | undefined
  #failures = 0
  #readySince = 0
  #stopWaiting: (() => void) | undefined
  readonly #closing = new Set<Promise<void>>()
  /** Sessions the server forgot, on which requests still wait. */
  readonly #forgotten = new Set<Session>()

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  get era(): Era {
    return this.#options.introduction.era
  }

  get state(): ConnectionState {
    return this.#state
  }

  /** The session that lives now. */
  get session(): Session | undefined {
    return this.#session
  }

  /** Connects now unless it is connected, not waiting out the backoff. All who ask meanwhile share one attempt. */
  connect(): Promise<Session> {
    if (this.#session) return Promise.resolve(this.#session)
    if (this.#state === 'closed') {
      return Promise.reject(connectionLost(this.#options.server, 'its connection is closed'))
    }
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined
    })
    return this.#connecting
  }

  /** Connects when needed. A message the server never got, because it had forgotten the session, is sent once more. */
  async request(request: Request, options: RequestOptions = {}): Promise<Result> {
    const { server } = this.#options
    for (let again = false; ; again = true) {
      const session = this.#session ?? (await unlessAborted(this.connect(), options.signal))
      try {
        return await session.peer.request(request, options)
      } catch (error) {
        if (options.signal?.aborted) throw cancelled(options.signal)
        if (!(error instanceof SessionExpired) || again) {
          throw requestFailed(server, request, error, session.transport.failure, options.timeoutMs)
        }
        this.#forget(session)
      } finally {
        this.#dropIfDone(session)
      }
    }
  }

  /**
   * False when the server, asked anew, no longer speaks the era of the connection: over HTTP the modern era has no session that
   * would end with it.
   */
  async stillSpoken(): Promise<boolean> {
    const { introduction, connectTimeoutMs } = this.#options
    const session = this.#session
    if (session === undefined || isLocal(session.transport)) return true
    const expired = new RequestTimeout('no answer to server/discover')
    try {
      await this.#limited(
        handshake(session.peer, introduction, () => {}),
        expired,
        connectTimeoutMs,
      )
      return true
    } catch (error) {
      return !refusesEra(introduction.era, { error, local: false })
    }
  }

  /** Dropped when there is no connection. */
  notify(notification: Notification): void {
    this.#session?.peer.notify(notification)
  }

  async close(): Promise<void> {
    this.#state = 'closed'
    this.#stopWaiting?.()
    const peers = [this.#session?.peer, this.#dialling, ...[...this.#forgotten].map(({ peer }) => peer)]
    this.#session = undefined
    this.#forgotten.clear()
    for (const peer of peers) if (peer) this.#retire(peer)
    await Promise.all(this.#closing)
  }

  async #open(): Promise<Session> {
    const { server, introduction, connectTimeoutMs, handlers } = this.#options
    this.#stopWaiting?.()
    this.#state = 'connecting'
    const transport = this.#dial()
    const peer = new Peer(transport, {
      onRequest: (request, incoming) => handlers.request(request, incoming.signal, incoming.via),
      onNotification: (notification, via) => handlers.notification(notification, via),
      onError: (error) =>
        this.#options.logger.debug({ server, error: error.message }, 'trouble with a server'),
      onClose: () => this.#lost(peer, transport),
    })
    this.#dialling = peer
    const attempt = (async () => {
      await peer.start()
      return await handshake(peer, introduction, (version) => transport.setProtocolVersion?.(version))
    })()
    // A server that knows only `initialize` may say nothing at all to anything else.
    const limited = introduction.era === 'modern' && isLocal(transport)
    const expired = limited
      ? new RequestTimeout('no answer to server/discover')
      : connectTimedOut(server, connectTimeoutMs)
    try {
      const initialize = await this.#limited(
        attempt,
        expired,
        limited ? connectTimeoutMs / 3 : connectTimeoutMs,
      )
      if (this.#state !== 'connecting' || peer.closed)
        throw new Error(transport.failure ?? 'closed the connection')
      this.#session = { peer, transport, initialize }
      this.#state = 'ready'
      this.#readySince = this.#options.now()
      this.#keepAlive(this.#session)
      handlers.ready(this.#session)
      return this.#session
    } catch (thrown) {
      this.#retire(peer)
      throw this.#notConnected(thrown, transport)
    } finally {
      this.#dialling = undefined
    }
  }

  #notConnected(thrown: unknown, transport: UpstreamTransport): Error {
    const { server, introduction } = this.#options
    if (
      this.#state !== 'closed' &&
      refusesEra(introduction.era, { error: thrown, local: isLocal(transport) })
    ) {
      this.#state = 'idle'
      return new EraRefused(introduction.era, thrown)
    }
    const { failure } = transport
    const error = connectFailed(server, failure === undefined ? thrown : new Error(failure))
    this.#failed(error)
    return error
  }

  /** A configuration that no transport can be made of is a failure to connect like any other. */
  #dial(): UpstreamTransport {
    try {
      return this.#options.dial()
    } catch (thrown) {
      const error = connectFailed(this.#options.server, thrown)
      this.#failed(error)
      throw error
    }
  }

  async #limited<T>(attempt: Promise<T>, expired: Error, limitMs: number): Promise<T> {
    let stop = (): void => {}
    const limit = new Promise<never>((_, reject) => {
      stop = this.#options.later(limitMs, () => reject(expired))
    })
    try {
      return await Promise.race([attempt, limit])
    } finally {
      stop()
      // The loser of the race may still fail; nobody waits for it any more.
      attempt.catch(() => {})
    }
  }

  #keepAlive(session: Session): void {
    const { keepAliveMs } = session.transport
    if (keepAliveMs === undefined) return
    this.#options.later(keepAliveMs, () => {
      if (this.#session !== session) return
      session.peer.request({ method: 'ping' }, { timeoutMs: keepAliveMs }).catch(() => {})
      this.#keepAlive(session)
    })
  }

  #lost(peer: Peer, transport: UpstreamTransport): void {
    if (this.#session?.peer !== peer) return
    this.#session = undefined
    if (this.#state === 'closed') return
    if (this.#options.now() - this.#readySince >= GOOD_MS) this.#failures = 0
    this.#retire(peer)
    this.#failed(connectionLost(this.#options.server, transport.failure ?? 'closed the connection'))
  }

  #failed(error: Error): void {
    if (this.#state === 'closed') return
    this.#failures++
    this.#options.handlers.lost(error)
    if (!this.#options.revive) {
      this.#state = 'idle'
      return
    }
    this.#state = 'waiting'
    const delay = backoff(this.#failures, this.#options.backoff, this.#options.random)
    this.#stopWaiting = this.#options.later(delay, () => void this.connect().catch(() => {}))
  }

  /**
   * A session the server no longer knows: the next use connects. What was sent on it before is left to hear so for itself,
   * and is then sent again, or to get its answer after all.
   */
  #forget(session: Session): void {
    if (this.#session !== session) return
    this.#session = undefined
    this.#state = 'idle'
    this.#forgotten.add(session)
  }

  #dropIfDone(session: Session): void {
    if (session.peer.waiting > 0 || !this.#forgotten.delete(session)) return
    this.#retire(session.peer)
  }

  #retire(peer: Peer): void {
    const closing = peer.close().catch(() => {})
    this.#closing.add(closing)
    void closing.finally(() => this.#closing.delete(closing))
  }
}
