/** The innermost handler: an exchange ends at a tool of the proxy's own or at a server. */
import { randomUUID } from 'node:crypto'
import type { ServerConfig } from '../config/servers.ts'
import { errorResult, LargeResult, plain, type Result } from '../protocol/content.ts'
import { holdTo } from '../protocol/effects.ts'
import { ProxyError, RPC, RpcError } from '../protocol/errors.ts'
import type { Client, Exchange, Handler } from '../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import type { OpenBuckets, Take } from '../protocol/rate.ts'
import { renameViews } from '../protocol/uri-rewrite.ts'
import type { Upstreams } from '../upstream/contract.ts'
import { AuthorizationNeeded } from '../upstream/transport.ts'
import { type Directory, joinHints, mayOffer, type Routes, refuseCursor } from './catalogue.ts'
import type { Named } from './names.ts'
import { type OwnTools, PROXY_TOOL_NAMES, tooManyParams } from './own-tools.ts'
import {
  type AddressBook,
  createAddressBook,
  createResources,
  type Resources,
  resourceRoutes,
} from './resources.ts'

interface RouterOptions {
  upstreams: Upstreams
  tools: OwnTools
  /** The server of a name. */
  directory: Directory
  /** How often tools may be called. Absent: as often as anybody likes. */
  quotas?: Quotas | undefined
  /** Handed in where notifications are to name the same URIs. */
  book?: AddressBook
}

export function createRouter({
  upstreams,
  tools,
  directory,
  quotas,
  book = createAddressBook(),
}: RouterOptions): Handler {
  const resources = createResources(upstreams, book)
  const tasks = createTasks(upstreams, resources)
  const routes = new Map<string, Handler>(
    Object.entries({
      ...toolRoutes({ upstreams, directory, resources, tasks, quotas, own: tools }),
      ...promptRoutes(upstreams, directory, resources),
      ...resourceRoutes(upstreams, resources, book),
      ...completionRoutes(upstreams, directory, resources),
      ...loggingRoutes(upstreams),
    }),
  )
  const ofSeveral = new Map(Object.entries(tasks.routes))
  return (exchange) => {
    const { method, params } = exchange
    // Now: the configuration may have more or fewer than at the start.
    const [only, ...others] = upstreams.servers
    const alone = others.length === 0 ? only : undefined
    const route = routes.get(method) ?? (alone === undefined ? ofSeveral.get(method) : undefined)
    if (route) return route(exchange)
    // A method of tomorrow's protocol or of the server's own: with one server there is no doubt where it goes.
    if (alone !== undefined) return upstreams.request(alone, { method, params }, exchange)
    return Promise.reject(new RpcError(RPC.methodNotFound, `Method not found: ${method.slice(0, 200)}`))
  }
}

/** The parts of the routes of tools. */
interface ToolRouteParts {
  upstreams: Upstreams
  directory: Directory
  resources: Resources
  tasks: Tasks
  quotas?: Quotas | undefined
  own: OwnTools
}

/** Tools of all servers as one list, before them the proxy's own, and a call to whichever of them has the name. */
function toolRoutes(parts: ToolRouteParts): Routes {
  const { upstreams, directory, resources, tasks, quotas, own } = parts
  const ownNames: ReadonlySet<unknown> = PROXY_TOOL_NAMES

  /** The params as the server is to have them: its own name of the tool, and its own URIs where they moved. */
  function askedOf({ server, original }: Named, { params, client }: Exchange): JsonObject {
    const asked = params.name === original ? params : { ...params, name: original }
    return resources.inward(server, asked, client)
  }

  return {
    'tools/list': async (exchange) => {
      refuseCursor(exchange)
      // The proxy nearest the client offers its tools, and only it keeps results.
      const mine = exchange.client.via === undefined ? (await own()).map(({ definition }) => definition) : []
      if (exchange.listing === 'own') return { tools: mine, ...joinHints('tools', [], upstreams, exchange) }
      const listing = await directory.list('tools', exchange)
      const { lists, listed } = listing
      if (exchange.basis) exchange.basis.servers = listing
      const map = resources.learnTools(lists, exchange)
      const items = listed.map(({ server, item }) =>
        map.moved(server) ? renameViews(item, (uri) => map.outward(server, uri)) : item,
      )
      return { tools: [...mine, ...items], ...joinHints('tools', lists, upstreams, exchange) }
    },
    'tools/call': async (exchange): Promise<Result> => {
      const { params } = exchange
      const tool = ownNames.has(params.name)
        ? (await own()).find(({ name }) => name === params.name)
        : undefined
      if (tool) {
        const args = isObject(params.arguments) ? params.arguments : {}
        return tooManyParams(tool.name, args) ?? tool.call(args, exchange)
      }
      try {
        const found = directory.find('tools', params.name, exchange)
        const named = found instanceof Promise ? await found : found
        const { server, original } = named
        const destination = {
          server,
          name: original,
          definition: async () => {
            const items = await upstreams.surely('tools', server, exchange.client, exchange.signal)
            return items.find(({ name }) => name === original)
          },
        }
        await exchange.admit?.(destination)
        if (exchange.limit) await holdTo(exchange.limit, destination)
        // Giving up a call that waits for input is none, and is what ends it where nothing is left of the quota.
        const taken = exchange.isOver ? undefined : quotas?.(server)
        const refusal = taken instanceof Promise ? await taken : taken
        if (refusal !== undefined) return errorResult(refusal)
        const request = { method: 'tools/call', params: askedOf(named, exchange) }
        const result = await upstreams.request(server, request, exchange)
        if (params.task !== undefined) tasks.note(server, result, exchange.client)
        return resources.outward(server, result, exchange)
      } catch (error) {
        // A server that died or was too slow is something the model can react to; it reads results, not errors.
        if (error instanceof ProxyError && error.code !== 'CANCELLED' && exchange.failing !== 'throws')
          return askToSignIn(error, exchange.client) ?? errorResult(error.text)
        throw error
      }
    },
  }
}

