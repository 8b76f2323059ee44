import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, test } from 'vitest'
import type { Engine } from '../../../../src/engine/contract.ts'
import { createProxyTools, type Found, findSource } from '../../../../src/features/query-tools/index.ts'
import { ProxyError, RpcError } from '../../../../src/protocol/errors.ts'
import type { Exchange, Handler } from '../../../../src/protocol/exchange.ts'
import { isObject, type JsonObject } from '../../../../src/protocol/json.ts'
import { INSTRUCTIONS } from '../../../../src/proxy/instructions.ts'
import { PROXY_TOOL_NAMES } from '../../../../src/proxy/own-tools.ts'
import type { ResultStore } from '../../../../src/store/result-store.ts'
import type { Entry } from '../../../../src/store/store.ts'
import { exchange } from '../../../support/upstream.ts'
import { verifies } from '../../../support/verifies.ts'

const tools = createProxyTools({
  resultStore: {} as ResultStore,
  engine: {} as Engine,
  budget: 8000,
  ownTools: PROXY_TOOL_NAMES,
  call: () => Promise.reject(new Error('nothing is called')),
})

/** The most tokens of every conversation before the first question: for the tools, and with the instructions. */
const CEILING = { tools: 1050, all: 1150 }

test('instructions and definitions stay cheap', () => {
  // Clients read `_meta` and annotations themselves: no model is shown them.
  const shown = tools.map(({ definition: { annotations: _, _meta, ...rest } }) => JSON.stringify(rest))
  const cost = shown.reduce((sum, text) => sum + encode(text).length, 0)
  expect(cost).toBeLessThanOrEqual(CEILING.tools)
  expect(cost + encode(INSTRUCTIONS).length).toBeLessThanOrEqual(CEILING.all)
})

verifies('S3.4', 'every parameter has a plain type, and every list says of what', () => {
  for (const { definition } of tools) {
    const { inputSchema } = definition
    const properties = isObject(inputSchema) && isObject(inputSchema.properties) ? inputSchema.properties : {}
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(['cache_id', 'tool', 'arguments', 'path']))
    for (const [name, schema] of Object.entries(properties)) {
      expect(schema).toMatchObject({
        type: expect.stringMatching(/^(?:string|integer|number|boolean|array|object)$/),
      })
      if (isObject(schema) && schema.type === 'array') expect(schema.items).toEqual({ type: 'string' })
      if (isObject(schema) && schema.type === 'object')
        expect([name, schema]).toEqual(['arguments', { type: 'object', additionalProperties: true }])
      expect(schema).not.toHaveProperty('description', '')
    }
  }
})

verifies('S3.5', 'instructions and descriptions are under 2 KB, and name what they are about', () => {
  expect(INSTRUCTIONS.length).toBeLessThan(2000)
  for (const { name } of tools) expect(INSTRUCTIONS).toContain(name)
  for (const { definition } of tools) {
    expect(String(definition.description).length).toBeLessThan(2000)
    expect(definition.description).toContain('cache_id')
  }
})

test('every parameter is explained by one of the tools', () => {
  const explained = new Set<string>()
  for (const { definition } of tools) {
    const { inputSchema } = definition
    for (const [name, schema] of Object.entries(
      isObject(inputSchema) && isObject(inputSchema.properties) ? inputSchema.properties : {},
    ))
      if (isObject(schema) && (schema.description || schema.enum)) explained.add(name)
  }
  for (const name of [
    'cache_id',
    'tool',
    'path',
    'fields',
    'where',
    'group_by',
    'aggregate',
    'sort',
    'pattern',
    'mode',
  ])
    expect(explained).toContain(name)
})

/** A fresh call of `s_book` through a proxy tool that was called with these params. */
const fresh = (params: JsonObject, call: Handler): Promise<Found> =>
  findSource('proxy_filter', { tool: 's_book', arguments: { seat: 1 } }, exchange(undefined, { params }), {
    resultStore: { get: async () => undefined } as unknown as ResultStore,
    call,
    ownTools: new Set(),
  })

