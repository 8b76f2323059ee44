import { describe, expect, test } from 'vitest'
import { cancelled, ProxyError, RPC, RpcError } from '../../../src/protocol/errors.ts'
import { PeerClosed, RequestTimeout } from '../../../src/protocol/peer.ts'
import { toRpcError } from '../../../src/server/errors.ts'

describe('what was thrown, on the wire', () => {
  test('an error of another side is itself', () => {
    const error = new RpcError(-1, 'theirs', { more: true })
    expect(toRpcError(error)).toBe(error)
  })

  test('a local one has a number by what it is, its next step in the text, and its code as data', () => {
    const error = new ProxyError('QUERY_FAILED', 'No such field.', 'Write name.')
    expect(toRpcError(error).toJSON()).toEqual({
      code: RPC.internalError,
      message: 'No such field.\nWrite name.',
      data: { code: 'QUERY_FAILED' },
    })
  })

  test.each([
    [cancelled(AbortSignal.abort()), RPC.cancelled],
    [new ProxyError('UPSTREAM_TIMEOUT', 'late', ''), RPC.requestTimeout],
    [new ProxyError('UPSTREAM_CLOSED', 'gone', ''), RPC.connectionClosed],
    [new ProxyError('STORE_FAILED', 'full', ''), RPC.internalError],
    [new RequestTimeout('late'), RPC.requestTimeout],
    [new PeerClosed(), RPC.connectionClosed],
    ['thrown', RPC.internalError],
  ])('%s becomes %d', (thrown, code) => {
    expect(toRpcError(thrown).code).toBe(code)
  })
})
