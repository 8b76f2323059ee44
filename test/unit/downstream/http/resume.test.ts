import { describe, expect, test } from 'vitest'
import { LargeResult } from '../../../../src/protocol/content.ts'
import { deferred } from '../../../support/deferred.ts'
import { allOf, type Event, eventsOf, messageOf, served, until } from './support.ts'

const CALL = { id: 'call', method: 'tools/call', params: {} }
const STREAM = { accept: 'text/event-stream' }

/** A call under way whose stream the client has lost after its first event. */
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
    body: JSON.stringify({ jsonrpc: '2.0', ...CALL }),
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

describe('a stream whose connection broke', () => {
  test('goes on where it was, with what came meanwhile and what comes then', async () => {
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
    await (await post({ ...CALL, id: 'other' }, session)).text()
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

  test('is resumed by nobody but its own session', async () => {
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
