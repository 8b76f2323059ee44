/** The legacy era over streamable HTTP: one server and one transport a session (MCP 2025-11-25, basic/transports). */
import { randomUUID } from 'node:crypto'
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node'
import { createFixture } from './fixture.mjs'

/** Milliseconds after which a client comes back when its stream ended. */
const RETRY_MS = 100

/** @param lists what is switched on (`lists.mjs`) */
export function createLegacy(lists) {
  const sessions = new Map()

  async function open(request, response, body) {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
      eventStore: createEventStore(),
      retryInterval: RETRY_MS,
    })
    await createFixture('legacy', lists, true).connect(transport)
    await transport.handleRequest(request, response, body)
    if (transport.sessionId === undefined) await transport.close()
  }

  return {
    async handle(request, response, body) {
      const id = request.headers['mcp-session-id']
      if (id === undefined) return open(request, response, body)
      const transport = sessions.get(id)
      if (transport) return transport.handleRequest(request, response, body)
      const error = { code: -32001, message: 'Session not found' }
      response.writeHead(404, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ jsonrpc: '2.0', error, id: null }))
    },
    async close() {
      await Promise.all([...sessions.values()].map((transport) => transport.close()))
    },
  }
}

/** The events of one session, in order, so that a client that comes back gets what it missed. */
function createEventStore() {
  const events = []
  return {
    async storeEvent(stream, message) {
      events.push({ stream, message })
      return String(events.length)
    },
    async getStreamIdForEventId(id) {
      return events[Number(id) - 1]?.stream
    },
    async replayEventsAfter(lastId, { send }) {
      const stream = events[Number(lastId) - 1]?.stream
      if (stream === undefined) throw new Error(`No event ${lastId}`)
      for (const [index, event] of events.entries()) {
        // The event that opens a stream has no message.
        if (index < Number(lastId) || event.stream !== stream || event.message.jsonrpc === undefined) continue
        await send(String(index + 1), event.message)
      }
      return stream
    },
  }
}
