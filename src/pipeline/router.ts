/** The innermost handler: an exchange ends at a tool of the proxy's own or at a server. */
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Handler } from '../protocol/exchange.ts'
import type { ProxyTool } from '../tools/tool.ts'
import type { Upstreams } from '../upstream/upstreams.ts'
import { createDirectory } from './directory.ts'
import type { NamingOptions } from './names.ts'
import { completionRoutes } from './routes/completion.ts'
import { loggingRoutes } from './routes/logging.ts'
import { promptRoutes } from './routes/prompts.ts'
import { resourceRoutes } from './routes/resources.ts'
import { toolRoutes } from './routes/tools.ts'

export interface RouterOptions {
  upstreams: Upstreams
  /** The proxy's own tools, in the order in which they are listed. */
  tools: readonly ProxyTool[]
  naming: NamingOptions
}

/** Handlers by method. */
export type Routes = Readonly<Record<string, Handler>>

export function createRouter({ upstreams, tools, naming }: RouterOptions): Handler {
  const directory = createDirectory({ upstreams, naming, reserved: tools.map((tool) => tool.name) })
  const routes: Routes = {
    ...toolRoutes(upstreams, directory, tools),
    ...promptRoutes(upstreams, directory),
    ...resourceRoutes(upstreams, directory),
    ...completionRoutes(upstreams, directory),
    ...loggingRoutes(upstreams),
  }
  const [only, ...others] = upstreams.servers
  return (exchange) => {
    const route = Object.hasOwn(routes, exchange.method) ? routes[exchange.method] : undefined
    if (route) return route(exchange)
    // A method of tomorrow's protocol or of the server's own: with one server there is no doubt whose it is.
    if (only !== undefined && others.length === 0) {
      return upstreams.request(only, { method: exchange.method, params: exchange.params }, exchange)
    }
    return Promise.reject(
      new RpcError(RPC.methodNotFound, `Method not found: ${exchange.method.slice(0, 200)}`),
    )
  }
}
