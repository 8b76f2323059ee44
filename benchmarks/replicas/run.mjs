/**
 * Replicas behind a real nginx over one Valkey or Redis. Measures how many calls 1, 2 and 4 of them answer in a second. Also measures the
 * cost of the shared store against the local one, and the memory of idle sessions. Needs `valkey-server` or `redis-server`, and `nginx`.
 * Linux alone: memory is read from /proc.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, connect as open } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { machine, median, quantile } from '../lib/measure.mjs'
import { connect } from '../overhead/clients.mjs'
import { memory } from '../overhead/measures.mjs'

const RECORD = 'benchmarks/results/replicas.json'
const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const MAIN = here('../../dist/main.js')
const UPSTREAM = here('../overhead/upstream.mjs')
const KEY = 'a key that all replicas have'

const HELP = `npm run bench -- replicas [--rounds N] [--calls N] [--sessions 100,1000]

  --rounds N      runs of each kind, in turns (default 3)
  --calls N       small calls of a run (default 4000)
  --sessions …    numbers of idle sessions (default 100,1000,10000)
  --help          this

Tables go to stdout. It measures dist/: npm run build first.`

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    calls: { type: 'string', default: '4000' },
    sessions: { type: 'string', default: '100,1000,10000' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

const CLIENTS = 16
const LARGE = { bytes: 1_000_000, calls: 48, atOnce: 4 }

/** The first is what the others are measured against. */
const KINDS = [
  { name: '1 replica, local store', replicas: 1, isShared: false },
  { name: '1 replica', replicas: 1, isShared: true },
  { name: '2 replicas', replicas: 2, isShared: true },
  { name: '4 replicas', replicas: 4, isShared: true },
]

if (options.help) console.log(HELP)
else await measure(Number(options.rounds), Number(options.calls), options.sessions.split(',').map(Number))

