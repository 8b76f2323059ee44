/** The servers of the configuration, and what is done with what they say unasked. */
import { identityOf, packageVersion } from '../config/identity.ts'
import { type Profile, profilesOf } from '../config/profiles.ts'
import type { Config } from '../config/schema.ts'
import type { ServerConfig } from '../config/servers.ts'
import type { Logger } from '../observe/log.ts'
import { PROXY_NAME } from '../protocol/chain.ts'
import { ProxyError } from '../protocol/errors.ts'
import type { Client, Reach } from '../protocol/exchange.ts'
import type { OpenSharedMap } from '../protocol/shared-map.ts'
import type { ResultSettingsOf } from '../proxy/feature.ts'
import type { AddressBook } from '../proxy/resources.ts'
import type { Audience } from '../server/audience.ts'
import { fitsGlob } from '../text/patterns/glob.ts'
import type { Permits, UpstreamEvents, Upstreams } from '../upstream/contract.ts'
import type { ServerOptions } from '../upstream/dial.ts'
import type { Serve } from '../upstream/in-process.ts'
import type { Arriving } from '../upstream/incoming.ts'
import type { Authorizers, ProtectedServer, SignedOut } from '../upstream/oauth/authorizer.ts'
import { createUpstreams } from '../upstream/pool.ts'
import type { SharedSessions } from '../upstream/shared-session.ts'
import type { Authorizer } from '../upstream/transport.ts'
import type { SignInParts, UnmatchedTool } from './contract.ts'
import { resultSettingsOf } from './result-settings.ts'

interface ServersParts {
  audience: Audience
  book: AddressBook
  /** The sign-in at a server; undefined: none. */
  authorizer(server: string): Authorizer | undefined
  logger: Logger
  /** Milliseconds by a monotonic clock. */
  now(): number
  /** Longest message taken from a server, in bytes. */
  maxMessageBytes: number
  /** Told of long responses while they come. */
  arriving: Arriving | undefined
  /** Which servers are there for a client. */
  reach: Reach
  /** The sessions at HTTP servers that other replicas know. */
  sessions: SharedSessions | undefined
  /** Asks a client that no request under way belongs to. */
  ask: NonNullable<UpstreamEvents['ask']>
}

export function openUpstreams(config: Config, parts: ServersParts): Upstreams {
  const { audience, book, authorizer, logger, now, maxMessageBytes } = parts
  const { settings } = config
  const limit = Math.min(settings.maxResponseSize, settings.maxResponseTokens ?? Number.POSITIVE_INFINITY)
  const isReached = (server: string, client: Client): boolean =>
    parts.reach.limits.every((limit) => limit(server, client.profile))
  return createUpstreams({
    servers: serverOptionsOf(config),
    defaults: {
      listWaitMs: settings.connect.listWaitMs,
      idleMs: settings.connect.idleMs,
      // A message that is not longer than the limit in bytes cannot exceed it in characters, so it is parsed and passes.
      largeBytes: limit,
      maxMessageBytes,
      limits: settings.limits,
    },
    identity: identityOf(config),
    clientInfo: { name: PROXY_NAME, version: packageVersion() },
    events: {
      changed: (server, kind, concerns) =>
        audience.announce(
          kind === 'resourceTemplates' ? 'resources' : kind,
          (client) => concerns(client) && isReached(server, client),
        ),
      notification: (server, notification, client) =>
        audience.notify(notification, {
          client,
          server,
          as: (receiver) => book.notification(server, notification, receiver),
        }),
      ask: parts.ask,
    },
    logger,
    arriving: parts.arriving,
    dataDir: settings.dataDir,
    now,
    sessions: parts.sessions,
    authorizer,
    reach: parts.reach,
    permits: permitsOf(config),
  })
}

