/** The sessions of an HTTP listener: bounded in number, closed when idle. */
import type { ServerResponse } from 'node:http'
import type { Session } from './session.ts'

export interface SessionsOptions {
  maxSessions: number
  /** Milliseconds without a request or an open stream. */
  sessionIdleMs: number
  now: () => number
}

export interface Kept<T> {
  session: Session
  transport: T
  /** The principal that opened it; undefined when nobody has to authenticate. */
  owner: string | undefined
  lastUsed: number
  /** HTTP requests so far. */
  uses: number
  /** Responses not yet finished, streams among them. */
  open: number
}

export interface Sessions<T> {
  /** False while every session is in use: who comes now has to come again. */
  hasRoom(): boolean
  add(session: Session, transport: T, owner?: string): void
  /** Undefined for anybody but its owner. The session counts as used until the response ends. */
  use(id: string, response: ServerResponse, owner?: string): Kept<T> | undefined
  close(): Promise<void>
}

/** Requests that a handshake takes, and the stream for what the server says unasked. */
const HANDSHAKE = 3

/** Milliseconds after which a session without an open stream may go when there is no room. */
const RESTING_MS = 60_000

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

  /**
   * Who leaves for a new session: the first that never got past its handshake, so that a flood of handshakes pushes out
   * itself; else the longest idle. Nobody who is at work.
   */
  function victim(): Kept<T> | undefined {
    const all = [...sessions.values()]
    const newcomer = all.find(({ uses }) => uses <= HANDSHAKE)
    if (newcomer) return newcomer
    return all
      .filter(({ open, lastUsed }) => open === 0 && now() - lastUsed > RESTING_MS)
      .sort((a, b) => a.lastUsed - b.lastUsed)[0]
  }

  return {
    hasRoom: () => sessions.size < maxSessions || victim() !== undefined,
    add(session, transport, owner) {
      const leaving = sessions.size < maxSessions ? undefined : victim()
      if (leaving) void leaving.session.close()
      sessions.set(session.id, { session, transport, owner, lastUsed: now(), uses: 0, open: 0 })
      void session.ended.then(() => sessions.delete(session.id))
    },
    use(id, response, owner) {
      const kept = sessions.get(id)
      if (!kept || kept.owner !== owner) return undefined
      kept.lastUsed = now()
      kept.uses++
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
