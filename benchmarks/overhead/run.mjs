/**
 * The cost of the proxy: against the server alone, against the least a JavaScript proxy can do, and against published gateways.
 * Candidates take turns in one run. `--quick` takes less than a minute, writes no file and installs nothing. `--large` measures only
 * large results, with the server alone and with the proxy, and gives the ratio.
 * With `--against` two builds take turns with the server alone, which shows what a change of the proxy costs; it writes no file.
 * Usage: node benchmarks/overhead/run.mjs [--quick | --large] [--only stdio,http,bridge,start] [--main dist/main.js] [--against main.js]
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { machine, median, quantile } from '../lib/measure.mjs'
import { candidates, HTTP_SERVER, installGateways, STDIO_SERVER } from './candidates.mjs'
import { connect } from './clients.mjs'
import { beside, large, memory, sequential, startUp, throughput } from './measures.mjs'

const ALL = 'stdio,http,bridge,start'
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    large: { type: 'boolean', default: false },
    only: { type: 'string', default: ALL },
    main: { type: 'string', default: 'dist/main.js' },
    against: { type: 'string' },
  },
})
const only = values.large && values.only === ALL ? ['stdio', 'http'] : values.only.split(',')
const MB = 1_000_000
const IN_FLIGHT = 32
const plan = values.large
  ? { sizes: [10 * MB, 50 * MB], largeRounds: 15 }
  : values.quick
    ? {
        rounds: 3,
        warmup: 300,
        calls: 200,
        burst: 1000,
        sizes: [1 * MB, 10 * MB],
        largeRounds: 3,
        startRounds: 3,
      }
    : {
        rounds: 9,
        warmup: 1000,
        calls: 400,
        burst: 3000,
        sizes: [1 * MB, 10 * MB, 12 * MB, 50 * MB],
        largeRounds: 7,
        startRounds: 9,
      }

const folder = mkdtempSync(join(tmpdir(), 'overhead-'))
const started = []
try {
  const isShort = values.quick || values.large || values.against !== undefined
  const gateways = isShort ? {} : await installGateways(folder)
  const every = candidates({ folder, main: resolve(values.main), gateways })
  const pair = { direct: every.direct, 'mcp-rlm-proxy': every['mcp-rlm-proxy'] }
  const other = values.against && candidates({ folder, main: resolve(values.against), gateways: {} })
  const all = other ? { ...pair, against: other['mcp-rlm-proxy'] } : values.large ? pair : every
  const url = await startHttpUpstream()
  const WAYS = {
    stdio: { front: 'stdio', server: STDIO_SERVER, servers: 1 },
    http: { front: 'http', server: { url }, servers: 1 },
    bridge: { front: 'http', server: STDIO_SERVER, servers: 1 },
  }
  const report = { machine: machine(), plan: { ...plan, inFlight: IN_FLIGHT }, ways: {}, starts: {} }
  for (const [name, setting] of Object.entries(WAYS)) {
    if (!only.includes(name)) continue
    report.ways[name] = await (values.large ? measureLarge : measureWay)(all, setting)
    console.error(`${name} is measured`)
  }
  if (only.includes('start')) {
    for (const front of isShort ? ['stdio'] : ['stdio', 'http'])
      report.starts[front] = await measureStarts(all, front)
  }
  if (isShort) console.log(JSON.stringify(report, null, 1))
  else writeFileSync('benchmarks/results/overhead.json', `${JSON.stringify(report, null, 2)}\n`)
} finally {
  await Promise.all(started.map((client) => client.end()))
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}

async function beginAll(all, setting) {
  const runners = {}
  for (const [name, make] of Object.entries(all)) {
    const runner = await begin(name, make, setting)
    if (runner) runners[name] = runner
  }
  return runners
}

/** Milliseconds by size, for the server alone and through the proxy, and what the one is of the other: round by round, then the median. */
async function measureLarge(all, setting) {
  const runners = await beginAll(all, setting)
  // Code that is loaded when no request comes is loaded by then.
  await sleep(4000)
  const rows = {}
  for (const bytes of plan.sizes) {
    const times = await takeTurns(runners, plan.largeRounds, (runner) => large(runner, bytes), 1)
    const ratios = times.direct.map((time, index) => times['mcp-rlm-proxy'][index] / time)
    rows[bytes] = {
      direct: orFault(times.direct, (some) => round(median(some))),
      proxy: orFault(times['mcp-rlm-proxy'], (some) => round(median(some))),
      times: round(median(ratios)),
    }
  }
  const peakMiB = memory(runners['mcp-rlm-proxy'].client.pid)?.peak
  for (const { client } of Object.values(runners)) await client.end()
  return { ...rows, peakMiB }
}

