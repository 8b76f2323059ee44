/**
 * A server over HTTP on a free port of 127.0.0.1; prints its address. The first argument is JSON: options of
 * `fixture.mjs` and `answer`: "sse" (default) or "json"; `port`; `listen`: what belongs to no answer comes on the stream of a GET.
 * `/mcp` is streamable HTTP, `/sse` is HTTP+SSE, `/old` is HTTP+SSE where a client may try streamable HTTP first.
 * `/control/forget` ends all sessions, `/control/seen` tells the headers of requests, `/control/sessions` counts them, `/control/drop` cuts all streams.
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { connect } from './fixture.mjs'

const options = JSON.parse(process.argv[2] ?? '{}')
const sessions = new Map()
const streams = new Set()
const seen = []

const body = async (request) => {
  let text = ''
  request.setEncoding('utf8')
  for await (const chunk of request) text += chunk
  return text === '' ? undefined : JSON.parse(text)
}

const event = (response, name, data) => response.write(`event: ${name}\ndata: ${data}\n\n`)

const openStream = (response, headers = {}) => {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers })
  response.flushHeaders()
  streams.add(response)
  response.on('close', () => streams.delete(response))
}

async function streamable(request, response) {
  const id = request.headers['mcp-session-id']
  if (request.method === 'DELETE') {
    sessions.delete(id)
    response.writeHead(200).end()
    return
  }
  if (request.method === 'GET') {
    const listener = options.listen ? sessions.get(id) : undefined
    if (listener) listen(listener, response)
    else response.writeHead(405).end()
    return
  }
  const message = await body(request)
  seen.push({ method: message.method, headers: request.headers })
  let session = sessions.get(id)
  if (message.method === 'initialize') {
    session = { id: randomUUID(), posts: new Map(), kept: [] }
    const fallback = (sent) => {
      if (!options.listen) [...session.posts.values()].at(-1)?.(sent)
      else if (session.stream) event(session.stream, 'message', JSON.stringify(sent))
      else session.kept.push(sent)
    }
    session.receive = connect(
      {
        send: (sent) =>
          sent.method === undefined && session.posts.get(sent.id)
            ? session.posts.get(sent.id)(sent)
            : fallback(sent),
      },
      { ...options, call: (_id, name) => (name === 'cut' ? cut(session) : undefined) },
    )
    sessions.set(session.id, session)
  } else if (!session) {
    response.writeHead(404).end('no such session')
    return
  }
  if (message.id === undefined || message.method === undefined) {
    response.writeHead(202).end()
    await session.receive(message)
    return
  }
  const headers = { 'mcp-session-id': session.id }
  if (options.answer === 'json') {
    session.posts.set(message.id, (sent) => {
      if (sent.method !== undefined) return
      session.posts.delete(message.id)
      response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(sent))
    })
  } else {
    openStream(response, headers)
    session.posts.set(message.id, (sent) => {
      event(response, 'message', JSON.stringify(sent))
      if (sent.method !== undefined) return
      session.posts.delete(message.id)
      response.end()
    })
  }
  await session.receive(message)
}

/** Opens the standing stream, and sends the messages that waited for it. */
function listen(session, response) {
  openStream(response)
  session.stream = response
  for (const sent of session.kept.splice(0)) event(response, 'message', JSON.stringify(sent))
}

function cut(session) {
  for (const stream of streams) stream.destroy()
  session.posts.clear()
}

function sse(response) {
  const id = randomUUID()
  openStream(response)
  event(response, 'endpoint', `/messages?session=${id}`)
  const send = (message) => event(response, 'message', JSON.stringify(message))
  sessions.set(id, { receive: connect({ send }, options) })
}

async function messages(request, response, url) {
  const session = sessions.get(url.searchParams.get('session'))
  const message = await body(request)
  seen.push({ method: message.method, headers: request.headers })
  response.writeHead(session ? 202 : 404).end()
  await session?.receive(message)
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url, 'http://localhost')
  if (url.pathname === '/mcp') await streamable(request, response)
  else if (url.pathname === '/messages') await messages(request, response, url)
  else if (url.pathname === '/sse' && request.method === 'GET') sse(response)
  else if (url.pathname === '/old') {
    if (request.method === 'GET') sse(response)
    else response.writeHead(405).end()
  } else if (url.pathname === '/control/forget') {
    sessions.clear()
    response.end()
  } else if (url.pathname === '/control/sessions') response.end(String(sessions.size))
  else if (url.pathname === '/control/seen') response.end(JSON.stringify(seen))
  else if (url.pathname === '/control/drop') {
    for (const stream of streams) stream.destroy()
    response.end()
  } else response.writeHead(404).end('nothing here')
})

// An idle connection is not closed while a busy machine takes its time to use it.
server.keepAliveTimeout = 60_000
server.listen(options.port ?? 0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`)
})
process.stdin.on('end', () => process.exit(0)).resume()
