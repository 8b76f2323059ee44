/** What all routes of the router have in common. */
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Exchange, Handler } from '../protocol/exchange.ts'
import { createBuckets, type Rate } from '../protocol/rate.ts'

/** Handlers by method. */
export type Routes = Readonly<Record<string, Handler>>

/** Lists go out as one page, so no cursor was ever handed out and any that comes is invalid (basic/utilities/pagination). */
export function refuseCursor(exchange: Exchange): void {
  const { cursor } = exchange.params
  if (cursor !== undefined && cursor !== null)
    throw new RpcError(RPC.invalidParams, 'Invalid cursor: there is one page only')
}

// How often tools of a server may be called, by all clients together (seed S1, section 7: a token bucket for
// each server).

/** Takes a call of this server; a text for the model where there is none left. */
export type Quotas = (server: string) => string | undefined

/** @param now milliseconds by a clock that nobody sets */
export function createQuotas(quotas: Readonly<Record<string, Rate>>, now: () => number): Quotas {
  const takes = new Map(Object.entries(quotas).map(([server, rate]) => [server, createBuckets(rate, now)]))
  return (server) => {
    const seconds = takes.get(server)?.(server)
    if (seconds === undefined) return undefined
    return `Server \`${server}\` has had as many calls as it is allowed here. Nothing was called; try again in ${seconds} s.`
  }
}
