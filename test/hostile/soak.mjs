/**
 * Hours of ordinary use at every limit at once. The disk is full, sessions and processes are as many as may be, and the memory is the
 * memory of a small container. At the end it prints what memory, descriptors, processes and disk did over time, and fails if any of them
 * grew.
 *
 * node test/hostile/soak.mjs [--minutes 120] [--memory 512] [--rate 8] [--log FILE]
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { memoryGroup } from '../support/cgroup.mjs'

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '120' },
    memory: { type: 'string', default: '512' },
    rate: { type: 'string', default: '8' },
    log: { type: 'string' },
  },
})
const MINUTES = Number(options.minutes)
const MEMORY_MB = Number(options.memory)
const DISK_BYTES = 64 * 1024 * 1024
const SESSIONS = 24
const PROCESSES = 24
const AGENTS = 6

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const directory = mkdtempSync(join(tmpdir(), 'soak-'))
const group = memoryGroup(MEMORY_MB, `soak-${process.pid}`)

const fixture = [process.execPath, [here('../e2e/support/fixture-server.mjs'), 'pipe']]
const [command, args] = group?.outside(...fixture) ?? fixture
const remote = spawn(process.execPath, [here('../e2e/support/endurance/http.mjs')], {
  stdio: ['pipe', 'pipe', 'inherit'],
})
const [address] = await once(remote.stdout, 'data')
const config = join(directory, 'mcp.json')
writeFileSync(
  config,
  JSON.stringify({
    mcpServers: {
      pipe: { command, args },
      old: { url: `${String(address).trim()}/legacy`, oauth: false },
    },
    proxySettings: {
      dataDir: join(directory, 'data'),
      memoryMb: MEMORY_MB,
      cacheDiskMaxBytes: DISK_BYTES,
      limits: { clientSessions: SESSIONS, processes: PROCESSES },
      log: { level: 'error' },
    },
  }),
)
const main = [
  process.execPath,
  [here('../../dist/main.js'), '--config', config, '--transport', 'http', '--port', '0'],
]
const [program, rest] = group?.command(...main) ?? main
const proxy = spawn(program, rest, { stdio: ['ignore', 'ignore', 'pipe'] })
let words = ''
const url = await new Promise((resolve, reject) => {
  proxy.stderr.on('data', (chunk) => {
    words = (words + chunk).slice(-20_000)
    const found = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(words)
    if (found) resolve(found[0])
  })
  proxy.once('exit', (code, signal) => reject(new Error(`the proxy ended with ${code ?? signal}: ${words}`)))
})

const counts = { calls: 0, refused: 0, failed: 0, lost: 0, sessions: 0 }
const failures = new Map()
let id = 0

async function post(body, session, ms = 30_000) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(session && { 'mcp-session-id': session }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...body }),
    signal: AbortSignal.timeout(ms),
  })
  const text = await response.text()
  const line = text.split('\n').findLast((one) => one.startsWith('data: {'))
  return { response, message: text === '' ? undefined : JSON.parse(line?.slice(6) ?? text) }
}

async function session() {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'soak', version: '1' },
  }
  const { response } = await post({ id: ++id, method: 'initialize', params })
  const own = response.headers.get('mcp-session-id') ?? ''
  await post({ method: 'notifications/initialized' }, own)
  counts.sessions++
  return own
}

const outcome = (what) => failures.set(what, (failures.get(what) ?? 0) + 1)

async function call(own, name, args, ms) {
  counts.calls++
  const { message } = await post(
    { id: ++id, method: 'tools/call', params: { name, arguments: args } },
    own,
    ms,
  )
  const text = message?.result?.content?.[0]?.text ?? message?.error?.message ?? ''
  if (message?.result === undefined || message.result.isError) {
    counts.refused++
    outcome(text.replaceAll(/[\w-]{20,}|\d+/g, '…').slice(0, 120))
  }
  return text
}

const QUESTIONS = [
  ['proxy_filter', (cache_id) => ({ cache_id, aggregate: 'count' })],
  ['proxy_filter', (cache_id) => ({ cache_id, where: ['id > 100'], sort: '-id', limit: 5 })],
  ['proxy_filter', (cache_id) => ({ cache_id, group_by: 'marker', aggregate: 'count' })],
  ['proxy_search', (cache_id) => ({ cache_id, pattern: 'x{5,}', max_results: 3 })],
  ['proxy_search', (cache_id) => ({ cache_id, pattern: 'note marker', mode: 'bm25' })],
  ['proxy_explore', (cache_id) => ({ cache_id })],
]

/** One client after the other: some leave with a word, most vanish, some hang up in the middle of a call. */
async function agent(until, n) {
  for (let visit = n; performance.now() < until; visit++) {
    let handle
    try {
      const own = await session()
      for (let turn = 0; turn < 24 && performance.now() < until; turn++) {
        const begun = performance.now()
        const at = visit + turn
        if (turn % 8 === 0) {
          const text = await call(own, 'old_records', { marker: `m${at}`, count: 200 + 700 * (at % 40) })
          handle = /cache_id[^\w]+([\w-]{8,})/.exec(text)?.[1]
          if (handle === undefined) outcome(`no handle in: ${text.slice(0, 100)}`)
        } else if (turn % 8 === 7 && turn > 8) {
          await call(own, 'pipe_slow', { ms: 500 }, 100).catch(() => undefined)
        } else if (turn % 2 === 0) {
          const tool = turn % 12 === 6 ? 'pipe_text' : 'old_echo'
          await call(own, tool, tool === 'pipe_text' ? { size: 100 } : { marker: 'small' })
        } else if (handle !== undefined) {
          const [name, question] = QUESTIONS[at % QUESTIONS.length]
          const text = await call(own, name, question(handle))
          if (text.includes('No kept result')) counts.lost++
        }
        await pause(Math.max(0, (1000 * AGENTS) / Number(options.rate) - (performance.now() - begun)))
      }
      if (visit % 3 === 0) await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': own } })
    } catch (error) {
      counts.failed++
      outcome(String(error.cause ?? error))
      await pause(1000)
    }
  }
}

