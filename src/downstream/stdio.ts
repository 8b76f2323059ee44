/** The one local client on standard input and output: a message a line (MCP specification, basic/transports, "stdio"). */
import type { Readable, Writable } from 'node:stream'
import { RPC } from '../protocol/errors.ts'
import { isObject } from '../protocol/json.ts'
import { LineReader } from '../protocol/line-reader.ts'
import { LineWriter } from '../protocol/line-writer.ts'
import type { JsonRpcMessage } from '../protocol/message.ts'
import { LargeResult } from '../protocol/result.ts'
import type { Transport } from '../protocol/transport.ts'

export interface StdioOptions {
  input: Readable
  output: Writable
  /** Longest message taken from the client, in bytes. */
  maxMessageBytes: number
}

/** Bytes that may lie unread before a client that does not read is spared notifications. Answers it asked for itself. */
const MAX_BACKLOG = 16 * 1024 * 1024

export class StdioTransport implements Transport {
  onmessage: Transport['onmessage']
  onclose: Transport['onclose']
  onerror: Transport['onerror']
  readonly #options: StdioOptions
  readonly #lines: LineReader
  readonly #writer: LineWriter
  #closed = false

  constructor(options: StdioOptions) {
    this.#options = options
    this.#writer = new LineWriter(options.output)
    this.#lines = new LineReader({
      maxBytes: options.maxMessageBytes,
      onLine: (parts, length) => this.#read(parts, length),
      onDiscarded: ({ length }) => this.onerror?.(new Error(`a message of ${length} bytes was too large`)),
    })
  }

  async start(): Promise<void> {
    const { input, output } = this.#options
    input.on('data', (chunk: Buffer) => this.#lines.push(chunk))
    input.once('end', () => this.#end())
    input.once('close', () => this.#end())
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

  #read(parts: readonly Buffer[], length: number): void {
    const [first] = parts
    const line = parts.length === 1 && first ? first : Buffer.concat(parts, length)
    let value: unknown
    try {
      value = JSON.parse(line.toString('utf8'))
    } catch {
      return this.#refuse(RPC.parseError, 'Parse error: the line is not JSON')
    }
    // Batches are a part of MCP 2025-03-26. Each message of one is answered for itself.
    const messages = Array.isArray(value) && value.length > 0 ? value : [value]
    for (const message of messages) {
      if (isObject(message)) this.onmessage?.(message as unknown as JsonRpcMessage)
      else this.#refuse(RPC.invalidRequest, 'Invalid Request: a message is an object')
    }
  }

  /** An error that belongs to no request, for nobody can tell which it was. */
  #refuse(code: number, message: string): void {
    this.send({ jsonrpc: '2.0', id: null, error: { code, message } }).catch(() => {})
  }

  #end(): void {
    if (this.#closed) return
    this.#closed = true
    this.onclose?.()
  }
}

/** The server's own bytes between an envelope of ours: nothing is parsed, nothing can change. */
function largeLine(id: string | number, { bytes }: LargeResult): (string | Uint8Array)[] {
  const { buffer, byteOffset, byteLength } = bytes
  const own = Buffer.from(buffer, byteOffset, byteLength)
  return [`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, own, '}\n']
}
