/** The admin interface and the page over HTTP: who may ask, what is read of a request, and how it is answered. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { fileURLToPath } from 'node:url'
import type * as z from 'zod'
import { packageVersion } from '../../config/identity.ts'
import { LOOPBACK } from '../../config/loopback.ts'
import type { Logger } from '../../observe/log.ts'
import { ProxyError } from '../../protocol/errors.ts'
import { createFailures, credentialsOf } from '../../server/auth/credentials.ts'
import type { Endpoint, Service } from '../../server/http/listen.ts'
import { BodyRefused, isLocal, leaving, readJson } from '../../server/http/request.ts'
import type { Event } from './api.ts'
import { type Download, Refused, type Scope } from './api.ts'
import { type Desk, LOCAL } from './desk.ts'
import { openApi, ROUTES, type Route } from './routes.ts'

export const API_PATH = '/admin/api'
export const PAGE_PATH = '/console'
/** MCP for commands of this machine. Their kept results belong to clients over standard input. */
export const MCP_PATH = `${API_PATH}/mcp`

interface ConsoleEndpointOptions {
  desk: Desk
  /** Serves MCP at its path. */
  mcp(): Promise<Service>
  /** The tokens by what they allow. */
  tokens: Readonly<Record<Scope, string>>
  /** Other machines may ask. */
  remote: boolean
  /** Names by which clients reach this listener beside those of loopback. */
  hosts: readonly string[]
  /** Calls back with what happens; gives what ends that. */
  listen(heard: (event: Event) => void): () => void
  logger: Logger
  /** Milliseconds by a monotonic clock. */
  elapsed: () => number
  /** Bytes of a request. */
  maxBodyBytes?: number
  /** Milliseconds that a request may take to arrive. */
  bodyMs?: number
  /** Requests at work, and streams of events that are open, at the same moment. */
  maxUnderway?: number
  maxStreams?: number
}

/** On every answer: nothing but the page's own files is loaded, nothing is framed, kept or guessed. */
const HEADERS: OutgoingHttpHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'cache-control': 'no-store',
}

/** The files of the page: beside the bundle, or in the folder of a build. */
const FILES: Readonly<Record<string, { file: string; type: string }>> = {
  [PAGE_PATH]: { file: 'index.html', type: 'text/html; charset=utf-8' },
  [`${PAGE_PATH}/page.js`]: { file: 'page.js', type: 'text/javascript; charset=utf-8' },
  [`${PAGE_PATH}/page.css`]: { file: 'page.css', type: 'text/css; charset=utf-8' },
}
const FOLDERS = ['./console/', '../../../dist/bundle/console/']

const FAILURES_PER_MINUTE = 20
/** Milliseconds in which calls are gathered before they are sent. */
const GATHER_MS = 100
/** Bytes that a slow reader of events may leave unread. */
const UNREAD = 2_000_000
/** Milliseconds between two signs of life. */
const ALIVE_MS = 15_000

