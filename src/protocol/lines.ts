/** Cuts a byte stream into lines, in time linear in its length, whatever the sizes of lines and chunks. */
import { type Edges, MessageBytes, type Watch } from './bytes.ts'
import type { Limits } from './limits.ts'

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
  /** What came and was not yet read. */
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

  /** A line was read, whatever it holds. Nobody sends empty ones in numbers. */
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
    const wait = this.#unasked.count(this.#now)
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
  count(now: () => number): number {
    if (this.#count === 0) this.#began = now()
    if (++this.#count <= this.#limit) return 0
    this.#count = 0
    return Math.max(0, this.#began + this.#length - now())
  }
}

// Writes lines to a stream, and waits with whoever waits until it takes more.

/** The part of a writable stream that is used here. */
interface LineOutput {
  write(chunk: string | Uint8Array): boolean
  cork(): void
  uncork(): void
  once(event: 'drain' | 'close', listener: () => void): unknown
  off(event: 'drain' | 'close', listener: () => void): unknown
}

const TAKEN = Promise.resolve()

/**
 * What is written in one turn of the event loop goes out at once at its end: every write of its own is a system call, and wakes
 * whoever reads. With many requests under way that is most of what a proxy does.
 */
export class LineWriter {
  readonly #output: LineOutput
  #gathering = false
  #draining: Promise<void> | undefined

  constructor(output: LineOutput) {
    this.#output = output
  }

  /** Lines whole or in parts, with their newlines. Resolves when the stream can take more, or is closed. */
  write(...parts: readonly (string | Uint8Array)[]): Promise<void> {
    this.#gather()
    let taken = true
    for (const part of parts) taken = this.#output.write(part)
    return taken ? TAKEN : this.#drained()
  }

  /** Hands over what was gathered, for an end that comes before the turn's. */
  flush(): void {
    if (!this.#gathering) return
    this.#gathering = false
    this.#output.uncork()
  }

  #gather(): void {
    if (this.#gathering) return
    this.#gathering = true
    this.#output.cork()
    process.nextTick(() => this.flush())
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
