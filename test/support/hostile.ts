/**
 * A proxy as a process of its own with an honest server, an attacker, and an honest client that asks for answers meanwhile. The
 * bounds are the same for every attack; see `expectUnharmed`.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { isObject, type JsonObject } from '../../src/protocol/json.ts'
import { descendantsOf, noneLives } from '../e2e/support/processes.ts'
import { memoryGroup } from './cgroup.mjs'
import { temporaryFolder } from './upstream.ts'

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
export const SERVER = file('../hostile/server.mjs')
export const CLIENT = file('../hostile/client.mjs')
const PROBE = file('../hostile/probe.mjs')
const MAIN = file('../../dist/main.js')

/** When a server attacks: before any message, after the handshake, when its tool is called; `http`: in answers and streams over HTTP. */
export type Moment = 'start' | 'ready' | 'call' | 'http'
/** How the honest client is connected. */
export type Front = 'stdio' | 'legacy' | 'modern'

/** The bounds that a proxy under attack has to keep. */
interface Bounds {
  /** Calls that the honest client makes one after the other while the attack goes on. */
  calls: number
  /** Milliseconds of processor time that all but one of a hundred turns of the event loop may take. */
  turnMs: number
  /** Milliseconds that most questions about a kept result may take. */
  questionMs: number
  /** Milliseconds from SIGTERM to the end of the process. */
  endMs: number
  /** Megabytes of memory that the process ever held. */
  residentMb: number
}

const INVARIANT: Bounds = {
  calls: 100,
  turnMs: 100,
  questionMs: 2000,
  endMs: 2000,
  residentMb: 768,
}

/**
 * For the short part of the catalogue, which runs beside other tests and on any machine. It measures processor time alone, with ten times
 * the bound. An attack that holds others up holds them for as long as it goes on.
 */
export const ON_ANY_MACHINE: Bounds = {
  ...INVARIANT,
  calls: 20,
  turnMs: 1000,
  questionMs: Number.POSITIVE_INFINITY,
  endMs: Number.POSITIVE_INFINITY,
}

/** Of JavaScript objects; the rest of the memory is for buffers and threads. */
const HEAP_MB = 512
/** Characters of an answer that the honest client reads. */
const LONGEST_ANSWER = 1024 * 1024
/** Questions among the calls. */
const QUESTIONS = 5

/** Attacks as a server, and expects that no other client is harmed. */
export async function serverAttacks(
  attack: string,
  moment: Moment,
  { front = 'legacy', bounds = INVARIANT }: { front?: Front; bounds?: Bounds } = {},
): Promise<void> {
  const proxy = await startBounded(front, bounds, async (run) => ({
    bad:
      moment === 'http'
        ? { url: await addressOf(start(SERVER, attack, moment)) }
        : run(process.execPath, [SERVER, attack, moment]),
  }))
  const me = await proxy.connect()
  const other = front === 'stdio' ? me : await proxy.connect()
  await expectUnharmed(proxy, me, bounds, () => {
    // Only the client that asks is attacked: the test does not wait for the answer.
    other.call('tools/list', {}).catch(() => {})
    other.call('tools/call', { name: 'bad_attack', arguments: {} }).catch(() => {})
  })
}

/** Attacks as a client over HTTP, and expects that no other client is harmed. */
export async function clientAttacks(
  attack: string,
  { front = 'legacy', bounds = INVARIANT }: { front?: 'legacy' | 'modern'; bounds?: Bounds } = {},
): Promise<void> {
  const proxy = await startBounded(front, bounds)
  const me = await proxy.connect()
  await expectUnharmed(proxy, me, bounds, async () => {
    const attacker = start(CLIENT, attack, proxy.url)
    await once(attacker.stdout ?? attacker, 'data')
  })
}

/** Writes to standard input whatever it likes between honest calls of its own, and expects that those are answered all the same. */
export async function stdioClientAttacks(
  bytes: () => string | Uint8Array,
  bounds = INVARIANT,
): Promise<void> {
  const proxy = await startBounded('stdio', bounds)
  const me = await proxy.connect()
  const write = (): void => {
    proxy.child.stdin?.write(bytes())
  }
  await expectUnharmed(proxy, me, bounds, write, write)
}

/** Makes the entry for a program of a server, so that it takes no memory of the proxy. */
type Run = (program: string, args: string[]) => JsonObject

