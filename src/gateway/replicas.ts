/** The common state of replicas of this proxy beside kept results: session ids, and what each must know of a session at another. */
import { randomUUID } from 'node:crypto'
import type { Config } from '../config/schema.ts'
import type { Logger } from '../observe/log.ts'
import { messageOf, ProxyError } from '../protocol/errors.ts'
import type { Request } from '../protocol/message.ts'
import { localBuckets, type OpenBuckets } from '../protocol/rate.ts'
import type { OpenSharedMap } from '../protocol/shared-map.ts'
import type { Replicas, Told, ToldEvent } from '../server/replicas.ts'
import type { SessionSeal } from '../server/sealed.ts'
import type { SharedValues } from '../store/valkey/values.ts'
import { sometimes } from './result-store.ts'

/** Undefined without a key. */
export async function openSeal(
  { sessions: { key, maxAgeSeconds } }: Config['settings'],
  now: () => number,
): Promise<SessionSeal | undefined> {
  if (key === undefined) return undefined
  const { createSessionSeal } = await import('../server/sealed.ts')
  return createSessionSeal({ keys: [key].flat(), lifeMs: maxAgeSeconds * 1000, now })
}

/** Buckets that replicas share. While the store is away, or refuses, each counts by itself. */
export function openBuckets(
  shared: SharedValues | undefined,
  logger: Logger,
  now: () => number,
  elapsed: () => number,
): OpenBuckets {
  const local = localBuckets(elapsed)
  if (shared === undefined) return local
  const failed = sometimes(now, (reason) => logger.warn({ reason }, 'quotas count at this replica alone'))
  return (name, rate) => {
    const alone = local(name, rate)
    return async (key) => {
      try {
        return await shared.take('bucket', `${name} ${key}`, rate)
      } catch (error) {
        failed(messageOf(error))
        return alone(key)
      }
    }
  }
}

/** Maps that replicas share. Undefined without a key for sessions, which seals what lies in them, or without a shared store. */
export async function openMaps(
  { sessions: { key } }: Config['settings'],
  shared: SharedValues | undefined,
  logger: Logger,
): Promise<OpenSharedMap | undefined> {
  if (key === undefined || shared === undefined) return undefined
  const { createSharedMaps } = await import('../store/valkey/maps.ts')
  return createSharedMaps({
    values: shared,
    keys: [key].flat(),
    failed: ({ text }) => logger.warn({ reason: text }, 'this replica does not hear all that others change'),
  })
}

const SESSION = 'session'
const STREAM = 'stream'
/** Events of one stream, and milliseconds after its last one. */
const STREAM_BOUNDS = { most: 100, lifeMs: 5 * 60_000 }
/** Characters of events that wait for the store. More of them are kept by their replica alone. */
const MOST_WAITING = 16 * 1024 * 1024
const BEGUN = 'begun'
/** Milliseconds for which a request is remembered: while it runs at most, as long as a balancer waits, and after its answer. */
const RUNNING_MS = 65 * 60_000
const ANSWERED_MS = 60_000
const CHANNEL = 'sessions'
const ENDED = 'ended'

/** Undefined without a key for sessions, or without a shared store. A refusal of the store is told in the log. */
export async function openReplicas(
  { sessions: { key, maxAgeSeconds } }: Config['settings'],
  shared: SharedValues | undefined,
  logger: Logger,
  now: () => number,
): Promise<Replicas | undefined> {
  if (key === undefined || shared === undefined) return undefined
  const { Unreachable } = await import('../store/valkey/connection.ts')
  const values = shared
  const self = randomUUID()
  const lifeMs = maxAgeSeconds * 1000
  const refused = sometimes(now, (reason) =>
    logger.warn({ reason }, 'replicas do not know all of the sessions at the others'),
  )
  /** That the store is away is told once, for all that lies there. */
  const failed = (error: unknown): void => {
    if (error instanceof Unreachable) return
    refused(error instanceof ProxyError ? error.text : messageOf(error))
  }
  let telling = Promise.resolve()
  let waiting = 0

  /** In the order in which it was said. */
  function tell(session: string, told: Told): Promise<void> {
    telling = telling.then(() => values.tell(CHANNEL, [self, session, told])).catch(failed)
    return telling
  }

  return {
    async recall(session) {
      try {
        const found = await values.values(SESSION, session)
        return found.includes(ENDED) ? ENDED : found.map((value) => JSON.parse(value) as Request)
      } catch (error) {
        failed(error)
        return []
      }
    },
    async note(session, request) {
      const { method, params } = request
      const field = method === 'logging/setLevel' ? 'level' : `uri ${String(params?.uri)}`
      const value = method === 'resources/unsubscribe' ? undefined : JSON.stringify(request)
      await values.put(SESSION, session, field, value, lifeMs).catch(failed)
      await tell(session, { to: 'session', request })
    },
    async begin(request) {
      try {
        const letGo = await values.hold(BEGUN, request, RUNNING_MS)
        return letGo && (() => void letGo(ANSWERED_MS))
      } catch (error) {
        failed(error)
        return () => {}
      }
    },
    async end(session) {
      await values
        .forget(SESSION, session)
        .then(() => values.put(SESSION, session, ENDED, ENDED, lifeMs))
        .catch(failed)
      await tell(session, { to: 'end' })
    },
    tell: (session, told) => void tell(session, told),
    streams(session) {
      // In the order of the session: one event after the other.
      let keeping = Promise.resolve()
      return {
        keep(stream, event) {
          const { length } = event.text
          if (waiting + length > MOST_WAITING) return
          waiting += length
          keeping = keeping
            .then(() => values.append(STREAM, `${session} ${stream}`, JSON.stringify(event), STREAM_BOUNDS))
            .catch(failed)
            .finally(() => {
              waiting -= length
            })
        },
        async kept(stream) {
          try {
            const found = await values.appended(STREAM, `${session} ${stream}`)
            return found.map((event) => JSON.parse(event) as ToldEvent)
          } catch (error) {
            failed(error)
            return []
          }
        },
      }
    },
    listen(heard) {
      const hear = async ([from, session, told]: unknown[]): Promise<void> => {
        if (from === self || typeof session !== 'string' || typeof told !== 'object' || told === null) return
        await heard(session, told as Told)
      }
      values.listen(CHANNEL, (word) => void hear(word).catch(failed), failed)
    },
  }
}
