import { expect, test } from 'vitest'
import { besideDirect } from '../../../src/gateway/exposure.ts'
import type { Handler, Middleware } from '../../../src/protocol/exchange.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { withOrigin } from '../../../src/protocol/origin.ts'
import { around } from '../../support/onion.ts'
import { client, exchange } from '../../support/upstream.ts'

const tool = (server: string, name: string): JsonObject =>
  withOrigin({ name: `${server}_${name}` }, { server, name })

/** Exposures that list one tool of their own; the first one reads the list, the second does not. */
const hiding = (looks: boolean): Middleware => ({
  name: 'hiding',
  wrap: (next) => async (asked) => {
    if (asked.method !== 'tools/list') return next(asked)
    if (looks) await next({ ...asked, params: {} })
    return { tools: [{ name: 'find' }], nextCursor: 'x' }
  },
})

test.each([true, false])('all tools are listed once for what is shown of them (%s)', async (looks) => {
  let lists = 0
  let tools = [tool('a', 'one'), tool('b', 'two')]
  const server: Handler = async ({ method }) => {
    if (method !== 'tools/list') return { called: true }
    lists++
    return { tools }
  }
  const ask = around(
    besideDirect(hiding(looks), () => new Set(['b'])),
    server,
  )
  const one = client()
  const list = () => ask(exchange(one, { method: 'tools/list', params: {} }))
  expect(await list()).toEqual({ tools: [{ name: 'find' }, tool('b', 'two')], nextCursor: 'x' })
  expect(lists).toBe(1)
  // The earlier list counts no more.
  tools = [tool('b', 'three')]
  expect(await list()).toEqual({ tools: [{ name: 'find' }, tool('b', 'three')], nextCursor: 'x' })
  expect(lists).toBe(2)
  expect(await ask(exchange(one, { params: { name: 'b_two' } }))).toEqual({ called: true })
})
