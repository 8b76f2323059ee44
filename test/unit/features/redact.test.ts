/** Whatever carries a secret: everything that passes between servers and clients. */

import { describe, expect, test } from 'vitest'
import { LargeResult } from '../../../src/protocol/content.ts'
import { ProxyError, RpcError } from '../../../src/protocol/errors.ts'
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts'
import { originOf } from '../../../src/protocol/origin.ts'
import { deepFreeze } from '../../support/deep-freeze.ts'
import { listed, moduleWorld } from '../../support/module-world.ts'
import { verifies } from '../../support/verifies.ts'

const texts = (result: JsonObject): string[] => (result.content as { text: string }[]).map(({ text }) => text)

const KEY = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`
const ENCODED = Buffer.from(`token ${KEY}\n`).toString('base64')
const MAIL = 'ada@example.org'

/** Everything in which a message of a server may hold a text, with the key in all of it. */
const RESULTS: Readonly<Record<string, JsonObject>> = {
  'tools/call': {
    content: [
      { type: 'text', text: `key ${KEY}`, annotations: { note: KEY }, _meta: { [KEY]: [KEY] } },
      { type: 'resource', resource: { uri: `x://u:${KEY}@h/`, text: KEY, mimeType: 'text/plain' } },
      { type: 'resource', resource: { uri: 'x://1', blob: ENCODED } },
      { type: 'resource_link', uri: `https://h/?q=${KEY}`, name: KEY, title: KEY, description: KEY },
      { type: 'image', mimeType: 'image/svg+xml', data: Buffer.from(`<svg>${KEY}</svg>`).toString('base64') },
    ],
    structuredContent: {
      name: KEY,
      uri: KEY,
      data: KEY,
      mimeType: 'x',
      type: KEY,
      [KEY]: { cursor: KEY },
      list: [[KEY]],
    },
    _meta: { 'a/b': KEY },
    other: { anything: KEY },
  },
  'resources/read': {
    contents: [
      { uri: KEY, blob: ENCODED },
      { uri: 'x', text: KEY },
    ],
  },
  'resources/list': {
    resources: [{ uri: `x://${KEY}`, name: KEY, description: KEY, icons: [{ src: KEY }] }],
    _meta: { k: KEY },
  },
  'resources/templates/list': { resourceTemplates: [{ uriTemplate: `x://${KEY}/{id}`, name: KEY }] },
  'tools/list': {
    tools: [
      {
        name: 'a',
        title: KEY,
        inputSchema: { type: 'object', properties: { p: { default: KEY } } },
        annotations: { title: KEY },
      },
    ],
  },
  'prompts/list': { prompts: [{ name: 'a', arguments: [{ name: 'x', description: KEY }] }] },
  'prompts/get': { description: KEY, messages: [{ role: 'user', content: { type: 'text', text: KEY } }] },
  'completion/complete': { completion: { values: [KEY], total: 1 } },
  'custom/method': { anything: [{ at: KEY }] },
}

