/** The era without sessions. */
import { TOOLS } from '../tools.mjs'
import { breaks } from './faults.mjs'
import { perform } from './perform.mjs'
import { bodyOf, Reply } from './reply.mjs'
import { capabilities, serverInfo } from './state.mjs'

const META = 'io.modelcontextprotocol/'
const complete = { resultType: 'complete' }
const cached = { ...complete, ttlMs: 3_600_000, cacheScope: 'public' }

export async function modern(request, response, path) {
  const message = await bodyOf(request)
  const { id, method, params } = message
  const reply = new Reply(response)
  if (id === undefined) return response.writeHead(202).end()
  switch (method) {
    case 'server/discover': {
      if (await breaks(path, message, reply)) return
      const result = { ...cached, supportedVersions: ['2026-07-28'], capabilities }
      return reply.answer({ id, result: { ...result, _meta: { [`${META}serverInfo`]: serverInfo } } })
    }
    case 'tools/list':
      return reply.answer({ id, result: { ...cached, tools: TOOLS } })
    case 'subscriptions/listen': {
      const { notifications } = params
      const _meta = { [`${META}subscriptionId`]: id }
      return reply.event({
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications, _meta },
      })
    }
    case 'tools/call': {
      const state = `state of ${params.arguments?.marker}`
      // The state that comes back must be the one that this very call got.
      if (params.requestState !== undefined && params.requestState !== state)
        return reply.answer({ id, error: { code: -32602, message: 'the state of another call' } })
      const ask = async (question) => {
        const given = params.inputResponses?.question
        if (given) return given
        throw {
          input: { resultType: 'input_required', inputRequests: { question }, requestState: state },
        }
      }
      return perform(message, reply, { more: complete }, ask)
    }
    default:
      response.writeHead(404, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: `no ${method}` } }))
  }
}
