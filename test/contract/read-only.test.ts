/**
 * Ways to run a tool that may write through one that reads: all are refused. An approval of the proxy's reading tools approves nothing
 * else. Each way has its control, a reading tool that goes the same way and is run, so that no row passes for another reason.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { defineModule } from '../../src/module-runtime/module.ts'
import { plain } from '../../src/protocol/content.ts'
import type { Exchange, Handler, Middleware } from '../../src/protocol/exchange.ts'
import { isObject, type JsonObject } from '../../src/protocol/json.ts'
import {
  type Embedded,
  type EmbeddedOptions,
  embedded,
  type ToolOf,
  toolServer,
} from '../support/embedded.ts'
import { patience } from '../support/runs.ts'
import { temporaryFolder } from '../support/upstream.ts'

/** Every tool that a server ran, by `server/tool`. */
const ran: string[] = []

const READS = new Set(['crm/show', 'crm/peek'])

function serverOf(name: string, tools: Record<string, object | undefined>) {
  const made = Object.entries(tools).map(([tool, annotations]): [string, ToolOf] => [
    tool,
    {
      description: tool,
      ...(annotations && { annotations: annotations as JsonObject }),
      run() {
        ran.push(`${name}/${tool}`)
        return JSON.stringify([{ id: 1, name: 'alpha' }])
      },
    },
  ])
  return toolServer(Object.fromEntries(made))
}

const reading = { readOnlyHint: true }

/** Tools that do not declare that they only read, by what they say instead. */
const ODD: Readonly<Record<string, object | undefined>> = {
  purge: undefined,
  add: { readOnlyHint: false, destructiveHint: false },
  idempotent: { idempotentHint: true, openWorldHint: false },
  says_no: { readOnlyHint: false },
  text: { readOnlyHint: 'true' },
  one: { readOnlyHint: 1 },
  object: { readOnlyHint: {} },
  nothing: { readOnlyHint: null },
  both: { readOnlyHint: true, destructiveHint: true },
  lower_case: { readonlyhint: true },
  inherited: JSON.parse('{"__proto__":{"readOnlyHint":true}}') as object,
  deeper: { annotations: { readOnlyHint: true } },
  in_a_list: [{ readOnlyHint: true }],
  constructed: { constructor: { readOnlyHint: true } },
}

function crm() {
  const server = serverOf('crm', {
    show: reading,
    peek: reading,
    ...ODD,
    'sh\u043ew': undefined,
    SHOW: undefined,
  })
  // A member that stands beside the annotations is none of them.
  Object.assign(server.tools, {
    beside: { ...server.tools.purge, readOnlyHint: true },
    in_meta: { ...server.tools.purge, _meta: { annotations: reading } },
  })
  return server
}
const mail = () => serverOf('mail', { show: undefined, send: undefined })

/** A module that changes lists and calls. */
function changing(
  name: string,
  change: { list?(tool: JsonObject): JsonObject; call?(name: string): string },
) {
  return defineModule({
    name,
    options: z.strictObject({}),
    messages: () => ['tools/*'],
    create: () => ({
      wrap: (next: Handler) => async (exchange: Exchange) => {
        if (exchange.method === 'tools/call')
          return next({
            ...exchange,
            params: {
              ...exchange.params,
              name: change.call?.(String(exchange.params.name)) ?? String(exchange.params.name),
            },
          })
        const result = plain(await next(exchange))
        const tools = Array.isArray(result.tools) ? result.tools.filter(isObject) : []
        return { ...result, tools: tools.map((tool) => change.list?.(tool) ?? tool) }
      },
    }),
  })
}

const distrusting = changing('distrusting', {
  list: (tool) => (tool.name === 'crm_show' ? { ...tool, annotations: { readOnlyHint: false } } : tool),
})
const redirecting = changing('redirecting', { call: (name) => (name === 'crm_show' ? 'crm_purge' : name) })
const trusting = changing('trusting', {
  list: (tool) => (tool.name === 'crm_add' ? { ...tool, annotations: reading } : tool),
})

