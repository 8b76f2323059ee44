import { describe, expect, test } from 'vitest'
import { silentLogger } from '../../../src/observe/log.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { LIMIT_DEFAULTS } from '../../../src/protocol/limits.ts'
import type { Notification, Request, RequestId, Transport } from '../../../src/protocol/message.ts'
import { Peer } from '../../../src/protocol/peer.ts'
import { Connection } from '../../../src/upstream/connection.ts'
import { SessionExpired, type UpstreamTransport } from '../../../src/upstream/transport.ts'
import { deferred } from '../../support/deferred.ts'
import { linkedTransports } from '../../support/linked.ts'
import { client, exchange } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

interface World {
  connection: Connection
  /** The server's side of each connection, in order. */
  servers: Peer[]
  /** Waits that were asked for and not taken back. */
  alarms: { ms: number; run(): void }[]
  lost: string[]
  clock: { now: number }
  /** Methods of what was sent to servers. */
  sent: string[]
  /** Requests that servers received. */
  received: Request[]
  /** The connection's own side of each connection, in order. */
  transports: Transport[]
  /** Notifications that belonged to no request. */
  told: Notification[]
  /** The answer of the next servers to `initialize`. */
  server: { initialize(): Promise<JsonObject> }
}

const hello = async (): Promise<JsonObject> => ({ protocolVersion: '2025-11-25', capabilities: {} })

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

interface WorldOptions {
  revive?: boolean
  random?: () => number
  keepAliveMs?: number
  /** In place of sending a message on the nth connection, 1 being the first; undefined: it is sent. */
  send?: (method: string, nth: number) => Promise<void> | undefined
}

function world(options: WorldOptions = {}): World {
  const { revive = true, random = () => 0, keepAliveMs } = options
  const servers: Peer[] = []
  const alarms: World['alarms'] = []
  const lost: string[] = []
  const sent: string[] = []
  const received: Request[] = []
  const transports: Transport[] = []
  const told: Notification[] = []
  const clock = { now: 0 }
  const server = { initialize: hello }
  const dial = (): UpstreamTransport => {
    const [near, far] = linkedTransports()
    const peer = new Peer(far, {
      onRequest: async ({ method, params }) => {
        if (method === 'initialize') return await server.initialize()
        received.push({ method, ...(params && { params }) })
        return method === 'hang' ? await new Promise(() => {}) : { answered: method }
      },
      onNotification: () => {},
    })
    void peer.start()
    const nth = servers.push(peer)
    transports.push(near)
    const send = near.send.bind(near)
    near.send = (message) => {
      const method = 'method' in message ? message.method : ''
      if (method !== '') sent.push(method)
      return options.send?.(method, nth) ?? send(message)
    }
    return Object.assign(near, { kind: 'stdio', local: true, failure: undefined, keepAliveMs })
  }
  const connection = new Connection({
    server: 's',
    dial,
    introduction: { era: 'legacy', clientInfo: { name: 'p', version: '1' }, capabilities: {}, via: [] },
    connectTimeoutMs: 1000,
    limits: LIMIT_DEFAULTS,
    backoff: { initialMs: 500, maxMs: 3000, factor: 2 },
    revive,
    handlers: {
      ready: () => {},
      lost: (error) => lost.push(error.message),
      notification: (notification) => told.push(notification),
    },
    logger: silentLogger,
    now: () => clock.now,
    random,
    later: (ms, run) => {
      const alarm = { ms, run }
      alarms.push(alarm)
      return () => {
        const at = alarms.indexOf(alarm)
        if (at >= 0) alarms.splice(at, 1)
      }
    },
  })
  return { connection, servers, alarms, lost, sent, clock, server, received, transports, told }
}

