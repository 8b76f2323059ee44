import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scopeOf } from '../../../src/features/package/index.ts'
import { plain } from '../../../src/protocol/content.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { withOrigin } from '../../../src/protocol/origin.ts'
import { listed, moduleWorld } from '../../support/module-world.ts'
import { runs } from '../../support/runs.ts'
import { client } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

const names = (result: JsonObject, kind: string, key = 'name'): unknown[] =>
  (result[kind] as JsonObject[]).map((item) => item[key])

const LISTS: Readonly<Record<string, JsonObject>> = {
  'tools/list': { tools: [listed('a', 'read'), listed('a', 'write'), listed('b', 'read')] },
  'prompts/list': { prompts: [listed('a', 'hello'), listed('b', 'bye')] },
  'resources/list': {
    resources: [
      withOrigin({ uri: 'note://1', name: 'one' }, { server: 'a', name: 'note://1' }),
      withOrigin({ uri: 'note://2', name: 'two' }, { server: 'b', name: 'note://2' }),
    ],
  },
  'resources/templates/list': {
    resourceTemplates: [
      withOrigin({ uriTemplate: 'file:///{path}', name: 'f' }, { server: 'a', name: 'file:///{path}' }),
    ],
  },
}
const server = async ({ method }: { method: string }): Promise<JsonObject> =>
  LISTS[method] ?? { served: true }

