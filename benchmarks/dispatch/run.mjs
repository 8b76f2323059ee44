/**
 * One tool for all. The text that a client reads before it asks, against listing every tool or a tool that finds them. The cost of large
 * results: whole, as previews, as files and handed on.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { machine } from '../lib/measure.mjs'
import { loadSet } from '../retrieval/set.mjs'
import { fileTools, listedDefinitions, realDefinitions } from './definitions.mjs'
import { publishedServers } from './published.mjs'
import { results } from './results.mjs'

const RECORD = 'benchmarks/results/dispatch.json'

const HELP = `npm run bench -- dispatch [--config FILE | --published]

  --config FILE   the definitions of your own servers (their mcp.json, without comments), for which nothing is recorded
  --published     those of servers from the registry, which npx brings; recorded beside the rest
  --help          this

Tables go to stdout. It measures dist/: npm run build first.`

const { values: options } = parseArgs({
  options: {
    config: { type: 'string' },
    published: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (options.help) console.log(HELP)
else if (options.config) console.table([await ownServers(options.config)])
else if (options.published) await measurePublished()
else await measure()

async function measure() {
  const { tools } = loadSet(fileURLToPath(new URL('../retrieval/set', import.meta.url)))
  const installed = await realDefinitions('three real servers')
  const definitions = [
    await listedDefinitions('six of the file server', await fileTools(6)),
    installed,
    await listedDefinitions('the own set', tools),
  ]
  console.table(definitions)
  const measured = { machine: machine(), definitions, results: await results() }
  console.table(measured.results)
  const { published } = recorded()
  record({ ...measured, ...(published && { published }) })
}

/** Not a part of every run: it needs a registry and minutes. */
async function measurePublished() {
  const published = await realDefinitions('from the registry', publishedServers, ['passthrough', 'dispatch'])
  console.table([published])
  record({ ...recorded(), published })
}

function recorded() {
  return existsSync(RECORD) ? JSON.parse(readFileSync(RECORD, 'utf8')) : {}
}

function record(report) {
  mkdirSync('benchmarks/results', { recursive: true })
  writeFileSync(RECORD, `${JSON.stringify(report, null, 1)}\n`)
}

function ownServers(file) {
  const { mcpServers } = JSON.parse(readFileSync(file, 'utf8'))
  return realDefinitions(file, () => mcpServers)
}