test('a tool that asks for input asks through the proxy tool, and the answer reaches it', async () => {
  const question = {
    resultType: 'input_required',
    inputRequests: { q: { method: 'elicitation/create' } },
    requestState: 's',
  }
  const sent: JsonObject[] = []
  const call: Handler = async ({ params }) => {
    sent.push(params)
    return question
  }
  const own = { name: 'proxy_filter', arguments: { tool: 's_book', arguments: { seat: 1 } } }
  const envelope = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', progressToken: 'p' } }
  expect(await fresh({ ...own, ...envelope }, call)).toEqual({ failure: question })
  const answer = { inputResponses: { q: { action: 'accept' } }, requestState: 's' }
  await fresh({ ...own, ...envelope, ...answer }, call)
  const inner = { name: 's_book', arguments: { seat: 1 }, ...envelope }
  expect(sent).toEqual([inner, { ...inner, ...answer }])
})

test('errors that a client acts on reach it; the others are for the model', async () => {
  const failing = (code: number) => fresh({}, () => Promise.reject(new RpcError(code, 'why', { url: 'u' })))
  for (const code of [-32042, -32021])
    await expect(failing(code)).rejects.toMatchObject({ code, message: 'why', data: { url: 'u' } })
  expect(await failing(-32602)).toMatchObject({ failure: { isError: true } })
})

test('the result of a fresh call that could not be kept goes out instead of being lost', async () => {
  const result = { content: [{ type: 'text', text: 'done, and cannot be done again' }] }
  const found = await findSource(
    'proxy_filter',
    { tool: 's_write', arguments: {} },
    { params: {} } as Exchange,
    {
      resultStore: { get: async () => undefined } as unknown as ResultStore,
      call: async () => result,
      ownTools: new Set(),
    },
  )
  expect(found).toEqual({ failure: result })
})

test('a server cannot replace its answer by naming a kept result in `_meta`', async () => {
  const other = { handle: 'aaaaaaaaaaaa' } as Entry
  const own = { handle: 'bbbbbbbbbbbb', tool: 's_read' } as Entry
  const resultStore = {
    get: async (_: unknown, handle: string) => [other, own].find((entry) => entry.handle === handle),
  } as unknown as ResultStore
  const result = { content: [], _meta: { 'mcp-rlm-proxy/cache-id': other.handle } }
  const ask = (call: Handler) =>
    findSource('proxy_filter', { tool: 's_read', arguments: {} }, { params: {} } as Exchange, {
      resultStore,
      call,
      ownTools: new Set(),
    })
  expect(await ask(async () => result)).toEqual({ failure: result })
  const kept: Handler = async ({ onKept }) => {
    onKept?.(own.handle)
    return result
  }
  expect(await ask(kept)).toEqual({
    entries: [own],
    told: 'cache_id bbbbbbbbbbbb keeps the whole result of s_read.\n',
    remarks: [],
  })
})

test.each([
  [{ having: 'count > 5' }, ['having count > 5']],
  [{ where: 'a = 1', having: 'count > 5' }, ['a = 1', 'having count > 5']],
  [{ where: 'a = 1', having: '["count > 5", "count < 9"]' }, ['a = 1', 'count > 5', 'count < 9']],
  [{ where: ['a', '=', 1], having: ['count', '>', 5] }, ['a = 1', 'having count > 5']],
  [
    { where: ['a = 1'], having: ['count > 5', 'count < 9'] },
    ['a = 1', 'having count > 5', 'having count < 9'],
  ],
])('conditions on groups may be called having: %j', async (written, where) => {
  const asked: JsonObject[] = []
  const [filter] = createProxyTools({
    resultStore: { get: async () => ({ handle: 'a1b2c3d4e5f6' }) } as unknown as ResultStore,
    engine: {
      query: (_: unknown, { params }: { params: JsonObject }) => {
        asked.push(params)
        return Promise.reject(new ProxyError('QUERY_TIMEOUT', 'too long', 'Ask less.'))
      },
    } as unknown as Engine,
    budget: 8000,
    ownTools: PROXY_TOOL_NAMES,
    call: () => Promise.reject(new Error('nothing is called')),
  })
  await filter?.call({ cache_id: 'a1b2c3d4e5f6', group_by: 'b', ...written }, exchange())
  expect(asked).toEqual([{ group_by: ['b'], where }])
})
