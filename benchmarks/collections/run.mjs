/**
 * 1,214 records over 41 pages. One question with `all` through the proxy runs against loops written by hand, which ask the server for
 * page after page, parse and count. They take turns. Then a collection that is cancelled: which requests the server still gets.
 * Usage: node benchmarks/collections/run.mjs [--rounds N]
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { connect } from '../answers/client.mjs'
import { interleaved, machine } from '../lib/measure.mjs'

const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '9' } } })
/** The tool, as the proxy lists it. */
const TOOL = 'paged_search_issues'
const MAIN = process.env.BENCH_MAIN ?? fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const SERVER = fileURLToPath(new URL('../../test/support/servers/paged.mjs', import.meta.url))
const [PAGES, OPEN] = [41, 405]
/** Milliseconds that the server takes for a page: none, as a local one does, and as one across a network does. */
const DELAYS = [0, 1, 20]
const CANCELLED_AT = 9

const rows = []
for (const delay of DELAYS) rows.push(await measure(delay))
for (const row of rows) console.log(JSON.stringify(row))
const cancelled = await cancel(20)
console.log(JSON.stringify({ cancelled }))
mkdirSync('benchmarks/results', { recursive: true })
const report = {
  machine: machine(),
  rounds: Number(options.rounds),
  pages: PAGES,
  records: 1214,
  rows,
  cancelled,
}
writeFileSync('benchmarks/results/collections.json', `${JSON.stringify(report, null, 1)}\n`)

async function measure(delay) {
  const server = [SERVER, JSON.stringify({ delay })]
  const bare = await connect(process.execPath, server)
  const direct = await withSdk(server)
  const proxy = await withSdk([MAIN, '--', process.execPath, ...server])
  try {
    const times = await interleaved(
      {
        loop: async () => expect(await counted(direct, 'search_issues'), OPEN),
        bare: async () => expect(await counted(bare, 'search_issues'), OPEN),
        all: async () => {
          const question = { tool: TOOL, all: true, aggregate: ['count'], where: ['state = open'] }
          const { text } = await proxy.call('proxy_filter', question)
          expect(/COMPLETE: 1,214 records from 41 pages/.test(text) && text.includes(String(OPEN)), true)
        },
      },
      { rounds: Number(options.rounds), warmup: 5 },
    )
    const { loop, all } = times
    return {
      delay,
      loop: rounded(loop.median),
      bare: rounded(times.bare.median),
      all: rounded(all.median),
      ratio: rounded(all.ratio),
    }
  } finally {
    for (const client of [bare, direct, proxy]) await client.close()
  }
}

/** The caller leaves after some pages. `late`: milliseconds from then until the server was asked for the last time; negative: it was before. */
async function cancel(delay) {
  const proxy = await withSdk([MAIN, '--', process.execPath, SERVER, JSON.stringify({ delay })])
  const leave = new AbortController()
  let left
  const onprogress = ({ progress }) => {
    if (progress < CANCELLED_AT || left !== undefined) return
    left = Date.now()
    leave.abort()
  }
  const question = { tool: TOOL, all: true, aggregate: ['count'] }
  try {
    await proxy.call('proxy_filter', question, { signal: leave.signal, onprogress }).catch(() => {})
    await new Promise((resolve) => setTimeout(resolve, 500))
    const { asked, abandoned } = JSON.parse((await proxy.call('paged_stats', {})).text)
    const late = Math.max(...asked.map(({ at }) => at)) - left
    return { delay, after: CANCELLED_AT, asked: asked.length, abandoned, late }
  } finally {
    await proxy.close()
  }
}

/** As `connect`, by the client of the SDK. */
async function withSdk(args) {
  const client = new Client({ name: 'benchmark', version: '1.0.0' })
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }))
  return {
    async call(name, callArguments, more) {
      const { content } = await client.callTool({ name, arguments: callArguments }, more)
      return { text: content.map(({ text = '' }) => text).join('\n') }
    },
    close: () => client.close(),
  }
}

async function counted(client, tool) {
  let open = 0
  let seen = 0
  for (let page = 1; ; page++) {
    const { text } = await client.call(tool, { page })
    const { items, total_count: total } = JSON.parse(text)
    open += items.filter(({ state }) => state === 'open').length
    seen += items.length
    if (items.length === 0 || seen >= total) return open
  }
}

function rounded(value) {
  return Math.round(value * 100) / 100
}

function expect(found, wanted) {
  if (found !== wanted) throw new Error(`${found} in place of ${wanted}`)
}