async function measureWay(all, setting) {
  const runners = await beginAll(all, setting)
  await sleep(1500)
  const rows = Object.fromEntries(
    Object.entries(runners).map(([name, { client }]) => [name, { idleMiB: memory(client.pid)?.now }]),
  )

  for (const runner of Object.values(runners)) await sequential(runner, plan.warmup)
  const latencies = await takeTurns(runners, plan.rounds, (runner) => sequential(runner, plan.calls))
  for (const runner of Object.values(runners)) await throughput(runner, plan.burst, IN_FLIGHT)
  const rates = await takeTurns(runners, plan.rounds, (runner) => throughput(runner, plan.burst, IN_FLIGHT))
  const mixed = await takeTurns(runners, plan.largeRounds, (runner) => beside(runner, 10 * MB))
  for (const name of Object.keys(runners)) {
    const of = (key) => round(median(latencies[name].map((times) => times[key])))
    Object.assign(rows[name], { p50: of('p50'), p95: of('p95'), p99: of('p99') })
    rows[name].perSecond = Math.round(median(rates[name]))
    rows[name].besideP95 = orFault(mixed[name], (times) => round(quantile(times.flat(), 0.95)))
    rows[name].large = {}
  }
  for (const bytes of plan.sizes) {
    const times = await takeTurns(runners, plan.largeRounds, (runner) => large(runner, bytes), 1)
    for (const name of Object.keys(runners))
      rows[name].large[bytes] = orFault(times[name], (some) => round(median(some)))
  }
  for (const [name, { client }] of Object.entries(runners)) rows[name].peakMiB = memory(client.pid)?.peak
  for (const { client } of Object.values(runners)) await client.end()
  return rows
}

async function begin(name, make, setting) {
  const options = await make(setting)
  if (options === undefined) return undefined
  try {
    const client = await connect(options)
    started.push(client)
    return { client, tools: await client.handshake(), again: async () => begin(name, make, setting) }
  } catch (error) {
    console.error(`${name} is left out: ${error.message}`)
    return undefined
  }
}

/** Rounds with every candidate. One that fails gets its fault in place of what it measured, and begins again. */
async function takeTurns(runners, rounds, work, warmup = 0) {
  const results = Object.fromEntries(Object.keys(runners).map((name) => [name, []]))
  for (let turn = -warmup; turn < rounds; turn++) {
    for (const name of Object.keys(runners)) {
      if (results[name].fault) continue
      try {
        const result = await work(runners[name])
        if (turn >= 0) results[name].push(result)
      } catch (error) {
        results[name].fault = error.message
        await runners[name].client.end()
        runners[name] = await runners[name].again()
      }
    }
  }
  return results
}

/** Servers configured and data directory, for each candidate that can be started so. */
async function measureStarts(all, front) {
  const kinds = Object.entries(all)
    .filter(([name]) => name !== 'direct' && !name.includes('nothing shaped'))
    .flatMap(([name, make]) => {
      const cold = [1, 16].map((servers) => ({ name, make, servers, warm: false }))
      return name === 'mcp-rlm-proxy' ? [...cold, ...cold.map((kind) => ({ ...kind, warm: true }))] : cold
    })
  const rows = []
  for (const kind of kinds) {
    const dataDir = kind.warm ? mkdtempSync(join(folder, 'warm-')) : undefined
    const options = () => kind.make({ front, server: STDIO_SERVER, servers: kind.servers, dataDir })
    if ((await options()) === undefined) continue
    rows.push({ ...kind, options, times: [], fault: undefined })
  }
  for (let turn = -1; turn < plan.startRounds; turn++) {
    for (const row of rows) {
      if (row.fault) continue
      const time = await startUp(await row.options()).catch((error) => {
        row.fault = error.message
      })
      if (turn >= 0 && time) row.times.push(time)
    }
  }
  return rows.map(({ name, servers, warm, times, fault }) => ({
    name,
    servers,
    warm,
    ...(fault
      ? { fault }
      : {
          initialized: round(median(times.map((time) => time.initialized))),
          listed: round(median(times.map((time) => time.listed))),
        }),
  }))
}

function orFault(results, value) {
  return results.fault === undefined ? value(results) : `failed: ${results.fault}`
}

async function startHttpUpstream() {
  const child = spawn(HTTP_SERVER.command, HTTP_SERVER.args, { stdio: ['pipe', 'pipe', 'inherit'] })
  started.push({ end: () => child.stdin.end() })
  for await (const line of createInterface({ input: child.stdout })) return line
  throw new Error('the HTTP server did not start')
}

function round(value) {
  return Math.round(value * 1000) / 1000
}
