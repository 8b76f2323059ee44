import { describe, expect, test } from 'vitest'
import { RpcError } from '../../../src/protocol/errors.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { isSound, readEnvelope } from '../../../src/server/envelope.ts'
import { envelope } from './support.ts'

const PREFIX = 'io.modelcontextprotocol/'

function refusal(params: JsonObject | undefined): RpcError {
  try {
    readEnvelope(params)
  } catch (error) {
    if (error instanceof RpcError) return error
  }
  throw new Error('it was taken')
}

describe('the envelope of a request', () => {
  test("gives the client's name, version and capabilities", () => {
    const capabilities = { sampling: {} }
    const read = readEnvelope({
      _meta: envelope({
        [`${PREFIX}clientCapabilities`]: capabilities,
        [`${PREFIX}logLevel`]: 'warning',
      }),
    })
    expect(read).toEqual({
      protocolVersion: '2026-07-28',
      info: { name: 'test', version: '1' },
      capabilities,
      logLevel: 'warning',
      via: [],
    })
  })

  test('needs no name', () => {
    const { [`${PREFIX}clientInfo`]: _, ...rest } = envelope()
    expect(readEnvelope({ _meta: rest })).toMatchObject({ info: {}, logLevel: undefined })
  })

  test.each([undefined, {}, { _meta: null }, { _meta: { progressToken: 1 } }] as (JsonObject | undefined)[])(
    '%j is told all that is missing',
    (params) => {
      const { code, message, data } = refusal(params)
      expect(code).toBe(-32602)
      expect(message).toContain(`${PREFIX}protocolVersion`)
      expect(data).toMatchObject({
        envelope: { missing: expect.arrayContaining([`${PREFIX}protocolVersion`]) },
      })
    },
  )

  test.each([
    ['protocolVersion', 20260728, 'expected a string'],
    ['clientCapabilities', [], 'expected an object'],
    ['clientInfo', 'me', 'expected an object'],
    ['logLevel', 'loud', 'expected a log level'],
  ])('a wrong %s is named', (name, value, problem) => {
    const { code, data } = refusal({ _meta: envelope({ [PREFIX + name]: value }) })
    expect(code).toBe(-32602)
    expect(data).toEqual({ envelope: { key: PREFIX + name, problem } })
  })

  test('without capabilities it is not one', () => {
    const { code, data } = refusal({ _meta: { [`${PREFIX}protocolVersion`]: '2026-07-28' } })
    expect(code).toBe(-32602)
    expect(data).toEqual({ envelope: { key: `${PREFIX}clientCapabilities`, problem: 'missing' } })
  })

  test.each(['2099-01-01', '2025-11-25', ''])(
    'revision %j is answered with those spoken here',
    (requested) => {
      const params = { _meta: envelope({ [`${PREFIX}protocolVersion`]: requested }) }
      const { code, data } = refusal(params)
      expect(code).toBe(-32022)
      expect(data).toEqual({ supported: ['2026-07-28'], requested })
      expect(isSound(params)).toBe(false)
    },
  )

  test('ignores members inherited from Object.prototype', () => {
    expect(isSound({ _meta: envelope() })).toBe(true)
    expect(isSound(JSON.parse('{"__proto__":{"_meta":{}}}'))).toBe(false)
  })
})
