/** The one place where what was thrown becomes what crosses the wire. */
import { messageOf, ProxyError, RPC, RpcError } from '../protocol/errors.ts'
import { PeerClosed, RequestTimeout } from '../protocol/peer.ts'

const CODES: Partial<Record<ProxyError['code'], number>> = {
  UPSTREAM_TIMEOUT: RPC.requestTimeout,
  UPSTREAM_CLOSED: RPC.connectionClosed,
  BAD_PARAMETERS: RPC.invalidParams,
  CANCELLED: RPC.cancelled,
}

/** RPC errors as they are; local ones with their code in `data`. */
export function toRpcError(thrown: unknown): RpcError {
  if (thrown instanceof RpcError) return thrown
  if (thrown instanceof ProxyError) {
    return new RpcError(CODES[thrown.code] ?? RPC.internalError, thrown.text, { code: thrown.code })
  }
  if (thrown instanceof RequestTimeout) return new RpcError(RPC.requestTimeout, thrown.message)
  if (thrown instanceof PeerClosed) return new RpcError(RPC.connectionClosed, thrown.message)
  return new RpcError(RPC.internalError, messageOf(thrown))
}
