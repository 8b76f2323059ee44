import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LargeResult } from '../../../src/protocol/content.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { listed, moduleWorld } from '../../support/module-world.ts'
import { type MadeUp, routedWorld } from '../../support/routed-world.ts'
import { verifies } from '../../support/verifies.ts'

const named = (...names: string[]): JsonObject[] => names.map((name) => ({ name, inputSchema: {} }))
const at = (...uris: string[]): JsonObject[] => uris.map((uri) => ({ uri, name: uri }))

type World = Awaited<ReturnType<typeof routedWorld>>
const tools = async (world: World): Promise<unknown[]> =>
  ((await world.ask('tools/list')).tools as JsonObject[]).map(({ name }) => name)
/** Whom a call reaches. */
const reach = async (world: World, name: string): Promise<unknown> => {
  await world.ask('tools/call', { name })
  return world.reached.at(-1)
}

describe('rename, before the router', () => {
  verifies('S2.24', 'routes every call correctly when names are swapped or passed on', async () => {
    const world = await routedWorld(
      [{ use: 'rename', tools: { a_one: 'a_two', a_two: 'a_one', 'b/one': 'b_two', 'b/two': 'b_three' } }],
      { a: { tools: named('one', 'two') }, b: { tools: named('one', 'two') } },
    )
    expect(await tools(world)).toEqual(['a_two', 'a_one', 'b_two', 'b_three'])
    const calls = ['a_two', 'a_one', 'b_two', 'b_three']
    const reached = []
    for (const name of calls) reached.push(await reach(world, name))
    expect(reached).toEqual([
      ['a', 'tools/call', 'one'],
      ['a', 'tools/call', 'two'],
      ['b', 'tools/call', 'one'],
      ['b', 'tools/call', 'two'],
    ])
    await expect(world.ask('tools/call', { name: 'b_one' })).rejects.toThrow('Unknown tool: b_one.')
  })

  test('every name is unique and reaches its own tool, for any renaming', async () => {
    const pool = ['a_x', 'a_y', 'b_x', 'b_y', 'p', 'q']
    const olds = ['a/x', 'a/y', 'b/x', 'b/y']
    const changes = fc.uniqueArray(fc.tuple(fc.constantFrom(...olds), fc.constantFrom(...pool)), {
      selector: ([old]) => old,
    })
    await fc.assert(
      fc.asyncProperty(changes, async (wanted) => {
        fc.pre(new Set(wanted.map(([, name]) => name)).size === wanted.length)
        const world = await routedWorld([{ use: 'rename', tools: Object.fromEntries(wanted) }], {
          a: { tools: named('x', 'y') },
          b: { tools: named('x', 'y') },
        })
        const names = await tools(world)
        expect(new Set(names).size).toBe(4)
        const owners = []
        for (const name of names) {
          const [server, , tool] = (await reach(world, String(name))) as string[]
          owners.push(`${server}/${tool}`)
        }
        expect(owners).toEqual(olds)
        for (const [old, name] of wanted) expect(names[olds.indexOf(old)]).toBe(name)
      }),
      { numRuns: 60 },
    )
  })

  verifies('S2.24', 'a later item with a taken name gets another name, and the log says so', async () => {
    for (const naming of [{ prefix: 'never' }, { prefix: 'onConflict' }] as const) {
      const servers: Record<string, MadeUp> = { a: { tools: named('read') }, b: { tools: named('x') } }
      const world = await routedWorld([{ use: 'rename', tools: { 'a/read': 'open' } }], servers, { naming })
      expect(await tools(world)).toEqual(['open', 'x'])
      Object.assign(servers.b ?? {}, { tools: named('x', 'open') })
      expect(await tools(world)).toEqual(['open', 'x', 'b_open'])
      expect(await reach(world, 'open')).toEqual(['a', 'tools/call', 'read'])
      expect(await reach(world, 'b_open')).toEqual(['b', 'tools/call', 'open'])
      expect(world.lines).toMatchObject([
        { level: 'warn', module: 'rename', name: 'open', item: 'b/open', instead: 'b_open' },
      ])
      // The owner is away for a while: no other item takes its place.
      Object.assign(servers.a ?? {}, { silent: true })
      expect(await tools(world)).toEqual(['x', 'b_open'])
      expect(await reach(world, 'open')).toEqual(['a', 'tools/call', 'read'])
      // And when it never existed, no other item is called in its place.
      const other = await routedWorld([{ use: 'rename', tools: { 'z/read': 'open' } }], servers, { naming })
      await expect(other.ask('tools/call', { name: 'open' })).rejects.toThrow('Unknown tool: open.')
      expect(await reach(other, 'b_open')).toEqual(['b', 'tools/call', 'open'])
    }
  })

  verifies('S2.24', 'names that cannot be end the start', async () => {
    const start = (...modules: JsonObject[]) =>
      moduleWorld(modules.map((module) => ({ use: 'rename', ...module })))
    await expect(start({ tools: { 'a/x': 'my tool' } })).rejects.toThrow(
      'The module `rename` gives a/x the name "my tool", which clients would refuse.',
    )
    await expect(start({ prompts: { 'a/x': 'é' } })).rejects.toThrow('which clients would refuse')
    await expect(start({ tools: { 'a/x': 'x'.repeat(61) } })).rejects.toThrow('which has 61 characters')
    await expect(start({ tools: { 'a/x': { name: 'proxy_filter' } } })).rejects.toThrow(
      'which a tool of the proxy itself has',
    )
    await expect(start({ resources: { 'note://1': 'handbook' } })).rejects.toThrow('which is not a URI')
    // Of two modules, as far as both names stay what they are.
    await expect(
      start({ tools: { 'a/x': 'same' } }, { name: 'second', tools: { 'b/x': 'same' } }),
    ).rejects.toThrow(
      'The module `rename` gives the name "same" to a/x, but the module `second` gives it to b/x.',
    )
    await start({ tools: { 'a/x': 'same', same: 'other' } }, { name: 'second', tools: { 'b/x': 'same' } })
    await start({ tools: { 'a/x': 'proxy', 'b/x': 'x'.repeat(60) }, resources: { 'note://1': 'docs:1' } })
  })

  verifies('S2.16', 'errors speak of the names that clients know', async () => {
    const world = await routedWorld(
      [{ use: 'rename', tools: { 'a/write_file': 'store_text', 'b/find': 'seek', 'c/find': 'search' } }],
      {
        a: { tools: named('write_file', 'write_files') },
        b: { tools: named('find') },
        c: { tools: named('find') },
      },
    )
    await expect(world.ask('tools/call', { name: 'a_write_fils' })).rejects.toThrow(
      /^Unknown tool: a_write_fils\. Did you mean (?:store_text, a_write_files|a_write_files, store_text)\?$/,
    )
    await expect(world.ask('tools/call', { name: 'b_find' })).rejects.toThrow(/^Unknown tool: b_find\./)
  })

  test('blocked by its new name it cannot be had by any other', async () => {
    const world = await routedWorld(
      [
        { use: 'block', tools: ['open'], resources: ['doc://x'] },
        { use: 'rename', tools: { 'a/read': 'open' }, resources: { 'file:///x': 'doc://x' } },
      ],
      { a: { tools: named('read'), resources: at('file:///x') } },
    )
    for (const name of ['open', 'a_read', 'read'])
      await expect(world.ask('tools/call', { name })).rejects.toThrow('Unknown tool')
    for (const uri of ['doc://x', 'file:///x', 'DOC://x', 'file:///y/../x'])
      await expect(world.ask('resources/read', { uri }), uri).rejects.toThrow('Resource not found')
    expect(world.reached).toEqual([])
  })

  verifies(
    'S2.16',
    'links, embedded resources, views and updates have the new URI, and lead to the old one',
    async () => {
      const link = { type: 'resource_link', uri: 'file:///x', name: 'x' }
      const embedded = { type: 'resource', resource: { uri: 'file:///x', text: 't' } }
      const text = { type: 'text', text: 'file:///x' }
      const large = new LargeResult(shared({ content: [link, { type: 'text', text: 'x'.repeat(20_000) }] }))
      const view = { name: 'show', inputSchema: {}, _meta: { ui: { resourceUri: 'file:///x' } } }
      const world = await routedWorld(
        [{ use: 'rename', resources: { 'a/file:///x': { name: 'doc://x', title: 'X' } } }],
        {
          a: {
            tools: [view, ...named('get', 'big')],
            prompts: named('p'),
            resources: at('file:///x', 'file:///y'),
            answer: (method, { name, uri }) =>
              method === 'resources/read'
                ? { contents: [{ uri: String(uri), text: 'content' }, { uri: 'file:///y' }] }
                : method === 'prompts/get'
                  ? { messages: [{ role: 'user', content: embedded }] }
                  : name === 'big'
                    ? large
                    : { content: [link, embedded, text] },
          },
        },
      )
      const renamed = { ...link, uri: 'doc://x' }
      // Before any list was seen.
      expect(await world.ask('tools/call', { name: 'a_get' })).toEqual({
        content: [renamed, { ...embedded, resource: { uri: 'doc://x', text: 't' } }, text],
      })
      expect((await world.ask('tools/call', { name: 'a_big' })).content).toMatchObject([renamed, {}])
      expect(await world.ask('prompts/get', { name: 'a_p' })).toMatchObject({
        messages: [{ content: { resource: { uri: 'doc://x' } } }],
      })
      expect((await world.ask('tools/list')).tools).toMatchObject([
        { name: 'a_show', _meta: { ui: { resourceUri: 'doc://x' } } },
        {},
        {},
      ])
      expect((await world.ask('resources/list')).resources).toEqual([
        expect.objectContaining({ uri: 'doc://x', title: 'X' }),
        expect.objectContaining({ uri: 'file:///y' }),
      ])
      expect(await world.ask('resources/read', { uri: 'doc://x' })).toEqual({
        contents: [{ uri: 'doc://x', text: 'content' }, { uri: 'file:///y' }],
      })
      await world.ask('resources/subscribe', { uri: 'doc://x' })
      await world.ask('resources/unsubscribe', { uri: 'doc://x' })
      expect(world.reached.slice(-3).map(([, , uri]) => uri)).toEqual(Array(3).fill('file:///x'))
      const method = 'notifications/resources/updated'
      const told = await world.tell('client', { method, params: { uri: 'file:///x', title: 'kept' } })
      expect(told?.params).toEqual({ uri: 'doc://x', title: 'kept' })
    },
  )

  test('prompts are completed by their new name, and titles alone change no name', async () => {
    const server = async ({ method }: { method: string }): Promise<JsonObject> =>
      method === 'prompts/list'
        ? { prompts: [listed('a', 'p', { arguments: [{ name: 'x' }] })] }
        : { completion: { values: [] } }
    const world = await moduleWorld(
      [{ use: 'rename', prompts: { 'a/p': { title: 'T', description: 'D' } } }],
      { server },
    )
    expect(await world.ask('prompts/list')).toMatchObject({
      prompts: [{ name: 'a_p', title: 'T', description: 'D', arguments: [{ name: 'x' }] }],
    })
    await world.ask('completion/complete', { ref: { type: 'ref/prompt', name: 'a_p' }, argument: {} })
    expect(world.sent.at(-1)?.params.ref).toEqual({ type: 'ref/prompt', name: 'a_p' })
  })
})

