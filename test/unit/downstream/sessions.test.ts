import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Session } from '../../../src/downstream/session.ts'
import { createSessions } from '../../../src/downstream/sessions.ts'
import { deferred } from '../../support/deferred.ts'

function world(maxSessions = 3) {
  const clock = { time: 0 }
  const closed: string[] = []
  const sessions = createSessions<string>({ maxSessions, sessionIdleMs: 1e6, now: () => clock.time })
  onTestFinished(() => sessions.close())
  const request = (id: string): EventEmitter => {
    const response = new EventEmitter()
    sessions.use(id, response as ServerResponse)
    return response
  }
  const begin = (id: string): void => {
    const ended = deferred()
    const close = async (): Promise<void> => {
      closed.push(id)
      ended.resolve()
    }
    sessions.add({ id, ended: ended.promise, close } satisfies Session, id)
    request(id).emit('close')
  }
  const work = (id: string): void => {
    for (let n = 0; n < 5; n++) request(id).emit('close')
  }
  return { sessions, clock, closed, begin, work, request }
}

describe('sessions beyond the limit', () => {
  test('a flood of handshakes pushes out itself, not those at work', async () => {
    const { begin, work, closed } = world()
    begin('mine')
    work('mine')
    begin('yours')
    work('yours')
    for (let n = 0; n < 20; n++) {
      begin(`flood ${n}`)
      await Promise.resolve()
    }
    expect(closed).toHaveLength(19)
    expect(closed.every((id) => id.startsWith('flood'))).toBe(true)
  })

  test('the longest idle leaves when all have worked, but nobody with an open stream', async () => {
    const { begin, work, request, closed, clock } = world()
    for (const id of ['a', 'b', 'c']) {
      begin(id)
      work(id)
      clock.time += 1000
    }
    request('a')
    clock.time += 70_000
    begin('new')
    expect(closed).toEqual(['b'])
  })

  test('when all are at work there is no room', () => {
    const { sessions, begin, work } = world()
    for (const id of ['a', 'b', 'c']) begin(id)
    expect(sessions.hasRoom()).toBe(true)
    for (const id of ['a', 'b', 'c']) work(id)
    expect(sessions.hasRoom()).toBe(false)
  })
})
