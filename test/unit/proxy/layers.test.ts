import { expect, test } from 'vitest'
import type { Middleware } from '../../../src/protocol/exchange.ts'
import { compose } from '../../../src/proxy/layers.ts'
import { client, exchange } from '../../support/upstream.ts'

test('the first layer is outermost, and a layer sees only its methods', async () => {
  const trace: string[] = []
  const layer = (name: string, methods?: string[]): Middleware => ({
    name,
    ...(methods && { methods }),
    wrap: (next) => async (asked) => {
      trace.push(`${name}>`)
      const result = await next(asked)
      trace.push(`<${name}`)
      return result
    },
  })
  const { handler } = compose([layer('a'), layer('b', ['tools/call']), layer('c')], async ({ method }) => {
    trace.push(method)
    return {}
  })
  await handler(exchange(client(), { method: 'tools/call' }))
  await handler(exchange(client(), { method: 'tools/list' }))
  expect(trace.join(' ')).toBe('a> b> c> tools/call <c <b <a a> c> tools/list <c <a')
})
