import { expect, test } from 'vitest'
import { type Found, findSource } from '../../../src/features/query-tools/index.ts'
import { RpcError } from '../../../src/protocol/errors.ts'
import type { Handler } from '../../../src/protocol/exchange.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import type { Keeper } from '../../../src/store/result-store.ts'
import { exchange } from '../../support/upstream.ts'

/** A fresh call of `s_book` through a proxy tool that was called with these params. */
const fresh = (params: JsonObject, call: Handler): Promise<Found> =>
  findSource('proxy_filter', { tool: 's_book', arguments: { seat: 1 } }, exchange(undefined, { params }), {
    keeper: { get: async () => undefined } as unknown as Keeper,
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
