/** The composition root: from a configuration to a running gateway. The one place where everything is wired. */
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { identityOf } from './config/identity.ts'
import type { Config } from './config/schema.ts'
import type { ServerConfig } from './config/servers.ts'
import { packageVersion } from './config/version.ts'
import { type Audience, createAudience } from './downstream/audience.ts'
import type { Access } from './downstream/auth/open.ts'
import { hearsOf, joinCapabilities } from './downstream/handshake.ts'
import { createModernService } from './downstream/modern.ts'
import { type Listener, serve } from './downstream/serve.ts'
import type { Backend } from './downstream/session.ts'
import type { Engine } from './engine/engine.ts'
import { createEngine, ENGINE_DEFAULTS } from './engine/lanes.ts'
import { createAccount } from './modules/account.ts'
import { createShape } from './modules/shape.ts'
import { type AddressBook, createAddressBook } from './pipeline/address-book.ts'
import { compose } from './pipeline/onion.ts'
import { createRouter } from './pipeline/router.ts'
import { PROXY_NAME } from './protocol/chain.ts'
import type { Client, Exchange, Handler, Middleware } from './protocol/exchange.ts'
import { isObject, type JsonObject } from './protocol/json.ts'
import type { Result } from './protocol/result.ts'
import { createDiskStore } from './store/disk.ts'
import { createKeeper, KEEPER_DEFAULTS, type Keeper } from './store/keeper.ts'
import { createMemoryStore } from './store/memory.ts'
import { type Logger, silentLogger } from './telemetry/log.ts'
import { createLedger, type Ledger } from './telemetry/savings.ts'
import type { SavingsReport } from './telemetry/savings-report.ts'
import { createProxyTools, PROXY_TOOL_NAMES } from './tools/index.ts'
import { INSTRUCTIONS, joinInstructions } from './tools/instructions.ts'
import type { SignedOut } from './upstream/oauth/authorizer-oauth.ts'
import type { Authorizers } from './upstream/oauth/authorizers.ts'
import type { ServerOptions } from './upstream/options.ts'
import { createUpstreams } from './upstream/pool.ts'
import type { ServerStatus, Upstreams } from './upstream/upstreams.ts'

/** The world outside, for tests and embedding. What is absent is the real one. */
export interface GatewayParts {
  logger?: Logger
  /** Where the one client of a stdio gateway speaks and listens. */
  input?: Readable
  output?: Writable
  now?: () => number
  /** Layers of the embedder's own, outside of shaping: they see what the client will see. */
  middlewares?: readonly Middleware[]
  signIn?: SignInParts
}

/** How the proxy signs in to servers, where that is not as the configuration says. */
export interface SignInParts {
  /** Where tokens are kept, when not in the data directory. */
  dataDir?: string
  /** False: no sign-in begins; an error says which command does it. */
  interactive?: boolean
  /** Told the address of every sign-in that begins. */
  tell?: (server: string, link: string) => void
  /** Environment and system in which a browser is looked for. */
  environment?: Readonly<Record<string, string | undefined>>
  platform?: string
}

export interface Gateway {
  /** Begins to serve. `url`: where clients connect; absent over stdio. */
  start(): Promise<{ url?: string }>
  /** Resolves when the client of a stdio gateway left. */
  readonly ended: Promise<void>
  /** Connects every server once and tells how that went. */
  check(): Promise<ServerStatus[]>
  status(): ServerStatus[]
  savings(): Promise<SavingsReport>
  /** Forgets the tokens for a server, and revokes them where that can be done. */
  signOut(server: string): Promise<SignedOut>
  /** Ends sessions, servers and workers; kept results go to disk. Safe to call again. */
  close(): Promise<void>
}

/** Longest message taken from a client or a server, in bytes. */
const MAX_MESSAGE_BYTES = 256 * 1024 * 1024
const SESSION_IDLE_MS = 30 * 60_000

