/** The gateway with servers that are parts of this process, and a client of the SDK: nothing is started but the proxy's own threads. */
import { PassThrough } from 'node:stream'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { ClientCapabilities } from '@modelcontextprotocol/sdk/types.js'
import { onTestFinished } from 'vitest'
import { parseConfig } from '../../src/config/load-program.ts'
import type { Config } from '../../src/config/schema.ts'
import { createGateway, type Gateway, type GatewayParts } from '../../src/gateway.ts'
import { textBlock } from '../../src/protocol/content.ts'
import { RPC, RpcError } from '../../src/protocol/errors.ts'
import { isObject, type JsonObject } from '../../src/protocol/json.ts'
import { type Incoming, Peer } from '../../src/protocol/peer.ts'
import type { Serve } from '../../src/upstream/in-process.ts'
import { temporaryFolder } from './upstream.ts'

/** A tool of such a server: its definition without a name, and what it answers. */
export interface ToolOf {
  description?: string
  annotations?: JsonObject
  inputSchema?: JsonObject
  outputSchema?: JsonObject
  _meta?: JsonObject
  /** A text, or a whole result. Default: the arguments as JSON. */
  run?(
    args: JsonObject,
    params: JsonObject,
    call: Incoming,
  ): JsonObject | string | Promise<JsonObject | string>
}

export interface ToolServer {
  serve: Serve
  /** The tools that it lists from now on; it sends no notification. */
  tools: Record<string, ToolOf>
  /** Connections that were made. */
  connections: number
  /** Params of the calls that came. */
  readonly calls: JsonObject[]
  lists: number
  /** Tells every connection that the list of tools has changed. */
  announce(): void
}

/** Connecting waits for `gate`. */
export function toolServer(
  tools: Record<string, ToolOf>,
  gate: Promise<unknown> = Promise.resolve(),
): ToolServer {
  const peers: Peer[] = []
  const server: ToolServer = {
    tools,
    connections: 0,
    calls: [],
    lists: 0,
    announce() {
      for (const peer of peers) peer.notify({ method: 'notifications/tools/list_changed' })
    },
    async serve(transport) {
      server.connections++
      await gate
      const peer = new Peer(transport, {
        async onRequest({ method, params = {} }, incoming) {
          if (method === 'initialize')
            return {
              protocolVersion: String(params.protocolVersion),
              capabilities: { tools: { listChanged: true } },
              serverInfo: { name: 'tool-server', version: '7' },
            }
          if (method === 'tools/list') {
            server.lists++
            return { tools: Object.entries(server.tools).map(definitionOf) }
          }
          if (method === 'server/discover') throw new RpcError(RPC.methodNotFound, `no ${method}`)
          if (method !== 'tools/call') return {}
          server.calls.push(params)
          const args = isObject(params.arguments) ? params.arguments : {}
          const answer =
            (await server.tools[String(params.name)]?.run?.(args, params, incoming)) ?? JSON.stringify(args)
          return typeof answer === 'string' ? { content: [textBlock(answer)] } : answer
        },
        onNotification() {},
      })
      peers.push(peer)
      await peer.start()
    },
  }
  return server
}

function definitionOf([name, { run: _, inputSchema = { type: 'object' }, ...rest }]: [
  string,
  ToolOf,
]): JsonObject {
  return { name, inputSchema, ...(rest as JsonObject) }
}

export interface ReadResult extends JsonObject {
  content: { type: string; text: string }[]
  isError?: boolean
}

export interface Embedded {
  gateway: Gateway
  client: Client
  /** Calls `proxy-dispatch`, or the tool that is named. */
  ask(args: JsonObject, name?: string): Promise<ReadResult>
  /** The JSON in the text of that answer. */
  data(args: JsonObject): Promise<JsonObject>
  names(): Promise<string[]>
  /** Takes these modules from now on. */
  modules(list: JsonObject[]): Promise<void>
}

export interface EmbeddedOptions {
  servers?: Record<string, Serve>
  mcpServers?: JsonObject
  settings?: JsonObject
  modules?: JsonObject[]
  /** Where the configuration is said to come from. */
  file?: string
  dataDir?: string
  /** The name and version that the client gives. */
  clientInfo?: { name: string; version: string }
  capabilities?: ClientCapabilities
  parts?: GatewayParts
  /** Takes what closes it. Default: it is closed when the test is finished. */
  until?(close: () => Promise<void>): void
}

/** By default in the exposure `dispatch`. */
export async function embedded(options: EmbeddedOptions): Promise<Embedded> {
  const { servers = {}, mcpServers = {}, until = onTestFinished } = options
  const { dataDir = temporaryFolder(until) } = options
  const input = new PassThrough()
  const output = new PassThrough()
  const proxySettings = { exposure: 'dispatch', dataDir, ...options.settings }
  const configOf = (modules: JsonObject[]): Config => ({
    ...parseConfig({ mcpServers, proxySettings, modules }, options.parts?.modules),
    file: options.file,
  })
  const gateway = await createGateway(configOf(options.modules ?? []), {
    ...options.parts,
    input,
    output,
    servers,
  })
  until(() => gateway.close())
  await gateway.start()
  const client = new Client(options.clientInfo ?? { name: 'embedder', version: '1' }, {
    ...(options.capabilities && { capabilities: options.capabilities }),
  })
  // Lines of JSON either way: one transport of the SDK is as good as the other.
  await client.connect(new StdioServerTransport(output, input))
  const ask = async (args: JsonObject, name = 'proxy-dispatch'): Promise<ReadResult> =>
    (await client.callTool({ name, arguments: args })) as unknown as ReadResult
  return {
    gateway,
    client,
    ask,
    data: async (args) => {
      const { content, isError } = await ask(args)
      if (isError) throw new Error(content[0]?.text)
      return JSON.parse(content[0]?.text ?? '') as JsonObject
    },
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    modules: async (list) => void (await gateway.reconfigure(configOf(list))),
  }
}
