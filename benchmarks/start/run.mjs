/**
 * How long a client waits from the start of the proxy's process to the answers to `initialize` and `tools/list`. There is one server, or
 * sixteen with slow ones among them. Measured at the very first start, and when the lists are remembered.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { machine, median } from '../lib/measure.mjs'

const RECORD = 'benchmarks/results/start.json'
const here = (path) => fileURLToPath(new URL(path, import.meta.url))

const HELP = `npm run bench -- start [--rounds N] [--proxy dist/main.js]

  --rounds N   starts of each kind (default 5)
  --proxy F    the command to be measured (default dist/main.js)
  --help       this

A slow server answers nothing for 20 seconds. A table goes to stdout. It measures dist/: npm run build first.`

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    proxy: { type: 'string', default: here('../../dist/main.js') },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

/** Milliseconds for which a slow server answers nothing. */
const SLOW_MS = 20_000
/** Milliseconds after a list in which quick servers have surely been remembered. */
const REMEMBERED_MS = 4_000

/**
 * `slow`: how many servers are slow at the measured start. `before`: how many were slow at the start before it; absent: there was none.
 */
const CASES = [
  { servers: 1, slow: 0, before: 0 },
  { servers: 16, slow: 0, before: 0 },
  { servers: 16, slow: 16, before: 0 },
  { servers: 16, slow: 1, before: 1 },
  { servers: 1, slow: 0 },
  { servers: 16, slow: 0 },
  { servers: 16, slow: 1 },
]
const EXPOSURES = ['passthrough', 'retrieve', 'dispatch']

if (options.help) console.log(HELP)
else await measure(Number(options.rounds))

async function measure(rounds) {
  const rows = []
  for (const exposure of EXPOSURES) {
    for (const each of CASES) {
      const times = []
      for (let round = 0; round < rounds; round++) times.push(await measured(exposure, each))
      const of = (key) => Math.round(median(times.map((time) => time[key])))
      rows.push({
        exposure,
        servers: each.servers,
        slow: each.slow,
        start: each.before === undefined ? 'first' : each.before === 0 ? 'remembered' : 'slow before',
        initialize: of('initialize'),
        list: of('list'),
        worst: Math.round(Math.max(...times.map(({ list }) => list))),
        tools: of('tools'),
      })
      console.error(Object.values(rows.at(-1)).join('  '))
    }
  }
  console.table(rows)
  writeFileSync(RECORD, `${JSON.stringify({ machine: machine(), rounds, rows }, null, 2)}\n`)
}

async function measured(exposure, { servers, slow, before }) {
  const directory = mkdtempSync(join(tmpdir(), 'start-'))
  try {
    const delays = join(directory, 'delays.json')
    const names = Array.from({ length: servers }, (_, index) => `server${index}`)
    const slowest = (count) =>
      writeFileSync(
        delays,
        JSON.stringify(Object.fromEntries(names.slice(0, count).map((name) => [name, SLOW_MS]))),
      )
    const entry = (name) => [name, { command: process.execPath, args: [here('server.mjs'), name, delays] }]
    writeFileSync(
      join(directory, 'mcp.json'),
      JSON.stringify({
        mcpServers: Object.fromEntries(names.map(entry)),
        proxySettings: { dataDir: join(directory, 'data'), exposure, log: { level: 'error' } },
      }),
    )
    if (before !== undefined) {
      slowest(before)
      await started(directory, REMEMBERED_MS)
    }
    slowest(slow)
    return await started(directory, 0)
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** One start, as a client makes it: milliseconds from the start of the process to each answer. */
async function started(directory, stayMs) {
  const begun = performance.now()
  const child = spawn(process.execPath, [options.proxy, '--config', join(directory, 'mcp.json')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const waiting = new Map()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result } = JSON.parse(line)
    waiting.get(id)?.(result)
  })
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const ask = (id, method, params) =>
    new Promise((resolve) => {
      waiting.set(id, resolve)
      send({ id, method, params })
    })
  const clientInfo = { name: 'benchmark', version: '1' }
  await ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  const initialize = performance.now() - begun
  send({ method: 'notifications/initialized' })
  const { tools } = await ask(2, 'tools/list', {})
  const list = performance.now() - begun
  await new Promise((resolve) => setTimeout(resolve, stayMs))
  child.stdin.end()
  await ended
  return { initialize, list, tools: tools.length }
}
