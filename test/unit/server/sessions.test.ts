import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Session } from '../../../src/server/legacy.ts'
import { createSessions } from '../../../src/server/sessions.ts'
import { deferred } from '../../support/deferred.ts'
import { verifies } from '../../support/verifies.ts'

function world(maxSessions = 3, maxPerClient = maxSessions) {
  const clock = { time: 0 }
  const closed: string[] = []
  const begun: string[] = []
  const sessions = createSessions<string>({
    maxSessions,
    maxPerClient,
    sessionIdleMs: 1e6,
    now: () => clock.time,
  })
  onTestFinished(() => sessions.close())
  const request = (id: string, answers = false): EventEmitter => {
    const response = new EventEmitter()
    sessions.use(id, { response: response as ServerResponse, answers })
    return response
  }
  /** Opens a session; its first request is under way until its response is closed. */
  const open = (id: string, opening = Promise.resolve(), owner?: string) => {
    const ended = deferred()
    const close = async (): Promise<void> => {
      closed.push(id)
      // The client is told before the session is gone.
      await new Promise((resolve) => setImmediate(resolve))
      ended.resolve()
    }
    const response = new EventEmitter()
    const begin = async () => {
      await opening
      begun.push(id)
      return { session: { id, ended: ended.promise, close } satisfies Session, transport: id }
    }
    const kept = sessions.open(begin, { response: response as ServerResponse, owner, answers: true })
    return { kept, response }
  }
  const begin = async (id: string): Promise<void> => {
    const { kept, response } = open(id)
    await kept
    response.emit('close')
  }
  const work = (id: string): void => {
    for (let n = 0; n < 5; n++) request(id).emit('close')
  }
  return { sessions, clock, closed, begun, open, begin, work, request }
}

describe('sessions beyond the limit', () => {
  test('a flood of handshakes evicts its own sessions, not active ones', async () => {
    const { begin, work, closed } = world()
    for (const id of ['mine', 'yours']) {
      await begin(id)
      work(id)
    }
    for (let n = 0; n < 20; n++) await begin(`flood ${n}`)
    expect(closed).toEqual(Array.from({ length: 19 }, (_, n) => `flood ${n}`))
  })

  test('evicts the longest idle session, but none with an open stream', async () => {
    const { begin, work, request, closed, clock } = world()
    for (const id of ['a', 'b', 'c']) {
      await begin(id)
      work(id)
      clock.time += 1000
    }
    request('a')
    clock.time += 70_000
    await begin('new')
    expect(closed).toEqual(['b'])
  })

  test('evicts sessions that were left before one that begins, and that one before active ones', async () => {
    const { begin, work, request, closed, clock } = world(4)
    for (const id of ['listens', 'left', 'left later']) {
      await begin(id)
      work(id)
      clock.time += 1000
    }
    request('listens')
    clock.time += 70_000
    await begin('newcomer')
    clock.time += 1
    for (const id of ['1', '2', '3']) await begin(id)
    expect(closed).toEqual(['left', 'left later', 'newcomer'])
  })

  test('when all are at work there is no room, and nothing is begun', async () => {
    const { open, begin, work, begun, closed } = world()
    for (const id of ['a', 'b', 'c']) {
      await begin(id)
      work(id)
    }
    expect(await open('late').kept).toBeUndefined()
    expect(begun).toEqual(['a', 'b', 'c'])
    expect(closed).toEqual([])
  })

  test('simultaneous handshakes stay within the limit and do not evict one another', async () => {
    const { open, closed, begun } = world()
    const opening = deferred()
    const coming = ['a', 'b', 'c', 'd', 'e'].map((id) => open(id, opening.promise))
    opening.resolve()
    const kept = await Promise.all(coming.map((one) => one.kept))
    expect(kept.map((one) => one?.transport)).toEqual(['a', 'b', 'c', undefined, undefined])
    // Their handshakes have no answer yet.
    expect(await open('f').kept).toBeUndefined()
    expect(closed).toEqual([])
    expect(begun).toEqual(['a', 'b', 'c'])
  })

  test('simultaneous handshakes each evict a different session, which is unreachable while it ends', async () => {
    const { sessions, open, begin, closed } = world()
    for (const id of ['a', 'b', 'c']) await begin(id)
    const coming = ['d', 'e', 'f', 'g'].map((id) => open(id).kept)
    expect(closed).toEqual(['a', 'b', 'c'])
    expect(sessions.use('a', { response: new EventEmitter() as ServerResponse })).toBeUndefined()
    expect((await Promise.all(coming)).map((one) => one?.transport)).toEqual(['d', 'e', 'f', undefined])
  })

  test('a session with its first call running counts as active', async () => {
    const { open, begin, request, closed } = world(2)
    await begin('busy')
    const call = request('busy', true)
    await begin('idle')
    await begin('next')
    expect(closed).toEqual(['idle'])
    call.emit('close')
    await begin('last')
    expect(closed).toEqual(['idle', 'busy'])
    expect(await open('more').kept).toBeDefined()
  })

  test('one that could not be opened takes no place', async () => {
    const { sessions, open } = world(1)
    const response = new EventEmitter() as ServerResponse
    const failing = sessions.open(() => Promise.reject(new Error('no')), { response })
    await expect(failing).rejects.toThrow('no')
    expect(await open('a').kept).toBeDefined()
  })

  test('a response that has ended already keeps no session', async () => {
    const { sessions, begin, work, closed, clock } = world(1)
    await begin('a')
    work('a')
    sessions.use('a', { response: { closed: true } as ServerResponse })
    clock.time += 70_000
    await begin('b')
    expect(closed).toEqual(['a'])
  })
})

verifies('S2.22', 'an evicted session ends with all of its streams', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const gone = new Set<string>()
  const options = { maxSessions: 3, sessionIdleMs: 1e6, now: () => 0 }
  const sessions = createSessions<string>(options, (place) => gone.has(place))
  const closed: string[] = []
  for (const id of ['here', 'there']) {
    const close = async (): Promise<void> => void closed.push(id)
    const begin = async () => ({ session: { id, ended: new Promise<void>(() => {}), close }, transport: id })
    await sessions.open(begin, { response: new EventEmitter() as ServerResponse })
  }
  vi.advanceTimersByTime(120_000)
  expect(closed).toEqual([])
  gone.add('there')
  vi.advanceTimersByTime(120_000)
  expect(closed).toEqual(['there'])
  expect(sessions.use('there', { response: new EventEmitter() as ServerResponse })).toBeUndefined()
  await sessions.close()
})

test('one client has no more sessions than its limit, even where others leave room', async () => {
  const { open, closed } = world(10, 2)
  const begin = (id: string, owner: string) => open(id, undefined, owner)
  const first = begin('a1', 'a')
  await first.kept
  await begin('a2', 'a').kept
  // Both answer a request: neither can leave.
  expect(await begin('a3', 'a').kept).toBeUndefined()
  expect(await begin('b1', 'b').kept).toBeDefined()
  first.response.emit('close')
  expect(await begin('a4', 'a').kept).toBeDefined()
  expect(closed).toEqual(['a1'])
})
