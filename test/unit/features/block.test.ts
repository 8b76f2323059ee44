import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LargeResult } from '../../../src/protocol/content.ts'
import { RPC, RpcError } from '../../../src/protocol/errors.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { listed, moduleWorld } from '../../support/module-world.ts'
import { routedWorld } from '../../support/routed-world.ts'
import { verifies } from '../../support/verifies.ts'

const named = (...names: string[]): JsonObject[] => names.map((name) => ({ name, inputSchema: {} }))
const at = (...uris: string[]): JsonObject[] => uris.map((uri) => ({ uri, name: uri }))
const valuesOf = async (
  world: { ask(method: string): Promise<JsonObject> },
  method: string,
  kind: string,
  key: string,
): Promise<unknown[]> => ((await world.ask(method))[kind] as JsonObject[]).map((item) => item[key])

describe('block, before the router', () => {
  verifies('S2.23', 'a name is one of a server as well, whatever the proxy calls it', async () => {
    for (const prefix of ['always', 'onConflict', 'never'] as const) {
      for (const glob of ['a/delete.all', 'delete.all', '*/del?te*']) {
        const world = await routedWorld(
          [{ use: 'block', tools: [glob] }],
          { a: { tools: named('delete.all', 'read') }, b: { tools: named('read') } },
          { naming: { prefix } },
        )
        const names = await valuesOf(world, 'tools/list', 'tools', 'name')
        expect(names).toHaveLength(2)
        expect(names.filter((name) => String(name).includes('delete'))).toEqual([])
        for (const name of ['a_delete_all', 'delete_all', 'delete.all', 'a/delete.all'])
          await expect(world.ask('tools/call', { name })).rejects.toThrow(/^Unknown tool/)
        expect(world.reached).toEqual([])
      }
    }
  })

  verifies('S2.23', 'a server that lists nothing for a while does not expose blocked items', async () => {
    for (const glob of ['a/drop', 'a_drop', 'drop']) {
      const world = await routedWorld([{ use: 'block', tools: [glob], prompts: [glob] }], {
        a: { tools: named('drop'), prompts: named('drop') },
        b: { tools: named('read') },
      })
      await world.ask('tools/list')
      await world.ask('prompts/list')
      Object.assign(world.servers.a ?? {}, { silent: true })
      await world.ask('tools/list')
      await world.ask('prompts/list')
      for (const name of ['a_drop', 'drop']) {
        await expect(world.ask('tools/call', { name })).rejects.toThrow(`Unknown tool: ${name}.`)
        await expect(world.ask('prompts/get', { name })).rejects.toThrow(`Unknown prompt: ${name}.`)
        await expect(
          world.ask('completion/complete', { ref: { type: 'ref/prompt', name }, argument: {} }),
        ).rejects.toThrow('Unknown prompt')
      }
      expect(world.reached).toEqual([])
    }
  })

  verifies('S2.23', 'errors about other names suggest visible items and no blocked ones', async () => {
    const world = await routedWorld([{ use: 'block', tools: ['a/write', 'a/wrote'] }], {
      a: { tools: named('write', 'wrote') },
      b: { tools: named('write') },
      c: { tools: named('writer', 'wrote') },
    })
    await expect(world.ask('tools/call', { name: 'a_writ' })).rejects.toThrow(
      /^Unknown tool: a_writ\. Did you mean b_write, c_writer\?$|^Unknown tool: a_writ\. Did you mean b_write\?$/,
    )
    // Two servers have it; one of them is hidden.
    await expect(world.ask('tools/call', { name: 'wrote' })).rejects.toThrow(/^Unknown tool: wrote\.$/)
    expect(world.reached).toEqual([])
  })

  verifies('S2.23', 'blocks a URI in every spelling', async () => {
    const world = await routedWorld(
      [{ use: 'block', resources: ['file:///secret/*', 'file:///etc/passwd', 'note://Private'] }],
      { a: { resources: at('file:///open', 'file:///secret/x') }, b: { resources: [] } },
    )
    expect(await valuesOf(world, 'resources/list', 'resources', 'uri')).toEqual(['file:///open'])
    const ways = [
      'file:///secret/x',
      'FILE:///secret/x',
      'file:///open/../secret/x',
      'file:///secret/./x',
      'file:///%73ecret/x',
      'file:///%2573ecret/x',
      'file:///open/%2e%2E/secret/x',
      'file:///open%2f..%2fsecret%2fx',
      'file:///open\\..\\secret\\x',
      'file://localhost/secret/x',
      'file:/secret/x',
      'file:////secret//x',
      'file:///secret/x?y',
      'file:///secret/x#y',
      ' file:///secret/x',
      'file:///sec\tret/x',
      'file:///etc/passwd/',
      'file:///etc/passwd?',
      'note://PRIVATE',
    ]
    for (const uri of ways) {
      for (const method of ['resources/read', 'resources/subscribe', 'resources/unsubscribe'])
        await expect(world.ask(method, { uri }), uri).rejects.toThrow('Resource not found')
    }
    expect(world.reached).toEqual([])
    for (const uri of ['file:///open', 'file:///secrets', 'file:///etc/passwd2', 'note://public'])
      await world.ask('resources/read', { uri })
    expect(world.reached.every(([, method]) => method === 'resources/read')).toBe(true)
  })

  test('blocks any mixture of these spellings', async () => {
    const world = await routedWorld([{ use: 'block', resources: ['file:///a/b/*'] }], {
      a: { resources: at('file:///open') },
    })
    const escaping = (text: string, how: number[]): string =>
      [...text]
        .map((character, index) => {
          const times = character === '/' ? 0 : (how[index % how.length] ?? 0)
          let escaped = character
          for (let round = 0; round < times; round++)
            escaped =
              round === 0 ? `%${character.charCodeAt(0).toString(16)}` : escaped.replaceAll('%', '%25')
          return escaped
        })
        .join('')
    const detour = fc.constantFrom('', '.', 'x/..', './y/../.', 'x/y/../..')
    await fc.assert(
      fc.asyncProperty(
        fc.array(detour, { minLength: 3, maxLength: 3 }),
        fc.array(fc.nat(2), { minLength: 1, maxLength: 7 }),
        fc.constantFrom('file://', 'FILE://', 'file://LOCALHOST'),
        async ([one, two, three], how, start) => {
          const path = ['', one, 'a', two, 'b', three, 'c'].filter(
            (part, index) => index === 0 || part !== '',
          )
          const uri = start + escaping(path.join('/'), how)
          await expect(world.ask('resources/read', { uri })).rejects.toThrow('Resource not found')
        },
      ),
      { numRuns: 60 },
    )
    expect(world.reached).toEqual([])
  })

  verifies('S2.23', 'a resource of one server, under the URI that the proxy gave it', async () => {
    const servers = () => ({
      a: { resources: at('note://1') },
      b: { resources: at('note://1', 'note://2') },
    })
    const ofOne = await routedWorld([{ use: 'block', resources: ['b/note://1'] }], servers())
    expect(await valuesOf(ofOne, 'resources/list', 'resources', 'uri')).toEqual(['note://1', 'note://2'])
    await expect(ofOne.ask('resources/read', { uri: 'note+b://1' })).rejects.toThrow('not found')
    await ofOne.ask('resources/read', { uri: 'note://1' })
    expect(ofOne.reached).toEqual([['a', 'resources/read', 'note://1']])
    // The URI without a server is blocked wherever it is from.
    const ofAll = await routedWorld([{ use: 'block', resources: ['note://1'] }], servers())
    expect(await valuesOf(ofAll, 'resources/list', 'resources', 'uri')).toEqual(['note://2'])
    for (const uri of ['note://1', 'note+b://1'])
      await expect(ofAll.ask('resources/read', { uri })).rejects.toThrow('not found')
    expect(ofAll.reached).toEqual([])
  })

  verifies(
    'S2.23',
    'a URI of a blocked template cannot be read or completed, and is not mentioned',
    async () => {
      for (const glob of ['db://{table}/{row}', 'a/db://{table}/{row}', 'a/db*']) {
        const world = await routedWorld([{ use: 'block', templates: [glob] }], {
          a: {
            resources: at('file:///open'),
            resourceTemplates: [{ uriTemplate: 'db://{table}/{row}', name: 'rows' }],
          },
          b: { resources: [] },
        })
        expect(await valuesOf(world, 'resources/templates/list', 'resourceTemplates', 'name')).toEqual([])
        // Another server may read it where one server's template is blocked.
        const isForAll = glob.startsWith('db')
        const uses = [
          ...['db://users/1', 'DB://users/1', 'db://x/../users/1'].map((uri) =>
            world.ask('resources/read', { uri }),
          ),
          ...['db://{table}/{row}', 'DB://{table}/{row}'].map((uri) =>
            world.ask('completion/complete', { ref: { type: 'ref/resource', uri }, argument: {} }),
          ),
        ]
        const done = await Promise.allSettled(uses)
        if (isForAll) expect(done.map(({ status }) => status)).toEqual(Array(5).fill('rejected'))
        const asked = world.reached.filter(([server]) => server === 'a')
        expect(asked).toEqual([])
        const method = 'notifications/resources/updated'
        const told = await world.tell('client', { method, params: { uri: 'file:///open' } })
        expect(told?.params).toEqual({ uri: 'file:///open' })
      }
    },
  )

  test('notifications and embedded resources do not mention a blocked item', async () => {
    const contents = [
      { uri: 'file:///dir', text: 'a list' },
      { uri: 'file:///dir/secret', text: 'hidden' },
      { uri: 'file:///dir/open', text: 'x'.repeat(100) },
    ]
    const world = await routedWorld([{ use: 'block', resources: ['file:///dir/secret'] }], {
      a: {
        resources: at('file:///dir'),
        answer: (_, { uri }) => (uri === 'file:///dir' ? { contents } : large),
      },
    })
    const json = Buffer.from(JSON.stringify({ contents }))
    const shared = new Uint8Array(new SharedArrayBuffer(json.length))
    shared.set(json)
    const large = new LargeResult(shared)
    for (const uri of ['file:///dir', 'file:///dir/']) {
      const read = await world.ask('resources/read', { uri })
      expect((read.contents as JsonObject[]).map((item) => item.uri)).toEqual([
        'file:///dir',
        'file:///dir/open',
      ])
    }
    const method = 'notifications/resources/updated'
    expect(await world.tell('client', { method, params: { uri: 'file:///dir/secret' } })).toBeUndefined()
    expect(await world.tell('client', { method, params: { uri: 'file:///dir/open' } })).toBeDefined()
  })

  test('a list keeps its cursor and its other members, also when nothing is left of it', async () => {
    const { moduleWorld } = await import('../../support/module-world.ts')
    const world = await moduleWorld([{ use: 'block', tools: ['*'] }], {
      server: async () => ({ tools: named('x'), nextCursor: 'more', _meta: { kept: 1 } }),
    })
    expect(await world.ask('tools/list')).toEqual({ tools: [], nextCursor: 'more', _meta: { kept: 1 } })
  })
})

