import { expect, test } from 'vitest'
import { RpcError } from '../../../src/protocol/errors.ts'
import { LIMIT_DEFAULTS, limitsPassed } from '../../../src/protocol/limits.ts'
import { requestFailed } from '../../../src/upstream/errors.ts'

const request = { method: 'tools/call', params: { name: 'read' } }
const limits = { ...LIMIT_DEFAULTS, serverErrorCharacters: 200 }
const failed = (error: RpcError): RpcError =>
  requestFailed('s', request, error, { ended: undefined, limitMs: undefined, limits }) as RpcError

test('an error of a server passes unchanged up to the limit', () => {
  const error = new RpcError(-5, 'x'.repeat(200), { why: 'y'.repeat(180) })
  expect(failed(error)).toBe(error)
})

test('a longer error is cut, says so with its true length, and tells how to raise the limit', () => {
  const before = limitsPassed().get('serverErrorCharacters') ?? 0
  const { code, message, data } = failed(new RpcError(-5, 'x'.repeat(5000), { why: 'short' }))
  expect(code).toBe(-5)
  expect(message).toMatch(
    /^x{200} … \(cut: the message has 5000 characters\); .*`limits.serverErrorCharacters`/,
  )
  expect(data).toEqual({ why: 'short' })
  expect(limitsPassed().get('serverErrorCharacters')).toBe(before + 1)
})

test('longer data is left out, and the message says so', () => {
  const { message, data } = failed(new RpcError(-5, 'why', 'y'.repeat(500)))
  expect(message).toMatch(/^why \(left out: 502 characters of data\); the limit is 200 characters/)
  expect(data).toBeUndefined()
})
