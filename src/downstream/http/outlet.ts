import type { ServerResponse } from 'node:http'
import type { Backlog, Rank } from './backlog.ts'
import { type Payload, withoutLineBreaks } from './payload.ts'

export interface OutletOptions {
  /** True for a stream of events, where a line break inside of data would end it. */
  events: boolean
  /** Milliseconds since 1970 after which a stream of events ends: its client has to say anew who it is. */
  until?: number | undefined
}

interface Entry {
  pieces: readonly (string | Buffer)[]
  bytes: number
  rank: Rank
}

/** Bytes that are handed to the operating system at a time: how finely reading is seen. */
const SLICE = 256 * 1024

const DONE = Promise.resolve()
const KEEP_ALIVE = ':\n\n'

/** The body of one HTTP response: keeps the order, waits for a client that reads slowly, and knows what is unread. */
export class Outlet {
  readonly #response: ServerResponse
  readonly #backlog: Backlog
  readonly #options: OutletOptions
  readonly #queue: Entry[] = []
  #queued = 0
  /** Of the first entry: the piece that is next, and how much of it was handed over. */
  #piece = 0
  #offset = 0
  #ending = false
  #closed = false
  #listening = false
  #draining: { promise: Promise<void>; resolve: () => void } | undefined
  /** When a byte was last taken, or the response began. */
  lastRead: number

  /** `closed` is called when no more can be written, whoever ended it. */
  constructor(response: ServerResponse, backlog: Backlog, options: OutletOptions, closed?: () => void) {
    this.#response = response
    this.#backlog = backlog
    this.#options = options
    this.lastRead = backlog.now()
    this.#closed = response.destroyed
    backlog.add(this)
    // What is written to a client that just left: its response closes as well, and that is enough.
    response.on('error', () => {})
    response.once('close', () => {
      this.#close()
      closed?.()
    })
  }

  get unread(): number {
    return this.#closed ? 0 : this.#queued + this.#response.writableLength
  }

  /** Resolves when the client can take more. A message that is dropped resolves at once. */
  write(payload: Payload, rank: Rank = 'due'): Promise<void> {
    if (this.#gone() || this.#ending) return DONE
    const { pieces, bytes } = payload
    if (bytes <= SLICE && !this.#blocked()) {
      if (pieces.length === 1) this.#put(pieces[0] as string | Buffer)
      else this.#putAll(pieces)
    } else {
      if (!this.#backlog.admit(bytes, rank)) return DONE
      this.#queue.push({ pieces, bytes, rank })
      this.#queued += bytes
      this.#pump()
    }
    return this.#blocked() ? this.#drained() : DONE
  }

  /** Ends the response after what was written. Resolves when the client took all but the last part of it. */
  end(payload?: Payload): Promise<void> {
    const taken = payload ? this.write(payload) : DONE
    if (this.#gone() || this.#ending) return taken
    this.#ending = true
    if (this.#queue.length === 0) this.#response.end()
    return taken
  }

  /** Hangs up. */
  destroy(): void {
    this.#response.destroy()
    this.#close()
  }

  /** A comment, so that nobody on the way takes the connection for dead. */
  beat(): void {
    if (this.#gone() || this.#ending) return
    const { until } = this.#options
    if (until !== undefined && this.#backlog.now() >= until) void this.end()
    else if (this.#blocked()) this.#backlog.relieve()
    else this.#response.write(KEEP_ALIVE)
  }

  /** Removes the oldest waiting message that may be lost. The bytes freed; 0 when there is none. */
  dropNoise(): number {
    const begun = this.#piece > 0 || this.#offset > 0 ? 1 : 0
    for (let at = begun; at < this.#queue.length; at++) {
      const entry = this.#queue[at]
      if (entry?.rank !== 'noise') continue
      this.#queue.splice(at, 1)
      this.#queued -= entry.bytes
      return entry.bytes
    }
    return 0
  }

  #gone(): boolean {
    return this.#closed || this.#response.destroyed
  }

  #blocked(): boolean {
    return !this.#gone() && (this.#queue.length > 0 || this.#response.writableNeedDrain)
  }

  #put(piece: string | Buffer): void {
    const events = this.#options.events && typeof piece !== 'string'
    this.#response.write(events ? withoutLineBreaks(piece) : piece)
    if (this.#response.writableNeedDrain) this.#listen()
  }

  #putAll(pieces: readonly (string | Buffer)[]): void {
    this.#response.cork()
    for (const piece of pieces) this.#put(piece)
    this.#response.uncork()
  }

  #pump(): void {
    if (this.#gone()) return
    for (let entry = this.#queue[0]; entry !== undefined; entry = this.#queue[0]) {
      if (this.#response.writableNeedDrain) return this.#listen()
      const piece = entry.pieces[this.#piece]
      if (piece === undefined) {
        this.#queue.shift()
        this.#piece = 0
        continue
      }
      const rest = typeof piece === 'string' ? piece : piece.subarray(this.#offset, this.#offset + SLICE)
      const size = typeof rest === 'string' ? Buffer.byteLength(rest) : rest.byteLength
      this.#offset += size
      this.#queued -= size
      if (typeof piece === 'string' || this.#offset >= piece.byteLength) {
        this.#piece++
        this.#offset = 0
      }
      this.#put(rest)
    }
    if (this.#ending) this.#response.end()
  }

  #listen(): void {
    if (this.#listening) return
    this.#listening = true
    this.#response.on('drain', () => {
      this.lastRead = this.#backlog.now()
      this.#pump()
      if (!this.#blocked()) this.#settle()
    })
  }

  /** One promise for all who wait. */
  #drained(): Promise<void> {
    if (this.#draining) return this.#draining.promise
    let resolve = (): void => {}
    const promise = new Promise<void>((done) => {
      resolve = done
    })
    this.#draining = { promise, resolve }
    return promise
  }

  #settle(): void {
    this.#draining?.resolve()
    this.#draining = undefined
  }

  #close(): void {
    this.#closed = true
    this.#queue.length = 0
    this.#queued = 0
    this.#backlog.remove(this)
    this.#settle()
  }
}
