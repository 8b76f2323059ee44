/** The sessions of an HTTP listener: bounded in number, closed when idle. */

import type { ServerResponse } from 'node:http'
import type { Session } from './legacy.ts'

export interface SessionsOptions {
  maxSessions: number
  /** Those of one client at most. Default: as many as there may be. */
  maxPerClient?: number
  /** Milliseconds without a request or an open stream. */
  sessionIdleMs: number
  now: () => number
}

export interface Kept<T> {
  session: Session
  transport: T
  /** The principal that opened it; undefined when clients need not authenticate. */
  owner: string | undefined
  /** The client that opened it, also without authentication. */
  client: string
  lastUsed: number
  /** HTTP requests so far. */
  uses: number
  /** Responses not yet finished, streams among them. */
  open: number
  /** Of those the ones that answer requests. */
  answering: number
}

/** A session that was just opened, and what it runs on. */
export interface Opened<T> {
  session: Session
  transport: T
}

/** An HTTP request in a session. */
export interface Use {
  response: ServerResponse
  /** The principal that makes it. */
  owner?: string | undefined
  /** The response answers a request; else it is a stream, or says that something has arrived. */
  answers?: boolean
}

export interface Sessions<T> {
  /**
   * Keeps what `begin` opens, used as by `use` from the first moment on; it has its place while it is opened, too. Undefined
   * while every session is in use, and nothing is begun: who comes now has to come again.
   */
  open(begin: () => Promise<Opened<T>>, use: Use): Promise<Kept<T> | undefined>
  /** Undefined for anybody but its owner, and where `fits` is false. The session counts as used until the response ends. */
  use(id: string, use: Use, fits?: (transport: T) => boolean): Kept<T> | undefined
  /** For any caller; it does not count as used. */
  peek(id: string): Kept<T> | undefined
  close(): Promise<void>
}

/** Requests that a handshake takes, and the stream for what the server says unasked. */
const HANDSHAKE = 3

/** Milliseconds after which a session without an open stream may go when there is no room. */
const RESTING_MS = 60_000

/** `isGone`: where the session runs is no longer there, and no client can come back to it. */
export function createSessions<T>(
  { maxSessions, maxPerClient = maxSessions, sessionIdleMs, now }: SessionsOptions,
  isGone: (transport: T) => boolean = () => false,
): Sessions<T> {
  const sessions = new Map<string, Kept<T>>()
  /** Ends of sessions that were sent away; these can no longer be found. */
  const leaving = new Set<Promise<void>>()
  let opening = 0
  /** By client. */
  const openingFor = new Map<string, number>()
  const held = new Map<string, number>()

  function remove(id: string): void {
    const kept = sessions.get(id)
    if (!sessions.delete(id) || kept === undefined) return
    count(held, kept.client, -1)
  }

  const sweep = setInterval(
    () => {
      for (const kept of sessions.values()) {
        const isIdle = kept.open === 0 && now() - kept.lastUsed > sessionIdleMs
        if (isIdle || isGone(kept.transport)) sendAway(kept)
      }
    },
    Math.min(sessionIdleMs, 60_000),
  ).unref()

  /** Ending takes a while, in which the session is neither found, nor counted, nor chosen to leave once more. */
  function sendAway({ session }: Kept<T>): void {
    remove(session.id)
    const end = session.close().finally(() => leaving.delete(end))
    leaving.add(end)
  }

  /**
   * The session that leaves for a new one. It is the longest idle one without a stream, which its client has probably left. Otherwise it
   * is the first that never got past its handshake, so that a flood of handshakes pushes out itself. None that is at work.
   */
  function victim(all: readonly Kept<T>[]): Kept<T> | undefined {
    const [left] = all
      .filter(({ open, lastUsed }) => open === 0 && now() - lastUsed > RESTING_MS)
      .sort((a, b) => a.lastUsed - b.lastUsed)
    return left ?? all.find(({ uses, answering }) => uses <= HANDSHAKE && answering === 0)
  }

  function use(
    id: string,
    { response, owner, answers = false }: Use,
    fits: (transport: T) => boolean = () => true,
  ): Kept<T> | undefined {
    const kept = sessions.get(id)
    if (!kept || kept.owner !== owner || !fits(kept.transport)) return undefined
    kept.lastUsed = now()
    kept.uses++
    // The requester may be gone already: then no event tells the end of that response.
    if (response.closed) return kept
    kept.open++
    if (answers) kept.answering++
    response.once('close', () => {
      kept.open--
      if (answers) kept.answering--
      kept.lastUsed = now()
    })
    return kept
  }

  return {
    async open(begin, first) {
      const client = clientOf(first)
      const theirs = openingFor.get(client) ?? 0
      const own = (held.get(client) ?? 0) + theirs >= maxPerClient
      if (own || sessions.size + opening >= maxSessions) {
        const all = [...sessions.values()]
        const gone = victim(own ? all.filter((kept) => kept.client === client) : all)
        if (!gone) return undefined
        sendAway(gone)
      }
      opening++
      count(openingFor, client, 1)
      try {
        const opened = await begin()
        const { id, ended } = opened.session
        const { owner } = first
        sessions.set(id, { ...opened, owner, client, lastUsed: now(), uses: 0, open: 0, answering: 0 })
        count(held, client, 1)
        void ended.then(() => remove(id))
        return use(id, first)
      } finally {
        opening--
        count(openingFor, client, -1)
      }
    },
    use,
    peek: (id) => sessions.get(id),
    async close() {
      clearInterval(sweep)
      await Promise.all([...leaving, ...[...sessions.values()].map(({ session }) => session.close())])
    },
  }
}

/** The principal, else the address that it comes from. */
function clientOf({ owner, response }: Use): string {
  return owner === undefined ? `address ${response.req?.socket?.remoteAddress ?? ''}` : `principal ${owner}`
}

function count(counts: Map<string, number>, key: string, change: number): void {
  const now = (counts.get(key) ?? 0) + change
  if (now === 0) counts.delete(key)
  else counts.set(key, now)
}