async function measure(rounds, calls, sessions) {
  const folder = mkdtempSync(join(tmpdir(), 'replicas-'))
  const ends = []
  try {
    const store = await startStore(folder, ends)
    const upstream = await startUpstream(ends)
    const world = { folder, store, upstream }
    const runs = Object.fromEntries(KINDS.map(({ name }) => [name, []]))
    for (let round = 0; round < rounds; round++)
      for (const kind of KINDS) {
        runs[kind.name].push(await throughput(world, kind, calls))
        console.error(kind.name, runs[kind.name].at(-1))
      }
    const rows = KINDS.map(({ name }) => {
      const of = (key) => Math.round(median(runs[name].map((run) => run[key])) * 10) / 10
      const keys = ['perSecond', 'p50', 'p99', 'largePerSecond', 'largeP50', 'largeP99', 'askP50']
      return { name, ...Object.fromEntries(keys.map((key) => [key, of(key)])) }
    })
    console.table(rows)
    const idle = []
    for (const count of sessions) {
      idle.push(await idleSessions(world, count))
      console.error(idle.at(-1))
    }
    console.table(idle)
    const record = { machine: machine(), rounds, calls, clients: CLIENTS, large: LARGE, rows, idle }
    writeFileSync(RECORD, `${JSON.stringify(record, null, 2)}\n`)
  } finally {
    for (const end of ends.reverse()) await end()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Calls by clients that each have a session, which go to the replicas in turn. Times in milliseconds. */
async function throughput(world, kind, calls) {
  return withReplicas(world, kind, async ({ url }) => {
    const clients = await Promise.all(Array.from({ length: CLIENTS }, () => connect({ way: 'http', url })))
    const tools = await Promise.all(clients.map((client) => client.handshake()))
    const echo = (at) =>
      clients[at].request('tools/call', { name: tools[at].echo, arguments: { text: 'x'.repeat(100) } })
    await inTurns(500, CLIENTS, echo)
    const small = await inTurns(calls, CLIENTS, echo)
    const handles = []
    const big = async (at) => {
      const { content } = await clients[at].request('tools/call', {
        name: tools[at].big,
        arguments: { bytes: LARGE.bytes },
      })
      handles.push([at, /cache_id (\w+)/.exec(content[0].text)[1]])
    }
    await inTurns(LARGE.atOnce * 2, LARGE.atOnce, big)
    const large = await inTurns(LARGE.calls, LARGE.atOnce, big)
    const asked = await inTurns(LARGE.calls, 1, (_, nth) => {
      const [at, cache_id] = handles.at(-1 - nth)
      return clients[at].request('tools/call', {
        name: 'proxy_filter',
        arguments: { cache_id, where: ['score > 990'], aggregate: 'count' },
      })
    })
    for (const client of clients) await client.end()
    const { perSecond: largePerSecond, p50: largeP50, p99: largeP99 } = figures(large)
    return { ...figures(small), largePerSecond, largeP50, largeP99, askP50: quantile(asked.times, 0.5) }
  })
}

/** The cost of idle sessions at one replica: memory of the replica, bytes in the store, and a call beside them. */
async function idleSessions(world, count) {
  return withReplicas(world, { replicas: 1, isShared: true }, async ({ url, pids }) => {
    const client = await connect({ way: 'http', url })
    const tools = await client.handshake()
    const call = () => client.request('tools/call', { name: tools.echo, arguments: { text: 'x' } })
    await inTurns(300, 1, call)
    const before = { mb: memory(pids[0]).now, bytes: await world.store.bytes() }
    const begun = performance.now()
    await inTurns(count, 32, async () => {
      const idle = await connect({ way: 'http', url })
      await idle.initialize()
      idle.agent.destroy()
    })
    const ms = (performance.now() - begun) / count
    await sleep(1000)
    const after = { mb: memory(pids[0]).now, bytes: await world.store.bytes() }
    const { times } = await inTurns(500, 1, call)
    await client.end()
    return {
      sessions: count,
      kbEach: Math.round(((after.mb - before.mb) * 1024) / count),
      storeBytesEach: Math.round((after.bytes - before.bytes) / count),
      openMs: Math.round(ms * 10) / 10,
      callP50: Math.round(quantile(times, 0.5) * 100) / 100,
    }
  })
}

/** So many calls, so many at once; the clients take turns. */
async function inTurns(count, atOnce, call) {
  const times = []
  let next = 0
  const begun = performance.now()
  await Promise.all(
    Array.from({ length: atOnce }, async (_, at) => {
      for (let nth = next++; nth < count; nth = next++) {
        const from = performance.now()
        await call(at, nth)
        times.push(performance.now() - from)
      }
    }),
  )
  return { times, perSecond: (count * 1000) / (performance.now() - begun) }
}

function figures({ times, perSecond }) {
  return { perSecond, p50: quantile(times, 0.5), p99: quantile(times, 0.99) }
}

/** Does the work with replicas behind a balancer, and ends them. */
async function withReplicas({ folder, store, upstream }, { replicas, isShared }, work) {
  const ends = []
  try {
    await store.clear()
    const home = mkdtempSync(join(folder, 'home-'))
    const file = join(home, 'mcp.json')
    writeFileSync(file, JSON.stringify(configuration(upstream, isShared ? store.url : undefined)))
    const started = await Promise.all(
      Array.from({ length: replicas }, (_, nth) => startProxy(file, join(home, `data-${nth}`), ends)),
    )
    const url = await startBalancer(
      home,
      started.map(({ port }) => port),
      ends,
    )
    return await work({ url, pids: started.map(({ pid }) => pid) })
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

function configuration(url, store) {
  return {
    mcpServers: { up: { url, instance: 'shared' } },
    proxySettings: {
      sessions: { key: KEY },
      ...(store && { store: { url: store, key: 'a key of the store' } }),
      maxTotalAgents: 1_000_000,
      limits: { clientSessions: 1_000_000, connections: 100_000 },
      repeats: 'preview',
      log: { level: 'error' },
    },
  }
}

async function startProxy(file, data, ends) {
  const port = await freePort()
  const args = [MAIN, '--config', file, '--transport', 'streamable-http', '--port', String(port)]
  const env = { ...process.env, MCPPROXY_DATA_DIR: data }
  const child = spawn(process.execPath, args, { env, stdio: 'ignore' })
  ends.push(() => ended(child))
  await listens(port, child)
  return { port, pid: child.pid }
}

async function startUpstream(ends) {
  const child = spawn(process.execPath, [UPSTREAM, 'http'], { stdio: ['pipe', 'pipe', 'inherit'] })
  ends.push(() => ended(child))
  const [line] = await once(child.stdout, 'data')
  return String(line).trim()
}

async function startBalancer(home, ports, ends) {
  const port = await freePort()
  const directory = join(home, 'nginx')
  mkdirSync(directory)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`,
  )
  writeFileSync(
    join(directory, 'nginx.conf'),
    `daemon off; pid ${directory}/pid; error_log ${directory}/error.log; events { worker_connections 4096; }
http {
  access_log off; ${paths.join(' ')}
  upstream replicas { ${ports.map((one) => `server 127.0.0.1:${one} max_fails=0;`).join(' ')} }
  proxy_http_version 1.1; proxy_set_header Host $http_host; proxy_set_header Connection "";
  proxy_set_header Idempotency-Key $request_id; proxy_next_upstream error timeout non_idempotent;
  proxy_buffering off; proxy_read_timeout 1h; client_max_body_size 0;
  server { listen 127.0.0.1:${port}; location / { proxy_pass http://replicas; } }
}`,
  )
  const args = ['-p', directory, '-e', `${directory}/error.log`, '-c', `${directory}/nginx.conf`]
  const child = spawn('nginx', args, { stdio: 'ignore' })
  ends.push(() => ended(child))
  await listens(port, child)
  return `http://127.0.0.1:${port}/mcp`
}

async function startStore(folder, ends) {
  const command = ['valkey-server', 'redis-server'].find((name) => {
    try {
      execFileSync(name, ['--version'], { stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  })
  if (command === undefined)
    throw new Error('It needs valkey-server or redis-server: apt-get install -y redis-server nginx-light')
  const port = await freePort()
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '']
  const child = spawn(command, args, { stdio: 'ignore' })
  ends.push(() => ended(child))
  await listens(port, child)
  return {
    url: `redis://127.0.0.1:${port}`,
    clear: () => tell(port, 'FLUSHALL'),
    bytes: async () => Number(/used_memory:(\d+)/.exec(await tell(port, 'INFO memory'))?.[1]),
  }
}

/** One command, and what comes back of it at once. */
async function tell(port, command) {
  const socket = open(port, '127.0.0.1')
  socket.write(`${command}\r\n`)
  const [answer] = await once(socket, 'data')
  socket.destroy()
  return String(answer)
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

async function listens(port, child) {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`)
    const socket = open(port, '127.0.0.1')
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (isOpen) return
    await sleep(20)
  }
}

async function ended(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  await exit
}