export async function createGateway(config: Config, parts: GatewayParts = {}): Promise<Gateway> {
  const { settings } = config
  const { logger = silentLogger, now = Date.now } = parts
  const engine = createEngine({ ...ENGINE_DEFAULTS, queryTimeout: settings.queryTimeoutMs })
  const ledger = createLedger({ countTokens: (texts) => engine.countTokens(texts), now })
  const keeper = await openKeeper(config, engine, logger, now)
  const audience = createAudience()
  const book = createAddressBook()
  const authorizers = await openAuthorizers(config, parts.signIn, logger, now)
  const upstreams = openUpstreams(config, { audience, book, authorizers }, logger, now)
  const handler = wire(config, {
    engine,
    keeper,
    ledger,
    upstreams,
    book,
    logger,
    middlewares: parts.middlewares ?? [],
  })
  const backend = createBackend(handler, {
    upstreams,
    audience,
    engine,
    keeper,
    logger,
    identity: identityOf(config),
  })
  const modern = createModernService({ backend, audience, now })

  let listener: Listener | undefined
  let left: () => void = () => {}
  const ended = new Promise<void>((resolve) => {
    left = resolve
  })
  let closing: Promise<void> | undefined

  async function shutDown(): Promise<void> {
    await modern.close()
    audience.close()
    await listener?.close()
    await authorizers?.close()
    await Promise.all([upstreams.close(), keeper.close()])
    await engine.close()
  }

  return {
    ended,
    async start() {
      const access = await accessOf(settings, logger, now)
      listener = await serve({
        transport: settings.transport,
        host: settings.host,
        port: settings.port,
        input: parts.input ?? process.stdin,
        output: parts.output ?? process.stdout,
        maxMessageBytes: MAX_MESSAGE_BYTES,
        maxSessions: settings.maxTotalAgents,
        sessionIdleMs: SESSION_IDLE_MS,
        backend,
        modern,
        now,
        ...access,
      })
      void listener.ended.then(left)
      if (closing !== undefined) await listener.close()
      return listener.url === undefined ? {} : { url: listener.url }
    },
    async check() {
      await upstreams.open()
      return upstreams.status()
    },
    status: () => upstreams.status(),
    savings: () => ledger.report(),
    signOut: async (server) => (await authorizers?.signOut(server)) ?? 'nothing kept',
    close() {
      closing ??= shutDown()
      return closing
    },
  }
}

/** Who may connect. Over standard input and output there is one client, which started the proxy. */
async function accessOf(
  settings: Config['settings'],
  logger: Logger,
  now: () => number,
): Promise<Partial<Access>> {
  if (settings.transport === 'stdio') return {}
  const { openAccess } = await import('./downstream/auth/open.ts')
  return openAccess({ settings, logger, now })
}

async function openKeeper(
  config: Config,
  engine: Engine,
  logger: Logger,
  now: () => number,
): Promise<Keeper> {
  const { settings } = config
  const disk =
    settings.cacheDiskMaxBytes === 0
      ? undefined
      : await createDiskStore({
          directory: join(settings.dataDir, 'results'),
          maxBytes: settings.cacheDiskMaxBytes,
          maxAge: settings.cacheDiskMaxAgeSeconds * 1000,
          now,
        })
  return createKeeper({
    ...KEEPER_DEFAULTS,
    memory: createMemoryStore(),
    ...(disk && { disk }),
    ttl: settings.cacheTTLSeconds * 1000,
    maxEntriesPerAgent: settings.maxEntriesPerAgent,
    maxBytesPerAgent: settings.maxMemoryPerAgent,
    maxAgents: settings.maxTotalAgents,
    isolation: settings.enableAgentIsolation,
    maxEntries: settings.cacheMaxEntries,
    now,
    onDrop: ({ hash }) => engine.forget(hash),
    onError: (error) => logger.error({ err: error }, 'a kept result could not be stored'),
  })
}

function openUpstreams(
  config: Config,
  {
    audience,
    book,
    authorizers,
  }: { audience: Audience; book: AddressBook; authorizers: Authorizers | undefined },
  logger: Logger,
  now: () => number,
): Upstreams {
  const { settings } = config
  const limit = Math.min(settings.maxResponseSize, settings.maxResponseTokens ?? Number.POSITIVE_INFINITY)
  return createUpstreams({
    servers: Object.fromEntries(config.servers.map((server) => [server.name, toServerOptions(server)])),
    defaults: {
      timeoutMs: settings.connect.callTimeoutMs,
      connectTimeoutMs: settings.connect.timeoutMs,
      lazy: settings.connect.lazy,
      ...(settings.connect.idleMs !== undefined && { idleMs: settings.connect.idleMs }),
      // What is not longer than the limit in bytes cannot exceed it in characters, so it is parsed and passes.
      largeBytes: limit,
      maxMessageBytes: MAX_MESSAGE_BYTES,
    },
    identity: identityOf(config),
    clientInfo: { name: PROXY_NAME, version: packageVersion() },
    events: {
      changed: (_server, kind, concerns) =>
        audience.announce(kind === 'resourceTemplates' ? 'resources' : kind, concerns),
      notification: (server, notification, client) =>
        audience.notify(notification, client, (receiver) =>
          book.notification(server, notification, receiver),
        ),
    },
    logger,
    dataDir: settings.dataDir,
    now,
    authorizer: (server) => authorizers?.for(server),
  })
}

