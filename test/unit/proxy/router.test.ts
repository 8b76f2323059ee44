import { expect, test } from 'vitest'
import { LargeResult, plain, type Result } from '../../../src/protocol/content.ts'
import { RpcError } from '../../../src/protocol/errors.ts'
import type { Client } from '../../../src/protocol/exchange.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { localBuckets } from '../../../src/protocol/rate.ts'
import { createDirectory } from '../../../src/proxy/catalogue.ts'
import type { NamingOptions } from '../../../src/proxy/names.ts'
import { createAddressBook } from '../../../src/proxy/resources.ts'
import { createRouter, createServerQuotas, type Quotas } from '../../../src/proxy/router.ts'
import type { CacheHints, ListKind, Upstreams } from '../../../src/upstream/contract.ts'
import { client, exchange } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

const NAMING: NamingOptions = {
  prefix: 'always',
  separator: '_',
  maxLength: 60,
  charset: 'default',
  rename: {},
}

interface FakeServer extends Partial<Record<ListKind, JsonObject[]>> {
  hints?: CacheHints
  capabilities?: JsonObject
  answer?(method: string, params: JsonObject): Result | Promise<Result>
}

const NONE: JsonObject[] = []
const EVERYTHING = { tools: {}, prompts: {}, resources: {}, tasks: {} }

/** As a client gets it. */
const sentAs = (result: unknown): unknown => JSON.parse(JSON.stringify(result))

/** A router over servers that answer as a test says; `sent` is what they got. */
function world(servers: Record<string, FakeServer>, one: Client = client(), quotas?: Quotas) {
  const sent: [server: string, method: string, params: JsonObject][] = []
  let listed = 0
  const upstreams = {
    servers: Object.keys(servers),
    serversFor: () => Object.keys(servers),
    known: (name: string) => ({ capabilities: servers[name]?.capabilities ?? EVERYTHING }),
    list: async (kind: ListKind) => {
      listed++
      return Object.entries(servers).map(([server, { hints, ...lists }]) => {
        return { server, items: lists[kind] ?? NONE, ...(hints && { hints }) }
      })
    },
    request: async (server: string, { method, params = {} }: { method: string; params?: JsonObject }) => {
      sent.push([server, method, params])
      return servers[server]?.answer?.(method, params) ?? {}
    },
  } as unknown as Upstreams
  const book = createAddressBook()
  const handler = createRouter({
    upstreams,
    tools: async () => [],
    directory: createDirectory({ upstreams, naming: NAMING, reserved: [] }),
    book,
    quotas,
  })
  const ask = async (method: string, params: JsonObject = {}): Promise<JsonObject> =>
    plain(await raw(method, params))
  const raw = (method: string, params: JsonObject = {}): Promise<Result> =>
    handler(exchange(one, { method, params }))
  return { ask, raw, handler, sent, book, one, lists: () => listed }
}

const give = (result: Result) => (): Result => result
const refuse =
  (code: number, message = 'no') =>
  (): never => {
    throw new RpcError(code, message)
  }
const modern = (): Client => ({ ...client(), era: 'modern' })
const note = { uri: 'note://1', name: 'one' }
const link = { type: 'resource_link', uri: 'note://1', name: 'one' }

verifies(
  'S1.59',
  'giving up a call that waits for input takes nothing of a quota, and needs nothing of it',
  async () => {
    const quotas = createServerQuotas(localBuckets(() => 0))
    quotas.configure([{ name: 'a', quota: { rps: 1, burst: 2 } }])
    const { handler, sent, one } = world({ a: { tools: [{ name: 't' }] } }, client(), quotas.take)
    const params = { name: 'a_t', requestState: 's' }
    const giveUp = () => handler(exchange(one, { params, isOver: true }))
    const call = async () => plain(await handler(exchange(one, { params })))
    await giveUp()
    await call()
    await call()
    expect(await call()).toMatchObject({ isError: true })
    expect(sent).toHaveLength(3)
    await giveUp()
    expect(sent).toHaveLength(4)
  },
)

