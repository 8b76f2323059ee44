/** Clients that do not read, over real sockets. The messages that wait for them are counted in bytes. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { LargeResult } from '../../../../src/protocol/content.ts'
import type { JsonValue } from '../../../../src/protocol/json.ts'
import type { JsonRpcMessage, JsonRpcRequest } from '../../../../src/protocol/message.ts'
import {
  arrayPayload,
  createHeartbeat,
  encode,
  eventPayload,
  type Payload,
  withoutLineBreaks,
} from '../../../../src/server/http/outlet.ts'
import { SessionTransport } from '../../../../src/server/http/session-transport.ts'
import { soundKeys } from '../../../support/keys.ts'
import { holding, until } from './support.ts'

const MEGABYTE = 1_000_000

/** More than the operating system takes for a client that does not read. */
const ANSWER = 16 * MEGABYTE

async function world(bounds: { limit: number; stallMs?: number }) {
  const heartbeat = createHeartbeat()
  const troubles: string[] = []
  const transport = new SessionTransport({ sessionId: 's', heartbeat, now: Date.now, ...bounds })
  transport.onerror = ({ message }) => troubles.push(message)
  const responses: ServerResponse[] = []
  const server = createServer((request, response) => {
    responses.push(response)
    if (request.method === 'GET') return void transport.open({ response, primed: true })
    const id = String(request.headers['x-id'])
    const message: JsonRpcRequest = { jsonrpc: '2.0', id, method: 'tools/call' }
    transport.post([message], false, { response, primed: true })
    request.resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    heartbeat.close()
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const call = async (id: string): Promise<IncomingMessage> =>
    (await holding(url, { 'x-id': id }, {})).response
  const begun = (count: number): Promise<void> => until(() => transport.waiting === count)
  return { transport, troubles, responses, url, call, begun }
}

function large(bytes = ANSWER): LargeResult {
  const text = new Uint8Array(new SharedArrayBuffer(bytes)).fill(0x61)
  text.set(Buffer.from('{"x":"'))
  text.set(Buffer.from('"}'), bytes - 2)
  return new LargeResult(text)
}

/** The length of what comes once the client reads; rejects when it is cut off. */
async function read(response: IncomingMessage): Promise<number> {
  response.socket.resume()
  let bytes = 0
  for await (const chunk of response) bytes += (chunk as Buffer).length
  return bytes
}

test('a session is listened to while its stream is open or a request is under way', async () => {
  const { transport, url, call, begun } = await world({ limit: MEGABYTE })
  expect(transport.isListening).toBe(false)
  const { response } = await holding(url, {})
  expect(transport.isListening).toBe(true)
  response.destroy()
  await until(() => !transport.isListening)
  const answered = call('a')
  await begun(1)
  expect(transport.isListening).toBe(true)
  await transport.send({ jsonrpc: '2.0', id: 'a', result: {} })
  expect(transport.isListening).toBe(false)
  ;(await answered).destroy()
})

test('drops the oldest notifications of a client that never reads, and logs it once', async () => {
  const limit = 256 * 1024
  const { transport, troubles, url } = await world({ limit })
  const { response } = await holding(url, {})
  let most = 0
  for (let n = 0; n < 30_000; n++) {
    const params = { level: 'info', data: String(n).padEnd(1000) }
    void transport.send({ jsonrpc: '2.0', method: 'notifications/message', params })
    most = Math.max(most, transport.unread)
  }
  expect(most).toBeGreaterThan(limit / 2)
  expect(most).toBeLessThanOrEqual(limit)
  expect(troubles).toEqual([expect.stringMatching(/dropped/)])
  // A message that must not be dropped comes through, behind the newest of the others.
  void transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' })
  let text = ''
  response.socket.resume()
  for await (const chunk of response) {
    text += String(chunk)
    if (text.includes('"method":"ping"')) break
  }
  const numbers = [...text.matchAll(/"data":"(\d+)/g)].map(([, n]) => Number(n))
  expect(numbers.at(-1)).toBe(29_999)
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
  expect(numbers.length).toBeLessThan(30_000)
})

test('large answers for a client that never reads are hung up on', async () => {
  const limit = 20 * MEGABYTE
  const { transport, responses, call, begun } = await world({ limit, stallMs: 0 })
  const result = large()
  const ids = Array.from({ length: 12 }, (_, n) => `r${n}`)
  const calls = ids.map((id) => call(id))
  await begun(ids.length)
  let most = 0
  for (const id of ids) {
    void transport.send({ jsonrpc: '2.0', id, result })
    most = Math.max(most, transport.unread)
  }
  // The largest is not counted, and the newest is not yet judged.
  expect(most).toBeLessThanOrEqual(limit + 2 * ANSWER)
  const left = responses.filter(({ destroyed }) => !destroyed)
  expect(left.length).toBeLessThan(ids.length)
  expect(left.length).toBeGreaterThan(0)
  await Promise.allSettled(calls)
})

test('a burst of answers waits for a client that reads', async () => {
  const { transport, call, begun } = await world({ limit: MEGABYTE * 8, stallMs: 60_000 })
  const result = large()
  const ids = ['a', 'b', 'c', 'd']
  const calls = ids.map((id) => call(id))
  await begun(ids.length)
  for (const id of ids) void transport.send({ jsonrpc: '2.0', id, result })
  expect(transport.unread).toBeGreaterThan(8 * MEGABYTE)
  for (const response of await Promise.all(calls)) expect(await read(response)).toBeGreaterThan(ANSWER)
  await until(() => transport.unread === 0)
})

test('an answer larger than the limit reaches a client that reads', async () => {
  const { transport, call, begun } = await world({ limit: 1000, stallMs: 0 })
  const response = call('big')
  await begun(1)
  let sent = false
  const sending = transport.send({ jsonrpc: '2.0', id: 'big', result: large() }).then(() => {
    sent = true
  })
  const received = await response
  expect(sent).toBe(false)
  expect(await read(received)).toBeGreaterThan(ANSWER)
  await sending
  expect(transport.unread).toBe(0)
})

const bytesOf = ({ pieces }: Payload): Buffer =>
  Buffer.concat(pieces.map((piece) => Buffer.from(piece as string)))

function largeText(text: string): LargeResult {
  const bytes = new Uint8Array(new SharedArrayBuffer(Buffer.byteLength(text)))
  bytes.set(Buffer.from(text))
  return new LargeResult(bytes)
}

const result = soundKeys(fc.dictionary(fc.string(), fc.jsonValue()))

describe('payloads', () => {
  test('of an answer that is too deep to be written are an error under its id', () => {
    let deep: JsonValue = []
    for (let level = 0; level < 1e5; level++) deep = [deep]
    const message = JSON.parse(bytesOf(encode({ jsonrpc: '2.0', id: 7, result: { deep } })).toString())
    expect(message).toMatchObject({ id: 7, error: { code: -32_603 } })
    expect(() => encode({ jsonrpc: '2.0', method: 'notifications/x', params: { deep } })).toThrow(RangeError)
  })

  test('equal JSON.stringify, with the length in bytes', () => {
    fc.assert(
      fc.property(result, fc.boolean(), (object, asBytes) => {
        const text = JSON.stringify(object)
        const plain = { jsonrpc: '2.0', id: 'ä"', result: JSON.parse(text) }
        const message = { ...plain, result: asBytes ? largeText(text) : plain.result } as JsonRpcMessage
        const payload = encode(message)
        expect(JSON.parse(bytesOf(payload).toString())).toEqual(plain)
        expect(bytesOf(payload).length).toBe(payload.bytes)
        const pair = arrayPayload([payload, payload])
        expect(JSON.parse(bytesOf(pair).toString())).toEqual([plain, plain])
        expect(bytesOf(pair).length).toBe(pair.bytes)
        const event = eventPayload(payload, 'key.1.2')
        expect(bytesOf(event).length).toBe(event.bytes)
        expect(bytesOf(event).toString()).toBe(
          `event: message\nid: key.1.2\ndata: ${bytesOf(payload).toString()}\n\n`,
        )
      }),
    )
  })

  test('a text that is long counts as many bytes as a short one', () => {
    const message: JsonRpcMessage = { jsonrpc: '2.0', id: 1, result: { text: 'ü'.repeat(50_000) } }
    const payload = encode(message)
    expect(bytesOf(payload).toString()).toBe(JSON.stringify(message))
    expect(payload.bytes).toBe(Buffer.byteLength(JSON.stringify(message)))
  })

  test('white space with line breaks is made white space without, and nothing else changes', () => {
    fc.assert(
      fc.property(result, fc.constantFrom('\n', '\r\n', '\r', '\n\t'), (object, space) => {
        const pretty = Buffer.from(JSON.stringify(object, null, 2).replaceAll('\n', space))
        const before = Buffer.from(pretty)
        const flat = withoutLineBreaks(pretty)
        expect(flat.toString()).not.toMatch(/[\r\n]/)
        expect(flat.length).toBe(pretty.length)
        expect(JSON.parse(flat.toString())).toEqual(JSON.parse(pretty.toString()))
        expect(pretty.equals(before)).toBe(true)
      }),
    )
  })
})
