/** The composition root: from a configuration to a running gateway. The one place where everything is wired. */
import { identityOf } from './config/identity.ts'
import { profilesOf } from './config/profiles.ts'
import type { Config } from './config/schema.ts'
import { createEngine, ENGINE_DEFAULTS } from './engine/pool.ts'
import { accessOf, createBackend } from './gateway/backend.ts'
import { openExposure } from './gateway/exposure.ts'
import type { Gateway, GatewayParts } from './gateway/gateway-types.ts'
import { withInProcessServers } from './gateway/in-process-servers.ts'
import { openKeeper } from './gateway/keeper.ts'
import { openListChangedCommand } from './gateway/list-changed-command.ts'
import { openModules } from './gateway/modules.ts'
import { createOnion, describeLayers } from './gateway/onion.ts'
import {
  keepsStructuredOf,
  openSignIn,
  openUpstreams,
  permitsOf,
  serverOptionsOf,
  toolListsOf,
  unmatchedTools,
  withToolFilter,
} from './gateway/servers.ts'
import { silentLogger } from './observe/log.ts'
import { createLedger } from './observe/savings.ts'
import { RPC, RpcError } from './protocol/errors.ts'
import type { Client, Handler } from './protocol/exchange.ts'
import { PROXY_TOOL_NAMES } from './proxy/own-tools.ts'
import { createServerQuotas } from './proxy/quotas.ts'
import { createAddressBook } from './proxy/uris.ts'
import { createAudience } from './server/audience.ts'
import { createModernService } from './server/modern.ts'
import { type Listener, serve } from './server/serve.ts'

export type { Gateway, GatewayParts } from './gateway/gateway-types.ts'
export type { ModuleStatus, UnmatchedPattern } from './gateway/modules.ts'
export type { LayerStatus } from './gateway/onion.ts'
export type { ProfileStatus } from './gateway/profile-status.ts'
export type { SignInParts, UnmatchedTool } from './gateway/servers.ts'
export type { Reconfigured } from './upstream/contract.ts'

/** Longest message taken from a client or a server, in bytes. */
const MAX_MESSAGE_BYTES = 256 * 1024 * 1024
const SESSION_IDLE_MS = 30 * 60_000

const steady = (): number => Math.floor(performance.now())