function shared(value: JsonObject): Uint8Array<SharedArrayBuffer> {
  const json = Buffer.from(JSON.stringify(value))
  const bytes = new Uint8Array(new SharedArrayBuffer(json.length))
  bytes.set(json)
  return bytes
}

const names = (result: JsonObject, kind = 'tools', key = 'name'): unknown[] =>
  (result[kind] as JsonObject[]).map((item) => item[key])
const texts = (result: JsonObject): string[] => (result.content as { text: string }[]).map(({ text }) => text)

describe('rename, in a list of modules', () => {
  verifies('S2.16 S2.24', 'gives two tools of one name different names and routes both', async () => {
    const world = await moduleWorld([
      {
        use: 'rename',
        tools: { 'a/read': 'open', 'b/read': { name: 'fetch', description: 'gets it', title: 'Get' } },
      },
    ])
    const { tools } = await world.ask('tools/list')
    expect(tools).toMatchObject([
      { name: 'open' },
      { name: 'a_write' },
      { name: 'fetch', description: 'gets it', title: 'Get' },
    ])
    expect(texts(await world.ask('tools/call', { name: 'open' }))).toEqual(['called a_read'])
    expect(texts(await world.ask('tools/call', { name: 'fetch' }))).toEqual(['called b_read'])
    expect(texts(await world.ask('tools/call', { name: 'a_write' }))).toEqual(['called a_write'])
    // Otherwise a block of the new name could be passed by.
    await expect(world.ask('tools/call', { name: 'a_read' })).rejects.toThrow('Unknown tool: a_read.')
  })

  test('a client that has listed nothing may call by the new name', async () => {
    const world = await moduleWorld([
      { use: 'rename', tools: { 'b/read': 'fetch' }, prompts: { a_hello: 'greet' } },
    ])
    expect(texts(await world.ask('tools/call', { name: 'fetch' }))).toEqual(['called b_read'])
    await world.ask('prompts/get', { name: 'greet' })
    expect(world.sent.at(-1)?.params.name).toBe('a_hello')
    await world.ask('completion/complete', { ref: { type: 'ref/prompt', name: 'greet' }, argument: {} })
    expect(world.sent.at(-1)?.params).toMatchObject({ ref: { name: 'a_hello' } })
  })

  test('reads, watches and notifies resources under their new URI', async () => {
    const world = await moduleWorld([{ use: 'rename', resources: { 'file:///x': 'doc://x' } }])
    expect(names(await world.ask('resources/list'), 'resources', 'uri')).toEqual(['note://1', 'doc://x'])
    expect(await world.ask('resources/read', { uri: 'doc://x' })).toEqual({
      contents: [{ uri: 'doc://x', text: 'content' }],
    })
    expect(world.sent.at(-1)?.params.uri).toBe('file:///x')
    const method = 'notifications/resources/updated'
    expect(await world.tell('client', { method, params: { uri: 'file:///x' } })).toEqual({
      method,
      params: { uri: 'doc://x' },
    })
  })

  verifies('S2.24', 'two that are given one name end the start', async () => {
    const modules = [{ use: 'rename', tools: { 'a/read': 'x', 'b/read': 'x' } }]
    await expect(moduleWorld(modules)).rejects.toThrow(/gives the name "x" to two tools: a\/read and b\/read/)
  })
})
