/** What a client has not read yet, over all its open responses: counted, and bounded for one that does not read. */
import type { Request } from '../../protocol/message.ts'
import type { Outlet } from './outlet.ts'

/**
 * What may happen to a message whose client does not read. `noise` (progress, log messages) goes first, oldest first; a `note`
 * (other notifications) is not taken when there is no room; what is `due` (answers, requests) is never dropped.
 */
export type Rank = 'noise' | 'note' | 'due'

export function rankOf(message: Request): Rank {
  const { method } = message
  if ('id' in message || method === 'notifications/cancelled') return 'due'
  return method === 'notifications/progress' || method === 'notifications/message' ? 'noise' : 'note'
}

export interface BacklogOptions {
  /** Bytes unread above which notifications are dropped and responses that nobody reads are hung up. */
  limit: number
  /** Milliseconds without any byte read after which a response counts as not read. */
  stallMs: number
  now: () => number
  /** Told once, when the first notification is dropped. */
  onDrop?: () => void
}

export const BACKLOG_DEFAULTS = { limit: 16 * 1024 * 1024, stallMs: 10_000 }

/** Above this many times the limit it no longer matters how lately somebody read. */
const FAR_OVER = 16

export class Backlog {
  readonly #options: BacklogOptions
  readonly #outlets = new Set<Outlet>()
  #dropped = 0

  constructor(options: BacklogOptions) {
    this.#options = options
  }

  get now(): () => number {
    return this.#options.now
  }

  /** Bytes handed over and not yet taken by the operating system. */
  get bytes(): number {
    let sum = 0
    for (const outlet of this.#outlets) sum += outlet.unread
    return sum
  }

  /** Notifications dropped so far. */
  get dropped(): number {
    return this.#dropped
  }

  add(outlet: Outlet): void {
    this.#outlets.add(outlet)
  }

  remove(outlet: Outlet): void {
    this.#outlets.delete(outlet)
  }

  /** True when there is room for a message of so many bytes; makes room where it can. */
  admit(bytes: number, rank: Rank): boolean {
    const { limit } = this.#options
    let over = this.bytes + bytes - limit
    if (over <= 0) return true
    for (const outlet of this.#outlets) {
      while (over > 0) {
        const freed = outlet.dropNoise()
        if (freed === 0) break
        over -= freed
        this.#count()
      }
    }
    if (over <= 0) return true
    if (rank === 'due') {
      this.relieve()
      return true
    }
    this.#count()
    return false
  }

  /**
   * Hangs up on responses that are not read, the longest unread first, until the rest is within the limit. The largest is not
   * counted: one answer may be as large as it likes for a client that reads it.
   */
  relieve(): void {
    const { limit, stallMs, now } = this.#options
    const waiting = [...this.#outlets].filter(({ unread }) => unread > 0)
    let largest: Outlet | undefined
    for (const outlet of waiting) if (outlet.unread > (largest?.unread ?? 0)) largest = outlet
    let bytes = this.bytes - (largest?.unread ?? 0)
    for (const outlet of waiting.sort((a, b) => a.lastRead - b.lastRead)) {
      if (bytes <= limit) return
      if (outlet === largest) continue
      if (bytes <= FAR_OVER * limit && now() - outlet.lastRead < stallMs) continue
      bytes -= outlet.unread
      outlet.destroy()
    }
  }

  #count(): void {
    this.#dropped++
    if (this.#dropped === 1) this.#options.onDrop?.()
  }
}
