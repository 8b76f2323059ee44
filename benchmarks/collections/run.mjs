/**
 * 1,214 records over 41 pages: one question with `all` through the proxy against a loop written by hand that asks the server for page after page
 * and counts, directly and through the proxy. They take turns. Usage: node benchmarks/collections/run.mjs [--rounds N]
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { connect } from '../answers/client.mjs'
import { interleaved, machine } from '../lib/measure.mjs'

const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '9' } } })
const MAIN = process.env.BENCH_MAIN ?? fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const SERVER = fileURLToPath(new URL('../../test/support/servers/paged.mjs', import.meta.url))
const [PAGES, OPEN] = [41, 405]
/** Milliseconds that the server takes for a page: none, and as one across a network does. */
const DELAYS = [0, 20]

const rows = []
for (const delay of DELAYS) rows.push(await measure(delay))
for (const row of rows) console.log(JSON.stringify(row))
mkdirSync('benchmarks/results', { recursive: true })
const report = { machine: machine(), rounds: Number(options.rounds), pages: PAGES, records: 1214, rows }
writeFileSync('benchmarks/results/collections.json', `${JSON.stringify(report, null, 1)}\n`)

async function measure(delay) {
  const server = [SERVER, JSON.stringify({ delay })]
  const direct = await connect(process.execPath, server)
  const proxy = await connect(process.execPath, [MAIN, '--', process.execPath, ...server])
  const tool = proxy.tools.find(({ name }) => name.endsWith('search_issues')).name
  try {
    const times = await interleaved(
      {
        loop: async () => expect(await counted(direct, 'search_issues'), OPEN),
        through: async () => expect(await counted(proxy, tool), OPEN),
        all: async () => {
          const question = { tool, all: true, aggregate: ['count'], where: ['state = open'] }
          const { text } = await proxy.call('proxy_filter', question)
          expect(/COMPLETE: 1,214 records from 41 pages/.test(text) && text.includes(String(OPEN)), true)
        },
      },
      { rounds: Number(options.rounds), warmup: 2 },
    )
    const rounded = (value) => Math.round(value * 100) / 100
    const { loop, through, all } = times
    return {
      delay,
      loop: rounded(loop.median),
      through: rounded(through.median),
      all: rounded(all.median),
      ratio: rounded(all.ratio),
    }
  } finally {
    await direct.close()
    await proxy.close()
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

function expect(found, wanted) {
  if (found !== wanted) throw new Error(`${found} in place of ${wanted}`)
}
