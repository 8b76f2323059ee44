/** The ways to modules that run elsewhere: a file, a program, an address. */

import { fileURLToPath } from 'node:url'
import { packageVersion } from '../../config/identity.ts'
import type { ExternalModule } from '../../config/modules.ts'
import { ModuleTimeout } from '../../module-runtime/module.ts'
import type { Logger } from '../../observe/log.ts'
import { PROXY_NAME } from '../../protocol/chain.ts'
import { type Result, withMeta } from '../../protocol/content.ts'
import type { Era } from '../../protocol/eras.ts'
import { messageOf, ProxyError } from '../../protocol/errors.ts'
import { LIMIT_DEFAULTS } from '../../protocol/limits.ts'
import { DEFAULT_BACKOFF, later } from '../../upstream/backoff.ts'
import { Connection } from '../../upstream/connection.ts'
import { complete } from '../../upstream/contract.ts'
import { dial } from '../../upstream/dial.ts'
import { EraRefused, envelope } from '../../upstream/handshake.ts'
import type { UpstreamTransport } from '../../upstream/transport.ts'
import type { Line, LineEvents, LineLimits, LineRequest } from './interceptors.ts'

export interface LineParts {
  logger: Logger
  /** Milliseconds by a monotonic clock. */
  elapsed: () => number
}

/** Milliseconds from the start of a module to the end of its handshake. */
const CONNECT_MS = 30_000
/** Room for what stands around a message. */
const ENVELOPE_BYTES = 64 * 1024

/** How the proxy introduces itself. */
const SELF = {
  clientInfo: { name: PROXY_NAME, version: packageVersion() },
  capabilities: { extensions: { 'io.modelcontextprotocol/interceptors': {} } },
  via: [],
}
/** Milliseconds before one that speaks neither era is asked again: of a program each attempt is a start. */
const REFUSED_MS = 30_000

/** Modules are greeted as of the legacy era, which all SDKs of the proposal speak, and one that refuses it as of the modern one. */
export function openLine(module: ExternalModule, events: LineEvents, { logger, elapsed }: LineParts): Line {
  let lastError = ''
  let refusedUntil = Number.NEGATIVE_INFINITY
  let connection = connect('legacy')

  function connect(era: Era): Connection {
    return new Connection({
      server: module.name,
      dial: () => dialModule(module, logger, era),
      introduction: { ...SELF, era },
      connectTimeoutMs: CONNECT_MS,
      limits: LIMIT_DEFAULTS,
      backoff: DEFAULT_BACKOFF,
      revive: true,
      logger,
      now: elapsed,
      random: Math.random,
      later,
      handlers: {
        ready: () => events.ready(),
        lost(error) {
          lastError = error.message
          events.lost(error)
        },
      },
    })
  }

  async function send(request: LineRequest, limits: LineLimits): Promise<Result> {
    const tried = connection
    const { era, state } = tried
    try {
      const params = era === 'legacy' ? request.params : withMeta(request.params, envelope(SELF))
      return await tried.request({ ...request, params }, limits)
    } catch (error) {
      if (!(error instanceof EraRefused) || state === 'closed') throw error
      // A concurrent call may have found it out before.
      if (connection === tried) {
        connection = connect(era === 'legacy' ? 'modern' : 'legacy')
        void tried.close()
      }
      if (era === 'legacy') return send(request, limits)
      refusedUntil = elapsed() + REFUSED_MS
      lastError = 'speaks no revision of MCP that this proxy speaks'
      throw new Error(lastError)
    }
  }

  return {
    async request(request, limits) {
      // It comes back when its time has come, not with every message.
      if (connection.state === 'waiting' || elapsed() < refusedUntil) throw new Error(lastError)
      try {
        return await send(request, limits)
      } catch (error) {
        if (error instanceof ProxyError && error.code === 'UPSTREAM_TIMEOUT')
          throw new ModuleTimeout(messageOf(error))
        throw error
      }
    },
    isUp: () => connection.state === 'ready',
    restart: () => void connection.established?.peer.close().catch(() => {}),
    close: () => connection.close(),
  }
}

function dialModule({ name, reach, maxBytes }: ExternalModule, logger: Logger, era: Era): UpstreamTransport {
  const maxMessageBytes = maxBytes + ENVELOPE_BYTES
  const options = complete({
    servers: {},
    defaults: { maxMessageBytes, largeBytes: maxMessageBytes },
    identity: '',
    clientInfo: {},
    events: { changed() {}, notification() {} },
    logger,
  })
  return dial('path' in reach ? moduleProgram(reach.path) : reach, options, name, era)
}

// A module file as a program. A thread would do for speed, but one that runs out of memory takes the whole
// proxy with it.

/** Megabytes that its objects may take. */
const HEAP_MB = 256

/** The command that starts the file at `path`, absolute. */
function moduleProgram(path: string): { command: string; args: readonly string[] } {
  return {
    command: process.execPath,
    args: [`--max-old-space-size=${HEAP_MB}`, fileURLToPath(compiledHost()), path],
  }
}

/** Beside this file in `dist`; from `src`, as tests run it, in the bundle, for Node cannot load TypeScript. */
function compiledHost(): URL {
  const compiled = import.meta.url.endsWith('.js')
  return new URL(compiled ? './module-host.js' : '../../../dist/bundle/module-host.js', import.meta.url)
}
