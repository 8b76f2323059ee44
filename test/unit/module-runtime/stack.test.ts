import { describe, expect, test } from 'vitest'
import type { Module, Notice } from '../../../src/module-runtime/module.ts'
import { counted, createStack, type Layer } from '../../../src/module-runtime/stack.ts'
import type { Request } from '../../../src/protocol/message.ts'
import { compose } from '../../../src/proxy/layers.ts'
import { deferred } from '../../support/deferred.ts'
import { around } from '../../support/onion.ts'
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
    const { handler } = compose([stack.inner], async (inner) => (await inner.ask?.(request)) ?? {})
    await handler(exchange(one, { ask: answer }))
    expect(asked).toEqual([request, request])
    for (const sent of asked) expect(Object.hasOwn(sent, 'params')).toBe(Object.hasOwn(request, 'params'))
  }
})

verifies('S2.11', 'a module may add members to a request of a server', async () => {
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

const asked = exchange(client(), { method: 'tools/call', params: {} })
const notice: Notice = { method: 'notifications/x', toward: 'client', client: client() }

/** Resolved by now, without waiting for anything. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending')
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending
}

const untouched: Module = { wrap: (next) => next, notify: (next) => next }

describe('messages running in a module', () => {
  test('is waited for: requests, however they end, and notifications', async () => {
    const { module, idle } = counted(untouched)
    const [first, second, told] = [deferred(), deferred(), deferred()]
    await idle()
    const answers = [first, second]
    const handler = around(module, async () => {
      await answers.shift()?.promise
      throw new Error('refused')
    })
    const calls = [handler?.(asked), handler?.(asked)].map((call) => expect(call).rejects.toThrow('refused'))
    const notification = module.notify?.(() => told.promise)(notice)
    let isIdle = false
    const waiting = idle().then(() => {
      isIdle = true
    })
    first.resolve()
    await calls[0]
    expect(isIdle).toBe(false)
    second.resolve()
    await calls[1]
    expect(isIdle).toBe(false)
    told.resolve()
    await notification
    await waiting
    expect(await isSettled(idle())).toBe(true)
  })

  test('is nothing where a notification is passed on at once, or fails', async () => {
    const { module, idle } = counted(untouched)
    module.notify?.(() => undefined)(notice)
    const failing = module.notify?.(() => {
      throw new Error('no')
    })
    expect(() => failing?.(notice)).toThrow('no')
    await idle()
  })

  test('a module without layers stays one', () => {
    expect(counted({}).module).toEqual({})
  })
})
