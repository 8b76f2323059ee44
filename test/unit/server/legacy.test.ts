import { expect, test } from 'vitest'
import { silentLogger } from '../../../src/observe/log.ts'
import type { Client } from '../../../src/protocol/exchange.ts'
import { Peer } from '../../../src/protocol/peer.ts'
import { openSession } from '../../../src/server/legacy.ts'
import { linkedTransports } from '../../support/linked.ts'

test('a second handshake in a session is refused, and the first client stays', async () => {
  const [near, far] = linkedTransports()
  const opened: Client[] = []
  const closed: Client[] = []
  const session = await openSession({
    id: 'one',
    agent: { id: 'local', kind: 'local' },
    transport: far,
    backend: {
      handler: async () => ({ answered: true }),
      describe: () => ({ capabilities: {}, serverInfo: {}, instructions: '' }),
      opened: (client) => opened.push(client),
      closed: (client) => closed.push(client),
      notified: () => {},
      identity: 'tested',
      logger: silentLogger,
    },
  })
  const client = new Peer(near, { onRequest: async () => ({}), onNotification: () => {} })
  await client.start()
  const initialize = { method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {} } }
  expect(await client.request(initialize)).toMatchObject({ protocolVersion: '2025-06-18' })
  await expect(client.request(initialize)).rejects.toMatchObject({ code: -32600 })
  expect(await client.request({ method: 'tools/list' })).toEqual({ answered: true })
  await session.close()
  expect(opened).toHaveLength(1)
  expect(closed).toEqual(opened)
})