export function createConsoleEndpoint(options: ConsoleEndpointOptions): Endpoint & { close(): void } {
  const { desk, mcp, tokens, remote, hosts, logger, elapsed } = options
  const { maxBodyBytes = 1_200_000, bodyMs = 30_000, maxUnderway = 32, maxStreams = 16 } = options
  const failures = createFailures({ perMinute: FAILURES_PER_MINUTE, maxAddresses: 100, now: elapsed })
  const digests = (['admin', 'read'] as const).map((scope) => ({ scope, digest: digestOf(tokens[scope]) }))
  const streams = new Set<ServerResponse>()
  let underway = 0

  /** Requests of web pages that are not this one, and of machines that are not to ask. Throws Refused. */
  function guard(request: IncomingMessage): void {
    const { host = '', origin } = request.headers
    if (!remote) {
      if (isLocal(request) !== 'yes')
        throw new Refused(
          403,
          'The console answers this machine only.',
          'Set console.remote to answer other machines.',
        )
    }
    const name = hostnameOf(`http://${host}`)
    const bare = name.replace(/^\[|\]$/g, '')
    // A name that was bound to this address is refused; an address cannot be.
    if (!LOOPBACK.includes(name) && !(remote && (hosts.includes(name) || isIP(bare) !== 0)))
      throw new Refused(403, 'The Host of the request is not this proxy.')
    if (
      origin !== undefined &&
      (!/^https?:/.test(origin) || !URL.canParse(origin) || new URL(origin).host !== host)
    )
      throw new Refused(403, 'The console answers no other page.')
  }

  /** Throws Refused where the request has no valid token. */
  function scopeOf(request: IncomingMessage): Scope {
    const site = request.headers['sec-fetch-site']
    if (site !== undefined && site !== 'same-origin' && site !== 'none')
      throw new Refused(403, 'The console answers no other page.')
    const credentials = credentialsOf(request)
    if (credentials.kind === 'none')
      throw new Refused(401, 'Send the token: Authorization: Bearer <token>.', OPEN)
    const address = request.socket.remoteAddress ?? ''
    if (failures.wait(address) > 0) throw new Refused(429, 'Too many tokens were refused: try again later.')
    const given = credentials.kind === 'token' ? digestOf(credentials.token) : undefined
    // All are compared, and digests have one length.
    const [found] = digests.filter(({ digest }) => given !== undefined && timingSafeEqual(given, digest))
    if (found === undefined) {
      failures.add(address)
      logger.warn({}, 'the console refused a token')
      throw new Refused(401, 'The token is wrong.', OPEN)
    }
    return found.scope
  }

  async function page(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw new Refused(405, 'Use GET.')
    const found = Object.hasOwn(FILES, path) ? FILES[path] : undefined
    if (found === undefined) throw new Refused(404, 'There is no such page.', `Open ${PAGE_PATH}`)
    const bytes = await readPage(found.file)
    send(response, 200, { 'content-type': found.type }, request.method === 'HEAD' ? undefined : bytes)
  }

  async function api(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const scope = scopeOf(request)
    const path = url.pathname.slice(API_PATH.length)
    if (request.method === 'GET' && path === '/events') return stream(response)
    if (request.method === 'GET' && path === '/openapi.json')
      return sendJson(response, 200, openApi(packageVersion()))
    if (path === MCP || path.startsWith(`${MCP}/`)) {
      mayChange(scope)
      for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value ?? '')
      return (await mcp()).handle(request, response, url, { id: LOCAL.id })
    }
    const { route, found } = matching(request.method ?? '', path)
    if (route.scope === 'admin') mayChange(scope)
    if (underway >= maxUnderway) throw new Refused(429, `${maxUnderway} requests are at work: wait.`)
    underway++
    try {
      const given =
        route.method === 'GET' || route.method === 'DELETE'
          ? Object.fromEntries(url.searchParams)
          : await readJson(request, maxBodyBytes, bodyMs)
      const read = route.input.safeParse({ ...given, ...found })
      if (!read.success) throw new Refused(400, read.error.issues.map(inWords).join(' '))
      const handle = route.handle as (input: unknown, desk: Desk, asked: object) => unknown
      const answer = await handle(read.data, desk, { scope, signal: leaving(response) })
      if (route.scope === 'admin' && route.method !== 'GET')
        logger.info({ method: route.method, path }, 'an admin changed something')
      if (route.output !== undefined) return sendJson(response, 200, answer)
      const { name, type, bytes } = answer as Download
      send(
        response,
        200,
        { 'content-type': type, 'content-disposition': `attachment; filename="${name}"` },
        bytes,
      )
    } finally {
      underway--
    }
  }

  function stream(response: ServerResponse): void {
    if (streams.size >= maxStreams) throw new Refused(429, `${maxStreams} streams are open: close one.`)
    streams.add(response)
    response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
    const write = (text: string): void => {
      // It does not wait for a page that does not read: the page asks again.
      if (response.writableLength > UNREAD) response.destroy()
      else response.write(text)
    }
    write(': open\n\n')
    let waiting: Event[] = []
    let timer: NodeJS.Timeout | undefined
    const flush = (): void => {
      timer = undefined
      const calls = waiting.flatMap((event) => ('calls' in event ? event.calls : []))
      const changed = [...new Set(waiting.flatMap((event) => ('changed' in event ? event.changed : [])))]
      waiting = []
      // A reader that missed some sees by their ids that it did.
      if (calls.length > 0) write(`data: ${JSON.stringify({ calls: calls.slice(-MOST_AT_ONCE) })}\n\n`)
      if (changed.length > 0) write(`data: ${JSON.stringify({ changed })}\n\n`)
    }
    const stop = options.listen((event) => {
      waiting.push(event)
      timer ??= setTimeout(flush, GATHER_MS).unref()
    })
    const alive = setInterval(() => write(': alive\n\n'), ALIVE_MS).unref()
    response.once('close', () => {
      stop()
      clearTimeout(timer)
      clearInterval(alive)
      streams.delete(response)
    })
  }

  function refuse(response: ServerResponse, error: unknown): void {
    if (response.destroyed || response.headersSent) return void response.destroy()
    const { status, message, remedy } = refusalOf(error)
    if (status === 500) logger.error({ err: error }, 'the console could not answer')
    if (status === 401) response.setHeader('www-authenticate', 'Bearer')
    // Bytes that it still sends would be read as the next request.
    if (!response.req.complete) response.setHeader('connection', 'close')
    sendJson(response, status, { error: message, ...(remedy !== undefined && { remedy }) })
  }

  return {
    serves: ({ pathname }) =>
      [API_PATH, PAGE_PATH].some((path) => pathname === path || pathname.startsWith(`${path}/`)),
    async handle(request, response, url) {
      try {
        guard(request)
        const path = url.pathname === `${PAGE_PATH}/` ? PAGE_PATH : url.pathname
        await (path.startsWith(PAGE_PATH) ? page(request, response, path) : api(request, response, url))
      } catch (error) {
        refuse(response, error)
      }
    },
    close() {
      for (const response of streams) response.destroy()
    },
  }
}

