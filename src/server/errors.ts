/** The one place where what was thrown becomes what crosses the wire. */
import { ERROR_CODES, messageOf, ProxyError, RPC, RpcError } from '../protocol/errors.ts'
import { PeerClosed, RequestTimeout } from '../protocol/peer.ts'

/** RPC errors as they are; local ones with their code in `data`. */
export function toRpcError(thrown: unknown): RpcError {
  if (thrown instanceof RpcError) return thrown
  if (thrown instanceof ProxyError) {
    return new RpcError(ERROR_CODES[thrown.code].rpc, thrown.text, { code: thrown.code })
  }
  if (thrown instanceof RequestTimeout) return new RpcError(RPC.requestTimeout, thrown.message)
  if (thrown instanceof PeerClosed) return new RpcError(RPC.connectionClosed, thrown.message)
  return new RpcError(RPC.internalError, messageOf(thrown))
}
