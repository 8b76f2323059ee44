/**
 * The cost of a preview: tokens of the proxy's definitions, and of what comes back in place of a result, for each kind of payload.
 * How long it takes, for each kind and size, is in `times.mjs`.
 * Usage: node benchmarks/previews/run.mjs [--payloads DIR] [--seed N] [--only-times]
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { connect } from '../answers/client.mjs'
import { generatedPayloads } from '../answers/payloads/generated.mjs'
import { loadPayloads, readPayload } from '../answers/payloads/load.mjs'
import { recordPayloads } from '../answers/payloads/recorded.mjs'
import { fileOf } from '../answers/server.mjs'
import { tokensOf } from '../answers/tokens.mjs'
import { machine, median } from '../lib/measure.mjs'
import { measureAhead, measureSessions, measureTimes } from './times.mjs'

const MAIN = process.env.BENCH_MAIN ?? fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const SERVER = fileURLToPath(new URL('../answers/server.mjs', import.meta.url))
const { values: options } = parseArgs({
  options: {
    payloads: { type: 'string' },
    seed: { type: 'string', default: '20261121' },
    'only-times': { type: 'boolean', default: false },
  },
})

const RESULTS = 'benchmarks/results/previews.json'
const recorded = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : {}
if (options['only-times']) {
  record({ ...recorded, times: await measureAllTimes() })
  process.exit(0)
}

const payloads = options.payloads ? loadPayloads(options.payloads) : await own()
const { definitions, rows } = await measure(payloads)
const kinds = [...new Set(rows.map(({ kind }) => kind))].map((kind) => summary(kind, rows))
const report = { seed: Number(options.seed), definitions, kinds: [...kinds, summary('all', rows)], rows }
console.log(JSON.stringify(report, null, 1))
if (!options.payloads) record({ ...report, times: await measureAllTimes() })

function record(all) {
  mkdirSync('benchmarks/results', { recursive: true })
  writeFileSync(RESULTS, `${JSON.stringify(all, null, 1)}\n`)
}

async function measureAllTimes() {
  return {
    machine: machine(),
    rows: await measureTimes(),
    ahead: await measureAhead(),
    sessions: await measureSessions(),
  }
}

async function own() {
  const files = [...(await recordPayloads()), ...generatedPayloads({ seed: options.seed })]
  return files.flatMap(({ name, text }) => readPayload(name, text))
}

/** Every payload fetched once through the proxy, as an agent would. */
async function measure(all) {
  const folder = mkdtempSync(join(tmpdir(), 'previews-'))
  try {
    for (const { name, text } of all) writeFileSync(join(folder, fileOf(name)), text)
    const client = await connect('node', [MAIN, '--', 'node', SERVER, folder], { cwd: folder })
    const get = client.tools.find(({ name }) => name.endsWith('_get')).name
    const rows = []
    for (const { name, kind, text } of all) {
      const reply = await client.call(get, { name })
      const form = /\b(?:minified|pretty)$/.exec(name)?.[0]
      rows.push({
        payload: name,
        kind: form === undefined ? kind : `${kind}, ${form}`,
        bytes: Buffer.byteLength(text),
        tokens: tokensOf(text),
        preview: reply.text.startsWith('cache_id ') ? tokensOf(reply.text) : null,
      })
    }
    await client.close()
    return { definitions: definitionsOf(client), rows }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Tokens of the proxy's own part of a context. Clients read `_meta` and annotations themselves. */
function definitionsOf({ tools, instructions }) {
  const own = tools.filter(({ name }) => name.startsWith('proxy_'))
  const each = Object.fromEntries(
    own.map(({ annotations: _, _meta, ...shown }) => [shown.name, tokensOf(JSON.stringify(shown))]),
  )
  return { ...each, instructions: tokensOf(instructions) }
}

function summary(kind, rows) {
  const some = kind === 'all' ? rows : rows.filter((row) => row.kind === kind)
  const shaped = some.filter(({ preview }) => preview !== null)
  const previews = shaped.map(({ preview }) => preview)
  const sum = (values) => values.reduce((total, value) => total + value, 0)
  return {
    kind,
    results: some.length,
    whole: some.length - shaped.length,
    bytes: shaped.length > 0 ? median(shaped.map(({ bytes }) => bytes)) : null,
    tokens: shaped.length > 0 ? median(shaped.map(({ tokens }) => tokens)) : null,
    median: shaped.length > 0 ? median(previews) : null,
    max: shaped.length > 0 ? Math.max(...previews) : null,
    bytesPerToken:
      Math.round((10 * sum(some.map(({ bytes }) => bytes))) / sum(some.map(({ tokens }) => tokens))) / 10,
  }
}
