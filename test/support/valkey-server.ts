/** A real Valkey or Redis, started on loopback with a directory of its own. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe } from 'vitest'
import { ownPort } from './own-port.ts'

/** The command of this machine. Undefined: none is installed. */
const SERVER = ['valkey-server', 'redis-server'].find((name) => {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})

if (SERVER === undefined)
  process.stderr.write(
    '\nSKIPPED: tests of the shared store need a server. Install one: apt-get install -y redis-server (or valkey-server)\n\n',
  )

/** `describe` where there is a server, else skipped. */
export const describeWithValkey = describe.skipIf(SERVER === undefined)

export interface ValkeyServer {
  readonly port: number
  /** Without credentials. */
  readonly url: string
  readonly child: ChildProcess
  /** One command by a connection of its own, as in a shell; the first line of the answer. */
  tell(...words: string[]): Promise<string>
  /** Starts it again at the same port, after it ended. */
  restart(): Promise<void>
  kill(): Promise<void>
  /** Ends it and removes its directory. */
  stop(): Promise<void>
}

/** `settings` as on the command line: `['--maxmemory', '10mb']`. */
export function startValkey(settings: readonly string[] = []): Promise<ValkeyServer> {
  return startProcess(['--save', '', '--loglevel', 'warning', ...settings])
}

async function startProcess(settings: readonly string[]): Promise<ValkeyServer> {
  if (SERVER === undefined) throw new Error('no server is installed')
  const command = SERVER
  const directory = mkdtempSync(join(tmpdir(), 'valkey-'))
  const port = await ownPort()
  // Sentinel writes what it learns into its file.
  const file = join(directory, 'own.conf')
  writeFileSync(file, '')
  let child = start()

  function start(): ChildProcess {
    const own = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory]
    return spawn(command, [file, ...own, ...settings], { stdio: 'ignore' })
  }

  async function answers(): Promise<void> {
    while (!/PONG|NOAUTH|NOPERM/.test(await tell('PING').catch(() => ''))) {
      if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}`)
      await sleep(20)
    }
  }

  async function tell(...words: string[]): Promise<string> {
    return (await answer(port, words)).split('\r\n')[0] ?? ''
  }

  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
  }

  await answers()
  return {
    port,
    url: `valkey://127.0.0.1:${port}`,
    get child() {
      return child
    },
    tell,
    async restart() {
      await kill()
      child = start()
      await answers()
    },
    kill,
    async stop() {
      await kill()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** The first piece of an answer, as it comes. */
function answer(port: number, words: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', reject)
    socket.once('data', (data) => {
      resolve(String(data))
      socket.destroy()
    })
    const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`)
    socket.write(`*${words.length}\r\n${parts.join('')}`)
  })
}

/** Several servers that are one store. */
export interface ValkeyServers {
  /** Without credentials. */
  readonly url: string
  readonly servers: readonly ValkeyServer[]
  /** Removes all keys of each server that takes commands that write. */
  flush(): Promise<void>
  stop(): Promise<void>
}

export interface SentinelServers extends ValkeyServers {
  readonly sentinel: ValkeyServer
  /** The server that is the master now, as Sentinel says. */
  master(): Promise<ValkeyServer>
}

const MASTER = 'results'

/** A master, its replica, and one Sentinel that decides by itself. */
export async function startSentinel(settings: readonly string[] = []): Promise<SentinelServers> {
  const first = await startValkey(settings)
  const second = await startValkey([...settings, '--replicaof', '127.0.0.1', String(first.port)])
  const sentinel = await startProcess(['--sentinel'])
  await sentinel.tell('SENTINEL', 'MONITOR', MASTER, '127.0.0.1', String(first.port), '1')
  await sentinel.tell('SENTINEL', 'SET', MASTER, 'down-after-milliseconds', '500')
  await sentinel.tell('SENTINEL', 'SET', MASTER, 'failover-timeout', '2000')
  const servers = [first, second]
  // Sentinel asks the master for its replicas every ten seconds, and a failover needs a replica.
  const state = () => answer(sentinel.port, ['SENTINEL', 'REPLICAS', MASTER])
  while (!/master-link-status\r\n\$2\r\nok/.test(await state())) await sleep(50)
  return {
    url: `valkey+sentinel://127.0.0.1:${sentinel.port}/${MASTER}`,
    servers,
    sentinel,
    async master() {
      const named = await answer(sentinel.port, ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', MASTER])
      const found = servers.find(({ port }) => named.includes(`\r\n${port}\r\n`))
      if (found === undefined) throw new Error(`Sentinel names no master: ${named}`)
      return found
    },
    flush: () => flushed(servers),
    async stop() {
      for (const server of [sentinel, ...servers]) await server.stop()
    },
  }
}

/** Three nodes of a cluster, each with a third of the slots. */
export async function startCluster(settings: readonly string[] = []): Promise<ValkeyServers> {
  const servers: ValkeyServer[] = []
  // Nodes talk to each other at a second port, by default one that the system gives to others.
  const buses: number[] = []
  for (let nth = 0; nth < 3; nth++) {
    const bus = await ownPort()
    buses.push(bus)
    const own = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '1000', '--cluster-port', String(bus)]
    servers.push(await startValkey([...own, '--cluster-config-file', 'nodes', ...settings]))
  }
  const [first] = servers
  if (first === undefined) throw new Error('a cluster has nodes')
  for (const [nth, server] of servers.entries()) {
    const [from, to] = [nth, nth + 1].map((part) => Math.floor((16_384 * part) / servers.length))
    await server.tell('CLUSTER', 'ADDSLOTSRANGE', String(from), String((to ?? 0) - 1))
    await server.tell('CLUSTER', 'SET-CONFIG-EPOCH', String(nth + 1))
  }
  for (const [nth, { port }] of servers.entries())
    if (nth > 0) await first.tell('CLUSTER', 'MEET', '127.0.0.1', String(port), String(buses[nth]))
  for (const { port } of servers)
    while (!/cluster_state:ok[\s\S]*cluster_known_nodes:3/.test(await answer(port, ['CLUSTER', 'INFO'])))
      await sleep(50)
  return {
    url: `valkey+cluster://${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    servers,
    flush: () => flushed(servers),
    async stop() {
      for (const server of servers) await server.stop()
    },
  }
}

async function flushed(servers: readonly ValkeyServer[]): Promise<void> {
  // A replica refuses, and follows its master.
  for (const server of servers) await server.tell('FLUSHALL').catch(() => {})
}
