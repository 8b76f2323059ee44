import { describe, expect, test } from 'vitest'
import { LargeResult } from '../../../../src/protocol/content.ts'
import type { Exchange } from '../../../../src/protocol/exchange.ts'
import { LIMIT_DEFAULTS } from '../../../../src/protocol/limits.ts'
import { Overtaken } from '../../../../src/server/http/session-transport.ts'
import { deferred } from '../../../support/deferred.ts'
import { verifies } from '../../../support/verifies.ts'
import { allOf, type Event, eventsOf, type Message, messageOf, served, until } from './support.ts'

const CALL = { id: 1, method: 'tools/call', params: { name: 'x' } }
const JSON_TYPE = { 'content-type': 'application/json' }

describe('requests that are no MCP', () => {
  const ask = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const both = { ...JSON_TYPE, accept: 'application/json, text/event-stream' }
  test.each([
    [406, -32_000, { ...JSON_TYPE, accept: 'application/json' }, JSON.stringify(ask)],
    [415, -32_000, { ...both, 'content-type': 'text/plain; a=application/json' }, JSON.stringify(ask)],
    [415, -32_000, { ...both, 'content-type': 'application/json; a=b, text/plain' }, JSON.stringify(ask)],
    [413, -32_000, both, JSON.stringify({ ...ask, pad: 'x'.repeat(9000) })],
    [400, -32_700, both, '{"jsonrpc":"2.0",'],
    [400, -32_700, both, ''],
    [400, -32_600, both, '42'],
    [400, -32_600, both, 'null'],
    [400, -32_600, both, '[]'],
    [400, -32_600, both, '{}'],
    [400, -32_600, both, '{"jsonrpc":"2.0","id":{},"method":"ping"}'],
    [400, -32_600, both, '{"jsonrpc":"2.0","id":1,"method":5}'],
    [400, -32_600, both, `[${JSON.stringify(ask)},7]`],
    [400, -32_600, both, JSON.stringify(Array.from({ length: 101 }, (_, id) => ({ ...ask, id })))],
    [400, -32_000, both, JSON.stringify(ask)],
    [400, -32_000, both, '{"jsonrpc":"2.0","id":1,"result":{}}'],
    [404, -32_001, { ...both, 'mcp-session-id': 'nobody' }, JSON.stringify(ask)],
    [400, -32_000, { ...both, 'mcp-session-id': 'x', 'mcp-protocol-version': '1' }, JSON.stringify(ask)],
  ])('are refused with %i and %i (%#)', async (status, code, headers, body) => {
    const { send } = await served({ limits: { ...LIMIT_DEFAULTS, requestBytes: 8000 } })
    const response = await send('POST', headers, body)
    expect(response.status).toBe(status)
    expect(((await response.json()) as Message).error?.code).toBe(code)
  })

  test('a parameter of the content type changes nothing', async () => {
    const { post, open } = await served()
    const session = await open()
    const headers = { ...session, 'content-type': 'Application/JSON; charset=utf-8' }
    expect((await post(CALL, headers)).status).toBe(200)
  })

  test('methods that are not served are named', async () => {
    const { send } = await served()
    const put = await send('PUT', {}, '{}')
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, POST, DELETE'])
    expect((await send('GET', { accept: 'text/event-stream' })).status).toBe(400)
    expect((await send('DELETE')).status).toBe(400)
  })

  test('a body that is too long is not kept, however it comes', async () => {
    const { url } = await served({ limits: { ...LIMIT_DEFAULTS, requestBytes: 1000 } })
    const chunks = new ReadableStream({
      start(controller) {
        for (let n = 0; n < 50; n++) controller.enqueue(new Uint8Array(1000))
        controller.close()
      },
    })
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...JSON_TYPE, accept: 'application/json, text/event-stream' },
      body: chunks,
      duplex: 'half',
    } as RequestInit)
    expect(response.status).toBe(413)
  })
})

