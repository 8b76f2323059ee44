/** Servers that ask for what no good server would. Good ones: see `eras.test.ts`. */
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import type { Request } from '../../../../src/protocol/message.ts'
import { requestForLegacyClient } from '../../../../src/upstream/bridges/legacy-client.ts'
import { client, exchange } from '../../../support/upstream.ts'

const CALL = { method: 'tools/call', params: { name: 't' } }
const roots = { method: 'roots/list' }

function call(
  inputRequests: JsonObject,
  ask: (request: Request, signal?: AbortSignal) => Promise<JsonObject>,
) {
  const send = async (): Promise<JsonObject> => ({ resultType: 'input_required', inputRequests })
  return requestForLegacyClient(CALL, exchange(client(), { ask }), undefined, send, () => () => {})
}

test('a server that asks for too much at once asks for nothing', async () => {
  const asked: Request[] = []
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, roots]))
  const ask = async (request: Request): Promise<JsonObject> => {
    asked.push(request)
    return {}
  }
  await expect(call(many, ask)).rejects.toMatchObject({ code: -32_603 })
  expect(asked).toEqual([])
})

test('when one question cannot be answered the others are withdrawn', async () => {
  let withdrawn: AbortSignal | undefined
  const ask = (request: Request, signal?: AbortSignal): Promise<JsonObject> => {
    if (request.method === 'sampling/createMessage') return Promise.reject(new Error('no'))
    withdrawn = signal
    return new Promise(() => {})
  }
  const both = { a: { method: 'elicitation/create' }, b: { method: 'sampling/createMessage' } }
  await expect(call(both, ask)).rejects.toThrow('no')
  expect(withdrawn?.aborted).toBe(true)
})