test('two servers with one URI: the later one has its own, in lists, reads, subscriptions and updates', async () => {
  const read = (_: string, { uri }: JsonObject) => ({
    contents: [{ uri: String(uri), text: 't' }, { uri: 'note://2' }],
  })
  const { ask, sent, book, one } = world({
    a: { resources: [note], answer: read },
    b: { resources: [note, { uri: 'note://2', name: 'two' }], answer: read },
  })
  expect(sentAs(await ask('resources/list'))).toEqual({
    resources: [note, { uri: 'note+b://1', name: 'one' }, { uri: 'note://2', name: 'two' }],
  })
  expect(await ask('resources/read', { uri: 'note+b://1', _meta: { m: 1 } })).toEqual({
    contents: [{ uri: 'note+b://1', text: 't' }, { uri: 'note://2' }],
  })
  expect(sent.at(-1)).toEqual(['b', 'resources/read', { uri: 'note://1', _meta: { m: 1 } }])
  await ask('resources/read', { uri: 'note://1' })
  expect(sent.at(-1)).toEqual(['a', 'resources/read', { uri: 'note://1' }])

  await ask('resources/subscribe', { uri: 'note+b://1' })
  expect(sent.at(-1)).toEqual(['b', 'resources/subscribe', { uri: 'note://1' }])
  const updated = { method: 'notifications/resources/updated', params: { uri: 'note://1', title: 'kept' } }
  expect(book.notification('b', updated, one)).toEqual({
    ...updated,
    params: { uri: 'note+b://1', title: 'kept' },
  })
  expect(book.notification('a', updated, one)).toBe(updated)
  expect(book.notification('b', updated, client())).toBe(updated)
  await ask('resources/unsubscribe', { uri: 'note+b://1' })
  expect(sent.at(-1)).toEqual(['b', 'resources/unsubscribe', { uri: 'note://1' }])
})

test('templates of one pattern, and completion of their variables', async () => {
  const template = { uriTemplate: 'note://{id}', name: 'note' }
  const { ask, sent } = world({ a: { resourceTemplates: [template] }, b: { resourceTemplates: [template] } })
  expect(sentAs(await ask('resources/templates/list'))).toEqual({
    resourceTemplates: [template, { uriTemplate: 'note+b://{id}', name: 'note' }],
  })
  await ask('resources/read', { uri: 'note+b://7' })
  expect(sent.at(-1)).toEqual(['b', 'resources/read', { uri: 'note://7' }])
  await ask('resources/read', { uri: 'note://7' })
  expect(sent.at(-1)).toEqual(['a', 'resources/read', { uri: 'note://7' }])
  const argument = { name: 'id', value: '' }
  await ask('completion/complete', { ref: { type: 'ref/resource', uri: 'note+b://{id}' }, argument })
  const ref = { type: 'ref/resource', uri: 'note://{id}' }
  expect(sent.at(-1)).toEqual(['b', 'completion/complete', { ref, argument }])
})

test('what tools and prompts say of a moved resource names it as the client knows it', async () => {
  const view = { _meta: { ui: { resourceUri: 'ui://app/x.html' } } }
  const tool = { name: 't', inputSchema: { type: 'object' }, ...view }
  const answer = (method: string): JsonObject =>
    method === 'prompts/get' ? { messages: [{ role: 'user', content: link }] } : { content: [link] }
  const server = { tools: [tool], prompts: [{ name: 'p' }], resources: [note], answer }
  const { ask, sent } = world({ a: server, b: { ...server, tools: [{ ...tool }], resources: [note] } })
  const moved = { ...link, uri: 'note+b://1' }
  // Before any list of resources was read: the link alone makes it necessary to know its server.
  expect(await ask('tools/call', { name: 'b_t', arguments: {} })).toEqual({ content: [moved] })
  expect(await ask('tools/call', { name: 'a_t', arguments: {} })).toEqual({ content: [link] })
  expect(await ask('prompts/get', { name: 'b_p' })).toEqual({ messages: [{ role: 'user', content: moved }] })
  await ask('tools/call', { name: 'b_t', arguments: { uri: 'note+b://1', other: 'x' } })
  expect(sent.at(-1)?.[2]).toEqual({ name: 't', arguments: { uri: 'note://1', other: 'x' } })
  await ask('tools/call', { name: 'a_t', arguments: { uri: 'note+b://1' } })
  expect(sent.at(-1)?.[2]).toEqual({ name: 't', arguments: { uri: 'note+b://1' } })
  const { tools } = await ask('tools/list')
  expect((tools as JsonObject[]).map(({ _meta }) => _meta)).toEqual([
    view._meta,
    { ui: { resourceUri: 'ui://b/app/x.html' } },
  ])
  await ask('resources/read', { uri: 'ui://b/app/x.html' })
  expect(sent.at(-1)).toEqual(['b', 'resources/read', { uri: 'ui://app/x.html' }])
})

