/** The ways in which a client comes to the tools of servers: what it reads about them, and how it calls one. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { expect, vi } from 'vitest'
import { parseConfig } from '../../src/config/load-program.ts'
import { createGateway, type GatewayParts } from '../../src/gateway.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import type { Serve } from '../../src/upstream/in-process.ts'
import { type Embedded, embedded } from './embedded.ts'
import { temporaryFolder } from './upstream.ts'

export interface Answer {
  text: string
  failed: boolean
}

/** A client behind a proxy with these servers. */
export interface Road {
  /** All that the client can learn of tools, as text. */
  told(): Promise<string>
  /** By any name that a client may try; a failure is told as text, whatever form it has. */
  call(name: string, args?: JsonObject): Promise<Answer>
  /** The text before each name that the proxy with the modules gives. */
  prefix: string
  /** The listed name of a tool. */
  listed(server: string, tool: string): string
  /** The modules are these from now on. */
  modules(list: JsonObject[]): Promise<void>
}

export interface RoadOptions {
  servers: Record<string, Serve>
  parts: GatewayParts
  until(close: () => Promise<void>): void
}

const plainNames = (server: string, tool: string): string => `${server}_${tool}`
const answer = (run: Promise<JsonObject>): Promise<Answer> =>
  run.then(
    ({ content, isError }) => ({
      text: (content as { text?: string }[]).map(({ text }) => text).join('\n'),
      failed: isError === true,
    }),
    (error: Error) => ({ text: error.message, failed: true }),
  )

/** The search of a fresh call: every line. */
const ALL = { pattern: '.', mode: 'regex', max_results: 100 }
const WANTED = 'goods, pay, a present, stock, seek wares'

async function through(
  { servers, parts, until }: RoadOptions,
  settings: JsonObject,
  road: (world: Embedded) => Pick<Road, 'told' | 'call'>,
): Promise<Road> {
  const world = await embedded({ servers, parts, until, settings })
  return { ...road(world), prefix: '', listed: plainNames, modules: world.modules }
}

const listedTools = async ({ client }: Embedded): Promise<string> => {
  const { tools } = await client.listTools()
  return JSON.stringify(tools.filter(({ name }) => !/^(?:proxy|retrieve|describe|call)_/.test(name)))
}

/** The tools that `retrieve_tools` finds, and the descriptions of `describe_tool` for them and for the given names. */
const foundTools = async (world: Embedded): Promise<string> => {
  const found = await answer(world.ask({ query: WANTED, top_k: 50 }, 'retrieve_tools'))
  const { tools } = JSON.parse(found.text) as { tools: { name: string }[] }
  const names = tools.map(({ name }) => name)
  const described = names.map((name) => answer(world.ask({ names: [name] }, 'describe_tool')))
  return JSON.stringify([tools, (await Promise.all(described)).map(({ text }) => text)])
}

export const ROADS: Record<string, (options: RoadOptions) => Promise<Road>> = {
  'tools as they are': (options) =>
    through(options, { exposure: 'passthrough' }, (world) => ({
      told: () => listedTools(world),
      call: (name, args = {}) => answer(world.ask(args, name)),
    })),
  'a tool of the proxy that calls them': (options) =>
    through(options, { exposure: 'passthrough', freshCalls: 'all' }, (world) => ({
      told: () => listedTools(world),
      call: (tool, args = {}) => answer(world.ask({ tool, arguments: args, ...ALL }, 'proxy_search')),
    })),
  'retrieve, call_tool': (options) =>
    through(options, { exposure: 'retrieve' }, (world) => ({
      told: () => foundTools(world),
      call: (name, args = {}) => answer(world.ask({ name, arguments: args }, 'call_tool')),
    })),
  'retrieve, a call tool for each effect': (options) =>
    through(options, { exposure: 'retrieve', retrieve: { variants: 'readWriteDestructive' } }, (world) => ({
      told: () => foundTools(world),
      call: (name, args = {}) => answer(world.ask({ name, arguments: args }, 'call_tool_destructive')),
    })),
  'retrieve, by names': (options) =>
    through(options, { exposure: 'retrieve', retrieve: { routing: 'dynamic' } }, (world) => ({
      told: async () => {
        const found = await answer(world.ask({ query: WANTED, top_k: 50 }, 'retrieve_tools'))
        const { tools } = JSON.parse(found.text) as JsonObject
        return JSON.stringify(tools) + (await listedTools(world))
      },
      call: (name, args = {}) => answer(world.ask(args, name)),
    })),
  'one tool for all': (options) =>
    through(options, { exposure: 'dispatch' }, (world) => ({
      told: () => dispatchTold(world),
      call: (tool, args = {}) => answer(world.ask({ action: 'call', tool, arguments: args })),
    })),
  'one tool for all, asked in one go': (options) =>
    through(options, { exposure: 'dispatch', freshCalls: 'all' }, (world) => ({
      told: () => dispatchTold(world),
      call: (tool, args = {}) =>
        answer(world.ask({ action: 'search_result', tool, arguments: args, ...ALL })),
    })),
  'one tool for all, results in files': (options) =>
    through(options, { exposure: 'dispatch' }, (world) => ({
      told: () => dispatchTold(world),
      async call(tool, args = {}) {
        const made = await world.ask({ action: 'call', tool, arguments: args, resultToFile: true })
        const { resultFile } = made as JsonObject
        if (typeof resultFile !== 'string') return answer(Promise.resolve(made))
        return { text: readFileSync(resultFile, 'utf8'), failed: false }
      },
    })),
  scripts,
  'a proxy behind a proxy': chained,
}

