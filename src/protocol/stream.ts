/** Between a stream of bytes and messages: bytes while they arrive, cut into lines, read in turns, and lines written. */
import type { Limits } from './limits.ts'

// The bytes of one message while it arrives: kept as the chunks they came in, beyond a limit only their edges.

/** The rest of a message that was thrown away: enough to see which request it answered. */
export interface Edges {
  /** Its first bytes, at most `EDGE_BYTES`. */
  head: Buffer
  /** Its last bytes, at most `EDGE_BYTES`. */
  tail: Buffer
}

/** A whole message. */
export interface TakenBytes {
  /** In order; one on shared memory when the message is long; empty when it was too long. */
  parts: readonly Buffer[]
  /** Their sum in bytes, or what it would be. */
  length: number
  /** Given when the message was longer than the limit. */
  edges: Edges | undefined
}

/** Room for the envelope of a JSON-RPC response on either side of its result. */
export const EDGE_BYTES = 512

/** From here on a message is put together while it arrives. */
const SHARED_FROM = 256 * 1024
const RUN = 1024
const SMALL_CHUNK = 4096

/**
 * Joining at every chunk, as `Buffer.concat` in a loop does, is quadratic and takes seconds for 50 MB. Short messages are kept as chunks.
 * Each chunk of a long message is copied to its place and then freed, so the copying takes place while other chunks come.
 */
export class MessageBytes {
  readonly #limit: number
  readonly #limitOf: ((head: Buffer) => number) | undefined
  /** That of this message. */
  #maxBytes: number
  #parts: Buffer[] = []
  #length = 0
  /** How many of `#parts` have been through `#compact`. */
  #settled = 0
  #edges: Edges | undefined
  /** In place of `#parts` once they are many bytes. */
  #long: GrowingBytes | undefined
  readonly #watch: Watch | undefined
  /** Called when more of a long one has come. */
  #grown: (() => void) | undefined

  /** `limitOf`: a lower limit for a message that begins like this, asked once the message is long. */
  constructor(maxBytes: number, watch?: Watch, limitOf?: (head: Buffer) => number) {
    this.#limit = maxBytes
    this.#maxBytes = maxBytes
    this.#watch = watch
    this.#limitOf = limitOf
  }

  /** Bytes so far, whether they were kept or not. */
  get length(): number {
    return this.#length
  }

  /** True once it is longer than the limit. */
  get tooLong(): boolean {
    return this.#edges !== undefined
  }

