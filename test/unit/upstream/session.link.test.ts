import { expect, test } from 'vitest'
import type { RequestOptions } from '../../../src/protocol/peer.ts'
import type { Connection } from '../../../src/upstream/connection.ts'
import { Link, OneGroup } from '../../../src/upstream/session.ts'
import { client, exchange } from '../../support/upstream.ts'

/** A link whose requests get no answer. */
function link(): Link {
  let id = 0
  const request = (_: unknown, { onId }: RequestOptions): Promise<never> => {
    onId?.(++id)
    return new Promise(() => {})
  }
  const connection = () => ({ era: 'modern', request }) as unknown as Connection
  const ask = async (): Promise<never> => Promise.reject(new Error('nobody is asked'))
  return new Link({ server: 's', client: undefined, groups: new OneGroup(undefined), connection, ask })
}

const LOG = { method: 'notifications/message', params: { level: 'info', data: 'secret' } }

test('what a server says on the stream of one request never goes to another, also when that one is over', () => {
  const shared = link()
  const ada = exchange(client())
  void shared.request({ method: 'tools/call' }, ada, 1000)
  expect(shared.relay(LOG, 1)).toBe(true)
  expect(shared.relay(LOG, 7)).toBe(false)
  expect(ada.notified).toEqual([LOG])
})

test('where no stream tells, the one request under way is meant, and of several none', () => {
  const shared = link()
  const [ada, bob] = [exchange(client()), exchange(client())]
  void shared.request({ method: 'tools/call' }, ada, 1000)
  expect(shared.relay(LOG, undefined)).toBe(true)
  void shared.request({ method: 'tools/call' }, bob, 1000)
  expect(shared.relay(LOG, undefined)).toBe(false)
  expect([ada.notified, bob.notified]).toEqual([[LOG], []])
})
