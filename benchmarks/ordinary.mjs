/**
 * The cost of a question on results of ordinary size (10 KB, 100 KB, 1 MB). Compares projection and regex search by the engine with the
 * least that a program could do with the text: JSON.parse and a loop, RegExp and a loop.
 * Usage: node benchmarks/ordinary.mjs [rounds]
 */
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createEngine, ENGINE_DEFAULTS } from '../dist/engine/pool.js'
import { interleaved, machine, seeded } from './lib/measure.mjs'

const rounds = Number(process.argv[2] ?? 30)
const engine = createEngine({ ...ENGINE_DEFAULTS, queryTimeout: 60_000 })
const signal = new AbortController().signal
const rows = []

for (const size of [10_000, 100_000, 1_000_000]) {
  const json = records(size)
  const log = logLines(size)
  const kept = { json: source(json), log: source(log) }
  const project = { kind: 'filter', params: { fields: ['id', 'owner.login'], limit: 50 }, budget: 8000 }
  const search = { kind: 'search', params: { pattern: 'ERROR.*timeout', max_results: 20 }, budget: 8000 }

  const first = performance.now()
  await engine.query([kept.json], project, signal)
  const cold = performance.now() - first

  const projection = await interleaved(
    {
      'JSON.parse and a loop': () =>
        JSON.stringify(
          JSON.parse(json)
            .map(({ id, owner }) => ({ id, login: owner.login }))
            .slice(0, 50),
        ),
      engine: () => engine.query([kept.json], project, signal),
    },
    { rounds },
  )
  const regex = await interleaved(
    {
      'RegExp and a loop': () =>
        log
          .split('\n')
          .filter((line) => /ERROR.*timeout/.test(line))
          .slice(0, 20)
          .join('\n'),
      engine: () => engine.query([kept.log], search, signal),
    },
    { rounds },
  )
  rows.push(row('projection', size, projection, cold), row('regex', size, regex))
}
await engine.close()

const report = { machine: machine(), rounds, rows }
console.log(JSON.stringify(report, null, 2))
if (rounds >= 30) writeFileSync('benchmarks/results/ordinary.json', `${JSON.stringify(report, null, 2)}\n`)

function row(question, bytes, result, coldMs) {
  const [[baseline, base], [, ours]] = Object.entries(result)
  return {
    question,
    bytes,
    baseline,
    baselineMs: round(base.median),
    engineMs: round(ours.median),
    addedMs: round(ours.median - base.median),
    ...(coldMs !== undefined && { firstQuestionMs: round(coldMs) }),
  }
}

function source(text) {
  const json = Buffer.from(JSON.stringify({ content: [{ type: 'text', text }] }))
  const content = new Uint8Array(new SharedArrayBuffer(json.length))
  content.set(json)
  const hash = createHash('sha256').update(json).digest('hex')
  return { handle: hash.slice(0, 12), hash, content, tool: 'bench' }
}

function records(bytes) {
  const random = seeded(1)
  const all = []
  for (let length = 2; length < bytes; ) {
    const id = all.length
    const record = {
      id,
      title: `Item ${id}`,
      score: Math.floor(random() * 1000),
      owner: { login: `user${id % 97}`, admin: id % 5 === 0 },
      tags: ['a', 'b'],
    }
    all.push(record)
    length += JSON.stringify(record).length + 1
  }
  return JSON.stringify(all)
}

function logLines(bytes) {
  const random = seeded(2)
  let text = ''
  for (let n = 0; text.length < bytes; n++) {
    const level = random() < 0.05 ? 'ERROR' : 'INFO'
    text += `2026-01-01T00:00:${String(n % 60).padStart(2, '0')}Z ${level} worker-${n % 7} request ${n} ${level === 'ERROR' ? 'failed: timeout' : 'done'}\n`
  }
  return text
}

function round(value) {
  return Math.round(value * 100) / 100
}
