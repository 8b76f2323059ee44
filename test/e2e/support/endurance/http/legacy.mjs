/** The era of sessions. */
import { randomUUID } from 'node:crypto'
import { TOOLS } from '../tools.mjs'
import { breaks } from './faults.mjs'
import { perform } from './perform.mjs'
import { bodyOf, json, Reply } from './reply.mjs'
import { capabilities, hanging, serverInfo, sessions, streams, unsent } from './state.mjs'

export async function legacy(request, response, path) {
  const session = sessions.get(request.headers['mcp-session-id'])
  if (request.method === 'DELETE') {
    if (session) for (const stream of session.streams) stream.end()
    sessions.delete(session?.id)
    response.writeHead(session ? 200 : 404).end()
    return
  }
  if (request.method === 'GET') return legacyStream(request, response, session)
  const message = await bodyOf(request)
  const { id, method, params } = message
  const reply = new Reply(response)
  if (method === 'initialize') {
    if (await breaks(path, message, reply)) return
    const opened = { id: randomUUID(), waiting: new Map(), streams: new Set(), nextId: 1 }
    sessions.set(opened.id, opened)
    const result = { protocolVersion: params.protocolVersion, capabilities, serverInfo }
    json(response, { jsonrpc: '2.0', id, result }, { 'mcp-session-id': opened.id })
    return
  }
  if (!session) return reply.refuse(404, 'no such session')
  if (id === undefined || method === undefined) {
    if (method === undefined) session.waiting.get(id)?.(message.result)
    else if (method === 'notifications/cancelled') {
      for (const [marker, one] of hanging)
        if (one.session === session && one.id === params.requestId) hanging.delete(marker)
    }
    response.writeHead(202).end()
    return
  }
  const ask = (question) =>
    new Promise((resolve) => {
      const own = `s${session.nextId++}`
      session.waiting.set(own, resolve)
      reply.event({ id: own, ...question })
    })
  if (method === 'tools/list') reply.answer({ id, result: { tools: TOOLS } })
  else if (method === 'tools/call') await perform(message, reply, session, ask)
  else if (method === 'ping') reply.answer({ id, result: {} })
  else reply.answer({ id, error: { code: -32601, message: `no ${method}` } })
}

function legacyStream(request, response, session) {
  if (!session) return response.writeHead(404).end()
  const last = request.headers['last-event-id']
  const reply = new Reply(response)
  if (unsent.has(last)) {
    reply.event({ id: unsent.get(last), result: { content: [{ type: 'text', text: last }] } })
    unsent.delete(last)
    return reply.end()
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
  streams.add(response)
  session.streams.add(response)
  response.once('close', () => {
    streams.delete(response)
    session.streams.delete(response)
  })
}
