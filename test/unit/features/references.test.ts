/** Values of kept results in the place of references, and who may see them: only the server that is called. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hashOf } from '../../../src/engine/content.ts'
import type { Engine } from '../../../src/engine/contract.ts'
import { fill } from '../../../src/engine/fill.ts'
import { createViews } from '../../../src/engine/views.ts'
import { createReferences } from '../../../src/features/references/index.ts'
import { plain } from '../../../src/protocol/content.ts'
import { ProxyError, RpcError } from '../../../src/protocol/errors.ts'
import type { Exchange } from '../../../src/protocol/exchange.ts'
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts'
import { jsonParts } from '../../../src/protocol/json.ts'
import { createMemoryStore } from '../../../src/store/memory.ts'
import { createResultStore } from '../../../src/store/result-store.ts'
import { deepFreeze } from '../../support/deep-freeze.ts'
import { RESULT_STORE_DEFAULTS } from '../../support/defaults.ts'
import { around } from '../../support/onion.ts'
import { runs } from '../../support/runs.ts'
import { client, exchange } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'
import { bytesOf, textResult } from '../engine/world.ts'

const schema: JsonObject = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    content: { type: 'string' },
    rows: { type: 'array', items: { type: 'object' } },
    count: { type: 'integer' },
    any: {},
  },
}

const MAX_BYTES = 1_000_000

/** A server with one tool, and one client that keeps results. `sent`: the JSON of what the server got, as it goes out. */
function world({ inputSchema = schema, answer = async (): Promise<JsonObject> => textResult('done') } = {}) {
  const resultStore = createResultStore({
    ...RESULT_STORE_DEFAULTS,
    memory: createMemoryStore(),
    now: () => 0,
    onDrop: () => {},
    onError: () => {},
  })
  const views = createViews()
  const engine = {
    fill: async (sources, filling, signal) => {
      signal.throwIfAborted()
      // As across the border to a worker.
      return structuredClone(
        fill(views, structuredClone(sources.map((each) => ({ ...each }))), structuredClone(filling)),
      )
    },
  } as Pick<Engine, 'fill'> as Engine
  const sent: string[] = []
  const exchanges: Exchange[] = []
  const layer = createReferences({
    resultStore,
    engine,
    exempt: new Set(['proxy_filter']),
    maxBytes: MAX_BYTES,
  })
  const handler = around(layer, async (inner) => {
    if (inner.method === 'tools/list') return { tools: [{ name: 'write', inputSchema }] }
    exchanges.push(inner)
    const parts = jsonParts(inner.params)
    sent.push(Buffer.concat(parts.map((part) => Buffer.from(part as string))).toString('utf8'))
    return answer()
  })
  const owner = client()
  return {
    owner,
    sent,
    exchanges,
    async keep(content: string | JsonObject, who = owner): Promise<string> {
      const bytes = bytesOf(typeof content === 'string' ? textResult(content) : content)
      const origin = { tool: 'read', arguments: {} }
      return (await resultStore.keep(who.agent, { content: bytes, hash: hashOf(bytes), origin })).handle
    },
    async call(
      args: JsonObject,
      extra: Partial<Exchange> = {},
      who = owner,
    ): Promise<{ text: string; isError: unknown }> {
      const params = deepFreeze({ name: 'write', arguments: args, ...extra.params })
      const result = plain(await handler(exchange(who, { method: 'tools/call', ...extra, params })))
      const [block] = result.content as JsonObject[]
      return { text: String(block?.text), isError: result.isError }
    },
    /** The arguments of the last call, as the server reads them. */
    got: (): JsonValue => JSON.parse(sent.at(-1) ?? 'null').arguments,
  }
}

const rows = [
  { id: 1, name: 'one', tags: ['a'] },
  { id: 2, name: 'zwei ü €', tags: [] },
]

