import type { Outlet } from './outlet.ts'

/** Milliseconds between two comments on an open stream: below the half minute after which many proxies hang up. */
const BEAT_MS = 25_000

/** One timer for all open streams. */
export interface Heartbeat {
  add(outlet: Outlet): void
  remove(outlet: Outlet): void
  close(): void
}

export function createHeartbeat(beatMs = BEAT_MS): Heartbeat {
  const outlets = new Set<Outlet>()
  const timer = setInterval(() => {
    for (const outlet of outlets) outlet.beat()
  }, beatMs).unref()
  return {
    add: (outlet) => void outlets.add(outlet),
    remove: (outlet) => void outlets.delete(outlet),
    close: () => clearInterval(timer),
  }
}
