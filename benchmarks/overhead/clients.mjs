/**
 * The client of every candidate: it sends what real clients send and parses every answer, and no more. Three ways to connect: lines
 * over standard input and output, streamable HTTP, and HTTP+SSE (for gateways that serve nothing newer).
 */
import { spawn } from 'node:child_process'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const PROTOCOL_VERSION = '2025-11-25'
const LIMIT_MS = 60_000
const START_LIMIT_MS = 30_000

/** The base of all ways: numbering, pairing, the handshake. A subclass gives `start`, `post` and `end`. */
class Client {
  #waiting = new Map()
  #nextId = 1
  /** Why nothing can come any more. */
  fault = undefined

  request(method, params) {
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      if (this.fault) return reject(new Error(this.fault))
      const timer = setTimeout(
        () => this.#settle(id, { error: { message: `no answer in ${LIMIT_MS / 1000} s` } }),
        LIMIT_MS,
      )
      this.#waiting.set(id, { resolve, reject, timer })
      this.post({ jsonrpc: '2.0', id, method, params })
    })
  }

  notify(method) {
    this.post({ jsonrpc: '2.0', method })
  }

  /** Resolves to the names of the tools by the ends of them: `tools.echo`. */
  async handshake() {
    await this.initialize()
    this.notify('notifications/initialized')
    this.listen?.()
    for (const until = Date.now() + START_LIMIT_MS; Date.now() < until; await sleep(50)) {
      const { tools } = await this.request('tools/list', {})
      const named = ['echo', 'big', 'slow'].map((end) => [
        end,
        tools.find(({ name }) => name.endsWith(end))?.name,
      ])
      if (named.every(([, name]) => name !== undefined)) return Object.fromEntries(named)
    }
    throw new Error('the tools of the server were never listed')
  }

  initialize() {
    const clientInfo = { name: 'benchmark', version: '1.0.0' }
    return this.request('initialize', { protocolVersion: PROTOCOL_VERSION, capabilities: {}, clientInfo })
  }

  received(message) {
    if (message.method !== undefined) {
      if (message.id !== undefined) this.post({ jsonrpc: '2.0', id: message.id, result: {} })
    } else this.#settle(message.id, message)
  }

  failed(reason) {
    this.fault ??= reason
    for (const id of [...this.#waiting.keys()]) this.#settle(id, { error: { message: reason } })
  }

  #settle(id, { result, error }) {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) return
    this.#waiting.delete(id)
    clearTimeout(waiting.timer)
    if (error) waiting.reject(new Error(error.message))
    else waiting.resolve(result)
  }
}

class StdioClient extends Client {
  #child
  #chunks = []

  async start(command, args, options) {
    this.#child = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'ignore'] })
    this.#child.stdout.on('data', (chunk) => this.#read(chunk))
    this.#child.stdin.on('error', () => {})
    this.#child.on('exit', (code, signal) => this.failed(`it ended (${signal ?? code})`))
    this.#child.on('error', (error) => this.failed(error.message))
  }

  get pid() {
    return this.#child.pid
  }

