/**
 * MCP with a server of this process. Messages are copied as JSON, as they are between processes. So neither side can change the objects
 * of the other, and large answers are handed on as bytes.
 */
import { messageOf } from '../protocol/errors.ts'
import type { JsonRpcMessage, Transport } from '../protocol/message.ts'
import { type ReadLimits, readMessages, TooMuch } from './incoming.ts'
import type { ServerSettings, UpstreamTransport } from './transport.ts'

/**
 * Serves on its end of a new connection: sets its handlers and starts it, as `connect` of a server of the MCP SDK does. An error that it
 * throws is the reason that the server could not be started.
 */
export type Serve = (transport: Transport) => unknown

/** A function of this process. */
export interface InProcessServer extends ServerSettings {
  /** Tells it from others, in every run. */
  id: string
  serve: Serve
}

export interface InProcessOptions extends ReadLimits {
  serve: Serve
  /** Strikes secrets out of what the server says when it fails. */
  conceal(text: string): string
}

export class InProcessTransport implements UpstreamTransport {
  readonly kind = 'in-process'
  readonly local = true
  onmessage: Transport['onmessage']
  onclose: Transport['onclose']
  onerror: Transport['onerror']
  failure: string | undefined
  readonly #options: InProcessOptions
  readonly #far: Transport
  #open = false

  constructor(options: InProcessOptions) {
    this.#options = options
    this.#far = {
      start: async () => {},
      send: async (message) => this.#receive(message),
      close: async () => this.#end('closed the connection'),
    }
  }

  async start(): Promise<void> {
    this.#open = true
    try {
      await this.#options.serve(this.#far)
    } catch (error) {
      this.failure = `could not be started: ${this.#options.conceal(messageOf(error))}`
      throw new Error(this.failure)
    }
  }

  async send(message: JsonRpcMessage): Promise<void> {
    if (!this.#open) throw new Error('the server takes no more input')
    const copy = JSON.parse(JSON.stringify(message)) as JsonRpcMessage
    this.#later(() => this.#far.onmessage?.(copy))
  }

  async close(): Promise<void> {
    this.#end(undefined)
  }

  #receive(message: JsonRpcMessage): void {
    if (!this.#open) throw new Error('the connection is closed')
    const bytes = Buffer.from(JSON.stringify(message))
    const messages = readMessages([bytes], bytes.length, this.#options) ?? []
    if (messages instanceof TooMuch) throw new Error(messages.words)
    this.#later(() => {
      for (const one of messages) this.onmessage?.(one)
    })
  }

  /** In a later turn, as on a wire: the sender is not called back before `send` has returned. In the order of the calls. */
  #later(deliver: () => void): void {
    setImmediate(() => {
      if (!this.#open) return
      try {
        deliver()
      } catch (error) {
        this.onerror?.(error instanceof Error ? error : new Error(messageOf(error)))
      }
    })
  }

  #end(failure: string | undefined): void {
    if (!this.#open) return
    this.#open = false
    this.failure = failure
    this.#far.onclose?.()
    this.onclose?.()
  }
}