describe('redact', () => {
  verifies(
    'S2.25 S2.38',
    'no answer of a server holds a secret, wherever it stands; large ones neither',
    async () => {
      for (const isLarge of [false, true]) {
        const world = await moduleWorld([{ use: 'redact' }], {
          server: async ({ method }) => {
            const result = deepFreeze(structuredClone(RESULTS[method] ?? {}))
            if (!isLarge) return result
            const json = Buffer.from(JSON.stringify(result))
            const bytes = new Uint8Array(new SharedArrayBuffer(json.length))
            bytes.set(json)
            return new LargeResult(bytes)
          },
        })
        for (const method of Object.keys(RESULTS)) {
          const text = JSON.stringify(await world.ask(method, { name: 'a', uri: 'x' }))
          expect(text, method).not.toContain(KEY)
          expect(text, method).not.toContain(ENCODED.slice(10, 40))
          expect(text, method).toMatch(/redacted|cmVkYWN0ZWQ/)
        }
      }
    },
  )

  verifies(
    'S2.25 S2.38',
    'strikes out secrets in questions, notifications and errors of a server',
    async () => {
      const world = await moduleWorld([{ use: 'redact' }])
      for (const [method, params] of Object.entries({
        'notifications/message': { level: 'info', logger: KEY, data: { a: [KEY], name: KEY } },
        'notifications/progress': { progressToken: 1, progress: 1, message: KEY },
        'notifications/resources/updated': { uri: `x://${KEY}` },
        'notifications/custom': { anything: KEY },
      }))
        expect(JSON.stringify(await world.tell('client', { method, params })), method).not.toContain(KEY)
      for (const [method, params] of Object.entries({
        'elicitation/create': {
          message: KEY,
          requestedSchema: { type: 'object', properties: { password: { type: 'string', default: KEY } } },
          url: `https://h/?token=${KEY}`,
        },
        'sampling/createMessage': {
          systemPrompt: KEY,
          messages: [
            { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'x', input: { q: KEY } }] },
            {
              role: 'user',
              content: [{ type: 'tool_result', toolUseId: '1', content: [{ type: 'text', text: KEY }] }],
            },
          ],
          metadata: { password: 'hunter2' },
        },
      })) {
        let asked: unknown
        await world.askClient(method, params as JsonObject, async (exchange) => {
          asked = exchange.params
          return {}
        })
        expect(JSON.stringify(asked), method).not.toMatch(new RegExp(`${KEY}|hunter2`))
        expect(JSON.stringify(asked), method).toContain('redacted')
      }
      for (const thrown of [
        new RpcError(-5, `no ${KEY}`, { why: KEY, password: 'hunter2', name: KEY }),
        new ProxyError('UPSTREAM_CLOSED', `server said ${KEY}`, `Look at ${KEY}.`),
        new Error(`lost ${KEY}`),
      ]) {
        const failing = await moduleWorld([{ use: 'redact' }], {
          server: async () => {
            throw thrown
          },
        })
        const error = (await failing
          .ask('tools/call', { name: 'x' })
          .catch((reason: unknown) => reason)) as Error
        expect(error.constructor).toBe(thrown.constructor)
        expect(JSON.stringify([error.message, { ...error }])).not.toMatch(new RegExp(`${KEY}|hunter2`))
        expect(error.message).toContain('[redacted:secret]')
      }
      const said = world.stack.describe({
        serverInfo: { name: 'p' },
        instructions: 'mine',
        servers: [{ server: 'a', instructions: `Use ${KEY}` }],
      })
      expect(said.servers).toEqual([{ server: 'a', instructions: 'Use [redacted:secret]' }])
      expect(JSON.stringify(world.lines)).not.toContain(KEY)
    },
  )

  test('what goes back to the server stays what it is, and what others go by keeps names of persons', async () => {
    const result = deepFreeze({
      nextCursor: KEY,
      requestState: KEY,
      taskId: KEY,
      content: [{ type: 'resource_link', uri: `contact://${MAIL}`, name: MAIL }],
    })
    const world = await moduleWorld([{ use: 'redact' }], { server: async () => result })
    expect(await world.raw('tools/call', { name: 'a' })).toBe(result)
    // Messages of clients stay as they are, unless the configuration says otherwise.
    const params = deepFreeze({
      name: 'a',
      arguments: { password: 'hunter2', mail: MAIL },
      _meta: { progressToken: 'token-12345678' },
    })
    await world.ask('tools/call', params)
    expect(world.sent.at(-1)?.params).toBe(params)
    const both = await moduleWorld([{ use: 'redact', arguments: true }], { server: async () => result })
    await both.ask('tools/call', params)
    expect(both.sent.at(-1)?.params).toEqual({
      name: 'a',
      arguments: { password: '[redacted:secret]', mail: '[redacted:email]' },
      _meta: { progressToken: 'token-12345678' },
    })
    const told = await both.tell('server', { method: 'notifications/x', params: { text: KEY } })
    expect(told?.params).toEqual({ text: '[redacted:secret]' })
    const answer = await both.askClient('elicitation/create', {}, async () => ({
      action: 'accept',
      content: { password: 'hunter2' },
    }))
    expect(answer).toEqual({ action: 'accept', content: { password: '[redacted:secret]' } })
  })

  test('nested deeper than any stack', async () => {
    for (const depth of [150, 250, 20_000]) {
      let deep: JsonValue = { password: 'hunter2', note: KEY, [KEY]: 1, n: 4111111111111111, ok: 'x' }
      for (let level = 0; level < depth; level++) deep = level % 2 === 0 ? [deep] : { in: deep }
      const world = await moduleWorld([{ use: 'redact' }], {
        server: async () => ({ content: [], structuredContent: { deep } }),
      })
      const result = await world.ask('tools/call', { name: 'a' })
      let left = (result.structuredContent as JsonObject).deep as JsonValue
      for (let level = depth - 1; level >= 0; level--)
        left = (level % 2 === 0 ? (left as JsonValue[])[0] : (left as JsonObject).in) as JsonValue
      expect(left).toEqual({
        password: '[redacted:secret]',
        note: '[redacted:secret]',
        '[redacted:secret]': 1,
        n: 0,
        ok: 'x',
      })
    }
  })

  test('two names that are struck out stay two, and __proto__ is a name like others', async () => {
    const data = JSON.parse(`{"a@b.example":1,"c@d.example":2,"__proto__":"${KEY}"}`) as JsonObject
    const world = await moduleWorld([{ use: 'redact' }], {
      server: async () => ({ structuredContent: data }),
    })
    const { structuredContent } = await world.ask('tools/call', { name: 'a' })
    expect(Object.entries(structuredContent as JsonObject)).toEqual([
      ['[redacted:email]', 1],
      ['[redacted:email] 2', 2],
      ['__proto__', '[redacted:secret]'],
    ])
  })

  verifies(
    'S2.23 S2.38',
    'in a list of any size each item stays the server’s own, and promises no form of texts',
    async () => {
      const schema = {
        type: 'object',
        properties: { to: { type: 'string', format: 'email' }, n: { type: 'number' } },
      }
      const tools = Array.from({ length: 300 }, (_, n) =>
        listed('a', `t${n}`, { description: `${'x'.repeat(400)} mail ${MAIL}`, outputSchema: schema }),
      )
      const world = await moduleWorld([{ use: 'block', tools: ['a/t7'] }, { use: 'redact' }], {
        server: async () => ({ tools }),
      })
      const first = (await world.ask('tools/list')).tools as JsonObject[]
      expect(first).toHaveLength(299)
      expect(JSON.stringify(first)).not.toContain(MAIL)
      expect(originOf(first[0] ?? {})).toEqual({ server: 'a', name: 't0' })
      expect(first[0]?.outputSchema).toEqual({
        type: 'object',
        properties: { to: { type: 'string' }, n: { type: 'number' } },
      })
      // The same objects again, for modules that go by that.
      expect(((await world.ask('tools/list')).tools as JsonObject[])[0]).toBe(first[0])
      expect(tools[0]?.outputSchema).toBe(schema)
    },
  )
})

describe('redact, in a list of modules', () => {
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

  test('keeps JSON valid and does not read image data', async () => {
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

  test('applies custom patterns, entropy, exceptions and arguments', async () => {
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