describe('package', () => {
  verifies('S2.22', 'shows the chosen items of two servers and no others', async () => {
    const entry = {
      use: 'package',
      tools: ['a/read', 'b_*'],
      prompts: ['b/bye'],
      resources: ['a/note://*'],
      templates: [],
    }
    const world = await moduleWorld([entry], { server })
    expect(names(await world.ask('tools/list'), 'tools')).toEqual(['a_read', 'b_read'])
    expect(names(await world.ask('prompts/list'), 'prompts')).toEqual(['b_bye'])
    expect(names(await world.ask('resources/list'), 'resources', 'uri')).toEqual(['note://1'])
    expect(names(await world.ask('resources/templates/list'), 'resourceTemplates')).toEqual([])
    const served = { served: true }
    expect(await world.ask('tools/call', { name: 'a_read' })).toEqual(served)
    expect(await world.ask('prompts/get', { name: 'b_bye' })).toEqual(served)
    expect(await world.ask('resources/read', { uri: 'note://1' })).toEqual(served)
    world.sent.length = 0
    for (const name of ['a_write', 'write'])
      await expect(world.ask('tools/call', { name })).rejects.toThrow('Unknown tool')
    await expect(world.ask('prompts/get', { name: 'a_hello' })).rejects.toThrow('Unknown prompt')
    for (const uri of ['note://2', 'file:///etc/passwd'])
      await expect(world.ask('resources/read', { uri })).rejects.toThrow('Resource not found')
    expect(world.sent.filter(({ method }) => !method.endsWith('/list'))).toEqual([])
  })

  verifies('S2.22', 'a URI of a chosen template may be read', async () => {
    const world = await moduleWorld([{ use: 'package', resources: [], templates: ['file:///{path}'] }], {
      server,
    })
    expect(await world.ask('resources/read', { uri: 'file:///x' })).toEqual({ served: true })
    await expect(world.ask('resources/read', { uri: 'note://1' })).rejects.toThrow('Resource not found')
  })

  verifies('S2.22', 'it has a title and instructions of its own', async () => {
    const said = {
      serverInfo: { name: 'p', title: 'P', version: '1' },
      instructions: 'of the proxy',
      servers: [{ server: 'a', instructions: 'of a' }],
    }
    const own = await moduleWorld([{ use: 'package', title: 'Notes', instructions: 'For notes.' }])
    expect(own.stack.describe(said, undefined)).toEqual({
      serverInfo: { name: 'p', title: 'Notes', version: '1' },
      // How to work with what is kept has to be known whatever the package is.
      instructions: 'For notes.\n\nof the proxy',
      servers: [],
    })
    const none = await moduleWorld([{ use: 'package', tools: ['a/*'] }])
    expect(none.stack.describe(said, undefined)).toEqual(said)
  })

  test('a kind that it does not name is there as far as its servers are', async () => {
    const world = await moduleWorld([{ use: 'package', tools: ['a/read'] }], { server })
    expect(names(await world.ask('prompts/list'), 'prompts')).toEqual(['a_hello'])
    expect(names(await world.ask('resources/list'), 'resources', 'uri')).toEqual(['note://1'])
    await expect(world.ask('prompts/get', { name: 'b_bye' })).rejects.toThrow('Unknown prompt')
    const bare = await moduleWorld([{ use: 'package', tools: ['a_read'] }], { server })
    expect(names(await bare.ask('prompts/list'), 'prompts')).toEqual(['a_hello', 'b_bye'])
  })

  verifies('S2.22', 'the server list limits every kind, also kinds with patterns', async () => {
    const entry = { use: 'package', servers: ['a'], tools: ['*'], resources: ['note://*'] }
    const world = await moduleWorld([entry], { server })
    expect(names(await world.ask('tools/list'), 'tools')).toEqual(['a_read', 'a_write'])
    expect(names(await world.ask('prompts/list'), 'prompts')).toEqual(['a_hello'])
    expect(names(await world.ask('resources/list'), 'resources', 'uri')).toEqual(['note://1'])
    await expect(world.ask('resources/read', { uri: 'note://2' })).rejects.toThrow('Resource not found')
    await expect(
      world.ask('completion/complete', { ref: { type: 'ref/prompt', name: 'b_bye' } }),
    ).rejects.toThrow()
    const { stack } = world
    expect(['a', 'b'].filter((server) => stack.reaches(server, undefined))).toEqual(['a'])
  })

  test('a URI of any template may be read when no template was chosen', async () => {
    const world = await moduleWorld([{ use: 'package', tools: ['a/*'], resources: ['x://1'] }], { server })
    expect(await world.ask('resources/read', { uri: 'file:///etc/hosts' })).toEqual({ served: true })
    await expect(world.ask('resources/read', { uri: 'other://1' })).rejects.toThrow('Resource not found')
  })

  verifies('S2.22', 'the tools of the proxy itself belong to every package', async () => {
    const own = { name: 'proxy_filter', inputSchema: { type: 'object' } }
    const world = await moduleWorld([{ use: 'package', servers: ['b'], tools: ['b/read'] }], {
      server: async (exchange) =>
        exchange.method === 'tools/list'
          ? { tools: [own, listed('a', 'read'), listed('b', 'read')] }
          : server(exchange),
    })
    expect(names(await world.ask('tools/list'), 'tools')).toEqual(['proxy_filter', 'b_read'])
    expect(await world.ask('tools/call', { name: 'proxy_filter' })).toEqual({ served: true })
  })

  verifies('S2.22', 'drops updates of resources outside the package', async () => {
    const world = await moduleWorld(
      [{ use: 'package', resources: ['a/note://*', 'dir://x'], templates: [] }],
      { server },
    )
    await world.ask('resources/list')
    const told = async (uri: string): Promise<boolean> =>
      (await world.tell('client', {
        method: 'notifications/resources/updated',
        params: { uri },
      })) !== undefined
    expect([await told('note://1'), await told('dir://x/file'), await told('dir://x')]).toEqual([
      true,
      true,
      true,
    ])
    expect([await told('note://2'), await told('dir://y'), await told('dir://xy')]).toEqual([
      false,
      false,
      false,
    ])
    expect(await world.tell('client', { method: 'notifications/message', params: { data: 1 } })).toBeDefined()
  })
})