test('large results: small ones are read for it, longer ones pass as they are', async () => {
  const large = (pad: number): LargeResult => {
    const json = JSON.stringify({ content: [link, { type: 'text', text: 'x'.repeat(pad) }] })
    const bytes = new Uint8Array(new SharedArrayBuffer(json.length))
    bytes.set(Buffer.from(json))
    return new LargeResult(bytes)
  }
  let result: Result = large(10_000)
  const { raw } = world({
    a: { tools: [{ name: 't' }], resources: [note] },
    b: { tools: [{ name: 't' }], resources: [note], answer: () => result },
  })
  const call = { name: 'b_t' }
  expect(plain(await raw('tools/call', call)).content).toContainEqual({ ...link, uri: 'note+b://1' })
  result = large(300_000)
  expect(await raw('tools/call', call)).toBe(result)
})

test('without a collision every result is the very object of the server, and no list is read for it', async () => {
  const result = { content: [{ type: 'text', text: 'x' }] }
  const server = { tools: [{ name: 't' }], resources: [note], answer: give(result) }
  const { raw, lists } = world({ a: server, b: { tools: [{ name: 'u' }], answer: give(result) } })
  await raw('tools/list')
  const before = lists()
  expect(await raw('tools/call', { name: 'a_t' })).toBe(result)
  expect(lists()).toBe(before)
  const links = { content: [link] }
  const alone = world({ a: { ...server, answer: give(links) } })
  expect(await alone.raw('tools/call', { name: 'a_t' })).toBe(links)
  expect(alone.lists()).toBe(1)
})

test('params reach the server with everything in them', async () => {
  const { ask, sent } = world({
    a: { tools: [{ name: 't' }], prompts: [{ name: 'p' }], resources: [note] },
    b: {},
  })
  const more = {
    inputResponses: { q: { action: 'accept' } },
    requestState: 's',
    _meta: { k: 'v' },
    future: 1,
  }
  for (const [method, params, own] of [
    ['tools/call', { name: 'a_t' }, { name: 't' }],
    ['prompts/get', { name: 'a_p' }, { name: 'p' }],
    ['resources/read', { uri: 'note://1' }, { uri: 'note://1' }],
  ] as const) {
    await ask(method, { ...params, ...more })
    expect(sent.at(-1)).toEqual(['a', method, { ...own, ...more }])
  }
})

test.each([
  [-32002, 'gone'],
  [-32602, 'Resource x not found'],
  [-32601, 'Method not found'],
  [0, 'Unknown resource: x'],
  [-32603, 'No such resource'],
])('an unlisted URI is asked of the next server when one answers %s %s', async (code, message) => {
  const contents = { contents: [{ uri: 'x:1', text: 'mine' }] }
  const { ask } = world({ a: { answer: refuse(code, message) }, b: { answer: give(contents) } })
  expect(await ask('resources/read', { uri: 'x:1' })).toEqual(contents)
})

test.each([
  [-32603, 'disk failure'],
  [-32042, 'visit an address first'],
  [-32000, 'not found'],
])('any other answer is the answer: %s %s', async (code, message) => {
  const { ask, sent } = world({ a: { answer: refuse(code, message) }, b: {} })
  await expect(ask('resources/read', { uri: 'x:1' })).rejects.toMatchObject({ code, message })
  expect(sent.map(([server]) => server)).toEqual(['a'])
})

test('servers that have no resources are not asked, and an unknown resource is not found, in the words of the era', async () => {
  const none = { capabilities: { tools: {} }, answer: give({ contents: [] }) }
  const { ask, sent } = world({ a: none, b: none })
  await expect(ask('resources/read', { uri: 'x:1' })).rejects.toMatchObject({
    code: -32002,
    data: { uri: 'x:1' },
  })
  expect(sent).toEqual([])
  const { ask: askModern } = world({ a: none, b: none }, modern())
  await expect(askModern('resources/read', { uri: 'x:1' })).rejects.toMatchObject({ code: -32602 })
})

