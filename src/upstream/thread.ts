/** A module file in a thread of its own, as a transport. Its thread can be ended whatever it does. */
import { Worker } from 'node:worker_threads'
import type { JsonRpcMessage } from '../protocol/message.ts'
import type { Transport } from '../protocol/transport.ts'
import type { Logger } from '../telemetry/log.ts'
import { readMessages } from './incoming.ts'
import { type UpstreamTransport, wireMessage } from './upstream-transport.ts'

export interface ThreadOptions {
  /** The file, absolute. */
  path: string
  env: Readonly<Record<string, string>>
  /** An answer longer than this many bytes ends the thread. */
  maxMessageBytes: number
  logger: Logger
  /** Module of the thread. Default: the compiled `thread-host.ts`. */
  host?: URL | undefined
}

/** Megabytes that its objects may take. */
const HEAP_MB = 256
const LOGGED = 2_000

export class ThreadTransport implements UpstreamTransport {
  readonly kind = 'stdio'
  onmessage: Transport['onmessage']
  onclose: Transport['onclose']
  onerror: Transport['onerror']
  failure: string | undefined
  readonly #options: ThreadOptions
  #worker: Worker | undefined
  #ended = false

  constructor(options: ThreadOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    const { path, env, host = compiledHost(), logger } = this.#options
    const worker = new Worker(host, {
      workerData: { path },
      env,
      // What it prints must not get between the messages of the proxy.
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      name: 'module',
    })
    this.#worker = worker
    worker.unref()
    for (const stream of [worker.stdout, worker.stderr])
      stream.on('data', (chunk: Buffer) =>
        logger.debug({ text: chunk.toString('utf8').slice(0, LOGGED) }, 'a module wrote'),
      )
    worker.on('message', (text: unknown) => this.#receive(text))
    worker.on('error', (error) => this.#end(`failed: ${error.message.slice(0, LOGGED)}`))
    worker.on('exit', (code) => this.#end(`ended with code ${code}`))
  }

  async send(message: JsonRpcMessage): Promise<void> {
    if (this.#worker === undefined || this.#ended) throw new Error('the module takes no more input')
    this.#worker.postMessage(JSON.stringify(wireMessage(message)))
  }

  async close(): Promise<void> {
    if (this.#ended) return
    this.#ended = true
    await this.#worker?.terminate()
    this.onclose?.()
  }

  #receive(text: unknown): void {
    if (typeof text !== 'string' || this.#ended) return
    const { maxMessageBytes } = this.#options
    if (text.length > maxMessageBytes) {
      void this.#worker?.terminate()
      this.#end(`sent a message of ${text.length} characters; the limit is ${maxMessageBytes} bytes`)
      return
    }
    const bytes = Buffer.from(text)
    for (const message of readMessages([bytes], bytes.length, Number.POSITIVE_INFINITY) ?? [])
      this.onmessage?.(message)
  }

  #end(failure: string): void {
    if (this.#ended) return
    this.#ended = true
    this.failure = failure
    this.onclose?.()
  }
}

/** Beside this file in `dist`; from `src`, as tests run it, in the bundle, for threads cannot load TypeScript. */
function compiledHost(): URL {
  const compiled = import.meta.url.endsWith('.js')
  return new URL(compiled ? './thread-host.js' : '../../dist/bundle/thread-host.js', import.meta.url)
}
