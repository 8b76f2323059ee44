/**
 * How servers are reached. `TRANSPORTS` is the one place that lists the transports: who adds one adds an entry there, and what
 * implements UpstreamTransport beside the others.
 */
import { type Logger, withFields } from '../observe/log.ts'
import { createRedactor, decoded, type SecretHolder, secretsOf } from '../observe/redact.ts'
import type { Era } from '../protocol/eras.ts'
import type { Limits } from '../protocol/limits.ts'
import type { Later } from './backoff.ts'
import { type HttpServer, HttpTransport } from './http/transport.ts'
import { type InProcessServer, InProcessTransport } from './in-process.ts'
import type { Arriving } from './incoming.ts'
import type { Spawn } from './processes.ts'
import { type StdioServer, StdioTransport } from './stdio.ts'
import type { Authorizer, UpstreamTransport } from './transport.ts'

/** The options of a transport, whichever it is. */
interface Dialling {
  /** The era that is going to be spoken. */
  readonly era: Era
  /** Strikes the secrets of the server's options out of what is told to clients and models. */
  readonly conceal: (text: string) => string
  readonly logger: Logger
  /** The proxy's own environment. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Milliseconds; see the defaults in `contract.ts`. */
  readonly graceMs: number
  readonly largeBytes: number
  readonly maxMessageBytes: number
  readonly limits: Limits
  readonly arriving: Arriving | undefined
  readonly authorizer: Authorizer | undefined
  readonly spawn: Spawn | undefined
  readonly later: Later
  random(): number
}

/** One way to reach servers. */
export interface TransportEntry<Options> {
  /** How `status` and `doctor` name it, before anything was tried. */
  kind(server: Options): string
  /** The options that may hold secrets. */
  secrets(server: Options): SecretHolder
  /** A new transport, not started. */
  dial(server: Options, dialling: Dialling): UpstreamTransport
}

const stdio: TransportEntry<StdioServer> = {
  kind: () => 'stdio',
  secrets: ({ env, args }) => ({ env, args }),
  dial: ({ command, args = [], env = {}, cwd }, { environment, ...dialling }) =>
    new StdioTransport({ ...dialling, command, args, env: serverEnvironment(environment, env), cwd }),
}

/** Over HTTP a connection carries one era; the other transports carry whatever is sent. */
const http: TransportEntry<HttpServer> = {
  kind: (server) => (httpType(server) === 'sse' ? 'sse' : 'streamable-http'),
  secrets: ({ url, headers }) => ({ url, headers }),
  dial: (server, dialling) =>
    new HttpTransport({
      ...dialling,
      ...withCredentials(new URL(server.url), server.headers ?? {}),
      type: httpType(server),
    }),
}

const inProcess: TransportEntry<InProcessServer> = {
  kind: () => 'in-process',
  secrets: () => ({}),
  dial: ({ serve }, { largeBytes, limits, conceal }) =>
    new InProcessTransport({ serve, largeBytes, limits, conceal }),
}

/** The transports, by the member of a server's options that only servers reached in this way have. */
export const TRANSPORTS = { command: stdio, url: http, serve: inProcess } as const

type Transports = typeof TRANSPORTS

/** How a server is reached. */
export type ServerOptions = {
  [Member in keyof Transports]: Transports[Member] extends TransportEntry<infer Options> ? Options : never
}[keyof Transports]

function entryOf(server: ServerOptions): TransportEntry<ServerOptions> {
  for (const [member, entry] of Object.entries(TRANSPORTS))
    if (Object.hasOwn(server, member)) return entry as TransportEntry<ServerOptions>
  throw new Error(`its configuration has none of ${Object.keys(TRANSPORTS).join(', ')}`)
}

/** The transport the configuration names, before anything was tried. */
export function transportOf(server: ServerOptions): string {
  return entryOf(server).kind(server)
}

/** Strikes the secrets of the server's options out of a text. */
export function concealFor(server: ServerOptions): (text: string) => string {
  return createRedactor(secretsOf([entryOf(server).secrets(server)])).text
}

interface DialOptions
  extends Omit<
    Dialling,
    'era' | 'conceal' | 'graceMs' | 'largeBytes' | 'maxMessageBytes' | 'limits' | 'authorizer'
  > {
  readonly defaults: {
    readonly closeGraceMs: number
    readonly largeBytes: number
    readonly maxMessageBytes: number
    readonly limits: Limits
  }
  authorizer(server: string): Authorizer | undefined
}

