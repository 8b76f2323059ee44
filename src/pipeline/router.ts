/** The innermost handler: an exchange ends at a tool of the proxy's own or at a server. */
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Handler } from '../protocol/exchange.ts'
import type { ProxyTool } from '../tools/tool.ts'
import type { Upstreams } from '../upstream/upstreams.ts'
import { type AddressBook, createAddressBook } from './address-book.ts'
import type { Directory } from './directory.ts'
import type { Quotas } from './quotas.ts'
import { createResources } from './resources.ts'
import { completionRoutes } from './routes/completion.ts'
import { loggingRoutes } from './routes/logging.ts'
import { promptRoutes } from './routes/prompts.ts'
import { resourceRoutes } from './routes/resources.ts'
import { createTasks } from './routes/tasks.ts'
import { toolRoutes } from './routes/tools.ts'

export interface RouterOptions {
  upstreams: Upstreams
  /** The proxy's own tools, in the order in which they are listed. */
  tools: readonly ProxyTool[]
  /** Whose a name is. */
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
      ...toolRoutes({ upstreams, directory, resources, book, tasks, quotas, own: tools }),
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
    // A method of tomorrow's protocol or of the server's own: with one server there is no doubt whose it is.
    if (alone !== undefined) return upstreams.request(alone, { method, params }, exchange)
    return Promise.reject(new RpcError(RPC.methodNotFound, `Method not found: ${method.slice(0, 200)}`))
  }
}
