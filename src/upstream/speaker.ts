/**
 * Which era is spoken with a server on behalf of a client: the client's own where the server can, else the other. What was
 * found out is remembered, and no era is tried that nobody asked for.
 */
import type { Era } from '../protocol/eras.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Client } from '../protocol/exchange.ts'
import { unlessAborted } from '../protocol/until.ts'
import { EraRefused, statusOf } from './era.ts'
import type { Link } from './link.ts'
import type { Links } from './links.ts'
import type { Memory } from './remember.ts'
import type { Server } from './servers.ts'
import { connectFailed } from './upstream-errors.ts'

export class Speaker {
  readonly #links: Links
  readonly #memory: Memory

  constructor(links: Links, memory: Memory) {
    this.#links = links
    this.#memory = memory
  }

  /** The eras in the order in which they are to be tried. Nobody in particular is taken for a legacy client. */
  order(server: Server, client: Client | undefined): readonly [Era, Era] {
    const wanted = client?.era ?? 'legacy'
    const other = wanted === 'legacy' ? 'modern' : 'legacy'
    const eras = this.#memory.eras(server.name)
    return eras[wanted] === false && eras[other] !== false ? [other, wanted] : [wanted, other]
  }

  /** The link for this client in the era that comes first, whether or not the server is known to speak it. */
  first(server: Server, client: Client | undefined): Link {
    return this.#links.for(server, client, this.order(server, client)[0])
  }

  /** Runs the work on a link of an era that the server speaks. */
  async with<T>(
    server: Server,
    client: Client | undefined,
    work: (link: Link) => Promise<T>,
    signal: AbortSignal | undefined,
    lane = 0,
  ): Promise<T> {
    const [era] = this.order(server, client)
    if (this.#memory.eras(server.name)[era]) {
      try {
        return await work(this.#links.for(server, client, era, lane))
      } catch (error) {
        // It did once, and no longer does.
        if (!(error instanceof EraRefused) && (await this.#stillSpoken(server, client, era, error)))
          throw error
      }
    }
    return work(await unlessAborted(this.connect(server, client, lane), signal))
  }

  /** A server that was replaced by an older release refuses the requests of the modern era one by one. */
  async #stillSpoken(server: Server, client: Client | undefined, era: Era, error: unknown): Promise<boolean> {
    const link = this.#links.peek(server, client, era)
    if (era === 'legacy' || link === undefined || !mayBeRefusal(error)) return true
    if (await link.connection.stillSpoken()) return true
    void this.#links.drop(link)
    return false
  }

  /** Connects in the first era that the server speaks. */
  async connect(server: Server, client: Client | undefined, lane = 0): Promise<Link> {
    const refused: EraRefused[] = []
    for (const era of this.order(server, client)) {
      const link = this.#links.for(server, client, era, lane)
      try {
        await link.connection.connect()
        // What was learned of another server of this name is not this one's.
        if (server.retired) return link
        // A server that could not start at all has refused nothing: only now is a refusal one.
        for (const refusal of refused) this.#memory.saveEra(server.name, refusal.era, false)
        this.#memory.saveEra(server.name, era, true)
        return link
      } catch (error) {
        if (!(error instanceof EraRefused)) throw error
        refused.push(error)
        void this.#links.drop(link)
      }
    }
    throw connectFailed(server.name, refused[0]?.cause)
  }
}

/** What servers of the legacy era answer to a request without a session. Errors of tools have other codes. */
const REFUSALS: ReadonlySet<number> = new Set([
  RPC.unsupportedVersion,
  RPC.invalidRequest,
  RPC.connectionClosed,
])

function mayBeRefusal(error: unknown): boolean {
  if (error instanceof RpcError) return REFUSALS.has(error.code)
  const status = statusOf(error)
  return (
    status !== undefined &&
    status >= 400 &&
    status < 500 &&
    status !== 401 &&
    status !== 403 &&
    status !== 429
  )
}
