/** Results of scripts that are too long for an answer: kept for a while, and fetched by their id. */
import { hashInSlices } from '../../engine/hash.ts'
import type { Agent } from '../../protocol/exchange.ts'
import type { Keeper } from '../../store/keeper.ts'
import type { Entry, Handle, Origin } from '../../store/store.ts'

export interface KeptOptions {
  keeper: Keeper
  agent: Agent
  /** Milliseconds for which a result can be fetched. */
  ttl: number
  /** Milliseconds by a clock that nobody sets. */
  now: () => number
}

export interface Kept {
  keep(content: Uint8Array, origin: Origin): Promise<Handle>
  /** Undefined: unknown, expired, or kept by somebody else. */
  get(id: string): Promise<Entry | undefined>
}

export function createKept({ keeper, agent, ttl, now }: KeptOptions): Kept {
  /** The end of each, the next one first. */
  const ends = new Map<Handle, number>()

  function sweep(): void {
    for (const [handle, end] of ends) {
      if (end > now()) return
      ends.delete(handle)
      // It may be another's by now, or gone: then there is nothing to do.
      keeper.remove(agent, handle).catch(() => {})
    }
  }

  return {
    async keep(content, origin) {
      sweep()
      const { handle } = await keeper.keep(agent, { content, hash: await hashInSlices(content), origin, ttl })
      ends.delete(handle)
      ends.set(handle, now() + ttl)
      return handle
    },
    async get(id) {
      sweep()
      return ends.has(id) ? keeper.get(agent, id) : undefined
    },
  }
}
