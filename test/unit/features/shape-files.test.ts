import { expect, test } from 'vitest'
import { unpack } from '../../../src/documents/binary/unpack.ts'
import type { Engine } from '../../../src/engine/contract.ts'
import { digest } from '../../../src/engine/digest.ts'
import { read } from '../../../src/engine/read.ts'
import { createViews } from '../../../src/engine/views.ts'
import { createShape } from '../../../src/features/shape/index.ts'
import { silentLogger } from '../../../src/observe/log.ts'
import { blocksOf, LargeResult, plain, type Result } from '../../../src/protocol/content.ts'
import { ProxyError, RpcError } from '../../../src/protocol/errors.ts'
import type { Client, Handler } from '../../../src/protocol/exchange.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { createMemoryStore } from '../../../src/store/memory.ts'
import { createResultStore, type ResultStore } from '../../../src/store/result-store.ts'
import { sharedBytes } from '../../../src/text/shared-bytes.ts'
import { RESULT_STORE_DEFAULTS } from '../../support/defaults.ts'
import { madePdf, madePng } from '../../support/made-files.mjs'
import { around } from '../../support/onion.ts'
import { client, exchange } from '../../support/upstream.ts'

/** The engine's functions on the calling thread; `unpacking` is called for each attempt, and may fail. */
function directEngine(unpacking: (reads: boolean) => void = () => {}): Engine {
  const views = createViews()
  return {
    unpack: async (
      { content }: { content: Uint8Array },
      { limits, reads }: Parameters<Engine['unpack']>[1],
    ) => {
      unpacking(reads)
      return (await unpack(content, { limits, reads })) ?? {}
    },
    digest: async (arrival: never, options: never) => digest(views, arrival, options),
    read: async (sources: never, wanted: never) => read(views, sources, wanted),
  } as unknown as Engine
}

interface World {
  resultStore: ResultStore
  call(result: Result, asker?: Client): Promise<JsonObject>
  readResource(uri: string, asker?: Client): Promise<JsonObject>
}

function world(unpacking?: (reads: boolean) => void, keepsSmall = false): World {
  const options = { ...RESULT_STORE_DEFAULTS, now: () => 0, onDrop: () => {}, onError: () => {} }
  const resultStore = createResultStore({ ...options, memory: createMemoryStore() })
  const layer = createShape({
    engine: directEngine(unpacking),
    resultStore,
    keepsSmall,
    logger: silentLogger,
    enabled: true,
    exempt: new Set(),
    resources: true,
    limits: {
      maxResponseSize: 4000,
      maxErrorSize: 8000,
      previewSize: 1000,
      maxBlobSize: 4096,
      maxImageSize: 50_000,
    },
  })
  const usual = client()
  let next: Handler = async () => ({})
  const handler = around(layer, (asked) => next(asked))
  const answers = (result: Result): void => {
    next = async ({ method }) => (method === 'tools/list' ? { tools: [{ name: 't' }] } : result)
  }
  return {
    resultStore,
    async call(result, asker = usual) {
      answers(result)
      return plain(await handler(exchange(asker, { method: 'tools/call', params: { name: 't' } })))
    },
    async readResource(uri, asker = usual) {
      next = async () => {
        throw new Error('a server was asked')
      }
      return plain(await handler(exchange(asker, { method: 'resources/read', params: { uri } })))
    },
  }
}

const report: JsonObject = {
  type: 'resource',
  resource: { uri: 'file:///report.pdf', blob: madePdf(['Hello'], 9000).toString('base64') },
}
const largeOf = (result: JsonObject): LargeResult => new LargeResult(sharedBytes(JSON.stringify(result)))
const handleIn = (reply: JsonObject): string =>
  String((reply._meta as JsonObject | undefined)?.['mcp-rlm-proxy/cache-id'])
const kinds = (reply: JsonObject): unknown[] => blocksOf(reply).map(({ type }) => type)

