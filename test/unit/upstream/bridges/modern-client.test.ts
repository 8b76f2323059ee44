/** Calls that a legacy server interrupts with questions, by hand. Servers that are real: see `eras.test.ts`. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Exchange } from '../../../../src/protocol/exchange.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import type { Notification } from '../../../../src/protocol/message.ts'
import { createModernClients, createStateSigner } from '../../../../src/upstream/bridges/modern-client.ts'
import { deferred } from '../../../support/deferred.ts'
import { client, exchange } from '../../../support/upstream.ts'

const CALL = { method: 'tools/call', params: { name: 't' } }

function world() {
  const alarms: { ms: number; run: () => void }[] = []
  const clients = createModernClients(
    () => 0,
    (ms, run) => {
      const alarm = { ms, run }
      alarms.push(alarm)
      return () => void alarms.splice(alarms.indexOf(alarm), alarms.includes(alarm) ? 1 : 0)
    },
  )
  /** Lets the timers run of this length, at most. */
  const pass = (ms: number): void => {
    for (const alarm of alarms.filter((one) => one.ms <= ms)) {
      alarms.splice(alarms.indexOf(alarm), 1)
      alarm.run()
    }
  }
  return { clients, alarms, pass }
}

test('a call that goes on after an answer is not given up, however long it takes', async () => {
  const { clients, alarms, pass } = world()
  const me = client()
  const goOn = deferred<void>()
  const send = async (_: unknown, on: Exchange): Promise<JsonObject> => {
    await on.ask?.({ method: 'elicitation/create', params: {} }, on.signal)
    await goOn.promise
    return { done: true, givenUp: on.signal.aborted }
  }
  const first = clients.request(CALL, exchange(me), send)
  pass(10)
  const { requestState = '', inputRequests = {} } = (await first) as JsonObject
  expect(alarms).toHaveLength(1)
  const inputResponses = { [Object.keys(inputRequests as JsonObject)[0] ?? '']: { action: 'accept' } }
  const params = { ...CALL.params, requestState, inputResponses }
  const second = clients.request({ ...CALL, params }, exchange(me), send)
  pass(1e9)
  goOn.resolve()
  expect(await second).toEqual({ done: true, givenUp: false })
  expect(alarms).toEqual([])
})

test('refuses a server request that has no modern form, and the call goes on', async () => {
  const { clients } = world()
  const send = async (_: unknown, on: Exchange): Promise<JsonObject> => {
    const refused = await on.ask?.({ method: 'custom/question' }, on.signal).catch((error: unknown) => error)
    return { refused: String(refused) }
  }
  expect(await clients.request(CALL, exchange(client()), send)).toEqual({
    refused: expect.stringContaining('custom/question is not available'),
  })
})

/** The request of a client that goes on, with an answer to each question and a token of this round. */
function nextRound({ requestState = '', inputRequests = {} }: JsonObject, progressToken: string) {
  const answers = Object.keys(inputRequests as JsonObject).map((key) => [key, { action: 'accept' }])
  const inputResponses = Object.fromEntries(answers) as JsonObject
  return { ...CALL, params: { ...CALL.params, requestState, inputResponses, _meta: { progressToken } } }
}

function logged(data: string): Notification {
  return { method: 'notifications/message', params: { level: 'info', data } }
}

function progressed(progress: number, progressToken = 'server'): Notification {
  return { method: 'notifications/progress', params: { progressToken, progress } }
}

/** A call that is parked with its first question, in which the server can still say something. */
async function parked() {
  const { clients, pass } = world()
  const me = client()
  let tell: (notification: Notification) => void = () => {}
  const send = async (_: unknown, on: Exchange): Promise<JsonObject> => {
    tell = on.notify
    await on.ask?.({ method: 'elicitation/create', params: {} }, on.signal)
    return { done: true }
  }
  const first = exchange(me, { params: { _meta: { progressToken: 'first' } } })
  const asking = clients.request(CALL, first, send)
  tell(progressed(1))
  tell(logged('begun'))
  pass(10)
  const asked = (await asking) as JsonObject
  expect(first.notified).toEqual([progressed(1, 'first'), logged('begun')])
  const goOn = async () => {
    const request = nextRound(asked, 'second')
    const second = exchange(me, { params: request.params })
    expect(await clients.request(request, second, send)).toEqual({ done: true })
    expect(first.notified).toHaveLength(2)
    return second.notified
  }
  return { tell: (notification: Notification) => tell(notification), goOn }
}

test('delivers messages of a parked call in the next round, in order, progress once', async () => {
  const { tell, goOn } = await parked()
  for (const one of [logged('a'), progressed(2), logged('b'), progressed(3), logged('c')]) tell(one)
  expect(await goOn()).toEqual([logged('a'), logged('b'), progressed(3, 'second'), logged('c')])
})

test('of more than can be kept the latest reaches the next round, with a note that some are missing', async () => {
  const { tell, goOn } = await parked()
  for (let n = 0; n < 130; n++) tell(logged(`${n}`))
  const [gap, ...rest] = await goOn()
  expect(gap?.params).toMatchObject({ level: 'warning', data: expect.stringMatching(/^30 notifications /) })
  expect(rest).toEqual(Array.from({ length: 100 }, (_, n) => logged(`${n + 30}`)))
})

test('large ones are not kept beyond their bound', async () => {
  const { tell, goOn } = await parked()
  tell(logged('x'.repeat(40_000)))
  tell(logged('y'.repeat(40_000)))
  tell(logged('z'.repeat(100_000)))
  tell(logged('last'))
  const [gap, ...rest] = await goOn()
  expect(gap?.params).toMatchObject({ data: expect.stringMatching(/^2 notifications /) })
  expect(rest).toEqual([logged('y'.repeat(40_000)), logged('last')])
})

const OWNER = { client: 'c', subject: 's' }

test('accepts its own state from the same client until it expires', () => {
  let now = 1000
  const signer = createStateSigner(() => now)
  fc.assert(
    fc.property(fc.uuid(), fc.string(), fc.string(), (id, client, subject) => {
      now = 1000
      const state = signer.sign(id, 2000, { client, subject })
      expect(signer.verify(state, { client, subject })).toBe(id)
      expect(signer.verify(state, { client: `${client}x`, subject })).toBeUndefined()
      expect(signer.verify(state, { client, subject: `${subject}x` })).toBeUndefined()
      now = 2000
      expect(signer.verify(state, { client, subject })).toBeUndefined()
    }),
  )
})

test('no other text is taken for a state', () => {
  const signer = createStateSigner(() => 0)
  const state = signer.sign('id', 1, OWNER)
  fc.assert(
    fc.property(fc.nat(state.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, other) => {
      fc.pre(state[at] !== other)
      const changed = state.slice(0, at) + other + state.slice(at + 1)
      // The last character of base64 may hold bits that mean nothing; the signature is then the same.
      const same = Buffer.from(changed.split('.')[3] ?? '', 'base64url').equals(
        Buffer.from(state.split('.')[3] ?? '', 'base64url'),
      )
      fc.pre(!(same && changed.split('.').slice(0, 3).join('.') === state.split('.').slice(0, 3).join('.')))
      expect(signer.verify(changed, OWNER)).toBeUndefined()
    }),
  )
  fc.assert(
    fc.property(fc.string({ maxLength: 2000 }), (text) => {
      expect(signer.verify(text, OWNER)).toBeUndefined()
    }),
  )
})

test('refuses a state of an earlier process', () => {
  const state = createStateSigner(() => 0).sign('id', 1, OWNER)
  expect(createStateSigner(() => 0).verify(state, OWNER)).toBeUndefined()
})
