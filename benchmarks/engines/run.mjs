/**
 * Runs each processor on 0.1, 1, 10 and 50 MB of JSON and of log, cold (from the bytes to the first answer) and warm. Compares it with
 * the obvious alternative, in the same thread and in turns. Then come hostile patterns, and the same questions through the real proxy.
 * `--quick`: 1 and 10 MB, fewer rounds, no file.
 * Usage: node benchmarks/engines/run.mjs [--quick] [--sizes 0.1,1,10,50] [--kinds json,log] [--only bm25] [--main dist/main.js]
 */
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { machine, median } from '../lib/measure.mjs'
import { missing } from './questions.mjs'
import { throughProxy } from './through-proxy.mjs'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    sizes: { type: 'string' },
    kinds: { type: 'string', default: 'json,log' },
    only: { type: 'string' },
    main: { type: 'string', default: 'dist/main.js' },
  },
})
const MB = 1_000_000
const sizes = (values.sizes ?? (values.quick ? '1,10' : '0.1,1,10,50'))
  .split(',')
  .map((size) => Number(size) * MB)
for (const name of missing) console.error(`${name} is not installed: it is left out of the comparison`)

const documents = []
for (const bytes of sizes) {
  for (const kind of values.kinds.split(',')) {
    const rounds = values.quick ? 5 : bytes <= MB ? 31 : bytes <= 10 * MB ? 11 : 5
    documents.push(
      await inWorker({
        kind,
        bytes,
        rounds,
        coldRounds: values.quick || bytes > 10 * MB ? 1 : 3,
        only: values.only,
      }),
    )
    console.error(`${bytes / MB} MB of ${kind}: measured`)
  }
}
const proxied = values.only === undefined ? await severalProxies(values.quick ? 1 : 5) : []
const report = { machine: machine(), missing, documents, proxied }
if (values.quick || values.only || values.sizes) console.log(table(report))
else writeFileSync('benchmarks/results/engines.json', `${JSON.stringify(report, null, 2)}\n`)

/** The worst delay of a run is one moment of the machine: its median over several runs, each with a proxy of its own. */
async function severalProxies(runs) {
  const all = []
  for (let run = 0; run < runs; run++)
    all.push(await throughProxy({ main: resolve(values.main), bytes: 10 * MB, rounds: runs > 1 ? 5 : 3 }))
  const over = (read) => median(all.map(read))
  return all[0].map((row, at) => ({
    ...row,
    previewMs: over((rows) => rows[at].previewMs),
    asked: row.asked.map(({ question }, nth) => ({
      question,
      roundTripMs: over((rows) => rows[at].asked[nth].roundTripMs),
    })),
    loop: {
      worst: over((rows) => rows[at].loop.worst),
      p99: over((rows) => rows[at].loop.p99),
      ofRuns: all.map((rows) => rows[at].loop.worst),
    },
  }))
}

function inWorker(workerData) {
  return new Promise((done, failed) => {
    const worker = new Worker(new URL('./worker.mjs', import.meta.url), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: 4096, stackSizeMb: 16 },
    })
    worker.once('message', done)
    worker.once('error', failed)
  })
}

function table({ documents: all, proxied: through }) {
  const lines = []
  for (const { kind, bytes, rows, ranking, hostile } of all) {
    for (const { question, systems, firstMs } of rows) {
      const { ours, ...others } = systems
      const said = Object.entries(others).map(
        ([name, { coldMs, warmMs }]) =>
          `${name} cold ${coldMs} warm ${warmMs} (${(ours.warmMs / warmMs).toFixed(2)} ×)`,
      )
      lines.push(
        `${bytes / MB} MB ${kind}, ${question}: ours cold ${ours.coldMs} first ${firstMs} warm ${ours.warmMs}; ${said.join('; ')}`,
      )
    }
    for (const { query, equal } of ranking ?? []) lines.push(`  top ten of "${query}" as wink: ${equal}`)
    for (const { pattern, ms, outcome } of hostile) lines.push(`  ${pattern}: ${outcome} after ${ms} ms`)
  }
  for (const { kind, previewMs, asked, loop } of through) {
    lines.push(
      `through the proxy, 10 MB ${kind}: preview ${previewMs}; loop delay worst ${loop.worst} (${loop.ofRuns.join(', ')}), p99 ${loop.p99}`,
    )
    lines.push(`  ${asked.map(({ question, roundTripMs }) => `${question} ${roundTripMs}`).join('; ')}`)
  }
  return lines.join('\n')
}