describe('answers', () => {
  test('that are there at once are one JSON body', async () => {
    const { post, open } = await served({ handler: async () => ({ text: 'grün' }) })
    const response = await post(CALL, await open())
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 1, result: { text: 'grün' } })
  })

  test('that take longer are a stream that can be resumed', async () => {
    const answer = deferred<object>()
    const { post, open } = await served({ handler: () => answer.promise as never })
    const response = await post(CALL, await open())
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    answer.resolve({ late: true })
    const [first, second, ...more] = await allOf(response)
    expect(first).toMatchObject({ data: '', id: expect.any(String), retry: expect.stringMatching(/^\d+$/) })
    expect(messageOf(second)).toEqual({ jsonrpc: '2.0', id: 1, result: { late: true } })
    expect(second?.id).not.toBe(first?.id)
    expect(more).toEqual([])
  })

  test('older clients get no event without data', async () => {
    const { post, open } = await served({
      handler: async ({ notify }) => {
        notify({ method: 'notifications/message', params: { level: 'info', data: 1 } })
        return {}
      },
    })
    const events = await allOf(await post(CALL, await open('2025-03-26')))
    expect(events.map((event) => messageOf(event).method ?? 'answer')).toEqual([
      'notifications/message',
      'answer',
    ])
    expect(events.every(({ id }) => id !== undefined)).toBe(true)
  })

  test('of a batch are one array, or events of one stream', async () => {
    const { post, open } = await served({
      handler: async ({ params, notify }) => {
        if (params.noisy === true) notify({ method: 'notifications/message' })
        return params
      },
    })
    const session = await open('2025-03-26')
    const batch = [
      { id: 'a', method: 'tools/call', params: { n: 1 } },
      { method: 'notifications/nothing' },
      { id: 'b', method: 'ping' },
    ]
    const answers = (await (await post(batch, session)).json()) as Message[]
    expect(answers.map(({ id }) => id).sort()).toEqual(['a', 'b'])
    const noisy = [...batch, { id: 'c', method: 'tools/call', params: { noisy: true } }]
    const events = await allOf(await post(noisy, session))
    expect(events.map((event) => messageOf(event).id ?? messageOf(event).method).sort()).toEqual([
      'a',
      'b',
      'c',
      'notifications/message',
    ])
    expect(((await (await post([batch[0] ?? {}], session)).json()) as Message[]).length).toBe(1)
  })

  test('answers 202 to notifications and responses', async () => {
    const { post, open } = await served()
    const response = await post(
      [{ method: 'notifications/initialized' }, { id: 5, result: {} }],
      await open(),
    )
    expect([response.status, await response.text()]).toEqual([202, ''])
  })

  test('params of the wrong kind are answered under the id of the request', async () => {
    const { post, open } = await served()
    const answer = (await (
      await post({ id: 9, method: 'tools/call', params: [1] }, await open())
    ).json()) as Message
    expect(answer).toMatchObject({ id: 9, error: { code: -32_602 } })
  })

  test('a second request with the id of one under way does not take its answer', async () => {
    const answer = deferred<object>()
    const { post, open } = await served({ handler: () => answer.promise as never })
    const session = await open()
    const first = await post(CALL, session)
    const second = await post(CALL, session)
    expect(second.status).toBe(400)
    expect(((await second.json()) as Message).error?.code).toBe(-32_600)
    answer.resolve({ mine: true })
    expect((await allOf(first)).map((event) => event.data).join()).toContain('"mine":true')
    expect((await post(CALL, session)).status).toBe(200)
  })

  verifies('S2.11', 'a question to the client goes out before the answer that waits for it', async () => {
    const { post, open } = await served({
      handler: async ({ ask }: Exchange) => {
        const reply = await ask?.({ method: 'sampling/createMessage', params: { n: 1 } })
        return { reply } as never
      },
    })
    const session = await open()
    const stream = eventsOf(await post(CALL, session))
    await stream.next()
    const question = messageOf((await stream.next()).value as never)
    expect(question).toMatchObject({ method: 'sampling/createMessage', params: { n: 1 } })
    expect((await post({ id: question.id, result: { said: 'yes' } }, session)).status).toBe(202)
    expect(messageOf((await stream.next()).value as never).result).toEqual({ reply: { said: 'yes' } })
    expect((await stream.next()).done).toBe(true)
  })
})

