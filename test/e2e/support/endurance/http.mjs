/**
 * A server over HTTP on 127.0.0.1 that is broken when it is asked to be, in one process, cheap for each session; prints its address.
 * `argv[2]`: the port. `/legacy/…` and `/modern/…` are of one era each. `/control/state` tells what is open; a POST of
 * `{path, kind, count}` to `/control/handshake` breaks the next handshakes at a path.
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { call, TOOLS, wait } from './tools.mjs'

const sessions = new Map()
const sockets = new Set()
const streams = new Set()
/** Calls that get no answer, by marker. */
const hanging = new Map()
/** Markers of calls that were refused once. */
const refused = new Set()
/** Answers that wait for whoever takes up their stream, by event id. */
const unsent = new Map()
const brokenHandshakes = new Map()
let calls = 0

const META = 'io.modelcontextprotocol/'
const serverInfo = { name: 'endurance', version: '1' }
const capabilities = { tools: { listChanged: true } }

async function bodyOf(request) {
  let text = ''
  for await (const chunk of request) text += chunk
  return text === '' ? undefined : JSON.parse(text)
}

function json(response, value, headers = {}) {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
}

/** The response to one request: JSON, or events when something has to go before the answer. */
class Reply {
  #response
  #began = false

  constructor(response) {
    this.#response = response
  }

  event(message, id) {
    if (!this.#began) {
      this.#began = true
      this.#response.writeHead(200, { 'content-type': 'text/event-stream' })
      streams.add(this.#response)
      this.#response.once('close', () => streams.delete(this.#response))
    }
    const text = typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message })
    this.#response.write(`${id === undefined ? '' : `id: ${id}\nretry: 10\n`}data: ${text}\n\n`)
  }

  raw(text) {
    this.#response.write(text)
  }

  answer(message) {
    if (this.#response.destroyed) return
    if (!this.#began) return json(this.#response, { jsonrpc: '2.0', ...message })
    this.event(message)
    this.#response.end()
  }

  refuse(status, text) {
    this.#response.writeHead(status, { 'content-type': 'text/plain' }).end(text)
  }

  end() {
    this.#response.end()
  }

  reset() {
    this.#response.socket?.resetAndDestroy()
  }

  hangUp() {
    this.#response.socket?.destroy()
  }

  json(text, length) {
    this.#response.writeHead(200, {
      'content-type': 'application/json',
      ...(length !== undefined && { 'content-length': length }),
    })
    this.#response.write(text)
  }

  onceClosed(run) {
    this.#response.once('close', run)
  }
}

/** What goes wrong in place of an answer. True: nothing more comes of the request. */
async function fault(kind, { id, params = {} }, reply, session) {
  const { progressToken } = params._meta ?? {}
  const { marker } = params.arguments ?? {}
  const twoSteps = async () => {
    for (const progress of [1, 2])
      reply.event({ method: 'notifications/progress', params: { progressToken, progress, total: 3 } })
    await wait(5)
  }
  const half = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"con`
  const once = () => !refused.has(marker) && refused.add(marker)
  switch (kind) {
    case 'reset mid-call':
      reply.reset()
      return true
    case 'closed mid-call':
      reply.hangUp()
      return true
    case 'reset mid-stream':
      await twoSteps()
      reply.reset()
      return true
    case 'stream ends without an answer':
      await twoSteps()
      reply.end()
      return true
    case 'half a body':
      reply.json(half, 5000)
      await wait(5)
      reply.hangUp()
      return true
    case 'half an event':
      reply.event({ method: 'notifications/progress', params: { progressToken, progress: 1 } })
      reply.raw(`data: ${half}`)
      await wait(5)
      reply.hangUp()
      return true
    case 'wrong JSON':
      reply.json('{"jsonrpc":"2.0", oops')
      reply.end()
      return true
    case 'wrong JSON in an event':
      reply.event('{oops}')
      reply.end()
      return true
    case 'status 401':
      reply.refuse(401, 'who are you?')
      return true
    case 'status 500':
      reply.refuse(500, 'out of order')
      return true
    case 'session expired':
      if (!once()) return false
      if (session) sessions.delete(session.id)
      reply.refuse(404, 'no such session')
      return true
    case 'stream taken up again':
      reply.event({ method: 'notifications/progress', params: { progressToken, progress: 1 } }, marker)
      unsent.set(marker, id)
      await wait(5)
      reply.reset()
      return true
    case 'hangs mid-stream':
      await twoSteps()
      return hang(marker, id, reply, session)
    case 'hangs':
      return hang(marker, id, reply, session)
    default:
      return false
  }
}

/** Until the client cancels in the way of its era, or its connection breaks. */
function hang(marker, id, reply, session) {
  hanging.set(marker, { session, id })
  reply.onceClosed(() => hanging.delete(marker))
  return true
}

async function breaks(path, message, reply) {
  const broken = brokenHandshakes.get(path)
  if (!broken || broken.count-- <= 0) return false
  return fault(broken.kind, { ...message, params: { arguments: { marker: randomUUID() } } }, reply)
}

async function perform(message, reply, session, ask) {
  calls++
  const { id, params } = message
  const { progressToken } = params._meta ?? {}
  const kind = params.name === 'fault' ? params.arguments.kind : undefined
  if (kind !== undefined && (await fault(kind, message, reply, session))) return
  const progress = (step) => {
    if (progressToken !== undefined)
      reply.event({ method: 'notifications/progress', params: { ...step, progressToken } })
  }
  const real = kind === undefined ? params : { ...params, name: 'echo' }
  try {
    reply.answer({ id, result: { ...(await call(real, { progress, ask })), ...session?.more } })
  } catch (error) {
    if (error.input) reply.answer({ id, result: error.input })
    else reply.answer({ id, error: { code: error.code ?? -32603, message: error.message } })
  }
}

async function legacy(request, response, path) {
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

const complete = { resultType: 'complete' }
const cached = { ...complete, ttlMs: 3_600_000, cacheScope: 'public' }

async function modern(request, response, path) {
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
      // What comes back must be what this very call was given.
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

// An idle connection is not closed while a busy machine takes its time to use it.
const server = createServer({ keepAliveTimeout: 15_000 }, async (request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost')
  if (pathname.startsWith('/legacy')) return legacy(request, response, pathname)
  if (pathname.startsWith('/modern')) return modern(request, response, pathname)
  if (pathname === '/control/handshake') {
    const { path, ...broken } = await bodyOf(request)
    brokenHandshakes.set(path, broken)
    return response.end()
  }
  if (pathname !== '/control/state') return response.writeHead(404).end()
  // The connection of who asks is not counted.
  response.setHeader('connection', 'close')
  const state = { sessions: sessions.size, streams: streams.size, hanging: hanging.size }
  json(response, { ...state, sockets: sockets.size - 1, calls })
})
server.on('connection', (socket) => {
  sockets.add(socket)
  socket.once('close', () => sockets.delete(socket))
})
server.listen({ port: Number(process.argv[2] ?? 0), host: '127.0.0.1', backlog: 4096 }, () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`)
})
process.stdin.on('end', () => process.exit(0)).resume()
