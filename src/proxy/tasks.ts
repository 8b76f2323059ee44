import { LargeResult, plain, type Result } from '../protocol/content.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Client, Exchange, Handler } from '../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import type { Upstreams } from '../upstream/contract.ts'
import { mayOffer } from './hints.ts'
import type { Resources } from './resources.ts'
import { type Routes, refuseCursor } from './routes.ts'

/** Tasks of several servers (MCP 2025-11-25, basic/utilities/tasks, experimental). Their ids are unguessable, so they never collide. */
export interface Tasks {
  readonly routes: Routes
  /** A call that was to become a task: remembers whose it is. */
  note(server: string, result: Result, client: Client): void
}

/** Tasks of a client whose server is remembered. The others' is found by asking. */
const MAX_TASKS = 1000
/** Pages of one server's list of tasks. */
const MAX_PAGES = 100

/** Asks the server that made a task where it is known, else one after the other those that have tasks. */
export function createTasks(upstreams: Upstreams, resources: Resources): Tasks {
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
