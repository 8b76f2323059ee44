import { expect, test } from 'vitest'
import type { Module } from '../../../src/module-runtime/module.ts'
import { createStack, type Layer } from '../../../src/module-runtime/stack.ts'
import type { Request } from '../../../src/protocol/message.ts'
import { client, exchange } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

const layer = (module: Module): Layer => ({ name: 'm', wants: () => true, hears: true, module })
const passing = layer({ wrap: (next) => (sent) => next({ ...sent }) })

test.each([
  ['no module', []],
  ['a module that changes nothing', [passing]],
])('with %s what a server asks reaches the client as it was sent', async (_, layers) => {
  const stack = createStack()
  stack.set([], layers)
  for (const request of [{ method: 'roots/list' }, { method: 'roots/list', params: {} }] as Request[]) {
    const asked: Request[] = []
    const answer = async (sent: Request) => {
      asked.push(sent)
      return { roots: [] }
    }
    const { signal } = new AbortController()
    const one = client()
    await stack.ask({ request, client: one, agent: one.agent, signal, notify() {} }, answer)
    // The same on the stream of a request under way.
    const door = stack.door.wrap(async (inner) => (await inner.ask?.(request)) ?? {})
    await door(exchange(one, { ask: answer }))
    expect(asked).toEqual([request, request])
    for (const sent of asked) expect(Object.hasOwn(sent, 'params')).toBe(Object.hasOwn(request, 'params'))
  }
})

verifies('S2.11', 'a module may give a request of a server what it did not have', async () => {
  const stack = createStack()
  stack.set([], [layer({ wrap: (next) => (sent) => next({ ...sent, params: { added: true } }) })])
  const one = client()
  const { signal } = new AbortController()
  const answer = async ({ method, params = {} }: Request) => ({ method, params })
  const about = { client: one, agent: one.agent, signal, notify() {} }
  expect(await stack.ask({ request: { method: 'ping' }, ...about }, answer)).toEqual({
    method: 'ping',
    params: { added: true },
  })
})
