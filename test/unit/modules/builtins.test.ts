import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { LargeResult } from '../../../src/protocol/content.ts'
import { RPC, RpcError } from '../../../src/protocol/errors.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { listed, moduleWorld } from '../../support/module-world.ts'
import { client, temporaryFolder } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

const names = (result: JsonObject, kind = 'tools', key = 'name'): unknown[] =>
  (result[kind] as JsonObject[]).map((item) => item[key])
const texts = (result: JsonObject): string[] => (result.content as { text: string }[]).map(({ text }) => text)

describe('block', () => {
  verifies(
    'S2.23',
    'what is blocked is neither listed nor can it be used, under any of its names',
    async () => {
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
      await expect(world.ask('resources/subscribe', { uri: 'file:///x' })).rejects.toThrow(
        'Resource not found',
      )
      // Not listed, but what the blocked template stands for.
      await expect(world.ask('resources/read', { uri: 'note://7' })).rejects.toThrow('Resource not found')
      expect(world.sent.filter(({ method }) => !method.endsWith('/list'))).toEqual([])
      expect(await world.ask('resources/read', { uri: 'note://1' })).toHaveProperty('contents')
      expect(texts(await world.ask('tools/call', { name: 'a_read' }))).toEqual(['called a_read'])
    },
  )

  verifies('S2.23', 'a client that has listed nothing is refused as well', async () => {
    const world = await moduleWorld([{ use: 'block', tools: ['b/read'] }])
    await expect(world.ask('tools/call', { name: 'b_read' })).rejects.toThrow('Unknown tool: b_read.')
  })

  test('the error of another unknown name does not tell what is blocked', async () => {
    const server = async ({ method }: { method: string }): Promise<JsonObject> => {
      if (method === 'tools/list') return { tools: [listed('a', 'write')] }
      throw new RpcError(RPC.invalidParams, 'Unknown tool: a_wite. Did you mean a_write?')
    }
    const world = await moduleWorld([{ use: 'block', tools: ['a_write'] }], { server })
    await expect(world.ask('tools/call', { name: 'a_wite' })).rejects.toThrow(/^Unknown tool: a_wite\.$/)
  })
})

