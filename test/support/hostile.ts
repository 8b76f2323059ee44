/** A gateway with an honest server, an attacker, and an honest client that counts its answers. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { parseConfig } from '../../src/config/load-program.ts'
import { createGateway } from '../../src/gateway.ts'
import { isObject, type JsonObject } from '../../src/protocol/json.ts'
import { temporaryFolder } from './upstream.ts'

const SERVER = fileURLToPath(new URL('../hostile/server.mjs', import.meta.url))
const CLIENT = fileURLToPath(new URL('../hostile/client.mjs', import.meta.url))

/** When a server attacks. */
export type Moment = 'start' | 'ready' | 'call' | 'http'

/** Calls that the honest client makes one after the other while the attack goes on. */
const CALLS = 60
/** Milliseconds of processor time that all but one of a hundred turns of the event loop may take. */
const TURN_MS = 100

const HONEST = { command: process.execPath, args: [SERVER, 'none', 'ready'] }

/** Attacks as a server, and expects that the calls of another server are answered meanwhile. */
export async function serverAttacks(attack: string, moment: Moment): Promise<void> {
  const bad =
    moment === 'http'
      ? { url: await addressOf(start(SERVER, attack, moment)) }
      : { command: process.execPath, args: [SERVER, attack, moment] }
  const { url, close } = await gatewayWith({ good: HONEST, bad })
  const me = await honestClient(url)
  const other = await honestClient(url)
  // It is attacked who asks for it: nobody waits for the answer.
  const abandoned = [
    other.call('tools/list', {}),
    other.call('tools/call', { name: 'bad_attack', arguments: {} }),
  ]
  for (const one of abandoned) one.catch(() => {})
  await expectAnswers(me)
  await close()
}

/** Attacks as a client, and expects that the calls of another client are answered meanwhile. */
export async function clientAttacks(attack: string): Promise<void> {
  const { url, close } = await gatewayWith({ good: HONEST })
  const me = await honestClient(url)
  const attacker = start(CLIENT, attack, url)
  await once(attacker.stdout ?? attacker, 'data')
  await expectAnswers(me)
  await end(attacker)
  await close()
}

async function gatewayWith(mcpServers: JsonObject): Promise<{ url: string; close(): Promise<void> }> {
  const proxySettings = { transport: 'streamable-http', port: 0, dataDir: temporaryFolder() }
  const gateway = await createGateway(parseConfig({ mcpServers, proxySettings }))
  onTestFinished(() => gateway.close())
  const { url = '' } = await gateway.start()
  return { url, close: () => gateway.close() }
}

interface HonestClient {
  call(method: string, params: JsonObject): Promise<JsonObject>
}

async function expectAnswers({ call }: HonestClient): Promise<void> {
  const turns = watchTurns()
  let answered = 0
  for (let sent = 0; sent < CALLS; sent++) {
    const answer = await call('tools/call', { name: 'good_attack', arguments: {} })
    if (isObject(answer.result)) answered++
  }
  expect(answered).toBe(CALLS)
  expect(turns.worst()).toBeLessThan(TURN_MS)
}

/** Processor time between two turns of the event loop: other processes of a busy machine do not count. */
function watchTurns(): { worst(): number } {
  const turns: number[] = []
  let last = process.cpuUsage()
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(last)
    last = process.cpuUsage()
    turns.push((user + system) / 1000)
  }, 1)
  return {
    worst() {
      clearInterval(timer)
      turns.sort((a, b) => a - b)
      return turns[Math.floor(turns.length * 0.99) - 1] ?? 0
    },
  }
}

async function honestClient(url: string): Promise<HonestClient> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  let id = 0
  const send = async (message: JsonObject): Promise<Response> => {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    })
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
    return response
  }
  const call = async (method: string, params: JsonObject): Promise<JsonObject> => {
    const text = await (await send({ id: ++id, method, params })).text()
    const data = text
      .split('\n')
      .filter((line) => line.startsWith('data: {'))
      .at(-1)
    return JSON.parse(data?.slice(6) ?? text) as JsonObject
  }
  const opened = await send({
    id: ++id,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: { sampling: {}, roots: {} },
      clientInfo: { name: 'h', version: '1' },
    },
  })
  headers['mcp-session-id'] = opened.headers.get('mcp-session-id') ?? ''
  await opened.text()
  await send({ method: 'notifications/initialized' })
  // The list of the honest server is there before the attack counts.
  await call('tools/call', { name: 'good_attack', arguments: {} })
  return { call }
}

function start(file: string, ...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['pipe', 'pipe', 'ignore'] })
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
