/** Calls that a legacy server interrupts with questions, by hand. Servers that are real: see `eras.test.ts`. */
import { expect, test } from 'vitest'
import type { Exchange } from '../../../../src/protocol/exchange.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { createModernClients } from '../../../../src/upstream/bridges/modern-client.ts'
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

test('what no client can be asked by a result is refused, and the call goes on', async () => {
  const { clients } = world()
  const send = async (_: unknown, on: Exchange): Promise<JsonObject> => {
    const refused = await on.ask?.({ method: 'custom/question' }, on.signal).catch((error: unknown) => error)
    return { refused: String(refused) }
  }
  expect(await clients.request(CALL, exchange(client()), send)).toEqual({
    refused: expect.stringContaining('custom/question is not available'),
  })
})