/** Prompts of all servers as one list, and each from the server that has it. */
function promptRoutes(upstreams: Upstreams, directory: Directory, resources: Resources): Routes {
  return {
    'prompts/list': async (exchange) => {
      refuseCursor(exchange)
      const listing = await directory.list('prompts', exchange)
      const { lists, listed } = listing
      if (exchange.basis) exchange.basis.servers = listing
      return {
        prompts: listed.map(({ item }) => item),
        ...joinHints('prompts', lists, upstreams, exchange),
      }
    },
    'prompts/get': async (exchange) => {
      const { params } = exchange
      const { server, original } = await directory.find('prompts', params.name, exchange)
      await exchange.admit?.({ server, name: original })
      const asked = params.name === original ? params : { ...params, name: original }
      const result = await upstreams.request(server, { method: 'prompts/get', params: asked }, exchange)
      return resources.outward(server, result, exchange)
    },
  }
}

/** Completes an argument at the server of its prompt or resource. */
function completionRoutes(upstreams: Upstreams, directory: Directory, resources: Resources): Routes {
  return {
    'completion/complete': async (exchange) => {
      const { params } = exchange
      const { ref } = params
      if (!isObject(ref)) throw new RpcError(RPC.invalidParams, 'params.ref must be an object')
      if (ref.type === 'ref/prompt') {
        const { server, original } = await directory.find('prompts', ref.name, exchange)
        await exchange.admit?.({ server, name: original })
        const asked = ref.name === original ? params : { ...params, ref: { ...ref, name: original } }
        return upstreams.request(server, { method: 'completion/complete', params: asked }, exchange)
      }
      const [address] = await resources.candidates(ref.uri, exchange)
      if (address === undefined) throw new RpcError(RPC.invalidParams, 'No server completes this reference')
      const { server, uri } = address
      await exchange.admit?.({ server, name: String(uri) })
      const asked = ref.uri === uri ? params : { ...params, ref: { ...ref, uri } }
      return upstreams.request(server, { method: 'completion/complete', params: asked }, exchange)
    },
  }
}

/** `logging/setLevel`, for all servers at once. */
function loggingRoutes(upstreams: Upstreams): Routes {
  return {
    /** Every server that logs gets the level; servers that are not connected yet get it when they connect, without a wait. */
    'logging/setLevel': async (exchange) => {
      const { method, params } = exchange
      await upstreams.everywhere({ method, params }, 'logging', exchange)
      return {}
    },
  }
}

// A server that a person has to sign in to first: a client that can show an address is asked to.

/**
 * The answer to the client in place of the failure. It is a result that asks for a visit (MCP 2026-07-28, multi round-trip requests). Or
 * it throws an error that does (2025-11-25, client/elicitation, "URL Elicitation Required Error"). Undefined: it is about something
 * else, or the client cannot show addresses.
 */
export function askToSignIn({ cause, text }: ProxyError, client: Client): JsonObject | undefined {
  if (!(cause instanceof AuthorizationNeeded) || !showsAddresses(client)) return undefined
  const visit = { mode: 'url', message: text, url: cause.url }
  if (client.era === 'modern')
    return {
      resultType: 'input_required',
      inputRequests: { 'sign-in': { method: 'elicitation/create', params: visit } },
    }
  throw new RpcError(RPC.urlElicitationRequired, text, {
    elicitations: [{ ...visit, elicitationId: randomUUID() }],
  })
}

function showsAddresses({ capabilities }: Client): boolean {
  const elicitation = own(capabilities, 'elicitation')
  return isObject(elicitation) && isObject(own(elicitation, 'url'))
}

