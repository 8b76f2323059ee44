import type { Upstreams } from '../../upstream/upstreams.ts'
import type { Directory } from '../directory.ts'
import { joinHints } from '../hints.ts'
import type { Resources } from '../resources.ts'
import { type Routes, refuseCursor } from './cursor.ts'

/** Prompts of all servers as one list, and each from the server that has it. */
export function promptRoutes(upstreams: Upstreams, directory: Directory, resources: Resources): Routes {
  return {
    'prompts/list': async (exchange) => {
      refuseCursor(exchange)
      const { lists, listed } = await directory.list('prompts', exchange)
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
