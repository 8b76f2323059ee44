/** The composition root: from a configuration to a running gateway. The one place where everything is wired. */

import { identityOf } from './config/identity.ts'
import { isLocal } from './config/loopback.ts'
import type { Config } from './config/schema.ts'
import { availableMb, memoryPlan } from './engine/memory.ts'
import { createEngine, ENGINE_DEFAULTS } from './engine/pool.ts'
import {
  accessOf,
  askThrough,
  createBackend,
  createDepartures,
  notifyThrough,
  tellThrough,
} from './gateway/backend.ts'
import type { Gateway, GatewayParts } from './gateway/contract.ts'
import { openCourier } from './gateway/courier.ts'
import { openExposure } from './gateway/exposure.ts'
import { openListChangedCommand } from './gateway/list-changed-command.ts'
import { openModules } from './gateway/modules.ts'
import { createMounting } from './gateway/mounting.ts'
import { createOnion, describeLayers } from './gateway/onion.ts'
import { openBuckets, openMaps, openReplicas, openSeal } from './gateway/replicas.ts'
import { openResultStore } from './gateway/result-store.ts'
import { openServerSessions } from './gateway/server-sessions.ts'
import {
  liveSettings,
  openSignIn,
  openUpstreams,
  permitsOf,
  serverOptionsOf,
  unmatchedTools,
  withInProcessServers,
} from './gateway/servers.ts'
import { createStack } from './module-runtime/stack.ts'
import { silentLogger, steadyClock } from './observe/log.ts'
import { createLedger } from './observe/savings.ts'
import { embedded } from './protocol/embedding.ts'
import { calledNameIn, PROXY_TOOL_NAMES } from './proxy/own-tools.ts'
import { createAddressBook } from './proxy/resources.ts'
import { createServerQuotas } from './proxy/router.ts'
import type { ToolIndexEvents } from './proxy/tool-index.ts'
import { createAudience } from './server/audience.ts'
import { createLeaving } from './server/leaving.ts'
import { createModernService } from './server/modern.ts'
import { acrossReplicas } from './server/parked.ts'
import { type Listener, serve } from './server/serve.ts'

export type * from './gateway/contract.ts'

const SESSION_IDLE_MS = 30 * 60_000