  post(message) {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`)
  }

  #read(chunk) {
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#chunks.push(chunk.subarray(start, end))
      const line = Buffer.concat(this.#chunks).toString('utf8')
      this.#chunks = []
      start = end + 1
      this.received(JSON.parse(line))
    }
    if (start < chunk.length) this.#chunks.push(chunk.subarray(start))
  }

  end() {
    return ended(this.#child)
  }
}

/** The base of the ways over HTTP: a process that listens, unless the address is of one that runs already. */
class HttpBase extends Client {
  agent = new Agent({ keepAlive: true, maxSockets: 64 })
  url
  child

  async start(command, args, { url, ...options }) {
    this.url = new URL(url)
    if (command === undefined) return
    this.child = spawn(command, args, { ...options, stdio: ['pipe', 'ignore', 'ignore'] })
    this.child.on('exit', (code, signal) => this.failed(`it ended (${signal ?? code})`))
    this.child.on('error', (error) => this.failed(error.message))
  }

  get pid() {
    return this.child?.pid
  }

  /** Asks until somebody listens. */
  async initialize() {
    for (const until = Date.now() + START_LIMIT_MS; ; await sleep(2)) {
      try {
        return await this.once(() => super.initialize())
      } catch (error) {
        if (this.fault || Date.now() > until || !/ECONNREFUSED|status 50/.test(error.message)) throw error
      }
    }
  }

  once(ask) {
    return ask()
  }

  /** Once more when the server had closed a connection that was kept for the next request (Node.js, http, `reusedSocket`). */
  open(method, headers, body, url = this.url) {
    return new Promise((resolve, reject) => {
      const sent = request(url, { agent: this.agent, method, headers })
      const failed = (error) => {
        if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(this.open(method, headers, body, url))
        else reject(error)
      }
      sent.on('response', resolve).on('error', failed).end(body)
    })
  }

  end() {
    this.agent.destroy()
    return this.child && ended(this.child)
  }
}

class StreamableHttpClient extends HttpBase {
  #session = {}

  post(message) {
    this.#send(message).catch((error) => {
      if (message.id !== undefined) this.received({ id: message.id, error: { message: error.message } })
    })
  }

  async #send(message) {
    const response = await this.open(
      'POST',
      this.#headers('application/json, text/event-stream', true),
      JSON.stringify(message),
    )
    const session = response.headers['mcp-session-id']
    if (session !== undefined)
      this.#session = { 'mcp-session-id': session, 'mcp-protocol-version': PROTOCOL_VERSION }
    if (/event-stream/.test(response.headers['content-type']))
      return events(response, (data) => data !== '' && this.received(JSON.parse(data)))
    const chunks = []
    for await (const chunk of response) chunks.push(chunk)
    if (response.statusCode >= 400)
      throw new Error(`status ${response.statusCode}: ${Buffer.concat(chunks).toString('utf8', 0, 200)}`)
    if (message.id !== undefined) this.received(JSON.parse(Buffer.concat(chunks).toString('utf8')))
  }

  /** The stream for what the server says unasked. Servers may have none. */
  listen() {
    this.open('GET', this.#headers('text/event-stream', false))
      .then((response) => events(response, (data) => data !== '' && this.received(JSON.parse(data))))
      .catch(() => {})
  }

  #headers(accept, hasBody) {
    return { accept, ...(hasBody && { 'content-type': 'application/json' }), ...this.#session }
  }
}

class SseClient extends HttpBase {
  #endpoint

  async once(ask) {
    const response = await this.open('GET', { accept: 'text/event-stream' })
    if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`)
    await new Promise((resolve, reject) => {
      events(response, (data, name) => {
        if (name !== 'endpoint') return this.received(JSON.parse(data))
        this.#endpoint = new URL(data, this.url)
        resolve()
      }).then(() => this.failed('the stream ended'), reject)
    })
    return ask()
  }

  post(message) {
    const headers = { 'content-type': 'application/json' }
    this.open('POST', headers, JSON.stringify(message), this.#endpoint)
      .then((response) => response.resume())
      .catch((error) => this.failed(error.message))
  }
}

/** Calls back for every event of a stream, in time linear in its length. */
async function events(response, onEvent) {
  let chunks = []
  let name
  let data = []
  for await (const chunk of response) {
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      chunks.push(chunk.subarray(start, end))
      const line = Buffer.concat(chunks).toString('utf8').replace(/\r$/, '')
      chunks = []
      start = end + 1
      if (line === '') {
        if (data.length > 0) onEvent(data.join('\n'), name)
        name = undefined
        data = []
      } else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5))
      else if (line.startsWith('event:')) name = line.slice(6).trim()
    }
    if (start < chunk.length) chunks.push(chunk.subarray(start))
  }
}

async function ended(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.stdin.end()
  const timer = setTimeout(() => child.kill('SIGTERM'), 1000)
  const last = setTimeout(() => child.kill('SIGKILL'), 6000)
  await gone
  clearTimeout(timer)
  clearTimeout(last)
}

const WAYS = { stdio: StdioClient, http: StreamableHttpClient, sse: SseClient }

/** A client of what is about to start. Nothing is sent before `initialize` or `handshake`. */
export async function connect({ way, command, args, url, env, cwd }) {
  const client = new WAYS[way]()
  await client.start(command, args, { url, cwd, env: { ...process.env, ...env } })
  return client
}
