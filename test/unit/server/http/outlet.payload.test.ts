import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LargeResult } from '../../../../src/protocol/content.ts'
import type { JsonValue } from '../../../../src/protocol/json.ts'
import type { JsonRpcMessage } from '../../../../src/protocol/message.ts'
import {
  arrayPayload,
  encode,
  eventPayload,
  type Payload,
  withoutLineBreaks,
} from '../../../../src/server/http/outlet.ts'
import { soundKeys } from '../../../support/keys.ts'

const bytesOf = ({ pieces }: Payload): Buffer =>
  Buffer.concat(pieces.map((piece) => Buffer.from(piece as string)))

function large(text: string): LargeResult {
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

  test('say what JSON.stringify says, and how many bytes that is', () => {
    fc.assert(
      fc.property(result, fc.boolean(), (object, asBytes) => {
        const text = JSON.stringify(object)
        const plain = { jsonrpc: '2.0', id: 'ä"', result: JSON.parse(text) }
        const message = { ...plain, result: asBytes ? large(text) : plain.result } as JsonRpcMessage
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
