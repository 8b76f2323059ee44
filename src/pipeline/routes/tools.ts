import { errorResult } from '../../protocol/content.ts'
import { ProxyError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/json.ts'
import type { ProxyTool } from '../../tools/tool.ts'
import type { Upstreams } from '../../upstream/upstreams.ts'
import type { Directory } from '../directory.ts'
import type { Routes } from '../router.ts'
import { refuseCursor } from './cursor.ts'

export function toolRoutes(upstreams: Upstreams, directory: Directory, own: readonly ProxyTool[]): Routes {
  const ownByName = new Map(own.map((tool) => [tool.name, tool]))
  return {
    'tools/list': async (exchange) => {
      refuseCursor(exchange)
      const items = await directory.items('tools', exchange)
      return { tools: [...own.map((tool) => tool.definition), ...items] }
    },
    'tools/call': async (exchange) => {
      const { params } = exchange
      const tool = typeof params.name === 'string' ? ownByName.get(params.name) : undefined
      if (tool) return tool.call(isObject(params.arguments) ? params.arguments : {}, exchange)
      const { server, original } = await directory.find('tools', params.name, exchange)
      const request = {
        method: 'tools/call',
        params: params.name === original ? params : { ...params, name: original },
      }
      try {
        return await upstreams.request(server, request, exchange)
      } catch (error) {
        // A server that died or was too slow is something the model can react to; it reads results, not errors.
        if (error instanceof ProxyError && error.code !== 'CANCELLED') return errorResult(error.text)
        throw error
      }
    },
  }
}