/**
 * A proxy with the honest server and others. It and its workers have `residentMb` together, where the system lets a test set a limit and
 * the bound is the bound of the catalogue. Elsewhere the objects of the proxy itself are bounded.
 */
async function startBounded(
  front: Front,
  { residentMb }: Bounds,
  others: (run: Run) => JsonObject | Promise<JsonObject> = () => ({}),
): Promise<Proxy> {
  const group =
    residentMb === INVARIANT.residentMb
      ? memoryGroup(residentMb, `hostile-${process.pid}-${++groups}`)
      : undefined
  const run: Run = (program, args) => {
    const [command, rest] = group?.outside(program, args) ?? [program, args]
    return { command, args: rest }
  }
  if (group !== undefined)
    onTestFinished(async () => {
      expect(group.kills(), 'processes that the system ended for want of memory').toBe(0)
      await expect.poll(() => group.pids()).toEqual([])
      group.remove()
    })
  const servers = { good: run(process.execPath, [SERVER, 'none', 'ready']), ...(await others(run)) }
  return startProxy(
    servers,
    front,
    group && { settings: { memoryMb: residentMb }, wrap: group.command, node: [] },
  )
}

let groups = 0

/** The effect of an attack on an honest client: the 99th percentiles of turns and calls, and the median of questions, in milliseconds. */
interface Measured {
  attack: string
  turn: number
  call: number
  question: number
  end: number
  mb: number
}

const COLUMNS = ['turn', 'call', 'question', 'end', 'mb'] as const
const measured: Measured[] = []

function row(name: string, of: (column: (typeof COLUMNS)[number]) => number | string): string {
  return `${COLUMNS.map((column) => String(of(column)).padStart(9)).join('')}  ${name}\n`
}

/** Keeps what was measured, and prints it when many attacks are. */
function note(one: Measured, bounds: Bounds): void {
  measured.push(one)
  if (bounds === INVARIANT) process.stderr.write(row(one.attack, (column) => Math.round(one[column])))
}

/** The titles of the columns, and the worst value of each in all attacks so far. */
export function summaryOfAttacks(): string {
  return (
    row('p99 of turns (processor time) and calls, median of questions, end: ms; memory: MB', String) +
    row(`the worst of ${measured.length}`, (column) =>
      Math.max(...measured.map((one) => Math.round(one[column]))),
    )
  )
}

/**
 * While the attack goes on, all calls and questions of the honest client are answered, and no turn of the event loop is long. Then
 * SIGTERM ends the process soon, its memory was bounded, and nothing that it started is left.
 *
 * @param attack begins the attack
 * @param again is done before each call
 */
async function expectUnharmed(
  proxy: Proxy,
  { call }: HonestClient,
  bounds: Bounds,
  attack: () => void | Promise<void>,
  again: () => void = () => {},
): Promise<void> {
  const kept = textOf(await call('tools/call', { name: 'good_list', arguments: {} }))
  const handle = /cache_id[^\w]+([\w-]{6,})/.exec(kept)?.[1]
  expect(handle, kept.slice(0, 500)).toBeDefined()
  proxy.child.send('begin')
  await attack()
  const honest = [process.pid, proxy.pid, ...descendantsOf(proxy.pid).filter(isHonest)]
  const questions: number[] = []
  const calls: number[] = []
  for (let sent = 1; sent <= bounds.calls; sent++) {
    again()
    const called = stopwatch(honest)
    const { result } = await call('tools/call', { name: 'good_attack', arguments: {} })
    calls.push(called.ms())
    expect(isObject(result), `call ${sent} was answered`).toBe(true)
    if (sent % Math.ceil(bounds.calls / QUESTIONS) !== 0) continue
    const time = stopwatch([process.pid, proxy.pid], workersOf(proxy.pid))
    const where = { cache_id: handle ?? '', where: [`id = ${sent}`] }
    const answer = textOf(await call('tools/call', { name: 'proxy_filter', arguments: where }))
    questions.push(time.ms())
    expect(answer).toContain(`row ${sent}.`)
  }
  const { turns } = await proxy.tell()
  const mb = residentMb(proxy.pid)
  const started = descendantsOf(proxy.pid)
  const time = stopwatch([proxy.pid], started)
  const watch = setInterval(() => time.look(), 20)
  proxy.child.kill('SIGTERM')
  await proxy.ended
  clearInterval(watch)
  const told = {
    attack: expect.getState().currentTestName ?? '',
    turn: percentile(turns, 0.99),
    call: percentile(calls, 0.99),
    question: percentile(questions, 0.5),
    end: time.ms(),
    mb,
  }
  note(told, bounds)
  expect(told.turn, 'ms of processor time of a turn').toBeLessThan(bounds.turnMs)
  // The time of a call is shown and not judged: it is the time of all processes on the way, for which attackers compete.
  expect(told.question, 'ms that a question took').toBeLessThan(bounds.questionMs)
  expect(told.end, 'ms from SIGTERM to the end').toBeLessThan(bounds.endMs)
  expect(mb, 'MB of memory held').toBeLessThan(bounds.residentMb)
  await noneLives(started)
}

