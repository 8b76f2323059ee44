/** The same questions through the real proxy over standard input and output: round trips, and the delays of its event loop. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { median } from '../lib/measure.mjs'
import { questions } from './questions.mjs'

const beside = (name) => fileURLToPath(new URL(name, import.meta.url))

export async function throughProxy({ main, bytes, rounds }) {
  const folder = mkdtempSync(join(tmpdir(), 'engines-'))
  const proxy = start(main, folder)
  try {
    await proxy.request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'benchmark', version: '1.0.0' },
    })
    proxy.notify('notifications/initialized')
    const { tools } = await proxy.request('tools/list', {})
    const tool = tools.find(({ name }) => name.endsWith('document')).name
    // Whatever starts with the first large result is not what is measured.
    for (const kind of ['json', 'log'])
      await proxy.request('tools/call', { name: tool, arguments: { kind, bytes: 100_000 } })
    const rows = []
    for (const kind of ['json', 'log']) {
      await proxy.loopDelay()
      const start = performance.now()
      const shaped = await proxy.request('tools/call', { name: tool, arguments: { kind, bytes } })
      const previewMs = performance.now() - start
      const handle = shaped._meta['mcp-rlm-proxy/cache-id']
      const asked = []
      for (const { question, kind: query, params } of questions[kind]) {
        const times = []
        for (let round = -1; round < rounds; round++) {
          const begin = performance.now()
          const answer = await proxy.request('tools/call', {
            name: `proxy_${query}`,
            arguments: { cache_id: handle, ...params },
          })
          if (answer.isError) throw new Error(answer.content[0].text)
          if (round >= 0) times.push(performance.now() - begin)
        }
        asked.push({ question, roundTripMs: rounded(median(times)) })
      }
      const { worst, p99 } = await proxy.loopDelay()
      rows.push({
        kind,
        bytes,
        previewMs: rounded(previewMs),
        asked,
        loop: { worst: rounded(worst), p99: rounded(p99) },
      })
    }
    return rows
  } finally {
    await proxy.end()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

function start(main, folder) {
  const file = join(folder, 'delay.json')
  const child = spawn(
    process.execPath,
    [
      '--import',
      beside('./loop-delay.mjs'),
      main,
      '--log-level',
      'error',
      '--',
      process.execPath,
      beside('./server.mjs'),
    ],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, LOOP_DELAY_FILE: file, MCPPROXY_DATA_DIR: join(folder, 'data'), HOME: folder },
    },
  )
  const waiting = new Map()
  let nextId = 1
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line)
    if (message.method !== undefined) return
    const { resolve, reject } = waiting.get(message.id) ?? {}
    waiting.delete(message.id)
    if (message.error) reject?.(new Error(message.error.message))
    else resolve?.(message.result)
  })
  child.on('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('the proxy ended'))
  })
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  return {
    request(method, params) {
      const id = nextId++
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        send({ id, method, params })
      })
    },
    notify: (method) => send({ method }),
    /** The delays since this was last asked. */
    async loopDelay() {
      rmSync(file, { force: true })
      child.kill('SIGUSR2')
      for (let waited = 0; waited < 200; waited++) {
        await sleep(50)
        try {
          return JSON.parse(readFileSync(file, 'utf8'))
        } catch {
          // Not written yet.
        }
      }
      throw new Error('the proxy told no delays')
    },
    end: () =>
      new Promise((resolve) => {
        child.on('exit', resolve)
        child.stdin.end()
      }),
  }
}

function rounded(value) {
  return Math.round(value * 100) / 100
}
