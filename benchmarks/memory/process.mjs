/**
 * The memory of the whole process as its users see it, resident. It is read when idle, after fourteen results of 1 and 10 MB with two
 * questions each, and at rest.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const MAIN = process.env.BENCH_MAIN ?? fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const SERVER = fileURLToPath(new URL('../previews/server.mjs', import.meta.url))
const KINDS = ['json', 'ndjson', 'csv', 'log', 'text', 'markdown', 'html']
const SIZES = [1_000_000, 10_000_000]

/** Milliseconds after which what is done in the background when nothing is asked is done. */
const IDLE = 5_000
const REST = 15_000

/** @returns {Promise<{ listed: number, idle: number, results: number, bytes: number, after: number, peak: number, rest: number }>} MB, resident */
export async function measureProcess() {
  const folder = mkdtempSync(join(tmpdir(), 'memory-'))
  const client = start(folder)
  try {
    const { tools } = await client.request('tools/list', {})
    const listed = client.resident()
    await after(IDLE)
    const idle = client.resident()
    const get = tools.find(({ name }) => name.endsWith('get')).name
    let number = 0
    for (const bytes of SIZES)
      for (const kind of KINDS) {
        const reply = await client.call(get, { kind, bytes, number: ++number })
        const cacheId = /cache_id (\w+)/.exec(reply)[1]
        await client.call('proxy_search', { cache_id: cacheId, pattern: 'deadlock' })
        await client.call('proxy_filter', { cache_id: cacheId, limit: 5 })
      }
    const used = client.resident()
    await after(REST)
    const bytes = SIZES.reduce((sum, size) => sum + size * KINDS.length, 0)
    return { listed, idle, results: number, bytes, after: used, peak: client.peak(), rest: client.resident() }
  } finally {
    await client.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function start(cwd) {
  const child = spawn('node', [MAIN, '--', 'node', SERVER], { cwd, stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const waiting = new Map()
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', (data) => {
    const lines = (rest + data).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const { id, result } = JSON.parse(line)
      waiting.get(id)?.(result)
    }
  })
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  let last = 0
  const ask = (method, params) =>
    new Promise((resolve) => {
      waiting.set(++last, resolve)
      send({ id: last, method, params })
    })
  const greeted = ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'benchmark', version: '1.0.0' },
  }).then(() => send({ method: 'notifications/initialized' }))
  const status = (name) =>
    Math.round(
      Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) /
        1024,
    )
  return {
    async request(method, params) {
      await greeted
      return ask(method, params)
    },
    async call(name, args) {
      const { content } = await ask('tools/call', { name, arguments: args })
      return content.map(({ text }) => text).join('\n')
    },
    resident: () => status('VmRSS'),
    peak: () => status('VmHWM'),
    async close() {
      child.stdin.end()
      await ended
    },
  }
}
