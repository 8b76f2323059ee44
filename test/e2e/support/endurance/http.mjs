/**
 * A server over HTTP on 127.0.0.1 that is broken when it is asked to be, in one process, cheap for each session; prints its address.
 * `argv[2]`: the port. `/legacy/…` and `/modern/…` are of one era each. `/control/state` tells what is open; a POST of
 * `{path, kind, count}` to `/control/handshake` breaks the next handshakes at a path.
 */
import { createServer } from 'node:http'
import { legacy } from './http/legacy.mjs'
import { modern } from './http/modern.mjs'
import { bodyOf, json } from './http/reply.mjs'
import { brokenHandshakes, calls, hanging, sessions, streams } from './http/state.mjs'

const sockets = new Set()

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
  json(response, { ...state, sockets: sockets.size - 1, calls: calls.all })
})
server.on('connection', (socket) => {
  sockets.add(socket)
  socket.once('close', () => sockets.delete(socket))
})
server.listen({ port: Number(process.argv[2] ?? 0), host: '127.0.0.1', backlog: 4096 }, () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`)
})
process.stdin.on('end', () => process.exit(0)).resume()
