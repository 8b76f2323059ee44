import { describe, expect, test } from 'vitest'
import type { Digest, DigestOptions, Engine } from '../../../src/engine/contract.ts'
import { digest as digestOf } from '../../../src/engine/digest.ts'
import { query as queryOf } from '../../../src/engine/query.ts'
import { createViews } from '../../../src/engine/views.ts'
import { createShape, type ShapeOptions } from '../../../src/features/shape/index.ts'
import { silentLogger } from '../../../src/observe/log.ts'
import { type ClientRule, clientRule } from '../../../src/protocol/client-rules.ts'
import { LargeResult, plain, type Result } from '../../../src/protocol/content.ts'
import type { Era } from '../../../src/protocol/eras.ts'
import { ProxyError } from '../../../src/protocol/errors.ts'
import type { Exchange } from '../../../src/protocol/exchange.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { withOrigin } from '../../../src/protocol/origin.ts'
import { createMemoryStore } from '../../../src/store/memory.ts'
import { createResultStore, type ResultStore } from '../../../src/store/result-store.ts'
import { RESULT_STORE_DEFAULTS } from '../../support/defaults.ts'
import { around } from '../../support/onion.ts'
import { keeping, settingsForAll } from '../../support/result-settings.ts'
import { client, exchange } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

const long: JsonObject = {
  content: [
    { type: 'text', text: 'x'.repeat(5000) },
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
  ],
}

/** The digest that a worker would make of a result that is too large. */
const shaped: Digest = {
  hash: 'hash',
  characters: 5000,
  tokens: 1000,
  shaped: { result: { content: [] }, at: 0, text: ['kept as ', ''], tokens: 3 },
}

const failing = (): Promise<never> =>
  Promise.reject(new ProxyError('QUERY_FAILED', 'the worker died', 'Ask for less.'))

function resultStore(changes: Partial<ResultStore> = {}): ResultStore {
  const options = { ...RESULT_STORE_DEFAULTS, now: () => 0, onDrop: () => {}, onError: () => {} }
  return { ...createResultStore({ ...options, memory: createMemoryStore() }), ...changes }
}

/** Calls a tool that answers with `result` through the layer. */
async function call(
  result: Result,
  {
    digest = async () => shaped,
    keep = false,
    era = 'legacy',
    rule = undefined,
    ...changes
  }: Partial<ShapeOptions> & {
    digest?: Engine['digest']
    keep?: boolean
    era?: Era
    rule?: ClientRule | undefined
  },
  tools: JsonObject[] = [],
): Promise<Result> {
  const layer = createShape({
    engine: { digest } as Engine,
    resultStore: resultStore(),
    logger: silentLogger,
    enabled: true,
    exempt: new Set(),
    limits: { maxResponseSize: 1000, maxErrorSize: 2000, previewSize: 500 },
    ...changes,
  })
  const handler = around(layer, async ({ method }) => (method === 'tools/list' ? { tools } : result))
  const owner = { ...client(), era, rule }
  await handler(exchange(owner, { method: 'tools/list' }))
  return handler(
    exchange(owner, { method: 'tools/call', params: { name: 't' }, ...(keep && { keep: true }) }),
  )
}

verifies('S3.7', 'a result that cannot be kept goes out as it came', async () => {
  const refusing = resultStore({
    keep: () => Promise.reject(new ProxyError('STORE_FAILED', 'the disk is full', 'Make room.')),
  })
  expect(await call(long, { resultStore: refusing })).toBe(long)
})

test('a result that is held out passes as it came, and is not kept', async () => {
  const none = resultStore({ keep: () => Promise.reject(new Error('kept')) })
  expect(await call(long, { resultStore: none, holdsOut: () => true })).toBe(long)
  expect(await call(long, { holdsOut: () => false })).not.toBe(long)
  // A result that a tool of the proxy asked for is kept in any case.
  expect(await call(long, { holdsOut: () => true, keep: true })).not.toBe(long)
})