describe('the value of a reference', () => {
  verifies(
    'S4.30',
    'is a text where a text is wanted, data where data is, and what it is where anything goes',
    async () => {
      const { keep, call, got } = world()
      const pretty = JSON.stringify(rows, undefined, 2)
      const $from = await keep(pretty)
      await call({
        path: 'a',
        content: { $from },
        rows: { $from },
        any: { $from },
        count: { $from, path: '$[1].id' },
      })
      expect(got()).toEqual({ path: 'a', content: pretty, rows, any: rows, count: 2 })
      await call({
        content: { $from, path: '$[0].tags' },
        rows: { $from, path: '$[?@.id==2]' },
        any: { $from, path: '$[*].name' },
      })
      expect(got()).toEqual({ content: '["a"]', rows: [rows[1]], any: ['one', 'zwei ü €'] })
      await call({ content: { $from, path: '$[0].name' }, any: [{ deep: { $from, path: '#/1/id' } }, 'x'] })
      expect(got()).toEqual({ content: 'one', any: [{ deep: 2 }, 'x'] })
    },
  )

  test('is data for tools that want the data of a table or of lines of JSON', async () => {
    const { keep, call, got } = world()
    const csv = await keep('id,name\n1,a\n2,b\n3,c\n')
    const many = [...rows, ...rows, ...rows]
    const lines = await keep(`${many.map((row) => JSON.stringify(row)).join('\n')}\n`)
    expect(await call({ content: { $from: csv }, rows: { $from: lines } })).toMatchObject({ text: 'done' })
    expect(got()).toEqual({ content: 'id,name\n1,a\n2,b\n3,c\n', rows: many })
  })

  test('keeps its numbers to the digit, whatever JavaScript makes of them', async () => {
    const { keep, call, sent } = world()
    const $from = await keep(
      '{"id": 12345678901234567890, "rows": [{"x": 0.12345678901234567891, "s": "12345678901234567890"}], "big": 1e400}',
    )
    await call({
      any: { $from },
      rows: { $from, path: '$.rows' },
      content: { $from, path: 'id' },
      count: { $from, path: '$.id' },
    })
    expect(sent.at(-1)).toContain(
      '"any":{"id":12345678901234567890,"rows":[{"x":0.12345678901234567891,"s":"12345678901234567890"}],"big":1e400},' +
        '"rows":[{"x":0.12345678901234567891,"s":"12345678901234567890"}],"content":"12345678901234567890","count":12345678901234567890',
    )
    await call({ content: { $from, path: '$.rows' } })
    expect(JSON.parse(sent.at(-1) ?? '').arguments.content).toBe(
      '[{"x":0.12345678901234567891,"s":"12345678901234567890"}]',
    )
  })

  test('stands in a template as text, once: what it brings along is not read', async () => {
    const { keep, call, got } = world()
    const $from = await keep(JSON.stringify({ name: '{total} $& {"$from":"x"}', total: 7 }))
    const part = (path: string): JsonObject => ({ $from, path })
    await call({
      content: { $template: 'Dear {name}: {total} {else}', name: part('$.name'), total: part('$.total') },
    })
    expect(got()).toEqual({ content: 'Dear {total} $& {"$from":"x"}: 7 {else}' })
  })

  test('never reads references in values or files', async () => {
    const { keep, call, got } = world()
    const inner = await keep('secret')
    const data = {
      a: { $from: inner },
      b: [{ $template: '{x}', x: { $from: inner } }],
      c: `{"$from":"${inner}"}`,
    }
    const $from = await keep(JSON.stringify(data))
    await call({ any: { $from } })
    expect(got()).toEqual({ any: data })
    await call({ _fromFile: '/f' }, { supplied: bytesOf({ any: data, path: 'p' }) })
    expect(got()).toEqual({ any: data, path: 'p' })
  })

  test('may be all of the arguments, if it has names', async () => {
    const { keep, call, got, sent } = world()
    await call({ $from: await keep(JSON.stringify({ path: 'x', rows: Array(5000).fill({ a: 1 }), n: 1e3 })) })
    expect(got()).toEqual({ path: 'x', rows: Array(5000).fill({ a: 1 }), n: 1000 })
    expect(await call({ $from: await keep('[1]') })).toEqual({
      isError: true,
      text: expect.stringMatching(/^write was not called\. .*no object/),
    })
    expect(sent).toHaveLength(1)
  })

  test('of any text arrives as it was, short or long', async () => {
    const { keep, call, got } = world()
    const property = fc.asyncProperty(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.constantFrom(1, 500),
      async (text, times) => {
        const content = `${text}x`.repeat(times)
        await call({ content: { $from: await keep(content) }, path: 'p' })
        expect(got()).toEqual({ content, path: 'p' })
      },
    )
    await fc.assert(property, { numRuns: runs(60) })
  })

  test('of any JSON arrives as it was', async () => {
    const { keep, call, got } = world()
    const property = fc.asyncProperty(fc.jsonValue(), async (value) => {
      await call({ any: { list: [{ $from: await keep(JSON.stringify({ value })), path: '$.value' }] } })
      expect(got()).toEqual(JSON.parse(JSON.stringify({ any: { list: [value] } })))
    })
    await fc.assert(property, { numRuns: runs(100) })
  })

  test('of several texts is all of them; of a picture it is nothing that can be sent', async () => {
    const { keep, call, got, sent } = world()
    const text = (value: string): JsonObject => ({ type: 'text', text: value })
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' }
    const blocks = await keep({ content: [text('one\r'), image, text('\ufefftwo\n')] })
    await call({ content: { $from: blocks }, any: { $from: blocks, path: '$[1].text' } })
    expect(got()).toEqual({ content: 'one\r\n\ufefftwo\n', any: '\ufefftwo\n' })
    const picture = await call({ content: { $from: await keep({ content: [image] }) } })
    expect(picture.text).toMatch(/not called.*no text: .*image/)
    expect(sent).toHaveLength(1)
  })

  test("goes by any name, and an object of the tool's own is left to it", async () => {
    const { keep, call, sent } = world()
    const $from = await keep('7')
    await call(
      JSON.parse(
        `{"any":{"__proto__":{"$from":"${$from}"},"constructor":{"$$from":"a"},"toString":{"$from":"b","to":"c"}}}`,
      ),
    )
    expect(sent.at(-1)).toContain(
      '{"any":{"__proto__":7,"constructor":{"$from":"a"},"toString":{"$from":"b","to":"c"}}}',
    )
    expect(({} as JsonObject).x).toBeUndefined()
  })
})

