/** The sessions of an HTTP listener: bounded in number, closed when idle. */
import type { ServerResponse } from 'node:http'
import type { Session } from './session.ts'

export interface SessionsOptions {
  maxSessions: number
  /** Milliseconds without a request or an open stream. */
  sessionIdleMs: number
  now: () => number
}

interface Kept<T> {
  session: Session
  transport: T
  lastUsed: number
  /** Responses not yet finished, streams among them. */
  open: number
}

export interface Sessions<T> {
  add(session: Session, transport: T): void
  /** The session's transport; it counts as used until the response ends. */
  use(id: string, response: ServerResponse): { transport: T } | undefined
  close(): Promise<void>
}

export function createSessions<T>({ maxSessions, sessionIdleMs, now }: SessionsOptions): Sessions<T> {
  const sessions = new Map<string, Kept<T>>()

  const sweep = setInterval(
    () => {
      for (const kept of sessions.values()) {
        if (kept.open === 0 && now() - kept.lastUsed > sessionIdleMs) void kept.session.close()
      }
    },
    Math.min(sessionIdleMs, 60_000),
  ).unref()

  /** The longest idle leaves, so that a client that forgets its sessions cannot lock others out. */
  function makeRoom(): void {
    if (sessions.size < maxSessions) return
    const [oldest] = [...sessions.values()].sort((a, b) => a.open - b.open || a.lastUsed - b.lastUsed)
    if (oldest) void oldest.session.close()
  }

  return {
    add(session, transport) {
      makeRoom()
      sessions.set(session.id, { session, transport, lastUsed: now(), open: 0 })
      void session.ended.then(() => sessions.delete(session.id))
    },
    use(id, response) {
      const kept = sessions.get(id)
      if (!kept) return undefined
      kept.lastUsed = now()
      kept.open++
      response.once('close', () => {
        kept.open--
        kept.lastUsed = now()
      })
      return kept
    },
    async close() {
      clearInterval(sweep)
      await Promise.all([...sessions.values()].map(({ session }) => session.close()))
    },
  }
}
