import { describe, expect, test } from 'vitest'
import type { Module, Notice } from '../../../src/module-runtime/module.ts'
import { counted } from '../../../src/module-runtime/stack.ts'
import { deferred } from '../../support/deferred.ts'
import { client, exchange } from '../../support/upstream.ts'

const asked = exchange(client(), { method: 'tools/call', params: {} })
const notice: Notice = { method: 'notifications/x', toward: 'client', client: client() }

/** Resolved by now, without waiting for anything. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending')
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending
}

const passing: Module = { wrap: (next) => next, notify: (next) => next }

describe('what is under way in a module', () => {
  test('is waited for: requests, however they end, and notifications', async () => {
    const { module, idle } = counted(passing)
    const [first, second, told] = [deferred(), deferred(), deferred()]
    await idle()
    const answers = [first, second]
    const handler = module.wrap?.(async () => {
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
    const { module, idle } = counted(passing)
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