export interface Proxy {
  readonly child: ChildProcess
  readonly pid: number
  /** Where it listens; empty over standard input and output. */
  readonly url: string
  readonly ended: Promise<unknown>
  /** An honest client, introduced; one at most over standard input and output. */
  connect(): Promise<HonestClient>
  /** Milliseconds of processor time of each turn since the probe was told to begin, sorted. */
  tell(): Promise<{ turns: number[] }>
}

/** How a proxy is started, where that is not as for most attacks. */
interface Start {
  settings?: JsonObject
  /** Gives the command and the arguments that start the program. */
  wrap?: (program: string, args: string[]) => [string, string[]]
  /** Options of Node. */
  node?: string[]
}

/** Starts a proxy for the time of a test, with the probe in it. */
export async function startProxy(
  mcpServers: JsonObject,
  front: Front,
  {
    settings = {},
    wrap = (program, args) => [program, args],
    node = [`--max-old-space-size=${HEAP_MB}`],
  }: Start = {},
): Promise<Proxy> {
  const folder = temporaryFolder()
  const config = join(folder, 'mcp.json')
  const proxySettings = { dataDir: join(folder, 'data'), ...settings }
  writeFileSync(config, JSON.stringify({ mcpServers, proxySettings }))
  const transport = front === 'stdio' ? ['stdio'] : ['streamable-http', '--port', '0']
  const args = [...node, '--import', PROBE, MAIN, '--config', config, '--transport', ...transport]
  const child = spawn(...wrap(process.execPath, args), { stdio: ['pipe', 'pipe', 'pipe', 'ipc'] })
  const ended = once(child, 'exit')
  let said = ''
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.on('data', (chunk) => {
      said = `${said}${chunk}`.slice(-10_000)
      const found = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(said)
      if (found) resolve(found[0])
    })
    if (front === 'stdio') resolve('')
    child.once('exit', (code, signal) => reject(new Error(`the proxy ended with ${code ?? signal}: ${said}`)))
  })
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(`The proxy said at last:\n${said.slice(-3000)}\n`)
    await end(child)
  })
  child.stdin?.on('error', () => {})
  const connect = {
    stdio: () => legacyClient(lineWire(child)),
    legacy: () => legacyClient(httpWire(url)),
    modern: async () => modernClient(httpWire(url)),
  }
  return {
    child,
    pid: child.pid ?? 0,
    url,
    ended,
    connect: connect[front],
    async tell() {
      const told = once(child, 'message')
      child.send('tell')
      const [answer] = await told
      return answer as { turns: number[] }
    },
  }
}

export interface HonestClient {
  /** Resolves to the whole answer, an error among them. */
  call(method: string, params: JsonObject): Promise<JsonObject>
}

/** Sends a message and resolves to its answer, if it is a request. */
type Wire = (
  message: JsonObject,
  headers?: Record<string, string>,
) => Promise<{ answer: JsonObject; session: string }>

const LEGACY = '2025-11-25'
const MODERN = '2026-07-28'
const INFO = { name: 'honest', version: '1' }

async function legacyClient(wire: Wire): Promise<HonestClient> {
  let id = 0
  let session: Record<string, string> = {}
  const call = async (method: string, params: JsonObject): Promise<JsonObject> => {
    const { answer } = await wire({ jsonrpc: '2.0', id: ++id, method, params }, session)
    return answer
  }
  const introduction = {
    protocolVersion: LEGACY,
    capabilities: { sampling: {}, roots: {} },
    clientInfo: INFO,
  }
  const opened = await wire({ jsonrpc: '2.0', id: ++id, method: 'initialize', params: introduction })
  if (opened.session !== '') session = { 'mcp-session-id': opened.session }
  await wire({ jsonrpc: '2.0', method: 'notifications/initialized' }, session)
  // The list of the honest server is there before the attack counts.
  await call('tools/call', { name: 'good_attack', arguments: {} })
  return { call }
}

