/**
 * All servers, as the router sees them: which ones exist, and for which clients. Requests go on through sessions, lists come from the
 * catalogue.
 */
import type { Result } from '../protocol/content.ts'
import { cancelled, messageOf, ProxyError, RPC, RpcError } from '../protocol/errors.ts'
import type { Client, Exchange } from '../protocol/exchange.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Notification, Request, Signal } from '../protocol/message.ts'
import { unlessAborted } from '../protocol/sharing.ts'
import { timing } from '../protocol/timing.ts'
import { LogLevels } from './bridges/legacy-client.ts'
import { createModernClients, type ModernClients } from './bridges/modern-client.ts'
import { Catalogue, ToolFilter } from './catalogue.ts'
import { isCommon, ownerOf, statefulTool } from './company.ts'
import type { Connection } from './connection.ts'
import { Connections } from './connections.ts'
import {
  type CompleteOptions,
  type ConnectionState,
  complete,
  LIST_KINDS,
  type ListKind,
  type Permits,
  type Reconfigured,
  type ServerList,
  type ServerStatus,
  type Upstreams,
  type UpstreamsOptions,
} from './contract.ts'
import { concealFor, type ServerOptions, transportOf } from './dial.ts'
import { isTimeout } from './errors.ts'
import { processFolder, sweepProcesses } from './left-behind.ts'
import { Memory } from './memory.ts'
import { type Server, serversOf } from './servers.ts'
import { Sessions } from './session.ts'

/** Connections to all configured servers. Nothing starts before `open`, `list` or `request`. */
export function createUpstreams(options: UpstreamsOptions): Upstreams {
  return new Pool(complete(options))
}

/** The failure, to be told to clients and models. */
function withoutSecrets({ options }: Server, error: unknown): string {
  return concealFor(options)(messageOf(error))
}

function filterOf(permits: Permits | undefined): ToolFilter | undefined {
  return permits && new ToolFilter(permits)
}

class Pool implements Upstreams {
  servers: readonly string[]
  readonly #options: CompleteOptions
  #servers: ReadonlyMap<string, Server>
  readonly #connections: Connections
  readonly #memory: Memory
  readonly #sessions: Sessions
  readonly #catalogue: Catalogue
  readonly #modernClients: ModernClients
  #filter: ToolFilter | undefined
  /** Clients that are there: while there are any, connections that serve all of them stay. */
  readonly #clients = new Set<Client>()

