import { describe, expect, test } from 'vitest'
import type { Digest, DigestOptions, Engine } from '../../../../src/engine/contract.ts'
import { createShape, type ShapeOptions } from '../../../../src/features/shape/shape.ts'
import { silentLogger } from '../../../../src/observe/log.ts'
import { LargeResult, plain, type Result } from '../../../../src/protocol/content.ts'
import type { Era } from '../../../../src/protocol/eras.ts'
import { ProxyError } from '../../../../src/protocol/errors.ts'
import type { Exchange } from '../../../../src/protocol/exchange.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { createMemoryStore } from '../../../../src/store/memory.ts'
import { createKeeper, KEEPER_DEFAULTS, type Keeper } from '../../../../src/store/result-store.ts'
import { client, exchange } from '../../../support/upstream.ts'
import { verifies } from '../../../support/verifies.ts'

const long: JsonObject = {
  content: [
    { type: 'text', text: 'x'.repeat(5000) },
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
  ],
}

/** What a worker would say of a result that is too large. */
const shaped: Digest = {
  hash: 'hash',
  characters: 5000,
  tokens: 1000,
  shaped: { result: { content: [] }, at: 0, text: ['kept as ', ''], tokens: 3 },
}

const failing = (): Promise<never> =>
  Promise.reject(new ProxyError('QUERY_FAILED', 'the worker died', 'Ask for less.'))

function keeper(changes: Partial<Keeper> = {}): Keeper {
  const options = { ...KEEPER_DEFAULTS, now: () => 0, onDrop: () => {}, onError: () => {} }
  return { ...createKeeper({ ...options, memory: createMemoryStore() }), ...changes }
}

/** Calls a tool that answers with `result` through the layer. */
async function call(
  result: Result,
  {
    digest = async () => shaped,
    keep = false,
    era = 'legacy',
    ...changes
  }: Partial<ShapeOptions> & {
    digest?: Engine['digest']
    keep?: boolean
    era?: Era
  },
  tools: JsonObject[] = [],
): Promise<Result> {
  const layer = createShape({
    engine: { digest } as Engine,
    keeper: keeper(),
    logger: silentLogger,
    enabled: true,
    exempt: new Set(),
    limits: { maxResponseSize: 1000, maxErrorSize: 2000, previewSize: 500 },
    ...changes,
  })
  const handler = layer.wrap(async ({ method }) => (method === 'tools/list' ? { tools } : result))
  const owner = { ...client(), era }
  await handler(exchange(owner, { method: 'tools/list' }))
  return handler(
    exchange(owner, { method: 'tools/call', params: { name: 't' }, ...(keep && { keep: true }) }),
  )
}

verifies('S3.7', 'a result that cannot be kept goes out as it came', async () => {
  const refusing = keeper({
    keep: () => Promise.reject(new ProxyError('STORE_FAILED', 'the disk is full', 'Make room.')),
  })
  expect(await call(long, { keeper: refusing })).toBe(long)
})

test('when no preview can be made, images stay, and so does what the client was promised', async () => {
  const structuredContent = { rows: ['x'.repeat(5000)] }
  const tool = { name: 't', outputSchema: { type: 'object', properties: { rows: { type: 'array' } } } }
  const bare = plain(await call({ ...long, structuredContent }, { digest: failing }))
  expect(bare.structuredContent).toBeUndefined()
  expect(bare.content).toEqual([
    { type: 'text', text: expect.stringMatching(/^Kept whole as cache_id [0-9a-f]{12} /) },
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
  ])
  const promised = plain(await call({ ...long, structuredContent }, { digest: failing }, [tool]))
  expect(promised.structuredContent).toEqual(structuredContent)
})

test('when no preview can be made of a result that was not parsed, clients find the answer valid all the same', async () => {
  const rows = Array.from({ length: 500 }, (_, id) => ({ id, name: `name ${id}` }))
  const tool = { name: 't', outputSchema: { type: 'object', properties: { rows: { type: 'array' } } } }
  const answer = async (result: JsonObject) => {
    const bytes = Buffer.from(JSON.stringify(result))
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
    shared.set(bytes)
    return plain(await call(new LargeResult(shared), { digest: failing }, [tool]))
  }
  const promised = await answer({ ...long, structuredContent: { rows } })
  expect(promised).not.toHaveProperty('isError')
  expect(promised).toHaveProperty('structuredContent.rows[0]', rows[0])
  expect(JSON.stringify(promised.structuredContent).length).toBeLessThanOrEqual(500)
  const without = await answer(long)
  expect(without).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^Kept whole as cache_id/) }],
  })
})

test('a large answer that is no JSON becomes an error a client can read', async () => {
  const bytes = new Uint8Array(new SharedArrayBuffer(2000)).fill(0x61)
  const unreadable = async () => ({ hash: 'hash', characters: 0, tokens: 0, unreadable: true }) as const
  const answer = plain(await call(new LargeResult(bytes), { digest: unreadable }))
  expect(answer).toMatchObject({ isError: true })
})

test('a schema is promised to each client by its own list, also when it listed in an earlier life', async () => {
  const tool = { name: 't', outputSchema: { type: 'object', properties: { rows: { type: 'array' } } } }
  const seen: (object | undefined)[] = []
  const digest: Engine['digest'] = async (_, { outputSchema }) => {
    seen.push(outputSchema)
    return shaped
  }
  const layer = createShape({
    engine: { digest } as Engine,
    keeper: keeper(),
    logger: silentLogger,
    enabled: true,
    exempt: new Set(),
    limits: { maxResponseSize: 1000, maxErrorSize: 2000, previewSize: 500 },
  })
  let tools: JsonObject[] = [tool]
  const handler = layer.wrap(async ({ method }) => (method === 'tools/list' ? { tools } : long))
  const [one, two] = [client(), client()]
  const params = { name: 't' }
  await handler(exchange(one, { method: 'tools/list' }))
  await handler(exchange(one, { params }))
  await handler(exchange(two, { params }))
  expect(seen).toEqual([tool.outputSchema, tool.outputSchema])
  tools = [{ name: 't' }]
  await handler(exchange(one, { method: 'tools/list' }))
  await handler(exchange(one, { params }))
  expect(seen[2]).toBeUndefined()
})

test('a server that asks for input is not shaped, however long its question and whoever wants it kept', async () => {
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

describe('what the worker is told', () => {
  const told = async (args: JsonObject, extra: Partial<Exchange> = {}, tools: JsonObject[] = []) => {
    const seen: DigestOptions[] = []
    const digest: Engine['digest'] = async (_, options) => {
      seen.push(options)
      return shaped
    }
    const layer = createShape({
      engine: { digest } as Engine,
      keeper: keeper(),
      logger: silentLogger,
      enabled: true,
      exempt: new Set(['proxy_filter']),
      limits: { maxResponseSize: 1000, maxErrorSize: 2000, previewSize: 500 },
    })
    const handler = layer.wrap(async ({ method }) => (method === 'tools/list' ? { tools } : long))
    await handler(exchange(client(), { ...extra, params: { name: 't', arguments: args } }))
    return seen[0]
  }

  test('an error may be as long as any result where the arguments stood for more than the model wrote', async () => {
    expect((await told({ a: 1 }))?.maxErrorSize).toBe(2000)
    expect((await told({ a: { $from: '0123456789ab' } }))?.maxErrorSize).toBe(1000)
    expect((await told({}, { supplied: new Uint8Array(new SharedArrayBuffer(2)) }))?.maxErrorSize).toBe(1000)
  })
})