describe('profiles', () => {
  const notes = { use: 'package', profile: 'notes', title: 'Notes', tools: ['a/read'] }
  const other = { use: 'package', profile: 'other', title: 'Other', servers: ['b'], default: true }
  const asking = (profile: string | undefined) => ({
    client: { ...client(), ...(profile !== undefined && { profile }) },
  })

  verifies('S2.22', 'each client sees the one that it chose, or the default', async () => {
    const world = await moduleWorld([notes, other], { server })
    const tools = async (profile?: string): Promise<unknown[]> =>
      names(plain(await world.raw('tools/list', {}, asking(profile))), 'tools')
    expect(await tools('notes')).toEqual(['a_read'])
    expect(await tools('other')).toEqual(['b_read'])
    expect(await tools()).toEqual(['b_read'])
    await expect(world.raw('tools/call', { name: 'b_read' }, asking('notes'))).rejects.toThrow('Unknown tool')
    expect(await world.raw('tools/call', { name: 'b_read' }, asking('other'))).toEqual({ served: true })
    const said = { serverInfo: { name: 'p' }, instructions: '', servers: [] }
    const titles = ['notes', 'other', undefined].map(
      (profile) => world.stack.describe(said, profile).serverInfo.title,
    )
    expect(titles).toEqual(['Notes', 'Other', 'Other'])
    expect(world.modules.status().map(({ message }) => message)).toEqual([
      'profile notes',
      'profile other, the default',
    ])
  })

  verifies('S2.22 S2.39', 'a client with a removed profile gets no items', async () => {
    const world = await moduleWorld([notes, other], { server })
    await world.configure([other])
    const gone = asking('notes')
    await expect(world.raw('tools/list', {}, gone)).rejects.toThrow('no longer there')
    await expect(world.raw('custom/method', {}, gone)).rejects.toThrow('no longer there')
    await world.configure([])
    await expect(world.raw('tools/call', { name: 'a_read' }, gone)).rejects.toThrow('no longer there')
    const { stack } = world
    expect(['a', 'b'].filter((server) => stack.reaches(server, 'notes'))).toEqual([])
    expect(['a', 'b'].filter((server) => stack.reaches(server, undefined))).toEqual(['a', 'b'])
    let told = 0
    const notice = {
      method: 'notifications/message',
      params: {},
      toward: 'client',
      client: gone.client,
    } as const
    await stack.notify(notice, () => void told++)
    expect(told).toBe(0)
    expect(await world.ask('tools/call', { name: 'a_read' })).toEqual({ served: true })
  })

  test('adds no layer without profiles', async () => {
    const world = await moduleWorld([{ use: 'package', tools: ['a/read'] }], { server })
    expect(world.stack.names.outer).toEqual([])
    const open = await moduleWorld([{ use: 'block', tools: ['x'] }], { server })
    expect(open.stack.reach.limits).toEqual([])
  })
})

const all = ['a', 'b', '@org/c'] as const
const reached = (servers: string[] | undefined, patterns: string[]): string[] =>
  all.filter((server) => scopeOf(servers, patterns).reaches(server))

verifies('S2.22 S2.38', 'a package is about the servers that its options name', () => {
  expect(reached(undefined, [])).toEqual(['a', 'b', '@org/c'])
  expect(reached(['a'], ['b/*'])).toEqual(['a'])
  expect(reached([], [])).toEqual([])
  expect(reached(undefined, ['a/read', 'a/write'])).toEqual(['a'])
  expect(reached(undefined, ['@org/c/read'])).toEqual(['@org/c'])
  expect(reached(undefined, ['b/note://*'])).toEqual(['b'])
  // Addresses name no server, and a bare name may be any server's.
  expect(reached(undefined, ['note://1', 'file:///x'])).toEqual(['a', 'b', '@org/c'])
  expect(reached(undefined, ['a/read', 'b_read'])).toEqual(['a', 'b', '@org/c'])
})

test('items without a pattern are decided by the server list', () => {
  const bare = scopeOf(undefined, ['a/read', 'b_read'])
  expect([bare.holds('a'), bare.holds('b'), bare.holds(undefined)]).toEqual([true, false, false])
  expect(bare.isOpen).toBe(false)
  const open = scopeOf(undefined, ['read'])
  expect([open.holds('a'), open.holds(undefined), open.isOpen]).toEqual([true, true, true])
})

test('reaches a server when a pattern names one of its items', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'b', '-', '.'), minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(name, name, fc.array(name), (server, tool, others) => {
      const scope = scopeOf(undefined, [`${server}/${tool}`, ...others.map((other) => `${other}/x`)])
      expect(scope.reaches(server)).toBe(true)
      expect(scope.holds(server)).toBe(true)
    }),
    { numRuns: runs(100) },
  )
})