function modernClient(wire: Wire): HonestClient {
  let id = 0
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': INFO,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return {
    async call(method, params) {
      const headers = {
        'mcp-protocol-version': MODERN,
        'mcp-method': method,
        ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
      }
      const { answer } = await wire(
        { jsonrpc: '2.0', id: ++id, method, params: { ...params, _meta } },
        headers,
      )
      return answer
    },
  }
}

function httpWire(url: string): Wire {
  return async (message, headers) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify(message),
    })
    const text = await endOf(response)
    if (!response.ok) throw new Error(`${response.status}: ${text}`)
    const data = text
      .split('\n')
      .filter((line) => line.startsWith('data: {'))
      .at(-1)
    const answer = text === '' ? {} : (JSON.parse(data?.slice(6) ?? text) as JsonObject)
    return { answer, session: response.headers.get('mcp-session-id') ?? '' }
  }
}

/** The last characters of a body: what an attacker has sent before the answer is not kept. */
async function endOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.length > 2 * LONGEST_ANSWER) text = text.slice(-LONGEST_ANSWER)
  }
  return text
}

function lineWire({ stdin, stdout }: ChildProcess): Wire {
  if (stdin === null || stdout === null) throw new Error('the proxy has no standard input and output')
  const waiting = new Map<unknown, (answer: JsonObject) => void>()
  createInterface({ input: stdout }).on('line', (line) => {
    if (line.length > LONGEST_ANSWER) return
    const message = JSON.parse(line) as JsonObject
    if (message.method === undefined) waiting.get(message.id)?.(message)
  })
  return async (message) => {
    stdin.write(`${JSON.stringify(message)}\n`)
    if (message.id === undefined) return { answer: {}, session: '' }
    const answer = await new Promise<JsonObject>((resolve) => waiting.set(message.id, resolve))
    waiting.delete(message.id)
    return { answer, session: '' }
  }
}

export function textOf({ result, error }: JsonObject): string {
  const content = isObject(result) && Array.isArray(result.content) ? result.content : []
  return (
    content.map((block) => (isObject(block) ? String(block.text) : '')).join('\n') || JSON.stringify(error)
  )
}

/**
 * Milliseconds since now, less the time in which the main threads of these processes were ready and had to wait for a processor. A
 * question passes these processes one after the other. Of `others`, which work beside each other, the longest wait counts. `look` notes
 * how long they have waited, for processes that end.
 */
function stopwatch(pids: readonly number[], others: readonly number[] = []): { look(): void; ms(): number } {
  const all = [...pids, ...others]
  const before = all.map(waitOf)
  const waited = all.map(() => 0)
  const began = performance.now()
  const look = (): void =>
    all.forEach((pid, at) => {
      waited[at] = Math.max(waited[at] ?? 0, waitOf(pid) - (before[at] ?? 0))
    })
  return {
    look,
    ms() {
      look()
      const inTurn = waited.slice(0, pids.length).reduce((sum, one) => sum + one, 0)
      return Math.max(0, performance.now() - began - inTurn - Math.max(0, ...waited.slice(pids.length)))
    },
  }
}

/** Milliseconds that the main thread of a process has waited for a processor; 0 where the system does not tell. */
function waitOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}

/** The number that a part of all is at most. */
function percentile(numbers: readonly number[], part: number): number {
  return [...numbers].sort((a, b) => a - b)[Math.ceil(numbers.length * part) - 1] ?? 0
}

/** Processes in which the proxy answers questions. */
function workersOf(pid: number): number[] {
  return descendantsOf(pid).filter((child) => commandOf(child).includes('worker-process.js'))
}

/** A process of the honest server. */
function isHonest(pid: number): boolean {
  return commandOf(pid).includes(`${SERVER}\0none\0`)
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
  } catch {
    return ''
  }
}

/** The most that the process ever held; 0 where the system does not tell. */
function residentMb(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

/** Starts a program of the catalogue for the time of a test. */
export function start(program: string, ...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'ignore'] })
  onTestFinished(() => end(child))
  return child
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

async function addressOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the server has no output')
  for await (const line of createInterface({ input: stdout })) return line
  throw new Error('the server printed no address')
}
