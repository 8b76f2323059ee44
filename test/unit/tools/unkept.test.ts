import { expect, test } from 'vitest'
import { findSource } from '../../../src/features/query-tools/index.ts'
import type { Exchange, Handler } from '../../../src/protocol/exchange.ts'
import type { Keeper } from '../../../src/store/result-store.ts'
import type { Entry } from '../../../src/store/store.ts'

test('the result of a fresh call that could not be kept goes out instead of being lost', async () => {
  const result = { content: [{ type: 'text', text: 'done, and cannot be done again' }] }
  const found = await findSource(
    'proxy_filter',
    { tool: 's_write', arguments: {} },
    { params: {} } as Exchange,
    {
      keeper: { get: async () => undefined } as unknown as Keeper,
      call: async () => result,
      ownTools: new Set(),
    },
  )
  expect(found).toEqual({ failure: result })
})

test('a server that names a kept result in its own `_meta` does not put it in the place of what it answered', async () => {
  const other = { handle: 'aaaaaaaaaaaa' } as Entry
  const own = { handle: 'bbbbbbbbbbbb', tool: 's_read' } as Entry
  const keeper = {
    get: async (_: unknown, handle: string) => [other, own].find((entry) => entry.handle === handle),
  } as unknown as Keeper
  const result = { content: [], _meta: { 'mcp-rlm-proxy/cache-id': other.handle } }
  const ask = (call: Handler) =>
    findSource('proxy_filter', { tool: 's_read', arguments: {} }, { params: {} } as Exchange, {
      keeper,
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
  })
})