describe('rename', () => {
  verifies(
    'S2.16 S2.24',
    'two tools of one name get names of their own, and calls reach whom they are for',
    async () => {
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
      // Else what blocks the new name could be passed by.
      await expect(world.ask('tools/call', { name: 'a_read' })).rejects.toThrow('Unknown tool: a_read.')
    },
  )

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

  test('resources are read, watched and told of under their new URI', async () => {
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

describe('rewrite', () => {
  verifies('S2.25', 'text is filtered and enriched, in the places that the rules name', async () => {
    const world = await moduleWorld([
      {
        use: 'rewrite',
        rules: [
          { pattern: '(?:called) (\\w+)_(\\w+)', with: '$2 of $1, $$5' },
          { text: 'DOES', ignoreCase: true, with: 'can', in: ['descriptions'] },
          { after: '!', in: ['prompts', 'results'], only: ['a_*'] },
          { text: 'password', with: 'pw', in: ['arguments'] },
        ],
      },
    ])
    expect(
      texts(await world.ask('tools/call', { name: 'a_read', arguments: { q: ['my password'] } })),
    ).toEqual(['read of a, $5!'])
    expect(world.sent.at(-1)?.params.arguments).toEqual({ q: ['my pw'] })
    expect(texts(await world.ask('tools/call', { name: 'b_read' }))).toEqual(['read of b, $5'])
    expect(await world.ask('tools/list')).toMatchObject({
      tools: [{ name: 'a_read', description: 'can read' }, {}, {}],
    })
    expect(await world.ask('prompts/get', { name: 'a_hello' })).toMatchObject({
      messages: [{ content: { text: 'prompt a_hello!' } }],
    })
  })

  test('a large result is changed as a small one is, and is handed on as bytes', async () => {
    const text = 'foo bar '.repeat(20_000)
    const bytes = (value: JsonObject): Uint8Array<SharedArrayBuffer> => {
      const json = Buffer.from(JSON.stringify(value))
      const shared = new Uint8Array(new SharedArrayBuffer(json.length))
      shared.set(json)
      return shared
    }
    const result = { content: [{ type: 'text', text }], structuredContent: { kept: 'foo', id: 12 } }
    const server = async (): Promise<LargeResult> => new LargeResult(bytes(result))
    const world = await moduleWorld(
      [{ use: 'rewrite', rules: [{ text: 'foo', with: 'baz' }, { after: '!' }] }],
      { server },
    )
    const changed = await world.raw('tools/call', { name: 'a_read' })
    expect(changed).toBeInstanceOf(LargeResult)
    expect((changed as LargeResult).json()).toEqual({
      content: [{ type: 'text', text: `${text.replaceAll('foo', 'baz')}!` }],
      structuredContent: { kept: 'baz', id: 12 },
    })
    const other = await moduleWorld([{ use: 'rewrite', rules: [{ text: 'absent', with: 'x' }] }], { server })
    const same = await other.raw('tools/call', { name: 'a_read' })
    expect((same as LargeResult).json()).toEqual(result)
  })

  test('a pattern that is none ends the start with what is wrong', async () => {
    await expect(moduleWorld([{ use: 'rewrite', rules: [{ pattern: '(' }] }])).rejects.toThrow(
      /rules\[0\] of the module `rewrite`/,
    )
    await expect(moduleWorld([{ use: 'rewrite', rules: [{}] }])).rejects.toThrow(/changes nothing/)
  })
})

describe('redact', () => {
  const key = `AKIA${'ABCDEFGHIJKLMNOP'}`
  const token = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`
  const answers = (text: string) => async (): Promise<JsonObject> => ({ content: [{ type: 'text', text }] })

  verifies(
    'S2.25 S2.38',
    'secrets and personal data do not leave, whatever carries them; the log has counts',
    async () => {
      const text = `key ${key}, ${token}, "password": "hunter2hunter2", mail ada@example.org, card 4111 1111 1111 1111, DE89370400440532013000`
      const world = await moduleWorld([{ use: 'redact' }], { server: answers(text) })
      const [struck] = texts(await world.ask('tools/call', { name: 'a_read' }))
      expect(struck).toBe(
        'key [redacted:secret], [redacted:secret], "password": "[redacted:secret]", mail [redacted:email], card [redacted:card], [redacted:iban]',
      )
      expect(world.lines).toEqual([
        {
          level: 'info',
          module: 'redact',
          message: 'redacted',
          found: expect.arrayContaining([
            { kind: 'secret', times: 3 },
            { kind: 'email', times: 1 },
            { kind: 'card', times: 1 },
            { kind: 'iban', times: 1 },
          ]),
        },
      ])
      expect(JSON.stringify(world.lines)).not.toMatch(/hunter2|AKIA|ghp_|ada@/)
      const told = await world.tell('client', {
        method: 'notifications/message',
        params: { level: 'info', data: { at: key } },
      })
      expect(told?.params).toEqual({ level: 'info', data: { at: '[redacted:secret]' } })
      let asked: unknown
      await world.askClient(
        'sampling/createMessage',
        { messages: [{ role: 'user', content: { type: 'text', text: key } }] },
        async ({ params }) => {
          asked = params
          return {}
        },
      )
      expect(JSON.stringify(asked)).not.toContain(key)
    },
  )

  test('an error of a server is struck as well', async () => {
    const server = async (): Promise<never> => {
      throw new RpcError(-5, `no access with ${token}`, { used: [token] })
    }
    const world = await moduleWorld([{ use: 'redact' }], { server })
    const error = (await world
      .ask('tools/call', { name: 'x' })
      .catch((thrown: unknown) => thrown)) as RpcError
    expect([error.code, error.message, error.data]).toEqual([
      -5,
      'no access with [redacted:secret]',
      { used: ['[redacted:secret]'] },
    ])
  })

  test('what is left is JSON where it was, and data of images is not read', async () => {
    const json = JSON.stringify({ card: 4111111111111111, id: 1234567890123456, mail: 'a@b.example' })
    const image = { type: 'image', mimeType: 'image/png', data: `${key}${key}` }
    const server = async (): Promise<JsonObject> => ({
      content: [{ type: 'text', text: json }, image],
      structuredContent: { n: 4111111111111111, m: 7 },
    })
    const world = await moduleWorld([{ use: 'redact' }], { server })
    const result = await world.ask('tools/call', { name: 'a_read' })
    expect(JSON.parse(texts(result)[0] ?? '')).toEqual({
      card: 0,
      id: 1234567890123456,
      mail: '[redacted:email]',
    })
    expect((result.content as JsonObject[])[1]).toEqual(image)
    expect(result.structuredContent).toEqual({ n: 0, m: 7 })
  })

  test('patterns of one’s own, random words, exceptions and arguments', async () => {
    const random = 'qZ7xW2mK9pL4vB8nR3tY6uJ1hG5fD0sA'
    const world = await moduleWorld(
      [
        {
          use: 'redact',
          kinds: ['email'],
          patterns: { badge: 'B-\\d{4}' },
          replacement: '<{kind}>',
          allow: ['ok@example.org'],
          arguments: true,
        },
      ],
      {
        server: answers(
          `B-1234 ok@example.org no@example.org ${random} da39a3ee5e6b4b0d3255bfef95601890afd80709`,
        ),
      },
    )
    const [struck] = texts(await world.ask('tools/call', { name: 'x', arguments: { to: 'no@example.org' } }))
    expect(struck).toBe('<badge> ok@example.org <email> <entropy> da39a3ee5e6b4b0d3255bfef95601890afd80709')
    expect(world.sent[0]?.params.arguments).toEqual({ to: '<email>' })
  })
})

describe('quota', () => {
  verifies('S2.12', 'an agent has so many calls, and gets more as time passes', async () => {
    let now = 0
    const world = await moduleWorld([{ use: 'quota', rps: 1, burst: 2 }], { now: () => now })
    const call = async (): Promise<unknown> => (await world.ask('tools/call', { name: 'a_read' })).isError
    expect([await call(), await call(), await call()]).toEqual([undefined, undefined, true])
    expect(world.sent).toHaveLength(2)
    expect(texts(await world.ask('tools/call', { name: 'a_read' }))[0]).toMatch(
      /Nothing was called; try again in 1 s/,
    )
    now = 1000
    expect(await call()).toBeUndefined()
    expect(await world.ask('tools/list')).toHaveProperty('tools')
  })

  test('per server, and for chosen tools alone', async () => {
    const world = await moduleWorld([{ use: 'quota', rps: 0.001, per: 'server', tools: ['*/read'] }])
    const call = async (name: string): Promise<unknown> => (await world.ask('tools/call', { name })).isError
    expect([await call('a_read'), await call('b_read'), await call('a_read')]).toEqual([
      undefined,
      undefined,
      true,
    ])
    expect([await call('a_write'), await call('a_write')]).toEqual([undefined, undefined])
  })
})

describe('log', () => {
  verifies(
    'S2.21',
    'the beginning of a large answer is written, without secrets, and that it is an error',
    async () => {
      const text = `password=hunter2hunter2 failed at line 7 ${'x'.repeat(100_000)}`
      const json = Buffer.from(JSON.stringify({ isError: true, content: [{ type: 'text', text }] }))
      const bytes = new Uint8Array(new SharedArrayBuffer(json.length))
      bytes.set(json)
      const world = await moduleWorld([{ use: 'log', content: 'all' }], {
        server: async () => new LargeResult(bytes),
      })
      await world.raw('tools/call', { name: 'a_read' })
      const [line] = world.lines
      expect(line).toMatchObject({
        isError: true,
        bytes: json.length,
        result: expect.stringContaining('failed at line 7'),
      })
      expect(String(line?.result).length).toBeLessThanOrEqual(501)
      expect(String(line?.result)).not.toContain('hunter2')
    },
  )

  verifies('S2.21', 'messages of both directions are written down, as chosen, without secrets', async () => {
    const file = join(temporaryFolder(), 'messages.log')
    const world = await moduleWorld(
      [{ use: 'log', content: 'all', file, methods: ['tools/call', 'notifications/*', 'sampling/*'] }],
      {
        client: client(),
      },
    )
    await world.ask('tools/call', { name: 'a_read', arguments: { token: 'abcdefgh1234', q: 'find' } })
    await world.ask('tools/list')
    await world.tell('client', { method: 'notifications/message', params: { level: 'info' } })
    await world.tell('server', { method: 'notifications/roots/list_changed' })
    await world.askClient('sampling/createMessage', {}, async () => ({}))
    await world.modules.close()
    await expect.poll(() => readFileSync(file, 'utf8').split('\n').length).toBe(5)
    const lines = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonObject)
    expect(lines.map(({ method, toward }) => [method, toward])).toEqual([
      ['tools/call', 'server'],
      ['notifications/message', 'client'],
      ['notifications/roots/list_changed', 'server'],
      ['sampling/createMessage', 'client'],
    ])
    expect(lines[0]).toMatchObject({ name: 'a_read', result: expect.stringContaining('called a_read') })
    expect(readFileSync(file, 'utf8')).not.toContain('abcdefgh1234')
    // Who knows the id of a session has the session.
    expect(lines[0]?.agent).toMatch(/^[\da-f]{8}$/)
    expect(statSync(file).mode & 0o77).toBe(0)
  })

  verifies('S2.21', 'by direction, server and tool, to the log of the proxy; failures are told', async () => {
    const world = await moduleWorld([
      { use: 'log', name: 'only-b', servers: ['b'], direction: 'toServer' },
      { use: 'log', name: 'only-write', tools: ['*_write'], methods: ['tools/call'] },
    ])
    for (const name of ['a_read', 'a_write', 'b_read']) await world.ask('tools/call', { name })
    await world.askClient('sampling/createMessage', {}, async () => ({}))
    expect(world.lines.map(({ module, name }) => [module, name])).toEqual([
      ['only-write', 'a_write'],
      ['only-b', 'b_read'],
    ])
    const ends = await moduleWorld([{ use: 'log', servers: ['notes'] }], {
      server: async ({ method, params, admit }) => {
        await admit?.({ server: params.uri === 'note://9' ? 'notes' : 'others', name: String(params.uri) })
        return method === 'resources/read' ? { contents: [] } : {}
      },
    })
    for (const method of ['resources/read', 'resources/subscribe'])
      for (const uri of ['note://9', 'file:///x']) await ends.ask(method, { uri })
    expect(ends.lines.map(({ method, uri, server }) => [method, uri, server])).toEqual([
      ['resources/read', 'note://9', 'notes'],
      ['resources/subscribe', 'note://9', 'notes'],
    ])
    const failing = await moduleWorld([{ use: 'log' }], {
      server: async () => {
        throw new RpcError(-3, 'no')
      },
    })
    await expect(failing.ask('ping')).rejects.toThrow('no')
    expect(failing.lines).toMatchObject([{ method: 'ping', error: 'no', code: -3 }])
  })
})