test('keeps images and promised structured content when no preview can be made', async () => {
  const structuredContent = { rows: ['x'.repeat(5000)] }
  const tool = { name: 't', outputSchema: { type: 'object', properties: { rows: { type: 'array' } } } }
  const given = { ...long, structuredContent }
  const bare = plain(await call(given, { digest: failing }, [tool]))
  expect(bare.structuredContent).toBeUndefined()
  expect(bare.content).toEqual([
    { type: 'text', text: expect.stringMatching(/^Kept whole as cache_id [0-9a-z]{12} /) },
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
  ])
  const settings = keeping(true)
  for (const result of [given, largeOf(given)]) {
    const promised = plain(await call(result, { digest: failing, settings }, [tool]))
    expect(promised).not.toHaveProperty('isError')
    expect(promised.structuredContent).toEqual({
      cache_id: expect.stringMatching(/^[0-9a-z]{12}$/),
      preview: expect.stringMatching(/^Kept whole as cache_id/),
    })
  }
  // Without a value that is valid, only an error is no broken promise.
  const text = { name: 't', outputSchema: { type: 'object', properties: { content: { type: 'string' } } } }
  expect(plain(await call(given, { digest: failing, settings }, [text]))).toMatchObject({ isError: true })
})

function largeOf(result: JsonObject): LargeResult {
  const bytes = Buffer.from(JSON.stringify(result))
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
  shared.set(bytes)
  return new LargeResult(shared)
}

describe('output schemas that a client gets', () => {
  const outputSchema = { type: 'object', properties: { rows: { type: 'array' } } }
  const listed = async (tool: JsonObject, changes: Partial<ShapeOptions> = {}, via?: string[]) => {
    const layer = createShape({
      engine: { digest: failing } as unknown as Engine,
      resultStore: resultStore(),
      logger: silentLogger,
      enabled: true,
      exempt: new Set(),
      limits: { maxResponseSize: 1000, maxErrorSize: 2000, previewSize: 500 },
      ...changes,
    })
    const owner = { ...client(), ...(via && { via }) }
    const list = around(layer, async () => ({ tools: [tool] }))(exchange(owner, { method: 'tools/list' }))
    return (plain(await list).tools as JsonObject[])[0]
  }

  test('nothing, as long as results are shaped', async () => {
    const tool = { name: 't', outputSchema }
    expect(await listed(tool)).toEqual({ name: 't' })
    expect(await listed(tool, { enabled: false })).toBe(tool)
    expect(await listed(tool, {}, ['a-proxy'])).toBe(tool)
    const bare = { name: 't' }
    expect(await listed(bare)).toBe(bare)
  })

  test('that of a tool with an interface, and of one that the operator wants kept', async () => {
    const told = { anyOf: [{ ...outputSchema }, { required: ['cache_id', 'preview'] }] }
    for (const _meta of [
      { ui: { resourceUri: 'ui://v' } },
      { 'ui/resourceUri': 'ui://v' },
      { 'openai/outputTemplate': 'ui://v' },
    ])
      expect((await listed({ name: 't', outputSchema, _meta }))?.outputSchema).toMatchObject(told)
    expect(await listed({ name: 't', outputSchema, _meta: { other: 1 } })).not.toHaveProperty('outputSchema')
    const asked: string[][] = []
    const settings = () => {
      const settingsOf = (...of: [string, string]) => {
        asked.push(of)
        return { structured: 'keep' } as const
      }
      return Object.assign(settingsOf, { differ: false })
    }
    const tool = withOrigin({ name: 's_t', outputSchema }, { server: 's', name: 't' })
    expect((await listed(tool, { settings }))?.outputSchema).toMatchObject(told)
    expect(asked).toEqual([['s', 't']])
  })
})

