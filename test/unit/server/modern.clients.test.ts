import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Client } from '../../../src/protocol/exchange.ts'
import type { Envelope } from '../../../src/server/envelope.ts'
import { createModernClients } from '../../../src/server/modern.ts'
import { LOCAL } from '../downstream/modern/support.ts'

const MINUTE = 60_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function world() {
  const opened: Client[] = []
  const closed: Client[] = []
  const clients = createModernClients({
    now: Date.now,
    notify: () => {},
    opened: (client) => opened.push(client),
    closed: (client) => closed.push(client),
  })
  onTestFinished(() => clients.close())
  const saying = (name: string, capabilities = {}): Envelope => ({
    protocolVersion: '2026-07-28',
    info: { name },
    capabilities,
    logLevel: undefined,
    via: [],
  })
  return { clients, opened, closed, saying }
}

describe('clients without a session', () => {
  test('are one when they say the same of themselves', async () => {
    const { clients, opened, saying } = world()
    const one = clients.use(LOCAL, saying('a'))
    const { client } = clients.use(LOCAL, { ...saying('a'), logLevel: 'debug' })
    expect(client).toBe(one.client)
    expect(opened).toEqual([client])
    expect(client).toMatchObject({
      era: 'modern',
      agent: LOCAL,
      info: { name: 'a' },
      protocolVersion: '2026-07-28',
    })
    await expect(client.ask({ method: 'roots/list' })).rejects.toMatchObject({ code: -32601 })
  })

  test('are others when anything differs', () => {
    const { clients, opened, saying } = world()
    clients.use(LOCAL, saying('a'))
    clients.use(LOCAL, saying('b'))
    clients.use(LOCAL, saying('a', { sampling: {} }))
    clients.use({ id: 'somebody', kind: 'principal' }, saying('a'))
    clients.use({ id: 'local', kind: 'principal' }, saying('a'))
    expect(new Set(opened.map(({ id }) => id)).size).toBe(5)
    expect(opened.every(({ id }) => /^modern:[0-9a-f]{32}$/.test(id))).toBe(true)
  })

  test('are given up after half an hour of silence, and met again as new', () => {
    const { clients, opened, closed, saying } = world()
    const silent = clients.use(LOCAL, saying('a'))
    clients.rest(silent)
    vi.advanceTimersByTime(29 * MINUTE)
    clients.rest(clients.use(LOCAL, saying('a')))
    vi.advanceTimersByTime(29 * MINUTE)
    expect(closed).toEqual([])
    vi.advanceTimersByTime(2 * MINUTE)
    expect(closed).toEqual([silent.client])
    const again = clients.use(LOCAL, saying('a'))
    expect(opened).toEqual([silent.client, again.client])
    expect(again.client.id).toBe(silent.client.id)
  })

  test('stay while something of theirs is under way', () => {
    const { clients, closed, saying } = world()
    const lease = clients.use(LOCAL, saying('a'))
    vi.advanceTimersByTime(60 * MINUTE)
    expect(closed).toEqual([])
    clients.rest(lease)
    vi.advanceTimersByTime(31 * MINUTE)
    expect(closed).toHaveLength(1)
  })

  test('are so many and no more: the longest idle goes, nobody who waits', () => {
    const { clients, closed, saying } = world()
    clients.use(LOCAL, saying('waits'))
    for (let n = 0; n < 1000; n++) {
      clients.rest(clients.use(LOCAL, saying(`idle ${n}`)))
      clients.rest(clients.use(LOCAL, saying('idle 0')))
    }
    expect(closed.map(({ info }) => info.name)).toEqual(['idle 1'])
  })

  test('cannot fill the memory with what they say of themselves', () => {
    const { clients, closed, saying } = world()
    for (let n = 0; n < 20; n++)
      clients.rest(clients.use(LOCAL, saying(`${n}`, { x: 'x'.repeat(1024 * 1024) })))
    expect(closed.length).toBeGreaterThan(0)
    expect(closed.length).toBeLessThan(10)
  })

  test('all leave when it closes', () => {
    const { clients, closed, saying } = world()
    clients.use(LOCAL, saying('a'))
    clients.close()
    expect(closed).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })
})
