/**
 * Eight clients with ten real servers: by `connect`, where they share one gateway in the background, against a proxy for each client.
 * Processes, memory, and how long a client waits for its tools. Linux alone: memory is read from /proc.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { machine, median } from '../lib/measure.mjs'

const RECORD = 'benchmarks/results/connect.json'
const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const require = createRequire(import.meta.url)

const HELP = `npm run bench -- connect [--rounds N] [--clients N]

  --rounds N    runs of each kind, in turns (default 3)
  --clients N   clients (default 8)
  --help        this

A table goes to stdout. It measures dist/: npm run build first.`

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '8' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

/** Published servers, and a call of each. */
const SERVERS = [
  ...['a', 'b', 'c', 'd'].map((name) => ({
    name: `files-${name}`,
    package: '@modelcontextprotocol/server-filesystem',
    args: ['.'],
    call: ['list_allowed_directories', {}],
  })),
  ...['a', 'b', 'c'].map((name) => ({
    name: `memory-${name}`,
    package: '@modelcontextprotocol/server-memory',
    args: [],
    call: ['read_graph', {}],
  })),
  ...['a', 'b', 'c'].map((name) => ({
    name: `everything-${name}`,
    package: '@modelcontextprotocol/server-everything',
    args: [],
    call: ['echo', { message: 'x' }],
  })),
]

/** `instance`: whether the clients of one gateway have servers of their own. Absent: as it is without a word about it. */
const KINDS = [
  { name: 'a proxy for each client', args: [] },
  { name: '`connect`', args: ['connect'] },
  { name: '`connect`, `instance: session`', args: ['connect'], instance: 'session' },
  { name: '`connect`, `instance: shared`', args: ['connect'], instance: 'shared' },
]

if (options.help) console.log(HELP)
else await measure(Number(options.rounds), Number(options.clients))

async function measure(rounds, clients) {
  const runs = Object.fromEntries(KINDS.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++)
    for (const kind of KINDS) {
      runs[kind.name].push(await measured(kind, clients))
      console.error(kind.name, runs[kind.name].at(-1))
    }
  const rows = KINDS.map(({ name }) => {
    const of = (key) => Math.round(median(runs[name].map((run) => run[key])))
    const [processes, idle, working] = ['processes', 'idle', 'working'].map(of)
    return { name, processes, idle, working, first: of('first'), next: of('next'), together: of('together') }
  })
  console.table(rows)
  const record = { machine: machine(), rounds, clients, servers: SERVERS.length, rows }
  writeFileSync(RECORD, `${JSON.stringify(record, null, 2)}\n`)
}

/** Memory in MiB, times in milliseconds from the start of a client's process to the answer of its `tools/list`. */
async function measured(kind, count) {
  const home = mkdtempSync(join(tmpdir(), 'connect-'))
  try {
    writeConfig(home, kind)
    // Lists are remembered, as they are but for the first start of all.
    await end([await opened(home, kind)], home)

    const one = await opened(home, kind)
    await settled(home)
    const two = await opened(home, kind)
    await settled(home)
    const rest = await Promise.all(Array.from({ length: count - 2 }, () => opened(home, kind)))
    const clients = [one, two, ...rest]
    await settled(home)
    const idle = memoryOf(home)
    for (const client of clients)
      for (const { name, call } of SERVERS) await client.call(`${name}_${call[0]}`, call[1])
    const processes = processesOf(home).length
    const working = memoryOf(home)
    await end(clients, home)
    return {
      processes,
      idle,
      working,
      first: one.ms,
      next: two.ms,
      together: Math.max(...rest.map(({ ms }) => ms)),
    }
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

function writeConfig(home, { instance }) {
  const entries = SERVERS.map(({ name, package: from, args }) => {
    const { bin } = require(`${from}/package.json`)
    const file = join(require.resolve(`${from}/package.json`), '..', Object.values(bin)[0])
    return [name, { command: process.execPath, args: [file, ...args], cwd: home, instance }]
  })
  mkdirSync(join(home, 'data'))
  writeFileSync(
    join(home, 'mcp.json'),
    JSON.stringify({
      mcpServers: Object.fromEntries(entries),
      proxySettings: { dataDir: join(home, 'data'), log: { level: 'error' }, lingerSeconds: 600 },
    }),
  )
}

async function opened(home, { args }) {
  const begun = performance.now()
  const child = spawn(process.execPath, [MAIN, '--config', join(home, 'mcp.json'), ...args], {
    env: { ...process.env, HOME: home },
    // The savings of a session are printed there at its end.
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const waiting = new Map()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line)
    if (error) throw new Error(JSON.stringify(error))
    waiting.get(id)?.(result)
  })
  let last = 0
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const ask = (method, params) =>
    new Promise((resolve) => {
      waiting.set(++last, resolve)
      send({ id: last, method, params })
    })
  const clientInfo = { name: 'benchmark', version: '1' }
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  send({ method: 'notifications/initialized' })
  const { tools } = await ask('tools/list', {})
  if (tools.length < SERVERS.length) throw new Error(`only ${tools.length} tools are listed`)
  return {
    child,
    ms: performance.now() - begun,
    async call(name, args) {
      const { isError, content } = await ask('tools/call', { name, arguments: args })
      if (isError) throw new Error(`${name}: ${JSON.stringify(content)}`)
    },
  }
}

async function end(clients, home) {
  const left = clients.map(({ child }) => once(child, 'exit'))
  for (const { child } of clients) child.stdin.end()
  await Promise.all(left)
  spawnSync(process.execPath, [MAIN, 'stop'], { env: { ...process.env, HOME: home } })
  while (processesOf(home).length > 0) await new Promise((resolve) => setTimeout(resolve, 50))
}

/** Waits until no process was added or took much more memory for two seconds. */
async function settled(home) {
  const look = () => [processesOf(home).length, Math.round(memoryOf(home) / 20)].join()
  for (let before = '', same = 0; same < 4; ) {
    await new Promise((resolve) => setTimeout(resolve, 500))
    const now = look()
    same = now === before ? same + 1 : 0
    before = now
  }
}

/** Every process with this home: clients, gateways, workers and servers. */
function processesOf(home) {
  return readdirSync('/proc').filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${home}`)
      )
    } catch {
      return false
    }
  })
}

/** The memory of all processes of a home together, in MiB: pages that several share are counted once (proportional set size). */
function memoryOf(home) {
  const kilobytes = processesOf(home).map((pid) => {
    try {
      return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0)
    } catch {
      return 0
    }
  })
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024
}
