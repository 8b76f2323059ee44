import { describe, expect, test } from 'vitest'
import { cancelled, ProxyError, RPC, RpcError } from '../../../src/protocol/errors.ts'
import { PeerClosed, RequestTimeout } from '../../../src/protocol/peer.ts'
import { toRpcError } from '../../../src/server/errors.ts'

describe('a thrown error becomes a JSON-RPC error', () => {
  test('passes an RpcError on unchanged', () => {
    const error = new RpcError(-1, 'theirs', { more: true })
    expect(toRpcError(error)).toBe(error)
  })

  test('maps a ProxyError to a JSON-RPC code, with the remedy in the message and its code in data', () => {
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
