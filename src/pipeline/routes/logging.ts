import { isObject } from '../../protocol/json.ts'
import type { Upstreams } from '../../upstream/upstreams.ts'
import type { Routes } from '../router.ts'

export function loggingRoutes(upstreams: Upstreams): Routes {
  return {
    /** Every server that logs is told. One that is down now does not make the others' level wrong. */
    'logging/setLevel': async (exchange) => {
      const request = { method: exchange.method, params: exchange.params }
      const told = upstreams.servers
        .filter((server) => hasLogging(upstreams, server))
        .map((server) => upstreams.request(server, request, exchange))
      const answers = await Promise.allSettled(told)
      const refused = answers.find((answer) => answer.status === 'rejected')
      if (refused && answers.every((answer) => answer.status === 'rejected')) throw refused.reason
      return {}
    },
  }
}

function hasLogging(upstreams: Upstreams, server: string): boolean {
  const capabilities = upstreams.known(server)?.capabilities
  return isObject(capabilities) && isObject(capabilities.logging)
}