/** A new transport, not started. Throws for options that no transport can be made of. */
export function dial(
  server: ServerOptions,
  options: DialOptions,
  name: string,
  era: Era = 'legacy',
): UpstreamTransport {
  const { closeGraceMs, largeBytes, maxMessageBytes, limits } = options.defaults
  const { environment, arriving, spawn, later, random } = options
  return entryOf(server).dial(server, {
    era,
    conceal: concealFor(server),
    logger: withFields(options.logger, { server: name }),
    environment,
    graceMs: closeGraceMs,
    largeBytes,
    maxMessageBytes,
    limits,
    arriving,
    authorizer: options.authorizer(name),
    spawn,
    later,
    random,
  })
}

/** `https://user:password@host` as it is sent: as a header (RFC 7617). A header of that name wins. */
function withCredentials(
  url: URL,
  headers: Readonly<Record<string, string>>,
): { url: URL; headers: Readonly<Record<string, string>> } {
  const { username, password } = url
  if (username === '' && password === '') return { url, headers }
  const bare = new URL(url)
  bare.username = ''
  bare.password = ''
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization'))
    return { url: bare, headers }
  const pair = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')
  return { url: bare, headers: { ...headers, Authorization: `Basic ${pair}` } }
}

function httpType({ url, type }: HttpServer): 'sse' | 'streamable-http' | 'auto' {
  if (type === 'sse') return 'sse'
  if (type === 'streamable-http' || type === 'http') return 'auto'
  return URL.canParse(url) && /\/sse\/?$/.test(new URL(url).pathname) ? 'sse' : 'auto'
}

// The environment of a server's process: what programs need to run at all and to reach the network, plus what
// its configuration gives. The proxy's own environment holds secrets of other servers and does not pass
// through.

/** Exact names, compared without case because Windows does. */
const NAMES = new Set(
  [
    'PATH HOME USER LOGNAME SHELL TERM COLORTERM LANG LANGUAGE TZ TMPDIR TMP TEMP',
    // Browsers and other programs with windows.
    'DISPLAY WAYLAND_DISPLAY XAUTHORITY',
    // Networks that need a proxy or a certificate authority of their own.
    'HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE',
    // Where version managers keep what npx, uvx and bunx start.
    'NVM_DIR VOLTA_HOME PNPM_HOME BUN_INSTALL ASDF_DIR ASDF_DATA_DIR PYENV_ROOT CARGO_HOME JAVA_HOME DOCKER_HOST',
    // Windows.
    'APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES HOMEDRIVE HOMEPATH USERNAME USERPROFILE SYSTEMDRIVE SYSTEMROOT',
    'WINDIR COMSPEC PATHEXT PROCESSOR_ARCHITECTURE',
  ].flatMap((line) => line.split(' ')),
)

/** Families of names: locale, XDG folders, settings of npm and uv. */
const PREFIXES = ['LC_', 'XDG_', 'NPM_CONFIG_', 'UV_']

/** npm and uv take passwords and tokens by environment, too. */
const SECRET = /auth|token|passw|secret|_key$|_otp$/i

/**
 * An address with a password or a token in it, as proxies and package indexes are named with; `user:password@host` alone is one as well.
 * The name of a user is no secret to ssh.
 */
const CREDENTIALS = /(?:^|:\/\/)[^\s/?#@:]*:[^\s/?#@]+@|(?<!\bssh):\/\/[^\s/?#@]+@/i

/**
 * The safe part of `own`, with `extra` over it: what is to reach a server all the same stands there. `NODE_OPTIONS` and the like stay
 * behind: they are about the proxy.
 */
export function serverEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const environment: Record<string, string> = {}
  for (const [name, value] of Object.entries(own)) {
    if (value !== undefined && isSafe(name) && !CREDENTIALS.test(value)) environment[name] = value
  }
  return { ...environment, ...extra }
}

function isSafe(name: string): boolean {
  const upper = name.toUpperCase()
  return NAMES.has(upper) || (PREFIXES.some((prefix) => upper.startsWith(prefix)) && !SECRET.test(name))
}