/** An embedder's layer with a tool of its own, which it lists without annotations. */
const layer: Middleware = {
  name: 'layer',
  methods: ['tools/list', 'tools/call'],
  wrap: (next) => async (exchange) => {
    if (exchange.method === 'tools/call' && exchange.params.name === 'layer_write') {
      ran.push('layer/write')
      return { content: [] }
    }
    const result = await next(exchange)
    if (exchange.method !== 'tools/list') return result
    const { tools, ...rest } = plain(result)
    const own = { name: 'layer_write', inputSchema: { type: 'object' } }
    return { ...rest, tools: [...(Array.isArray(tools) ? tools : []), own] }
  },
}

const split = { variants: 'readWriteDestructive' }
const WORLDS = {
  plain: { settings: { exposure: 'passthrough' } },
  unprefixed: { settings: { exposure: 'passthrough', naming: { prefix: 'never' } } },
  remembering: { settings: { exposure: 'passthrough', toolCache: { enabled: true } } },
  renamed: {
    settings: { exposure: 'passthrough' },
    modules: [{ use: 'rename', tools: { crm_purge: 'crm_read' } }],
  },
  swapped: {
    settings: { exposure: 'passthrough' },
    modules: [{ use: 'rename', tools: { crm_show: 'crm_other', crm_purge: 'crm_show' } }],
  },
  distrusted: { settings: { exposure: 'passthrough' }, modules: [{ use: 'distrusting' }] },
  redirected: { settings: { exposure: 'passthrough' }, modules: [{ use: 'redirecting' }] },
  'redirected, failing open': {
    settings: { exposure: 'passthrough' },
    modules: [{ use: 'redirecting', failOpen: true, timeoutMs: 60_000 }],
  },
  trusted: { settings: { exposure: 'passthrough' }, modules: [{ use: 'trusting' }] },
  layered: { settings: { exposure: 'passthrough' }, parts: { middlewares: [layer] } },
  found: { settings: { exposure: 'retrieve' } },
  'found, split': { settings: { exposure: 'retrieve', retrieve: split } },
  'found, dynamic': { settings: { exposure: 'retrieve', retrieve: { routing: 'dynamic' } } },
  'found, split, all': { settings: { exposure: 'retrieve', retrieve: split, freshCalls: 'all' } },
  dispatched: { settings: {} },
  'dispatched, split': { settings: { dispatch: split } },
  'dispatched, split, all': { settings: { dispatch: split, freshCalls: 'all' } },
  scripts: { settings: { exposure: 'passthrough', bridge: { enabled: true } } },
  'scripts, redirected': {
    settings: { exposure: 'passthrough', bridge: { enabled: true } },
    modules: [{ use: 'redirecting' }],
  },
  all: { settings: { exposure: 'passthrough', freshCalls: 'all' } },
} satisfies Record<string, EmbeddedOptions>

/** Unparsed: the SDK refuses a list with annotations as odd as these. */
async function listOf({ client }: Embedded): Promise<JsonObject[]> {
  const { tools } = (await client.request({ method: 'tools/list' }, ResultSchema)) as JsonObject
  return Array.isArray(tools) ? tools.filter(isObject) : []
}

type World = keyof typeof WORLDS
interface Open extends Embedded {
  dataDir: string
}

const worlds = new Map<World, Promise<Open>>()
const closing: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of closing.reverse()) await close()
})