describe('a call that is not made', () => {
  test("another agent's handle is one that never was", async () => {
    const { keep, call, sent, owner } = world()
    const [mine, theirs] = [await keep('mine'), await keep('theirs', client())]
    const told = async (handle: string): Promise<string> =>
      (await call({ content: { $from: handle } })).text.replace(handle, '<handle>')
    expect(await told(theirs)).toBe(await told('0123456789ab'))
    expect(await told(theirs)).toMatch(/^write was not called\. No kept result .* Do not retry/)
    const template = { $template: '{a}{b}', a: { $from: mine }, b: { $from: theirs } }
    expect(await call({ content: template })).toMatchObject({ isError: true })
    expect(sent).toEqual([])
    await call({ content: { $from: mine } }, {}, owner)
    expect(sent).toHaveLength(1)
  })

  test.each<[string, (from: string) => JsonObject, RegExp]>([
    [
      'what the schema does not take',
      ($from) => ({ rows: { $from, path: '$.count' } }),
      /rows must be array\.$/,
    ],
    ['a part that is not there', ($from) => ({ any: { $from, path: '$.rowz' } }), /rows/],
    ['a path that is nearly one', ($from) => ({ any: { $from, path: '$.ROWS' } }), /`rows` does/],
    ['no path', ($from) => ({ any: { $from, path: '$[' } }), /\S/],
    [
      'more than may be sent',
      ($from) => ({ content: { $from }, any: { $from } }),
      /1,000,000 may be sent with one call\. Take a part by path/,
    ],
    ['more references than there may be', ($from) => ({ any: Array(21).fill({ $from }) }), /20 are the most/],
  ])('%s: says why, and nothing of the value', async (_, args, message) => {
    const { keep, call, sent } = world()
    const secret = 'hunter2'
    const $from = await keep(JSON.stringify({ rows: [secret], count: secret, pad: 'x'.repeat(600_000) }))
    const { text, isError } = await call(args($from))
    expect(isError).toBe(true)
    expect(text).toMatch(/^write was not called\. /)
    expect(text).toMatch(message)
    expect(text).not.toContain(secret)
    expect(text.length).toBeLessThan(600)
    expect(sent).toEqual([])
  })

  test('a text without fields has no path', async () => {
    const { keep, call } = world()
    const $from = await keep('just some words of prose, nothing else')
    expect((await call({ content: { $from, path: '$.x' } })).text).toMatch(/leave path out/)
  })

  test.each([
    ['[1]', /no object/],
    ['{"path":', /does not hold JSON/],
    ['{"rows": 5}', /rows must be array/],
  ])('a file that holds %s', async (text, message) => {
    const { call, sent } = world()
    const supplied = new Uint8Array(new SharedArrayBuffer(text.length))
    supplied.set(Buffer.from(text))
    expect((await call({ _fromFile: '/f' }, { supplied })).text).toMatch(message)
    expect(sent).toEqual([])
  })

  test('a cancelled call gets no answer and reaches no server', async () => {
    const { keep, call, sent } = world()
    const $from = await keep('x')
    const signal = AbortSignal.abort(new ProxyError('CANCELLED', 'gone', 'Ask again.'))
    await expect(call({ content: { $from } }, { signal })).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(sent).toEqual([])
  })
})