describe('sessions', () => {
  test('DELETE ends one, and its calls end with an error', async () => {
    const begun = deferred()
    const aborted = deferred()
    const { post, open, send, gone } = await served({
      handler: ({ signal }) => {
        signal.addEventListener('abort', () => aborted.resolve())
        begun.resolve()
        return new Promise(() => {})
      },
    })
    const session = await open()
    const response = post(CALL, session)
    await begun.promise
    expect((await send('DELETE', session)).status).toBe(200)
    await aborted.promise
    expect(await (await response).text()).toContain('"code":-32000')
    expect(gone).toHaveLength(1)
    expect((await post(CALL, session)).status).toBe(404)
    expect((await send('GET', { ...session, accept: 'text/event-stream' })).status).toBe(404)
  })

  test('a handshake in a session is refused, and so is one among other messages', async () => {
    const { post, open, clients } = await served()
    const session = await open()
    const again = { id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } }
    expect((await post(again, session)).status).toBe(400)
    expect((await post([again, CALL])).status).toBe(400)
    expect((await post({ ...again, params: {} }, { 'mcp-session-id': 'gone' })).status).toBe(404)
    expect(clients).toHaveLength(1)
  })

  test('the listener closes while calls are under way: they end with an error', async () => {
    const begun = deferred()
    const { post, open, listener } = await served({
      handler: () => {
        begun.resolve()
        return new Promise(() => {})
      },
    })
    const session = await open()
    const response = post(CALL, session)
    await begun.promise
    await listener.close()
    expect(await (await response).text()).toContain('"code":-32000')
  })

  test('a client that leaves without a word keeps its session', async () => {
    const begun = deferred()
    const { post, open, gone } = await served({
      handler: ({ params }) => {
        if (params.name !== 'x') return Promise.resolve({})
        begun.resolve()
        return new Promise(() => {})
      },
    })
    const session = await open()
    const response = await post(CALL, session)
    await begun.promise
    await response.body?.cancel()
    expect((await post({ ...CALL, id: 2, params: { name: 'y' } }, session)).status).toBe(200)
    expect(gone).toEqual([])
  })

  test('messages that belong to no request wait, in order, for the session stream', async () => {
    const { open, send, clients } = await served()
    const session = await open()
    await until(() => clients.length === 1)
    for (const n of [1, 2]) clients[0]?.notify({ method: 'notifications/n', params: { n } })
    const stream = eventsOf(await send('GET', { ...session, accept: 'text/event-stream' }))
    clients[0]?.notify({ method: 'notifications/n', params: { n: 3 } })
    expect((await stream.next()).value).toMatchObject({ data: '', id: expect.any(String) })
    for (const n of [1, 2, 3]) {
      expect(messageOf((await stream.next()).value as never).params).toEqual({ n })
    }
  })

  test('a second stream of a session is refused while the first is new, and replaces it later', async () => {
    const clock = { time: 1 }
    const { open, send, clients } = await served({ now: () => clock.time })
    const session = { ...(await open()), accept: 'text/event-stream' }
    const first = await send('GET', session)
    expect((await send('GET', session)).status).toBe(409)
    clock.time += 60_000
    const second = await send('GET', session)
    expect(second.status).toBe(200)
    expect((await allOf(first)).map(({ data }) => data)).toEqual([''])
    clients[0]?.notify({ method: 'notifications/n' })
    const events = eventsOf(second)
    await events.next()
    expect(messageOf((await events.next()).value as never).method).toBe('notifications/n')
  })
})

const cancels = (requestId: string | number) => ({
  jsonrpc: '2.0' as const,
  method: 'notifications/cancelled',
  params: { requestId, reason: 'enough' },
})

