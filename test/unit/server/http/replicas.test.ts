/** Two listeners with one key, as replicas behind a balancer are. */
import { describe, expect, test } from 'vitest'
import { plain } from '../../../../src/protocol/content.ts'
import type { Handler } from '../../../../src/protocol/exchange.ts'
import type { Request } from '../../../../src/protocol/message.ts'
import type { Principal } from '../../../../src/server/backend.ts'
import type { HttpOptions } from '../../../../src/server/http/listen.ts'
import type { Replicas, Told, ToldEvent } from '../../../../src/server/replicas.ts'
import { createSessionSeal } from '../../../../src/server/sealed.ts'
import { ACCEPT_BOTH, eventsOf, type Message, messageOf, served, until } from './support.ts'

const KEY = 'the key of all replicas'
const CALL = { id: 1, method: 'tools/call', params: { name: 'x' } }
const sealWith = (key: string) => createSessionSeal({ keys: [key], lifeMs: 60_000, now: Date.now })

/** The shared state of replicas, without a store. */
function createShared() {
  const setUp = new Map<string, Request[] | 'ended'>()
  const heard = new Map<object, (session: string, told: Told) => Promise<void>>()
  const events = new Map<string, ToldEvent[]>()
  const begun = new Set<string>()
  return (): Replicas => {
    const self: Replicas = {
      recall: async (session) => setUp.get(session) ?? [],
      async note(session, request) {
        const before = setUp.get(session) ?? []
        if (before !== 'ended') setUp.set(session, [...before, request])
        self.tell(session, { to: 'session', request })
      },
      async begin(request) {
        const isNew = !begun.has(request)
        begun.add(request)
        return isNew ? () => {} : undefined
      },
      async end(session) {
        setUp.set(session, 'ended')
        self.tell(session, { to: 'end' })
      },
      tell(session, told) {
        for (const [other, hear] of heard) if (other !== self) void hear(session, told)
      },
      listen: (hear) => void heard.set(self, hear),
      streams: (session) => ({
        keep(stream, event) {
          const place = `${session} ${stream}`
          events.set(place, [...(events.get(place) ?? []), event])
        },
        kept: async (stream) => events.get(`${session} ${stream}`) ?? [],
      }),
    }
    return self
  }
}

async function pair(options: Partial<HttpOptions> & { handler?: Handler } = {}) {
  const shared = createShared()
  const replica = (seal = sealWith(KEY)) => served({ ...options, seal, replicas: shared() })
  return { here: await replica(), there: await replica(), foreign: await replica(sealWith('another key')) }
}

/** By a bearer token that is the name. */
const authenticator: HttpOptions['authenticator'] = {
  serve: () => false,
  async authenticate({ headers }): Promise<Principal> {
    return { id: String(headers.authorization) }
  },
}

const statusOf = async (sent: Promise<Response>) => {
  const response = await sent
  await response.text()
  return response.status
}

describe('a call that a balancer sends again', () => {
  test('runs once, whichever replica it comes to', async () => {
    let ran = 0
    const { here, there } = await pair({ handler: async () => ({ ran: ++ran }) })
    const session = await here.open()
    const post = (at: typeof here, key: string) => at.post(CALL, { ...session, 'idempotency-key': key })
    expect(await (await post(here, 'one')).json()).toMatchObject({ result: { ran: 1 } })
    const again = await post(there, 'one')
    expect(again.status).toBe(409)
    const message = expect.stringContaining('may have been run')
    expect(await again.json()).toMatchObject({ id: 1, error: { message } })
    expect(await (await post(there, 'two')).json()).toMatchObject({ result: { ran: 2 } })
  })

  test('is another one of another client, and what is no call may come twice', async () => {
    const { here, there } = await pair({ authenticator })
    const key = { 'idempotency-key': 'one', accept: ACCEPT_BOTH }
    for (const authorization of ['anna', 'ben']) {
      const session = await here.open('2025-11-25', { authorization })
      const headers = { ...session, ...key }
      expect(await statusOf(there.post(CALL, headers))).toBe(200)
      for (let time = 0; time < 2; time++)
        expect(await statusOf(here.post({ id: 2, method: 'tools/list' }, headers))).toBe(200)
    }
  })
})