describe('connection', () => {
  verifies('S3.34', 'a forgotten session is left open until every call on it has heard so', async () => {
    const slow = deferred()
    const expired = async (): Promise<never> => {
      throw new SessionExpired('HTTP 404')
    }
    const { connection, servers } = world({
      send: (method, nth) => {
        if (nth > 1) return undefined
        if (method === 'a') return expired()
        return method === 'b' ? slow.promise.then(expired) : undefined
      },
    })
    await connection.connect()
    const b = connection.request({ method: 'b' })
    expect(await connection.request({ method: 'a' })).toEqual({ answered: 'a' })
    expect(servers.map(({ closed }) => closed)).toEqual([false, false])
    slow.resolve()
    expect(await b).toEqual({ answered: 'b' })
    await turn()
    expect(servers.map(({ closed }) => closed)).toEqual([true, false])
  })

  verifies('S3.34', 'connects on first use, once, however many ask', async () => {
    const { connection, servers } = world()
    expect(connection.state).toBe('idle')
    const calls = [
      connection.connect(),
      connection.request({ method: 'a' }),
      connection.request({ method: 'b' }),
    ]
    expect(connection.state).toBe('connecting')
    await Promise.all(calls)
    expect(connection.state).toBe('ready')
    expect(servers).toHaveLength(1)
  })

  verifies('S3.34', 'comes back with exponential backoff, its upper half random', async () => {
    const { connection, servers, alarms, server } = world({ random: () => 0.5 })
    await connection.connect()
    server.initialize = async () => {
      throw new Error('not now')
    }
    await servers[0]?.close()
    expect(connection.state).toBe('waiting')
    const waits: number[] = []
    for (let i = 0; i < 5; i++) {
      const [alarm] = alarms.splice(0)
      waits.push(alarm?.ms ?? 0)
      alarm?.run()
      await expect.poll(() => connection.state).toBe('waiting')
    }
    expect(waits).toEqual([375, 750, 1500, 2250, 2250])
    server.initialize = hello
    alarms.splice(0)[0]?.run()
    await expect.poll(() => connection.state).toBe('ready')
  })

  test('a connection that was good for long starts the backoff from the beginning', async () => {
    const { connection, servers, alarms, clock } = world()
    await connection.connect()
    await servers[0]?.close()
    await connection.connect()
    await servers[1]?.close()
    expect(alarms.map(({ ms }) => ms)).toEqual([500])
    await connection.connect()
    clock.now += 60_000
    await servers[2]?.close()
    expect(alarms.map(({ ms }) => ms)).toEqual([250])
  })

  verifies('S3.34', 'a call does not wait out the backoff', async () => {
    const { connection, servers, alarms } = world()
    await connection.connect()
    await servers[0]?.close()
    expect(connection.state).toBe('waiting')
    expect(await connection.request({ method: 'x' })).toEqual({ answered: 'x' })
    expect(alarms).toEqual([])
  })

  test('a request that went to the server is reported to its exchange, with its result unless it failed', async () => {
    const served: unknown[] = []
    const onServed = (...told: unknown[]): void => void served.push(told)
    const { connection, server, servers } = world({ revive: false })
    const ask = (method: string) => connection.request({ method }, { exchange: { ...exchange(), onServed } })
    await ask('a')
    expect(served).toEqual([['s', { method: 'a' }, { answered: 'a' }]])
    const hanging = ask('hang')
    await turn()
    await servers[0]?.close()
    await expect(hanging).rejects.toThrow()
    expect(served.slice(1)).toEqual([['s', { method: 'hang' }, undefined]])
    server.initialize = async () => Promise.reject(new Error('not now'))
    await expect(ask('b')).rejects.toThrow()
    expect(served).toHaveLength(2)
  })

  test('without revival it waits for the next use', async () => {
    const { connection, servers, alarms } = world({ revive: false })
    await connection.connect()
    await servers[0]?.close()
    expect(connection.state).toBe('idle')
    expect(alarms).toEqual([])
  })

  verifies('S3.36', 'gives up a handshake that takes too long', async () => {
    const { connection, alarms, server, lost, servers } = world()
    server.initialize = () => new Promise(() => {})
    const attempt = connection.connect().catch((error: unknown) => error)
    await turn()
    alarms.splice(0)[0]?.run()
    expect(await attempt).toMatchObject({
      code: 'UPSTREAM_TIMEOUT',
      message: 'server `s`: did not connect within 1 s',
    })
    expect(lost).toEqual(['server `s`: did not connect within 1 s'])
    await expect.poll(() => servers[0]?.closed).toBe(true)
  })

  test.each([
    [{}, 'server `s`: answered initialize without a protocolVersion'],
    [
      { protocolVersion: '2030-01-01' },
      'server `s`: speaks protocol version 2030-01-01, which this proxy does not',
    ],
  ])('refuses the handshake %j', async (result, message) => {
    const { connection, server } = world()
    server.initialize = async () => result as JsonObject
    await expect(connection.connect()).rejects.toMatchObject({ code: 'UPSTREAM_CONNECT', message })
  })

  test('a client that leaves during connecting does not end the attempt for others', async () => {
    const { connection } = world()
    const leave = new AbortController()
    const impatient = connection
      .request({ method: 'a' }, { signal: leave.signal })
      .catch((error: unknown) => error)
    const patient = connection.request({ method: 'b' })
    leave.abort()
    expect(await impatient).toMatchObject({ code: 'CANCELLED' })
    expect(await patient).toEqual({ answered: 'b' })
  })

  test('keeps a connection alive that silence would end', async () => {
    const { connection, alarms, servers, sent } = world({ keepAliveMs: 5000, revive: false })
    await connection.connect()
    const far = servers[0]
    for (let i = 0; i < 3; i++) {
      const [alarm] = alarms.splice(0)
      expect(alarm?.ms).toBe(5000)
      alarm?.run()
      await turn()
      expect(connection.state).toBe('ready')
    }
    await far?.close()
    const [last] = alarms.splice(0)
    last?.run()
    expect(alarms).toEqual([])
    expect(sent).toEqual(['initialize', 'notifications/initialized', 'ping', 'ping', 'ping'])
  })

  test('closing during connecting ends in the closed state and refuses later calls', async () => {
    const { connection, server, alarms, servers } = world()
    server.initialize = () => new Promise(() => {})
    const attempt = connection.connect().catch((error: unknown) => error)
    await turn()
    await connection.close()
    expect(await attempt).toMatchObject({ code: 'UPSTREAM_CONNECT' })
    expect(connection.state).toBe('closed')
    expect(servers[0]?.closed).toBe(true)
    await expect(connection.request({ method: 'x' })).rejects.toMatchObject({ code: 'UPSTREAM_CLOSED' })
    expect(alarms).toEqual([])
  })
})

