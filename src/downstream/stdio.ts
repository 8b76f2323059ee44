/** The one local client on standard input and output: a message a line (MCP specification, basic/transports, "stdio"). */
import type { Readable, Writable } from 'node:stream'
import { RPC } from '../protocol/errors.ts'
import { isObject } from '../protocol/json.ts'
import { LineReader } from '../protocol/line-reader.ts'
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
  #draining: Promise<void> | undefined
  #closed = false

  constructor(options: StdioOptions) {
    this.#options = options
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
    const { output } = this.#options
    if (!('id' in message) && output.writableLength > MAX_BACKLOG)
      return Promise.reject(new Error('the client does not read: a notification was dropped'))
    const taken =
      'result' in message && message.result instanceof LargeResult
        ? writeLarge(output, message.id, message.result)
        : output.write(`${JSON.stringify(message)}\n`)
    return taken ? Promise.resolve() : this.#drained()
  }

  /** One promise for all who wait: a client that reads slowly must not gather listeners. */
  #drained(): Promise<void> {
    const { output } = this.#options
    this.#draining ??= new Promise<void>((resolve) => {
      const done = (): void => {
        output.off('drain', done).off('close', done)
        this.#draining = undefined
        resolve()
      }
      output.once('drain', done).once('close', done)
    })
    return this.#draining
  }

  async close(): Promise<void> {
    this.#options.input.pause()
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
function writeLarge(output: Writable, id: string | number, result: LargeResult): boolean {
  output.cork()
  output.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`)
  const { buffer, byteOffset, byteLength } = result.bytes
  output.write(Buffer.from(buffer, byteOffset, byteLength))
  const taken = output.write('}\n')
  output.uncork()
  return taken
}