test('a file that no worker can read is kept and told of nevertheless', async () => {
  const attempts: boolean[] = []
  const { call, readResource } = world((reads) => {
    attempts.push(reads)
    if (reads) throw new ProxyError('QUERY_TIMEOUT', 'it took too long', 'Ask for less.')
  })
  const reply = await call(largeOf({ content: [report] }))
  expect(attempts).toEqual([true, false])
  expect(blocksOf(reply)[0]?.text).toMatch(
    /report\.pdf, application\/pdf.*its text was not read: .*time or memory/,
  )
  const { contents } = await readResource(`rlm://${handleIn(reply)}/0`)
  expect(contents).toMatchObject([{ blob: (report.resource as JsonObject).blob }])
})

test('where nothing can be told of files a result passes as it came', async () => {
  const { call } = world(() => {
    throw new ProxyError('QUERY_FAILED', 'the worker died', 'Ask for less.')
  })
  const result = { content: [report] }
  expect(await call(largeOf(result))).toEqual(result)
})

test('clients get links since the version that knows them, and the words at all times', async () => {
  const { call } = world()
  const result = largeOf({ content: [report] })
  const asker = { ...client(), protocolVersion: '2025-06-18' }
  expect(kinds(await call(result, asker))).toEqual(['text', 'resource_link'])
  const old = await call(result, { ...asker, protocolVersion: '2025-03-26' })
  expect(kinds(old)).toEqual(['text'])
  expect(blocksOf(old)[0]?.text).toMatch(/rlm:\/\/[0-9a-z]{12}\/0/)
})

test('a result that is small enough to be an object is looked at as well', async () => {
  const { call } = world()
  const reply = await call({ content: [{ type: 'text', text: 'Hi' }, report] })
  expect(kinds(reply)).toEqual(['text', 'text', 'resource_link'])
  expect(blocksOf(reply)[0]).toEqual({ type: 'text', text: 'Hi' })
  const image = { type: 'image', mimeType: 'image/png', data: madePng(1, 1, 9000).toString('base64') }
  expect(await call({ content: [image] })).toEqual({ content: [image] })
  expect(await call({ content: [image], structuredContent: { content: [image] } })).toMatchObject({
    content: [image],
  })
})

test('of another agent, forged and unknown ones are the same, and no server is asked', async () => {
  const { call, readResource } = world()
  const mine = { ...client(), agent: { id: 'a', kind: 'session' } } as Client
  const other = { ...client(), agent: { id: 'b', kind: 'session' } } as Client
  const handle = handleIn(await call(largeOf({ content: [report] }), mine))
  expect(await readResource(`rlm://${handle}/0`, mine)).toMatchObject({
    contents: [{ mimeType: 'application/pdf' }],
  })
  const refusalOf = async (uri: string, asker: Client): Promise<object> => {
    const error: unknown = await readResource(uri, asker).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(RpcError)
    const { code, message } = error as RpcError
    return { code, message }
  }
  const unknown = await refusalOf(`rlm://${'0'.repeat(25)}`, other)
  for (const uri of [
    `rlm://${handle}`,
    `rlm://${handle}/0`,
    `rlm://${handle}?from=0&to=5`,
    `rlm://${handle}/999?path=$`,
  ])
    expect(await refusalOf(uri, other)).toEqual(unknown)
  // A URI that is none of the proxy's is a server's.
  for (const uri of [`rlm://${handle}/../0`, `rlm://${handle}/0/1`, `rlm:${handle}`, `x-rlm://${handle}`])
    await expect(readResource(uri, mine)).rejects.toThrow('a server was asked')
})

test('small results are kept where the operator says so, and replies stay what they are', async () => {
  const small = { content: [{ type: 'text', text: 'a small answer' }] }
  const failed = { content: [{ type: 'text', text: 'no' }], isError: true }
  const usual = world()
  expect(await usual.call(small)).toBe(small)
  expect(usual.resultStore.size).toBe(0)
  const { call, resultStore } = world(undefined, true)
  const asker = client()
  expect(await call(small, asker)).toBe(small)
  expect(await call(small, asker)).toBe(small)
  expect(await call(failed, asker)).toBe(failed)
  const [kept, ...others] = await resultStore.recent(asker.agent)
  expect(others).toEqual([])
  const entry = await resultStore.get(asker.agent, kept?.handle ?? '')
  expect(JSON.parse(Buffer.from(entry?.content ?? []).toString())).toEqual(small)
  // A shaped result is kept once.
  await call(largeOf({ content: [report] }), asker)
  expect(await resultStore.recent(asker.agent)).toHaveLength(2)
})
