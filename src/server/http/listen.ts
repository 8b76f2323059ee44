import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import { isLoopback, LOOPBACK, nameOfHost } from '../../config/loopback.ts'
import type { Profile } from '../../config/profiles.ts'
import { ProxyError } from '../../protocol/errors.ts'
import { LIMIT_DEFAULTS, type Limits, limitWords } from '../../protocol/limits.ts'
import type { Authenticator, ModernService, Principal } from '../backend.ts'
import type { Leaving } from '../leaving.ts'
import type { Backend } from '../legacy.ts'
import { LISTEN } from '../modern.ts'
import type { Replicas } from '../replicas.ts'
import type { SessionSeal } from '../sealed.ts'
import type { SessionsOptions } from '../sessions.ts'
import { refuse, refuseToServe, requestUrl } from './request.ts'

/** An endpoint beside MCP at the same address, for clients with a token of its own: the bridge for scripts, the console. */
export interface Endpoint {
  /** True for everything that it answers, if only to say that it is not there. */
  serves(url: URL): boolean
  handle(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void>
}

/** The options of serving over HTTP. */
export interface HttpOptions extends SessionsOptions {
  host: string
  /** 0: any free port. */
  port: number
  backend: Backend
  /** Milliseconds since any moment, never set: times how long sessions are idle. Default: `now`. */
  elapsed?: () => number
  /** Answers requests of the modern era. Absent: they are refused. */
  modern?: ModernService
  /** Absent: clients need not authenticate, which is right for one machine alone. */
  authenticator?: Authenticator
  /** Serve other machines without an authenticator all the same. */
  allowUnauthenticated?: boolean
  /** Where clients reach this listener through a proxy in front. */
  publicUrl?: string
  /** The profiles that clients may choose by the path. Absent: nothing. */
  profiles?: () => readonly Profile[]
  /** The limits of one client, and of all together. */
  limits?: Limits
  /** Makes ids of sessions that other replicas can go on with. Absent: a session is of this process alone. */
  seal?: SessionSeal | undefined
  /** The other replicas. Absent: there are none, or nothing that they share. */
  replicas?: Replicas | undefined
  /** How it goes away. Absent: it is there until it is closed. */
  leaving?: Leaving
  /** Each is asked before clients are, in this order. Absent: none. */
  endpoints?: readonly Endpoint[] | undefined
  /** The text of `/metrics`; absent: there is none. */
  metrics?: (() => Promise<string>) | undefined
}

/** The options of listening, whatever is served. */
export type ListenOptions = Pick<
  HttpOptions,
  | 'host'
  | 'port'
  | 'limits'
  | 'authenticator'
  | 'allowUnauthenticated'
  | 'publicUrl'
  | 'endpoints'
  | 'metrics'
  | 'leaving'
> & { backend: Pick<Backend, 'logger'> }

/** The same without a port of its own. */
type MountOptions = Omit<ListenOptions, 'port'>

/** A listener that clients can reach. */
export interface HttpListener {
  /** Where clients connect. */
  readonly url: string
  /** Takes no connection from now on; requests over the present ones are still served. */
  stopListening(): void
  close(): Promise<void>
}

/** The service behind a transport. */
export interface Service {
  /** Where clients connect. */
  path: string
  /** A request that came from no foreign web page, of a client that said who it is, if it has to. */
  handle(request: IncomingMessage, response: ServerResponse, url: URL, principal?: Principal): Promise<void>
  closeSessions(): Promise<void>
}

const SERVER: ServerOptions = {
  // Clients that vanished without a word are noticed by the operating system, and their streams end.
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
  // An agent thinks between two calls: longer than the 5 seconds of Node, and its connection is still there.
  keepAliveTimeout: 60_000,
  // A request of 16 MiB takes that long over 1 Mbit/s; who sends half of one and waits holds memory.
  requestTimeout: 150_000,
  // The guard asks for it: Node would answer thousands of requests that came in one read before anything of ours is asked.
  requireHostHeader: false,
}

/**
 * Connections that wait to be taken; the operating system may allow fewer. Many agents make many calls at the same moment, and a
 * connection that finds no room is reset, which clients do not try again.
 */
const MAX_PENDING = 4096

/** Milliseconds in which the last answers can reach their clients before their connections are cut. */
const FAREWELL_MS = 250

/**
 * Listens, answers `/livez`, `/readyz` and `/metrics`, refuses requests of web pages and unknown clients, and leaves the rest to the
 * service. Rejects with ProxyError when it cannot listen, and when the whole network could connect although the configuration does not say
 * so.
 */
export async function listen(options: ListenOptions, service: Service): Promise<HttpListener> {
  const { host, port, backend, authenticator, limits = LIMIT_DEFAULTS } = options
  const mounted = mount(options, service)
  const server = createServer(SERVER, mounted.handle)
  server.maxConnections = limits.connections
  let dropped = false
  server.on('drop', () => {
    const words = limitWords('connections', limits)
    // A client that opens many would fill the log as well.
    if (!dropped) backend.logger.warn({}, `a connection was closed at once: ${words}`)
    dropped = true
  })
  await begin(server, host, port)
  server.on('error', (error) => backend.logger.error({ err: error }, 'HTTP server'))
  const bound = (server.address() as AddressInfo).port
  const url = `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${bound}${service.path}`
  if (!isLoopback(host) && !authenticator)
    backend.logger.warn({ url }, 'reachable from other machines, and no client has to authenticate')
  const closed = new Promise<void>((resolve) => server.once('close', resolve))
  let stopped: Promise<void> | undefined
  const stopListening = (): Promise<void> => {
    stopped ??= calmTurn().then(() => endListening(server))
    return stopped
  }
  return {
    url,
    stopListening: () => void stopListening(),
    async close() {
      await Promise.all([stopListening(), mounted.close()])
      await saidFarewell(server, closed)
      server.closeAllConnections()
      await closed
    },
  }
}

/** Milliseconds of a turn of the event loop in which nothing came, and for how long such a turn is waited for. */
const CALM_MS = 0.05
const MOST_WAIT_MS = 500

/**
 * Resolves right after connections were taken, at the end of a short turn. A connection that came since then and waits will be broken. A
 * balancer sends its request to another replica only where it may send one twice (`Idempotency-Key`).
 */
function calmTurn(): Promise<void> {
  const start = performance.now()
  let begun = start
  return new Promise((resolve) => {
    const look = (): void => {
      const now = performance.now()
      if (now - begun < CALM_MS || now - start > MOST_WAIT_MS) return resolve()
      begun = now
      setImmediate(look)
    }
    setImmediate(look)
  })
}

/**
 * Takes no connection from now on, and leaves the present ones. `http.Server.close` would first break the idle ones: meanwhile others come,
 * and a client may be about to ask on an idle one.
 */
function endListening(server: Server): void {
  if (server.listening) NetServer.prototype.close.call(server)
}

/** The handler of a server's requests. The caller may have made that server itself. */
export interface Mounted {
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void
  /** Ends all sessions. Requests are refused from now on. */
  close(): Promise<void>
}

/** All of `listen` but the server. Throws ProxyError when everybody on the network could connect without having been asked for. */
export function mount(options: MountOptions, service: Service): Mounted {
  const { host, backend, authenticator, publicUrl, endpoints = [], leaving } = options
  refuseToBeOpen(options)
  const guard = createGuard(host, publicUrl)
  let closing = false

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = requestUrl(request)
    if (isHealth(url)) return void response.end('ok\n')
    if (url.pathname === '/readyz') return tellReady(response)
    if (leaving?.isLeaving) response.setHeader('connection', 'close')
    if (!guard(request, response)) return
    if (closing) return refuseToServe(response)
    for (const endpoint of endpoints) if (endpoint.serves(url)) return endpoint.handle(request, response, url)
    if (!authenticator) return serveOpen(request, response, url)
    if (authenticator.serve(request, response, url)) return
    const principal = await authenticator.authenticate(request, response)
    // A client that left meanwhile would never be seen to leave.
    if (!principal || response.destroyed) return
    if (isMetrics(url)) {
      if (principal.profiles === undefined) return tellMetrics(request, response, options)
      return refuse(response, 403, 'Metrics are about all servers: this token is for single profiles')
    }
    await service.handle(request, response, url, principal)
  }