  constructor(options: CompleteOptions) {
    this.#options = options
    const { dataDir, defaults } = options
    if (dataDir !== undefined) void sweepProcesses(processFolder(dataDir), defaults.closeGraceMs)
    this.#servers = serversOf(options)
    this.servers = [...this.#servers.keys()]
    this.#memory = new Memory(options.dataDir, options.servers, options.logger)
    this.#filter = filterOf(options.permits)
    this.#connections = new Connections(options, {
      ready: (connection, established) => {
        const server = this.#server(connection.server)
        server.lastError = undefined
        server.met = true
        if (connection.isAnew) server.restarts++
        this.#memory.saveInitialize(server.name, established.initialize)
        this.#catalogue.began(connection, established)
      },
      lost: (connection, error) => {
        const server = this.#server(connection.server)
        if (server.met) server.lastError = withoutSecrets(server, error)
        else this.#failed(server, error)
        options.logger.warn({ server: server.name, error: error.message }, 'lost a server')
      },
      personal: (connection, client) =>
        this.#personal(this.#server(connection.server), 'it asks something of a client', {
          connection,
          client,
        }),
      changed: (connection, kinds) => this.#catalogue.changed(connection, kinds),
      outgrown: (server, variant) => this.#catalogue.forget(server, variant),
    })
    this.#modernClients = createModernClients(options.now, options.later)
    this.#sessions = new Sessions({
      connections: this.#connections,
      memory: this.#memory,
      modernClients: this.#modernClients,
      logLevels: new LogLevels(),
      identity: options.identity,
      later: options.later,
      toolSchema: (connection, name, client) => this.#catalogue.toolSchema(connection, name, client),
    })
    this.#catalogue = new Catalogue({
      options,
      connections: this.#connections,
      memory: this.#memory,
      sessions: this.#sessions,
      alone: () => this.#servers.size === 1,
      server: (name) => this.#server(name),
      rest: (connection) => this.#rest(connection),
      listed: (server, tools) => {
        const tool = isCommon(server) ? statefulTool(tools) : undefined
        if (tool !== undefined) this.#personal(server, `its tool ${tool} keeps a state between calls`)
      },
      answered: (server) => {
        server.lastError = undefined
        server.silent = false
        this.#memory.saveFailure(server.name, undefined)
      },
      failed: (server, error) => {
        server.silent ||= isTimeout(error)
        this.#failed(server, error)
      },
    })
    for (const server of this.#servers.values()) this.#recall(server)
  }

  status(): ServerStatus[] {
    return [...this.#servers.values()].map((server) => {
      const status = serverStatus(server, this.#connections, this.known(server.name))
      const hidden = this.#filter?.hidden(server.name) ?? 0
      return status.tools === undefined ? status : { ...status, tools: status.tools - hidden }
    })
  }

  serversFor(client: Client | undefined): readonly string[] {
    return client === undefined || this.#options.reach.limits.length === 0
      ? this.servers
      : this.servers.filter((name) => this.#isFor(client, name))
  }

  async open(client?: Client): Promise<void> {
    if (client) this.#clients.add(client)
    // A modern client is a new one whenever it says something new of itself: servers are connected when it asks for something.
    if (client?.era === 'modern' && client.agent.kind !== 'local') return
    const eager = this.#for(client).filter((server) => !server.lazy)
    await Promise.all(
      eager.map((server) =>
        this.#open(server, client).catch((error: unknown) => {
          const fields = { server: server.name, error: messageOf(error) }
          this.#options.logger.debug(fields, 'could not open a server')
        }),
      ),
    )
  }

  known(server: string): JsonObject | undefined {
    return this.#memory.initialize(server)
  }

  async list(
    kind: ListKind,
    client: Client | undefined,
    signal: Signal,
    { hidden = false } = {},
  ): Promise<ServerList[]> {
    const servers = this.#for(client)
    const lists = await this.#catalogue.of(servers, kind, client, signal)
    const filter = kind === 'tools' && !hidden ? this.#filter : undefined
    return servers.flatMap(({ name }, at) => {
      const kept = lists[at]
      if (kept === undefined) return []
      const items = filter ? filter.apply(name, kept.items) : kept.items
      return [{ server: name, items, ...(kept.hints && { hints: kept.hints }) }]
    })
  }

  async surely(kind: ListKind, name: string, client: Client, signal: Signal): Promise<readonly JsonObject[]> {
    const server = this.#server(name)
    const read = async (connection: Connection): Promise<readonly JsonObject[]> =>
      (await unlessAborted(this.#catalogue.surely(server, kind, connection, client), signal)).items
    return this.#sessions.of(server, client).use(read, signal)
  }

  refresh(kind: ListKind, client: Client, servers = this.servers): void {
    for (const server of this.#servers.values()) {
      if (!servers.includes(server.name)) continue
      const connection = this.#sessions.of(server, client).peek()
      if (connection) this.#catalogue.refresh(connection, [kind])
    }
  }

  async request(name: string, request: Request, exchange: Exchange): Promise<Result> {
    this.#filter?.check(name, request)
    if (exchange.signal.aborted) throw cancelled(exchange.signal)
    const server = this.#server(name)
    if (!this.#isFor(exchange.client, name))
      throw new RpcError(RPC.methodNotFound, `Method not found: ${request.method.slice(0, 200)}`)
    server.calls++
    try {
      const send = (): Promise<Result> =>
        this.#sessions.of(server, exchange.client).request(request, exchange)
      return await (exchange.onTimed === undefined
        ? send()
        : timing(exchange, { part: 'server', server: name }, send))
    } finally {
      server.calls--
    }
  }

  async everywhere(request: Request, capability: string, exchange: Exchange): Promise<void> {
    const asked = this.#for(exchange.client).map((server) =>
      this.#sessions.of(server, exchange.client).setUp(request, capability, exchange),
    )
    const answers = await Promise.allSettled(asked)
    const refused = answers.find((answer) => answer.status === 'rejected')
    if (refused && answers.every((answer) => answer.status === 'rejected')) throw refused.reason
  }

  broadcast(notification: Notification, client: Client): void {
    for (const connection of this.#connections.of(client)) connection.notify(notification)
  }

  configure(servers: Readonly<Record<string, ServerOptions>>, permits?: Permits): Reconfigured {
    this.#filter = filterOf(permits)
    return this.#take(serversOf({ servers, defaults: this.#options.defaults }, this.#servers))
  }

  restart(name: string): void {
    const { options, restarts, personal } = this.#server(name)
    const fresh = serversOf({ servers: { [name]: options }, defaults: this.#options.defaults })
    for (const server of fresh.values()) Object.assign(server, { restarts: restarts + 1, personal })
    this.#take(new Map([...this.#servers].map(([one, server]) => [one, fresh.get(one) ?? server])))
  }

  /** Sets the servers from now on: a server that is another object is connected again. */
  #take(now: ReadonlyMap<string, Server>): Reconfigured {
    const before = this.#servers
    this.#servers = now
    this.servers = [...now.keys()]
    const removed = [...before.keys()].filter((name) => !now.has(name))
    const added = [...now.keys()].filter((name) => !before.has(name))
    const changed = [...now.values()]
      .filter((server) => before.has(server.name) && before.get(server.name) !== server)
      .map(({ name }) => name)
    for (const name of [...removed, ...changed]) this.#retire(name, before.get(name), now.get(name))
    for (const name of added) this.#memory.meet(name, this.#server(name).options)
    for (const name of [...added, ...changed]) this.#recall(this.#server(name))
    for (const name of [...added, ...changed]) this.#welcome(this.#server(name))
    for (const name of [...removed, ...changed, ...added])
      for (const kind of LIST_KINDS) this.#options.events.changed(name, kind, () => true)
    return { added, changed, removed }
  }

  #retire(name: string, old: Server | undefined, successor: Server | undefined): void {
    if (old === undefined) return
    const connections = this.#connections.retire(old)
    old.retired = true
    this.#catalogue.leave(name)
    if (successor === undefined) return this.#memory.leave(name)
    this.#memory.meet(name, successor.options)
    this.#recall(successor)
    for (const connection of connections) {
      if (connection.era === 'modern') continue
      // The settings of a client are made at the successor as well.
      if (connection.client || successor.instance === 'shared')
        this.#connections.for(successor, connection.client, connection.era).succeed(connection)
      else
        for (const client of [...this.#clients].filter((one) => connection.isUsedBy(one)))
          this.#connections.for(successor, client, connection.era).succeed(connection, client)
    }
  }

  /**
   * The server means one client, so its processes stay with the client that is meant, or that they were started for. The others get their
   * own, now and in later runs.
   */
  #personal(server: Server, why: string, meant?: { connection: Connection; client: Client }): void {
    if (!isCommon(server)) return
    const shared = this.#connections.common(server).map((one) => ({
      ...one,
      clients: [...this.#clients].filter((client) => ownerOf(server, client) === one.owner),
    }))
    server.personal = true
    this.#memory.savePersonal(server.name, why)
    this.#options.logger.info(
      { server: server.name, reason: why },
      'each client gets a process of this server',
    )
    for (const { connection, clients } of shared) {
      const keeper = meant?.connection === connection ? meant.client : (connection.founder ?? clients[0])
      if (keeper) this.#connections.give(server, connection, keeper)
      for (const client of clients.filter((one) => one !== keeper)) {
        this.#connections.for(server, client, 'legacy').succeed(connection, client)
        if (!server.lazy) this.#begin(server, client)
      }
    }
  }

  #begin(server: Server, client: Client | undefined): void {
    this.#open(server, client).catch((error: unknown) => {
      const fields = { server: server.name, error: messageOf(error) }
      this.#options.logger.debug(fields, 'could not open a server')
    })
  }

  /** Connects a new server for the present clients, as `open` does for later ones. */
  #welcome(server: Server): void {
    if (server.lazy) return
    for (const client of this.#clients) {
      if (client.era === 'modern' && client.agent.kind !== 'local') continue
      if (!this.#isFor(client, server.name)) continue
      this.#begin(server, client)
    }
  }

  async release(client: Client): Promise<void> {
    this.#clients.delete(client)
    const own = this.#connections.of(client)
    const unseen = new Set(own.flatMap(({ variants }) => variants.all))
    const released = this.#connections.release(client)
    for (const connection of this.#connections.all) {
      for (const variant of connection.variants.all) unseen.delete(variant)
      connection.forget(client)
      if (this.#clients.size === 0) this.#rest(connection)
    }
    for (const server of this.#servers.values())
      for (const { connection, owner } of this.#connections.common(server))
        if (![...this.#clients].some((one) => ownerOf(server, one) === owner))
          this.#connections.rest(connection)
    // The lists that others like this client will see are in the memory; lists of every kind of client there ever was would add up.
    this.#catalogue.drop(unseen)
    await released
  }

  async close(): Promise<void> {
    this.#modernClients.close()
    await this.#connections.close()
    await this.#memory.close()
  }

  #for(client: Client | undefined): Server[] {
    return this.serversFor(client).map((name) => this.#server(name))
  }

  #isFor(client: Client, name: string): boolean {
    return this.#options.reach.limits.every((limit) => limit(name, client.profile))
  }

  /** The facts of it from the run before. */
  #recall(server: Server): void {
    server.lastError = this.#memory.failure(server.name)
    server.silent = server.lastError !== undefined
    server.personal ||= this.#memory.personal(server.name) !== undefined
  }

  #failed(server: Server, error: unknown): void {
    server.lastError = withoutSecrets(server, error)
    this.#memory.saveFailure(server.name, server.lastError)
  }

  #server(name: string): Server {
    const server = this.#servers.get(name)
    if (!server)
      throw new ProxyError(
        'UPSTREAM_CONNECT',
        `there is no server \`${name}\``,
        'It is not in the configuration any more: list the tools again, and use what is there.',
      )
    return server
  }

  async #open(server: Server, client: Client | undefined): Promise<void> {
    const connection = await this.#sessions.of(server, client).connect()
    const read = (kind: ListKind): Promise<unknown> => this.#catalogue.read(server, kind, connection, client)
    try {
      if (!client) await Promise.all(LIST_KINDS.map(read))
    } finally {
      this.#rest(connection)
    }
  }

  /** A connection that serves no client is there for lists; it is closed when none was read for a while. */
  #rest(connection: Connection): void {
    const server = this.#servers.get(connection.server)
    if (connection.client !== undefined || connection.founder !== undefined) return
    if (server === undefined || server.instance === 'shared') return
    if (connection.era === 'legacy' || this.#clients.size === 0) this.#connections.rest(connection)
  }
}

// How a server is, told from all connections to it.

/** Of a server's connections, the one that says most about it. */
const BY_MERIT: readonly ConnectionState[] = ['ready', 'connecting', 'waiting', 'idle', 'closed']

/** `initialize`: what it said of itself, now or in an earlier run. */
function serverStatus(
  server: Server,
  connections: Connections,
  initialize: JsonObject | undefined,
): ServerStatus {
  const own = connections.all.filter((connection) => connection.server === server.name)
  const state = BY_MERIT.find((merit) => own.some((connection) => connection.state === merit))
  const live = own.find(({ established }) => established)?.established
  const up = own.flatMap(({ upMs }) => upMs ?? [])
  return {
    server: server.name,
    state: state ?? (connections.closed ? 'closed' : 'idle'),
    transport: live?.transport.kind ?? transportOf(server.options),
    ...(initialize && { initialize }),
    ...(server.tools !== undefined && { tools: server.tools }),
    ...(server.listed !== undefined && { listed: server.listed }),
    ...(server.lastError !== undefined && { lastError: server.lastError }),
    ...(up.length > 0 && { upMs: Math.round(Math.max(...up)) }),
    ...(server.restarts > 0 && { restarts: server.restarts }),
  }
}
