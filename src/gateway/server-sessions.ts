/** Which sessions the clients of all replicas have at HTTP servers: sealed in the store, under the session of the client. */
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import type { Config } from '../config/schema.ts'
import type { Logger } from '../observe/log.ts'
import { messageOf, ProxyError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { SharedValues } from '../store/valkey/values.ts'
import type { FoundSession, ServerSession, SharedSessions } from '../upstream/shared-session.ts'
import { sometimes } from './result-store.ts'

const KIND = 'server-session'
/** Milliseconds for which a replica waits for another one that begins a session: it may have ended meanwhile. */
const BEGINNING_MS = 5_000
const RETRY_MS = 50
/** Of one, as JSON. A server that says more of itself has a session at each replica. */
const MOST_CHARACTERS = 64 * 1024

const sessionSchema = z.object({
  id: z.string().min(1),
  initialize: z.looseObject({ protocolVersion: z.string() }),
})

/** Undefined without a key for sessions, or without a shared store. */
export async function openServerSessions(
  { sessions: { key, maxAgeSeconds } }: Config['settings'],
  shared: SharedValues | undefined,
  logger: Logger,
  now: () => number,
): Promise<SharedSessions | undefined> {
  if (key === undefined || shared === undefined) return undefined
  const values = shared
  const { createTextSeal } = await import('../store/valkey/maps.ts')
  const { Unreachable } = await import('../store/valkey/connection.ts')
  const seal = createTextSeal([key].flat())
  const failed = sometimes(now, (reason) =>
    logger.warn({ reason }, 'a session at a server is of this replica alone'),
  )
  /** That the store is away is told once, for all that lies there. */
  const refused = (error: unknown): void => {
    if (!(error instanceof Unreachable)) failed(error instanceof ProxyError ? error.text : messageOf(error))
  }

  async function known(client: string, server: string): Promise<ServerSession | undefined> {
    const closed = await values.get(KIND, client, server)
    const text = closed && (await seal.open(closed, `${client} ${server}`))
    if (!text) return undefined
    const { id, initialize } = sessionSchema.parse(JSON.parse(text))
    return { id, initialize: initialize as JsonObject }
  }

  async function remember(client: string, server: string, session: ServerSession): Promise<boolean> {
    const text = JSON.stringify(session)
    if (text.length > MOST_CHARACTERS) return false
    await values.put(
      KIND,
      client,
      server,
      await seal.close(text, `${client} ${server}`),
      maxAgeSeconds * 1000,
    )
    return true
  }

  async function find(client: string, server: string, gone: string | undefined): Promise<FoundSession> {
    for (let waited = 0; ; waited += RETRY_MS) {
      const before = await known(client, server)
      if (before !== undefined && before.id !== gone) return { known: before }
      const letGo = await values.hold(KIND, `${client} ${server}`, BEGINNING_MS)
      // Another replica may have begun one between the look and the hold.
      const found = letGo && (await known(client, server))
      if (found !== undefined && found.id !== gone) {
        await letGo?.()
        return { known: found }
      }
      if (letGo !== undefined || waited >= BEGINNING_MS)
        return {
          async begun(session) {
            const isShared =
              session !== undefined &&
              (await remember(client, server, session).catch((error: unknown) => {
                refused(error)
                return false
              }))
            await letGo?.()
            return isShared
          },
        }
      await sleep(RETRY_MS)
    }
  }

  return {
    find: (client, server, gone) =>
      find(client.id, server, gone).catch((error: unknown) => {
        refused(error)
        return { begun: async () => false }
      }),
  }
}