describe('a cancellation that arrived before its request', () => {
  test('ends the call it means, and no other', async () => {
    const reasons: unknown[] = []
    const { post, open } = await served({
      handler: ({ params, signal }) =>
        new Promise((resolve) => {
          if (params?.name !== 'slow') return resolve({ done: true })
          signal.addEventListener('abort', () => {
            reasons.push(signal.reason)
            resolve({})
          })
        }),
    })
    const session = await open()
    expect((await post(cancels(7), session)).status).toBe(202)
    const other = await post({ id: 8, method: 'tools/call', params: { name: 'quick' } }, session)
    expect(((await other.json()) as { result: unknown }).result).toEqual({ done: true })
    const response = await post({ id: 7, method: 'tools/call', params: { name: 'slow' } }, session)
    const text = await response.text()
    expect(reasons).toEqual(['enough'])
    expect(text).toContain('-32800')
  })

  test('does not affect a request that was already answered', async () => {
    const { post, open } = await served({ handler: async () => ({ done: true }) })
    const session = await open()
    const call = { id: 3, method: 'tools/call', params: { name: 'x' } }
    await (await post(call, session)).text()
    await post(cancels(3), session)
    const again = await post(call, session)
    const [message] = again.headers.get('content-type')?.startsWith('application/json')
      ? [await again.json()]
      : (await allOf(again)).map(messageOf)
    expect(message).toEqual({ jsonrpc: '2.0', id: 3, result: { done: true } })
  })

  test('is kept for some seconds, once, and not without bound', () => {
    let now = 0
    const overtaken = new Overtaken(() => now)
    overtaken.keep('a', cancels('a'))
    overtaken.keep('b', cancels('b'))
    expect(overtaken.claim('a')).toEqual(cancels('a'))
    expect(overtaken.claim('a')).toBeUndefined()
    now = 10_001
    expect(overtaken.claim('b')).toBeUndefined()
    for (let id = 0; id < 300; id++) overtaken.keep(id, cancels(id))
    expect(overtaken.claim(0)).toBeUndefined()
    expect(overtaken.claim(299)).toEqual(cancels(299))
  })

  test('for an answered request is recognised by its id, in bounded memory', () => {
    const overtaken = new Overtaken(() => 0)
    for (let id = 0; id < 300; id++) overtaken.answered(id)
    for (const id of [0, 299]) overtaken.keep(id, cancels(id))
    expect(overtaken.claim(299)).toBeUndefined()
    expect(overtaken.claim(0)).toEqual(cancels(0))
  })
})

const LOST = { id: 'call', method: 'tools/call', params: {} }
const STREAM = { accept: 'text/event-stream' }

/** A call under way with a stream that the client lost after its first event. */
async function lost(version = '2025-11-25') {
  const answer = deferred<object>()
  let notify: (n: number) => void = () => {}
  const world = await served({
    handler: (exchange) => {
      notify = (n) => exchange.notify({ method: 'notifications/n', params: { n } })
      return answer.promise as never
    },
  })
  const session = await world.open(version)
  const controller = new AbortController()
  const response = await fetch(world.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...session,
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...LOST }),
    signal: controller.signal,
  })
  const first = (await eventsOf(response).next()).value as Event
  controller.abort()
  const resume = (id = first.id ?? ''): Promise<Response> =>
    world.send('GET', { ...session, ...STREAM, 'last-event-id': id })
  return { ...world, session, answer, notify: (n: number) => notify(n), resume }
}

const numbers = (events: Event[]): unknown[] =>
  events.map((event) => messageOf(event).params?.n ?? messageOf(event).result ?? messageOf(event).error?.code)

