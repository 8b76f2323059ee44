/** A server of this process with some of everything, that speaks when a test wants it to. */

import type { Result } from '../../src/protocol/content.ts'
import { RPC, RpcError } from '../../src/protocol/errors.ts'
import { isObject, type JsonObject } from '../../src/protocol/json.ts'
import type { Notification } from '../../src/protocol/message.ts'
import { Peer } from '../../src/protocol/peer.ts'
import type { Serve } from '../../src/upstream/in-process.ts'

export interface WholeServer {
  serve: Serve
  /** Requests that came, as `method name`. */
  readonly asked: string[]
  /** Connections that are open. */
  readonly peers: Set<Peer>
  /** On every connection. */
  tell(notification: Notification): void
  /** Asks on every connection; what is refused is in `refused`. */
  ask(method: string, params?: JsonObject): Promise<{ answered: Result[]; refused: unknown[] }>
}

/** Its items are called after it: the tools `read` and `many`, the prompt `hello`, `note://{name}/1`, `memo://{name}/{id}`. */
export function wholeServer(name: string): WholeServer {
  const peers = new Set<Peer>()
  const asked: string[] = []
  const answers: Readonly<Record<string, (params: JsonObject) => JsonObject>> = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion: String(protocolVersion),
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        logging: {},
        completions: {},
      },
      serverInfo: { name, version: '1' },
      instructions: `About ${name}.`,
    }),
    'tools/list': () => ({
      tools: ['read', 'many'].map((tool) => ({
        name: tool,
        description: `${tool === 'read' ? 'Reads' : 'Lists'} the ${name}`,
        inputSchema: { type: 'object' },
        annotations: { readOnlyHint: true },
      })),
    }),
    'tools/call': ({ name: tool }) => ({
      content: [
        {
          type: 'text',
          text:
            tool === 'many'
              ? JSON.stringify(Array.from({ length: 900 }, (_, n) => ({ n, of: name })))
              : `the ${name}`,
        },
      ],
    }),
    'prompts/list': () => ({ prompts: [{ name: 'hello', arguments: [{ name: 'who' }] }] }),
    'prompts/get': () => ({ messages: [{ role: 'user', content: { type: 'text', text: `hello ${name}` } }] }),
    'resources/list': () => ({ resources: [{ uri: `note://${name}/1`, name: 'one' }] }),
    'resources/templates/list': () => ({
      resourceTemplates: [{ uriTemplate: `memo://${name}/{id}`, name: 'memo' }],
    }),
    'resources/read': ({ uri }) => ({ contents: [{ uri: String(uri), text: `content of ${name}` }] }),
    ping: () => ({}),
    'logging/setLevel': () => ({}),
    'resources/subscribe': () => ({}),
    'completion/complete': () => ({ completion: { values: [name] } }),
  }
  return {
    asked,
    peers,
    async serve(transport) {
      const peer = new Peer(transport, {
        async onRequest({ method, params = {} }) {
          const { ref } = params
          const what = params.name ?? params.uri ?? (isObject(ref) ? (ref.name ?? ref.uri) : '')
          asked.push(`${method} ${String(what)}`.trim())
          const answer = answers[method]
          if (answer) return answer(params)
          throw new RpcError(RPC.methodNotFound, `Method not found: ${method}`)
        },
        onNotification() {},
        onClose: () => void peers.delete(peer),
      })
      peers.add(peer)
      await peer.start()
    },
    tell(notification) {
      for (const peer of peers) peer.notify(notification)
    },
    async ask(method, params = {}) {
      const settled = await Promise.allSettled([...peers].map((peer) => peer.request({ method, params })))
      return {
        answered: settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
        refused: settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : [])),
      }
    },
  }
}
