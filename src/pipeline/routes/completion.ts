import { RPC, RpcError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/json.ts'
import type { Upstreams } from '../../upstream/upstreams.ts'
import type { Directory } from '../directory.ts'
import type { Routes } from '../router.ts'
import { candidatesFor } from './resources.ts'

export function completionRoutes(upstreams: Upstreams, directory: Directory): Routes {
  return {
    'completion/complete': async (exchange) => {
      const { ref } = exchange.params
      if (!isObject(ref)) throw new RpcError(RPC.invalidParams, 'params.ref must be an object')
      if (ref.type === 'ref/prompt') {
        const { server, original } = await directory.find('prompts', ref.name, exchange)
        const params = { ...exchange.params, ref: { ...ref, name: original } }
        return upstreams.request(server, { method: 'completion/complete', params }, exchange)
      }
      const [server] = await candidatesFor(ref.uri, upstreams, directory, exchange)
      if (server === undefined) throw new RpcError(RPC.invalidParams, 'No server completes this reference')
      return upstreams.request(server, { method: 'completion/complete', params: exchange.params }, exchange)
    },
  }
}
