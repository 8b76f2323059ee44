import type { Upstreams } from '../../upstream/upstreams.ts'
import type { Routes } from './cursor.ts'

/** `logging/setLevel`, for all servers at once. */
export function loggingRoutes(upstreams: Upstreams): Routes {
  return {
    /** Every server that logs is told, those that are not there yet when they come: nobody waits for them. */
    'logging/setLevel': async (exchange) => {
      const { method, params } = exchange
      await upstreams.everywhere({ method, params }, 'logging', exchange)
      return {}
    },
  }
}
