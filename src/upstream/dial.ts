/** The transport a server's configuration asks for. */
import { withFields } from '../observe/log.ts'
import { createRedactor, decoded, secretsOf } from '../observe/redact.ts'
import type { Era } from '../protocol/eras.ts'
import type { CompleteOptions, HttpServer, ServerOptions, ServerStatus } from './contract.ts'
import { HttpTransport } from './http/transport.ts'
import { InProcessTransport } from './in-process.ts'
import { StdioTransport } from './stdio.ts'
import type { UpstreamTransport } from './transport.ts'

function isHttp(server: ServerOptions): server is HttpServer {
  return 'url' in server
}

/** The transport the configuration names, before anything was tried. */
export function transportOf(server: ServerOptions): ServerStatus['transport'] {
  if ('serve' in server) return 'in-process'
  if (!isHttp(server)) return 'stdio'
  return httpType(server) === 'sse' ? 'sse' : 'streamable-http'
}

/** A new transport, not started. Over HTTP it carries one era; standard streams carry whatever is sent. */
export function dial(
  server: ServerOptions,
  options: CompleteOptions,
  name: string,
  era: Era = 'legacy',
): UpstreamTransport {
  const logger = withFields(options.logger, { server: name })
  const { closeGraceMs: graceMs, largeBytes, maxMessageBytes } = options.defaults
  if (isHttp(server)) {
    const { url, headers = {} } = server
    return new HttpTransport({
      ...withCredentials(new URL(url), headers),
      type: httpType(server),
      era,
      largeBytes,
      maxMessageBytes,
      arriving: options.arriving,
      graceMs,
      conceal: createRedactor(secretsOf([{ url, headers }])).text,
      logger,
      environment: options.environment,
      later: options.later,
      random: options.random,
      authorizer: options.authorizer(name),
    })
  }
  if ('serve' in server) {
    const conceal = createRedactor().text
    return new InProcessTransport({ serve: server.serve, largeBytes, conceal })
  }
  const { command, args = [], env = {}, cwd } = server
  return new StdioTransport({
    command,
    args,
    env: serverEnvironment(options.environment, env),
    cwd,
    graceMs,
    largeBytes,
    maxMessageBytes,
    arriving: options.arriving,
    conceal: createRedactor(secretsOf([{ env, args }])).text,
    logger,
    spawn: options.spawn,
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
const SECRET = /auth|token|passw|secret|_key$/i

/** The safe part of `own`, with `extra` over it. `NODE_OPTIONS` and the like stay behind: they are about the proxy. */
export function serverEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const environment: Record<string, string> = {}
  for (const [name, value] of Object.entries(own)) {
    if (value !== undefined && isSafe(name)) environment[name] = value
  }
  return { ...environment, ...extra }
}

function isSafe(name: string): boolean {
  const upper = name.toUpperCase()
  return NAMES.has(upper) || (PREFIXES.some((prefix) => upper.startsWith(prefix)) && !SECRET.test(name))
}
