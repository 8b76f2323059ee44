/** A world for tests of the upstream side: fixture servers, clients, exchanges. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { silentLogger } from '../../src/observe/log.ts'
import { plain, type Result } from '../../src/protocol/content.ts'
import type { Client, Exchange } from '../../src/protocol/exchange.ts'
import type { JsonObject, JsonValue } from '../../src/protocol/json.ts'
import type { JsonRpcMessage, Notification, Request } from '../../src/protocol/message.ts'
import { type Later, later } from '../../src/upstream/backoff.ts'
import type { ListKind, Upstreams, UpstreamsOptions } from '../../src/upstream/contract.ts'
import type { InProcessServer } from '../../src/upstream/in-process.ts'
import { createUpstreams } from '../../src/upstream/pool.ts'
import type { StdioServer } from '../../src/upstream/stdio.ts'

const script = (name: string): string => fileURLToPath(new URL(`./servers/${name}`, import.meta.url))

/** A configuration that starts the stdio fixture; see `servers/stdio.mjs` for its options. */
export function stdioServer(options: JsonObject = {}): StdioServer {
  return { command: process.execPath, args: [script('stdio.mjs'), JSON.stringify(options)] }
}

/** The fixture as a part of this process. */
export async function inProcessServer(options: JsonObject = {}): Promise<InProcessServer> {
  const { connect } = (await import(script('fixture.mjs'))) as {
    connect(client: object, options: JsonObject): (message: unknown) => Promise<void>
  }
  return {
    id: 'fixture',
    async serve(transport) {
      const send = (message: JsonRpcMessage): void => void transport.send(message).catch(() => {})
      const receive = connect({ send }, options)
      transport.onmessage = (message) => void receive(message)
      await transport.start()
    },
  }
}

/** The fixture behind a shell that does not replace itself, as npx and others do. */
export function wrappedServer(options: JsonObject = {}): StdioServer {
  const line = 'exec 3<&0; "$0" "$1" "$2" <&3 & wait'
  return { command: 'sh', args: ['-c', line, process.execPath, script('stdio.mjs'), JSON.stringify(options)] }
}

export interface HttpFixture {
  /** Without a path. */
  url: string
  process: ChildProcess
  /** The body of a GET. */
  get(path: string): Promise<string>
  stop(): Promise<void>
}

/** Starts the HTTP fixture for the time of a test; see `servers/http.mjs`. */
export async function httpServer(options: JsonObject = {}): Promise<HttpFixture> {
  const child = spawn(process.execPath, [script('http.mjs'), JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const url = line.toString().trim()
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  onTestFinished(stop)
  return { url, process: child, stop, get: async (path) => (await fetch(url + path)).text() }
}

/** An empty folder for the time of a test, or for as long as `until` says. */
export function temporaryFolder(until: (remove: () => Promise<void>) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'upstream-'))
  until(async () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface Recorded {
  changed: [server: string, kind: ListKind][]
  notifications: { server: string; notification: Notification; client: Client | undefined }[]
}

/** Upstreams for the time of a test, with what they told recorded. */
export function upstreams(
  options: Pick<UpstreamsOptions, 'servers'> & Partial<UpstreamsOptions>,
): Upstreams & { recorded: Recorded } {
  const recorded: Recorded = { changed: [], notifications: [] }
  const pool = createUpstreams({
    identity: 'proxy-under-test',
    clientInfo: { name: 'proxy-under-test', version: '1' },
    logger: silentLogger,
    events: {
      changed: (server, kind) => recorded.changed.push([server, kind]),
      notification: (server, notification, client) =>
        recorded.notifications.push({ server, notification, client }),
    },
    ...options,
    // A busy machine takes its time to start a server.
    defaults: { connectTimeoutMs: 120_000, listWaitMs: 120_000, ...options.defaults },
  })
  onTestFinished(() => pool.close())
  return Object.assign(pool, { recorded })
}

/** A time limit that is over when the test says so, for servers of which it is not known how long they take. */
export interface Limit {
  /** Milliseconds by which it is known; far longer than a test takes. */
  readonly ms: number
  readonly later: Later
  /** How often it is waited for now. */
  readonly waiting: number
  /** For all who wait. */
  isOver(): void
}

export function limit(): Limit {
  const ms = 7_777_000
  const alarms = new Set<() => void>()
  return {
    ms,
    later(wanted, run) {
      if (wanted !== ms) return later(wanted, run)
      const alarm = (): void => run()
      alarms.add(alarm)
      return () => void alarms.delete(alarm)
    },
    get waiting() {
      return alarms.size
    },
    isOver() {
      for (const alarm of [...alarms]) if (alarms.delete(alarm)) alarm()
    },
  }
}

export interface FakeClient extends Client {
  readonly asked: Request[]
}

let clients = 0

/** A client that answers what it is asked with `answer`. */
export function client(capabilities: JsonObject = {}, answer: JsonObject = { answered: true }): FakeClient {
  const id = `client-${++clients}`
  const asked: Request[] = []
  return {
    id,
    agent: { id, kind: 'session' },
    era: 'legacy',
    info: {},
    capabilities,
    protocolVersion: '2025-11-25',
    asked,
    notify: () => {},
    ask: async (request) => {
      asked.push(request)
      return answer
    },
  }
}

export interface FakeExchange extends Exchange {
  readonly notified: Notification[]
}

/** An exchange of this client that records what it is told. */
export function exchange(owner: Client = client(), extra: Partial<Exchange> = {}): FakeExchange {
  const notified: Notification[] = []
  return {
    method: 'tools/call',
    params: {},
    client: owner,
    agent: owner.agent,
    signal: new AbortController().signal,
    notify: (notification) => notified.push(notification),
    notified,
    ...extra,
  }
}

/** A call of a tool. */
export function toolCall(name: string, args: JsonObject = {}, meta?: JsonObject): Request {
  const params: JsonObject = { name, arguments: args }
  return { method: 'tools/call', params: meta ? { ...params, _meta: meta } : params }
}

/** The text of a tool result. */
export function textOf(result: Result): string {
  const [block] = plain(result).content as JsonObject[]
  return String(block?.text)
}

/** The JSON in the text of a tool result. */
export function jsonOf(result: Result): JsonValue {
  return JSON.parse(textOf(result)) as JsonValue
}

/** Process ids the stdio fixture wrote to its `started` file. */
export function startedIn(file: string): number[] {
  // The part after the last line break is not complete yet, and most often empty.
  return readFileSync(file, 'utf8').split('\n').slice(0, -1).map(Number)
}

/** True while the process lives and is no zombie. */
export function lives(pid: number): boolean {
  try {
    const state = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0]
    return state !== 'Z' && state !== 'X'
  } catch {
    return false
  }
}