describe('a result that fits', () => {
  const rows = { rows: [1, 2] }
  const json = JSON.stringify(rows)
  const text = (value: string, more: JsonObject = {}): JsonObject => ({
    content: [{ type: 'text', text: value }],
    ...more,
  })
  const both = text(json, { structuredContent: rows })
  const picture = { type: 'image', data: 'AAAA', mimeType: 'image/png' }

  test.each<[string, JsonObject, JsonObject]>([
    ['the text again as a value', both, text(json)],
    ['the text again in a wrapper', text('words', { structuredContent: { result: 'words' } }), text('words')],
    ['no text at all', { content: [], structuredContent: rows }, text(json)],
    [
      'an image again in a wrapper',
      { content: [picture], structuredContent: { content: [picture] }, _meta: { a: 1 } },
      { content: [picture], _meta: { a: 1 } },
    ],
  ])('is sent once: %s', async (_, result, expected) => {
    expect(await call(result, { digest: failing })).toEqual(expected)
  })

  test.each<[string, JsonObject]>([
    ['another text', text('2 rows', { structuredContent: rows })],
    ['an image beside a value', { content: [picture], structuredContent: rows }],
    ['an error', { ...both, isError: true }],
    ['no structured content', text(json)],
    ['a text that is a list', text('[1,2]', { structuredContent: { result: '[1,2]' } })],
    ['a text that is a number', text(' 42', { structuredContent: { result: ' 42' } })],
    ['a text that is a string', text('"a"', { structuredContent: { result: '"a"' } })],
    ['a text that is null', text('null', { structuredContent: { result: 'null' } })],
    ['a text that is a truth', text('true', { structuredContent: { result: 'true' } })],
    ['null', text('x', { structuredContent: null })],
  ])('stays the same object: %s', async (_, result) => {
    expect(await call(result, { digest: failing })).toBe(result)
  })

  test('keeps promised structured content and adds a text', async () => {
    const settings = keeping(true)
    const tools = [{ name: 't' }]
    expect(await call(both, { digest: failing, settings }, tools)).toBe(both)
    expect(
      await call({ content: [], structuredContent: rows }, { digest: failing, settings }, tools),
    ).toEqual(both)
  })

  test('is what came for a proxy and where nothing is shaped', async () => {
    expect(await call(both, { enabled: false })).toBe(both)
  })

  test('is measured as JSON for a client that cuts that', async () => {
    const lines = text('"\n'.repeat(400))
    expect(await call(lines, { digest: failing })).toBe(lines)
    const limits = { maxResponseSize: 100_000, maxErrorSize: 2000, previewSize: 500 }
    const long = text('"\n'.repeat(2000))
    expect(await call(long, { digest: failing, limits })).toBe(long)
    const seen: DigestOptions[] = []
    const digest: Engine['digest'] = async (_, options) => {
      seen.push(options)
      return shaped
    }
    const rule = clientRule({ name: '@cline/core', version: '3.0.65' })
    expect(await call(long, { digest, limits, rule })).toHaveProperty(['_meta', 'mcp-rlm-proxy/cache-id'])
    expect(seen[0]?.jsonLimit).toBeLessThan(8000)
  })
})

test('reports savings inside the proxy only', async () => {
  const layer = createShape({
    engine: { digest: async () => shaped } as unknown as Engine,
    resultStore: resultStore(),
    logger: silentLogger,
    enabled: true,
    exempt: new Set(),
    limits: { maxResponseSize: 1000, maxErrorSize: 2000, previewSize: 500 },
  })
  const saved: unknown[] = []
  const onSaved = (savings: unknown): void => void saved.push(savings)
  const reply = plain(
    await around(layer, async () => long)(exchange(client(), { params: { name: 't' }, onSaved })),
  )
  expect(saved).toEqual([{ originalCharacters: 5000, originalTokens: 1000, deliveredTokens: 3 }])
  expect(Object.keys(reply._meta as object)).toEqual(['mcp-rlm-proxy/cache-id'])
})

test('a large answer that is no JSON becomes an error a client can read', async () => {
  const bytes = new Uint8Array(new SharedArrayBuffer(2000)).fill(0x61)
  const unreadable = async () => ({ hash: 'hash', characters: 0, tokens: 0, unreadable: true }) as const
  const answer = plain(await call(new LargeResult(bytes), { digest: unreadable }))
  expect(answer).toMatchObject({ isError: true })
})

test('a value is promised to each client by its own list, also when it listed in an earlier life', async () => {
  const tool = { name: 't', outputSchema: { type: 'object', properties: { text: { type: 'string' } } } }
  const seen: unknown[] = []
  const digest: Engine['digest'] = async (_, { form, keeps }) => {
    seen.push([keeps, form])
    return shaped
  }
  const layer = createShape({
    engine: { digest } as Engine,
    resultStore: resultStore(),
    logger: silentLogger,
    enabled: true,
    exempt: new Set(),
    settings: keeping(true),
    limits: { maxResponseSize: 1000, maxErrorSize: 2000, previewSize: 500 },
  })
  let tools: JsonObject[] = [tool]
  const handler = around(layer, async ({ method }) => (method === 'tools/list' ? { tools } : long))
  const [one, two] = [client(), client()]
  const params = { name: 't' }
  await handler(exchange(one, { method: 'tools/list' }))
  await handler(exchange(one, { params }))
  await handler(exchange(two, { params }))
  const promised = [true, { schema: tool.outputSchema, at: ['text'] }]
  expect(seen).toEqual([promised, promised])
  tools = [{ name: 't' }]
  await handler(exchange(one, { method: 'tools/list' }))
  await handler(exchange(one, { params }))
  expect(seen[2]).toEqual([true, undefined])
})

