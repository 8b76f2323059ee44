/** Modules that ask for lists on the way. */
import { expect, onTestFinished, test, vi } from 'vitest'
import * as z from 'zod'
import { defineModule } from '../../../src/module-runtime/module.ts'
import type { Handler } from '../../../src/protocol/exchange.ts'
import { deferred } from '../../support/deferred.ts'
import { moduleWorld } from '../../support/module-world.ts'
import { verifies } from '../../support/verifies.ts'

function module(wrap: (next: Handler) => Handler) {
  return defineModule({ name: 'm', options: z.object({}), create: () => ({ wrap }) })
}

const CALLED = { content: [{ type: 'text', text: 'called a_read' }] }

verifies(
  'S2.39',
  'one that fails after it asked for a list fails open to the call, not to the list',
  async () => {
    const definition = module((next) => async (exchange) => {
      await next({ ...exchange, method: 'tools/list', params: {} })
      throw new TypeError('of its own')
    })
    const world = await moduleWorld([{ use: 'm', failOpen: true }], { definitions: [definition] })
    expect(await world.ask('tools/call', { name: 'a_read' })).toEqual(CALLED)
    expect(world.sent.map(({ method }) => method)).toEqual(['tools/list', 'tools/call'])
  },
)

test('the time that a server takes is not the module’s', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const held = deferred()
  const world = await moduleWorld([{ use: 'log', timeoutMs: 1000 }], {
    server: async () => {
      await held.promise
      return CALLED
    },
  })
  const answer = world.ask('tools/call', { name: 'a_read' })
  await vi.advanceTimersByTimeAsync(1_000_000)
  held.resolve()
  expect(await answer).toEqual(CALLED)
})

verifies('S2.39', 'in audit mode a module is given the lists that it asks for', async () => {
  const world = await moduleWorld([{ use: 'block', tools: ['a/read'], mode: 'audit' }])
  expect(await world.ask('tools/call', { name: 'a_read' })).toEqual(CALLED)
  await expect
    .poll(() => world.lines)
    .toMatchObject([{ message: 'audit: the module would have refused the message' }])
  expect(world.sent.filter(({ method }) => method === 'tools/call')).toHaveLength(1)
})
