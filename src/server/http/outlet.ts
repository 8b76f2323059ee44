import type { ServerResponse } from 'node:http'
import { LargeResult } from '../../protocol/content.ts'
import { messageOf, RPC } from '../../protocol/errors.ts'
import type { JsonRpcMessage, Request } from '../../protocol/message.ts'

interface OutletOptions {
  /** True for a stream of events, where a line break inside of data would end it. */
  events: boolean
  /** Milliseconds since 1970 after which a stream of events ends: its client has to say again who it is. */
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

  /** `closed` is called when no more can be written, whichever side ended it. */
  constructor(response: ServerResponse, backlog: Backlog, options: OutletOptions, closed?: () => void) {
    this.#response = response
    this.#backlog = backlog
    this.#options = options
    this.lastRead = backlog.now()
    this.#closed = response.destroyed
    backlog.add(this)
    // A write to a client that just left: its response closes as well, and that is enough.
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

  /** A comment, so that no proxy on the way takes the connection for dead. */
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

// The bytes that a client has not read yet, over all its open responses: counted, and bounded for one that does not read.

/**
 * The rank of a message when its client does not read. `noise` (progress, log messages) is dropped first, oldest first. A `note`
 * (other notifications) is not taken when there is no room. A `due` message (answers, requests) is never dropped.
 */
export type Rank = 'noise' | 'note' | 'due'

export function rankOf(message: Request): Rank {
  const { method } = message
  if ('id' in message || method === 'notifications/cancelled') return 'due'
  return method === 'notifications/progress' || method === 'notifications/message' ? 'noise' : 'note'
}

export interface BacklogOptions {
  /** Bytes unread above which notifications are dropped and unread responses are cut off. */
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

/** A message as it goes out: its JSON in pieces, so that a large result is neither parsed nor copied into a string. */
export interface Payload {
  readonly pieces: readonly (string | Buffer)[]
  /** UTF-8 bytes of all pieces. */
  readonly bytes: number
}

/** Above this a text is encoded at once: it will be sent in slices, and slices of text have no length in bytes. */
const LONG_TEXT = 64 * 1024

/** Throws RangeError for a request or a notification that is too deep to be written. */
export function encode(message: JsonRpcMessage): Payload {
  if ('result' in message && message.result instanceof LargeResult) {
    const { buffer, byteOffset, byteLength } = message.result.bytes
    const head = `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":`
    return {
      pieces: [head, Buffer.from(buffer, byteOffset, byteLength), '}'],
      bytes: Buffer.byteLength(head) + byteLength + 1,
    }
  }
  return textPayload(textOf(message))
}

/** An answer always can be written: one too deep for that becomes an error, because its client must not wait for ever. */
function textOf(message: JsonRpcMessage): string {
  try {
    return JSON.stringify(message)
  } catch (thrown) {
    if ('method' in message) throw thrown
    const error = { code: RPC.internalError, message: `The answer cannot be written: ${messageOf(thrown)}` }
    return JSON.stringify({ jsonrpc: '2.0', id: message.id ?? null, error })
  }
}

export function textPayload(text: string): Payload {
  const bytes = Buffer.byteLength(text)
  return { pieces: [bytes > LONG_TEXT ? Buffer.from(text) : text], bytes }
}

/** Several payloads as one JSON array. */
export function arrayPayload(payloads: readonly Payload[]): Payload {
  const pieces = payloads.flatMap(({ pieces }, index) => [index === 0 ? '[' : ',', ...pieces])
  const bytes = payloads.reduce((sum, payload) => sum + payload.bytes + 1, 1)
  return { pieces: [...pieces, ']'], bytes }
}

/** The payload as one event of a stream (HTML Standard, "Server-sent events"). */
export function eventPayload({ pieces, bytes }: Payload, id?: string): Payload {
  const head = id === undefined ? 'event: message\ndata: ' : `event: message\nid: ${id}\ndata: `
  const only = pieces.length === 1 ? pieces[0] : undefined
  const framed = typeof only === 'string' ? [`${head}${only}\n\n`] : [head, ...pieces, '\n\n']
  return { pieces: framed, bytes: head.length + bytes + 2 }
}

const LF = 10
const CR = 13
const SPACE = 32

/**
 * The bytes without line breaks, which would end the line of an event. In JSON they are white space between tokens, for
 * inside strings they must be escaped (RFC 8259, section 7). The same object when there are none; else a copy.
 */
export function withoutLineBreaks(bytes: Buffer): Buffer {
  if (bytes.indexOf(LF) === -1 && bytes.indexOf(CR) === -1) return bytes
  const copy = Buffer.from(bytes)
  for (const code of [LF, CR]) {
    for (let at = copy.indexOf(code); at !== -1; at = copy.indexOf(code, at + 1)) copy[at] = SPACE
  }
  return copy
}

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