describe('layers that see the value', () => {
  verifies(
    'S4.14',
    'the server; what came with the call goes with it, and the call as it was stays that',
    async () => {
      const { keep, call, exchanges, got } = world()
      const $from = await keep('secret')
      const params = {
        _meta: { progressToken: 7 },
        inputResponses: { a: 1 },
        requestState: 's',
        task: { ttl: 1 },
      }
      await call({ content: { $from } }, { params })
      expect(exchanges[0]?.params).toMatchObject(params)
      expect(got()).toEqual({ content: 'secret' })
    },
  )

  test('an error of the protocol that quotes it is cut; a short one, and its data, stay', async () => {
    let error = new RpcError(-32602, `bad: ${'secret '.repeat(5000)}`, { value: 'secret' })
    const { keep, call } = world({ answer: async () => Promise.reject(error) })
    const $from = await keep('secret')
    const thrown = await call({ content: { $from } }).catch((caught: RpcError) => caught)
    expect(thrown).toMatchObject({ code: -32602, data: undefined })
    expect((thrown as RpcError).message.length).toBeLessThanOrEqual(2000)
    error = new RpcError(-32602, 'bad', { field: 'content' })
    await expect(call({ content: { $from } })).rejects.toBe(error)
  })

  test('values that a proxy in front of this one filled in are data', async () => {
    const { keep, call, got, owner } = world()
    const args = { any: { $from: await keep('x') }, content: 'y', rows: [{ $$from: 'z' }] }
    await call(args, { client: { ...owner, via: ['outer'] } })
    expect(got()).toEqual(args)
  })

  test('tools of the proxy get the reference: they pass it on to a call of its own', async () => {
    const { keep, call, got } = world()
    const args = { tool: 'write', arguments: { content: { $from: await keep('x') } } }
    await call(args, { params: { name: 'proxy_filter', arguments: args } })
    expect(got()).toEqual(args)
  })

  test('a schema is asked for what it wants, however hostile', async () => {
    const inputSchema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"array"},"any":{"pattern":"^(a+)+$"}}}',
    ) as JsonObject
    const { keep, call, sent } = world({ inputSchema })
    const $from = await keep(`[${'1,'.repeat(10)}2]`)
    await call(JSON.parse(`{"__proto__":{"$from":"${$from}"}}`))
    expect(sent[0]).toContain('"__proto__":[1,1')
    expect((await call({ any: { $from: await keep(`${'a'.repeat(5000)}!`) } })).text).toMatch(
      /any must match/,
    )
  })
})
