import type { Upstreams } from '../../upstream/upstreams.ts'
import type { Directory } from '../directory.ts'
import type { Routes } from '../router.ts'
import { refuseCursor } from './cursor.ts'

export function promptRoutes(upstreams: Upstreams, directory: Directory): Routes {
  return {
    'prompts/list': async (exchange) => {
      refuseCursor(exchange)
      return { prompts: await directory.items('prompts', exchange) }
    },
    'prompts/get': async (exchange) => {
      const { server, original } = await directory.find('prompts', exchange.params.name, exchange)
      return upstreams.request(
        server,
        { method: 'prompts/get', params: { ...exchange.params, name: original } },
        exchange,
      )
    },
  }
}