  /** For a balancer, which has no token: it says nothing of what is served. */
  function tellReady(response: ServerResponse): void {
    const isLeaving = closing || leaving?.isLeaving === true
    response.writeHead(isLeaving ? 503 : 200, { 'content-type': 'text/plain', 'cache-control': 'no-store' })
    response.end(isLeaving ? 'not ready: the proxy is shutting down\n' : 'ready\n')
  }

  /** Without authentication only this machine may read what is going on here. */
  async function serveOpen(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    if (!isMetrics(url)) return service.handle(request, response, url)
    if (!isLoopback(host)) return refuse(response, 403, 'Metrics are for clients that authenticate')
    return tellMetrics(request, response, options)
  }

  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    if (leaving && isAsked(request)) response.once('close', leaving.begin())
    handle(request, response).catch((error) => {
      // No client is left to answer.
      if (response.destroyed) return backend.logger.debug({ err: error }, 'HTTP client left')
      backend.logger.error({ err: error }, 'HTTP request failed')
      if (!response.headersSent) refuse(response, 500, 'Internal error')
      else response.destroy()
    })
  }
  return {
    handle: oneAfterTheOther(serve),
    close() {
      closing = true
      return service.closeSessions()
    },
  }
}

/** Its response ends, unlike a stream of what servers say. */
function isAsked({ method, headers }: IncomingMessage): boolean {
  return method === 'POST' && headers['mcp-method'] !== LISTEN
}

/** Requests on one connection that wait for the answer to the one before. Clients send none ahead; who sends more is hung up on. */
const MOST_AHEAD = 100

