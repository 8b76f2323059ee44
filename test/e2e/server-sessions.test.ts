/** Sessions at a server over HTTP that replicas have in common, with the transport of the official SDK as the server. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import {
  CallToolRequestSchema,
  isInitializeRequest,
  ListToolsRequestSchema,
  LoggingMessageNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { expect, onTestFinished, test } from 'vitest'
import { describeWithValkey, startValkey, type ValkeyServer } from '../support/valkey-server.ts'
import { type HttpProxy, startHttpProxy } from './support/http-proxy.ts'
import { PATIENT, type ToolResult, textOf } from './support/world.ts'

const WAIT = { timeout: 60_000, interval: 50 }

/** A server that counts its sessions, and the calls of each. */
interface CountingServer {
  url: string
  /** How often a session was begun. */
  begun(): number
  /** Sessions that it knows now. */
  open(): number
  ended: string[]
  /** Versions that requests named, but for `initialize`. */
  versions: Set<string | undefined>
  forget(): void
  say(text: string): Promise<void>
}

async function startCountingServer(): Promise<CountingServer> {
  const sessions = new Map<string, { transport: StreamableHTTPServerTransport; server: Server }>()
  let begun = 0
  const ended: string[] = []
  const versions = new Set<string | undefined>()

  async function begin(): Promise<StreamableHTTPServerTransport> {
    let calls = 0
    const server = new Server(
      { name: 'counting', version: '1.0.0' },
      { capabilities: { tools: {}, logging: {} }, instructions: 'It counts.' },
    )
    server.setRequestHandler(ListToolsRequestSchema, async () => ({
      tools: [{ name: 'count', inputSchema: { type: 'object' as const } }],
    }))
    server.setRequestHandler(CallToolRequestSchema, async () => ({
      content: [{ type: 'text', text: `call ${++calls}` }],
    }))
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        begun++
        sessions.set(id, { transport, server })
      },
      onsessionclosed: (id) => {
        ended.push(id)
        sessions.delete(id)
      },
    })
    await server.connect(transport as never)
    return transport
  }

  const http = createServer(async (request, response) => {
    const body = await bodyOf(request)
    const id = request.headers['mcp-session-id']
    const known = sessions.get(String(id))?.transport
    if (isInitializeRequest(body)) return (await begin()).handleRequest(request, response, body)
    if (known === undefined) return response.writeHead(404).end('Session not found')
    versions.add(request.headers['mcp-protocol-version'] as string | undefined)
    return known.handleRequest(request, response, body)
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    begun: () => begun,
    open: () => sessions.size,
    ended,
    versions,
    forget: () => sessions.clear(),
    async say(data) {
      for (const { server } of sessions.values()) await server.sendLoggingMessage({ level: 'error', data })
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text === '' ? undefined : JSON.parse(text)
}

async function replicas(server: CountingServer): Promise<{ valkey: ValkeyServer; running: HttpProxy[] }> {
  const valkey = await startValkey()
  onTestFinished(() => valkey.stop())
  const options = {
    servers: { c: { url: server.url } },
    settings: {
      sessions: { key: 'a key that all replicas have' },
      store: { url: valkey.url, key: 'a key of the store' },
    },
  }
  return { valkey, running: await Promise.all([startHttpProxy(options), startHttpProxy(options)]) }
}

/** Its requests go to the replicas in turn; its standing stream is at the first one. */
async function connectInTurn(running: readonly HttpProxy[]) {
  let nth = 0
  const inTurn: typeof fetch = (_, init) => {
    const at = init?.method === 'POST' ? nth++ % running.length : 0
    return fetch(running[at]?.url as URL, init)
  }
  const client = new LegacyClient({ name: 'test', version: '1.0.0' })
  onTestFinished(() => client.close())
  const transport = new LegacyTransport(running[0]?.url as URL, { fetch: inTurn })
  await client.connect(transport as never, PATIENT)
  const count = async (): Promise<string> =>
    textOf((await client.callTool({ name: 'c_count', arguments: {} }, undefined, PATIENT)) as ToolResult)
  return { client, transport, count }
}

describeWithValkey('replicas before a server over HTTP', () => {
  test('have one session at it for a client that calls them in turn', async () => {
    const server = await startCountingServer()
    const { running } = await replicas(server)
    const { client, transport, count } = await connectInTurn(running)
    const heard: unknown[] = []
    client.setNotificationHandler(
      LoggingMessageNotificationSchema,
      ({ params }) => void heard.push(params.data),
    )
    for (let nth = 1; nth <= 6; nth++) expect(await count()).toBe(`call ${nth}`)
    const together = await Promise.all(Array.from({ length: 20 }, count))
    expect(new Set(together).size).toBe(20)
    expect(await count()).toBe('call 27')
    expect(server.begun()).toBe(1)
    expect([...server.versions]).toEqual(['2025-11-25'])

    // One of the replicas has the stream of the session at the server, so the client hears it once.
    await server.say('once')
    await expect.poll(() => heard, WAIT).toEqual(['once'])

    await transport.terminateSession()
    await expect.poll(server.open, WAIT).toBe(0)
    expect(new Set(server.ended).size).toBe(1)
  })

  test('begin another one where the server has forgotten it, and have that in common', async () => {
    const server = await startCountingServer()
    const { running } = await replicas(server)
    const { count } = await connectInTurn(running)
    for (let nth = 1; nth <= 4; nth++) expect(await count()).toBe(`call ${nth}`)
    server.forget()
    for (let nth = 1; nth <= 4; nth++) expect(await count()).toBe(`call ${nth}`)
    expect(server.begun()).toBe(2)
    expect(server.ended).toEqual([])
  })

  test('leave it to the others when one of them ends, and when one is killed', async () => {
    const server = await startCountingServer()
    const { running } = await replicas(server)
    const [first, second] = running as [HttpProxy, HttpProxy]
    const { client, count } = await connectInTurn(running)
    const heard: unknown[] = []
    client.setNotificationHandler(
      LoggingMessageNotificationSchema,
      ({ params }) => void heard.push(params.data),
    )
    for (let nth = 1; nth <= 4; nth++) expect(await count()).toBe(`call ${nth}`)
    first.child.kill('SIGTERM')
    await once(first.child, 'exit')
    expect(server.ended).toEqual([])
    running[0] = second
    expect(await count()).toBe('call 5')
    // The connection that is left takes the stream of the session at the server. The server refused the stream to it as long as the other
    // connection had it.
    const said = async (): Promise<number> => {
      await server.say('to the other one')
      return heard.length
    }
    await expect.poll(said, WAIT).toBeGreaterThan(0)
    second.child.kill('SIGKILL')
    await once(second.child, 'exit')
    expect(server.begun()).toBe(1)
    expect(server.open()).toBe(1)
  })

  test('each have their own while the store is away', async () => {
    const server = await startCountingServer()
    const { valkey, running } = await replicas(server)
    await valkey.kill()
    const { count } = await connectInTurn(running)
    const counted = [await count(), await count(), await count(), await count()]
    expect(counted.toSorted()).toEqual(['call 1', 'call 1', 'call 2', 'call 2'])
    expect(server.begun()).toBe(2)
  })
})