describe('a session with a sealed id', () => {
  test('goes on at a replica that never saw it, as the same client with the same owner', async () => {
    const { here, there } = await pair({ handler: async ({ agent }) => ({ owner: agent.id }) })
    const session = await here.open()
    const answers = await Promise.all(
      [here, there, there, here].map(
        async ({ post }, id) => (await (await post({ ...CALL, id }, session)).json()) as Message,
      ),
    )
    const owners = answers.map(({ result }) => result?.owner)
    expect(new Set(owners).size).toBe(1)
    expect(owners[0]).toEqual(expect.any(String))
    expect(there.clients).toHaveLength(1)
    const [one, other] = [here.clients[0], there.clients[0]]
    expect(other).toMatchObject({ info: one?.info, protocolVersion: one?.protocolVersion, agent: one?.agent })
  })

  test('is unknown to a replica with another key, and to one without', async () => {
    const { here, foreign } = await pair()
    const session = await here.open()
    const without = await served()
    const answers = await Promise.all([foreign, without].map(({ post }) => post(CALL, session)))
    const unknown = await without.post(CALL, { ...session, 'mcp-session-id': 'nobody' })
    for (const answer of answers)
      expect([answer.status, await answer.json()]).toEqual([404, await unknown.clone().json()])
  })

  test('is worth nothing to another client, wherever it tries', async () => {
    const { here, there } = await pair({ authenticator })
    const session = await here.open('2025-11-25', { authorization: 'anna' })
    const stolen = { ...session, authorization: 'ben', accept: ACCEPT_BOTH }
    for (const { post, send } of [here, there]) {
      expect(await statusOf(post(CALL, stolen))).toBe(404)
      expect(await statusOf(send('GET', stolen))).toBe(404)
      expect(await statusOf(send('DELETE', stolen))).toBe(404)
    }
    expect(there.clients).toHaveLength(0)
    expect(await statusOf(there.post(CALL, session))).toBe(200)
  })

  test('is over at each replica once its client has ended it at one', async () => {
    const { here, there } = await pair()
    const session = await here.open()
    expect(await statusOf(there.post(CALL, session))).toBe(200)
    expect(await statusOf(there.send('DELETE', session))).toBe(200)
    for (const { post } of [there, here]) expect(await statusOf(post(CALL, session))).toBe(404)
    await until(() => here.gone.length === 1)
    expect([here, there].map(({ gone }) => gone[0]?.mayReturn?.())).toEqual([false, false])
  })

  test('comes back where it was idle for too long', async () => {
    let time = 0
    const { here } = await pair({ elapsed: () => time, sessionIdleMs: 20 })
    const session = await here.open()
    time = 1000
    await until(() => here.gone.length === 1)
    expect(here.gone[0]?.mayReturn?.()).toBe(true)
    expect(await statusOf(here.post(CALL, session))).toBe(200)
  })

  test('has its log level and its subscriptions at the other replica as well', async () => {
    const seen: [number, string, unknown][] = []
    let nth = 0
    const numbers = new Map<object, number>()
    const { here, there } = await pair({
      handler: async ({ method, params, client }) => {
        if (!numbers.has(client)) numbers.set(client, nth++)
        seen.push([numbers.get(client) as number, method, params.level ?? params.uri])
        return {}
      },
    })
    const session = await here.open()
    await here.post({ id: 1, method: 'logging/setLevel', params: { level: 'error' } }, session)
    await here.post({ id: 2, method: 'resources/subscribe', params: { uri: 'a://b' } }, session)
    expect(await statusOf(there.post({ ...CALL, id: 3 }, session))).toBe(200)
    await until(() => seen.length === 5)
    expect(seen.filter(([client]) => client === 1)).toEqual(
      expect.arrayContaining([
        [1, 'logging/setLevel', 'error'],
        [1, 'resources/subscribe', 'a://b'],
        [1, 'tools/call', undefined],
      ]),
    )
  })

  test('has at each replica that knows it what is set up, and taken back, at another', async () => {
    const seen: [string, unknown][] = []
    const there = { client: undefined as unknown }
    const replicas = await pair({
      handler: async ({ method, params, client }) => {
        if (client === there.client) seen.push([method, params.level ?? params.uri])
        return {}
      },
    })
    const session = await replicas.here.open()
    expect(await statusOf(replicas.there.post(CALL, session))).toBe(200)
    there.client = replicas.there.clients[0]
    const said = [
      ['logging/setLevel', { level: 'error' }],
      ['resources/subscribe', { uri: 'a://b' }],
      ['resources/unsubscribe', { uri: 'a://b' }],
    ] as const
    for (const [id, [method, params]] of said.entries())
      expect(await statusOf(replicas.here.post({ id, method, params }, session))).toBe(200)
    await until(() => seen.length === said.length)
    expect(seen.map(([method]) => method)).toEqual(said.map(([method]) => method))
    expect(seen.map(([, what]) => what)).toEqual(['error', 'a://b', 'a://b'])
  })

  test('is asked at one replica and answers at the other', async () => {
    const { here, there } = await pair({
      handler: async ({ ask }) => ({
        said: plain((await ask?.({ method: 'roots/list' })) ?? {}).roots ?? null,
      }),
    })
    const session = await here.open()
    const response = await here.post(CALL, session)
    const events = eventsOf(response)
    let asked: Message | undefined
    for await (const event of events) {
      if (event.data === '') continue
      const message = messageOf(event)
      if (message.method === undefined) {
        expect(message.result).toEqual({ said: ['x'] })
        break
      }
      asked = message
      expect(await statusOf(there.post({ id: message.id, result: { roots: ['x'] } }, session))).toBe(202)
    }
    expect(asked?.method).toBe('roots/list')
  })

  test('cancels at one replica what runs at the other', async () => {
    let cancelled = false
    const { here, there } = await pair({
      handler: ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            cancelled = true
            reject(new Error('cancelled'))
          })
        }),
    })
    const session = await here.open()
    const answer = here.post(CALL, session).then((response) => response.text())
    await until(() => here.clients.length === 1)
    await there.post({ method: 'notifications/cancelled', params: { requestId: 1 } }, session)
    await answer
    expect(cancelled).toBe(true)
  })

  test('hears on its stream at one replica what is said at the other', async () => {
    const { here, there } = await pair()
    const session = await here.open()
    const stream = await here.send('GET', { ...session, accept: 'text/event-stream' })
    expect(await statusOf(there.post(CALL, session))).toBe(200)
    there.clients[0]?.notify({ method: 'notifications/resources/updated', params: { uri: 'a://b' } })
    for await (const event of eventsOf(stream)) {
      if (event.data === '') continue
      expect(messageOf(event).params).toEqual({ uri: 'a://b' })
      break
    }
  })

  test('opens its stream at a replica that does not know its last event', async () => {
    const { here, there } = await pair()
    const session = await here.open()
    const accept = { ...session, accept: 'text/event-stream' }
    const first = eventsOf(await here.send('GET', accept))
    const { value } = await first.next()
    const again = await there.send('GET', { ...accept, 'last-event-id': value?.id ?? '' })
    expect(again.status).toBe(200)
    await again.body?.cancel()
  })

  /** The id of the event with which the stream of this answer begins; then its connection breaks. */
  async function brokenOff(answer: Promise<Response>): Promise<string> {
    const events = eventsOf(await answer)
    const { value } = await events.next()
    await events.return(undefined)
    return value?.id ?? ''
  }

  test('goes on at one replica with an answer that the other makes', async () => {
    let finish: (result: { said: string }) => void = () => {}
    const { here, there } = await pair({
      handler: () =>
        new Promise((resolve) => {
          finish = resolve
        }),
    })
    const session = await here.open()
    const id = await brokenOff(here.post(CALL, session))
    const again = eventsOf(
      await there.send('GET', { ...session, accept: 'text/event-stream', 'last-event-id': id }),
    )
    const next = again.next()
    await until(() => there.clients.length === 1)
    finish({ said: 'late' })
    const { value } = await next
    expect(value && messageOf(value)).toMatchObject({ id: CALL.id, result: { said: 'late' } })
    expect((await again.next()).done).toBe(true)
  })

  /** Says something first, so that its answer comes on a stream. */
  const slowly: Handler = async ({ notify }) => {
    notify({ method: 'notifications/message', params: { level: 'info', data: 'begun' } })
    await new Promise((resolve) => setTimeout(resolve, 100))
    return { said: 'done' }
  }

  test('fetches from one replica what the other had answered before', async () => {
    const { here, there } = await pair({ handler: slowly })
    const session = await here.open()
    const id = await brokenOff(here.post(CALL, session))
    await until(() => here.clients.length === 1)
    await new Promise((resolve) => setTimeout(resolve, 200))
    const again = await there.send('GET', { ...session, accept: 'text/event-stream', 'last-event-id': id })
    const messages = []
    for await (const event of eventsOf(again)) messages.push(messageOf(event))
    expect(messages.at(-1)).toMatchObject({ id: CALL.id, result: { said: 'done' } })
  })

  test('gives the answer of a replica that is gone', async () => {
    const { here, there } = await pair({ handler: slowly })
    const session = await here.open()
    const id = await brokenOff(here.post(CALL, session))
    await new Promise((resolve) => setTimeout(resolve, 200))
    await here.listener.close()
    const again = await there.send('GET', { ...session, accept: 'text/event-stream', 'last-event-id': id })
    const messages = []
    for await (const event of eventsOf(again)) messages.push(messageOf(event))
    expect(messages.at(-1)).toMatchObject({ id: CALL.id, result: { said: 'done' } })
    expect(JSON.stringify(messages)).not.toContain('Send it again')
  })

  test('tells a client that the process which ran its request is gone', async () => {
    const alone = async () => served({ handler: () => new Promise(() => {}), seal: sealWith(KEY) })
    const [before, after] = [await alone(), await alone()]
    const session = await before.open()
    const id = await brokenOff(before.post(CALL, session))
    const again = await after.send('GET', { ...session, accept: 'text/event-stream', 'last-event-id': id })
    const messages = []
    for await (const event of eventsOf(again)) messages.push(messageOf(event))
    expect(messages).toMatchObject([{ id: CALL.id, error: { code: -32_000 } }])
    expect(JSON.stringify(messages)).toContain('Send it again')
  })

  test('says the same where no other replica knows the stream', async () => {
    const { here, there } = await pair()
    const session = await here.open()
    const stream = await here.send('GET', { ...session, accept: 'text/event-stream' })
    const standing = (await eventsOf(stream).next()).value?.id ?? ''
    const asked = Buffer.from(JSON.stringify(['a'])).toString('base64url')
    const id = `${standing.split('.', 1)[0]}.5.0.${asked}`
    const again = await there.send('GET', { ...session, accept: 'text/event-stream', 'last-event-id': id })
    const messages = []
    for await (const event of eventsOf(again)) messages.push(messageOf(event))
    expect(messages).toMatchObject([{ id: 'a', error: { code: -32_000 } }])
  })

  test('asks its client under other numbers at each replica', async () => {
    const { here, there } = await pair({
      handler: async ({ ask }) => (await ask?.({ method: 'ping' })) ?? {},
    })
    const session = await here.open()
    const ids = await Promise.all(
      [here, there].map(async ({ post }, id) => {
        for await (const event of eventsOf(await post({ ...CALL, id }, session)))
          if (event.data !== '') return messageOf(event).id
        return undefined
      }),
    )
    expect(ids[0]).not.toBe(ids[1])
  })
})
