import { expect, test } from 'vitest'
import type { Exchange } from '../../../src/protocol/exchange.ts'
import type { Keeper } from '../../../src/store/keeper.ts'
import { findSource } from '../../../src/tools/source.ts'

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
