/** Wires the bridge for scripts: its own listener where clients come over standard input, else the one they come to. */

import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageVersion } from '../../config/identity.ts'
import type { Config } from '../../config/schema.ts'
import type { ServerConfig } from '../../config/servers.ts'
import { type KeptToken, keptToken } from '../../data/tokens.ts'
import type { Engine } from '../../engine/contract.ts'
import type { Logger } from '../../observe/log.ts'
import { MODERN_VERSIONS } from '../../protocol/eras.ts'
import { messageOf } from '../../protocol/errors.ts'
import type { Agent, Client } from '../../protocol/exchange.ts'
import { connectionsOf } from '../../proxy/connections.ts'
import type { Stage } from '../../proxy/layers.ts'
import { PROXY_TOOL_NAMES } from '../../proxy/own-tools.ts'
import { type HttpListener, type ListenOptions, listen } from '../../server/http/listen.ts'
import { refuse } from '../../server/http/request.ts'
import type { Backend } from '../../server/legacy.ts'
import { createModernClients } from '../../server/modern.ts'
import type { ResultStore } from '../../store/result-store.ts'
import type { Upstreams } from '../../upstream/contract.ts'
import { BRIDGE_PATH, type BridgeEndpoint, createBridgeEndpoint, createTokenGate } from './endpoint.ts'
import { createBridge } from './scripts.ts'

export interface BridgeParts {
  /** The onion without what is for models. */
  onion: Stage
  backend: Pick<Backend, 'opened' | 'closed'>
  engine: Engine
  resultStore: ResultStore
  upstreams: Upstreams
  /** The servers of the configuration now. */
  servers(): readonly ServerConfig[]
  metrics: (() => Promise<string>) | undefined
  logger: Logger
  now: () => number
  elapsed: () => number
}

export interface OpenBridge {
  /** For the listener that clients come to. */
  readonly endpoint: BridgeEndpoint
  /** Opens a listener where there is no other. `url`: of that other. Gives where scripts connect; undefined: they cannot. */
  start(url: string | undefined): Promise<string | undefined>
  close(): Promise<void>
}

/** In the data directory: where scripts find the bridge that was started last. */
const URL_FILE = 'bridge-url'

/** Throws ProxyError when the file of the token cannot be used. */
export function openBridge({ settings }: Config, parts: BridgeParts): OpenBridge {
  const { bridge: options, dataDir } = settings
  const { engine, resultStore, upstreams, logger, elapsed, backend } = parts
  const kept = options.token === undefined ? bridgeToken(dataDir) : undefined
  const token = options.token ?? kept?.token ?? ''
  const agent = agentOf(token)
  const listeners: ((client: Client) => void)[] = []
  const clients = createModernClients({
    now: elapsed,
    notify() {},
    opened: (client) => backend.opened(client),
    closed(client) {
      backend.closed(client)
      for (const heard of listeners) heard(client)
    },
  })
  const endpoint = createBridgeEndpoint({
    bridge: createBridge({
      ...parts.onion,
      agent,
      async as<T>(run: (client: Client) => Promise<T>): Promise<T> {
        const lease = clients.use(agent, ENVELOPE)
        try {
          return await run(lease.client)
        } finally {
          clients.rest(lease)
        }
      },
      left: (heard) => listeners.push(heard),
      connections: () => connectionsOf(parts.servers(), upstreams, parts),
      ownTools: PROXY_TOOL_NAMES,
      engine,
      resultStore,
      tools: options.tools,
      inlineBytes: options.inlineBytes,
      ttl: options.resultTtlSeconds * 1000,
      now: elapsed,
    }),
    gate: createTokenGate({ token, now: elapsed, logger }),
    logger,
  })
  const urlFile = join(dataDir, URL_FILE)
  let listener: HttpListener | undefined
  let served: string | undefined

  /** Undefined: it could not. The session of the client is worth more than the bridge. */
  async function listenAlone(): Promise<string | undefined> {
    try {
      listener = await listen(alone(options.port, endpoint, parts), nothingElse)
      return listener.url
    } catch (error) {
      logger.error({ reason: messageOf(error) }, 'there is no bridge for scripts')
      return undefined
    }
  }

  return {
    endpoint,
    async start(url) {
      served = url === undefined ? await listenAlone() : new URL(BRIDGE_PATH, url).href
      if (served === undefined) return undefined
      tellWhere(urlFile, served, logger)
      logger.info({ url: served, ...(kept && { file: kept.path }) }, 'scripts can connect')
      return served
    },
    async close() {
      if (served !== undefined) removeIfOurs(urlFile, served)
      await listener?.close()
      clients.close()
    },
  }
}

const ENVELOPE = {
  protocolVersion: MODERN_VERSIONS[0],
  info: { name: 'mcp-rlm-proxy bridge', version: packageVersion() },
  capabilities: {},
  logLevel: undefined,
  via: [],
}

/** The holder of the token owns what is kept, also after a restart. */
function agentOf(token: string): Agent {
  return { id: `bridge_${createHash('sha256').update(token).digest('hex').slice(0, 16)}`, kind: 'principal' }
}

/** Everything there but `/healthz` needs the token. */
function alone(port: number, bridge: BridgeEndpoint, { logger, metrics }: BridgeParts): ListenOptions {
  const authenticator: ListenOptions['authenticator'] = {
    authenticate: async (request, response) =>
      bridge.authorize(request, response) ? { id: 'script' } : undefined,
    serve: () => false,
  }
  return { host: '127.0.0.1', port, backend: { logger }, endpoints: [bridge], metrics, authenticator }
}

const nothingElse = {
  path: BRIDGE_PATH,
  handle: async (_: unknown, response: Parameters<typeof refuse>[0]) => refuse(response, 404, 'Not found'),
  closeSessions: async () => {},
}

/** Scripts that are told the address otherwise need no file. */
function tellWhere(path: string, url: string, logger: Logger): void {
  try {
    writeFileSync(path, `${url}\n`, { mode: 0o600 })
  } catch (error) {
    logger.warn({ reason: messageOf(error) }, 'the address of the bridge could not be written')
  }
}

/** Another proxy may have been started since. */
function removeIfOurs(path: string, url: string): void {
  try {
    if (readFileSync(path, 'utf8').trim() === url) rmSync(path)
  } catch {
    // It is gone already.
  }
}

/** The token of scripts where none is configured. Throws ProxyError as `keptToken` does. */
export function bridgeToken(directory: string): KeptToken {
  return keptToken(directory, 'bridge-token', { of: 'the bridge', next: 'or set bridge.token' })
}