/** By name. Everything that may change while the proxy runs. */
export function serverOptionsOf({
  servers,
  settings: { connect, transport },
}: Config): Record<string, ServerOptions> {
  const limits = { connectTimeoutMs: connect.timeoutMs, lazy: connect.lazy }
  // All clients of a socket are programs of one user.
  const instance = transport === 'socket' ? 'auto' : 'session'
  return Object.fromEntries(
    servers.map((server) => [server.name, { ...toServerOptions({ instance, ...server }), ...limits }]),
  )
}

function toServerOptions(server: ServerConfig): ServerOptions {
  const { instance, callTimeoutMs: timeoutMs } = server
  if (server.transport === 'stdio') {
    const { command, args, env, cwd } = server
    return { command, args, env, cwd, instance, timeoutMs }
  }
  if (server.transport === 'in-process') {
    const { id, serve } = server
    return { id: `in-process:${id}`, serve, instance, timeoutMs }
  }
  const { url, headers, transport, oauth } = server
  return { url, headers, instance, timeoutMs, oauth, ...(transport !== 'auto' && { type: transport }) }
}

// Which tools may be used, by the lists of each server and what is said for all.

interface ToolLists {
  readonly allow?: readonly string[] | undefined
  readonly deny?: readonly string[] | undefined
}

/** Undefined: there are no lists, and all may be used. A tool that both lists name is denied. */
export function permitsOf({ servers, settings }: Pick<Config, 'servers' | 'settings'>): Permits | undefined {
  const own = new Map(servers.flatMap(({ name, tools }) => (isSet(tools) ? [[name, tools]] : [])))
  const all = settings.dispatch
  if (own.size === 0 && !isSet(all)) return undefined
  const { separator } = settings.naming
  return (server, tool) => permits([tool], own.get(server)) && permits(namesFor(server, tool, separator), all)
}

/** As its server calls it, as `naming.rename` does, and as clients see it. */
function namesFor(server: string, tool: string, separator: string): string[] {
  return [tool, `${server}/${tool}`, `${server}${separator}${tool}`]
}

/** The names that fit none of these tools, by server. Of servers that are not among them nothing is said. */
export function unmatchedTools(
  { servers, settings }: Pick<Config, 'servers' | 'settings'>,
  listed: ReadonlyMap<string, readonly string[]>,
): UnmatchedTool[] {
  const { separator } = settings.naming
  const all = [...listed].flatMap(([server, tools]) =>
    tools.flatMap((tool) => namesFor(server, tool, separator)),
  )
  const missing = (
    option: string,
    patterns: readonly string[] = [],
    names: readonly string[] = all,
    server?: string,
  ): UnmatchedTool[] =>
    patterns
      .filter((pattern) => !names.some((name) => fitsGlob(name, pattern)))
      .map((pattern) => ({ option, pattern, ...(server !== undefined && { server }) }))
  return [
    ...servers.flatMap(({ name, tools = {}, results = {} }) => {
      const own = listed.get(name)
      if (own === undefined) return []
      return [
        ...(['allow', 'deny', 'structured'] as const).flatMap((list) =>
          missing(`tools.${list}`, tools[list], own, name),
        ),
        ...missing('results', Object.keys(results), own, name),
      ]
    }),
    ...(['allow', 'deny'] as const).flatMap((list) => missing(`dispatch.${list}`, settings.dispatch[list])),
    ...missing('results', Object.keys(settings.results)),
  ]
}

/** The same text for the same lists of the same servers that are listed. */
export function toolListsOf({ servers, settings }: Pick<Config, 'servers' | 'settings'>): string {
  const { allow, deny } = settings.dispatch
  return JSON.stringify([
    allow,
    deny,
    servers.flatMap(({ name, tools, exposure, structured, results }) =>
      tools || exposure || structured || results ? [[name, tools, exposure, structured, results]] : [],
    ),
  ])
}

function permits(names: readonly string[], lists: ToolLists = {}): boolean {
  const fits = (pattern: string): boolean => names.some((name) => fitsGlob(name, pattern))
  return (lists.allow === undefined || lists.allow.some(fits)) && !lists.deny?.some(fits)
}

function isSet(lists: ToolLists | undefined): lists is ToolLists {
  return lists?.allow !== undefined || lists?.deny !== undefined
}