const MCP = MCP_PATH.slice(API_PATH.length)

/** Throws Refused where a token may only read. */
function mayChange(scope: Scope): void {
  if (scope !== 'admin')
    throw new Refused(403, 'The token may only read.', 'Open the console with the admin token.')
}

const OPEN = 'Open the console with: mcp-rlm-proxy console'
/** Calls of one event. */
const MOST_AT_ONCE = 1_000

function refusalOf(error: unknown): { status: number; message: string; remedy?: string | undefined } {
  if (error instanceof Refused) return error
  if (error instanceof BodyRefused) return { status: BODY_STATUS[error.code], message: error.message }
  if (error instanceof ProxyError) return { status: 409, message: error.message, remedy: error.next }
  return { status: 500, message: 'Internal error', remedy: 'The log says more.' }
}

const BODY_STATUS = {
  unsupported_media_type: 415,
  payload_too_large: 413,
  bad_request: 400,
  request_timeout: 408,
} as const

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

function hostnameOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname : ''
}

function inWords({ path, message }: z.core.$ZodIssue): string {
  return `${path.join('.')}: ${message}.`
}

const PARTS = ROUTES.map((route) => ({ route, parts: route.path.split('/') }))

/** The row for a path, with what stands at the places in braces. Throws Refused. */
function matching(method: string, path: string): { route: Route; found: Record<string, string> } {
  const given = path.split('/')
  const fitting = PARTS.filter(
    ({ parts }) =>
      parts.length === given.length &&
      parts.every((part, at) => part === given[at] || (part.startsWith('{') && given[at] !== '')),
  )
  if (fitting.length === 0)
    throw new Refused(404, 'There is no such route.', `GET ${API_PATH}/openapi.json lists them.`)
  const right = fitting.find(({ route }) => route.method === method)
  if (right === undefined)
    throw new Refused(405, `Use ${fitting.map(({ route }) => route.method).join(' or ')}.`)
  const found = right.parts.flatMap((part, at) =>
    part.startsWith('{') ? [[part.slice(1, -1), decoded(given[at] ?? '')]] : [],
  )
  return { route: right.route, found: Object.fromEntries(found) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Refused(400, 'The address is not encoded as an address is.')
  }
}

/** Read once: they are the same for as long as the proxy runs. */
const read = new Map<string, Promise<Buffer>>()

function readPage(file: string): Promise<Buffer> {
  const known = read.get(file)
  if (known !== undefined) return known
  const reading = Promise.any(
    FOLDERS.map((folder) => readFile(fileURLToPath(new URL(folder + file, import.meta.url)))),
  ).catch(() => {
    read.delete(file)
    throw new Refused(
      503,
      'The files of the console are missing.',
      'Install the package again, or run: npm run build',
    )
  })
  read.set(file, reading)
  return reading
}

function send(
  response: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  bytes: Uint8Array | undefined,
): void {
  if (response.destroyed) return
  response.writeHead(status, { ...HEADERS, ...headers, ...(bytes && { 'content-length': bytes.byteLength }) })
  response.end(bytes)
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  send(response, status, { 'content-type': 'application/json' }, Buffer.from(JSON.stringify(body)))
}