describe('what a server says while requests are under way', () => {
  const LOG = { method: 'notifications/message', params: { level: 'info', data: 'secret' } }

  /** A connection with `hang` under way for each exchange; gives the ids of these requests and how the server says something. */
  async function busy(...exchanges: ReturnType<typeof exchange>[]) {
    const { connection, transports, received, told } = world()
    await connection.connect()
    const [near] = transports
    const ids: RequestId[] = []
    const send = near?.send.bind(near)
    if (near && send)
      near.send = (message, options) => {
        if ('id' in message && 'method' in message) ids.push(message.id)
        return send(message, options)
      }
    for (const one of exchanges) void connection.request({ method: 'hang' }, { exchange: one })
    await expect.poll(() => received).toHaveLength(exchanges.length)
    const say = (via?: RequestId): void => near?.onmessage?.({ jsonrpc: '2.0', ...LOG }, via)
    return { ids, say, told }
  }

  test('goes to the request of the stream it came on, and to no other when that one is over', async () => {
    const ada = exchange(client())
    const { ids, say, told } = await busy(ada)
    say(ids[0])
    expect(ada.notified).toMatchObject([LOG])
    say(4711)
    expect(ada.notified).toHaveLength(1)
    expect(told).toHaveLength(1)
  })

  test('goes to the only request where no stream tells, and of several to none', async () => {
    const ada = exchange(client())
    const one = await busy(ada)
    one.say()
    expect([ada.notified, one.told]).toMatchObject([[LOG], []])
    const [bob, eve] = [exchange(client()), exchange(client())]
    const two = await busy(bob, eve)
    two.say()
    expect([bob.notified, eve.notified, two.told.length]).toEqual([[], [], 1])
  })
})

describe('what a client set up', () => {
  const subscribe = (uri: string) => ({ method: 'resources/subscribe', params: { uri } })
  const level = (name: string) => ({ method: 'logging/setLevel', params: { level: name } })
  const logging = async () => ({ ...(await hello()), capabilities: { logging: {} } })

  test('is set up again on a new connection: the last log level, and the subscriptions that were not ended', async () => {
    const { connection, servers, received, server } = world()
    server.initialize = logging
    const ended = { method: 'resources/unsubscribe', params: { uri: 'b' } }
    const other = { method: 'tools/call', params: { uri: 'c' } }
    const mine = exchange()
    for (const one of [level('info'), subscribe('a'), subscribe('b'), level('debug'), ended, other])
      await connection.request(one, { exchange: mine })
    received.length = 0
    await servers[0]?.close()
    await connection.connect()
    await expect.poll(() => received).toEqual([level('debug'), subscribe('a')])
  })

  test('is bounded: of many subscriptions the newest stay', async () => {
    const { connection, received } = world()
    for (let i = 0; i < 5000; i++)
      await connection.setUp(subscribe(`file:///${i}`), 'resources', exchange(), 0)
    await connection.connect()
    await expect.poll(() => received.length).toBe(1000)
    expect(received.at(-1)).toEqual(subscribe('file:///4999'))
  })
})
