/** Modules of a configuration before the router, over servers that a test makes up and changes as it goes. */
import type { ModuleDefinition } from '../../src/module-runtime/module.ts'
import type { Result } from '../../src/protocol/content.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { createDirectory } from '../../src/proxy/catalogue.ts'
import type { NamingOptions } from '../../src/proxy/names.ts'
import { createAddressBook } from '../../src/proxy/resources.ts'
import { createRouter } from '../../src/proxy/router.ts'
import type { ListKind, Upstreams } from '../../src/upstream/contract.ts'
import { moduleWorld } from './module-world.ts'
import type { FakeClient } from './upstream.ts'

/** A server: what it lists, and what it answers. */
export interface MadeUp extends Partial<Record<ListKind, JsonObject[]>> {
  /** It gives no lists, and still answers. */
  silent?: boolean
  /** The tools that it lists now, where the proxy has older lists. */
  now?: JsonObject[]
  answer?(method: string, params: JsonObject): Result
}

export interface RoutedOptions {
  naming?: Partial<NamingOptions>
  reserved?: readonly string[]
  client?: FakeClient
  definitions?: readonly ModuleDefinition[]
  now?: () => number
}

const NONE: readonly JsonObject[] = []

/** `reached`: what the servers were asked. */
export async function routedWorld(
  modules: JsonObject[],
  servers: Record<string, MadeUp>,
  { naming, reserved = [], ...options }: RoutedOptions = {},
) {
  const reached: [server: string, method: string, what: unknown][] = []
  const upstreams = {
    get servers() {
      return Object.keys(servers)
    },
    serversFor: () => Object.keys(servers),
    known: () => ({ capabilities: { tools: {}, prompts: {}, resources: {} } }),
    status: () => [],
    list: async (kind: ListKind) =>
      Object.entries(servers).flatMap(([server, made]) =>
        made.silent ? [] : [{ server, items: made[kind] ?? NONE }],
      ),
    surely: async (kind: ListKind, server: string) => {
      const made = servers[server]
      return (kind === 'tools' ? made?.now : undefined) ?? made?.[kind] ?? NONE
    },
    request: async (server: string, { method, params = {} }: { method: string; params?: JsonObject }) => {
      reached.push([server, method, params.name ?? params.uri ?? params.ref])
      const answer = servers[server]?.answer
      return answer ? answer(method, params) : { content: [{ type: 'text', text: `${server} ${method}` }] }
    },
  } as unknown as Upstreams
  const book = createAddressBook()
  const directory = createDirectory({
    upstreams,
    reserved,
    naming: { prefix: 'always', separator: '_', maxLength: 60, charset: 'default', rename: {}, ...naming },
  })
  const router = createRouter({ upstreams, tools: async () => [], directory, book })
  const world = await moduleWorld(modules, { ...options, server: router })
  return { ...world, servers, reached }
}
