import { RPC, RpcError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/json.ts'
import type { Upstreams } from '../../upstream/upstreams.ts'
import type { Directory } from '../directory.ts'
import type { Resources } from '../resources.ts'
import type { Routes } from './cursor.ts'

/** Completes an argument at the server whose prompt or resource it belongs to. */
export function completionRoutes(upstreams: Upstreams, directory: Directory, resources: Resources): Routes {
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