const names = (result: JsonObject, kind = 'tools', key = 'name'): unknown[] =>
  (result[kind] as JsonObject[]).map((item) => item[key])
const texts = (result: JsonObject): string[] => (result.content as { text: string }[]).map(({ text }) => text)

describe('block, in a list of modules', () => {
  verifies('S2.23', 'a blocked item is neither listed nor usable under any of its names', async () => {
    const world = await moduleWorld([
      {
        use: 'block',
        tools: ['a/wr*'],
        prompts: ['b_bye'],
        resources: ['file://*'],
        templates: ['note://{id}'],
      },
    ])
    expect(names(await world.ask('tools/list'))).toEqual(['a_read', 'b_read'])
    expect(names(await world.ask('prompts/list'), 'prompts')).toEqual(['a_hello'])
    expect(names(await world.ask('resources/list'), 'resources', 'uri')).toEqual(['note://1'])
    expect(names(await world.ask('resources/templates/list'), 'resourceTemplates')).toEqual([])
    world.sent.length = 0
    // Under its listed name and under the server's own, which the router would find as well.
    for (const name of ['a_write', 'write'])
      await expect(world.ask('tools/call', { name })).rejects.toThrow(
        new RpcError(RPC.invalidParams, `Unknown tool: ${name}.`),
      )
    await expect(world.ask('prompts/get', { name: 'b_bye' })).rejects.toThrow('Unknown prompt: b_bye.')
    await expect(
      world.ask('completion/complete', { ref: { type: 'ref/prompt', name: 'b_bye' } }),
    ).rejects.toThrow('Unknown')
    await expect(world.ask('resources/read', { uri: 'file:///x' })).rejects.toThrow('Resource not found')
    await expect(world.ask('resources/subscribe', { uri: 'file:///x' })).rejects.toThrow('Resource not found')
    // Not listed, but what the blocked template stands for.
    await expect(world.ask('resources/read', { uri: 'note://7' })).rejects.toThrow('Resource not found')
    expect(world.sent.filter(({ method }) => !method.endsWith('/list'))).toEqual([])
    expect(await world.ask('resources/read', { uri: 'note://1' })).toHaveProperty('contents')
    expect(texts(await world.ask('tools/call', { name: 'a_read' }))).toEqual(['called a_read'])
  })

  verifies('S2.23', 'a client that has listed nothing is refused as well', async () => {
    const world = await moduleWorld([{ use: 'block', tools: ['b/read'] }])
    await expect(world.ask('tools/call', { name: 'b_read' })).rejects.toThrow('Unknown tool: b_read.')
  })

  test('the error about an unknown name does not reveal a blocked one', async () => {
    const server = async ({ method }: { method: string }): Promise<JsonObject> => {
      if (method === 'tools/list') return { tools: [listed('a', 'write')] }
      throw new RpcError(RPC.invalidParams, 'Unknown tool: a_wite. Did you mean a_write?')
    }
    const world = await moduleWorld([{ use: 'block', tools: ['a_write'] }], { server })
    await expect(world.ask('tools/call', { name: 'a_wite' })).rejects.toThrow(/^Unknown tool: a_wite\.$/)
  })
})