test('lists are one page: any cursor is refused', async () => {
  const { ask } = world({ a: {}, b: {} })
  for (const method of [
    'tools/list',
    'prompts/list',
    'resources/list',
    'resources/templates/list',
    'tasks/list',
  ]) {
    for (const cursor of ['', 'x', 0])
      await expect(ask(method, { cursor })).rejects.toMatchObject({ code: -32602 })
    await ask(method, { cursor: null })
  }
})

test('hints of a joined list are those of its weakest part, and for modern clients alone', async () => {
  const hints = (ttlMs: number, cacheScope: 'public' | 'private') => ({ hints: { ttlMs, cacheScope } })
  const ask = async (servers: Record<string, FakeServer>, one = modern()): Promise<JsonObject> =>
    world(servers, one).ask('prompts/list')
  const both = { a: hints(5000, 'public'), b: hints(3000, 'public') } as const
  expect(await ask(both)).toEqual({ prompts: [], ttlMs: 3000, cacheScope: 'public' })
  expect(await ask({ ...both, b: hints(3000, 'private') })).toMatchObject({
    ttlMs: 3000,
    cacheScope: 'private',
  })
  expect(await ask({ ...both, c: {} })).toMatchObject({ ttlMs: 0, cacheScope: 'private' })
  expect(await ask({ ...both, c: { capabilities: { tools: {} } } })).toMatchObject({
    ttlMs: 3000,
    cacheScope: 'public',
  })
  expect(await ask(both, client())).toEqual({ prompts: [] })
})

test('an unknown method passes when there is one server', async () => {
  const { ask, sent } = world({ a: {} })
  await ask('acme/anything', { x: 1 })
  expect(sent).toEqual([['a', 'acme/anything', { x: 1 }]])
  await expect(world({ a: {}, b: {} }).ask('acme/anything')).rejects.toMatchObject({
    code: -32601,
    message: 'Method not found: acme/anything',
  })
})

test('tasks of several servers: each is asked of the server it runs on', async () => {
  const tool = { tools: [{ name: 't' }] }
  const tasks =
    (id: string) =>
    (method: string, params: JsonObject): JsonObject => {
      if (method === 'tools/call') return { task: { taskId: id, status: 'working' } }
      if (method === 'tasks/list')
        return params.cursor
          ? { tasks: [{ taskId: `${id}2` }] }
          : { tasks: [{ taskId: id }], nextCursor: 'c' }
      if (params.taskId !== id) throw new RpcError(-32602, 'no such task')
      return { taskId: id, status: 'completed' }
    }
  const servers = {
    a: { ...tool, answer: tasks('1') },
    b: { ...tool, answer: tasks('2') },
    c: { capabilities: {} },
  }
  const { ask, sent } = world(servers)
  await ask('tools/call', { name: 'b_t', task: { ttl: 1000 } })
  expect(sent.at(-1)).toEqual(['b', 'tools/call', { name: 't', task: { ttl: 1000 } }])
  sent.length = 0
  await ask('tasks/get', { taskId: '2' })
  expect(sent.map(([server]) => server)).toEqual(['b'])
  // Of another session, or before a restart: the server is unknown, so all servers with tasks are asked.
  expect(await ask('tasks/cancel', { taskId: '1' })).toMatchObject({ taskId: '1' })
  await expect(ask('tasks/result', { taskId: '9' })).rejects.toMatchObject({ code: -32602 })
  expect(await ask('tasks/list')).toEqual({ tasks: ['1', '12', '2', '22'].map((taskId) => ({ taskId })) })
  expect(sent.some(([server]) => server === 'c')).toBe(false)
})

test('resources get their server once, however often they are listed', async () => {
  const resources = [{ uri: 'note://1', name: 'n' }]
  const resourceTemplates = [{ uriTemplate: 'note://{id}', name: 't' }]
  const { ask } = world({
    a: { resources, resourceTemplates },
    b: { resources: [{ uri: 'note://2', name: 'm' }] },
  })
  for (const [method, key] of [
    ['resources/list', 'resources'],
    ['resources/templates/list', 'resourceTemplates'],
  ] as const) {
    const [first, second] = [await ask(method), await ask(method)].map(
      (result) => result[key] as JsonObject[],
    )
    expect(first?.length).toBeGreaterThan(0)
    for (const [at, item] of (first ?? []).entries()) expect(second?.[at]).toBe(item)
  }
  expect(sentAs(resources)).toEqual([{ uri: 'note://1', name: 'n' }])
})
