/** Stands before all other modules where there are, or were, profiles. */
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Module } from './module.ts'

/** Nothing is there for who chose a profile that is none of these any more: without its limits, everything would be. */
export function createProfileGate(names: ReadonlySet<string>): Module {
  const isThere = (profile: string | undefined): boolean => profile === undefined || names.has(profile)
  return {
    wrap: (next) => async (exchange) => {
      const { profile } = exchange.client
      if (isThere(profile)) return next(exchange)
      throw new RpcError(RPC.invalidRequest, `The profile ${profile} is no longer there: connect anew`)
    },
    notify: (next) => (notice) => (isThere(notice.client.profile) ? next(notice) : undefined),
    reaches: (_server, profile) => isThere(profile),
  }
}
