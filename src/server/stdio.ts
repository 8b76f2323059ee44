/** The one local client on standard input and output: a message a line (MCP specification, basic/transports, "stdio"). */

import type { Readable, Writable } from 'node:stream'
import { LargeResult, type Result } from '../protocol/content.ts'
import { claimsModern } from '../protocol/eras.ts'
import { RPC } from '../protocol/errors.ts'
import { isObject } from '../protocol/json.ts'
import { LIMIT_DEFAULTS, type Limits } from '../protocol/limits.ts'
import type { JsonRpcMessage, Request, RequestId, Transport } from '../protocol/message.ts'
import { type Incoming, Peer } from '../protocol/peer.ts'
import { LineReader, LineWriter, type Turn } from '../protocol/stream.ts'
import type { ModernService } from './backend.ts'
import { excessOf, harmlessBytes, idUnparsed, introductionExcess } from './bounds.ts'
import { isSound, unsupportedVersion } from './envelope.ts'
import { createLegacy, type Session, type SessionOptions } from './legacy.ts'
import { DISCOVER, LISTEN } from './modern.ts'

interface StdioOptions {
  input: Readable
  output: Writable
  /** Longest message taken from the client, in bytes. */
  maxMessageBytes: number
  /** The limits of the client. Default: as the configuration without a word. */
  limits?: Limits
}

/** Bytes that may lie unread before a client that does not read is spared notifications. Answers it asked for itself. */
const MAX_BACKLOG = 16 * 1024 * 1024
/** Lines that are read in one turn of the event loop: others have theirs before the rest. */
const MOST_LINES = 500

export class StdioTransport implements Transport {
  onmessage: Transport['onmessage']
  onclose: Transport['onclose']
  onerror: Transport['onerror']
  readonly #options: StdioOptions
  readonly #lines: LineReader
  readonly #writer: LineWriter
  readonly #limits: Limits
  /** A message of no more bytes is not looked at. */
  readonly #harmless: number
  /** Lines read in this turn of the event loop. */
  #linesRead = 0
  /** Lines that came are left for the next turn. */
  #isBehind = false
  /** Nothing more will come. */
  #hasAll = false
  #closed = false

  constructor(options: StdioOptions) {
    this.#options = options
    this.#limits = options.limits ?? LIMIT_DEFAULTS
    this.#harmless = harmlessBytes(this.#limits)
    this.#writer = new LineWriter(options.output)
    this.#lines = new LineReader({
      maxBytes: options.maxMessageBytes,
      onLine: (parts, length) => this.#take(parts, length),
      onDiscarded: ({ length }) => this.onerror?.(new Error(`a message of ${length} bytes was too large`)),
      turn: this.#turn(),
    })
  }

  async start(): Promise<void> {
    const { input, output } = this.#options
    input.on('data', (chunk: Buffer) => this.#push(chunk))
    for (const last of ['end', 'close']) {
      input.once(last, () => {
        this.#hasAll = true
        if (!this.#isBehind) this.#end()
      })
    }
    // EPIPE and the like: the client is gone, and a missing listener would end the process instead.
    for (const stream of [input, output]) {
      stream.on('error', (error: Error) => {
        this.onerror?.(error)
        this.#end()
      })
    }
  }

  send(message: JsonRpcMessage): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('the client is gone'))
    if (!('id' in message) && this.#options.output.writableLength > MAX_BACKLOG)
      return Promise.reject(new Error('the client does not read: a notification was dropped'))
    return 'result' in message && message.result instanceof LargeResult
      ? this.#writer.write(...largeLine(message.id, message.result))
      : this.#writer.write(`${JSON.stringify(message)}\n`)
  }

  async close(): Promise<void> {
    this.#options.input.pause()
    this.#writer.flush()
    this.#end()
  }

  #turn(): Turn {
    const transport = this
    return {
      line() {
        transport.#linesRead += 1
      },
      get spent() {
        return transport.#linesRead >= MOST_LINES
      },
    }
  }

  /** Reads some lines now, and the rest in turns of their own. */
  #push(chunk: Buffer): void {
    const { input } = this.#options
    if (this.#closed) return
    this.#linesRead = 0
    const rest = chunk.subarray(this.#lines.push(chunk))
    this.#isBehind = rest.length > 0
    if (this.#isBehind) {
      input.pause()
      setImmediate(() => this.#push(rest))
    } else if (this.#hasAll) this.#end()
    else if (input.isPaused()) input.resume()
  }

  #take(parts: readonly Buffer[], length: number): void {
    const [first] = parts
    const line = parts.length === 1 && first ? first : Buffer.concat(parts, length)
    const excess = length > this.#harmless ? excessOf(line, this.#limits) : undefined
    if (excess !== undefined)
      return this.#refuse(RPC.invalidRequest, `Invalid Request: ${excess}`, idUnparsed(line))
    let value: unknown
    try {
      value = JSON.parse(line.toString('utf8'))
    } catch {
      return this.#refuse(RPC.parseError, 'Parse error: the line is not JSON')
    }
    // Batches are a part of MCP 2025-03-26. Each message of one is answered for itself.
    const messages = Array.isArray(value) && value.length > 0 ? value : [value]
    for (const message of messages) {
      const tooMuch = length > this.#harmless ? introductionExcess(message, length, this.#limits) : undefined
      if (tooMuch !== undefined)
        this.#refuse(RPC.invalidRequest, `Invalid Request: ${tooMuch}`, idOf(message))
      else if (isObject(message)) this.onmessage?.(message as unknown as JsonRpcMessage)
      else this.#refuse(RPC.invalidRequest, 'Invalid Request: a message is an object')
    }
  }

  /** `id`: absent where it cannot be told which request it was. */
  #refuse(code: number, message: string, id: RequestId | null = null): void {
    this.send({ jsonrpc: '2.0', id, error: { code, message } }).catch(() => {})
  }

  #end(): void {
    if (this.#closed) return
    this.#closed = true
    this.onclose?.()
  }
}