/** Loaded only where there is a server with an address. */
async function openAuthorizers(
  { servers, settings }: Config,
  parts: SignInParts = {},
  logger: Logger,
  now: () => number,
): Promise<Authorizers | undefined> {
  const {
    dataDir = settings.dataDir,
    environment = process.env,
    platform = process.platform,
    ...rest
  } = parts
  const remote = servers.filter((server) => server.transport !== 'stdio')
  if (remote.length === 0) return undefined
  const { createAuthorizers } = await import('./upstream/oauth/authorizers.ts')
  return createAuthorizers({
    servers: remote,
    logger,
    now,
    connectTimeoutMs: settings.connect.timeoutMs,
    open: settings.oauth.open,
    dataDir,
    environment,
    platform,
    ...rest,
  })
}

function toServerOptions(server: ServerConfig): ServerOptions {
  const { instance, callTimeoutMs: timeoutMs } = server
  if (server.transport === 'stdio') {
    const { command, args, env, cwd } = server
    return { command, args, env, cwd, instance, timeoutMs }
  }
  const { url, headers, transport } = server
  return { url, headers, instance, timeoutMs, ...(transport !== 'auto' && { type: transport }) }
}

interface Wired {
  engine: Engine
  keeper: Keeper
  ledger: Ledger
  upstreams: Upstreams
  book: AddressBook
  logger: Logger
  middlewares: readonly Middleware[]
}

/** client → account → the embedder's layers → shape → router. Listing and calling take the same way. */
function wire(config: Config, parts: Wired): Handler {
  const { settings } = config
  const { engine, keeper, ledger, upstreams, book, logger, middlewares } = parts
  const tools = createProxyTools({
    engine,
    keeper,
    call: (exchange: Exchange): Promise<Result> => handler(exchange),
    ownTools: PROXY_TOOL_NAMES,
    budget: settings.maxResponseSize,
  })
  const layers = [
    createAccount({ ledger, ownTools: PROXY_TOOL_NAMES, instructions: INSTRUCTIONS }),
    ...middlewares,
    createShape({
      engine,
      keeper,
      logger,
      enabled: settings.enableAutoTruncation,
      exempt: PROXY_TOOL_NAMES,
      limits: {
        maxResponseSize: settings.maxResponseSize,
        maxErrorSize: settings.maxErrorSize,
        previewSize: Math.min(settings.previewSize, settings.maxResponseSize),
        ...(settings.maxResponseTokens !== undefined && { maxResponseTokens: settings.maxResponseTokens }),
        ...(settings.truncationMessage !== undefined && { truncationMessage: settings.truncationMessage }),
      },
    }),
  ]
  const handler = compose(layers, createRouter({ upstreams, tools, naming: settings.naming, book }))
  return handler
}

interface BackendParts {
  upstreams: Upstreams
  audience: Audience
  engine: Engine
  keeper: Keeper
  logger: Logger
  identity: string
}

function createBackend(
  handler: Handler,
  { upstreams, audience, engine, keeper, logger, identity }: BackendParts,
): Backend {
  const serverInfo = { name: PROXY_NAME, title: 'MCP RLM Proxy', version: packageVersion() }
  const opening = new Map<Client, NodeJS.Immediate>()
  const capabilities = (): JsonObject =>
    joinCapabilities(upstreams.servers.map((server) => upstreams.known(server)))
  return {
    handler,
    logger,
    identity,
    describe(via = []) {
      const known = upstreams.servers.map((server) => ({ server, initialize: upstreams.known(server) }))
      return {
        capabilities: capabilities(),
        serverInfo,
        instructions: joinInstructions(
          via.length === 0,
          known.flatMap(({ server, initialize }) => instructionsOf(server, initialize)),
        ),
      }
    },
    opened(client) {
      // A client of the modern era is told what it listens for, once it does.
      if (client.era === 'legacy') audience.add(client, hearsOf(capabilities()))
      // Starting processes holds up the event loop: the answer to the handshake goes out first.
      const later = setImmediate(() => {
        opening.delete(client)
        void upstreams.open(client)
        engine.warm()
      })
      opening.set(client, later)
    },
    closed(client) {
      clearImmediate(opening.get(client))
      opening.delete(client)
      audience.remove(client)
      void upstreams.release(client)
      if (client.agent.kind !== 'session') return
      // Nobody has this id again: what it keeps could only take up room.
      keeper.forgetAgent(client.agent).catch((error: unknown) => {
        logger.error({ err: error }, 'what a session kept could not be removed')
      })
    },
    notified: (client, notification) => upstreams.broadcast(notification, client),
  }
}

function instructionsOf(
  server: string,
  initialize: JsonObject | undefined,
): { server: string; instructions: string }[] {
  const instructions = isObject(initialize) ? initialize.instructions : undefined
  return typeof instructions === 'string' && instructions !== '' ? [{ server, instructions }] : []
}
