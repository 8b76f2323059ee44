/** Modules of a configuration around a server that answers as a test says. */
import { onTestFinished } from 'vitest'
import { parseConfig } from '../../src/config/load-program.ts'
import type { Engine } from '../../src/engine/contract.ts'
import { change } from '../../src/engine/worker.ts'
import { type Modules, openModules } from '../../src/gateway/modules.ts'
import type { ModuleDefinition } from '../../src/module-runtime/module.ts'
import type { Answer } from '../../src/module-runtime/rounds.ts'
import { createStack } from '../../src/module-runtime/stack.ts'
import type { Logger } from '../../src/observe/log.ts'
import { plain, type Result } from '../../src/protocol/content.ts'
import type { Client, Exchange, Handler } from '../../src/protocol/exchange.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import type { Notification } from '../../src/protocol/message.ts'
import { withOrigin } from '../../src/protocol/origin.ts'
import { compose } from '../../src/proxy/layers.ts'
import { exchange, type FakeClient, client as fakeClient, temporaryFolder } from './upstream.ts'

export interface WorldOptions {
  /** Answers what comes out at the server's end. */
  server?: Handler
  definitions?: readonly ModuleDefinition[]
  now?: () => number
  client?: FakeClient
  /** Whether every server has listed what it has. */
  listsAll?: () => boolean
}

export interface LogLine extends Record<string, unknown> {
  level: string
  message: string
}

/** The modules, and what passes them. */
export async function moduleWorld(modules: JsonObject[], options: WorldOptions = {}) {
  const { server = answersAll, definitions = [], now = () => 0 } = options
  const dataDir = temporaryFolder()
  const lines: LogLine[] = []
  /** The messages that the server got. */
  const sent: Exchange[] = []
  let announced = 0
  const one = options.client ?? fakeClient()
  const write =
    (level: string) =>
    (fields: object, message: string): void =>
      void lines.push({ ...fields, level, message })
  const logger: Logger = { debug: () => {}, info: write('info'), warn: write('warn'), error: write('error') }
  const configOf = (list: JsonObject[]) =>
    parseConfig({ mcpServers: {}, proxySettings: { dataDir }, modules: list }, definitions)
  const engine = { change: async (content, wanted) => change(content, wanted) } as Partial<Engine> as Engine
  const stack = createStack()
  const opened: Modules = await openModules(configOf(modules), stack, {
    engine,
    logger,
    now,
    elapsed: now,
    definitions,
    ownTools: new Set(['proxy_filter']),
    listsChanged: () => void announced++,
    ...(options.listsAll && { listsAll: options.listsAll }),
  })
  onTestFinished(() => opened.close())
  const { handler } = compose([stack.outer, stack.inner], async (asked) => {
    sent.push(asked)
    return server(asked)
  })
  const raw = (method: string, params: JsonObject = {}, changes: Partial<Exchange> = {}): Promise<Result> =>
    handler({ ...exchange(one, { method, params }), ...changes })
  return {
    modules: opened,
    stack,
    client: one,
    lines,
    sent,
    raw,
    announced: () => announced,
    ask: async (method: string, params: JsonObject = {}): Promise<JsonObject> =>
      plain(await raw(method, params)),
    /** A request of a server, outside of any request. */
    askClient(method: string, params: JsonObject, answer: Answer): Promise<Result> {
      const { agent, signal, notify } = exchange(one)
      return stack.ask({ request: { method, params }, client: one, agent, signal, notify }, answer)
    },
    tell: async (
      toward: 'client' | 'server',
      notification: Notification,
    ): Promise<Notification | undefined> => {
      let told: Notification | undefined
      await stack.notify({ ...notification, toward, client: one as Client }, ({ method, params }) => {
        told = params === undefined ? { method } : { method, params }
      })
      return told
    },
    configure: (list: JsonObject[]) => opened.configure(configOf(list)),
  }
}

/** An item as the directory lists it. */
export function listed(server: string, name: string, more: JsonObject = {}): JsonObject {
  return withOrigin({ name: `${server}_${name}`, description: `does ${name}`, ...more }, { server, name })
}

const answersAll: Handler = async ({ method, params }) => {
  switch (method) {
    case 'tools/list':
      return { tools: [listed('a', 'read'), listed('a', 'write'), listed('b', 'read')] }
    case 'prompts/list':
      return { prompts: [listed('a', 'hello'), listed('b', 'bye')] }
    case 'resources/list':
      return {
        resources: [
          { uri: 'note://1', name: 'one' },
          { uri: 'file:///x', name: 'x' },
        ],
      }
    case 'resources/templates/list':
      return { resourceTemplates: [{ uriTemplate: 'note://{id}', name: 'notes' }] }
    case 'resources/read':
      return { contents: [{ uri: params.uri ?? '', text: 'content' }] }
    case 'prompts/get':
      return {
        messages: [{ role: 'user', content: { type: 'text', text: `prompt ${String(params.name)}` } }],
      }
    case 'sampling/createMessage':
      return { role: 'assistant', content: { type: 'text', text: 'sampled' }, model: 'm' }
    default:
      return { content: [{ type: 'text', text: `called ${String(params.name)}` }] }
  }
}