function idOf(message: unknown): RequestId | null {
  const id = isObject(message) ? message.id : null
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

/** The server's own bytes between an envelope of ours: nothing is parsed, nothing can change. */
function largeLine(id: string | number, { bytes }: LargeResult): (string | Uint8Array)[] {
  const { buffer, byteOffset, byteLength } = bytes
  const own = Buffer.from(buffer, byteOffset, byteLength)
  return [`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, own, '}\n']
}

// One connection that serves both eras of the protocol: the first request that commits to one decides.

interface ErasOptions extends SessionOptions {
  modern: ModernService
  /** The number of the first request to the client. Default: 1. */
  firstId?: number
}

/** Methods that only the modern era has: without an envelope they are told what they lack. */
const MODERN: ReadonlySet<string> = new Set([DISCOVER, LISTEN])

export async function openEras({
  id,
  agent,
  transport,
  backend,
  modern,
  profile,
  firstId,
}: ErasOptions): Promise<Session> {
  let end: () => void
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })

  /** Of all requests, once the era is decided; a client may look at both before. */
  let serve = (request: Request, incoming: Incoming): Promise<Result> => {
    if (isModern(request)) {
      if (request.method !== DISCOVER && isSound(request.params)) serve = serveModern
      return serveModern(request, incoming)
    }
    if (request.method === 'initialize') serve = legacy.serve
    return legacy.serve(request, incoming)
  }

  const serveModern = (request: Request, incoming: Incoming): Promise<Result> =>
    request.method === 'initialize' && !isSound(request.params)
      ? Promise.reject(unsupportedVersion(request.params?.protocolVersion))
      : modern.serve(request, {
          agent,
          profile,
          id: incoming.id,
          signal: incoming.signal,
          notify: incoming.notify,
        })

  const peer = new Peer(
    transport,
    {
      onRequest: (request, incoming) => serve(request, incoming),
      onNotification: (notification) => legacy.noted(notification),
      onClose: () => {
        legacy.closed()
        end()
      },
      onError: (error) => backend.logger.debug({ err: error, session: id }, 'client connection'),
    },
    { firstId },
  )
  const legacy = createLegacy({ id, agent, backend, profile }, peer)
  await peer.start()
  return { id, ended, close: () => peer.close() }
}

/** `initialize` is the handshake of the other era, unless it names this one in all form: then it is a method that is gone. */
function isModern({ method, params }: Request): boolean {
  if (method === 'initialize') return isSound(params)
  return MODERN.has(method) || claimsModern(params)
}
