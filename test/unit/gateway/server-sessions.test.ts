/** Which sessions at servers replicas have in common, over a real store. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import type { Config } from '../../../src/config/schema.ts'
import { openServerSessions } from '../../../src/gateway/server-sessions.ts'
import type { Client } from '../../../src/protocol/exchange.ts'
import { createValkeyStore } from '../../../src/store/valkey/store.ts'
import type { FoundSession, SharedSessions } from '../../../src/upstream/shared-session.ts'
import { describeWithValkey, startValkey, type ValkeyServer } from '../../support/valkey-server.ts'

const CLIENT = { id: 'client' } as Client
const initialize = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's' } }

describeWithValkey('sessions at servers', () => {
  let server: ValkeyServer
  beforeAll(async () => {
    server = await startValkey()
  })
  afterAll(() => server.stop())

  async function open(key: string | string[] = 'one') {
    const warn = vi.fn()
    const store = await createValkeyStore({
      url: server.url,
      key: 'a key of the store',
      scope: '',
      maxAge: 60_000,
      maxBytesPerOwner: 1024,
      now: Date.now,
      onUp() {},
      onAway() {},
      commandMs: 10_000,
    })
    onTestFinished(() => store.close())
    const settings = { sessions: { key, maxAgeSeconds: 100 } } as Config['settings']
    const sessions = await openServerSessions(settings, store.values, { warn } as never, Date.now)
    return { sessions: sessions as SharedSessions, warn }
  }

  /** Begins one that a server gave, where there is none. */
  async function begin(found: FoundSession, id: string, said: object = initialize): Promise<boolean> {
    if ('known' in found) throw new Error(`there is ${found.known.id}`)
    return found.begun({ id, initialize: said as typeof initialize })
  }

  test('one that a replica began is known to the others, for that client at that server', async () => {
    const [here, there] = [await open(), await open()]
    expect(await begin(await here.sessions.find(CLIENT, 'a', undefined), 'id')).toBe(true)
    expect(await there.sessions.find(CLIENT, 'a', undefined)).toEqual({ known: { id: 'id', initialize } })
    for (const [client, name] of [
      [CLIENT, 'b'],
      [{ id: 'another' } as Client, 'a'],
    ] as const)
      expect(await there.sessions.find(client, name, undefined)).not.toHaveProperty('known')
  })

  test('one of two replicas begins it, and the other one waits for that', async () => {
    const [here, there] = [await open(), await open()]
    const first = await here.sessions.find(CLIENT, 'waited', undefined)
    const second = there.sessions.find(CLIENT, 'waited', undefined)
    await sleep(200)
    await begin(first, 'of the first')
    expect(await second).toMatchObject({ known: { id: 'of the first' } })
  })

  test('a replica that could not begin one lets the next one try', async () => {
    const [here, there] = [await open(), await open()]
    const first = await here.sessions.find(CLIENT, 'failed', undefined)
    if ('begun' in first) expect(await first.begun(undefined)).toBe(false)
    expect(await begin(await there.sessions.find(CLIENT, 'failed', undefined), 'id')).toBe(true)
  })

  test('one that the server has forgotten is begun once more, and then known to all', async () => {
    const [here, there] = [await open(), await open()]
    await begin(await here.sessions.find(CLIENT, 'gone', undefined), 'old')
    await begin(await there.sessions.find(CLIENT, 'gone', 'old'), 'new')
    expect(await here.sessions.find(CLIENT, 'gone', 'old')).toMatchObject({ known: { id: 'new' } })
  })

  test('what was sealed with another key counts as absent, and with one of two keys as known', async () => {
    await begin(await (await open('old')).sessions.find(CLIENT, 'keys', undefined), 'id')
    expect(await (await open(['new', 'old'])).sessions.find(CLIENT, 'keys', undefined)).toHaveProperty(
      'known',
    )
    expect(await (await open('new')).sessions.find(CLIENT, 'keys', undefined)).not.toHaveProperty('known')
  })

  test('a server that says more of itself than 64 KB has a session at each replica', async () => {
    const { sessions } = await open()
    const found = await sessions.find(CLIENT, 'wordy', undefined)
    expect(await begin(found, 'id', { ...initialize, instructions: 'x'.repeat(70_000) })).toBe(false)
    expect(await sessions.find(CLIENT, 'wordy', undefined)).not.toHaveProperty('known')
  })

  test('what the store refuses is told once, and the session is of this replica alone', async () => {
    const { sessions, warn } = await open()
    await server.tell('CONFIG', 'SET', 'maxmemory', '1')
    onTestFinished(() => server.tell('CONFIG', 'SET', 'maxmemory', '0').then(() => {}))
    for (const name of ['full 1', 'full 2'])
      expect(await begin(await sessions.find(CLIENT, name, undefined), 'id')).toBe(false)
    expect(warn).toHaveBeenCalledTimes(1)
  })
})