async function dispatchTold(world: Embedded): Promise<string> {
  const list = await answer(world.ask({ action: 'list', format: 'detail', includeInputSchema: true }))
  const found = await answer(world.ask({ action: 'search', query: WANTED, limit: 50 }))
  const { tools } = JSON.parse(found.text) as JsonObject
  // The reply also repeats the query, which is no answer.
  return list.text + JSON.stringify(tools)
}

async function scripts({ servers, parts, until }: RoadOptions): Promise<Road> {
  const dataDir = temporaryFolder(until)
  const settings = { exposure: 'passthrough', bridge: { enabled: true, tools: ['*'], inlineBytes: 0 } }
  const world = await embedded({ servers, parts, until, settings, dataDir })
  const token = readFileSync(join(dataDir, 'bridge-token'), 'utf8').trim()
  const bridge = readFileSync(join(dataDir, 'bridge-url'), 'utf8').trim()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const post = async (path: string, body: JsonObject): Promise<JsonObject> =>
    (await (
      await fetch(bridge + path, { method: 'POST', headers, body: JSON.stringify(body) })
    ).json()) as JsonObject
  return {
    prefix: '',
    listed: plainNames,
    modules: world.modules,
    async told() {
      const { tools } = await post('/search', { query: WANTED, limit: 50, includeInputSchema: true })
      return JSON.stringify([await post('/list', { includeInputSchema: true }), tools ?? null])
    },
    async call(tool, args = {}) {
      const { error, isError, cache_id: id } = await post('/call', { tool, arguments: args })
      if (error !== undefined) return { text: JSON.stringify(error), failed: true }
      const kept = await fetch(`${bridge}/result/${String(id)}`, { headers })
      return { ...(await answer(kept.json() as Promise<JsonObject>)), failed: isError === true }
    },
  }
}

/** The modules are those of the proxy nearest to the servers. */
async function chained(options: RoadOptions): Promise<Road> {
  const { world, modules } = await chain(options)
  return {
    told: () => listedTools(world),
    call: (name, args = {}) => answer(world.ask(args, name)),
    prefix: 'near_',
    listed: (server, tool) => `near_${server}_${tool}`,
    modules,
  }
}

export interface Chain {
  /** The client, and the proxy that it is connected to. */
  world: Embedded
  /** Those of the proxy behind that one. */
  modules(list: JsonObject[]): Promise<void>
}

/** A client, a proxy, its server `near`, which is a proxy, and the servers. `outer`: the modules of the first. */
export async function chain(
  { servers, parts, until }: RoadOptions,
  outer: JsonObject[] = [],
): Promise<Chain> {
  const proxySettings = { dataDir: temporaryFolder(until) }
  const configOf = (modules: JsonObject[]) =>
    parseConfig({ mcpServers: {}, proxySettings, modules }, parts.modules)
  const [input, output] = [new PassThrough(), new PassThrough()]
  const inner = await createGateway(configOf([]), { ...parts, servers, input, output })
  until(() => inner.close())
  await inner.start()
  const lists = new Set<unknown>()
  /** Lists that the outer proxy got. */
  let listed = 0
  const near: Serve = async (transport) => {
    createInterface({ input: output }).on('line', (line) => {
      const message = JSON.parse(line)
      if (lists.delete(message.id)) listed++
      void transport.send(message).catch(() => {})
    })
    transport.onmessage = (message) => {
      if ('id' in message && 'method' in message && message.method === 'tools/list') lists.add(message.id)
      input.write(`${JSON.stringify(message)}\n`)
    }
    await transport.start()
  }
  const world = await embedded({
    servers: { near },
    modules: outer,
    until,
    settings: { exposure: 'passthrough' },
  })
  return {
    world,
    async modules(list) {
      const before = listed
      await inner.reconfigure(configOf(list))
      // It hears that the list changed, and gets it.
      await vi.waitFor(() => expect(listed).toBeGreaterThan(before), 60_000)
    },
  }
}