describe('resuming a broken stream', () => {
  test('continues with missed events, then with new ones', async () => {
    const { notify, answer, resume } = await lost()
    notify(1)
    notify(2)
    const stream = eventsOf(await resume())
    expect(messageOf((await stream.next()).value as never).params).toEqual({ n: 1 })
    notify(3)
    answer.resolve({ done: true })
    const rest: Event[] = []
    for await (const event of stream) rest.push(event)
    expect(numbers(rest)).toEqual([2, 3, { done: true }])
  })

  test('is kept until its answer was fetched, from any place in it', async () => {
    const { notify, answer, resume, post, session } = await lost()
    notify(1)
    notify(2)
    answer.resolve({ done: true })
    // Another call's stream does not get into it.
    await (await post({ ...LOST, id: 'other' }, session)).text()
    const all = await allOf(await resume())
    expect(numbers(all)).toEqual([1, 2, { done: true }])
    expect(numbers(await allOf(await resume(all[0]?.id)))).toEqual([2, { done: true }])
    expect(numbers(await allOf(await resume(all[2]?.id)))).toEqual([])
  })

  test('ends with an error when its answer was too large to be kept', async () => {
    const { answer, resume } = await lost()
    const bytes = new Uint8Array(new SharedArrayBuffer(3 * 1024 * 1024)).fill(0x20)
    bytes.set(Buffer.from('{"x":'))
    bytes.set(Buffer.from('1}'), bytes.length - 2)
    answer.resolve(new LargeResult(bytes))
    const [event] = await allOf(await resume())
    expect(messageOf(event)).toMatchObject({
      id: 'call',
      error: { code: -32_000, message: expect.stringMatching(/send the request again/) },
    })
  })

  test('is taken over from the connection before, which ends', async () => {
    const { answer, resume } = await lost()
    const before = await resume()
    const after = await resume()
    expect(await allOf(before)).toEqual([])
    answer.resolve({ done: true })
    expect(numbers(await allOf(after))).toEqual([{ done: true }])
  })

  test('cannot be resumed by another session', async () => {
    const { resume, open, send, session, answer, notify } = await lost()
    notify(1)
    answer.resolve({})
    const [event] = await allOf(await resume())
    const other = await open()
    for (const id of [event?.id ?? '', 'x', '__proto__', `${event?.id}0`, '.0.0']) {
      const response = await send('GET', { ...other, ...STREAM, 'last-event-id': id })
      expect([id, response.status]).toEqual([id, 400])
    }
    expect((await send('GET', { ...session, ...STREAM, 'last-event-id': 'x' })).status).toBe(400)
  })
})

test('the stream of a session goes on after the last event that was seen', async () => {
  const { open, send, clients } = await served()
  const session = { ...(await open()), ...STREAM }
  await until(() => clients.length === 1)
  const say = (n: number): void => clients[0]?.notify({ method: 'notifications/n', params: { n } })
  const first = eventsOf(await send('GET', session))
  say(1)
  say(2)
  await first.next()
  const seen = (await first.next()).value as Event
  expect(messageOf(seen).params).toEqual({ n: 1 })
  const second = eventsOf(await send('GET', { ...session, 'last-event-id': seen.id ?? '' }))
  say(3)
  const events: Event[] = []
  for await (const event of second) {
    if (event.data !== '') events.push(event)
    if (events.length === 2) break
  }
  expect(numbers(events)).toEqual([2, 3])
})

test('a client is told to come again while others fill the limit', async () => {
  const { url } = await served({ limits: { ...LIMIT_DEFAULTS, bodyBytes: 5000 } })
  const headers = { ...JSON_TYPE, accept: 'application/json, text/event-stream' }
  let finish = (): void => {}
  const half = new ReadableStream({
    start(controller) {
      controller.enqueue(new Uint8Array(4000))
      finish = () => controller.close()
    },
  })
  const waiting = fetch(url, { method: 'POST', headers, body: half, duplex: 'half' } as RequestInit)
  const send = (): Promise<Response> => fetch(url, { method: 'POST', headers, body: ' '.repeat(3000) })
  await expect.poll(async () => (await send()).status).toBe(503)
  const refused = await send()
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(await refused.text()).toContain('`limits.bodyBytes`')
  finish()
  expect((await waiting).status).toBe(400)
  await expect.poll(async () => (await send()).status).toBe(400)
})