function opened(world: World): Promise<Open> {
  const until = (close: () => Promise<void>): void => void closing.push(close)
  const open = async (): Promise<Open> => {
    const dataDir = temporaryFolder(until)
    const { settings, modules = [], parts = {} }: EmbeddedOptions = WORLDS[world]
    const one = await embedded({
      servers: { crm: crm().serve, mail: mail().serve },
      settings: { connect: { timeoutMs: 120_000, listWaitMs: 120_000 }, ...settings },
      parts: { ...parts, modules: [distrusting, redirecting, trusting] },
      modules,
      dataDir,
      until,
    })
    await listOf(one)
    return { ...one, dataDir }
  }
  const made = worlds.get(world) ?? open()
  worlds.set(world, made)
  return made
}

type Way = (world: Open) => Promise<unknown>

const call =
  (name: string, args: JsonObject, beside: JsonObject = {}): Way =>
  ({ client }) =>
    client.request({ method: 'tools/call', params: { name, arguments: args, ...beside } }, ResultSchema)
const fresh = (tool: string, by = 'proxy_filter', args: JsonObject = {}): Way =>
  call(by, { tool, arguments: args, ...(by === 'proxy_search' && { pattern: 'alpha' }) })
const action = (name: string, args: JsonObject): Way => call('proxy-dispatch', { action: name, ...args })
const script =
  (path: string, body: JsonObject): Way =>
  async ({ dataDir }) => {
    const read = (file: string): string => readFileSync(join(dataDir, file), 'utf8').trim()
    const headers = { authorization: `Bearer ${read('bridge-token')}`, 'content-type': 'application/json' }
    const answered = await fetch(`${read('bridge-url')}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return answered.json()
  }

const ATTACKS: readonly [name: string, world: World, way: Way][] = [
  ['proxy_filter calls a tool without annotations', 'plain', fresh('crm_purge')],
  ['proxy_search calls it', 'plain', fresh('crm_purge', 'proxy_search')],
  ['proxy_explore calls it', 'plain', fresh('crm_purge', 'proxy_explore')],
  ...Object.keys(ODD)
    .filter((tool) => tool !== 'purge')
    .map((tool): [string, World, Way] => [`annotations of ${tool}`, 'plain', fresh(`crm_${tool}`)]),
  ['the hint beside the annotations', 'plain', fresh('crm_beside')],
  ['the hint in _meta', 'plain', fresh('crm_in_meta')],
  ["the server's own name", 'plain', fresh('purge')],
  ["the server's own name, by proxy_explore", 'plain', fresh('purge', 'proxy_explore')],
  ['a blank before the name', 'plain', fresh(' crm_purge')],
  ['a blank after the name', 'plain', fresh('crm_purge ')],
  ['a line break after the name', 'plain', fresh('crm_purge\n')],
  ['capitals', 'plain', fresh('CRM_PURGE')],
  ['a name that differs from a reading one in its capitals', 'plain', fresh('SHOW')],
  ['a name that looks like a reading one', 'plain', fresh('sh\u043ew')],
  ['a name that looks like a reading one, with its server', 'plain', fresh('crm_sh\u043ew')],
  ['a name with an invisible character', 'plain', fresh('crm_purge\u200b')],
  ['server/tool', 'plain', fresh('crm/purge')],
  ['server.tool', 'plain', fresh('crm.purge')],
  ['a name as Claude Code shows it', 'plain', fresh('mcp__proxy__crm_purge')],
  ['a name as Gemini CLI shows it', 'plain', fresh('mcp_proxy_crm_purge')],
  ['a name as opencode shows it', 'plain', fresh('proxy_crm_purge')],
  ['a name as Copilot shows it', 'plain', fresh('proxy-crm_purge')],
  ['a name as Cline shows it', 'plain', fresh('proxy__crm_purge')],
  ['a name as OpenAI shows it', 'plain', fresh('functions.crm_purge')],
  ['a writing tool whose name a reading one of another server has', 'plain', fresh('mail_show')],
  ['a name that two servers have', 'plain', fresh('show')],
  [
    'arguments as JSON in a string',
    'plain',
    call('proxy_filter', { tool: 'crm_purge', arguments: '{"a":1}' }),
  ],
  ['one tool of ours through another', 'plain', fresh('proxy_filter', 'proxy_search', { tool: 'crm_purge' })],
  ['with a cache_id beside it', 'plain', call('proxy_filter', { tool: 'crm_purge', cache_id: '' })],
  ['as a task', 'plain', call('proxy_filter', { tool: 'crm_purge' }, { task: { ttl: 1000 } })],
  ['with progress', 'plain', call('proxy_filter', { tool: 'crm_purge' }, { _meta: { progressToken: 'p' } })],
  [
    'a later round that names another tool',
    'plain',
    call(
      'proxy_filter',
      { tool: 'crm_purge' },
      { requestState: 's', inputResponses: { q: { action: 'accept' } } },
    ),
  ],
  [
    'a limit that the client makes up',
    'plain',
    call('proxy_filter', { tool: 'crm_purge' }, { limit: { most: 'destructive' } }),
  ],
  ['a reference in arguments that names a tool', 'plain', call('crm_show', { a: { $from: 'crm_purge' } })],
  [
    'a reference with a path that names a tool',
    'plain',
    call('crm_show', { a: { $from: 'crm_purge', path: '$.x' } }),
  ],
  [
    'after a reading tool was allowed',
    'plain',
    async (world) => [await fresh('crm_peek')(world), await fresh('crm_purge')(world)],
  ],
  ['without prefixes', 'unprefixed', fresh('purge')],
  ['without prefixes, the capitals', 'unprefixed', fresh('SHOW')],
  ['where results are remembered', 'remembering', fresh('crm_purge')],
  [
    'where results are remembered, at once with itself',
    'remembering',
    (world) => Promise.all([fresh('crm_both')(world), fresh('crm_both', 'proxy_explore')(world)]),
  ],
  ['renamed to what sounds like reading', 'renamed', fresh('crm_read')],
  ['renamed, by its old name', 'renamed', fresh('crm_purge')],
  ["renamed, by its server's name", 'renamed', fresh('purge')],
  ['renamed to the name of a reading tool', 'swapped', fresh('crm_show')],
  ['a module takes the hint away', 'distrusted', fresh('crm_show')],
  ['a module takes the hint away, by proxy_explore', 'distrusted', fresh('crm_show', 'proxy_explore')],
  ['a module sends the call of a reading tool elsewhere', 'redirected', fresh('crm_show')],
  ['the same of a module that fails open', 'redirected, failing open', fresh('crm_show')],
  ['a module that trusts one tool trusts no other', 'trusted', fresh('crm_purge')],
  ["a tool of an embedder's layer", 'layered', fresh('layer_write')],
  ["a server's tool below an embedder's layer", 'layered', fresh('crm_purge')],
  ['a hidden tool by its name', 'found', fresh('crm_purge')],
  ["a hidden tool by its server's name", 'found', fresh('purge')],
  ['call_tool through proxy_filter', 'found', fresh('call_tool', 'proxy_filter', { name: 'crm_purge' })],
  [
    'call_tool through proxy_explore, tool in place of name',
    'found',
    fresh('call_tool', 'proxy_explore', { tool: 'purge' }),
  ],
  ['call_tool_read', 'found, split', call('call_tool_read', { name: 'crm_purge' })],
  ["call_tool_read, the server's name", 'found, split', call('call_tool_read', { name: 'purge' })],
  ['call_tool_read, tool in place of name', 'found, split', call('call_tool_read', { tool: 'crm_add' })],
  ['call_tool_read, contradicting hints', 'found, split', call('call_tool_read', { name: 'crm_both' })],
  ['call_tool_write runs what destroys', 'found, split', call('call_tool_write', { name: 'crm_purge' })],
  [
    'call_tool_read runs another call tool',
    'found, split',
    call('call_tool_read', { name: 'call_tool_destructive', arguments: { name: 'crm_purge' } }),
  ],
  [
    'call_tool_read runs proxy_filter',
    'found, split, all',
    call('call_tool_read', { name: 'proxy_filter', arguments: { tool: 'crm_purge' } }),
  ],
  [
    'call_tool_destructive through proxy_filter',
    'found, split',
    fresh('call_tool_destructive', 'proxy_filter', { name: 'crm_purge' }),
  ],
  ['a tool that is not registered', 'found, dynamic', fresh('crm_purge')],
  [
    'call_tool where tools are registered',
    'found, dynamic',
    fresh('call_tool', 'proxy_filter', { name: 'crm_purge' }),
  ],
  ['filter with a fresh call', 'dispatched', action('filter', { tool: 'purge' })],
  [
    'search_result with a fresh call',
    'dispatched',
    action('search_result', { tool: 'purge', pattern: 'alpha' }),
  ],
  ['explore with a fresh call', 'dispatched', action('explore', { tool: 'crm_purge' })],
  ['filter, in a connection', 'dispatched', action('filter', { tool: 'purge', connection: 'c1' })],
  ['filter, connection/tool', 'dispatched', action('filter', { tool: 'c1/purge' })],
  ['filter, in other capitals', 'dispatched', action('filter', { tool: 'Purge' })],
  ['proxy_filter, which is not listed', 'dispatched', fresh('crm_purge')],
  [
    'proxy-dispatch through proxy_filter',
    'dispatched',
    fresh('proxy-dispatch', 'proxy_filter', { action: 'call', tool: 'purge' }),
  ],
  ['proxy-dispatch-read', 'dispatched, split', call('proxy-dispatch-read', { tool: 'purge' })],
  [
    'proxy-dispatch-read, with an action',
    'dispatched, split',
    call('proxy-dispatch-read', { action: 'call', tool: 'purge' }),
  ],
  [
    'proxy-dispatch-write runs what destroys',
    'dispatched, split',
    call('proxy-dispatch-write', { tool: 'purge' }),
  ],
  ['proxy-dispatch, which reads', 'dispatched, split', action('call', { tool: 'purge' })],
  ['its filter', 'dispatched, split', action('filter', { tool: 'purge' })],
  [
    'proxy-dispatch-destructive through proxy_filter',
    'dispatched, split',
    fresh('proxy-dispatch-destructive', 'proxy_filter', { tool: 'purge' }),
  ],
  ['its filter, where fresh calls reach all', 'dispatched, split, all', action('filter', { tool: 'purge' })],
  ['a script', 'scripts', script('/call', { tool: 'purge', connection: 'crm' })],
  [
    'a script, in a batch',
    'scripts',
    script('/batch', { calls: [{ tool: 'crm_purge' }, { tool: 'crm_both' }] }),
  ],
  ['a script, sent elsewhere', 'scripts, redirected', script('/call', { tool: 'crm_show' })],
]

/** Each way, taken by a tool that only reads: it is run once. */
const CONTROLS: readonly [name: string, world: World, way: Way][] = [
  ...['proxy_filter', 'proxy_search', 'proxy_explore'].map((by): [string, World, Way] => [
    by,
    'plain',
    fresh('crm_peek', by),
  ]),
  ["the server's own name", 'plain', fresh('peek')],
  [
    'a later round',
    'plain',
    call('proxy_filter', { tool: 'crm_peek' }, { requestState: 's', inputResponses: {} }),
  ],
  ['as a task', 'plain', call('proxy_filter', { tool: 'crm_peek' }, { task: { ttl: 1000 } })],
  ['without prefixes', 'unprefixed', fresh('peek')],
  ['where results are remembered', 'remembering', fresh('crm_peek')],
  ['beside a renamed tool', 'renamed', fresh('crm_show')],
  ['a renamed tool', 'swapped', fresh('crm_other')],
  ['beside a distrusted tool', 'distrusted', fresh('peek')],
  ['beside a redirected tool', 'redirected', fresh('crm_peek')],
  ['beside a redirected tool, failing open', 'redirected, failing open', fresh('crm_peek')],
  ["below an embedder's layer", 'layered', fresh('crm_peek')],
  ['a hidden tool', 'found', fresh('crm_peek')],
  ['call_tool through proxy_filter', 'found', fresh('call_tool', 'proxy_filter', { name: 'crm_peek' })],
  ['call_tool_read', 'found, split', call('call_tool_read', { name: 'peek' })],
  ['call_tool_write', 'found, split', call('call_tool_write', { name: 'crm_peek' })],
  [
    'call_tool_destructive through proxy_filter',
    'found, split',
    fresh('call_tool_destructive', 'proxy_filter', { name: 'crm_peek' }),
  ],
  ['a tool that is not registered', 'found, dynamic', fresh('crm_peek')],
  ['filter', 'dispatched', action('filter', { tool: 'c1/peek' })],
  ['proxy_filter, which is not listed', 'dispatched', fresh('crm_peek')],
  ['proxy-dispatch-read', 'dispatched, split', call('proxy-dispatch-read', { tool: 'peek' })],
  ['its filter', 'dispatched, split', action('filter', { tool: 'peek' })],
  ['its filter, where fresh calls reach all', 'dispatched, split, all', action('filter', { tool: 'peek' })],
  ['a script', 'scripts', script('/call', { tool: 'peek' })],
]

describe('a tool that may write is not run through one that reads', () => {
  test('there are at least forty ways', () => {
    expect(ATTACKS.length).toBeGreaterThanOrEqual(40)
    expect(new Set(ATTACKS.map(([name]) => name)).size).toBe(ATTACKS.length)
  })

  test.each(ATTACKS)('%s (%s)', { timeout: patience(60_000) }, async (_, world, way) => {
    const one = await opened(world)
    ran.length = 0
    await way(one).catch(() => undefined)
    const distrusted = world === 'distrusted' ? ran : ran.filter((tool) => !READS.has(tool))
    expect(distrusted).toEqual([])
  })

  test.each(CONTROLS)(
    'while one that only reads is: %s (%s)',
    { timeout: patience(60_000) },
    async (_, world, way) => {
      const one = await opened(world)
      ran.length = 0
      await way(one)
      expect(ran).toHaveLength(1)
      expect(READS).toContain(ran[0])
    },
  )
})

describe('a tool that reads until its server says otherwise', () => {
  const toolOf = (annotations?: JsonObject): ToolOf => ({
    ...(annotations && { annotations }),
    run() {
      ran.push('crm/turns')
      return '[]'
    },
  })

  test.each<[string, JsonObject, (tool: string) => Way]>([
    ['proxy_filter', { exposure: 'passthrough' }, (tool) => fresh(`crm_${tool}`)],
    [
      'proxy_filter where results are remembered',
      { exposure: 'passthrough', toolCache: { enabled: true } },
      (tool) => fresh(`crm_${tool}`),
    ],
    [
      'call_tool_read',
      { exposure: 'retrieve', retrieve: split },
      (tool) => call('call_tool_read', { name: tool }),
    ],
    ['filter of the dispatcher', {}, (tool) => action('filter', { tool })],
    ['proxy-dispatch-read', { dispatch: split }, (tool) => call('proxy-dispatch-read', { tool })],
  ])('is run by %s before the announcement, and not after it', async (_, settings, by) => {
    const crm = toolServer({ turns: toolOf(reading) })
    const one = { ...(await embedded({ servers: { crm: crm.serve }, settings })), dataDir: '' }
    await listOf(one)
    ran.length = 0
    await by('turns')(one)
    expect(ran).toEqual(['crm/turns'])
    crm.tools = { turns: toolOf() }
    crm.announce()
    // It has come, and the new list has not.
    await new Promise(setImmediate)
    await by('turns')(one).catch(() => undefined)
    expect(ran).toEqual(['crm/turns'])
  })
})

describe('what is refused', () => {
  const textOf = (result: unknown): string => {
    const { content } = result as { content: { text: string }[] }
    return content.map(({ text }) => text).join('\n')
  }

  /** The refusal, and the calls it says to make: `<tool> <JSON>` on a line. */
  const told = async (world: World, way: Way): Promise<[JsonObject, RegExpMatchArray | null]> => {
    const result = (await way(await opened(world))) as JsonObject
    return [result, /^(\S+) (\{.*\})$/m.exec(textOf(result))]
  }

  test.each<[World, Way, string]>([
    ['plain', fresh('crm_purge', 'proxy_filter', { id: 7 }), 'crm/purge'],
    ['found', fresh('crm_purge'), 'crm/purge'],
    ['found, split', fresh('crm_add'), 'crm/add'],
    ['dispatched', action('filter', { tool: 'purge' }), 'crm/purge'],
    ['dispatched, split', action('explore', { tool: 'add' }), 'crm/add'],
  ])('is no error, and the call to make instead works as it stands: %s', async (world, way, runs) => {
    const [result, instead] = await told(world, way)
    expect(result.isError).toBeUndefined()
    expect(textOf(result)).toContain('does not declare that it only reads')
    ran.length = 0
    await call(instead?.[1] ?? '', JSON.parse(instead?.[2] ?? '') as JsonObject)(await opened(world))
    expect(ran).toEqual([runs])
  })

  test('long arguments are not repeated', async () => {
    const result = await fresh('crm_purge', 'proxy_filter', { a: 'x'.repeat(5000) })(await opened('plain'))
    expect(textOf(result).length).toBeLessThan(600)
  })

  test('with freshCalls "all" the three tools call everything, and say so', async () => {
    const one = await opened('all')
    ran.length = 0
    await fresh('crm_purge')(one)
    expect(ran).toEqual(['crm/purge'])
    const tools = await listOf(one)
    expect(tools.find(({ name }) => name === 'proxy_filter')?.annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    })
  })

  test('a module may declare for a server that a tool only reads', async () => {
    ran.length = 0
    await fresh('crm_add')(await opened('trusted'))
    expect(ran).toEqual(['crm/add'])
  })
})

describe('annotations of our own tools', () => {
  const OWN = /^(?:proxy[_-]|call_tool|retrieve_tools|describe_tool)/
  const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
  const runs = (effect: string): object => ({
    readOnlyHint: effect === 'read',
    destructiveHint: effect === 'destructive',
    idempotentHint: effect === 'read',
    openWorldHint: true,
  })
  const kept = {
    proxy_filter: reads,
    proxy_search: reads,
    proxy_explore: reads,
    // Its programs call tools that read, beyond what is kept.
    proxy_code: runs('read'),
  }
  const finding = { retrieve_tools: reads, describe_tool: reads, ...kept }

  test.each<[World, Record<string, object>]>([
    ['plain', kept],
    ['found', { ...finding, call_tool: runs('destructive') }],
    ['found, dynamic', { retrieve_tools: reads, ...kept }],
    [
      'found, split',
      {
        ...finding,
        call_tool_read: runs('read'),
        call_tool_write: runs('write'),
        call_tool_destructive: runs('destructive'),
      },
    ],
    ['dispatched', { 'proxy-dispatch': runs('destructive') }],
    [
      'dispatched, split',
      {
        'proxy-dispatch': reads,
        'proxy-dispatch-read': runs('read'),
        'proxy-dispatch-write': runs('write'),
        'proxy-dispatch-destructive': runs('destructive'),
      },
    ],
  ])('are complete and true: %s', async (world, expected) => {
    const tools = await listOf(await opened(world))
    const own = tools.filter(({ name }) => OWN.test(String(name)))
    expect(Object.fromEntries(own.map(({ name, annotations }) => [name, annotations]))).toEqual(expected)
  })
})