/** Rejects with ProxyError what a configuration asks for and cannot be had. Nothing is listened on before `start`. */
export async function createGateway(written: Config, parts: GatewayParts = {}): Promise<Gateway> {
  const config = await withInProcessServers(written, parts.servers)
  const { settings } = config
  const { logger: told = silentLogger, now = Date.now, elapsed = steadyClock } = parts
  const live = liveSettings(config)
  const watched = settings.console.enabled
    ? (await import('./features/console/index.ts')).openConsole(config, { now })
    : undefined
  const logger = watched?.noting(told) ?? told

  // The kept results, and their savings.
  const memory = memoryPlan(settings.memoryMb ?? availableMb())
  const { workers, heapMb, workerMb } = memory
  const engine = createEngine({
    ...ENGINE_DEFAULTS,
    workers,
    heapMb,
    workerMb,
    queryTimeout: settings.queryTimeoutMs,
  })
  const ledger = createLedger({ countTokens: (texts) => engine.countTokens(texts), now })
  const { resultStore, shared: values } = await openResultStore(config, engine, logger, now, memory.keptBytes)

  // A local client is of this machine: it shares nothing but what it keeps.
  const shared = isLocal(settings.transport) ? undefined : values
  const buckets = openBuckets(shared, logger, now, elapsed)
  const maps = await openMaps(settings, shared, logger)
  const sharedSavings =
    maps &&
    (await import('./observe/shared-savings.ts')).shareSavings({ map: maps('savings'), ledger, logger })

  // Clients and servers, with the place of the modules between them.
  const stack = createStack()
  const audience = createAudience(tellThrough(stack))
  const book = createAddressBook()
  const signIn = await openSignIn(config, parts.signIn, logger, now, maps)
  const upstreams = openUpstreams(config, {
    audience,
    book,
    authorizer: signIn.for,
    logger,
    now: elapsed,
    maxMessageBytes: memory.messageBytes,
    arriving: settings.enableAutoTruncation ? engine.arriving : undefined,
    reach: stack.reach,
    sessions: await openServerSessions(settings, shared, logger, now),
    ask: askThrough(stack),
  })
  const quotas = createServerQuotas(buckets)
  quotas.configure(config.servers)

  // The layers around an exchange: modules, features that the settings ask for, and the features that are always there.
  const modules = await openModules(config, stack, {
    engine,
    logger,
    now,
    elapsed,
    definitions: parts.modules ?? [],
    buckets,
    maps,
    ownTools: PROXY_TOOL_NAMES,
    listsAll: (client) =>
      upstreams.serversFor(client).length === upstreams.servers.length &&
      upstreams.status().every(({ lastError }) => lastError === undefined),
    listsChanged: () => {
      for (const list of ['tools', 'prompts', 'resources'] as const) audience.announce(list, () => true)
    },
  })
  const departures = createDepartures()
  const events: ToolIndexEvents = {
    servers: (client) => upstreams.serversFor(client),
    left: departures.listen,
    toolsChanged: (heard) => audience.listen((list) => list === 'tools' && heard()),
  }
  const outputTypes =
    settings.outputTypes.learn === 'off'
      ? undefined
      : (await import('./features/output-types/index.ts')).openOutputTypes(config, logger)
  const exposure = await openExposure(config, {
    engine,
    resultStore,
    upstreams,
    logger,
    now,
    elapsed,
    events,
    outputTypes: outputTypes?.of,
    toolsChanged: (client) => audience.announce('tools', (other) => other.agent.id === client.agent.id),
  })
  // A client over standard input alone has nowhere to read metrics.
  const hasListener = settings.transport !== 'stdio' || settings.bridge.enabled
  const metrics = hasListener
    ? (await import('./features/metrics/index.ts')).createMetrics({
        ledger,
        resultStore,
        shared: values,
        engine,
        elapsed,
        calledName: calledNameIn(settings),
      })
    : undefined
  const resultCache =
    settings.toolCache.ttlMs === 0
      ? undefined
      : (await import('./features/result-cache/index.ts')).openResultCache(config, audience, elapsed, shared)
  const telemetry = settings.telemetry.enabled
    ? await (await import('./features/telemetry/index.ts')).openTelemetry(config, { logger, elapsed })
    : undefined
  const openCode = settings.code.enabled ? (await import('./features/code/index.ts')).openCode : undefined
  const codeParts = {
    outputTypes: outputTypes?.of,
    engine,
    resultStore,
    ledger,
    logger,
    events,
    now,
    elapsed,
  }
  const code = openCode?.(config, codeParts)
  const onion = createOnion({
    settings,
    engine,
    resultStore,
    ledger,
    logger,
    elapsed,
    instructions: exposure.instructions,
    live,
    upstreams,
    book,
    quotas: quotas.take,
    exposure: exposure.layers,
    middlewares: (parts.middlewares ?? []).map(embedded),
    modules: stack,
    changes: audience.changes,
    resultCache,
    outputTypes: outputTypes?.layer,
    code: code?.tool,
    count: metrics?.layer,
    watch: watched?.layer,
  })

  // How clients and scripts are served.
  const leaving = createLeaving(elapsed)
  const { handler } = onion.clients
  const served = createBackend(hasListener ? leaving.counting(handler) : handler, {
    upstreams,
    audience,
    engine,
    resultStore,
    logger,
    identity: identityOf(config),
    instructions: exposure.instructions,
    toolsChange: exposure.toolsChange,
    left: departures.announce,
    described: stack.describe,
    reaches: stack.reaches,
    notified: notifyThrough(stack, upstreams),
  })
  const backend = [metrics, watched, telemetry].reduce(
    (inner, outer) => outer?.watching(inner) ?? inner,
    served,
  )
  const alone = createModernService({
    backend,
    lists: onion.clients.lists,
    audience,
    now: elapsed,
    limits: settings.limits,
  })
  const courier = await openCourier(settings, shared, logger)
  const modern = courier ? acrossReplicas(alone, courier) : alone
  const programs = once(onion.programs)
  const tellMetrics = metrics && (() => metrics.text(upstreams))
  const bridge = settings.bridge.enabled
    ? (await import('./features/scripts/index.ts')).openBridge(config, {
        onion: programs(),
        backend,
        engine,
        resultStore,
        upstreams,
        servers: () => live.config.servers.filter(({ name }) => stack.reaches(name, undefined)),
        metrics: tellMetrics,
        logger,
        now,
        elapsed,
      })
    : undefined
  /** The parts that all ways of serving get. */
  const clients = {
    maxMessageBytes: memory.messageBytes,
    maxSessions: settings.maxTotalAgents,
    limits: { ...settings.limits, bodyBytes: Math.min(settings.limits.bodyBytes, memory.bodyBytes) },
    sessionIdleMs: SESSION_IDLE_MS,
    backend,
    modern,
    now,
    elapsed,
    leaving,
    seal: await openSeal(settings, now),
    replicas: await openReplicas(settings, shared, logger, now),
    metrics: tellMetrics,
    profiles: () => live.profiles,
  }
  const page = watched?.serve({
    clients,
    live: () => live.config,
    engine,
    resultStore,
    ledger,
    sharedSavings,
    upstreams,
    questions: onion.questions,
    programs: openCode && ((store) => openCode(config, { ...codeParts, resultStore: store })),
    async tools() {
      const { toolsOfServers } = await import('./gateway/profile-status.ts')
      return toolsOfServers(programs().handler, upstreams)
    },
    layers: () => describeLayers(onion.layers(), modules.status(), live.config),
    modules: modules.status,
    signOut: signIn.signOut,
    outputTypes: outputTypes?.of ?? (() => []),
    resultSettings: (server, tool) => live.resultSettings(server, tool) ?? {},
    listChanged: (heard) => audience.listen(heard),
    host: parts.console,
    logger,
    now,
    elapsed,
  })
  const endpoints = [bridge?.endpoint, page?.endpoint].filter((one) => one !== undefined)
  const serving = { ...clients, endpoints }
  const mounting = createMounting(settings, serving, logger, now)
  const command = openListChangedCommand(settings, logger)
  if (command) audience.listen((list) => list === 'tools' && command.run())

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
    await mounting.close()
    audience.close()
    command?.close()
    await Promise.all([listener?.close(), bridge?.close(), page?.close()])
    await signIn.close()
    await sharedSavings?.close()
    await Promise.all([
      upstreams.close(),
      resultStore.close(),
      exposure.close(),
      code?.close(),
      outputTypes?.close(),
      modules.close(),
      telemetry?.close(),
      reporting,
    ])
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
        socket:
          parts.socket === undefined
            ? undefined
            : {
                path: parts.socket,
                lingerMs: settings.lingerSeconds * 1000,
                status: () => ({ servers: JSON.parse(JSON.stringify(upstreams.status())) }),
              },
        ...serving,
        ...access,
      })
      void listener.ended.then(left)
      const { url } = listener
      const [script, shown] = [await bridge?.start(url), await page?.start(url)]
      if (closing !== undefined) await Promise.all([listener.close(), bridge?.close(), page?.close()])
      return {
        ...(url !== undefined && { url }),
        ...(script !== undefined && { bridge: script }),
        ...(shown !== undefined && { console: shown }),
      }
    },
    connect: mounting.connect,
    fetch: mounting.fetch,
    node: mounting.node,
    async check() {
      await upstreams.open()
      return upstreams.status()
    },
    status: () => upstreams.status(),
    modules: modules.status,
    layers: () => describeLayers(onion.layers(), modules.status(), live.config),
    async profiles() {
      if (live.profiles.length === 0) return []
      const { profileStatuses } = await import('./gateway/profile-status.ts')
      return profileStatuses(live.profiles, programs().handler, upstreams)
    },
    async unmatched() {
      const { visitAll } = await import('./gateway/profile-status.ts')
      const listed = new Map<string, readonly string[]>()
      await visitAll(live.profiles, programs().handler, upstreams, async (client) => {
        await modules.unmatched()
        // Includes the tools that may not be used.
        const lists = await upstreams.list('tools', client, new AbortController().signal, { hidden: true })
        for (const { server, items } of lists)
          listed.set(
            server,
            items.map(({ name }) => String(name)),
          )
      })
      return [...(await modules.unmatched()), ...unmatchedTools(live.config, listed)]
    },
    async definitions() {
      const { definitionsOfServers } = await import('./gateway/profile-status.ts')
      return definitionsOfServers(programs().handler, upstreams)
    },
    checkModules: modules.check,
    savings() {
      const report = ledger.report()
      reporting = report
      return report
    },
    savingsOfReplicas: async () => sharedSavings?.others(),
    async reconfigure(changed) {
      const next = await withInProcessServers(changed, parts.servers)
      await modules.configure(next)
      await signIn.configure(next.servers)
      quotas.configure(next.servers)
      const done = upstreams.configure(serverOptionsOf(next), permitsOf(next))
      exposure.configure(next)
      // Which tools may be used, and how they are listed, is no part of what a server is: only this tells clients of it.
      if (live.take(next)) audience.announce('tools', () => true)
      return done
    },
    mark: async (handle, mark) => (await resultStore.mark({ id: 'local' }, handle, mark)) !== undefined,
    signOut: signIn.signOut,
    async drain() {
      const { noticeSeconds, callSeconds } = settings.drain
      const running = await leaving.leave({
        noticeMs: noticeSeconds * 1000,
        callMs: callSeconds * 1000,
        stopListening: () => listener?.stopListening?.(),
      })
      if (running > 0) logger.warn({ running }, 'calls are ended: their time is over (drain.callSeconds)')
    },
    close() {
      closing ??= shutDown()
      return closing
    },
  }
}

/** The same each time, made when it is first asked for. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
