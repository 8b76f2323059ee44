import { expect, test } from 'vitest'
import type { Exchange } from '../../../src/protocol/exchange.ts'
import { createLeaving } from '../../../src/server/leaving.ts'
import { createSessionSeal } from '../../../src/server/sealed.ts'
import { deferred } from '../../support/deferred.ts'
import { served } from './http/support.ts'

const NO_TIME = { noticeMs: 0, callMs: 0, stopListening() {} }
const LONG = { ...NO_TIME, callMs: 60_000 }
const call = (id: number): object => ({ id, method: 'tools/call', params: { name: 'x' } })

/** A clock on which the last request is long ago, and stays so: it goes on with each look. */
function hurrying(): () => number {
  let at = 0
  return () => (at += 1_000)
}

test('a gateway that goes away says so, takes no connection, and lets calls finish', async () => {
  const leaving = createLeaving(hurrying())
  const answer = deferred()
  const begun = deferred()
  const { url, open, post, listener } = await served({
    leaving,
    handler: leaving.counting(async () => {
      begun.resolve()
      await answer.promise
      return { content: [] }
    }),
  })
  const ready = async (): Promise<[number, string]> => {
    const response = await fetch(new URL('/readyz', url))
    return [response.status, await response.text()]
  }
  expect(await ready()).toEqual([200, 'ready\n'])
  const session = await open()
  const running = post(call(1), session)
  await begun.promise

  const left = leaving.leave({ ...LONG, noticeMs: 200, stopListening: listener.stopListening })
  expect(await ready()).toEqual([503, 'not ready: the proxy is shutting down\n'])
  expect((await fetch(new URL('/livez', url))).status).toBe(200)
  await expect(open()).rejects.toThrow('503')
  // An answer of a client belongs to a call that runs.
  const answered = await post({ id: 'asked', result: {} }, session)
  expect([answered.status, answered.headers.get('connection')]).toEqual([202, 'close'])
  await expect.poll(() => post(call(2), session).catch(({ cause }) => cause.code)).toBe('ECONNREFUSED')

  answer.resolve()
  expect(await (await running).text()).toContain('"content":[]')
  expect(await left).toBe(0)
})

test('a session that can go on at another replica begins also while this one goes away', async () => {
  const leaving = createLeaving(hurrying())
  const seal = createSessionSeal({ keys: ['a key that all have'], lifeMs: 60_000, now: Date.now })
  const { open } = await served({ leaving, seal })
  await leaving.leave(NO_TIME)
  expect(await open()).toHaveProperty('mcp-session-id')
})

test('the time for running calls is bounded', async () => {
  const leaving = createLeaving(hurrying())
  const handler = leaving.counting(() => new Promise(() => {}))
  void handler({} as Exchange)
  expect(await leaving.leave(NO_TIME)).toBe(1)
})

test('what was sent just now is waited for, although nothing runs yet', async () => {
  let at = 0
  const leaving = createLeaving(() => at)
  leaving.begin()()
  let isOver = false
  const left = leaving.leave(LONG).then(() => {
    isOver = true
  })
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect(isOver).toBe(false)
  at += 1_000
  await left
})