/**
 * One request of a connection at a time, each in its own turn. Hundreds that a client sends ahead (HTTP/1.1 pipelining) arrive in one
 * read, and other clients would wait until all have begun. Their answers go out in this order anyway.
 */
function oneAfterTheOther(
  serve: (request: IncomingMessage, response: ServerResponse) => void,
): (request: IncomingMessage, response: ServerResponse) => void {
  /** By connection with a request under way. */
  const ahead = new WeakMap<Socket, (() => void)[]>()

  function begin(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    response.once('close', () => {
      const next = ahead.get(socket)?.shift()
      if (next === undefined) ahead.delete(socket)
      else if (!socket.destroyed) setImmediate(next)
    })
    serve(request, response)
  }

  return (request, response) => {
    const { socket } = request
    const waiting = ahead.get(socket)
    if (waiting === undefined) {
      ahead.set(socket, [])
      begin(request, response)
    } else if (waiting.length < MOST_AHEAD) waiting.push(() => begin(request, response))
    else if (!socket.destroyed) hangUp(socket)
  }
}

/** Node makes an error for each request that was read and not answered. Thousands of stacks would hold up all other clients. */
function hangUp(socket: Socket): void {
  const { stackTraceLimit } = Error
  socket.prependOnceListener('close', () => {
    Error.stackTraceLimit = 0
  })
  socket.once('close', () => {
    Error.stackTraceLimit = stackTraceLimit
  })
  socket.destroy()
}

/** The text format of Prometheus. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Two names of the same: that the process answers. */
function isHealth({ pathname }: URL): boolean {
  return pathname === '/livez' || pathname === '/healthz'
}

function isMetrics({ pathname }: URL): boolean {
  return pathname === '/metrics'
}

async function tellMetrics(
  { method }: IncomingMessage,
  response: ServerResponse,
  { metrics }: MountOptions,
): Promise<void> {
  if (!metrics) return refuse(response, 404, 'There are no metrics')
  if (method !== 'GET') return refuse(response, 405, 'Method not allowed.', { headers: { allow: 'GET' } })
  const text = await metrics()
  response.writeHead(200, { 'content-type': METRICS_TYPE, 'cache-control': 'no-store' })
  response.end(text)
}

/** Throws where everybody on the network could use each tool. */
function refuseToBeOpen({ host, authenticator, allowUnauthenticated }: MountOptions): void {
  if (isLoopback(host) || authenticator || allowUnauthenticated) return
  throw new ProxyError(
    'LISTEN_FAILED',
    `on ${host} everybody who reaches this machine could use the servers behind the proxy`,
    'Say who may connect: `mcp-rlm-proxy token add`, or "auth" with an issuer in proxySettings. Or start it ' +
      'with --allow-unauthenticated ("allowUnauthenticated": true) when something in front asks, or listen on 127.0.0.1.',
  )
}

/** Resolves when all connections are done, or have had their time. */
async function saidFarewell(server: Server, closed: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, FAREWELL_MS)
  })
  // Connections count as idle one turn after their last response.
  setImmediate(() => server.closeIdleConnections())
  await Promise.race([closed, late])
  clearTimeout(timer)
}

function begin(server: Server, host: string, port: number): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(host, port, error)))
    server.listen({ port, host: host.replace(/^\[|\]$/g, ''), backlog: MAX_PENDING }, resolve)
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
  const names = new Set([...LOOPBACK, name, ...outside])
  const hostAllowed = ANY.includes(name) ? () => true : remembering((value) => names.has(hostnameOf(value)))
  // Not `null`, which opaque pages send, and no other scheme: those have no host.
  const originAllowed = remembering((value) => names.has(hostnameOf(value, true)))
  return (request, response) => {
    const { host: sentHost = '', origin = '' } = request.headers
    if (sentHost === '' && request.httpVersion === '1.1') {
      // RFC 9112, 3.2
      refuse(response, 400, 'Bad Request: there is no Host', { headers: { connection: 'close' } })
      return false
    }
    if (!hostAllowed(sentHost)) return forbid(response, `Invalid Host: ${sentHost}`)
    // Only web pages send one.
    if (origin !== '' && !originAllowed(origin)) return forbid(response, `Invalid Origin: ${origin}`)
    return true
  }
}

/** The answer for the last value that was right: a client's requests all have the same. */
function remembering(allowed: (value: string) => boolean): (value: string) => boolean {
  let right: string | undefined
  return (value) => {
    if (value === right) return true
    if (!allowed(value)) return false
    right = value
    return true
  }
}

/** The name in a `Host` or (`whole`) an `Origin`, as URLs spell it; '' when there is none. */
function hostnameOf(value: string, whole = false): string {
  const address = whole ? value : `http://${value}`
  return URL.canParse(address) ? new URL(address).hostname : ''
}

function forbid(response: ServerResponse, message: string): false {
  refuse(response, 403, message)
  return false
}
