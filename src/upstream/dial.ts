/** The transport a server's configuration asks for. */
import type { Era } from '../protocol/eras.ts'
import { withFields } from '../telemetry/log.ts'
import { createRedactor } from '../telemetry/redact.ts'
import { decoded, secretsOf } from '../telemetry/secret.ts'
import { serverEnvironment } from './environment.ts'
import { HttpTransport } from './http/transport.ts'
import { InProcessTransport } from './in-process.ts'
import type { CompleteOptions, HttpServer, ServerOptions } from './options.ts'
import { StdioTransport } from './stdio.ts'
import type { UpstreamTransport } from './upstream-transport.ts'
import type { ServerStatus } from './upstreams.ts'

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
