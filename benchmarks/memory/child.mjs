/** One document in a process of its own: kept, asked about, forgotten; after each step what the process and its worker hold. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import v8 from 'node:v8'
import vm from 'node:vm'
import { startWorker } from '../../dist/engine/process.js'
import { kept, log, records } from '../engines/data.mjs'

const [kind, size] = process.argv.slice(2)
const bytes = Number(size)
v8.setFlagsFromString('--expose-gc')
const gc = vm.runInNewContext('gc')
const queue = startWorker({
  worker: new URL('./worker.mjs', import.meta.url),
  timeLimit: 120_000,
  heapMb: 4096,
})
// The engine's processes keep no program alive.
const alive = setInterval(() => {}, 60_000)
const json = kind === 'json'
const sizes = { maxResponseSize: 8000, maxErrorSize: 32_000, previewSize: 2000, always: false }

/** Milliseconds: what is packed when nothing was asked for a while is packed by then. */
const RESTED = 2500

const QUESTIONS = {
  filter: ['filter', { where: [json ? 'score > 900' : 'duration > 4000'] }],
  sort: ['filter', { sort: [json ? '-created_at' : '-time'] }],
  group: ['filter', { group_by: [json ? 'state' : 'level'] }],
  regex: ['search', { pattern: 'lookup.*broker' }],
  bm25: ['search', { pattern: 'checksum deadlock timeout', mode: 'bm25' }],
  fuzzy: ['search', { pattern: 'conection', mode: 'fuzzy' }],
  explore: ['explore', {}],
}

// The memory of every process, whatever it keeps: code, tokenizer, one small document that is forgotten again.
const small = source(json ? records(100_000, 9) : log(100_000, 9))
await queue.run({ kind: 'digest', arrival: small, options: sizes })
for (const [tool, params] of Object.values(QUESTIONS)) await ask(small, tool, params)
await queue.run({ kind: 'forget', hash: small.hash })
const before = await held()

const document = source((json ? records : log)(bytes))
const rows = [row('received', await held())]
await queue.run({ kind: 'digest', arrival: document, options: sizes })
rows.push(row('kept', await held()))
for (const [name, [tool, params]] of Object.entries(QUESTIONS)) {
  await ask(document, tool, params)
  rows.push(row(name, await held()))
}
await queue.run({ kind: 'forget', hash: document.hash })
rows.push(row('forgotten by the worker', await held()))
const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0) * 1024
process.stdout.write(
  JSON.stringify({ kind, bytes: document.content.length, rows, baseRss: before.rss, peakRss: peak }),
)
queue.kill()
clearInterval(alive)

function source(text) {
  const { content } = kept(text)
  const hash = createHash('sha256').update(content).digest('hex')
  return { handle: '0123456789ab', hash, content, tool: 'bench' }
}

async function ask(one, tool, params) {
  const query = { kind: tool, params, budget: 8000 }
  const answer = await queue.run({ kind: 'query', sources: [one], query })
  if (answer.failed) throw new Error(answer.text.join(''))
  if (answer.whole !== undefined) await queue.run({ kind: 'forget', hash: answer.whole.hash })
}

async function held() {
  await new Promise((resolve) => setTimeout(resolve, RESTED))
  gc()
  gc()
  const worker = await queue.run({ kind: 'memory' })
  const { rss, heapUsed, external } = process.memoryUsage()
  return { rss: rss + worker.rss, heap: heapUsed + worker.heap, external: external + worker.external }
}

/** Beyond what is there without any document, the bytes themselves counted once: as multiples of them. */
function row(after, now) {
  const length = document.content.length
  const content = now.external - before.external >= length ? 0 : length
  const ratio = (value) => Math.round((value / length) * 100) / 100
  return {
    after,
    heap: ratio(now.heap - before.heap),
    external: ratio(now.external - before.external + content),
    kept: ratio(now.heap - before.heap + now.external - before.external + content),
    rss: ratio(now.rss - before.rss),
  }
}