test('does not shape a question of a server, whatever its length', async () => {
  const question = { resultType: 'input_required', inputRequests: { q: {} }, requestState: 'x'.repeat(5000) }
  const options = { keep: true, digest: failing }
  expect(await call(question, options)).toBe(question)
  const bytes = new Uint8Array(new SharedArrayBuffer(Buffer.byteLength(JSON.stringify(question))))
  bytes.set(Buffer.from(JSON.stringify(question)))
  const large = new LargeResult(bytes)
  expect(await call(large, { ...options, era: 'modern' })).toBe(large)
})

test('a result that only speaks of a question is shaped', async () => {
  const bytes = new Uint8Array(new SharedArrayBuffer(4000)).fill(0x20)
  bytes.set(
    Buffer.from('{"resultType":"complete","content":[{"type":"text","text":"\\"input_required\\""}]}'),
  )
  const answer = plain(await call(new LargeResult(bytes), { era: 'modern' }))
  expect(answer._meta).toHaveProperty(['mcp-rlm-proxy/cache-id'])
})

describe('parameters of the worker', () => {
  const told = async (args: JsonObject, extra: Partial<Exchange> = {}, tools: JsonObject[] = []) => {
    const seen: DigestOptions[] = []
    const digest: Engine['digest'] = async (_, options) => {
      seen.push(options)
      return shaped
    }
    const layer = createShape({
      engine: { digest } as Engine,
      resultStore: resultStore(),
      logger: silentLogger,
      enabled: true,
      exempt: new Set(['proxy_filter']),
      limits: { maxResponseSize: 1000, maxErrorSize: 2000, previewSize: 500 },
    })
    const handler = around(layer, async ({ method }) => (method === 'tools/list' ? { tools } : long))
    await handler(exchange(client(), { ...extra, params: { name: 't', arguments: args } }))
    return seen[0]
  }

  test('an error may be as long as any result where the arguments stood for more than the model wrote', async () => {
    expect((await told({ a: 1 }))?.maxErrorSize).toBe(2000)
    expect((await told({ a: { $from: '0123456789ab' } }))?.maxErrorSize).toBe(1000)
    expect((await told({}, { supplied: new Uint8Array(new SharedArrayBuffer(2)) }))?.maxErrorSize).toBe(1000)
  })
})

describe('settings of single tools', () => {
  const records = Array.from({ length: 40 }, (_, id) => ({ id, title: `Title ${id}`, note: 'n'.repeat(40) }))
  const answer = { content: [{ type: 'text', text: JSON.stringify(records) }] }
  const views = createViews()
  const engine = {
    digest: async (arrival, limits) => ({ ...digestOf(views, arrival, limits) }),
    query: async (sources, asked) => queryOf(views, sources, asked),
  } as Partial<Engine> as Engine

  test('a result that is to be whole passes as it came, and is not kept', async () => {
    const kept = resultStore()
    const settings = settingsForAll({ whole: true })
    expect(await call(long, { settings, resultStore: kept }, [{ name: 't' }])).toBe(long)
    expect(kept.size).toBe(0)
  })

  test('limits of a tool are those by which its result is measured', async () => {
    const seen: number[][] = []
    const digest: Engine['digest'] = async (_, { maxResponseSize, previewSize }) => {
      seen.push([maxResponseSize, previewSize])
      return shaped
    }
    const tools = [{ name: 't' }]
    await call(long, { digest, settings: settingsForAll({ maxResponseSize: 400 }) }, tools)
    await call(long, { digest, settings: settingsForAll({ previewSize: 700 }) }, tools)
    await call(long, { digest, settings: settingsForAll({ maxResponseSize: 9000 }) }, tools)
    expect(seen).toEqual([
      [400, 400],
      [1000, 700],
    ])
  })

  test('shows the chosen fields of each record under the handle of the whole', async () => {
    const settings = settingsForAll({ fields: ['id', 'title'], maxResponseSize: 9000 })
    const reply = plain(await call(answer, { settings, engine }, [{ name: 't' }]))
    const [{ text = '' } = {}] = reply.content as { text?: string }[]
    expect(text).toMatch(
      /^cache_id [0-9a-z]{12} keeps the whole result of t, with all fields\. Shown here: id, title\.\n/,
    )
    expect(text).toContain('Title 39')
    expect(text).not.toContain('nnn')
  })

  test('a result without such fields, and an error, come as without the setting', async () => {
    const settings = settingsForAll({ fields: ['nothing_like_it'], maxResponseSize: 9000 })
    expect(await call(answer, { settings, engine }, [{ name: 't' }])).toBe(answer)
    const failed = { ...answer, isError: true }
    const chosen = settingsForAll({ fields: ['id'], maxResponseSize: 9000 })
    expect(await call(failed, { settings: chosen, engine }, [{ name: 't' }])).toBe(failed)
  })
})
