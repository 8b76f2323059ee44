/** What all routes of the router have in common. */
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Exchange, Handler } from '../protocol/exchange.ts'

/** Handlers by method. */
export type Routes = Readonly<Record<string, Handler>>

/** Lists go out as one page, so no cursor was ever handed out and any that comes is invalid (basic/utilities/pagination). */
export function refuseCursor(exchange: Exchange): void {
  const { cursor } = exchange.params
  if (cursor !== undefined && cursor !== null)
    throw new RpcError(RPC.invalidParams, 'Invalid cursor: there is one page only')
}
