import { RPC, RpcError } from '../../protocol/errors.ts'
import type { Exchange, Handler } from '../../protocol/exchange.ts'
import type { Upstreams } from '../../upstream/upstreams.ts'
import type { Directory } from '../directory.ts'
import type { Routes } from '../router.ts'
import { refuseCursor } from './cursor.ts'

export function resourceRoutes(upstreams: Upstreams, directory: Directory): Routes {
  const list =
    (kind: 'resources' | 'resourceTemplates'): Handler =>
    async (exchange) => {
      refuseCursor(exchange)
      const lists = await directory.lists(kind, exchange)
      return { [kind]: lists.flatMap(({ items }) => [...items]) }
    }

  const forward: Handler = async (exchange) => {
    const { method, params } = exchange
    const candidates = await candidatesFor(params.uri, upstreams, directory, exchange)
    let refusal: unknown
    for (const server of candidates) {
      try {
        return await upstreams.request(server, { method, params }, exchange)
      } catch (error) {
        if (exchange.signal.aborted) throw error
        refusal ??= error
      }
    }
    throw refusal ?? new RpcError(RPC.resourceNotFound, 'Resource not found', { uri: params.uri ?? null })
  }

  return {
    'resources/list': list('resources'),
    'resources/templates/list': list('resourceTemplates'),
    'resources/read': forward,
    'resources/subscribe': forward,
    'resources/unsubscribe': forward,
  }
}

/**
 * The servers a URI may belong to, likeliest first: who lists it, then whose template begins like it, then all that have
 * resources, for servers read unlisted URIs as well.
 */
export async function candidatesFor(
  uri: unknown,
  upstreams: Upstreams,
  directory: Directory,
  exchange: Exchange,
): Promise<string[]> {
  if (upstreams.servers.length === 1) return [...upstreams.servers]
  if (typeof uri !== 'string') throw new RpcError(RPC.invalidParams, 'params.uri must be a string')
  const resources = await directory.lists('resources', exchange)
  const listed = resources
    .filter(({ items }) => items.some((item) => item.uri === uri))
    .map(({ server }) => server)
  if (listed.length > 0) return listed.slice(0, 1)
  const templates = await directory.lists('resourceTemplates', exchange)
  const byTemplate = templates
    .map(({ server, items }) => ({
      server,
      match: Math.max(0, ...items.map((item) => literalMatch(item.uriTemplate, uri))),
    }))
    .filter(({ match }) => match > 0)
    .sort((a, b) => b.match - a.match)
    .map(({ server }) => server)
  return [...new Set([...byTemplate, ...resources.map(({ server }) => server)])]
}

/** Characters that a URI shares with the literal head of a template (RFC 6570), 0 when the head differs. */
function literalMatch(template: unknown, uri: string): number {
  if (typeof template !== 'string') return 0
  const brace = template.indexOf('{')
  const head = brace < 0 ? template : template.slice(0, brace)
  return uri.startsWith(head) && (brace >= 0 || uri === head) ? head.length : 0
}