  add(part: Buffer): void {
    if (part.length === 0) return
    this.#length += part.length
    if (this.#edges !== undefined) {
      this.#edges.tail = edgeOfEnd([this.#edges.tail, part])
      return
    }
    if (this.#long === undefined) this.#parts.push(part)
    else if (this.#length <= this.#maxBytes) this.#long.append(part)
    if (this.#length > this.#maxBytes) {
      const parts = this.#long === undefined ? this.#parts : [this.#long.whole(), part]
      this.#edges = { head: edgeOfStart(parts), tail: edgeOfEnd(parts) }
      this.#drop()
    } else if (this.#long !== undefined) {
      this.#grown?.()
    } else if (this.#length >= SHARED_FROM) {
      if (this.#limitOf !== undefined)
        this.#maxBytes = Math.min(this.#limit, this.#limitOf(edgeOfStart(this.#parts)))
      const long = new GrowingBytes(Math.max(this.#maxBytes, this.#length))
      for (const some of this.#parts) long.append(some)
      this.#drop()
      this.#long = long
      this.#grown = this.#watch?.(long)
    } else if (this.#parts.length - this.#settled >= RUN) {
      this.#compact()
    }
  }

  /** Returns the collected bytes and begins again. */
  take(): TakenBytes {
    const parts = this.#long === undefined ? this.#parts : [this.#long.whole()]
    const taken = { parts, length: this.#length, edges: this.#edges }
    this.#drop()
    this.#length = 0
    this.#edges = undefined
    this.#maxBytes = this.#limit
    return taken
  }

  #drop(): void {
    this.#parts = []
    this.#settled = 0
    this.#long = undefined
    this.#grown = undefined
  }

  /** A sender that writes byte by byte must not cost an object a byte: runs of small chunks are joined, once each. */
  #compact(): void {
    const run = this.#parts.slice(this.#settled)
    const bytes = run.reduce((sum, part) => sum + part.length, 0)
    if (bytes < RUN * SMALL_CHUNK) this.#parts.splice(this.#settled, run.length, Buffer.concat(run, bytes))
    this.#settled = this.#parts.length
  }
}

/** The text of a message, decoded once. */
export function textOfParts(parts: readonly Buffer[]): string {
  const [first] = parts
  return (parts.length === 1 && first ? first : Buffer.concat(parts)).toString('utf8')
}

/** The first `EDGE_BYTES` of a list of chunks, copied, so that the chunks can go. */
export function edgeOfStart(parts: readonly Buffer[]): Buffer {
  const taken: Buffer[] = []
  let room = EDGE_BYTES
  for (const part of parts) {
    if (room === 0) break
    taken.push(part.subarray(0, room))
    room -= Math.min(room, part.length)
  }
  return Buffer.concat(taken)
}

/** The last `EDGE_BYTES` of a list of chunks, copied. */
export function edgeOfEnd(parts: readonly Buffer[]): Buffer {
  const taken: Buffer[] = []
  let room = EDGE_BYTES
  for (let i = parts.length - 1; i >= 0 && room > 0; i--) {
    const part = parts[i] ?? Buffer.alloc(0)
    taken.unshift(part.subarray(Math.max(0, part.length - room)))
    room -= Math.min(room, part.length)
  }
  return Buffer.concat(taken)
}

// Bytes that come piece by piece, on memory that threads share. Nothing is copied once more when the last piece is there, and another
// thread can read all pieces so far.

/** Address space, not memory, is reserved for so many times the current size, and for this much at least. */
const AHEAD = 4
const LEAST = 64 * 1024 * 1024
/** Memory is asked for in steps. */
const STEP = 512 * 1024
/** In front of the bytes stands how many of them came. */
const HEADER = 8

/** Told of a long message that has begun to come. Answers what is called whenever more of it has come. */
export type Watch = (bytes: GrowingBytes) => (() => void) | undefined

/** Bytes to which more are added at the end. It moves when it has no room left, with all that came. */
export class GrowingBytes {
  readonly #most: number
  #length = 0
  #buffer: SharedArrayBuffer
  #bytes: Uint8Array<SharedArrayBuffer>
  #arrived: Int32Array<SharedArrayBuffer>

  /** `most`: bytes that come at most. */
  constructor(most: number) {
    this.#most = most
    this.#buffer = this.#room(0)
    this.#bytes = new Uint8Array(this.#buffer)
    this.#arrived = new Int32Array(this.#buffer, 0, 1)
  }

  /** Where they are. It is another one after they had to be moved. */
  get buffer(): SharedArrayBuffer {
    return this.#buffer
  }

  get length(): number {
    return this.#length
  }

  append(part: Uint8Array): void {
    const length = this.#length + part.length
    const needed = HEADER + length
    if (needed > this.#buffer.maxByteLength) this.#move(length)
    if (needed > this.#buffer.byteLength)
      this.#buffer.grow(Math.min(Math.ceil(needed / STEP) * STEP, this.#buffer.maxByteLength))
    this.#bytes.set(part, HEADER + this.#length)
    this.#length = length
    Atomics.store(this.#arrived, 0, length)
  }

  /** The bytes that came so far. */
  whole(): Buffer<SharedArrayBuffer> {
    return Buffer.from(this.#buffer, HEADER, this.#length)
  }

  #move(length: number): void {
    const before = this.whole()
    this.#buffer = this.#room(length)
    this.#buffer.grow(HEADER + before.length)
    this.#bytes = new Uint8Array(this.#buffer)
    this.#bytes.set(before, HEADER)
    this.#arrived = new Int32Array(this.#buffer, 0, 1)
    Atomics.store(this.#arrived, 0, before.length)
  }

  #room(length: number): SharedArrayBuffer {
    const ahead = Math.max(LEAST, length * AHEAD)
    const maxByteLength = HEADER + Math.max(length, Math.min(ahead, this.#most))
    return new SharedArrayBuffer(HEADER, { maxByteLength })
  }
}

/** How many bytes came to the buffer of `GrowingBytes`, as any thread may ask. */
export function arrivedIn(buffer: SharedArrayBuffer): number {
  return Atomics.load(new Int32Array(buffer, 0, 1), 0)
}

/** Bytes `from` to `to` of such a buffer. */
export function partOf(buffer: SharedArrayBuffer, from: number, to: number): Uint8Array<SharedArrayBuffer> {
  return new Uint8Array(buffer, HEADER + from, to - from)
}

/** Whether bytes are those of such a buffer from byte `from` on. */
export function beginsAt(bytes: Uint8Array, from: number): boolean {
  return bytes.byteOffset === HEADER + from
}

// A stream cut into lines, in time linear in its length, whatever the sizes of lines and chunks.

/** A line that was thrown away. */
export interface DiscardedLine extends Edges {
  /** Length in bytes without the newline. */
  length: number
}

/** Tells after each line whether to go on with the next. */
export interface Turn {
  /** A line was read. */
  line(empty: boolean): void
  /** True when no more may be read now. */
  readonly spent: boolean
}

interface LineReaderOptions {
  /** Longest line that is kept, in bytes. */
  maxBytes: number
  /** A lower limit for a line that begins like this, asked once the line is long. */
  maxBytesOf?: ((head: Buffer) => number) | undefined
  /** A whole line as the chunks it came in, without the newline; `length` is their sum in bytes. Empty lines are left out. */
  onLine(parts: readonly Buffer[], length: number): void
  /** A line longer than `maxBytes`, once its end was seen. */
  onDiscarded(line: DiscardedLine): void
  /** Told of long lines while they come. */
  watch?: Watch | undefined
  /** Absent: whatever comes is read at once. */
  turn?: Turn | undefined
}

const NEWLINE = 0x0a

/** The newline is searched only in the chunk that just came. */
export class LineReader {
  readonly #options: LineReaderOptions
  readonly #line: MessageBytes

  constructor(options: LineReaderOptions) {
    this.#options = options
    this.#line = new MessageBytes(options.maxBytes, options.watch, options.maxBytesOf)
  }

  /** Bytes of the line that has no end yet. */
  get unfinished(): number {
    return this.#line.length
  }

  /** Answers how many bytes were taken: fewer than all only when the turn is spent. The rest has to be pushed again. */
  push(chunk: Buffer): number {
    const { turn } = this.#options
    let start = 0
    let end = chunk.indexOf(NEWLINE)
    while (end !== -1) {
      this.#line.add(chunk.subarray(start, end))
      const empty = this.#line.length === 0
      if (!empty) this.#finish()
      start = end + 1
      if (turn !== undefined) {
        turn.line(empty)
        if (turn.spent) return start
      }
      end = chunk.indexOf(NEWLINE, start)
    }
    if (start < chunk.length) this.#line.add(start === 0 ? chunk : chunk.subarray(start))
    return chunk.length
  }

  #finish(): void {
    const { parts, length, edges } = this.#line.take()
    if (edges !== undefined) this.#options.onDiscarded({ ...edges, length })
    else this.#options.onLine(parts, length)
  }
}

// Reads one source in turns: after so many bytes or lines the others have theirs, and a source that sends too much unasked waits. A pause
// holds back the source itself, so what waits here is at most what the stream had buffered.

/** The stream that is read. */
interface Source {
  pause(): void
  resume(): void
}

type IntakeLimits = Pick<
  Limits,
  'serverTurnBytes' | 'serverTurnMessages' | 'serverMessagesPerSecond' | 'serverBadLines'
>

interface IntakeOptions {
  limits: IntakeLimits
  source: Source
  /** Reads a chunk until `spent` is true after a line. Answers how many bytes it took; fewer than all only then. */
  read(chunk: Buffer): number
  /** The source sent more malformed lines in a minute than it may. Nothing is read any more. */
  flooded(): void
  /** Milliseconds since any moment, by a monotonic clock. */
  now?: () => number
}

const SECOND = 1000
/** Bytes that a byte which is parsed counts for. */
const PARSED = 8
/** Bytes of a message that count once against those of a second. */
const COUNTED_BYTES = 4096
const MINUTE = 60_000

/**
 * Counts and pauses. A turn ends when its budget is spent, however long that took: a source that sends little never pays for a clock or
 * a timer.
 */
export class Intake {
  readonly #options: IntakeOptions
  readonly #now: () => number
  readonly #unasked: Window
  readonly #bad: Window
  #bytes = 0
  #lines = 0
  /** The bytes that came and were not yet read. */
  #waiting: Buffer[] = []
  #pausedFor: number | undefined
  #timer: NodeJS.Timeout | undefined
  #afterwards: (() => void)[] = []
  #stopped = false

  constructor(options: IntakeOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    const { serverMessagesPerSecond, serverBadLines } = options.limits
    this.#unasked = new Window(serverMessagesPerSecond, SECOND)
    this.#bad = new Window(serverBadLines, MINUTE)
  }

  /** True when no more may be read in this turn. */
  get spent(): boolean {
    return this.#pausedFor !== undefined || this.#stopped
  }

  /** Takes what came. */
  push(chunk: Buffer): void {
    if (this.#stopped) return
    if (this.#pausedFor !== undefined) {
      this.#waiting.push(chunk)
      return
    }
    this.#read(chunk)
  }

  /** A line was read, whatever it holds. Many empty ones are not expected. */
  line(empty: boolean): void {
    if (empty) this.malformed()
    if (++this.#lines >= this.#options.limits.serverTurnMessages) this.#pause(0)
  }

  /** A message was read that answers nothing, or a line that is none. */
  unasked(bytes = 0): void {
    // To parse bytes and pass them on takes longer than to read them; a line may hold a batch.
    this.#bytes += PARSED * bytes
    if (this.#bytes >= this.#options.limits.serverTurnBytes) this.#pause(0)
    this.line(false)
    const wait = this.#unasked.count(this.#now, 1 + Math.floor(bytes / COUNTED_BYTES))
    if (wait > 0) this.#pause(wait)
  }

  /** A line was read that is no message. */
  malformed(): void {
    this.unasked()
    if (this.#bad.count(this.#now) === 0 || this.#stopped) return
    this.stop()
    this.#options.flooded()
  }

  /** Runs when all that came has been read: at once where nothing waits. */
  afterwards(run: () => void): void {
    if (this.#pausedFor === undefined || this.#stopped) run()
    else this.#afterwards.push(run)
  }

  /** Nothing is read any more. */
  stop(): void {
    this.#stopped = true
    this.#waiting = []
    clearTimeout(this.#timer)
    this.#options.source.pause()
  }

  #read(chunk: Buffer): void {
    const taken = this.#options.read(chunk)
    this.#bytes += taken
    if (taken < chunk.length && !this.#stopped) this.#waiting.unshift(chunk.subarray(taken))
    if (this.#bytes >= this.#options.limits.serverTurnBytes) this.#pause(0)
  }

  #pause(ms: number): void {
    if (this.#stopped) return
    const paused = this.#pausedFor
    this.#pausedFor = Math.max(paused ?? 0, ms)
    if (paused !== undefined) return
    this.#options.source.pause()
    // The wait is known when the chunk has been read as far as it may be.
    setImmediate(() => {
      if (this.#pausedFor === 0) this.#resume()
      else if (!this.#stopped) this.#timer = setTimeout(() => this.#resume(), this.#pausedFor)
    })
  }

  #resume(): void {
    if (this.#stopped) return
    this.#pausedFor = undefined
    this.#bytes = 0
    this.#lines = 0
    while (this.#waiting.length > 0 && !this.spent) this.#read(this.#waiting.shift() as Buffer)
    if (this.spent) return
    for (const run of this.#afterwards.splice(0)) run()
    this.#options.source.resume()
  }
}

/** Counts up to a limit in a stretch of time. The clock is read only when the limit is reached, and when a stretch begins. */
class Window {
  readonly #limit: number
  readonly #length: number
  #count = 0
  #began = 0

  constructor(limit: number, length: number) {
    this.#limit = limit
    this.#length = length
  }

  /** Milliseconds until the stretch is over, where the limit was passed in it; else 0. */
  count(now: () => number, times = 1): number {
    if (this.#count === 0) this.#began = now()
    this.#count += times
    if (this.#count <= this.#limit) return 0
    this.#count = 0
    return Math.max(0, this.#began + this.#length - now())
  }
}

// Writes lines to a stream, and lets callers wait until it takes more.

/** The part of a writable stream that is used here. */
interface LineOutput {
  write(chunk: string | Uint8Array): boolean
  cork(): void
  uncork(): void
  once(event: 'drain' | 'close', listener: () => void): unknown
  off(event: 'drain' | 'close', listener: () => void): unknown
}

const TAKEN = Promise.resolve()

/** Characters of lines that are joined before they go to the stream. A longer part is not copied. */
const JOINED = 16_384

/**
 * Lines that are written in one turn of the event loop go out together at its end. Each write is a system call that
 * wakes the reader. With many requests under way these calls are most of the proxy's work, so short lines are one text by then.
 */
export class LineWriter {
  readonly #output: LineOutput
  #gathering = false
  /** Lines that the stream has not got yet. */
  #text = ''
  #draining: Promise<void> | undefined

  constructor(output: LineOutput) {
    this.#output = output
  }

  /** Lines whole or in parts, with their newlines. Resolves when the stream can take more, or is closed. */
  write(...parts: readonly (string | Uint8Array)[]): Promise<void> {
    this.#gather()
    let taken = true
    for (const part of parts) {
      if (typeof part === 'string' && this.#text.length + part.length <= JOINED) this.#text += part
      else taken = this.#handOver(part)
    }
    return taken ? (this.#draining ?? TAKEN) : this.#drained()
  }

  /** Hands over what was gathered, for an end that comes before the turn's. */
  flush(): void {
    if (!this.#gathering) return
    this.#gathering = false
    if (!this.#handOver()) void this.#drained()
    this.#output.uncork()
  }

  #gather(): void {
    if (this.#gathering) return
    this.#gathering = true
    this.#output.cork()
    process.nextTick(() => this.flush())
  }

  /** False: the stream is full. */
  #handOver(part?: string | Uint8Array): boolean {
    let taken = true
    if (this.#text !== '') taken = this.#output.write(this.#text)
    this.#text = ''
    return part === undefined ? taken : this.#output.write(part)
  }

  /** One promise for all who wait: a reader that is slow must not gather listeners. */
  #drained(): Promise<void> {
    this.#draining ??= new Promise<void>((resolve) => {
      const done = (): void => {
        this.#output.off('drain', done)
        this.#output.off('close', done)
        this.#draining = undefined
        resolve()
      }
      this.#output.once('drain', done)
      this.#output.once('close', done)
    })
    return this.#draining
  }
}