const about = (pid, file) => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
const below = (pid) =>
  (about(pid, `task/${pid}/children`).match(/\d+/g) ?? []).flatMap((one) => [Number(one), ...below(one)])
const megabytes = (pid) => Number(/^Rss:\s+(\d+)/m.exec(about(pid, 'smaps_rollup'))?.[1] ?? 0) / 1024
const own = (pid) => pid === proxy.pid || about(pid, 'cmdline').includes('worker-process.js')
const sizeOf = (path) =>
  readdirSync(path, { recursive: true, withFileTypes: true }).reduce((sum, entry) => {
    try {
      return sum + (entry.isFile() ? statSync(join(entry.parentPath, entry.name)).size : 0)
    } catch {
      return sum
    }
  }, 0)

const begun = performance.now()
const samples = []
let peakMb = 0
function sample() {
  const pids = [proxy.pid, ...below(proxy.pid)]
  const all = pids.filter(own).reduce((sum, pid) => sum + megabytes(pid), 0)
  peakMb = Math.max(peakMb, all)
  const now = {
    minutes: (performance.now() - begun) / 60_000,
    proxyMb: megabytes(proxy.pid),
    allMb: all,
    anonymousMb: (group?.anonymous() ?? 0) / 1024 / 1024,
    descriptors: readdirSync(`/proc/${proxy.pid}/fd`).length,
    processes: pids.length,
    diskMb: sizeOf(join(directory, 'data')) / 1024 / 1024,
    ...counts,
  }
  samples.push(now)
  if (options.log) {
    const rounded = Object.entries(now).map(([name, value]) => [name, Math.round(value * 10) / 10])
    appendFileSync(options.log, `${JSON.stringify(Object.fromEntries(rounded))}\n`)
  }
}

/** The course of one measure: its level early and late (medians of a quarter each), and its slope an hour. */
function course(name, from) {
  const points = samples.filter(({ minutes }) => minutes >= from)
  const values = points.map((one) => one[name])
  const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]
  const quarter = Math.ceil(points.length / 4)
  const mean = (list) => list.reduce((sum, one) => sum + one, 0) / list.length
  const x = points.map(({ minutes }) => minutes / 60)
  const [mx, my] = [mean(x), mean(values)]
  const slope =
    x.reduce((sum, one, at) => sum + (one - mx) * (values[at] - my), 0) /
    x.reduce((sum, one) => sum + (one - mx) ** 2, 0)
  return {
    early: median(values.slice(0, quarter)),
    late: median(values.slice(-quarter)),
    most: Math.max(...values),
    slopeAnHour: slope,
  }
}

let ended
proxy.once('exit', (code, signal) => {
  ended = code ?? signal
})
const until = begun + MINUTES * 60_000
const timer = setInterval(() => ended === undefined && sample(), Math.min(15_000, (MINUTES * 60_000) / 40))
await Promise.all(Array.from({ length: AGENTS }, (_, n) => agent(until, n * 7)))
clearInterval(timer)

const died = ended
const kills = group?.kills()
const children = died === undefined ? below(proxy.pid) : []
const asked = performance.now()
if (died === undefined) {
  proxy.kill('SIGTERM')
  await once(proxy, 'exit')
}
const closedMs = performance.now() - asked
await pause(3000)
const left = children.filter((pid) => about(pid, 'stat') !== '')
remote.stdin.end()
group?.remove()
rmSync(directory, { recursive: true, force: true })

/** Caches fill and the youngest code is compiled in the first sixth. How far the last quarter may stand above the first. */
const warm = MINUTES / 6
const ROOM = { proxyMb: 15, allMb: 40, anonymousMb: 40, descriptors: 8, processes: 4, diskMb: 3 }
const rounded = (value) => Math.round(value * 10) / 10
const report = {}
const grew = []
for (const [name, room] of Object.entries(ROOM)) {
  const { early, late, most, slopeAnHour } = course(name, warm)
  report[name] = {
    early: rounded(early),
    late: rounded(late),
    most: rounded(most),
    'slope an hour': rounded(slopeAnHour),
  }
  if (late - early > room) grew.push(name)
}
const say = (...parts) => process.stdout.write(`${parts.join(' ')}\n`)
for (const [name, course] of Object.entries(report)) say(name.padEnd(12), JSON.stringify(course))
say(
  JSON.stringify(
    {
      minutes: MINUTES,
      samples: samples.length,
      ...counts,
      peakMb: Math.round(peakMb),
      group: group !== undefined,
      kills,
      died,
      closedMs: Math.round(closedMs),
      left,
    },
    null,
    2,
  ),
)
for (const [what, times] of [...failures].sort((a, b) => b[1] - a[1]).slice(0, 20)) say(times, what)
const wrong = [
  ...grew.map((name) => `${name} grew`),
  ...(died === undefined ? [] : [`the proxy ended with ${died}: ${words}`]),
  ...(left.length > 0 ? [`${left.length} processes are left`] : []),
  ...(counts.lost > 0 ? [`${counts.lost} kept results were lost`] : []),
]
say(wrong.length === 0 ? 'passed' : `failed: ${wrong.join('; ')}`)
process.exitCode = wrong.length === 0 ? 0 : 1