/** Rejects with ProxyError what a configuration asks for and cannot be had. Nothing is listened on before `start`. */
export async function createGateway(written: Config, parts: GatewayParts = {}): Promise<Gateway> {
  const config = await withInProcessServers(written, parts.servers)
  const { settings } = config
  const { logger = silentLogger, now = Date.now, elapsed = steady } = parts
  const engine = createEngine({ ...ENGINE_DEFAULTS, queryTimeout: settings.queryTimeoutMs })
  const ledger = createLedger({ countTokens: (texts) => engine.countTokens(texts), now })
  const keeper = await openKeeper(config, engine, logger, now)
  const modules = await openModules(config, {
    engine,
    logger,
    now,
    elapsed,
    definitions: parts.modules ?? [],
    ownTools: PROXY_TOOL_NAMES,
    listsAll: (client) =>
      upstreams.serversFor(client).length === upstreams.servers.length &&
      upstreams.status().every(({ lastError }) => lastError === undefined),
    listsChanged: () => {
      for (const list of ['tools', 'prompts', 'resources'] as const) audience.announce(list, () => true)
    },
  })
  const { stack } = modules
  const audience = createAudience((client, notification, server) => {
    if (server !== undefined && !stack.reaches(server, client.profile)) return
    void stack.notify({ ...notification, toward: 'client', client, server }, ({ method, params }) =>
      client.notify(params === undefined ? { method } : { method, params }),
    )
  })
  const book = createAddressBook()
  const signIn = await openSignIn(config, parts.signIn, logger, now)
  const quotas = createServerQuotas(elapsed)
  quotas.configure(config.servers)
  const opened = openUpstreams(config, {
    audience,
    book,
    authorizer: signIn.for,
    logger,
    now: elapsed,
    maxMessageBytes: MAX_MESSAGE_BYTES,
    arriving: settings.enableAutoTruncation ? engine.arriving : undefined,
    reached: (servers, { profile }) => stack.reached(servers, profile),
    ask: async (server, client, request, signal) => {
      if (!stack.reaches(server, client.profile))
        throw new RpcError(RPC.methodNotFound, `Method not found: ${request.method}`)
      return stack.ask(
        { request, client, agent: client.agent, signal, server, notify: client.notify },
        (asked, until) => client.ask(asked, until),
      )
    },
  })
  const upstreams = withToolFilter(opened, permitsOf(config))
  let toolLists = toolListsOf(config)
  let keepsStructured = keepsStructuredOf(config)
  const command = openListChangedCommand(settings, logger)
  if (command) audience.listen((list) => list === 'tools' && command.run())
  const leaving: ((client: Client) => void)[] = []
  const exposure = await openExposure(config, {
    engine,
    keeper,
    upstreams,
    logger,
    now,
    elapsed,
    events: {
      servers: (client) => upstreams.serversFor(client),
      left: (heard) => leaving.push(heard),
      toolsChanged: (heard) => audience.listen((list) => list === 'tools' && heard()),
    },
    toolsChanged: (client) => audience.announce('tools', (other) => other.agent.id === client.agent.id),
  })
  const { bridge: bridgeOptions, transport } = settings
  // Whoever speaks over standard input alone has nowhere to read them.
  const watched = transport !== 'stdio' || bridgeOptions.enabled
  const metrics = watched
    ? (await import('./features/metrics/index.ts')).createMetrics({ ledger, keeper, elapsed })
    : undefined
  const { handler, plain, layers, lists } = createOnion(config, {
    engine,
    keeper,
    ledger,
    upstreams,
    book,
    logger,
    elapsed,
    quotas: quotas.take,
    keepsStructured: (server, tool) => keepsStructured(server, tool),
    exposure: exposure.layers,
    instructions: exposure.instructions,
    middlewares: parts.middlewares ?? [],
    modules: stack,
    changes: audience.changes,
    resultCache:
      settings.toolCache.ttlMs === 0
        ? undefined
        : (await import('./features/result-cache/index.ts')).openResultCache(config, audience, elapsed),
    count: metrics?.layer,
  })
  const backend = createBackend(handler, {
    upstreams,
    audience,
    engine,
    keeper,
    logger,
    identity: identityOf(config),
    instructions: exposure.instructions,
    toolsChange: exposure.toolsChange,
    left(client) {
      for (const heard of leaving) heard(client)
    },
    described: stack.describe,
    reached: stack.reached,
    notified: (client, notification) => {
      void stack.notify({ ...notification, toward: 'server', client }, ({ method, params }) =>
        upstreams.broadcast(params === undefined ? { method } : { method, params }, client),
      )
    },
  })
  const modern = createModernService({ backend, audience, now: elapsed })
  let current: Pick<Config, 'settings' | 'servers'> = config
  let profiles = profilesOf(config.modules)
  let program: Handler | undefined
  const plainly = (): Handler => {
    program ??= plain()
    return program
  }
  const tellMetrics = metrics && (() => metrics.text(upstreams))
  const bridge = bridgeOptions.enabled
    ? (await import('./features/scripts/index.ts')).openBridge(config, {
        handler: plainly(),
        lists,
        backend,
        engine,
        keeper,
        upstreams,
        servers: () => current.servers.filter(({ name }) => stack.reaches(name, undefined)),
        metrics: tellMetrics,
        logger,
        now,
        elapsed,
      })
    : undefined

  let listener: Listener | undefined
  let left: () => void = () => {}
  const ended = new Promise<void>((resolve) => {
    left = resolve
  })
  let closing: Promise<void> | undefined
  /** Workers count for the last report that was asked for. */
  let reporting: Promise<unknown> | undefined

  async function shutDown(): Promise<void> {
    await modern.close()
    audience.close()
    command?.close()
    await Promise.all([listener?.close(), bridge?.close()])
    await signIn.close()
    await Promise.all([upstreams.close(), keeper.close(), exposure.close(), modules.close(), reporting])
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
        elapsed,
        bridge: bridge?.endpoint,
        metrics: tellMetrics,
        profiles: () => profiles,
        ...access,
      })
      void listener.ended.then(left)
      const { url } = listener
      const script = await bridge?.start(url)
      if (closing !== undefined) await Promise.all([listener.close(), bridge?.close()])
      return { ...(url !== undefined && { url }), ...(script !== undefined && { bridge: script }) }
    },
    async check() {
      await upstreams.open()
      return upstreams.status()
    },
    status: () => upstreams.status(),
    modules: modules.status,
    layers: () => describeLayers(layers(), modules.status(), current),
    async profiles() {
      if (profiles.length === 0) return []
      const { profileStatuses } = await import('./gateway/profile-status.ts')
      return profileStatuses(profiles, plainly(), upstreams)
    },
    async unmatched() {
      const { visitAll } = await import('./gateway/profile-status.ts')
      const listed = new Map<string, readonly string[]>()
      await visitAll(profiles, plainly(), upstreams, async (client) => {
        await modules.unmatched()
        // With those that may not be used.
        for (const { server, items } of await opened.list('tools', client, new AbortController().signal))
          listed.set(
            server,
            items.map(({ name }) => String(name)),
          )
      })
      return [...(await modules.unmatched()), ...unmatchedTools(current, listed)]
    },
    async definitions() {
      const { definitionsOfServers } = await import('./gateway/profile-status.ts')
      return definitionsOfServers(plainly(), upstreams)
    },
    checkModules: modules.check,
    savings() {
      const report = ledger.report()
      reporting = report
      return report
    },
    async reconfigure(changed) {
      const next = await withInProcessServers(changed, parts.servers)
      await modules.configure(next)
      profiles = profilesOf(next.modules)
      await signIn.configure(next.servers)
      quotas.configure(next.servers)
      const done = upstreams.configure(serverOptionsOf(next))
      upstreams.permit(permitsOf(next))
      keepsStructured = keepsStructuredOf(next)
      // Which tools may be used, and how they are listed, is no part of what a server is: nobody else tells of it.
      if (toolListsOf(next) !== toolLists) audience.announce('tools', () => true)
      toolLists = toolListsOf(next)
      exposure.configure(next)
      // All other settings stay what they were.
      current = { settings, servers: next.servers }
      return done
    },
    signOut: signIn.signOut,
    close() {
      closing ??= shutDown()
      return closing
    },
  }
}