// Tasks.

/** Tasks of several servers (MCP 2025-11-25, basic/utilities/tasks, experimental). Their ids are unguessable, so they never collide. */
interface Tasks {
  readonly routes: Routes
  /** A call that was to become a task: remembers its server. */
  note(server: string, result: Result, client: Client): void
}

/** The most tasks of a client that are remembered with their server. The server of another task is found by asking. */
const MAX_TASKS = 1000
/** Pages of one server's list of tasks. */
const MAX_PAGES = 100

/** Asks the server that made a task where it is known. Otherwise asks the servers that have tasks, one after the other. */
function createTasks(upstreams: Upstreams, resources: Resources): Tasks {
  const owners = new WeakMap<Client, Map<string, string>>()

  function remember(client: Client, task: unknown, server: string): void {
    const id = isObject(task) ? own(task, 'taskId') : undefined
    if (typeof id !== 'string') return
    const mine = owners.get(client) ?? new Map<string, string>()
    owners.set(client, mine)
    mine.delete(id)
    mine.set(id, server)
    const [oldest] = mine.keys()
    if (mine.size > MAX_TASKS && oldest !== undefined) mine.delete(oldest)
  }

  const withTasks = (client: Client): string[] =>
    upstreams.serversFor(client).filter((server) => mayOffer(upstreams.known(server), 'tasks'))

  const forward: Handler = async (exchange) => {
    const { method, params, client } = exchange
    const owner = typeof params.taskId === 'string' ? owners.get(client)?.get(params.taskId) : undefined
    let refusal: unknown
    for (const server of owner === undefined ? withTasks(client) : [owner]) {
      try {
        return await resources.outward(
          server,
          await upstreams.request(server, { method, params }, exchange),
          exchange,
        )
      } catch (error) {
        const unknown =
          error instanceof RpcError && (error.code === RPC.invalidParams || error.code === RPC.methodNotFound)
        if (!unknown || exchange.signal.aborted) throw error
        refusal ??= error
      }
    }
    throw refusal ?? new RpcError(RPC.methodNotFound, `Method not found: ${method}`)
  }

  async function tasksOf(server: string, exchange: Exchange): Promise<JsonObject[]> {
    const tasks: JsonObject[] = []
    let params = exchange.params
    for (let page = 0; page < MAX_PAGES; page++) {
      const result = plain(await upstreams.request(server, { method: 'tasks/list', params }, exchange))
      const listed = Array.isArray(result.tasks) ? result.tasks.filter(isObject) : []
      for (const task of listed) remember(exchange.client, task, server)
      tasks.push(...listed)
      if (typeof result.nextCursor !== 'string' || result.nextCursor === params.cursor) break
      params = { ...params, cursor: result.nextCursor }
    }
    return tasks
  }

  return {
    routes: {
      'tasks/get': forward,
      'tasks/result': forward,
      'tasks/cancel': forward,
      'tasks/list': async (exchange) => {
        refuseCursor(exchange)
        // A server that cannot say leaves the tasks of the others what they are.
        const lists = await Promise.allSettled(
          withTasks(exchange.client).map((server) => tasksOf(server, exchange)),
        )
        return { tasks: lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : [])) }
      },
    },
    note(server, result, client) {
      if (!(result instanceof LargeResult)) remember(client, result.task, server)
    },
  }
}

// How often tools of a server may be called.

/** Takes one call of this server's quota. Returns a text for the model when none is left. */
export type Quotas = (server: string) => string | undefined | Promise<string | undefined>

/** A token bucket for each server, which all clients share. */
export interface ServerQuotas {
  readonly take: Quotas
  /** Replaces the quotas. A server with an unchanged quota keeps the calls it has left. */
  configure(servers: readonly Pick<ServerConfig, 'name' | 'quota'>[]): void
}

export function createServerQuotas(open: OpenBuckets): ServerQuotas {
  let buckets = new Map<string, { written: string; take: Take }>()

  function refusal(server: string, seconds: number | undefined): string | undefined {
    if (seconds === undefined) return undefined
    return `Server \`${server}\` has had as many calls as it is allowed here. Nothing was called; try again in ${seconds} s.`
  }

  return {
    take(server) {
      const seconds = buckets.get(server)?.take(server)
      return seconds instanceof Promise
        ? seconds.then((left) => refusal(server, left))
        : refusal(server, seconds)
    },
    configure(servers) {
      buckets = new Map(
        servers.flatMap(({ name, quota }) => {
          if (quota === undefined) return []
          const written = JSON.stringify(quota)
          const known = buckets.get(name)
          return [[name, known?.written === written ? known : { written, take: open('server', quota) }]]
        }),
      )
    },
  }
}