// How the proxy signs in to servers.

/** Signs in at the servers of the configuration, whichever they are. */
interface SignIn {
  for(server: string): Authorizer | undefined
  signOut(server: string): Promise<SignedOut>
  configure(servers: readonly ServerConfig[]): Promise<void>
  close(): Promise<void>
}

/** Its modules are loaded with the first server that has an address. */
export async function openSignIn(
  { servers, settings }: Config,
  parts: SignInParts = {},
  logger: Logger,
  now: () => number,
  maps?: OpenSharedMap,
): Promise<SignIn> {
  const {
    dataDir = settings.dataDir,
    environment = process.env,
    platform = process.platform,
    ...rest
  } = parts
  let authorizers: Authorizers | undefined

  async function configure(all: readonly ServerConfig[]): Promise<void> {
    const remote = all.flatMap((server): ProtectedServer[] => ('url' in server ? [server] : []))
    if (authorizers !== undefined) return authorizers.configure(remote)
    if (remote.length === 0) return
    const { createAuthorizers } = await import('../upstream/oauth/authorizer.ts')
    authorizers = createAuthorizers({
      servers: remote,
      logger,
      now,
      connectTimeoutMs: settings.connect.timeoutMs,
      open: settings.oauth.open,
      dataDir,
      shared: maps?.('sign-ins'),
      environment,
      platform,
      ...rest,
    })
  }

  await configure(servers)
  return {
    for: (server) => authorizers?.for(server),
    signOut: async (server) => (await authorizers?.signOut(server)) ?? 'nothing kept',
    configure,
    close: async () => authorizers?.close(),
  }
}

// The parts of the configuration that change while the proxy runs.

export interface LiveSettings {
  readonly config: Pick<Config, 'settings' | 'servers'>
  /** The profiles that clients may choose by their path. */
  readonly profiles: readonly Profile[]
  readonly resultSettings: ResultSettingsOf
  /** This configuration from now on. True: which tools may be used, or how they are listed, is not what it was. */
  take(next: Config): boolean
}

export function liveSettings(start: Config): LiveSettings {
  let toolLists = toolListsOf(start)
  const live = {
    config: start as LiveSettings['config'],
    profiles: profilesOf(start.modules),
    resultSettings: resultSettingsOf(start),
    take(next: Config) {
      live.config = { settings: start.settings, servers: next.servers }
      live.profiles = profilesOf(next.modules)
      live.resultSettings = resultSettingsOf(live.config)
      const before = toolLists
      toolLists = toolListsOf(next)
      return toolLists !== before
    },
  }
  return live
}

// Servers of this process: those of the embedder, and the one for files. They come after those of the configuration.

const UTILS = 'utils'

/** Rejects with ProxyError CONFIG_INVALID when two servers have one name. */
export async function withInProcessServers(
  config: Config,
  embedded: Readonly<Record<string, Serve>> = {},
): Promise<Config> {
  const { settings } = config
  const all = Object.entries(embedded).map(([name, serve]) => ({ name, id: name, serve }))
  if (settings.utils.enabled) {
    const { utilsOf } = await import('../features/utils/index.ts')
    // One with another root is another server: a new configuration takes effect.
    all.push({
      name: UTILS,
      id: JSON.stringify([UTILS, settings.utils, settings.spill.allowDirs]),
      serve: utilsOf(settings),
    })
  }
  if (all.length === 0) return config
  const names = new Set(config.servers.map(({ name }) => name))
  const added = all.map(({ name, id, serve }): ServerConfig => {
    if (names.has(name))
      throw new ProxyError(
        'CONFIG_INVALID',
        `Two servers are called ${name}: one of the configuration, and one that is part of the proxy.`,
        'Rename the one in mcpServers.',
      )
    names.add(name)
    const { callTimeoutMs } = settings.connect
    return { name, transport: 'in-process', id, serve, instance: 'session', callTimeoutMs }
  })
  return { ...config, servers: [...config.servers, ...added] }
}
